/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "cache/traits.h"
#include "cache/state.h"

static const struct occ_digest driver = {{1, 2, 3}};
static const struct occ_digest other = {{1, 2, 4}};

#define NAME	    "driver 01020300000000000000000000000000"
#define SEARCH_NAME "search 01020300000000000000000000000000"

static void assert_nothing(struct occ_store *store,
			   const struct occ_digest *digest)
{
	static const struct occ_traits zero;
	struct occ_traits habits;

	memset(&habits, 0xff, sizeof(habits));
	assert_int_equal(occ_traits_load(store, digest, &habits),
			 OCC_E_NOT_FOUND);
	assert_memory_equal(&habits, &zero, sizeof(habits));
}

static void test_habits__save_then_load(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_traits habits;

	assert_nothing(store, &driver);
	for (unsigned all = 0; all < 6 * 4 * 2 * 2 * 2 * 2; all++) {
		struct occ_traits wanted = {
			.proof = (enum occ_proof)(all % 6),
			.notify = (enum occ_notify_thread)(all / 6 % 4),
			.counts_kernels = all / 24 % 2,
			.counts_programs = all / 48 % 2,
			.expensive = all / 96 % 2,
			.late = all / 192 % 2,
		};

		assert_int_equal(occ_traits_save(store, &driver, &wanted),
				 OCC_OK);
		assert_int_equal(occ_traits_load(store, &driver, &habits),
				 OCC_OK);
		assert_int_equal(habits.proof, wanted.proof);
		assert_int_equal(habits.notify, wanted.notify);
		assert_int_equal(habits.counts_kernels, wanted.counts_kernels);
		assert_int_equal(habits.counts_programs,
				 wanted.counts_programs);
		assert_int_equal(habits.expensive, wanted.expensive);
		assert_int_equal(habits.late, wanted.late);
	}
	assert_nothing(store, &other);
	occ_store_close(store);
}

static void test_habits__libraries(void **state)
{
	static const char paths[] = "/lib/one.so\0/lib/two.so";
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_buffer buffer = OCC_BUFFER_INIT, loaded = OCC_BUFFER_INIT;
	char many[OCC_STATE_VALUE_MAX + 1];

	assert_int_equal(occ_traits_load_libraries(store, &driver, &loaded),
			 OCC_E_NOT_FOUND);
	/* None is something else than not known. */
	assert_int_equal(occ_traits_save_libraries(store, &other, &buffer),
			 OCC_OK);
	assert_int_equal(occ_traits_load_libraries(store, &other, &loaded),
			 OCC_OK);
	assert_int_equal(loaded.size, 0);
	occ_buffer_append(&buffer, paths, sizeof(paths));
	assert_int_equal(occ_traits_save_libraries(store, &driver, &buffer),
			 OCC_OK);
	assert_int_equal(occ_traits_load_libraries(store, &driver, &loaded),
			 OCC_OK);
	assert_int_equal(loaded.size, sizeof(paths));
	assert_memory_equal(loaded.data, paths, sizeof(paths));
	memset(many, 'x', sizeof(many));
	occ_buffer_append(&buffer, many, sizeof(many));
	assert_int_equal(occ_traits_save_libraries(store, &driver, &buffer),
			 OCC_E_IO);
	occ_buffer_release(&loaded);
	occ_buffer_release(&buffer);
	occ_store_close(store);
}

/* The value's bytes are a format: what is written here is what is on disk. */
static void test_habits__bytes(void **state)
{
	static const unsigned char wanted[] = {2, 2, 1, 1, 0, 1, 1};
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_traits habits = {
		.proof = OCC_PROOF_GOOD,
		.notify = OCC_NOTIFY_CALLER,
		.counts_kernels = true,
		.expensive = true,
		.late = true,
	};
	unsigned char value[16];
	size_t size;

	assert_int_equal(occ_traits_save(store, &driver, &habits), OCC_OK);
	assert_int_equal(occ_state_get(store, NAME, value, sizeof(value),
				       &size),
			 OCC_OK);
	assert_int_equal(size, sizeof(wanted));
	assert_memory_equal(value, wanted, size);
	occ_store_close(store);
}

static void test_habits__what_is_not_understood_is_absent(void **state)
{
	static const unsigned char good[] = {2, 2, 1, 1, 0, 1, 1};
	static const unsigned char too_large[] = {3, 6, 4, 2, 2, 2, 2};
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	unsigned char value[sizeof(good) + 1] = {0};
	struct occ_traits habits;

	for (size_t i = 0; i < sizeof(good); i++) {
		memcpy(value, good, sizeof(good));
		value[i] = too_large[i];
		assert_int_equal(occ_state_set(store, NAME, value,
					       sizeof(good)),
				 OCC_OK);
		assert_nothing(store, &driver);
	}
	memcpy(value, good, sizeof(good));
	for (size_t size = 0; size <= sizeof(value); size++) {
		assert_int_equal(occ_state_set(store, NAME, value, size),
				 OCC_OK);
		if (size != sizeof(good))
			assert_nothing(store, &driver);
		else
			assert_int_equal(occ_traits_load(store, &driver,
							 &habits),
					 OCC_OK);
	}
	occ_store_close(store);
}

/*
 * All that one store may know of a driver against all that another one may:
 * what is kept, and whether that was something new.
 */
static void test_habits__take_over(void **state)
{
	static const char old_paths[] = "/old.so", new_paths[] = "/new.so";
	struct fixture *fixture = *state, *other_fixture;
	struct occ_buffer paths = OCC_BUFFER_INIT;
	struct occ_store *store, *from;
	struct occ_traits habits;
	void *made = NULL;
	size_t count;

	assert_int_equal(fixture_setup(&made), 0);
	other_fixture = made;
	store = fixture_open_store(fixture, 0);
	from = fixture_open_store(other_fixture, 0);
	assert_int_equal(occ_traits_take_over(store, from, &count), OCC_OK);
	assert_int_equal(count, 0);
	assert_int_equal(occ_state_set(from, "file x", "y", 1), OCC_OK);
	assert_int_equal(occ_state_set(from, "driver x", "y", 1), OCC_OK);
	for (int all = 0; all < 5 * 5; all++) {
		struct occ_traits known = {.proof = (enum occ_proof)(all % 5),
					   .notify = OCC_NOTIFY_OTHER};
		struct occ_traits news = {.proof = (enum occ_proof)(all / 5),
					  .late = true};
		bool taken = news.proof != OCC_PROOF_NONE &&
			     known.proof == OCC_PROOF_NONE;

		assert_int_equal(occ_traits_save(store, &driver, &known),
				 OCC_OK);
		assert_int_equal(occ_traits_save(from, &driver, &news), OCC_OK);
		paths.size = 0;
		occ_buffer_append(&paths, old_paths, sizeof(old_paths));
		assert_int_equal(occ_traits_save_libraries(store, &driver,
							   &paths),
				 OCC_OK);
		paths.size = 0;
		occ_buffer_append(&paths, new_paths, sizeof(new_paths));
		assert_int_equal(occ_traits_save_libraries(from, &driver,
							   &paths),
				 OCC_OK);
		assert_int_equal(occ_traits_take_over(store, from, &count),
				 OCC_OK);
		assert_int_equal(count, taken);
		assert_int_equal(occ_traits_load(store, &driver, &habits),
				 OCC_OK);
		/* What the command's processes could do isn't done yet. */
		if (taken && news.proof == OCC_PROOF_GOOD)
			assert_int_equal(habits.proof, OCC_PROOF_ELSEWHERE);
		else
			assert_int_equal(habits.proof,
					 taken ? news.proof : known.proof);
		assert_int_equal(habits.late, taken);
		assert_int_equal(habits.notify, OCC_NOTIFY_OTHER);
		paths.size = 0;
		assert_int_equal(occ_traits_load_libraries(store, &driver,
							   &paths),
				 OCC_OK);
		assert_string_equal((char *)paths.data,
				    taken && news.proof == OCC_PROOF_GOOD
					    ? new_paths
					    : old_paths);
	}
	occ_buffer_release(&paths);
	occ_store_close(from);
	occ_store_close(store);
	fixture_teardown(&made);
}

/* A driver's search is a value of its own, which saving the rest leaves. */
static void test_habits__search(void **state)
{
	static const unsigned char good[] = {2, 2};
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_traits habits = {.proof = OCC_PROOF_BAD};
	unsigned char value[2 + OCC_DIGEST_SIZE + 1] = {0};
	size_t size;

	setenv("HOME", "/home/one", 1);
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(occ_traits_load_search(store, &driver),
			 OCC_SEARCH_UNKNOWN);
	assert_int_equal(occ_traits_save(store, &driver, &habits), OCC_OK);
	assert_int_equal(occ_traits_save_search(store, OCC_SEARCH_USUAL),
			 OCC_OK);
	assert_int_equal(occ_traits_load_search(store, &driver),
			 OCC_SEARCH_UNKNOWN);
	habits.proof = OCC_PROOF_GOOD;
	assert_int_equal(occ_traits_save(store, &driver, &habits), OCC_OK);
	assert_int_equal(occ_traits_save_search(store, OCC_SEARCH_OTHER),
			 OCC_OK);
	assert_int_equal(occ_traits_save(store, &driver, &habits), OCC_OK);
	assert_int_equal(occ_traits_load_search(store, &driver),
			 OCC_SEARCH_OTHER);
	assert_int_equal(occ_traits_load_search(store, &other),
			 OCC_SEARCH_UNKNOWN);
	assert_int_equal(occ_state_get(store, SEARCH_NAME, value, sizeof(value),
				       &size),
			 OCC_OK);
	assert_int_equal(size, sizeof(good) + OCC_DIGEST_SIZE);
	assert_memory_equal(value, good, sizeof(good));
	/* It is for who has the same directories. */
	setenv("HOME", "/home/other", 1);
	assert_int_equal(occ_traits_load_search(store, &driver),
			 OCC_SEARCH_UNKNOWN);
	setenv("HOME", "/home/one", 1);
	setenv("XDG_CACHE_HOME", "/cache", 1);
	assert_int_equal(occ_traits_load_search(store, &driver),
			 OCC_SEARCH_UNKNOWN);
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(occ_traits_load_search(store, &driver),
			 OCC_SEARCH_OTHER);
	for (int i = 0; i < 4; i++) {
		value[0] = i == 0 ? 1 : 2;
		value[1] = i == 1 ? 3 : 2;
		size = 2 + OCC_DIGEST_SIZE;
		size += i == 2 ? -1 : i == 3;
		assert_int_equal(occ_state_set(store, SEARCH_NAME, value, size),
				 OCC_OK);
		assert_int_equal(occ_traits_load_search(store, &driver),
				 OCC_SEARCH_UNKNOWN);
	}
	occ_store_close(store);
}

static void test_habits__take_over_search(void **state)
{
	struct fixture *fixture = *state, *other_fixture;
	struct occ_traits good = {.proof = OCC_PROOF_GOOD};
	struct occ_buffer none = OCC_BUFFER_INIT;
	struct occ_store *store, *from;
	void *made = NULL;
	size_t count;

	assert_int_equal(fixture_setup(&made), 0);
	other_fixture = made;
	store = fixture_open_store(fixture, 0);
	from = fixture_open_store(other_fixture, 0);
	assert_false(occ_traits_lack_search(store, from));
	for (int i = 0; i < 2; i++) {
		struct occ_store *one = i ? from : store;

		assert_int_equal(occ_traits_save(one, &driver, &good), OCC_OK);
		assert_int_equal(occ_traits_save_libraries(one, &driver, &none),
				 OCC_OK);
	}
	assert_true(occ_traits_lack_search(store, from));
	assert_int_equal(occ_traits_take_over(store, from, &count), OCC_OK);
	assert_int_equal(count, 0);
	assert_int_equal(occ_traits_save_search(from, OCC_SEARCH_USUAL),
			 OCC_OK);
	assert_false(occ_traits_lack_search(store, from));
	for (int again = 0; again < 2; again++) {
		assert_int_equal(occ_traits_take_over(store, from, &count),
				 OCC_OK);
		assert_int_equal(count, !again);
		assert_int_equal(occ_traits_load_search(store, &driver),
				 OCC_SEARCH_USUAL);
	}
	/* What is known is tried no more, and what isn't is kept. */
	assert_int_equal(occ_traits_save_search(from, OCC_SEARCH_UNKNOWN),
			 OCC_OK);
	assert_false(occ_traits_lack_search(store, from));
	assert_int_equal(occ_traits_take_over(store, from, &count), OCC_OK);
	assert_int_equal(occ_traits_load_search(store, &driver),
			 OCC_SEARCH_USUAL);
	occ_store_close(from);
	occ_store_close(store);
	fixture_teardown(&made);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_habits__save_then_load),
		TEST(test_habits__libraries),
		TEST(test_habits__bytes),
		TEST(test_habits__what_is_not_understood_is_absent),
		TEST(test_habits__take_over),
		TEST(test_habits__search),
		TEST(test_habits__take_over_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
