/* SPDX-License-Identifier: MIT */
/* cache/cost.h: what is remembered of costs and uses. */
#include "tests/unit/fixture.h"

#include "cache/cost.h"
#include "cache/state.h"

#define MS UINT64_C(1000000)

static struct occ_digest digest(uint64_t number)
{
	struct occ_digest result;

	occ_digest(&number, sizeof(number), OCC_SEED_NAME, &result);
	return result;
}

static struct occ_fetched program(uint64_t number, uint64_t count)
{
	return (struct occ_fetched){digest(1000), digest(number), count, 0};
}

static uint64_t expect(struct occ_store *store, struct occ_fetched fetched,
		       bool wanted)
{
	uint64_t ns = 0;

	assert_int_equal(occ_cost_expect_fetch(store, &fetched, &ns), wanted);
	return ns;
}

static void note(struct occ_store *store, struct occ_fetched fetched,
		 uint64_t ns)
{
	assert_int_equal(occ_cost_note_fetch(store, &fetched, ns), OCC_OK);
}

static void test_cost__a_program_is_known_by_its_kernels(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	struct occ_fetched other = program(1, 2);

	assert_int_equal(expect(store, program(1, 2), false),
			 2 * OCC_COST_KERNEL_NS);
	other.size = 8000;
	assert_int_equal(expect(store, other, false),
			 2 * OCC_COST_KERNEL_NS + 8000 * OCC_COST_BYTE_NS);
	other.size = 0;
	note(store, program(1, 2), 5500 * MS);
	assert_int_equal(expect(store, program(1, 2), true), 5500 * MS);
	note(store, program(1, 2), 40 * MS);
	note(store, program(2, 7), 70 * MS);
	assert_int_equal(expect(store, program(1, 2), true), 40 * MS);
	assert_int_equal(expect(store, program(2, 7), true), 70 * MS);
	/* Another driver's are others. */
	other.driver = digest(1001);
	assert_int_equal(expect(store, other, false), 2 * OCC_COST_KERNEL_NS);
	occ_store_close(store);
}

static void test_cost__others_by_the_median(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	uint64_t once;

	/* One of a giant doesn't say much ... */
	note(store, program(1, 1), 1000000 * MS);
	once = expect(store, program(2, 1), false);
	assert_in_range(once, OCC_COST_KERNEL_NS + 1, 2 * OCC_COST_KERNEL_NS);
	/* ... and half of them being so and half otherwise nothing. */
	note(store, program(1, 1), 1 * MS);
	assert_int_equal(expect(store, program(2, 1), false),
			 OCC_COST_KERNEL_NS);
	for (int i = 0; i < 100; i++)
		note(store, program(1, 4), 40 * MS);
	assert_in_range(expect(store, program(2, 1), false), 8 * MS, 13 * MS);
	/* It never ends at nothing, or beyond all numbers. */
	for (int i = 0; i < 100; i++)
		note(store, program(1, 4), 0);
	assert_in_range(expect(store, program(2, 1), false), 1, 1 * MS);
	for (int i = 0; i < 200; i++)
		note(store, program(1, 1), UINT64_MAX);
	assert_true(expect(store, program(2, 1), false) > 1000 * MS);
	assert_true(expect(store, program(2, UINT64_MAX), false) > 1000 * MS);
	assert_true(expect(store, program(1, 1), true) > 1000 * MS);
	occ_store_close(store);
}

static void test_cost__the_oldest_programs_go(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);

	for (uint64_t i = 0; i < 300; i++)
		note(store, program(i, 0), i * MS);
	expect(store, program(0, 1), false);
	expect(store, program(44, 1), false);
	for (uint64_t i = 45; i < 300; i++)
		assert_int_equal(expect(store, program(i, 1), true), i * MS);
	occ_store_close(store);
}

static void test_cost__nonsense_is_nothing(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	struct occ_digest driver = digest(1000);
	char hex[OCC_DIGEST_HEX_SIZE], name[64];
	struct occ_hits hits;

	occ_digest_hex(&driver, hex);
	for (size_t size = 0; size < 60; size++) {
		char value[60];

		memset(value, 0xff, sizeof(value));
		snprintf(name, sizeof(name), "fetched %s", hex);
		assert_int_equal(occ_state_set(store, name, value, size),
				 OCC_OK);
		assert_int_equal(expect(store, program(1, 1), false),
				 OCC_COST_KERNEL_NS);
		snprintf(name, sizeof(name), "hits %s", hex);
		assert_int_equal(occ_state_set(store, name, value, size),
				 OCC_OK);
		occ_cost_get_hits(store, &driver, &hits);
		assert_int_equal(hits.count, 0);
		assert_int_equal(hits.refused_until, 0);
	}
	note(store, program(1, 1), 30 * MS);
	assert_int_equal(expect(store, program(1, 1), true), 30 * MS);
	occ_store_close(store);
}

/* One hit more; until when the driver is refused then. */
static uint64_t hit(struct occ_store *store, uint64_t load, uint64_t compile,
		    uint64_t now)
{
	const struct occ_hits one = {1, load, compile, 0};
	struct occ_digest driver = digest(1);
	struct occ_hits added, read;

	assert_int_equal(occ_cost_add_hits(store, &driver, &one, now, &added),
			 OCC_OK);
	occ_cost_get_hits(store, &driver, &read);
	assert_memory_equal(&added, &read, sizeof(read));
	return read.refused_until;
}

static void test_hits__ten_slow_ones_refuse(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	struct occ_digest other = digest(2);
	struct occ_hits hits;

	for (int i = 0; i < 9; i++)
		assert_int_equal(hit(store, 16 * MS, 10 * MS, 5), 0);
	assert_int_equal(hit(store, 16 * MS, 10 * MS, 5),
			 5 + OCC_COST_REFUSED_S);
	occ_cost_get_hits(store, &other, &hits);
	assert_int_equal(hits.refused_until, 0);
	/* Afterwards it gets another chance: ten again. */
	for (int i = 0; i < 9; i++)
		hit(store, 1 * MS, 10 * MS, 9);
	assert_int_equal(hit(store, 1 * MS, 10 * MS, 9), 0);
	occ_store_close(store);
}

static void test_hits__ten_that_pay_do_not(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);

	for (int i = 0; i < 30; i++)
		assert_int_equal(hit(store, 15 * MS, 10 * MS, 5), 0);
	/* It is the sum that counts. */
	for (int i = 0; i < 9; i++)
		assert_int_equal(hit(store, 20 * MS, 10 * MS, 5), 0);
	assert_int_equal(hit(store, 1 * MS, 1000 * MS, 5), 0);
	occ_store_close(store);
}

static bool seen(struct occ_store *store, uint64_t number)
{
	struct occ_digest hash = digest(number);

	uint64_t ns = UINT64_MAX;
	bool found = occ_seen_keys_find(store, &hash, &ns);

	if (found)
		assert_int_equal(ns, number * MS);
	return found;
}

static void see_for(struct occ_store *store, uint64_t number, uint64_t ns)
{
	struct occ_digest hash = digest(number);

	assert_int_equal(occ_seen_keys_add(store, &hash, ns), OCC_OK);
}

static void see(struct occ_store *store, uint64_t number)
{
	see_for(store, number, number * MS);
}

static void test_sighting__what_was_seen(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);

	assert_false(seen(store, 1));
	see(store, 1);
	assert_true(seen(store, 1));
	assert_false(seen(store, 2));
	see(store, 1);
	see(store, 2);
	assert_true(seen(store, 1));
	assert_true(seen(store, 2));
	/* The first time is what counts. */
	see_for(store, 2, 1);
	assert_true(seen(store, 2));
	occ_store_close(store);
}

static void test_sighting__long_compiles(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	struct occ_digest hash = digest(1);
	uint64_t ns;

	see_for(store, 1, UINT64_MAX);
	assert_true(occ_seen_keys_find(store, &hash, &ns));
	assert_int_equal(ns, UINT64_C(4294967295000));
	occ_store_close(store);
}

static void test_sighting__the_oldest_are_forgotten(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	int known = 0;

	for (uint64_t i = 0; i < 5000; i++)
		see(store, i);
	for (uint64_t i = 0; i < 5000; i++)
		known += seen(store, i);
	assert_int_equal(known, 12 * (4096 / 12));
	for (uint64_t i = 4500; i < 5000; i++)
		assert_true(seen(store, i));
	assert_false(seen(store, 0));
	assert_in_range(fixture_status(fixture, "oclcache.state").st_size,
			12 * 4092, 13 * 4096);
	occ_store_close(store);
}

static void test_sighting__odd_bytes(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	char name[16];

	for (unsigned i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "first %u", i);
		assert_int_equal(occ_state_set(store, name, "odd bytes!!", 11),
				 OCC_OK);
	}
	assert_false(seen(store, 7));
	see(store, 7);
	assert_true(seen(store, 7));
	occ_store_close(store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cost__a_program_is_known_by_its_kernels),
		TEST(test_cost__others_by_the_median),
		TEST(test_cost__the_oldest_programs_go),
		TEST(test_cost__nonsense_is_nothing),
		TEST(test_hits__ten_slow_ones_refuse),
		TEST(test_hits__ten_that_pay_do_not),
		TEST(test_sighting__what_was_seen),
		TEST(test_sighting__long_compiles),
		TEST(test_sighting__the_oldest_are_forgotten),
		TEST(test_sighting__odd_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
