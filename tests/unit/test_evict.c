/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <sys/file.h>

#include "cache/evict.h"
#include "cache/listing.h"

/* `number` up to 9. */
static void entry_name(int number, char ret_name[64])
{
	snprintf(ret_name, 64, "0000000000000000000000000000000%d.cl_cache",
		 number);
}

static void add_entry(struct fixture *fixture, int number, size_t size,
		      time_t age)
{
	char name[64];

	entry_name(number, name);
	fixture_fill(fixture, name, size);
	fixture_age(fixture, name, age, age);
}

static bool has_entry(struct fixture *fixture, int number)
{
	char name[64];

	entry_name(number, name);
	return fixture_exists(fixture, name);
}

static uint64_t measure(struct fixture *fixture)
{
	uint64_t size;

	assert_int_equal(occ_listing_measure(fixture->directory, &size),
			 OCC_OK);
	return size;
}

/* Checks also that the total is right afterwards. */
static int make_room_by(struct fixture *fixture, uint64_t max_size,
			int64_t max_age, uint64_t need)
{
	const struct occ_evict_limits limits = {max_size, max_age};
	struct occ_size_ledger ledger;
	int error;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	error = occ_evict_make_room(&ledger, &limits, need, NULL);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(fixture_config_size(fixture), measure(fixture));
	if (!error && max_size)
		assert_true(measure(fixture) + need <= max_size);
	return error;
}

static int make_room(struct fixture *fixture, uint64_t max_size, uint64_t need)
{
	return make_room_by(fixture, max_size, 0, need);
}

static void test_evict__leaves_alone_what_fits(void **state)
{
	struct fixture *fixture = *state;

	add_entry(fixture, 1, 400, 100);
	assert_int_equal(make_room(fixture, 1000 + OCC_SIZE_LEDGER_SIZE, 600),
			 OCC_OK);
	assert_true(has_entry(fixture, 1));
	assert_int_equal(make_room(fixture, 999 + OCC_SIZE_LEDGER_SIZE, 600),
			 OCC_OK);
	assert_false(has_entry(fixture, 1));
}

static void test_evict__zero_is_no_limit(void **state)
{
	struct fixture *fixture = *state;

	add_entry(fixture, 1, 400, 100);
	assert_int_equal(make_room(fixture, 0, UINT64_MAX), OCC_OK);
	assert_true(has_entry(fixture, 1));
}

static void test_evict__oldest_first_until_a_third_is_freed(void **state)
{
	struct fixture *fixture = *state;

	/* 900 and config.file; 10 bytes are missing, a third is 303. */
	for (int i = 1; i <= 9; i++)
		add_entry(fixture, i, 100, i == 5 ? 5000 : 100 * i);
	assert_int_equal(make_room(fixture, 902 + OCC_SIZE_LEDGER_SIZE, 10),
			 OCC_OK);
	assert_false(has_entry(fixture, 5));
	assert_false(has_entry(fixture, 9));
	assert_false(has_entry(fixture, 8));
	assert_false(has_entry(fixture, 7));
	for (int i = 1; i <= 6; i++)
		assert_true(i == 5 || has_entry(fixture, i));
}

static void contents_name(int number, char ret_name[64])
{
	snprintf(ret_name, 64, "0000000000000000000000000000000%d.included",
		 number);
}

static void add_contents(struct fixture *fixture, int number, size_t size,
			 time_t age)
{
	char name[64];

	contents_name(number, name);
	fixture_fill(fixture, name, size);
	fixture_age(fixture, name, age, age);
}

static bool has_contents(struct fixture *fixture, int number)
{
	char name[64];

	contents_name(number, name);
	return fixture_exists(fixture, name);
}

/* Hits don't use them: they are as if they had been used last ... */
static void test_evict__contents_of_included_files_go_last(void **state)
{
	struct fixture *fixture = *state;

	add_contents(fixture, 1, 50, 90000);
	add_contents(fixture, 2, 50, 80000);
	for (int i = 1; i <= 8; i++)
		add_entry(fixture, i, 100, 100 * i);
	assert_int_equal(make_room_by(fixture, 902 + OCC_SIZE_LEDGER_SIZE,
				      10000, 10),
			 OCC_OK);
	assert_true(has_contents(fixture, 1) && has_contents(fixture, 2));
	assert_true(has_entry(fixture, 4));
	assert_false(has_entry(fixture, 7));
	/* If nothing else is there, they are no obstacle. */
	assert_int_equal(make_room(fixture, 402 + OCC_SIZE_LEDGER_SIZE, 400),
			 OCC_OK);
	assert_false(has_contents(fixture, 1) || has_contents(fixture, 2));
}

/* ... up to an eighth of all; the rest are of entries that have gone. */
static void test_evict__an_eighth_are_contents_that_stay(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 1; i <= 4; i++)
		add_contents(fixture, i, 50, 90000 + 100 * i);
	for (int i = 1; i <= 8; i++)
		add_entry(fixture, i, 100, 100 * i);
	assert_int_equal(make_room(fixture, 1002 + OCC_SIZE_LEDGER_SIZE, 10),
			 OCC_OK);
	assert_true(has_contents(fixture, 1) && has_contents(fixture, 2));
	assert_false(has_contents(fixture, 3) || has_contents(fixture, 4));
	assert_true(has_entry(fixture, 5));
	assert_false(has_entry(fixture, 8));
}

/* Of a clock that was ahead, or before it was set back: nobody knows. */
static void test_evict__what_is_of_the_future_goes_first(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 1; i <= 9; i++)
		add_entry(fixture, i, 100, i > 3 ? -86400 * i : 100 * i);
	assert_int_equal(make_room(fixture, 902 + OCC_SIZE_LEDGER_SIZE, 10),
			 OCC_OK);
	for (int i = 1; i <= 3; i++)
		assert_true(has_entry(fixture, i));
	/* What was used last is kept longest among them, too. */
	for (int i = 4; i <= 9; i++)
		assert_int_equal(has_entry(fixture, i), i > 7);
	/* Other machines' clocks may be a little ahead. */
	add_entry(fixture, 4, 100, -30);
	assert_int_equal(make_room(fixture, 602 + OCC_SIZE_LEDGER_SIZE, 150),
			 OCC_OK);
	assert_true(has_entry(fixture, 4));
}

static void test_evict__goes_on_until_it_fits(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 1; i <= 9; i++)
		add_entry(fixture, i, 100, 100 * i);
	assert_int_equal(make_room(fixture, 902 + OCC_SIZE_LEDGER_SIZE, 702),
			 OCC_OK);
	assert_true(has_entry(fixture, 1));
	assert_true(has_entry(fixture, 2));
	assert_false(has_entry(fixture, 3));
}

static void test_evict__too_large_evicts_nothing(void **state)
{
	struct fixture *fixture = *state;

	add_entry(fixture, 1, 400, 100);
	fixture_fill(fixture, "oclcache.state", 100);
	assert_int_equal(make_room(fixture, 1000, 1001), OCC_E_TOO_LARGE);
	assert_int_equal(make_room(fixture, 1000, UINT64_MAX), OCC_E_TOO_LARGE);
	/* It would fit but for the files that stay. */
	assert_int_equal(make_room(fixture, 1000, 901 - OCC_SIZE_LEDGER_SIZE),
			 OCC_E_TOO_LARGE);
	assert_true(has_entry(fixture, 1));
	assert_int_equal(make_room(fixture, 1000, 900 - OCC_SIZE_LEDGER_SIZE),
			 OCC_OK);
	assert_false(has_entry(fixture, 1));
	assert_true(fixture_exists(fixture, "oclcache.state"));
}

/* A user deleted files: the total is too large, and that is all. */
static void test_evict__recount_comes_before_eviction(void **state)
{
	struct fixture *fixture = *state;

	add_entry(fixture, 1, 400, 100);
	fixture_write(fixture, "config.file",
		      "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	assert_int_equal(make_room(fixture, 1000, 500), OCC_OK);
	assert_true(has_entry(fixture, 1));
	assert_int_equal(fixture_config_size(fixture),
			 400 + OCC_SIZE_LEDGER_SIZE);
}

static void test_evict__orphans_go_live_temp_files_stay(void **state)
{
	struct fixture *fixture = *state;
	int file;

	add_entry(fixture, 1, 100, 100);
	fixture_fill(fixture, "oclcache-orphan.tmp", 500);
	fixture_fill(fixture, "oclcache-living.tmp", 200);
	file = openat(fixture->directory, "oclcache-living.tmp", O_RDWR);
	assert_int_equal(flock(file, LOCK_EX), 0);
	assert_int_equal(make_room(fixture, 1000, 500), OCC_OK);
	assert_false(fixture_exists(fixture, "oclcache-orphan.tmp"));
	assert_true(fixture_exists(fixture, "oclcache-living.tmp"));
	assert_true(has_entry(fixture, 1));
	/* What others have reserved can't be had. */
	assert_int_equal(make_room(fixture, 1000, 793), OCC_E_TOO_LARGE);
	assert_true(has_entry(fixture, 1));
	close(file);
}

static void test_evict__neo_files_by_either_time(void **state)
{
	struct fixture *fixture = *state;

	fixture_fill(fixture, "0123456789abcdef.cl_cache", 100);
	fixture_age(fixture, "0123456789abcdef.cl_cache", 9000, 10);
	fixture_fill(fixture, "0123456789abcdef.l0_cache", 100);
	fixture_age(fixture, "0123456789abcdef.l0_cache", 500, 9000);
	add_entry(fixture, 1, 100, 300);
	/* A third of 308 is 102: two files go. */
	assert_int_equal(make_room(fixture, 308, 1), OCC_OK);
	assert_true(fixture_exists(fixture, "0123456789abcdef.cl_cache"));
	assert_false(fixture_exists(fixture, "0123456789abcdef.l0_cache"));
	assert_false(has_entry(fixture, 1));
}

/* A backup that reads our entries must not make them look used. */
static void test_evict__own_entries_by_mtime_alone(void **state)
{
	struct fixture *fixture = *state;
	char name[64];

	add_entry(fixture, 1, 200, 300);
	add_entry(fixture, 2, 200, 200);
	entry_name(1, name);
	fixture_age(fixture, name, 300, 0);
	assert_int_equal(make_room(fixture, 500, 100), OCC_OK);
	assert_false(has_entry(fixture, 1));
	assert_true(has_entry(fixture, 2));
}

static void test_evict__traces_go_too(void **state)
{
	static const char trace[] = "00000000000000000000000000000001.trace";
	struct fixture *fixture = *state;

	fixture_fill(fixture, trace, 200);
	fixture_age(fixture, trace, 900, 900);
	add_entry(fixture, 1, 200, 100);
	assert_int_equal(make_room(fixture, 500, 100), OCC_OK);
	assert_false(fixture_exists(fixture, trace));
	assert_true(has_entry(fixture, 1));
}

static void test_evict__others_files_are_not_ours(void **state)
{
	struct fixture *fixture = *state;

	fixture_fill(fixture, "README", 5000);
	fixture_fill(fixture, "CACHEDIR.TAG", 50);
	assert_int_equal(mkdirat(fixture->directory, "directory.cl_cache",
				 0700),
			 0);
	assert_int_equal(symlinkat("README", fixture->directory,
				   "link.cl_cache"),
			 0);
	add_entry(fixture, 1, 100, 100);
	assert_int_equal(measure(fixture), 150);
	assert_int_equal(make_room(fixture, 200, 150 - OCC_SIZE_LEDGER_SIZE),
			 OCC_OK);
	assert_true(fixture_exists(fixture, "README"));
	assert_true(fixture_exists(fixture, "CACHEDIR.TAG"));
	assert_true(fixture_exists(fixture, "directory.cl_cache"));
	assert_true(fixture_exists(fixture, "link.cl_cache"));
	assert_true(fixture_exists(fixture, "config.file"));
	assert_false(has_entry(fixture, 1));
}

/* Names of as many entries as one likes. */
static void many_name(unsigned number, char ret_name[64])
{
	snprintf(ret_name, 64, "%032x.cl_cache", number);
}

#define MANY	  9000
#define MANY_SIZE ((size_t)10)

/* Directories of so many, filled before any test removes files: soon after that
 * some file systems take long to make others. */
static struct fixture_pool filled;

/* The lowest number is the oldest. */
static void fill(struct fixture *fixture)
{
	char name[64];

	for (unsigned entry = 0; entry < MANY; entry++) {
		many_name(entry, name);
		fixture_fill(fixture, name, MANY_SIZE);
		fixture_age(fixture, name, MANY + 100 - (time_t)entry, 0);
	}
}

static int fill_all(void **state)
{
	(void)state;
	return fixture_pool_make(&filled, 3, fill);
}

static int take_filled(void **state)
{
	return fixture_pool_take(&filled, state);
}

static int remove_filled(void **state)
{
	(void)state;
	return fixture_pool_remove(&filled);
}

/* As full as it may be. Returns the maximum. */
static uint64_t count_many(struct fixture *fixture)
{
	struct occ_size_ledger ledger;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	occ_size_ledger_unlock(&ledger);
	return measure(fixture);
}

static void begin(struct fixture *fixture, uint64_t max_size,
		  struct occ_eviction *eviction)
{
	const struct occ_evict_limits limits = {max_size, 0};
	struct occ_size_ledger ledger;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(occ_evict_begin(&ledger, &limits, MANY_SIZE, NULL,
					 eviction),
			 OCC_OK);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(fixture_config_size(fixture), measure(fixture));
	assert_true(measure(fixture) + MANY_SIZE <= max_size);
}

static void test_evict__the_rest_goes_without_the_lock(void **state)
{
	struct fixture *fixture = *state;
	uint64_t max_size = count_many(fixture);
	struct occ_eviction eviction;

	begin(fixture, max_size, &eviction);
	assert_true(measure(fixture) > max_size - max_size / 3);
	occ_evict_finish(fixture->directory, &eviction);
	assert_int_equal(fixture_config_size(fixture), measure(fixture));
	assert_true(measure(fixture) <= max_size - max_size / 3);
	assert_true(measure(fixture) + MANY_SIZE > max_size - max_size / 3);
}

static void test_evict__what_changed_meanwhile_stays(void **state)
{
	struct fixture *fixture = *state;
	uint64_t max_size = count_many(fixture);
	char used[64], replaced[64], next[64];
	struct occ_eviction eviction;

	many_name(2900, used);
	many_name(2901, replaced);
	many_name(2902, next);
	begin(fixture, max_size, &eviction);
	fixture_age(fixture, used, 0, 0);
	fixture_fill(fixture, replaced, MANY_SIZE + 1);
	fixture_age(fixture, replaced, MANY + 100 - 2901, 0);
	occ_evict_finish(fixture->directory, &eviction);
	assert_true(fixture_exists(fixture, used));
	assert_true(fixture_exists(fixture, replaced));
	assert_false(fixture_exists(fixture, next));
	/* The byte more is a foreign hand's, which the total doesn't know of.
	 */
	assert_int_equal(fixture_config_size(fixture) + 1, measure(fixture));
}

static void test_evict__the_rest_is_given_up_without_the_directory(void **state)
{
	struct fixture *fixture = *state;
	uint64_t max_size = count_many(fixture);
	struct occ_eviction eviction;

	begin(fixture, max_size, &eviction);
	fixture_remove_tree(fixture->path);
	occ_evict_finish(fixture->directory, &eviction);
	assert_null(eviction.listing.files);
}

static void test_evict__what_is_too_old_goes_first(void **state)
{
	struct fixture *fixture = *state;
	uint64_t max_size;

	add_entry(fixture, 1, 100, 1000);
	add_entry(fixture, 2, 100, 2000);
	add_entry(fixture, 3, 100, 500);
	add_entry(fixture, 4, 100, -1000);
	fixture_fill(fixture, "0123456789abcdef.cl_cache", 100);
	fixture_age(fixture, "0123456789abcdef.cl_cache", 5000, 5000);
	max_size = 500 + OCC_SIZE_LEDGER_SIZE;
	/* Nothing is looked at while there is room. */
	assert_int_equal(make_room_by(fixture, max_size, 700, 0), OCC_OK);
	assert_true(has_entry(fixture, 2));
	assert_int_equal(make_room_by(fixture, max_size, 700, 1), OCC_OK);
	assert_false(has_entry(fixture, 1));
	assert_false(has_entry(fixture, 2));
	/* They made room enough: no other goes. */
	assert_true(has_entry(fixture, 3));
	assert_true(has_entry(fixture, 4));
	assert_true(fixture_exists(fixture, "0123456789abcdef.cl_cache"));
}

/* Then it goes on as ever: a third, the least recently used first. */
static void test_evict__what_is_too_old_may_not_be_enough(void **state)
{
	struct fixture *fixture = *state;

	add_entry(fixture, 1, 100, 1000);
	add_entry(fixture, 2, 100, 300);
	add_entry(fixture, 3, 100, 200);
	add_entry(fixture, 4, 100, 100);
	assert_int_equal(make_room_by(fixture, 400 + OCC_SIZE_LEDGER_SIZE, 700,
				      150),
			 OCC_OK);
	assert_false(has_entry(fixture, 1));
	assert_false(has_entry(fixture, 2));
	assert_false(has_entry(fixture, 3));
	assert_true(has_entry(fixture, 4));
}

static void test_evict__without_an_age_none_is_too_old(void **state)
{
	struct fixture *fixture = *state;

	add_entry(fixture, 1, 500, 1000000000);
	add_entry(fixture, 2, 100, 900000000);
	assert_int_equal(make_room(fixture, 600 + OCC_SIZE_LEDGER_SIZE, 1),
			 OCC_OK);
	assert_false(has_entry(fixture, 1));
	assert_true(has_entry(fixture, 2));
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

#define MANY_TEST(function)                                                    \
	cmocka_unit_test_setup_teardown(function, take_filled, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_evict__leaves_alone_what_fits),
		TEST(test_evict__zero_is_no_limit),
		TEST(test_evict__oldest_first_until_a_third_is_freed),
		TEST(test_evict__contents_of_included_files_go_last),
		TEST(test_evict__an_eighth_are_contents_that_stay),
		TEST(test_evict__what_is_of_the_future_goes_first),
		TEST(test_evict__goes_on_until_it_fits),
		TEST(test_evict__too_large_evicts_nothing),
		TEST(test_evict__recount_comes_before_eviction),
		TEST(test_evict__orphans_go_live_temp_files_stay),
		TEST(test_evict__neo_files_by_either_time),
		TEST(test_evict__own_entries_by_mtime_alone),
		TEST(test_evict__traces_go_too),
		TEST(test_evict__others_files_are_not_ours),
		MANY_TEST(test_evict__the_rest_goes_without_the_lock),
		MANY_TEST(test_evict__what_changed_meanwhile_stays),
		MANY_TEST(
			test_evict__the_rest_is_given_up_without_the_directory),
		TEST(test_evict__what_is_too_old_goes_first),
		TEST(test_evict__what_is_too_old_may_not_be_enough),
		TEST(test_evict__without_an_age_none_is_too_old),
	};

	return cmocka_run_group_tests(tests, fill_all, remove_filled);
}
