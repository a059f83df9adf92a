/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <dirent.h>

#include "cache/working_set.h"
#include "cache/name.h"

#define CERTAIN	  true
#define UNCERTAIN false

static struct occ_digest digest_of(const char *text)
{
	struct occ_digest digest;

	occ_digest(text, strlen(text), OCC_SEED_CONTENT, &digest);
	return digest;
}

/* A program of one device, by a letter. */
static struct occ_working_set_item program(char letter)
{
	const char text[] = {letter, '\0'};

	return (struct occ_working_set_item){
		.context = (uint32_t)(letter >= 'a'),
		.delay = (uint32_t)letter,
		.count = 1,
		.hashes = {digest_of(text)},
		.kernels = "one\0two",
	};
}

/* What a process took, a letter each. */
struct run {
	const char *executable, *arguments, *programs;
	bool partly, failed;
};

static int write_run(struct occ_store *store, struct run run)
{
	struct occ_working_set_item items[64];
	struct occ_working_set_taken taken = {
		.executable = digest_of(run.executable),
		.name = run.executable,
		.arguments = digest_of(run.arguments),
		.items = items,
		.count = strlen(run.programs),
		.whole = !run.partly,
		.failed = run.failed,
	};

	assert_in_range(taken.count, 0, 64);
	for (size_t i = 0; i < taken.count; i++)
		items[i] = program(run.programs[i]);
	return occ_working_set_write(store, &taken);
}

#define RUN(...)                                                               \
	assert_int_equal(write_run(store,                                      \
				   (struct run){.executable = "/bin/app",      \
						.arguments = __VA_ARGS__}),    \
			 OCC_OK)

/* The letters of what is foreseen; in capitals first. */
static void foresee(struct occ_store *store, const char *arguments,
		    char ret_letters[64], bool *ret_certain)
{
	struct occ_digest executable = digest_of("/bin/app");
	struct occ_digest digest = digest_of(arguments);
	struct occ_working_set_prediction prediction;
	struct occ_working_set set;
	size_t at = 0;

	*ret_certain = false;
	ret_letters[0] = '\0';
	if (!occ_working_set_read(store, &executable, &set))
		return;
	prediction = occ_working_set_predict(&set, &digest);
	*ret_certain = prediction.is_certain;
	for (size_t i = 0; prediction.run >= 0 && i < set.count; i++) {
		struct occ_working_set_item item = set.items[i], same;

		if (!(item.runs >> prediction.run & 1))
			continue;
		same = program((char)item.delay);
		same.runs = item.runs;
		assert_memory_equal(&item, &same, sizeof(item));
		ret_letters[at++] = (char)item.delay;
	}
	ret_letters[at] = '\0';
	occ_working_set_release(&set);
}

static void expect(struct occ_store *store, const char *arguments,
		   const char *letters, bool certain)
{
	char foreseen[64];
	bool is_certain;

	foresee(store, arguments, foreseen, &is_certain);
	assert_string_equal(foreseen, letters);
	assert_int_equal(is_certain, certain);
}

static struct occ_store *open_store(struct fixture *fixture)
{
	struct occ_store *store = occ_store_open(fixture->path, 0, false);

	assert_non_null(store);
	return store;
}

static void test_nothing_is_known(void **state)
{
	struct occ_store *store = open_store(*state);

	expect(store, "1", "", UNCERTAIN);
	occ_store_close(store);
}

static void test_the_same_arguments_take_the_same(void **state)
{
	struct occ_store *store = open_store(*state);

	RUN("1", "ACB");
	RUN("2", "DE");
	expect(store, "1", "ACB", CERTAIN);
	expect(store, "2", "DE", CERTAIN);
	/* The latest; they took different programs. */
	expect(store, "3", "DE", UNCERTAIN);
	occ_store_close(store);
}

static void test_other_arguments_that_took_the_same(void **state)
{
	struct occ_store *store = open_store(*state);

	RUN("1", "AB");
	expect(store, "3", "AB", UNCERTAIN);
	RUN("2", "AB");
	expect(store, "3", "AB", CERTAIN);
	occ_store_close(store);
}

static void test_the_last_run_counts(void **state)
{
	struct occ_store *store = open_store(*state);

	RUN("1", "ABC");
	RUN("1", "CD");
	expect(store, "1", "CD", CERTAIN);
	RUN("1", "");
	expect(store, "1", "", CERTAIN);
	occ_store_close(store);
}

/* A process that was killed took those, and perhaps others. */
static void test_part_of_a_run_is_added(void **state)
{
	struct occ_store *store = open_store(*state);

	RUN("1", "ABC");
	RUN("1", "CD", .partly = true);
	expect(store, "1", "CDAB", CERTAIN);
	occ_store_close(store);
}

static void test_failures(void **state)
{
	struct occ_store *store = open_store(*state);

	RUN("1", "AB");
	RUN("1", "CD", .failed = true);
	expect(store, "1", "CD", UNCERTAIN);
	/* What a killed process didn't take says nothing. */
	RUN("1", "CD", .partly = true);
	expect(store, "1", "CD", UNCERTAIN);
	RUN("1", "CD");
	expect(store, "1", "CD", CERTAIN);
	/* Of another run's programs it took less. */
	RUN("2", "EF", .failed = true);
	expect(store, "2", "EF", CERTAIN);
	occ_store_close(store);
}

/* The same program in another context of the process is another. */
static void test_contexts(void **state)
{
	struct occ_working_set_item items[2] = {program('A'), program('A')};
	struct occ_working_set_taken taken = {
		.executable = digest_of("/bin/app"),
		.name = "",
		.arguments = digest_of("1"),
		.items = items,
		.count = 2,
		.whole = true,
	};
	struct occ_store *store = open_store(*state);
	struct occ_working_set set;

	items[1].context = 7;
	assert_int_equal(occ_working_set_write(store, &taken), OCC_OK);
	assert_true(occ_working_set_read(store, &taken.executable, &set));
	assert_int_equal(set.count, 2);
	assert_int_equal(set.items[0].context, 0);
	assert_int_equal(set.items[1].context, 7);
	occ_working_set_release(&set);
	occ_store_close(store);
}

/* Names of kernels are kept, as many as there is room for, and count. */
static void test_kernels(void **state)
{
	struct occ_store *store = open_store(*state);
	struct occ_working_set_item item = program('A'), other = item;
	struct occ_working_set_taken taken = {
		.executable = digest_of("/bin/app"),
		.name = "",
		.arguments = digest_of("1"),
		.items = &item,
		.count = 1,
		.whole = true,
	};
	struct occ_working_set set;

	memset(item.kernels, 'k', sizeof(item.kernels) - 2);
	assert_int_equal(occ_working_set_write(store, &taken), OCC_OK);
	assert_true(occ_working_set_read(store, &taken.executable, &set));
	assert_memory_equal(set.items[0].kernels, item.kernels,
			    sizeof(item.kernels));
	assert_true(occ_working_set_same(&set.items[0], &item));
	assert_false(occ_working_set_same(&set.items[0], &other));
	occ_working_set_release(&set);
	/* Others of the same program are written. */
	taken.items = &other;
	assert_int_equal(occ_working_set_write(store, &taken), OCC_OK);
	assert_true(occ_working_set_read(store, &taken.executable, &set));
	assert_int_equal(set.count, 1);
	assert_true(occ_working_set_same(&set.items[0], &other));
	occ_working_set_release(&set);
	occ_store_close(store);
}

/* The oldest one's place is the next one's. */
static void test_more_runs_than_are_kept(void **state)
{
	struct occ_store *store = open_store(*state);
	char arguments[2] = "a", letter[2] = "A";
	struct occ_digest executable = digest_of("/bin/app");
	struct occ_working_set set;

	for (int i = 0; i < OCC_WORKING_SET_RUNS + 3; i++) {
		arguments[0] = (char)('a' + i);
		letter[0] = (char)('A' + i);
		RUN(arguments, letter);
	}
	expect(store, arguments, letter, CERTAIN);
	assert_true(occ_working_set_read(store, &executable, &set));
	/* What no run took any more is gone. */
	assert_int_equal(set.count, OCC_WORKING_SET_RUNS);
	assert_string_equal(set.name, "/bin/app");
	occ_working_set_release(&set);
	occ_store_close(store);
}

static void test_limits(void **state)
{
	struct occ_store *store = open_store(*state);
	struct occ_working_set_item *items =
		calloc(OCC_WORKING_SET_ITEMS + 5, sizeof(*items));
	char name[2 * OCC_WORKING_SET_NAME];
	struct occ_working_set_taken taken = {
		.executable = digest_of("/bin/app"),
		.name = name,
		.items = items,
		.count = OCC_WORKING_SET_ITEMS + 5,
		.whole = true,
	};
	struct occ_working_set set;

	assert_non_null(items);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < taken.count; i++) {
		items[i].count = 1 + i % OCC_WORKING_SET_DEVICES;
		memcpy(items[i].hashes[0].bytes, &i, sizeof(i));
	}
	assert_int_equal(occ_working_set_write(store, &taken), OCC_OK);
	assert_true(occ_working_set_read(store, &taken.executable, &set));
	assert_int_equal(set.count, OCC_WORKING_SET_ITEMS);
	for (size_t i = 0; i < set.count; i++) {
		assert_int_equal(set.items[i].count, items[i].count);
		assert_memory_equal(set.items[i].hashes, items[i].hashes,
				    items[i].count * OCC_DIGEST_SIZE);
	}
	assert_int_equal(strlen(set.name), OCC_WORKING_SET_NAME - 1);
	occ_working_set_release(&set);
	free(items);
	occ_store_close(store);
}

/* The name of the only file of its kind. */
static void find_file(struct fixture *fixture, char ret_name[OCC_NAME_SIZE])
{
	DIR *directory = opendir(fixture->path);
	const struct dirent *file;
	int count = 0;

	assert_non_null(directory);
	while ((file = readdir(directory))) {
		if (occ_name_kind(file->d_name) != OCC_NAME_WORKING_SET)
			continue;
		assert_in_range(strlen(file->d_name), 1, OCC_NAME_SIZE - 1);
		strcpy(ret_name, file->d_name);
		count++;
	}
	closedir(directory);
	assert_int_equal(count, 1);
}

/* Of two executables in one place the later one counts. */
static void test_executables_share_a_place(void **state)
{
	struct occ_store *store = open_store(*state);
	struct occ_digest first = {{0x12, 0x34}}, second = {{0x12, 0x35}};
	struct occ_working_set_item item = program('A');
	struct occ_working_set_taken taken = {
		.executable = first,
		.name = "",
		.items = &item,
		.count = 1,
		.whole = true,
	};
	char name[OCC_NAME_SIZE];
	struct occ_working_set set;

	assert_int_equal(occ_working_set_write(store, &taken), OCC_OK);
	assert_true(occ_working_set_read(store, &first, &set));
	occ_working_set_release(&set);
	assert_false(occ_working_set_read(store, &second, &set));
	taken.executable = second;
	assert_int_equal(occ_working_set_write(store, &taken), OCC_OK);
	find_file(*state, name);
	assert_false(occ_working_set_read(store, &first, &set));
	assert_true(occ_working_set_read(store, &second, &set));
	/* None of the first one's. */
	assert_int_equal(set.count, 1);
	occ_working_set_release(&set);
	occ_store_close(store);
}

/* What is the same isn't written. */
static void test_writes_what_is_new(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture);
	struct stat before, after;
	char name[OCC_NAME_SIZE];

	RUN("1", "AB");
	find_file(fixture, name);
	assert_int_equal(fstatat(fixture->directory, name, &before, 0), 0);
	RUN("1", "AB");
	RUN("1", "A", .partly = true, .failed = true);
	assert_int_equal(fstatat(fixture->directory, name, &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	RUN("1", "A");
	expect(store, "1", "A", CERTAIN);
	occ_store_close(store);
}

/* The bytes, in memory of just their size, for sanitizers. */
static bool decodes(const unsigned char *bytes, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct occ_working_set set;
	bool good;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	good = occ_working_set_decode((struct occ_span){copy, size}, &set);
	assert_int_equal(good, occ_working_set_is_good(
				       (struct occ_span){copy, size}));
	if (!good)
		assert_null(set.items);
	occ_working_set_release(&set);
	free(copy);
	return good;
}

static void rewrite_checksum(unsigned char *bytes, size_t size)
{
	struct occ_digest checksum;

	occ_digest(bytes + 32, size - 32, OCC_SEED_CHECKSUM, &checksum);
	memcpy(bytes + 16, checksum.bytes, OCC_DIGEST_SIZE);
}

/*
 * Whatever a byte is, and wherever the file ends, it is bad; and if somebody
 * made the checksum right, it is read without harm.
 */
static void test_damage(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture);
	unsigned char bytes[1024], other[sizeof(bytes)];
	char name[OCC_NAME_SIZE];
	size_t size;
	int file;

	RUN("1", "ABa");
	RUN("2", "Bc");
	find_file(fixture, name);
	file = openat(fixture->directory, name, O_RDONLY);
	size = (size_t)read(file, bytes, sizeof(bytes));
	close(file);
	assert_in_range(size, 100, sizeof(bytes) - 1);
	assert_true(decodes(bytes, size));
	for (size_t i = 0; i < size; i++) {
		assert_false(decodes(bytes, i));
		for (int bit = 0; bit < 8; bit++) {
			memcpy(other, bytes, size);
			other[i] ^= (unsigned char)(1 << bit);
			assert_false(decodes(other, size));
			rewrite_checksum(other, size);
			decodes(other, size);
		}
	}
	/* A bad one counts as none, and is replaced. */
	bytes[size / 2] ^= 1;
	fixture_write(fixture, name, bytes, size);
	expect(store, "1", "", UNCERTAIN);
	RUN("1", "D");
	expect(store, "1", "D", CERTAIN);
	occ_store_close(store);
}

static void test_a_store_that_is_only_read(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open_read_only(fixture->path);

	assert_non_null(store);
	assert_int_not_equal(write_run(store, (struct run){"/bin/app", "1", "A",
							   false, false}),
			     OCC_OK);
	expect(store, "1", "", UNCERTAIN);
	occ_store_close(store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_is_known),
		TEST(test_the_same_arguments_take_the_same),
		TEST(test_other_arguments_that_took_the_same),
		TEST(test_the_last_run_counts),
		TEST(test_part_of_a_run_is_added),
		TEST(test_failures),
		TEST(test_contexts),
		TEST(test_kernels),
		TEST(test_more_runs_than_are_kept),
		TEST(test_limits),
		TEST(test_executables_share_a_place),
		TEST(test_writes_what_is_new),
		TEST(test_damage),
		TEST(test_a_store_that_is_only_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
