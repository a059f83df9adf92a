/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <signal.h>
#include <sys/file.h>

#include "cache/counters.h"

#define FILE_NAME "oclcache.counters"
#define PROCESSES 8
#define ADDITIONS 50
#define PATIENCE  1000
#define MAX_SIZE  10000

static struct occ_counters sample(uint64_t number)
{
	struct occ_counters counters = {0};

	counters.numbers[OCC_COUNT_STORE] = number;
	counters.numbers[OCC_COUNT_MISSES] = 2 * number;
	/* Of a version to come. */
	counters.numbers[OCC_COUNTERS - 1] = 3 * number;
	occ_counters_note(&counters, OCC_COUNTED_MISS, "not found", number);
	occ_counters_note(&counters, OCC_COUNTED_MISS, "key differs", number);
	return counters;
}

static uint64_t count_of(const struct occ_counters *counters,
			 enum occ_counted kind, const char *text)
{
	for (size_t i = 0; i < counters->reason_count; i++)
		if (counters->reasons[i].kind == kind &&
		    !strcmp(counters->reasons[i].text, text))
			return counters->reasons[i].count;
	return 0;
}

static void assert_sample(const struct occ_counters *counters, uint64_t number)
{
	assert_int_equal(counters->numbers[OCC_COUNT_STORE], number);
	assert_int_equal(counters->numbers[OCC_COUNT_MISSES], 2 * number);
	assert_int_equal(counters->numbers[OCC_COUNTERS - 1], 3 * number);
	assert_int_equal(count_of(counters, OCC_COUNTED_MISS, "not found"),
			 number);
	assert_int_equal(count_of(counters, OCC_COUNTED_MISS, "key differs"),
			 number);
	assert_int_equal(count_of(counters, OCC_COUNTED_ERROR, "not found"), 0);
}

static int merge(struct occ_store *store, uint64_t number)
{
	struct occ_counters counters = sample(number);

	return occ_counters_merge(store, &counters, PATIENCE);
}

static void assert_stored(struct occ_store *store, uint64_t number)
{
	struct occ_counters counters;

	assert_int_equal(occ_counters_read(store, &counters), OCC_OK);
	assert_sample(&counters, number);
	assert_true(counters.since > 0);
}

static void test_counters__add_up(void **state)
{
	struct occ_store *store = fixture_open_store(*state, MAX_SIZE);
	struct occ_counters counters;

	assert_int_equal(occ_counters_read(store, &counters), OCC_E_NOT_FOUND);
	assert_int_equal(occ_counters_builds(&counters), 0);
	assert_int_equal(merge(store, 5), OCC_OK);
	assert_stored(store, 5);
	assert_int_equal(merge(store, 1), OCC_OK);
	assert_stored(store, 6);
	assert_int_equal(occ_counters_read(store, &counters), OCC_OK);
	assert_int_equal(occ_counters_hits(&counters), 6);
	assert_int_equal(occ_counters_builds(&counters), 18);
	fixture_close_store(*state, store);
}

static void test_counters__begin_anew(void **state)
{
	struct occ_store *store = fixture_open_store(*state, MAX_SIZE);
	struct occ_counters counters;

	assert_int_equal(merge(store, 5), OCC_OK);
	assert_int_equal(occ_counters_reset(store), OCC_OK);
	assert_stored(store, 0);
	assert_int_equal(occ_counters_read(store, &counters), OCC_OK);
	assert_int_equal(counters.reason_count, 0);
	assert_int_equal(merge(store, 2), OCC_OK);
	assert_stored(store, 2);
	fixture_close_store(*state, store);
}

static void test_counters__stop_at_the_end(void **state)
{
	struct occ_counters counters = sample(UINT64_MAX), more = sample(1);

	(void)state;
	occ_counters_add(&counters, &more);
	assert_int_equal(counters.numbers[OCC_COUNT_STORE], UINT64_MAX);
	assert_int_equal(count_of(&counters, OCC_COUNTED_MISS, "not found"),
			 UINT64_MAX);
	assert_int_equal(occ_counters_builds(&counters), UINT64_MAX);
}

static void test_counters__reasons_are_bounded(void **state)
{
	struct occ_counters counters = {0};
	char text[2 * OCC_COUNTED_SIZE];
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "%d%0150d", i, 0);
		occ_counters_note(&counters,
				  (enum occ_counted)(i % OCC_COUNTED_KINDS),
				  text, 1);
	}
	for (size_t i = 0; i < counters.reason_count; i++) {
		sum += counters.reasons[i].count;
		assert_true(strlen(counters.reasons[i].text) <
			    OCC_COUNTED_SIZE);
	}
	assert_int_equal(sum, 1000);
	assert_in_range(counters.reason_count, 8, OCC_COUNTED_REASONS);
	for (int kind = 0; kind < OCC_COUNTED_KINDS; kind++)
		assert_in_range(count_of(&counters, (enum occ_counted)kind,
					 "other"),
				150, 250);
	/* Cut ones are found again. */
	snprintf(text, sizeof(text), "%d%0150d", 0, 0);
	occ_counters_note(&counters, OCC_COUNTED_MISS, text, 1);
	text[OCC_COUNTED_SIZE - 1] = '\0';
	assert_int_equal(count_of(&counters, OCC_COUNTED_MISS, text), 2);
}

/* Whatever a byte becomes: empty, and then anew. */
static void test_counters__damage(void **state)
{
	struct occ_store *store = fixture_open_store(*state, MAX_SIZE);
	struct occ_counters counters;
	unsigned char *good;
	size_t size;

	assert_int_equal(merge(store, 7), OCC_OK);
	good = fixture_read(*state, FILE_NAME, &size);
	for (size_t i = 0; i < size; i++) {
		good[i] ^= 0xff;
		fixture_write(*state, FILE_NAME, good, size);
		good[i] ^= 0xff;
		assert_int_equal(occ_counters_read(store, &counters),
				 OCC_E_CORRUPT);
		assert_int_equal(occ_counters_builds(&counters), 0);
	}
	for (size_t i = 0; i < size; i++) {
		fixture_write(*state, FILE_NAME, good, i);
		assert_int_equal(occ_counters_read(store, &counters),
				 OCC_E_CORRUPT);
	}
	assert_int_equal(merge(store, 3), OCC_OK);
	assert_stored(store, 3);
	free(good);
	occ_store_close(store);
}

static void fill(struct fixture *fixture, const char *name, uint64_t size)
{
	fixture_fill(fixture, name, (size_t)size);
}

/* In a full store nothing goes for them, and they stay as they were. */
static void test_counters__no_room(void **state)
{
	struct occ_store *store = fixture_open_store(*state, MAX_SIZE);
	static const char name[] = "0123.cl_cache";
	struct occ_counters more = sample(1);
	uint64_t size;

	assert_int_equal(merge(store, 7), OCC_OK);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	fill(*state, name, MAX_SIZE - size);
	/* Counted anew. */
	unlinkat(((struct fixture *)*state)->directory, "config.file", 0);
	occ_counters_note(&more, OCC_COUNTED_ERROR, "a new reason", 1);
	assert_int_equal(occ_counters_merge(store, &more, PATIENCE),
			 OCC_E_TOO_LARGE);
	assert_stored(store, 7);
	/* What needs no more room is written. */
	assert_int_equal(merge(store, 1), OCC_OK);
	assert_stored(store, 8);
	assert_true(fixture_exists(*state, name));
	fixture_close_store(*state, store);
}

static void test_counters__nobody_waits(void **state)
{
	struct occ_store *store = fixture_open_store(*state, MAX_SIZE);
	struct occ_counters more = sample(1);
	int file;

	assert_int_equal(merge(store, 7), OCC_OK);
	file = openat(((struct fixture *)*state)->directory, "config.file",
		      O_RDWR);
	assert_int_equal(flock(file, LOCK_EX), 0);
	assert_int_equal(occ_counters_merge(store, &more, 5), OCC_E_BUSY);
	close(file);
	/* And who gave up once doesn't give up sooner. */
	assert_int_equal(merge(store, 1), OCC_OK);
	assert_stored(store, 8);
	fixture_close_store(*state, store);
}

static void test_counters__read_only(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open_read_only(fixture->path);

	assert_int_equal(merge(store, 1), OCC_E_READ_ONLY);
	assert_int_equal(occ_counters_reset(store), OCC_E_READ_ONLY);
	assert_int_equal(fixture_count(fixture, "oclcache"), 0);
	occ_store_close(store);
}

static _Noreturn void add_often(const char *path)
{
	struct occ_store *store = occ_store_open(path, MAX_SIZE, false);

	for (int i = 0; i < ADDITIONS; i++) {
		int tries = 0;

		while (merge(store, 1) && tries++ < 60)
			;
		if (tries > 60)
			_exit(1);
	}
	_exit(0);
}

static void test_counters__processes_lose_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, MAX_SIZE);
	pid_t children[PROCESSES];
	int status;

	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (!children[i])
			add_often(fixture->path);
	}
	for (int i = 0; i < PROCESSES; i++) {
		waitpid(children[i], &status, 0);
		assert_int_equal(status, 0);
	}
	assert_stored(store, PROCESSES * ADDITIONS);
	fixture_close_store(fixture, store);
}

/* Whenever one is killed, what is there is good and only grows. */
static void test_counters__killed(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, MAX_SIZE);
	struct occ_counters counters;
	uint64_t last = 0;

	assert_int_equal(merge(store, 1), OCC_OK);
	for (unsigned i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child)
			add_often(fixture->path);
		usleep(200 * (i + 1));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		assert_int_equal(occ_counters_read(store, &counters), OCC_OK);
		assert_true(counters.numbers[OCC_COUNT_STORE] >= last);
		last = counters.numbers[OCC_COUNT_STORE];
		assert_sample(&counters, last);
	}
	assert_int_equal(merge(store, 1), OCC_OK);
	assert_stored(store, last + 1);
	occ_store_close(store);
}

static void path_of(struct fixture *fixture, char ret_path[96])
{
	snprintf(ret_path, 96, "%s/records", fixture->path);
}

static int put(const char *path, struct occ_counters_record *record,
	       uint64_t number)
{
	struct occ_counters counters = sample(number);

	return occ_counters_put(path, record, &counters);
}

static void assert_sum(const char *path, uint64_t number)
{
	struct occ_counters sum;

	assert_int_equal(occ_counters_sum(path, &sum), OCC_OK);
	assert_sample(&sum, number);
}

static void test_counters__records(void **state)
{
	struct occ_counters_record one = {0}, other = {0};
	struct occ_counters sum;
	char path[96];

	path_of(*state, path);
	/* Nobody wants them. */
	assert_int_equal(put(path, &one, 4), OCC_E_IO);
	assert_int_equal(occ_counters_sum(path, &sum), OCC_E_NOT_FOUND);
	fixture_write(*state, "records", "", 0);
	assert_sum(path, 0);
	/* What couldn't be written comes with the next. */
	assert_int_equal(put(path, &one, 4), OCC_OK);
	assert_sum(path, 8);
	assert_int_equal(put(path, &other, 1), OCC_OK);
	assert_sum(path, 9);
	assert_int_equal(put(path, &one, 2), OCC_OK);
	assert_sum(path, 11);
	/* Each has room of its own, and no more. */
	assert_int_equal(fixture_status(*state, "records").st_size, 8192);
	/* Another file, in the place of the first one. */
	unlink(path);
	fixture_write(*state, "records", "", 0);
	assert_int_equal(put(path, &one, 2), OCC_E_NOT_FOUND);
	assert_sum(path, 0);
}

/* Of records that are no good the others count. */
static void test_counters__torn_records(void **state)
{
	struct occ_counters_record one = {0}, other = {0}, late = {0};
	unsigned char *bytes;
	size_t size, used;
	char path[96];

	path_of(*state, path);
	fixture_write(*state, "records", "", 0);
	assert_int_equal(put(path, &one, 4), OCC_OK);
	assert_int_equal(put(path, &other, 1), OCC_OK);
	bytes = fixture_read(*state, "records", &size);
	used = 8 + (size_t)occ_get_u64(bytes);
	for (size_t i = 0; i < used; i += 7) {
		bytes[i] ^= 0x80;
		fixture_write(*state, "records", bytes, size);
		bytes[i] ^= 0x80;
		assert_sum(path, 1);
	}
	for (size_t i = 0; i < 4096; i += 273) {
		fixture_write(*state, "records", bytes, i);
		assert_sum(path, i < used ? 0 : 4);
	}
	/* And who comes after that has whole room. */
	fixture_write(*state, "records", bytes, 5000);
	assert_int_equal(put(path, &late, 2), OCC_OK);
	assert_int_equal(fixture_status(*state, "records").st_size, 12288);
	free(bytes);
}

static void test_counters__records_keep_all_counts(void **state)
{
	struct occ_counters_record record = {0};
	struct occ_counters sum;
	uint64_t count = 0;
	char path[96];

	path_of(*state, path);
	fixture_write(*state, "records", "", 0);
	for (int i = 0; i < 200; i++) {
		struct occ_counters more = {0};
		char text[OCC_COUNTED_SIZE];

		snprintf(text, sizeof(text), "%080d", i);
		occ_counters_note(&more, (enum occ_counted)(i % 4), text, 1);
		assert_int_equal(occ_counters_put(path, &record, &more),
				 OCC_OK);
	}
	assert_int_equal(fixture_status(*state, "records").st_size, 4096);
	assert_int_equal(occ_counters_sum(path, &sum), OCC_OK);
	for (size_t i = 0; i < sum.reason_count; i++)
		count += sum.reasons[i].count;
	assert_int_equal(count, 200);
	assert_true(sum.reason_count > 20);
}

static void test_counters__records_of_a_crowd(void **state)
{
	pid_t children[4 * PROCESSES];
	char path[96];
	int status;

	path_of(*state, path);
	fixture_write(*state, "records", "", 0);
	for (int i = 0; i < 4 * PROCESSES; i++) {
		children[i] = fork();
		if (!children[i]) {
			struct occ_counters_record record = {0};

			for (int j = 0; j < ADDITIONS; j++)
				put(path, &record, 1);
			kill(getpid(), SIGKILL);
		}
	}
	for (int i = 0; i < 4 * PROCESSES; i++)
		waitpid(children[i], &status, 0);
	assert_sum(path, 4 * PROCESSES * ADDITIONS);
}

static void test_counters__records_go_into_plain_files(void **state)
{
	struct fixture *fixture = *state;
	struct occ_counters_record record = {0};
	char path[96];

	path_of(fixture, path);
	assert_int_equal(mkfifoat(fixture->directory, "records", 0600), 0);
	assert_true(put(path, &record, 4) != OCC_OK);
	unlink(path);
	fixture_write(fixture, "other", "", 0);
	assert_int_equal(symlinkat("other", fixture->directory, "records"), 0);
	assert_true(put(path, &record, 4) != OCC_OK);
	assert_int_equal(fixture_status(fixture, "other").st_size, 0);
}

/* A page the kernel writes whole; what is larger is replaced. */
static void test_counters__larger_than_a_page(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 100000);
	struct occ_counters more = sample(1);
	ino_t before, after;
	char text[OCC_COUNTED_SIZE];

	assert_int_equal(merge(store, 1), OCC_OK);
	before = fixture_status(*state, FILE_NAME).st_ino;
	assert_int_equal(merge(store, 1), OCC_OK);
	assert_int_equal(fixture_status(*state, FILE_NAME).st_ino, before);
	for (int i = 0; i < 55; i++) {
		snprintf(text, sizeof(text), "%080d", i);
		occ_counters_note(&more, OCC_COUNTED_MISS, text, 1);
	}
	assert_int_equal(occ_counters_merge(store, &more, PATIENCE), OCC_OK);
	before = fixture_status(*state, FILE_NAME).st_ino;
	assert_true(fixture_status(*state, FILE_NAME).st_size > 4096);
	/* The old one stays, so that its number can't be given again. */
	assert_int_equal(linkat(((struct fixture *)*state)->directory,
				FILE_NAME,
				((struct fixture *)*state)->directory, "old",
				0),
			 0);
	assert_int_equal(merge(store, 1), OCC_OK);
	after = fixture_status(*state, FILE_NAME).st_ino;
	assert_true(after != before);
	unlinkat(((struct fixture *)*state)->directory, "old", 0);
	fixture_close_store(*state, store);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_counters__add_up),
		TEST(test_counters__begin_anew),
		TEST(test_counters__stop_at_the_end),
		TEST(test_counters__reasons_are_bounded),
		TEST(test_counters__damage),
		TEST(test_counters__no_room),
		TEST(test_counters__nobody_waits),
		TEST(test_counters__read_only),
		TEST(test_counters__processes_lose_nothing),
		TEST(test_counters__killed),
		TEST(test_counters__records),
		TEST(test_counters__torn_records),
		TEST(test_counters__records_keep_all_counts),
		TEST(test_counters__records_of_a_crowd),
		TEST(test_counters__records_go_into_plain_files),
		TEST(test_counters__larger_than_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
