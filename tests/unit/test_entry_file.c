/* SPDX-License-Identifier: MIT */
/* Reading entries as deep as needed, importing and removing them. */
#include "tests/unit/fixture.h"

#include <pthread.h>
#include <sys/file.h>

#include "cache/file.h"
#include "cache/entry_file.h"
#include "cache/listing.h"
#include "cache/evict.h"

#define SOURCE_SIZE 5000

static char source[SOURCE_SIZE];

/* An entry with a long source, so that it has a cold part. */
static void make_key(struct occ_key *key, unsigned number)
{
	memset(source, 'x', sizeof(source));
	memcpy(source, &number, sizeof(number));
	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPERATION, "build");
	occ_key_add(key, OCC_KEY_SOURCE, source, sizeof(source));
	occ_key_add_string(key, OCC_KEY_OPTIONS, "-O2");
	assert_int_equal(occ_key_finish(key), 0);
}

static void make_file(unsigned number, size_t log_size,
		      struct occ_buffer *ret_file, char ret_name[64])
{
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	char *log = calloc(1, log_size + 1);
	struct occ_key key;

	assert_non_null(log);
	memset(log, 'l', log_size);
	make_key(&key, number);
	occ_field_append(&metadata, OCC_META_BUILD_LOG, log, log_size);
	occ_entry_encode(&key, occ_buffer_span(&metadata),
			 (struct occ_span){(const unsigned char *)"binary", 6},
			 ret_file);
	assert_false(ret_file->failed);
	fixture_entry_name(&key, ".cl_cache", ret_name);
	occ_buffer_release(&metadata);
	occ_key_release(&key);
	free(log);
}

static void write_entry(struct fixture *fixture, unsigned number,
			size_t log_size, char ret_name[64])
{
	struct occ_buffer file = OCC_BUFFER_INIT;

	make_file(number, log_size, &file, ret_name);
	fixture_write(fixture, ret_name, file.data, file.size);
	occ_buffer_release(&file);
}

static void test_read(void **state)
{
	struct occ_entry_file whole = {0};
	struct fixture *fixture = *state;
	struct occ_span bytes;
	struct occ_key key, made;
	char name[64];

	write_entry(fixture, 1, 10, name);
	assert_int_equal(occ_entry_file_read(fixture->directory, name, false,
					     OCC_ENTRY_FILE_WHOLE, &whole),
			 OCC_OK);
	assert_true(occ_entry_file_has_name(&whole, name));
	assert_true(occ_entry_file_find(&whole, OCC_KEY_SOURCE, &bytes));
	make_key(&key, 1);
	assert_int_equal(bytes.size, SOURCE_SIZE);
	assert_memory_equal(bytes.data, source, SOURCE_SIZE);
	assert_true(occ_entry_file_find(&whole, OCC_KEY_OPTIONS, &bytes));
	assert_memory_equal(bytes.data, "-O2", 3);
	assert_false(occ_entry_file_find(&whole, OCC_KEY_IL, &bytes));
	assert_int_equal(occ_entry_file_key(&whole, &made), OCC_OK);
	assert_memory_equal(made.hash.bytes, key.hash.bytes, OCC_DIGEST_SIZE);
	occ_key_release(&made);
	occ_key_release(&key);
	occ_entry_file_release(&whole);
}

static void test_every_byte(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_entry_file whole = {0};
	char name[64];

	(void)state;
	make_file(1, 10, &file, name);
	assert_true(occ_entry_file_reserve(&whole, file.size));
	for (size_t i = 0; i < file.size; i++) {
		memcpy(whole.memory, file.data, file.size);
		whole.memory[i] ^= 4;
		whole.size = file.size;
		whole.fault = NULL;
		assert_int_not_equal(occ_entry_file_verify(&whole), OCC_OK);
		assert_non_null(whole.fault);
	}
	for (size_t size = 0; size < file.size; size++) {
		memcpy(whole.memory, file.data, file.size);
		whole.size = size;
		assert_int_not_equal(occ_entry_file_verify(&whole), OCC_OK);
	}
	memcpy(whole.memory, file.data, file.size);
	whole.size = file.size;
	assert_int_equal(occ_entry_file_verify(&whole), OCC_OK);
	occ_entry_file_release(&whole);
	occ_buffer_release(&file);
}

/* One entry's key and another's hash, with all checksums right. */
static void test_foreign_hash(void **state)
{
	static const struct occ_span none = {NULL, 0};
	struct occ_entry_file whole = {0};
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_key key;

	(void)state;
	make_key(&key, 1);
	key.hash.bytes[3] ^= 1;
	occ_entry_encode(&key, none, none, &file);
	occ_key_release(&key);
	whole.memory = file.data;
	whole.size = whole.capacity = file.size;
	assert_int_equal(occ_entry_file_verify(&whole), OCC_E_CORRUPT);
	assert_string_equal(whole.fault, "its hash doesn't match its key");
	occ_entry_file_release(&whole);
}

static void test_no_files(void **state)
{
	static const struct {
		const char *name;
		int error;
	} cases[] = {{"0.cl_cache", OCC_E_NOT_FOUND},
		     {"1.cl_cache", OCC_E_FORBIDDEN},
		     {"2.cl_cache", OCC_E_FORBIDDEN},
		     {"3.cl_cache", OCC_E_FORBIDDEN},
		     {"4.cl_cache", OCC_E_CORRUPT},
		     {"5.cl_cache", OCC_E_CORRUPT}};
	struct occ_entry_file summary = {0};
	struct occ_entry_file whole = {0};
	struct fixture *fixture = *state;

	assert_int_equal(mkdirat(fixture->directory, "1.cl_cache", 0700), 0);
	assert_int_equal(symlinkat("x", fixture->directory, "2.cl_cache"), 0);
	assert_int_equal(mkfifoat(fixture->directory, "3.cl_cache", 0600), 0);
	fixture_write(fixture, "4.cl_cache", "", 0);
	fixture_fill(fixture, "5.cl_cache", 10000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(occ_entry_file_read(fixture->directory,
						     cases[i].name, false,
						     OCC_ENTRY_FILE_WHOLE,
						     &whole),
				 cases[i].error);
		assert_non_null(whole.fault);
		assert_int_equal(occ_entry_file_read(fixture->directory,
						     cases[i].name, false,
						     OCC_ENTRY_FILE_SUMMARY,
						     &summary),
				 cases[i].error);
	}
	occ_entry_file_release(&whole);
	occ_entry_file_release(&summary);
}

static void test_wrong_name(void **state)
{
	struct occ_entry_file whole = {0};
	struct fixture *fixture = *state;
	char one[64], two[64];

	write_entry(fixture, 1, 10, one);
	write_entry(fixture, 2, 10, two);
	assert_int_equal(renameat(fixture->directory, one, fixture->directory,
				  two),
			 0);
	assert_int_equal(occ_entry_file_read(fixture->directory, two, false,
					     OCC_ENTRY_FILE_WHOLE, &whole),
			 OCC_E_CORRUPT);
	occ_entry_file_release(&whole);
}

/* Short ones in one read, long ones in two: both as the decoder has them. */
static void test_summary(void **state)
{
	static const size_t sizes[] = {0, 100, 7000, 8000, 9000, 300000};
	struct occ_entry_file summary = {0};
	struct occ_entry_file whole = {0};
	struct fixture *fixture = *state;
	char name[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		write_entry(fixture, (unsigned)i, sizes[i], name);
		assert_int_equal(occ_entry_file_read(fixture->directory, name,
						     false,
						     OCC_ENTRY_FILE_WHOLE,
						     &whole),
				 OCC_OK);
		assert_int_equal(occ_entry_file_read(fixture->directory, name,
						     false,
						     OCC_ENTRY_FILE_SUMMARY,
						     &summary),
				 OCC_OK);
		assert_int_equal(summary.entry.key.size, whole.entry.key.size);
		assert_memory_equal(summary.entry.key.data,
				    whole.entry.key.data, whole.entry.key.size);
		assert_int_equal(summary.entry.metadata.size,
				 whole.entry.metadata.size);
		assert_memory_equal(summary.entry.metadata.data,
				    whole.entry.metadata.data,
				    whole.entry.metadata.size);
		assert_memory_equal(summary.entry.hash.bytes,
				    whole.entry.hash.bytes, OCC_DIGEST_SIZE);
		assert_int_equal(summary.entry.binary.size, 6);
		assert_null(summary.entry.binary.data);
	}
	occ_entry_file_release(&whole);
	occ_entry_file_release(&summary);
}

/* Whatever is in the file: no more than a refusal. */
static void test_hostile_summary(void **state)
{
	struct occ_entry_file summary = {0};
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct fixture *fixture = *state;
	char name[64];

	make_file(1, 10, &file, name);
	for (size_t i = 0; i < 300; i++) {
		for (int bit = 0; bit < 8; bit += 3) {
			file.data[i] ^= (unsigned char)(1 << bit);
			fixture_write(fixture, name, file.data, file.size);
			occ_entry_file_read(fixture->directory, name, false,
					    OCC_ENTRY_FILE_SUMMARY, &summary);
			file.data[i] ^= (unsigned char)(1 << bit);
		}
	}
	occ_entry_file_release(&summary);
	occ_buffer_release(&file);
}

static void read_other(struct fixture *fixture, unsigned number,
		       struct occ_entry_file *ret_whole, char ret_name[64])
{
	*ret_whole = (struct occ_entry_file){0};
	write_entry(fixture, number, 10, ret_name);
	assert_int_equal(occ_entry_file_read(fixture->directory, ret_name,
					     false, OCC_ENTRY_FILE_WHOLE,
					     ret_whole),
			 OCC_OK);
	assert_int_equal(unlinkat(fixture->directory, ret_name, 0), 0);
}

static void expect_file(struct fixture *fixture, const char *name,
			const struct occ_entry_file *whole)
{
	size_t size;
	unsigned char *bytes = fixture_read(fixture, name, &size);

	assert_int_equal(size, whole->size);
	assert_memory_equal(bytes, whole->memory, size);
	free(bytes);
}

static void test_import(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;
	struct occ_loaded loaded;
	struct occ_entry_file whole;
	struct occ_key key;
	char name[64];

	read_other(fixture, 1, &whole, name);
	store = fixture_open_store(fixture, 0);
	assert_int_equal(occ_store_import(store, &whole), OCC_OK);
	expect_file(fixture, name, &whole);
	assert_int_equal(occ_store_import(store, &whole), OCC_E_EXISTS);
	make_key(&key, 1);
	assert_int_equal(occ_store_lookup(store, &key, &loaded), OCC_OK);
	occ_loaded_release(&loaded);
	occ_key_release(&key);
	occ_entry_file_release(&whole);
	fixture_close_store(fixture, store);
}

static void spoil(struct fixture *fixture, const char *name, off_t at)
{
	int file = openat(fixture->directory, name, O_WRONLY);

	assert_true(file >= 0);
	assert_int_equal(pwrite(file, "?", 1, at), 1);
	close(file);
}

/* For who gives it to others: the file itself, to the last byte. */
static void test_read_entry(void **state)
{
	struct fixture *fixture = *state;
	struct occ_entry_file whole, again;
	struct occ_store *store;
	struct occ_key key, other;
	char name[64];

	read_other(fixture, 1, &whole, name);
	store = fixture_open_store(fixture, 0);
	make_key(&key, 1);
	make_key(&other, 2);
	assert_int_equal(occ_store_read_entry(store, &key, &again),
			 OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_import(store, &whole), OCC_OK);
	assert_int_equal(occ_store_read_entry(store, &other, &again),
			 OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_read_entry(store, &key, &again), OCC_OK);
	assert_int_equal(again.size, whole.size);
	assert_memory_equal(again.memory, whole.memory, whole.size);
	occ_entry_file_release(&again);
	/* The last byte is one of the cold part, at which no hit looks. */
	spoil(fixture, name, (off_t)whole.size - 1);
	assert_int_equal(occ_store_read_entry(store, &key, &again),
			 OCC_E_CORRUPT);
	assert_null(again.memory);
	occ_key_release(&key);
	occ_key_release(&other);
	occ_entry_file_release(&whole);
	fixture_close_store(fixture, store);
}

static void test_import_mends(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;
	struct occ_entry_file whole;
	char name[64];

	read_other(fixture, 1, &whole, name);
	store = fixture_open_store(fixture, 0);
	assert_int_equal(occ_store_import(store, &whole), OCC_OK);
	spoil(fixture, name, 300);
	assert_int_equal(occ_store_import(store, &whole), OCC_OK);
	expect_file(fixture, name, &whole);
	spoil(fixture, name, (off_t)whole.size - 2000);
	assert_int_equal(occ_store_import(store, &whole), OCC_OK);
	expect_file(fixture, name, &whole);
	assert_int_equal(occ_store_import(store, &whole), OCC_E_EXISTS);
	occ_entry_file_release(&whole);
	fixture_close_store(fixture, store);
}

/* Longer than a try waits. */
#define HELD_NS UINT64_C(1500000000)

static void *hold_lock(void *data)
{
	const int *config = data;

	occ_file_pause(HELD_NS);
	flock(*config, LOCK_UN);
	return NULL;
}

static void test_import_waits(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;
	struct occ_entry_file whole;
	pthread_t holder;
	char name[64];
	int config;

	read_other(fixture, 1, &whole, name);
	store = fixture_open_store(fixture, 0);
	assert_int_equal(occ_store_prepare(store), OCC_OK);
	config = openat(fixture->directory, "config.file", O_RDWR);
	assert_true(config >= 0);
	assert_int_equal(flock(config, LOCK_EX), 0);
	assert_int_equal(pthread_create(&holder, NULL, hold_lock, &config), 0);
	assert_int_equal(occ_store_import(store, &whole), OCC_OK);
	assert_int_equal(pthread_join(holder, NULL), 0);
	expect_file(fixture, name, &whole);
	close(config);
	occ_entry_file_release(&whole);
	fixture_close_store(fixture, store);
}

static bool removing;

/* The entry goes again and again, as by others' `oclcache clear`. */
static void *remove_again(void *data)
{
	struct occ_removal removal = {.directory = *(int *)data};

	while (__atomic_load_n(&removing, __ATOMIC_RELAXED)) {
		struct occ_listing listing;

		if (occ_listing_scan(removal.directory, &listing))
			break;
		for (size_t i = 0; i < listing.count; i++)
			if (listing.files[i]->kind == OCC_NAME_ENTRY)
				occ_removal_run(&removal, &listing.files[i], 1);
		occ_listing_release(&listing);
	}
	return NULL;
}

#define IMPORTS 3000

static void test_import_while_removed(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;
	struct occ_entry_file whole;
	pthread_t remover;
	char name[64];

	read_other(fixture, 1, &whole, name);
	store = fixture_open_store(fixture, 0);
	assert_int_equal(occ_store_prepare(store), OCC_OK);
	removing = true;
	assert_int_equal(pthread_create(&remover, NULL, remove_again,
					&fixture->directory),
			 0);
	for (int i = 0; i < IMPORTS; i++) {
		int error = occ_store_import(store, &whole);

		assert_true(error == OCC_OK || error == OCC_E_EXISTS);
	}
	__atomic_store_n(&removing, false, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(remover, NULL), 0);
	occ_entry_file_release(&whole);
	fixture_close_store(fixture, store);
}

static void test_import_refused(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;
	struct occ_entry_file whole;
	char name[64];

	read_other(fixture, 1, &whole, name);
	store = fixture_open_store(fixture, whole.size - 1);
	assert_int_equal(occ_store_import(store, &whole), OCC_E_TOO_LARGE);
	assert_false(fixture_exists(fixture, name));
	occ_store_close(store);
	store = occ_store_open_read_only(fixture->path);
	assert_int_equal(occ_store_import(store, &whole), OCC_E_READ_ONLY);
	assert_false(fixture_exists(fixture, name));
	occ_store_close(store);
	occ_entry_file_release(&whole);
}

/* The maximum holds: what was used longest ago goes. */
static void test_import_evicts(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = NULL;
	struct occ_entry_file whole;
	char name[64];
	uint64_t size;

	for (unsigned i = 0; i < 10; i++) {
		read_other(fixture, i, &whole, name);
		if (!store)
			store = fixture_open_store(fixture, 4 * whole.size);
		assert_int_equal(occ_store_import(store, &whole), OCC_OK);
		assert_int_equal(occ_store_measure(store, &size), OCC_OK);
		assert_true(size <= 4 * whole.size);
		occ_entry_file_release(&whole);
	}
	fixture_close_store(fixture, store);
}

static void fill(struct occ_store *store, unsigned count)
{
	static const struct occ_span none = {NULL, 0};
	struct occ_key key;

	for (unsigned i = 0; i < count; i++) {
		fixture_key(&key, i);
		assert_int_equal(occ_store_publish(store, &key, none, none),
				 OCC_OK);
		occ_key_release(&key);
	}
}

static void test_removal(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_removal removal = {.directory = fixture->directory};
	struct occ_listing listing;
	char used[64];
	struct occ_key key;

	fill(store, 5);
	fixture_key(&key, 3);
	fixture_entry_name(&key, ".cl_cache", used);
	occ_key_release(&key);
	assert_int_equal(occ_listing_scan(fixture->directory, &listing),
			 OCC_OK);
	/* Used after it was listed, and gone. */
	fixture_age(fixture, used, 100, 100);
	fixture_write(fixture, "oclcache-abcdef.tmp", "orphan", 6);
	for (size_t i = 0; i < listing.count; i++)
		if (listing.files[i]->kind == OCC_NAME_FIXED)
			listing.files[i]->size = 99999;
	assert_int_equal(occ_removal_run(&removal, listing.files,
					 listing.count),
			 OCC_OK);
	assert_int_equal(removal.count, 4);
	assert_int_equal(removal.entries, 4);
	assert_true(fixture_exists(fixture, used));
	assert_true(fixture_exists(fixture, "config.file"));
	occ_listing_release(&listing);
	assert_int_equal(occ_listing_scan(fixture->directory, &listing),
			 OCC_OK);
	removal = (struct occ_removal){.directory = fixture->directory};
	for (size_t i = 0; i < listing.count; i++)
		if (listing.files[i]->kind == OCC_NAME_TEMP)
			assert_int_equal(occ_removal_run(&removal,
							 &listing.files[i], 1),
					 OCC_OK);
	assert_int_equal(removal.count, 1);
	occ_listing_release(&listing);
	fixture_close_store(fixture, store);
}

static bool keep_all(int directory, const struct occ_listing_file *file,
		     void *data)
{
	unsigned *asked = data;

	(void)directory;
	(void)file;
	++*asked;
	return false;
}

static void test_removal_asks(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	unsigned asked = 0;
	struct occ_removal removal = {.directory = fixture->directory,
				      .may_go = keep_all,
				      .data = &asked};
	struct occ_listing listing;

	fill(store, 3);
	assert_int_equal(occ_listing_scan(fixture->directory, &listing),
			 OCC_OK);
	assert_int_equal(occ_removal_run(&removal, listing.files,
					 listing.count),
			 OCC_OK);
	assert_int_equal(asked, listing.count);
	assert_int_equal(removal.count, 0);
	occ_listing_release(&listing);
	fixture_close_store(fixture, store);
}

static void count_steps(size_t done, void *data)
{
	(void)done;
	++*(unsigned *)data;
}

/* More than a batch; and a total that was wrong is right afterwards. */
static void test_removal_of_many(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	unsigned steps = 0;
	struct occ_removal removal = {.directory = fixture->directory,
				      .step = count_steps,
				      .data = &steps};
	struct occ_listing listing;
	char name[64];

	fill(store, 1);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "%032x.trace", i);
		fixture_write(fixture, name, "trace", 5);
	}
	assert_int_equal(occ_listing_scan(fixture->directory, &listing),
			 OCC_OK);
	for (size_t i = 0; i < listing.count;)
		if (listing.files[i]->kind == OCC_NAME_TRACE) {
			i++;
		} else {
			free(listing.files[i]);
			listing.files[i] = listing.files[--listing.count];
		}
	assert_int_equal(occ_removal_run(&removal, listing.files,
					 listing.count),
			 OCC_OK);
	assert_int_equal(removal.count, 5000);
	assert_int_equal(removal.entries, 0);
	assert_int_equal(removal.bytes, 25000);
	assert_int_equal(steps, 3);
	occ_listing_release(&listing);
	fixture_close_store(fixture, store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_read),
		TEST(test_every_byte),
		TEST(test_foreign_hash),
		TEST(test_no_files),
		TEST(test_wrong_name),
		TEST(test_summary),
		TEST(test_hostile_summary),
		TEST(test_import),
		TEST(test_read_entry),
		TEST(test_import_mends),
		TEST(test_import_refused),
		TEST(test_import_waits),
		TEST(test_import_while_removed),
		TEST(test_import_evicts),
		TEST(test_removal),
		TEST(test_removal_asks),
		TEST(test_removal_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
