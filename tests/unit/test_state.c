/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "cache/size_ledger.h"
#include "cache/state.h"

#define FILE_NAME "oclcache.state"

static int set(struct occ_store *store, const char *name, const char *value)
{
	return occ_state_set(store, name, value, strlen(value));
}

static void assert_value(struct occ_store *store, const char *name,
			 const char *value)
{
	unsigned char bytes[64];
	size_t size;

	assert_int_equal(occ_state_get(store, name, bytes, sizeof(bytes),
				       &size),
			 OCC_OK);
	assert_int_equal(size, strlen(value));
	assert_memory_equal(bytes, value, size);
}

static void assert_no_value(struct occ_store *store, const char *name)
{
	unsigned char bytes[64];
	size_t size;

	assert_int_equal(occ_state_get(store, name, bytes, sizeof(bytes),
				       &size),
			 OCC_E_NOT_FOUND);
}

static void test_state__set_then_get(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	uint64_t size;

	assert_no_value(store, "driver");
	assert_int_equal(set(store, "driver", "one"), OCC_OK);
	assert_int_equal(set(store, "driver 2", ""), OCC_OK);
	assert_value(store, "driver", "one");
	assert_value(store, "driver 2", "");
	assert_no_value(store, "drive");
	assert_int_equal(set(store, "driver", "another"), OCC_OK);
	assert_value(store, "driver", "another");
	assert_value(store, "driver 2", "");
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_int_equal(size, fixture_config_size(fixture));
	occ_store_close(store);
}

static void test_state__same_value_writes_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct stat before;

	assert_int_equal(set(store, "driver", "one"), OCC_OK);
	fixture_age(fixture, FILE_NAME, 1000, 1000);
	before = fixture_status(fixture, FILE_NAME);
	assert_int_equal(set(store, "driver", "one"), OCC_OK);
	assert_int_equal(fixture_status(fixture, FILE_NAME).st_mtime,
			 before.st_mtime);
	occ_store_close(store);
}

static void test_state__a_bad_file_is_empty_and_written_anew(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	unsigned char *data;
	size_t size;

	assert_int_equal(set(store, "driver", "one"), OCC_OK);
	data = fixture_read(fixture, FILE_NAME, &size);
	for (size_t bit = 0; bit < 8 * size; bit++) {
		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		fixture_write(fixture, FILE_NAME, data, size);
		assert_no_value(store, "driver");
		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	for (size_t shorter = 0; shorter < size; shorter++) {
		fixture_write(fixture, FILE_NAME, data, shorter);
		assert_no_value(store, "driver");
	}
	assert_int_equal(set(store, "other", "two"), OCC_OK);
	assert_value(store, "other", "two");
	assert_no_value(store, "driver");
	free(data);
	occ_store_close(store);
}

static void test_state__values_must_fit(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	unsigned char bytes[2];
	size_t size = 99;

	assert_int_equal(set(store, "driver", "one"), OCC_OK);
	assert_int_equal(occ_state_get(store, "driver", bytes, sizeof(bytes),
				       &size),
			 OCC_E_NOT_FOUND);
	assert_int_equal(size, 99);
	occ_store_close(store);
}

static void test_state__long_names_and_values_are_refused(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	char text[OCC_STATE_VALUE_MAX + 2], name[OCC_STATE_NAME_MAX + 2];

	memset(text, 'x', sizeof(text));
	memset(name, 'x', sizeof(name));
	text[OCC_STATE_VALUE_MAX + 1] = name[OCC_STATE_NAME_MAX + 1] = '\0';
	assert_int_equal(set(store, name, ""), OCC_E_IO);
	assert_int_equal(set(store, "", text), OCC_E_IO);
	assert_false(fixture_exists(fixture, FILE_NAME));
	text[OCC_STATE_VALUE_MAX] = name[OCC_STATE_NAME_MAX] = '\0';
	assert_int_equal(set(store, name, text), OCC_OK);
	assert_true(fixture_exists(fixture, FILE_NAME));
	occ_store_close(store);
}

static void test_state__oldest_pairs_go_first(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	char name[32];

	for (int i = 0; i < OCC_STATE_PAIRS_MAX; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		assert_int_equal(set(store, name, name), OCC_OK);
	}
	assert_value(store, "name 0", "name 0");
	/* Written again, so no longer the oldest. */
	assert_int_equal(set(store, "name 0", "new"), OCC_OK);
	assert_value(store, "name 1", "name 1");
	assert_int_equal(set(store, "one more", "x"), OCC_OK);
	assert_no_value(store, "name 1");
	assert_value(store, "name 0", "new");
	assert_value(store, "name 2", "name 2");
	assert_value(store, "one more", "x");
	occ_store_close(store);
}

static void test_state__oldest_bytes_go_first(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	size_t count = OCC_STATE_BYTES_MAX / OCC_STATE_VALUE_MAX;
	char value[OCC_STATE_VALUE_MAX], name[32];

	memset(value, 'x', sizeof(value));
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "name %zu", i);
		/* The names have room, too. */
		assert_int_equal(occ_state_set(store, name, value,
					       sizeof(value) - sizeof(name)),
				 OCC_OK);
	}
	assert_int_equal(set(store, "small", "x"), OCC_OK);
	assert_value(store, "small", "x");
	assert_int_equal(occ_state_set(store, "large", value, sizeof(value)),
			 OCC_OK);
	assert_no_value(store, "name 0");
	assert_value(store, "small", "x");
	assert_true((size_t)fixture_status(fixture, FILE_NAME).st_size <
		    OCC_STATE_BYTES_MAX + 4096);
	occ_store_close(store);
}

static void test_state__several_are_set_at_once(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_buffer pairs = OCC_BUFFER_INIT;
	char text[OCC_STATE_VALUE_MAX + 1];

	assert_int_equal(set(store, "a", "old"), OCC_OK);
	assert_int_equal(set(store, "b", "old"), OCC_OK);
	assert_true(occ_state_append(&pairs, "a", "new", 3));
	assert_true(occ_state_append(&pairs, "c", "new", 3));
	assert_false(occ_state_append(&pairs, "d", text, sizeof(text)));
	assert_int_equal(occ_state_set_all(store, &pairs), OCC_OK);
	assert_value(store, "a", "new");
	assert_value(store, "b", "old");
	assert_value(store, "c", "new");
	assert_no_value(store, "d");
	occ_buffer_release(&pairs);
	occ_store_close(store);
}

static void test_state__all_at_once(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_buffer all = OCC_BUFFER_INIT;
	unsigned char bytes[8] = {0};
	size_t size = 99;

	occ_state_read(store, &all);
	assert_int_equal(all.size, 0);
	assert_false(occ_state_find(&all, "a", bytes, sizeof(bytes), &size));
	assert_int_equal(set(store, "a", "one"), OCC_OK);
	assert_int_equal(set(store, "b", "three"), OCC_OK);
	occ_state_read(store, &all);
	assert_true(occ_state_find(&all, "b", bytes, sizeof(bytes), &size));
	assert_int_equal(size, 5);
	assert_memory_equal(bytes, "three", 5);
	assert_true(occ_state_find(&all, "a", bytes, sizeof(bytes), &size));
	assert_int_equal(size, 3);
	assert_false(occ_state_find(&all, "c", bytes, sizeof(bytes), &size));
	assert_false(occ_state_find(&all, "b", bytes, 4, &size));
	occ_buffer_release(&all);
	fixture_write(fixture, FILE_NAME, bytes, sizeof(bytes));
	occ_state_read(store, &all);
	assert_int_equal(all.size, 0);
	occ_store_close(store);
}

static void test_state__keeps_to_the_maximum(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 108);

	assert_int_equal(set(store, "driver", "one"), OCC_OK);
	assert_int_equal(set(store, "other", "two"), OCC_E_TOO_LARGE);
	assert_value(store, "driver", "one");
	assert_int_equal(fixture_config_size(fixture),
			 80 + OCC_SIZE_LEDGER_SIZE);
	occ_store_close(store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_state__set_then_get),
		TEST(test_state__same_value_writes_nothing),
		TEST(test_state__a_bad_file_is_empty_and_written_anew),
		TEST(test_state__values_must_fit),
		TEST(test_state__long_names_and_values_are_refused),
		TEST(test_state__oldest_pairs_go_first),
		TEST(test_state__oldest_bytes_go_first),
		TEST(test_state__several_are_set_at_once),
		TEST(test_state__all_at_once),
		TEST(test_state__keeps_to_the_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
