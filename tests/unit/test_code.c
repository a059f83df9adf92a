/* SPDX-License-Identifier: MIT */
/* cache/entry.h, store.h, memory.h: device code besides the binary. */
#include "tests/unit/fixture.h"

#include "cache/entry.h"
#include "cache/memory.h"
#include "cache/store.h"

#define LONG_SIZE 5000

static const struct occ_span none;
static char long_text[LONG_SIZE];

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static struct occ_span span_of(const struct occ_buffer *buffer)
{
	return (struct occ_span){buffer->data, buffer->size};
}

static void assert_span(struct occ_span got, const char *wanted)
{
	assert_int_equal(got.size, strlen(wanted));
	assert_memory_equal(got.data, wanted, got.size);
}

/* A key with a cold part, different for every `number`. */
static void long_key(struct occ_key *key, unsigned int number)
{
	char options[32];

	memset(long_text, 'x', LONG_SIZE);
	snprintf(options, sizeof(options), "-DNUMBER=%u", number);
	occ_key_init(key);
	occ_key_add(key, OCC_KEY_SOURCE, long_text, LONG_SIZE);
	occ_key_add_string(key, OCC_KEY_OPTIONS, options);
	assert_int_equal(occ_key_finish(key), 0);
}

static size_t hot_size(const struct occ_buffer *file)
{
	size_t size;

	assert_int_equal(occ_entry_hot_size(file->data, file->size, &size),
			 OCC_OK);
	return size;
}

static void decode(const struct occ_buffer *file, struct occ_entry *ret_entry)
{
	assert_false(file->failed);
	assert_int_equal(occ_entry_decode(file->data, hot_size(file),
					  file->size, ret_entry),
			 OCC_OK);
}

/* An entry without code, and the same with. */
static void make_both(struct occ_buffer *without, struct occ_buffer *with)
{
	struct occ_key key;

	long_key(&key, 1);
	occ_entry_encode(&key, span("metadata"), span("binary"), without);
	occ_entry_recode_code(without->data, span("device code"), with);
	occ_key_release(&key);
}

static void test_entry__code_is_hot_and_the_binary_cold(void **state)
{
	struct occ_buffer without = OCC_BUFFER_INIT, with = OCC_BUFFER_INIT;
	struct occ_entry entry;
	struct occ_span binary, texts, other;

	(void)state;
	make_both(&without, &with);
	decode(&with, &entry);
	assert_span(entry.code, "device code");
	assert_span(entry.metadata, "metadata");
	assert_null(entry.binary.data);
	assert_int_equal(entry.binary.size, 0);
	assert_int_equal(occ_entry_binary(with.data, with.size, &binary),
			 OCC_OK);
	assert_span(binary, "binary");
	assert_true(binary.data >= with.data + hot_size(&with));
	assert_int_equal(occ_entry_texts(with.data, with.size, &texts), OCC_OK);
	assert_int_equal(occ_entry_texts(without.data, without.size, &other),
			 OCC_OK);
	assert_int_equal(texts.size, other.size);
	assert_memory_equal(texts.data, other.data, texts.size);
	decode(&without, &entry);
	assert_null(entry.code.data);
	assert_int_equal(occ_entry_binary(without.data, without.size, &binary),
			 OCC_OK);
	assert_span(binary, "binary");
	occ_buffer_release(&without);
	occ_buffer_release(&with);
}

static void test_entry__code_comes_and_goes(void **state)
{
	struct occ_buffer without = OCC_BUFFER_INIT, with = OCC_BUFFER_INIT;
	struct occ_buffer again = OCC_BUFFER_INIT, other = OCC_BUFFER_INIT;
	struct occ_entry entry;
	struct occ_span binary;

	(void)state;
	make_both(&without, &with);
	occ_entry_recode_code(with.data, none, &again);
	assert_int_equal(again.size, without.size);
	assert_memory_equal(again.data, without.data, again.size);
	occ_buffer_release(&again);
	occ_entry_recode_code(with.data, span("other"), &other);
	decode(&other, &entry);
	assert_span(entry.code, "other");
	assert_int_equal(occ_entry_binary(other.data, other.size, &binary),
			 OCC_OK);
	assert_span(binary, "binary");
	occ_entry_recode_code(other.data, span("device code"), &again);
	assert_int_equal(again.size, with.size);
	assert_memory_equal(again.data, with.data, again.size);
	occ_buffer_release(&again);
	occ_buffer_release(&other);
	occ_buffer_release(&without);
	occ_buffer_release(&with);
}

static void test_entry__code_goes_with_its_binary(void **state)
{
	struct occ_buffer without = OCC_BUFFER_INIT, with = OCC_BUFFER_INIT;
	struct occ_buffer metadata = OCC_BUFFER_INIT, other = OCC_BUFFER_INIT;
	struct occ_entry entry;
	struct occ_span binary;

	(void)state;
	make_both(&without, &with);
	occ_entry_recode(with.data, span("more metadata"), none, &metadata);
	decode(&metadata, &entry);
	assert_span(entry.metadata, "more metadata");
	assert_span(entry.code, "device code");
	assert_int_equal(occ_entry_binary(metadata.data, metadata.size,
					  &binary),
			 OCC_OK);
	assert_span(binary, "binary");
	occ_entry_recode(with.data, span("metadata"), span("another"), &other);
	decode(&other, &entry);
	assert_null(entry.code.data);
	assert_span(entry.binary, "another");
	occ_buffer_release(&metadata);
	occ_buffer_release(&other);
	occ_buffer_release(&without);
	occ_buffer_release(&with);
}

/* Each byte that was changed is seen: by who reads it. */
static void test_entry__rot(void **state)
{
	struct occ_buffer without = OCC_BUFFER_INIT, with = OCC_BUFFER_INIT;
	struct occ_entry entry;
	struct occ_span binary, texts;
	size_t hot;

	(void)state;
	make_both(&without, &with);
	hot = hot_size(&with);
	for (size_t i = 0; i < with.size; i++) {
		bool bad;

		with.data[i] ^= 0x55;
		bad = occ_entry_decode(with.data, hot, with.size, &entry);
		assert_int_equal(bad, i < hot);
		if (!bad)
			bad = occ_entry_binary(with.data, with.size, &binary) ||
			      occ_entry_texts(with.data, with.size, &texts);
		/* Between two cold sections nothing is read. */
		if (!bad)
			assert_int_equal(with.data[i], 0x55);
		with.data[i] ^= 0x55;
	}
	occ_buffer_release(&without);
	occ_buffer_release(&with);
}

/* Who rewrites the metadata doesn't vouch for a binary that he didn't read. */
static void test_entry__rot_stays_visible(void **state)
{
	struct occ_buffer without = OCC_BUFFER_INIT, with = OCC_BUFFER_INIT;
	struct occ_buffer again = OCC_BUFFER_INIT;
	struct occ_span binary;
	unsigned char *at;

	(void)state;
	make_both(&without, &with);
	assert_int_equal(occ_entry_binary(with.data, with.size, &binary),
			 OCC_OK);
	at = with.data + (binary.data - with.data);
	*at ^= 1;
	occ_entry_recode(with.data, span("metadata"), none, &again);
	assert_int_equal(occ_entry_binary(again.data, again.size, &binary),
			 OCC_E_CORRUPT);
	occ_buffer_release(&again);
	occ_buffer_release(&without);
	occ_buffer_release(&with);
}

/* Versions and sections belong together. */
static void test_entry__other_version(void **state)
{
	struct occ_buffer without = OCC_BUFFER_INIT, with = OCC_BUFFER_INIT;
	struct occ_entry entry;
	size_t size;

	(void)state;
	make_both(&without, &with);
	assert_int_equal(occ_get_u32(without.data + 8), OCC_ENTRY_VERSION);
	assert_int_equal(occ_get_u32(with.data + 8), OCC_ENTRY_VERSION_CODE);
	occ_put_u32(with.data + 8, OCC_ENTRY_VERSION);
	assert_int_equal(occ_entry_decode(with.data, hot_size(&with), with.size,
					  &entry),
			 OCC_E_CORRUPT);
	occ_put_u32(with.data + 8, OCC_ENTRY_VERSION_CODE + 1);
	assert_int_equal(occ_entry_hot_size(with.data, with.size, &size),
			 OCC_E_VERSION);
	occ_buffer_release(&without);
	occ_buffer_release(&with);
}

static void test_code__head(void **state)
{
	static const struct occ_code code = {.maker = 7,
					     .capability = 0x90001,
					     .bytes = {NULL, 0}};
	struct occ_code whole = code, read;
	struct occ_buffer section = OCC_BUFFER_INIT;

	(void)state;
	whole.bytes = span("bytes");
	occ_code_append(&whole, &section);
	assert_int_equal(section.size, OCC_CODE_HEAD_SIZE + 5);
	assert_true(occ_code_parse(span_of(&section), &read));
	assert_int_equal(read.maker, 7);
	assert_int_equal(read.capability, 0x90001);
	assert_span(read.bytes, "bytes");
	section.size = OCC_CODE_HEAD_SIZE;
	assert_false(occ_code_parse(span_of(&section), &read));
	assert_false(occ_code_parse(none, &read));
	occ_buffer_release(&section);
}

static void assert_lookup(struct occ_store *store, const struct occ_key *key,
			  const char *code, const char *binary)
{
	struct occ_loaded loaded;

	assert_int_equal(occ_store_lookup(store, key, &loaded), OCC_OK);
	if (code) {
		assert_span(loaded.entry.code, code);
		assert_null(loaded.entry.binary.data);
	} else {
		assert_null(loaded.entry.code.data);
		assert_span(loaded.entry.binary, binary);
	}
	occ_loaded_release(&loaded);
	assert_int_equal(occ_store_lookup_whole(store, key, &loaded), OCC_OK);
	assert_span(loaded.entry.binary, binary);
	occ_loaded_release(&loaded);
}

/* (S2), (S7) */
static void assert_counted(struct fixture *fixture, struct occ_store *store)
{
	unsigned char *data;
	uint64_t measured;
	size_t size;

	assert_int_equal(occ_store_measure(store, &measured), OCC_OK);
	data = fixture_read(fixture, "config.file", &size);
	assert_int_equal(occ_get_u64(data), measured);
	free(data);
}

static void test_store__set_code(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key, other;
	struct stat before, after;
	char name[64];

	long_key(&key, 1);
	long_key(&other, 2);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(occ_store_publish(store, &key, span("metadata"),
					   span("binary")),
			 OCC_OK);
	assert_lookup(store, &key, NULL, "binary");
	before = fixture_status(fixture, name);
	assert_int_equal(occ_store_set_code(store, &key, span("binary"),
					    span("device code")),
			 OCC_OK);
	after = fixture_status(fixture, name);
	assert_int_equal(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
	assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	assert_lookup(store, &key, "device code", "binary");
	assert_counted(fixture, store);
	assert_int_equal(occ_store_set_code(store, &key, span("another"),
					    span("wrong code")),
			 OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_set_code(store, &other, none, span("code")),
			 OCC_E_NOT_FOUND);
	assert_lookup(store, &key, "device code", "binary");
	assert_int_equal(occ_store_set_code(store, &key, none, none), OCC_OK);
	assert_lookup(store, &key, NULL, "binary");
	assert_int_equal(occ_store_set_code(store, &key, none, none), OCC_OK);
	assert_counted(fixture, store);
	occ_key_release(&other);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static bool make(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		 void *data)
{
	(void)old_bytes;
	occ_buffer_append(new_bytes, data, strlen(data));
	return true;
}

static void test_store__changes_with_code(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;

	long_key(&key, 1);
	assert_int_equal(occ_store_publish(store, &key, span("metadata"),
					   span("binary")),
			 OCC_OK);
	assert_int_equal(occ_store_set_code(store, &key, none, span("code")),
			 OCC_OK);
	assert_int_equal(occ_store_publish(store, &key, span("metadata"),
					   span("binary")),
			 OCC_E_EXISTS);
	assert_int_equal(occ_store_complete(store, &key, make, "more"), OCC_OK);
	assert_lookup(store, &key, "code", "binary");
	assert_int_equal(occ_store_renew(store, &key, span("metadata"),
					 span("new binary")),
			 OCC_OK);
	assert_lookup(store, &key, NULL, "new binary");
	assert_counted(fixture, store);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/*
 * Six programs fill a store; device code for any of them would be another's
 * room. Nothing goes, and what can be changed in its place is.
 */
static void test_store__keeps_all(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key keys[6];
	uint64_t size, before;

	for (unsigned i = 0; i < 6; i++) {
		long_key(&keys[i], i);
		assert_int_equal(occ_store_publish(store, &keys[i],
						   span("metadata"),
						   span("binary")),
				 OCC_OK);
	}
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	fixture_close_store(fixture, store);
	store = fixture_open_store(fixture, size + 100);
	occ_store_keep_all(store);
	occ_store_set_max_age(store, 1);
	before = size;
	assert_int_equal(occ_store_set_code(store, &keys[0], none,
					    span("code")),
			 OCC_E_TOO_LARGE);
	assert_int_equal(occ_store_try(store), OCC_OK);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_int_equal(size, before);
	fixture_close_store(fixture, store);
	store = fixture_open_store(fixture, 2 * before);
	occ_store_keep_all(store);
	assert_int_equal(occ_store_set_code(store, &keys[0], none,
					    span("code")),
			 OCC_OK);
	assert_lookup(store, &keys[0], "code", "binary");
	for (unsigned i = 1; i < 6; i++) {
		assert_lookup(store, &keys[i], NULL, "binary");
		occ_key_release(&keys[i]);
	}
	assert_counted(fixture, store);
	occ_key_release(&keys[0]);
	fixture_close_store(fixture, store);
}

/* A directory that no file can be made in, and what a try leaves. */
static void test_store__try(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	uint64_t before, after;

	assert_int_equal(occ_store_try(store), OCC_OK);
	assert_int_equal(occ_store_measure(store, &before), OCC_OK);
	assert_int_equal(occ_store_try(store), OCC_OK);
	assert_int_equal(occ_store_measure(store, &after), OCC_OK);
	assert_int_equal(after, before);
	assert_counted(fixture, store);
	fixture_close_store(fixture, store);
}

/* A cold binary with a wrong byte is a miss for who wants it, and removed. */
static void test_store__rotten_binary(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_loaded loaded;
	unsigned char *data, *at;
	struct occ_key key;
	char name[64];
	size_t size;

	long_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(occ_store_publish(store, &key, span("metadata"),
					   span("binary")),
			 OCC_OK);
	assert_int_equal(occ_store_set_code(store, &key, none, span("code")),
			 OCC_OK);
	data = fixture_read(fixture, name, &size);
	at = memmem(data, size, "binary", 6);
	assert_non_null(at);
	*at ^= 1;
	fixture_write(fixture, name, data, size);
	free(data);
	assert_int_equal(occ_store_lookup(store, &key, &loaded), OCC_OK);
	occ_loaded_release(&loaded);
	assert_int_equal(occ_store_lookup_whole(store, &key, &loaded),
			 OCC_E_CORRUPT);
	assert_int_equal(occ_store_lookup(store, &key, &loaded),
			 OCC_E_NOT_FOUND);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_memory__code_stays(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_loaded loaded;
	struct occ_kept *kept;
	struct occ_key key;

	occ_memory_set_capacity(1 << 20);
	long_key(&key, 1);
	assert_int_equal(occ_store_publish(store, &key, span("metadata"),
					   span("binary")),
			 OCC_OK);
	assert_int_equal(occ_store_set_code(store, &key, none, span("code")),
			 OCC_OK);
	assert_int_equal(occ_store_lookup(store, &key, &loaded), OCC_OK);
	kept = occ_kept_take(&loaded);
	assert_non_null(kept);
	occ_memory_put(kept);
	occ_kept_release(kept);
	occ_memory_complete(&key, make, "more metadata");
	kept = occ_memory_find(&key);
	assert_non_null(kept);
	assert_span(kept->entry.metadata, "more metadata");
	assert_span(kept->entry.code, "code");
	assert_null(kept->entry.binary.data);
	occ_kept_release(kept);
	occ_memory_clear();
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

#define ON_DISK(test)                                                          \
	cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry__code_is_hot_and_the_binary_cold),
		cmocka_unit_test(test_entry__code_comes_and_goes),
		cmocka_unit_test(test_entry__code_goes_with_its_binary),
		cmocka_unit_test(test_entry__rot),
		cmocka_unit_test(test_entry__rot_stays_visible),
		cmocka_unit_test(test_entry__other_version),
		cmocka_unit_test(test_code__head),
		ON_DISK(test_store__set_code),
		ON_DISK(test_store__changes_with_code),
		ON_DISK(test_store__keeps_all),
		ON_DISK(test_store__try),
		ON_DISK(test_store__rotten_binary),
		ON_DISK(test_memory__code_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
