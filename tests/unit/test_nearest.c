/* SPDX-License-Identifier: MIT */
/* cache/nearest.h: the entry whose key is nearest to another. */
#include "tests/unit/fixture.h"

#include "cache/nearest.h"

static void make_key(struct occ_key *key, const char *source,
		     const char *options)
{
	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPERATION, "build");
	occ_key_add_string(key, OCC_KEY_SOURCE, source);
	occ_key_add_string(key, OCC_KEY_OPTIONS, options);
	assert_int_equal(occ_key_finish(key), 0);
}

static const struct occ_nearest_limits no_limits;

/* Publishes an entry of so many seconds ago. */
static void publish(struct fixture *fixture, struct occ_store *store,
		    const char *source, const char *options, time_t age)
{
	static const struct occ_span none;
	struct occ_span binary = {(const unsigned char *)"binary", 6};
	char name[OCC_NAME_SIZE];
	struct occ_key key;

	make_key(&key, source, options);
	assert_int_equal(occ_store_publish(store, &key, none, binary), OCC_OK);
	occ_name_entry(&key.hash, 0, name);
	fixture_age(fixture, name, age, age);
	occ_key_release(&key);
}

/* Is the nearest of these the one with `wanted`? NULL: there is none. */
static void expect(struct occ_store *store, const char *source,
		   const char *options, const char *wanted_source,
		   const char *wanted_options)
{
	struct occ_key key, wanted;
	struct occ_span stored;
	struct occ_nearest nearest;
	char name[OCC_NAME_SIZE];
	int error;

	make_key(&key, source, options);
	stored = occ_buffer_span(&key.stored);
	error = occ_nearest_find(store, &stored, &no_limits, &nearest);
	occ_key_release(&key);
	if (!wanted_source) {
		assert_int_equal(error, OCC_E_NOT_FOUND);
		return;
	}
	assert_int_equal(error, OCC_OK);
	make_key(&wanted, wanted_source, wanted_options);
	occ_name_entry(&wanted.hash, 0, name);
	assert_string_equal(nearest.name, name);
	assert_memory_equal(&nearest.hash, &wanted.hash, sizeof(wanted.hash));
	assert_int_equal(nearest.key.size, wanted.stored.size);
	assert_memory_equal(nearest.key.data, wanted.stored.data,
			    wanted.stored.size);
	assert_true(nearest.distance > 0);
	occ_key_release(&wanted);
	occ_nearest_release(&nearest);
}

static void test_nearest__none(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open(fixture->path, 0, false);
	struct occ_store *nowhere = occ_store_open("/nowhere", 0, false);

	expect(nowhere, "int a;", "-w", NULL, NULL);
	expect(store, "int a;", "-w", NULL, NULL);
	/* The very same one is none. */
	publish(fixture, store, "int a;", "-w", 0);
	expect(store, "int a;", "-w", NULL, NULL);
	occ_store_close(store);
	occ_store_close(nowhere);
}

static void test_nearest__of_several(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open(fixture->path, 0, false);

	publish(fixture, store, "int a;", "-w", 0);
	publish(fixture, store, "int a;", "-DX=1 -DY=1 -w", 30);
	publish(fixture, store, "int b;", "-DX=2 -DY=1 -w", 20);
	publish(fixture, store, "int c;", "-O2", 10);
	expect(store, "int a;", "-DX=2 -DY=1 -w", "int a;", "-DX=1 -DY=1 -w");
	expect(store, "int b;", "-DX=2 -DY=1", "int b;", "-DX=2 -DY=1 -w");
	expect(store, "int d;", "-O2", "int c;", "-O2");
	occ_store_close(store);
}

static void test_nearest__newest_of_equals(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open(fixture->path, 0, false);

	publish(fixture, store, "int a;", "-DX=1", 30);
	publish(fixture, store, "int a;", "-DX=2", 10);
	publish(fixture, store, "int a;", "-DX=3", 20);
	expect(store, "int a;", "-DX=4", "int a;", "-DX=2");
	occ_store_close(store);
}

/* Whatever else lies there is passed over, and nothing is changed. */
static void test_nearest__other_files(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open(fixture->path, 0, false);
	char name[] = "00000000000000000000000000000000.cl_cache";
	unsigned char *entry;
	size_t size;
	struct occ_key key;
	char good[OCC_NAME_SIZE];

	publish(fixture, store, "int a;", "-DX=1", 30);
	make_key(&key, "int a;", "-DX=1");
	occ_name_entry(&key.hash, 0, good);
	occ_key_release(&key);
	entry = fixture_read(fixture, good, &size);
	/* Cut anywhere, with any byte changed, it is one or none. */
	for (size_t i = 0; i < size; i++) {
		name[i % 32] = "0123456789abcdef"[i / 32 % 16];
		entry[i] ^= 0xff;
		fixture_write(fixture, name, entry, i % 2 ? size : i);
		entry[i] ^= 0xff;
		make_key(&key, "int a;", "-DX=2");
		if (i % 7 == 0) {
			struct occ_span stored = occ_buffer_span(&key.stored);
			struct occ_nearest nearest;

			assert_int_equal(occ_nearest_find(store, &stored,
							  &no_limits, &nearest),
					 OCC_OK);
			occ_nearest_release(&nearest);
		}
		occ_key_release(&key);
		assert_true(fixture_exists(fixture, name));
		unlinkat(fixture->directory, name, 0);
	}
	free(entry);
	fixture_fill(fixture, "neo.cl_cache", 100);
	fixture_write(fixture, name, "", 0);
	assert_int_equal(mkdirat(fixture->directory,
				 "10000000000000000000000000000000.cl_cache",
				 0700),
			 0);
	expect(store, "int a;", "-DX=2", "int a;", "-DX=1");
	occ_store_close(store);
}

static bool stop_at_once(void)
{
	return true;
}

/* The nearest to an option, within limits. */
static void find_within(struct occ_store *store, const char *options,
			const struct occ_nearest_limits *limits,
			struct occ_nearest *ret_nearest)
{
	struct occ_span stored;
	struct occ_key key;

	make_key(&key, "int a;", options);
	stored = occ_buffer_span(&key.stored);
	assert_int_equal(occ_nearest_find(store, &stored, limits, ret_nearest),
			 OCC_OK);
	occ_key_release(&key);
	occ_nearest_release(ret_nearest);
}

/* More than are compared: those last used are, and limits are kept. */
static void test_nearest__limits(void **state)
{
	static const struct occ_nearest_limits none,
		files = {.files = 100}, time = {.nanoseconds = 2},
		stop = {.stop = stop_at_once};
	static const size_t count = OCC_NEAREST_LOOKS + 100;
	struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open(fixture->path, 0, false);
	struct occ_nearest nearest;
	char options[32], name[OCC_NAME_SIZE];
	struct occ_key key;

	for (size_t i = 0; i < count; i++) {
		snprintf(options, sizeof(options), "-DZ=%zu", i);
		publish(fixture, store, "int b;", options,
			(time_t)(10 * (1 + i * 37 % count)));
	}
	/* The nearest, but last used long ago; and one that is less near. */
	publish(fixture, store, "int a;", "-DX=1", 100000);
	publish(fixture, store, "int a;", "-DX=2 -DY=1 -DZ=1", 0);
	make_key(&key, "int a;", "-DX=2 -DY=1 -DZ=1");
	occ_name_entry(&key.hash, 0, name);
	occ_key_release(&key);
	find_within(store, "-DX=2", &none, &nearest);
	assert_int_equal(nearest.looks, OCC_NEAREST_LOOKS);
	assert_false(nearest.partial);
	assert_string_equal(nearest.name, name);

	find_within(store, "-DX=2", &files, &nearest);
	assert_true(nearest.partial);
	assert_in_range(nearest.looks, 90, 100);
	find_within(store, "-DX=2", &time, &nearest);
	assert_true(nearest.partial);
	assert_in_range(nearest.looks, OCC_NEAREST_LEAST - 10,
			OCC_NEAREST_LEAST);
	find_within(store, "-DX=2", &stop, &nearest);
	assert_true(nearest.partial);
	assert_in_range(nearest.looks, OCC_NEAREST_LEAST - 10,
			OCC_NEAREST_LEAST);
	occ_store_close(store);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nearest__none),
		TEST(test_nearest__of_several),
		TEST(test_nearest__newest_of_equals),
		TEST(test_nearest__other_files),
		TEST(test_nearest__limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
