/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <signal.h>

#include "cache/file.h"
#include "cache/history.h"

#define FILE_NAME "oclcache.history"
#define PATIENCE  1000
#define PROCESSES 8
#define ADDITIONS 50
#define ROOMY	  10000000

static int64_t today(void)
{
	return occ_file_now() / OCC_HISTORY_DAY_S;
}

/* A row as doc/format.md has it. */
static void make_row(unsigned char *row, int64_t day, const char *name,
		     uint64_t number)
{
	struct occ_digest digest;

	memset(row, 0, OCC_HISTORY_ROW_SIZE);
	occ_put_u32(row + 16, 1);
	occ_put_u32(row + 20, (uint32_t)day);
	for (size_t i = 0; i < OCC_HISTORY_NUMBERS; i++)
		occ_put_u64(row + 24 + 8 * i, number);
	memcpy(row + 152, name, strlen(name));
	occ_digest(row + 16, OCC_HISTORY_ROW_SIZE - 16, OCC_SEED_CHECKSUM,
		   &digest);
	memcpy(row, digest.bytes, sizeof(digest.bytes));
}

/* `count` rows of a program each, of that day and the next ones. */
static void make_file(struct fixture *fixture, size_t count, int64_t day)
{
	size_t size = count * OCC_HISTORY_ROW_SIZE;
	unsigned char *rows = malloc(size + 1);
	char name[32];

	assert_non_null(rows);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "old-%zu", i);
		make_row(rows + i * OCC_HISTORY_ROW_SIZE, day + (int64_t)i,
			 name, 1);
	}
	fixture_write(fixture, FILE_NAME, rows, size);
	free(rows);
}

static struct occ_history_program program_of(const char *name)
{
	struct occ_history_program program = {.name = {0}};

	memcpy(program.name, name, strlen(name));
	return program;
}

static int merge(struct occ_store *store, struct occ_history_program *program,
		 uint64_t number)
{
	struct occ_counters more = {0};

	more.numbers[OCC_COUNT_PROCESSES] = 1;
	more.numbers[OCC_COUNT_STORE] = number;
	more.numbers[OCC_COUNT_MEMORY] = number;
	more.numbers[OCC_COUNT_REMOTE] = 10 * number;
	more.numbers[OCC_COUNT_MISSES] = 100 * number;
	more.numbers[OCC_COUNT_SAVED_NS] = 1000 * number;
	return occ_history_merge(store, &more, program, PATIENCE);
}

static int merge_once(struct occ_store *store, const char *name)
{
	struct occ_history_program program = program_of(name);

	return merge(store, &program, 1);
}

/* The row of today, or NULL. */
static const struct occ_history_row *find(const struct occ_history *history,
					  const char *name)
{
	for (size_t i = 0; i < history->count; i++)
		if (history->rows[i].day == today() &&
		    !strcmp(history->rows[i].name, name))
			return &history->rows[i];
	return NULL;
}

/* What that program has of today's hits in the store; 0: no row. */
static uint64_t local_hits(struct occ_store *store, const char *name)
{
	struct occ_history history;
	const struct occ_history_row *row;
	uint64_t hits;

	assert_int_equal(occ_history_read(store, &history), OCC_OK);
	row = find(&history, name);
	hits = row ? row->numbers[OCC_HISTORY_LOCAL] : 0;
	occ_history_release(&history);
	return hits;
}

static void test_history__adds_up(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	struct occ_history_program one = program_of("one");
	struct occ_history history;
	struct occ_counters counters;
	const uint64_t *numbers;

	assert_int_equal(occ_history_read(store, &history), OCC_E_NOT_FOUND);
	assert_int_equal(merge(store, &one, 1), OCC_OK);
	assert_int_equal(merge(store, &one, 2), OCC_OK);
	assert_int_equal(merge_once(store, "another"), OCC_OK);
	/* Another process of the same program. */
	assert_int_equal(merge_once(store, "one"), OCC_OK);
	assert_int_equal(occ_history_read(store, &history), OCC_OK);
	assert_int_equal(history.count, 2);
	assert_int_equal(history.damaged, 0);
	assert_string_equal(history.rows[0].name, "another");
	assert_string_equal(history.rows[1].name, "one");
	numbers = history.rows[1].numbers;
	assert_int_equal(numbers[OCC_HISTORY_PROCESSES], 3);
	assert_int_equal(numbers[OCC_HISTORY_LOCAL], 8);
	assert_int_equal(numbers[OCC_HISTORY_REMOTE], 40);
	assert_int_equal(numbers[OCC_HISTORY_SAVED_NS], 4000);
	assert_int_equal(occ_history_hits(numbers), 48);
	assert_int_equal(occ_history_builds(numbers), 448);
	occ_history_release(&history);
	assert_int_equal(occ_counters_read(store, &counters), OCC_OK);
	assert_int_equal(counters.numbers[OCC_COUNT_STORE], 5);
	fixture_close_store(*state, store);
}

/* What has no name, or nothing of builds, is counted all the same. */
static void test_history__nothing_to_note(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	struct occ_history_program none = {.name = ""};
	struct occ_history_program one = program_of("one");
	struct occ_counters more = {0}, counters;

	more.numbers[OCC_COUNT_EVICTED] = 3;
	assert_int_equal(merge(store, &none, 1), OCC_OK);
	assert_int_equal(occ_history_merge(store, &more, &one, PATIENCE),
			 OCC_OK);
	assert_false(fixture_exists(*state, FILE_NAME));
	assert_int_equal(occ_counters_read(store, &counters), OCC_OK);
	assert_int_equal(counters.numbers[OCC_COUNT_STORE], 1);
	assert_int_equal(counters.numbers[OCC_COUNT_EVICTED], 3);
	fixture_close_store(*state, store);
}

/* The bytes of the format don't change by accident. */
static void test_history__is_as_documented(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	unsigned char expected[OCC_HISTORY_ROW_SIZE], *bytes;
	struct occ_history history;
	size_t size;

	make_row(expected, today(), "old-0", 1);
	make_file(*state, 1, today());
	assert_int_equal(occ_history_read(store, &history), OCC_OK);
	assert_int_equal(history.count, 1);
	assert_int_equal(history.rows[0].day, today());
	assert_string_equal(history.rows[0].name, "old-0");
	assert_int_equal(history.rows[0].numbers[15], 1);
	occ_history_release(&history);
	/* What isn't known yet is kept. */
	assert_int_equal(merge_once(store, "old-0"), OCC_OK);
	bytes = fixture_read(*state, FILE_NAME, &size);
	assert_int_equal(size, OCC_HISTORY_ROW_SIZE);
	assert_int_equal(occ_get_u64(bytes + 24 + 8 * 15), 1);
	assert_int_equal(occ_get_u64(bytes + 24 + 8), 3);
	free(bytes);
	fixture_close_store(*state, store);
}

/* Whatever a byte becomes: that row is empty, and is used again. */
static void test_history__damage(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	unsigned char *good;
	struct occ_history history;
	size_t size;

	assert_int_equal(merge_once(store, "one"), OCC_OK);
	assert_int_equal(merge_once(store, "two"), OCC_OK);
	good = fixture_read(*state, FILE_NAME, &size);
	assert_int_equal(size, 4 * OCC_HISTORY_ROW_SIZE);
	for (size_t i = 0; i < OCC_HISTORY_ROW_SIZE; i++) {
		good[i] ^= 0xff;
		assert_false(
			occ_history_is_good((struct occ_span){good, size}));
		assert_true(occ_history_decode((struct occ_span){good, size},
					       &history));
		good[i] ^= 0xff;
		assert_int_equal(history.count, 1);
		assert_int_equal(history.damaged, 1);
		assert_string_equal(history.rows[0].name, "two");
		occ_history_release(&history);
	}
	assert_true(occ_history_is_good((struct occ_span){good, size}));
	good[100] ^= 1;
	fixture_write(*state, FILE_NAME, good, size);
	assert_int_equal(local_hits(store, "one"), 0);
	assert_int_equal(local_hits(store, "two"), 2);
	assert_int_equal(merge_once(store, "one"), OCC_OK);
	assert_int_equal(local_hits(store, "one"), 2);
	free(good);
	good = fixture_read(*state, FILE_NAME, &size);
	assert_true(occ_history_is_good((struct occ_span){good, size}));
	free(good);
	fixture_close_store(*state, store);
}

/* A file that was cut has the rows that are whole. */
static void test_history__cut(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	unsigned char *good;
	size_t size;

	make_file(*state, 3, today());
	good = fixture_read(*state, FILE_NAME, &size);
	for (size_t i = 0; i <= size; i += 64) {
		struct occ_history history;

		fixture_write(*state, FILE_NAME, good, i);
		assert_int_equal(occ_history_read(store, &history), OCC_OK);
		assert_int_equal(history.count, i / OCC_HISTORY_ROW_SIZE);
		occ_history_release(&history);
		assert_int_equal(merge_once(store, "new"), OCC_OK);
		assert_int_equal(local_hits(store, "new"), 2);
	}
	free(good);
	occ_store_close(store);
}

/* The oldest row goes, and of days to come the first. */
static void test_history__oldest_goes(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	unsigned char row[OCC_HISTORY_ROW_SIZE], *bytes;
	struct occ_history history;
	size_t size;

	make_file(*state, OCC_HISTORY_ROWS, today() - OCC_HISTORY_ROWS);
	bytes = fixture_read(*state, FILE_NAME, &size);
	make_row(row, today() + 1000, "early", 1);
	memcpy(bytes + 100 * sizeof(row), row, sizeof(row));
	fixture_write(*state, FILE_NAME, bytes, size);
	free(bytes);
	assert_int_equal(merge_once(store, "one"), OCC_OK);
	assert_int_equal(merge_once(store, "two"), OCC_OK);
	assert_int_equal(fixture_status(*state, FILE_NAME).st_size, size);
	assert_int_equal(occ_history_read(store, &history), OCC_OK);
	assert_int_equal(history.count, OCC_HISTORY_ROWS);
	assert_string_equal(history.rows[0].name, "old-1");
	assert_string_equal(history.rows[history.count - 1].name, "two");
	occ_history_release(&history);
	fixture_close_store(*state, store);
}

/* It grows as it must, and is counted as a part of the store. */
static void test_history__grows(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	char name[32];

	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "program-%d", i);
		assert_int_equal(merge_once(store, name), OCC_OK);
	}
	assert_int_equal(fixture_status(*state, FILE_NAME).st_size,
			 64 * OCC_HISTORY_ROW_SIZE);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "program-%d", i);
		assert_int_equal(local_hits(store, name), 2);
	}
	fixture_close_store(*state, store);
}

/* Too many a day share a row, in one process and in others. */
static void test_history__others(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	struct occ_history_program late = program_of("late");
	struct occ_history history;
	char name[32];

	for (int i = 0; i < OCC_HISTORY_PROGRAMS + 10; i++) {
		snprintf(name, sizeof(name), "program-%d", i);
		assert_int_equal(merge_once(store, name), OCC_OK);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(merge(store, &late, 1), OCC_OK);
	assert_int_equal(local_hits(store, OCC_HISTORY_OTHERS), 26);
	/* Who has a row keeps it. */
	assert_int_equal(merge_once(store, "program-5"), OCC_OK);
	assert_int_equal(local_hits(store, "program-5"), 4);
	assert_int_equal(occ_history_read(store, &history), OCC_OK);
	assert_int_equal(history.count, OCC_HISTORY_PROGRAMS + 1);
	occ_history_release(&history);
	fixture_close_store(*state, store);
}

/* In a full store nothing goes for it, and what needs no room is written. */
static void test_history__no_room(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 20000);
	static const char entry[] = "0123.cl_cache";
	uint64_t size;

	for (int i = 0; i < 4; i++) {
		char name[] = {(char)('a' + i), '\0'};

		assert_int_equal(merge_once(store, name), OCC_OK);
	}
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	fixture_fill(*state, entry, (size_t)(20000 - size));
	/* Counted anew. */
	unlinkat(((struct fixture *)*state)->directory, "config.file", 0);
	assert_int_equal(merge_once(store, "e"), OCC_OK);
	assert_int_equal(local_hits(store, "e"), 0);
	assert_int_equal(merge_once(store, "b"), OCC_OK);
	assert_int_equal(local_hits(store, "b"), 4);
	assert_true(fixture_exists(*state, entry));
	fixture_close_store(*state, store);
}

/* Anything else by its name stays as it is. */
static void test_history__no_file(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, ROOMY);
	struct occ_history history;

	assert_int_equal(mkdirat(fixture->directory, FILE_NAME, 0700), 0);
	assert_int_equal(merge_once(store, "one"), OCC_OK);
	assert_true(occ_history_read(store, &history) != OCC_OK);
	unlinkat(fixture->directory, FILE_NAME, AT_REMOVEDIR);
	fixture_write(fixture, "other", "x", 1);
	assert_int_equal(symlinkat("other", fixture->directory, FILE_NAME), 0);
	assert_int_equal(merge_once(store, "one"), OCC_OK);
	assert_int_equal(fixture_status(fixture, "other").st_size, 1);
	unlinkat(fixture->directory, FILE_NAME, 0);
	assert_int_equal(mkfifoat(fixture->directory, FILE_NAME, 0600), 0);
	assert_int_equal(merge_once(store, "one"), OCC_OK);
	fixture_close_store(fixture, store);
}

static void test_history__long_names_are_cut(void **state)
{
	struct occ_store *store = fixture_open_store(*state, ROOMY);
	struct occ_history_program program = {.name = {0}};
	char cut[OCC_HISTORY_NAME] = {0};

	memset(program.name, 'n', sizeof(program.name));
	memset(cut, 'n', sizeof(cut) - 1);
	assert_int_equal(merge(store, &program, 1), OCC_OK);
	assert_int_equal(merge(store, &program, 1), OCC_OK);
	assert_int_equal(local_hits(store, cut), 4);
	fixture_close_store(*state, store);
}

static _Noreturn void add_often(const char *path, int number)
{
	struct occ_store *store = occ_store_open(path, ROOMY, false);
	char name[] = {(char)('a' + number % 2), '\0'};
	struct occ_history_program program = program_of(name);

	for (int i = 0; i < ADDITIONS; i++) {
		int tries = 0;

		while (merge(store, &program, 1) && tries++ < 60)
			;
		if (tries > 60)
			_exit(1);
	}
	_exit(0);
}

static void test_history__processes_lose_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, ROOMY);
	pid_t children[PROCESSES];
	int status;

	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (!children[i])
			add_often(fixture->path, i);
	}
	for (int i = 0; i < PROCESSES; i++) {
		waitpid(children[i], &status, 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(local_hits(store, "a"), PROCESSES * ADDITIONS);
	assert_int_equal(local_hits(store, "b"), PROCESSES * ADDITIONS);
	fixture_close_store(fixture, store);
}

/* Whenever one is killed, what is there is good and only grows. */
static void test_history__killed(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, ROOMY);
	uint64_t last = 0;

	assert_int_equal(merge_once(store, "a"), OCC_OK);
	for (unsigned i = 0; i < 20; i++) {
		pid_t child = fork();
		unsigned char *bytes;
		size_t size;
		uint64_t hits;

		if (!child)
			add_often(fixture->path, 0);
		usleep(200 * (i + 1));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		bytes = fixture_read(fixture, FILE_NAME, &size);
		assert_true(
			occ_history_is_good((struct occ_span){bytes, size}));
		free(bytes);
		hits = local_hits(store, "a");
		assert_true(hits >= last);
		last = hits;
	}
	occ_store_close(store);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_history__adds_up),
		TEST(test_history__nothing_to_note),
		TEST(test_history__is_as_documented),
		TEST(test_history__damage),
		TEST(test_history__cut),
		TEST(test_history__oldest_goes),
		TEST(test_history__grows),
		TEST(test_history__others),
		TEST(test_history__no_room),
		TEST(test_history__no_file),
		TEST(test_history__long_names_are_cut),
		TEST(test_history__processes_lose_nothing),
		TEST(test_history__killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
