/* SPDX-License-Identifier: MIT */
/* cache/store.h: an entry that is replaced by a more complete one. */
#include "tests/unit/fixture.h"

#include "cache/description.h"
#include "cache/store.h"

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static void make_key(struct occ_key *key)
{
	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPTIONS, "-DTHE=KEY");
	assert_int_equal(occ_key_finish(key), 0);
}

/* Metadata with a log and a kernel of that name, described; 0: it says none. */
static void make_metadata(struct occ_buffer *metadata, uint64_t completeness,
			  const char *kernel)
{
	struct occ_buffer kernels = OCC_BUFFER_INIT;
	size_t start;

	occ_field_append(metadata, OCC_META_BUILD_LOG, "log", 3);
	if (completeness)
		occ_meta_append_number(metadata, OCC_META_COMPLETENESS,
				       completeness);
	if (kernel) {
		start = occ_description_begin(&kernels, kernel, strlen(kernel));
		occ_description_add_argument_count(&kernels, 7);
		occ_description_end(&kernels, start);
		occ_field_append(metadata, OCC_META_KERNELS, kernels.data,
				 kernels.size);
	}
	occ_buffer_release(&kernels);
	assert_false(metadata->failed);
}

typedef int (*put_function)(struct occ_store *store, const struct occ_key *key,
			    struct occ_span metadata, struct occ_span binary);

static int put(put_function function, struct occ_store *store,
	       uint64_t completeness, const char *kernel, const char *binary)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	struct occ_key key;
	int error;

	make_key(&key);
	make_metadata(&metadata, completeness, kernel);
	error = function(store, &key, occ_buffer_span(&metadata), span(binary));
	occ_buffer_release(&metadata);
	occ_key_release(&key);
	return error;
}

static int improve(struct occ_store *store, uint64_t completeness,
		   const char *kernel, const char *binary)
{
	return put(occ_store_improve, store, completeness, kernel, binary);
}

static int renew(struct occ_store *store, uint64_t completeness,
		 const char *kernel, const char *binary)
{
	return put(occ_store_renew, store, completeness, kernel, binary);
}

static void look_up(struct occ_store *store, struct occ_loaded *ret_loaded)
{
	struct occ_key key;

	make_key(&key);
	assert_int_equal(occ_store_lookup(store, &key, ret_loaded), OCC_OK);
	occ_key_release(&key);
}

static void assert_entry(struct occ_store *store, uint64_t completeness,
			 const char *binary)
{
	struct occ_loaded loaded;

	look_up(store, &loaded);
	assert_int_equal(occ_entry_number(&loaded.entry, OCC_META_COMPLETENESS,
					  0),
			 completeness);
	assert_int_equal(loaded.entry.binary.size, strlen(binary));
	assert_memory_equal(loaded.entry.binary.data, binary, strlen(binary));
	occ_loaded_release(&loaded);
}

static bool describes(struct occ_store *store, const char *kernel)
{
	struct occ_loaded loaded;
	struct occ_span found;
	bool result;

	look_up(store, &loaded);
	result = occ_description_find_kernel(occ_entry_bytes(&loaded.entry,
							     OCC_META_KERNELS),
					     kernel, strlen(kernel), &found);
	occ_loaded_release(&loaded);
	return result;
}

static void test_improve__a_poorer_entry_goes(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);

	assert_int_equal(improve(store, 1, NULL, "poor"), OCC_OK);
	assert_entry(store, 1, "poor");
	assert_int_equal(improve(store, 2, NULL, "a fuller one"), OCC_OK);
	assert_entry(store, 2, "a fuller one");
	assert_int_equal(improve(store, 3, NULL, "full"), OCC_OK);
	assert_entry(store, 3, "full");
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
	fixture_close_store(fixture, store);
}

static void test_improve__one_as_good_stays(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);

	assert_int_equal(improve(store, 2, NULL, "first"), OCC_OK);
	assert_int_equal(improve(store, 2, NULL, "second"), OCC_E_EXISTS);
	assert_int_equal(improve(store, 1, NULL, "third"), OCC_E_EXISTS);
	assert_entry(store, 2, "first");
	fixture_close_store(fixture, store);
}

static void test_improve__one_that_does_not_say_stays(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);

	assert_int_equal(improve(store, 0, NULL, "first"), OCC_OK);
	assert_int_equal(improve(store, 3, NULL, "second"), OCC_E_EXISTS);
	assert_entry(store, 0, "first");
	fixture_close_store(fixture, store);
}

static void test_improve__descriptions_stay(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);

	assert_int_equal(improve(store, 1, "early", "poor"), OCC_OK);
	assert_int_equal(improve(store, 3, "late", "full"), OCC_OK);
	assert_entry(store, 3, "full");
	assert_true(describes(store, "early"));
	assert_true(describes(store, "late"));
	assert_false(describes(store, "other"));
	fixture_close_store(fixture, store);
}

static void test_improve__who_has_the_old_one_keeps_it(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_loaded loaded;

	assert_int_equal(improve(store, 1, NULL, "poor"), OCC_OK);
	look_up(store, &loaded);
	assert_int_equal(improve(store, 3, NULL, "full"), OCC_OK);
	assert_memory_equal(loaded.entry.binary.data, "poor", 4);
	occ_loaded_release(&loaded);
	fixture_close_store(fixture, store);
}

static void test_improve__without_room_nothing_changes(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	uint64_t size;
	char *big = calloc(1, 5001);

	assert_non_null(big);
	memset(big, 'b', 5000);
	assert_int_equal(improve(store, 1, NULL, "poor"), OCC_OK);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	fixture_close_store(fixture, store);
	/* For the time of the writing both must fit. */
	store = fixture_open_store(fixture, size + 5000);
	assert_int_equal(improve(store, 3, NULL, big), OCC_E_TOO_LARGE);
	assert_entry(store, 1, "poor");
	fixture_close_store(fixture, store);
	free(big);
}

static void test_improve__a_corrupt_entry_is_replaced(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	char name[64];

	make_key(&key);
	fixture_entry_name(&key, ".cl_cache", name);
	occ_key_release(&key);
	assert_int_equal(improve(store, 3, NULL, "full"), OCC_OK);
	fixture_write(fixture, name, "nonsense", 8);
	assert_int_equal(improve(store, 1, NULL, "poor"), OCC_OK);
	assert_entry(store, 1, "poor");
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
	occ_store_close(store);
}

static void test_renew__whatever_is_there_goes(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_loaded loaded;

	assert_int_equal(renew(store, 3, "old", "first"), OCC_OK);
	assert_entry(store, 3, "first");
	look_up(store, &loaded);
	assert_int_equal(renew(store, 1, "new", "second"), OCC_OK);
	assert_entry(store, 1, "second");
	assert_true(describes(store, "new"));
	assert_false(describes(store, "old"));
	assert_memory_equal(loaded.entry.binary.data, "first", 5);
	occ_loaded_release(&loaded);
	assert_int_equal(renew(store, 0, NULL, "second"), OCC_OK);
	assert_entry(store, 0, "second");
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
	fixture_close_store(fixture, store);
}

static void test_renew__without_room_the_old_one_stays(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	char *big = calloc(1, 5001);
	uint64_t size;

	assert_non_null(big);
	memset(big, 'b', 5000);
	assert_int_equal(renew(store, 1, NULL, "old"), OCC_OK);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	fixture_close_store(fixture, store);
	store = fixture_open_store(fixture, size + 5000);
	assert_int_equal(renew(store, 1, NULL, big), OCC_E_TOO_LARGE);
	assert_entry(store, 1, "old");
	fixture_close_store(fixture, store);
	store = occ_store_open_read_only(fixture->path);
	assert_int_equal(renew(store, 1, NULL, "new"), OCC_E_READ_ONLY);
	assert_entry(store, 1, "old");
	occ_store_close(store);
	free(big);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_improve__a_poorer_entry_goes),
		TEST(test_improve__one_as_good_stays),
		TEST(test_improve__one_that_does_not_say_stays),
		TEST(test_improve__descriptions_stay),
		TEST(test_improve__who_has_the_old_one_keeps_it),
		TEST(test_improve__without_room_nothing_changes),
		TEST(test_improve__a_corrupt_entry_is_replaced),
		TEST(test_renew__whatever_is_there_goes),
		TEST(test_renew__without_room_the_old_one_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
