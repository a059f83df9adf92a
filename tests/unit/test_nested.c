/* SPDX-License-Identifier: MIT */
/* What Intel's driver has in directories of a store. */
#include "tests/unit/fixture.h"

#include "cache/evict.h"
#include "cache/listing.h"
#include "cache/nested.h"

#define ENTRY  "00000000000000000000000000000001.cl_cache"
/* Somebody's own. */
#define MINE   "f/5/my project.cl_cache"
#define NESTED "f/5/f57b04fd7dd503d8.cl_cache"

static void make_directories(struct fixture *fixture)
{
	assert_int_equal(mkdirat(fixture->directory, "f", 0775), 0);
	assert_int_equal(mkdirat(fixture->directory, "f/5", 0775), 0);
}

static void add_file(struct fixture *fixture, const char *name, size_t size,
		     time_t age)
{
	fixture_fill(fixture, name, size);
	fixture_age(fixture, name, age, age);
}

static void assert_measured(struct fixture *fixture, uint64_t wanted)
{
	uint64_t size;

	assert_int_equal(occ_listing_measure(fixture->directory, &size),
			 OCC_OK);
	assert_int_equal(size, wanted);
}

static int lock_and_unlock(struct fixture *fixture)
{
	struct occ_size_ledger ledger;
	int error = occ_size_ledger_lock(fixture->directory, &ledger);

	if (!error)
		occ_size_ledger_unlock(&ledger);
	return error;
}

static void test_nested__names(void **state)
{
	(void)state;
	assert_true(occ_nested_is_name("0"));
	assert_true(occ_nested_is_name("f"));
	assert_false(occ_nested_is_name("g"));
	assert_false(occ_nested_is_name("A"));
	assert_false(occ_nested_is_name("00"));
	assert_false(occ_nested_is_name("."));
	assert_false(occ_nested_is_name(""));
}

static void test_nested__what_counts(void **state)
{
	struct fixture *fixture = *state;

	make_directories(fixture);
	add_file(fixture, NESTED, 100, 1);
	add_file(fixture, "f/5/f500000000000000.l0_cache", 23, 1);
	add_file(fixture, "cl_cache.aB3xyz", 1000, 1);
	/* What doesn't. */
	add_file(fixture, "f/5/stats", 24, 1);
	add_file(fixture, "f/5/config.file", 24, 1);
	add_file(fixture, "0", 24, 1);
	add_file(fixture, "f/6", 24, 1);
	assert_int_equal(mkdirat(fixture->directory, "f/5/0", 0775), 0);
	add_file(fixture, "f/5/0/f57b04fd7dd503d8.cl_cache", 24, 1);
	add_file(fixture, "f/my project.cl_cache", 24, 1);
	add_file(fixture, "f/5/my project.cl_cache", 24, 1);
	assert_int_equal(mkdirat(fixture->directory, "g", 0775), 0);
	add_file(fixture, "g/0123.cl_cache", 24, 1);
	assert_measured(fixture, 1123);
}

static void test_nested__links_are_not_followed(void **state)
{
	struct fixture *fixture = *state;

	make_directories(fixture);
	add_file(fixture, NESTED, 100, 1);
	assert_int_equal(symlinkat("f", fixture->directory, "a"), 0);
	assert_int_equal(symlinkat("5", fixture->directory, "f/6"), 0);
	assert_measured(fixture, 100);
}

static void test_nested__is_evicted_like_others(void **state)
{
	const struct occ_evict_limits limits = {400 + OCC_SIZE_LEDGER_SIZE, 0,
						false, NULL};
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;

	make_directories(fixture);
	add_file(fixture, NESTED, 200, 300);
	add_file(fixture, "f/5/f500000000000001.cl_cache", 100, 10);
	add_file(fixture, MINE, 500, 900);
	add_file(fixture, ENTRY, 100, 100);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(occ_evict_make_room(&ledger, &limits, 50, NULL),
			 OCC_OK);
	occ_size_ledger_unlock(&ledger);
	assert_false(fixture_exists(fixture, NESTED));
	assert_true(fixture_exists(fixture, MINE));
	assert_true(fixture_exists(fixture, "f/5/f500000000000001.cl_cache"));
	assert_true(fixture_exists(fixture, ENTRY));
	assert_int_equal(fixture_config_size(fixture),
			 200 + OCC_SIZE_LEDGER_SIZE);
}

/* (S14), where the driver has been first. */
static void test_nested__a_directory_of_the_drivers_is_a_store(void **state)
{
	struct fixture *fixture = *state;

	make_directories(fixture);
	add_file(fixture, NESTED, 4696, 1);
	add_file(fixture, "stats", 24, 1);
	fixture_write(fixture, "config.file", "\x58\x12\0\0\0\0\0\0", 8);
	assert_int_equal(lock_and_unlock(fixture), OCC_OK);
	/* When all that it had has been evicted. */
	assert_int_equal(unlinkat(fixture->directory, NESTED, 0), 0);
	assert_int_equal(unlinkat(fixture->directory, "stats", 0), 0);
	assert_int_equal(lock_and_unlock(fixture), OCC_OK);
}

static void test_nested__others_directories_are_no_store(void **state)
{
	struct fixture *fixture = *state;

	make_directories(fixture);
	assert_int_equal(lock_and_unlock(fixture), OCC_E_NOT_A_STORE);
	assert_false(fixture_exists(fixture, "config.file"));
	add_file(fixture, MINE, 1, 1);
	fixture_write(fixture, "config.file", "\x58\x12\0\0\0\0\0\0", 8);
	assert_int_equal(lock_and_unlock(fixture), OCC_E_NOT_A_STORE);
	assert_int_equal(unlinkat(fixture->directory, MINE, 0), 0);
	assert_int_equal(lock_and_unlock(fixture), OCC_OK);
	assert_int_equal(unlinkat(fixture->directory, "f/5", AT_REMOVEDIR), 0);
	add_file(fixture, "f/5", 1, 1);
	fixture_write(fixture, "config.file", "\x58\x12\0\0\0\0\0\0", 8);
	assert_int_equal(lock_and_unlock(fixture), OCC_E_NOT_A_STORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested__names),
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
		TEST(test_nested__what_counts),
		TEST(test_nested__links_are_not_followed),
		TEST(test_nested__is_evicted_like_others),
		TEST(test_nested__a_directory_of_the_drivers_is_a_store),
		TEST(test_nested__others_directories_are_no_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
