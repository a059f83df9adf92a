/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "cache/entry.h"

#define GOLDEN	    "tests/golden/entry-v1.cl_cache"
#define LONG_SIZE   5000

/* Offsets of doc/format.md, on purpose not shared with the code. */
#define HEADER_SIZE 64
#define LINE_SIZE   40
#define LINE(index) (HEADER_SIZE + (index)*LINE_SIZE)

static unsigned char long_source[LONG_SIZE];
static unsigned char binary_bytes[100];

/* Nothing here may ever change: the golden file is made of it. */
static void make_key(struct occ_key *key, bool with_text)
{
	unsigned char version[4];

	for (size_t i = 0; i < LONG_SIZE; i++)
		long_source[i] = (unsigned char)('a' + i % 26);
	occ_put_u32(version, 1);
	occ_key_init(key);
	occ_key_add(key, OCC_KEY_VERSION, version, sizeof(version));
	occ_key_add_string(key, OCC_KEY_OPERATION, "build");
	if (with_text)
		occ_key_add(key, OCC_KEY_SOURCE, long_source, LONG_SIZE);
	occ_key_add_string(key, OCC_KEY_OPTIONS, "-cl-mad-enable");
	assert_int_equal(occ_key_finish(key), 0);
}

static void make_metadata(struct occ_buffer *metadata)
{
	occ_field_append(metadata, OCC_META_BUILD_LOG, "warning", 8);
	occ_meta_append_number(metadata, OCC_META_BINARY_TYPE, 4);
	occ_meta_append_number(metadata, OCC_META_CREATED, 1800000000);
	occ_field_append(metadata, OCC_META_WRITER, "oclcache 0.1.0", 14);
}

static void make_entry(bool with_text, struct occ_buffer *file)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	struct occ_key key;

	for (size_t i = 0; i < sizeof(binary_bytes); i++)
		binary_bytes[i] = (unsigned char)i;
	make_key(&key, with_text);
	make_metadata(&metadata);
	occ_entry_encode(&key, occ_buffer_span(&metadata),
			 (struct occ_span){binary_bytes, sizeof(binary_bytes)},
			 file);
	assert_false(file->failed);
	occ_buffer_release(&metadata);
	occ_key_release(&key);
}

/* As a reader does it; from a copy of just the size, for the sanitizer. */
static int decode(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct occ_span fields;
	struct occ_entry entry;
	size_t hot_size;
	int error;

	assert_non_null(copy);
	memcpy(copy, data, size);
	error = size < HEADER_SIZE ? OCC_E_CORRUPT
				   : occ_entry_hot_size(copy, size, &hot_size);
	if (!error) {
		unsigned char *hot = malloc(hot_size);

		assert_true(hot_size <= size);
		assert_non_null(hot);
		memcpy(hot, copy, hot_size);
		error = occ_entry_decode(hot, hot_size, size, &entry);
		free(hot);
	}
	if (!error)
		error = occ_entry_texts(copy, size, &fields);
	free(copy);
	return error;
}

/* The checksum as documented: hostile bytes have a right one. */
static void seal(unsigned char *data)
{
	size_t hot_size = (size_t)occ_get_u64(data + 24);
	unsigned char header[HEADER_SIZE];
	struct occ_digest digest;

	occ_digest(data + HEADER_SIZE, hot_size - HEADER_SIZE,
		   OCC_SEED_CHECKSUM, &digest);
	memcpy(header, data, 48);
	memcpy(header + 48, digest.bytes, 16);
	occ_digest(header, HEADER_SIZE, OCC_SEED_CHECKSUM, &digest);
	memcpy(data + 48, digest.bytes, 16);
}

static void test_entry__round_trip(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_entry entry;
	struct occ_span bytes;
	struct occ_key key;
	size_t hot_size;

	(void)state;
	make_entry(true, &file);
	make_key(&key, true);
	assert_int_equal(occ_entry_hot_size(file.data, file.size, &hot_size),
			 OCC_OK);
	assert_true(hot_size < file.size - LONG_SIZE);
	assert_int_equal(occ_entry_decode(file.data, hot_size, file.size,
					  &entry),
			 OCC_OK);
	assert_memory_equal(entry.hash.bytes, key.hash.bytes, OCC_DIGEST_SIZE);
	assert_int_equal(entry.key.size, key.stored.size);
	assert_memory_equal(entry.key.data, key.stored.data, key.stored.size);
	assert_int_equal(entry.binary.size, sizeof(binary_bytes));
	assert_memory_equal(entry.binary.data, binary_bytes,
			    sizeof(binary_bytes));
	assert_int_equal(occ_entry_number(&entry, OCC_META_BINARY_TYPE, 9), 4);
	assert_int_equal(occ_entry_number(&entry, OCC_META_KERNEL_COUNT, 9), 9);
	assert_int_equal(occ_entry_number(&entry, OCC_META_WRITER, 9), 9);
	bytes = occ_entry_bytes(&entry, OCC_META_BUILD_LOG);
	assert_int_equal(bytes.size, 8);
	assert_string_equal((const char *)bytes.data, "warning");
	bytes = occ_entry_bytes(&entry, OCC_META_KERNEL_NAMES);
	assert_null(bytes.data);
	occ_key_release(&key);
	occ_buffer_release(&file);
}

static void test_entry__texts_are_the_long_fields(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_field field;
	struct occ_span fields;

	(void)state;
	make_entry(true, &file);
	assert_int_equal(occ_entry_texts(file.data, file.size, &fields),
			 OCC_OK);
	assert_int_equal(occ_field_find(fields.data, fields.size,
					OCC_KEY_SOURCE, &field),
			 1);
	assert_int_equal(field.length, LONG_SIZE);
	assert_memory_equal(field.payload, long_source, LONG_SIZE);
	occ_buffer_release(&file);

	make_entry(false, &file);
	assert_int_equal(occ_entry_texts(file.data, file.size, &fields),
			 OCC_OK);
	assert_int_equal(fields.size, 0);
	occ_buffer_release(&file);
}

static void test_entry__every_bit_flip_is_rejected(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;

	(void)state;
	make_entry(false, &file);
	assert_int_equal(decode(file.data, file.size), OCC_OK);
	for (size_t bit = 0; bit < 8 * file.size; bit++) {
		file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		if (decode(file.data, file.size) == OCC_OK)
			fail_msg("bit %zu", bit);
		file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	occ_buffer_release(&file);
}

static void test_entry__every_byte_of_the_texts_counts(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;

	(void)state;
	make_entry(true, &file);
	for (size_t at = 0; at < file.size; at++) {
		file.data[at] ^= 0x10;
		if (decode(file.data, file.size) == OCC_OK)
			fail_msg("byte %zu", at);
		file.data[at] ^= 0x10;
	}
	assert_int_equal(decode(file.data, file.size), OCC_OK);
	occ_buffer_release(&file);
}

static void test_entry__every_truncation_is_rejected(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	static const unsigned char more[64];

	(void)state;
	make_entry(false, &file);
	for (size_t size = 0; size < file.size; size++)
		assert_int_equal(decode(file.data, size), OCC_E_CORRUPT);
	occ_buffer_append(&file, more, sizeof(more));
	assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
	occ_buffer_release(&file);
}

static void test_entry__hot_part_must_be_whole(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_entry entry;
	size_t hot_size;

	(void)state;
	make_entry(true, &file);
	assert_int_equal(occ_entry_hot_size(file.data, file.size, &hot_size),
			 OCC_OK);
	memset(&entry, 0x55, sizeof(entry));
	for (size_t size = 0; size < hot_size; size++)
		assert_int_equal(occ_entry_decode(file.data, size, file.size,
						  &entry),
				 OCC_E_CORRUPT);
	assert_int_equal(((unsigned char *)&entry)[0], 0x55);
	occ_buffer_release(&file);
}

static void test_entry__other_version_is_told_apart(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;

	(void)state;
	make_entry(false, &file);
	occ_put_u32(file.data + 8, OCC_ENTRY_VERSION_CODE + 1);
	assert_int_equal(decode(file.data, file.size), OCC_E_VERSION);
	occ_put_u32(file.data + 8, 0);
	assert_int_equal(decode(file.data, file.size), OCC_E_VERSION);
	file.data[0] = 'x';
	assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
	occ_buffer_release(&file);
}

/* Every number, one at a time, set to what might overflow something. */
static void test_entry__hostile_numbers_are_rejected(void **state)
{
	static const uint64_t numbers[] = {1,
					   63,
					   65,
					   UINT64_MAX,
					   UINT64_MAX - 63,
					   UINT64_MAX - 127,
					   (uint64_t)1 << 63,
					   (uint64_t)1 << 32,
					   ((uint64_t)1 << 32) - 64};
	struct occ_buffer file = OCC_BUFFER_INIT;
	uint64_t good, offset;

	(void)state;
	make_entry(true, &file);
	for (size_t n = 0; n < sizeof(numbers) / sizeof(*numbers); n++) {
		for (unsigned int i = 0; i < 8; i++) {
			/* Offset and length of four sections. */
			unsigned char *at =
				file.data + LINE(i / 2) + 8 + 8 * (i % 2);

			good = occ_get_u64(at);
			offset = occ_get_u64(file.data + LINE(i / 2) + 8);
			occ_put_u64(at, numbers[n]);
			seal(file.data);
			/* A shorter hot section is well-formed. */
			if (i % 2 == 0 || i / 2 == 3 ||
			    numbers[n] > file.size - offset)
				assert_int_equal(decode(file.data, file.size),
						 OCC_E_CORRUPT);
			occ_put_u64(at, good);
		}
		seal(file.data);
		for (unsigned int at = 16; at <= 24; at += 8) {
			good = occ_get_u64(file.data + at);
			occ_put_u64(file.data + at, numbers[n]);
			assert_int_equal(decode(file.data, file.size),
					 OCC_E_CORRUPT);
			occ_put_u64(file.data + at, good);
		}
	}
	assert_int_equal(decode(file.data, file.size), OCC_OK);
	occ_buffer_release(&file);
}

static void test_entry__hostile_section_counts_are_rejected(void **state)
{
	static const uint32_t counts[] = {0,
					  1,
					  2,
					  65,
					  0x10000,
					  UINT32_MAX,
					  UINT32_MAX / 40,
					  UINT32_MAX / 40 + 1};
	struct occ_buffer file = OCC_BUFFER_INIT;

	(void)state;
	make_entry(false, &file);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		occ_put_u32(file.data + 12, counts[i]);
		seal(file.data);
		assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
	}
	occ_buffer_release(&file);
}

static void test_entry__hot_size_zero_is_rejected(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	size_t hot_size;

	(void)state;
	make_entry(false, &file);
	occ_put_u64(file.data + 24, 0);
	assert_int_equal(occ_entry_hot_size(file.data, file.size, &hot_size),
			 OCC_E_CORRUPT);
	occ_put_u64(file.data + 24, 64);
	assert_int_equal(occ_entry_hot_size(file.data, file.size, &hot_size),
			 OCC_E_CORRUPT);
	occ_buffer_release(&file);
}

static void test_entry__overlaps_and_duplicates_are_rejected(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	uint64_t good;

	(void)state;
	make_entry(false, &file);
	/* The metadata on top of the key. */
	good = occ_get_u64(file.data + LINE(1) + 8);
	occ_put_u64(file.data + LINE(1) + 8,
		    occ_get_u64(file.data + LINE(0) + 8));
	seal(file.data);
	assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
	occ_put_u64(file.data + LINE(1) + 8, good);
	/* Two keys. */
	occ_put_u32(file.data + LINE(1), 1);
	seal(file.data);
	assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
	/* No metadata, one unknown. */
	occ_put_u32(file.data + LINE(1), 77);
	seal(file.data);
	assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
	/* A binary outside the checksum. */
	occ_put_u32(file.data + LINE(1), 2);
	occ_put_u32(file.data + LINE(2) + 4, 1);
	seal(file.data);
	assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
	occ_buffer_release(&file);
}

/* A flag may say that the bytes mean something else. */
static void test_entry__unknown_flags_of_known_sections(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;

	(void)state;
	make_entry(true, &file);
	for (unsigned int i = 0; i < 4; i++) {
		file.data[LINE(i) + 4] ^= 2;
		seal(file.data);
		assert_int_equal(decode(file.data, file.size), OCC_E_CORRUPT);
		file.data[LINE(i) + 4] ^= 2;
	}
	occ_buffer_release(&file);
}

/* A later writer of this version may add sections. */
static void test_entry__unknown_sections_are_tolerated(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_entry entry;
	struct occ_span fields;
	size_t hot_size;

	(void)state;
	make_entry(true, &file);
	occ_put_u32(file.data + LINE(3), 0xabcd);
	occ_put_u32(file.data + LINE(3) + 4, 0xf1);
	seal(file.data);
	assert_int_equal(occ_entry_hot_size(file.data, file.size, &hot_size),
			 OCC_OK);
	assert_int_equal(occ_entry_decode(file.data, hot_size, file.size,
					  &entry),
			 OCC_OK);
	assert_int_equal(occ_entry_texts(file.data, file.size, &fields),
			 OCC_OK);
	assert_int_equal(fields.size, 0);
	occ_buffer_release(&file);
}

static void recode(const struct occ_buffer *file, const char *metadata,
		   struct occ_span binary, struct occ_buffer *ret_file)
{
	struct occ_span bytes = {(const unsigned char *)metadata,
				 strlen(metadata)};

	occ_entry_recode(file->data, bytes, binary, ret_file);
	assert_false(ret_file->failed);
	assert_int_equal(decode(ret_file->data, ret_file->size), OCC_OK);
}

/* There and back again is the same file, with a cold part and without. */
static void test_entry__recode_and_back(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT, other = OCC_BUFFER_INIT,
			  again = OCC_BUFFER_INIT, metadata = OCC_BUFFER_INIT;
	struct occ_span binary = {binary_bytes, sizeof(binary_bytes)};

	(void)state;
	make_metadata(&metadata);
	for (int with_text = 0; with_text < 2; with_text++) {
		make_entry(with_text, &file);
		recode(&file, "m", (struct occ_span){0}, &other);
		assert_true(other.size < file.size);
		occ_entry_recode(other.data, occ_buffer_span(&metadata), binary,
				 &again);
		assert_int_equal(again.size, file.size);
		assert_memory_equal(again.data, file.data, file.size);
		occ_buffer_release(&file);
		occ_buffer_release(&other);
		occ_buffer_release(&again);
	}
	occ_buffer_release(&metadata);
}

/* The texts as a section of a later version, cold or hot, with flags. */
static void test_entry__recode_keeps_unknown_sections(void **state)
{
	struct occ_buffer file = OCC_BUFFER_INIT, other = OCC_BUFFER_INIT;
	struct occ_span binary = {binary_bytes, sizeof(binary_bytes)};
	unsigned char line[LINE_SIZE];
	uint64_t offset;

	(void)state;
	make_entry(true, &file);
	occ_put_u32(file.data + LINE(3), 0xabcd);
	occ_put_u32(file.data + LINE(3) + 4, 0xf1);
	seal(file.data);
	memcpy(line, file.data + LINE(3), LINE_SIZE);
	recode(&file, "m", binary, &other);
	/* Type and flags, length and checksum: all but the offset. */
	assert_memory_equal(other.data + LINE(3), line, 8);
	assert_memory_equal(other.data + LINE(3) + 16, line + 16, 24);
	offset = occ_get_u64(other.data + LINE(3) + 8);
	assert_true(offset < occ_get_u64(line + 8));
	assert_memory_equal(other.data + offset,
			    file.data + occ_get_u64(line + 8),
			    occ_get_u64(line + 16));
	occ_buffer_release(&other);
	occ_buffer_release(&file);
}

static void test_entry__malformed_metadata_reads_as_absent(void **state)
{
	struct occ_entry entry = {0};
	struct occ_buffer metadata = OCC_BUFFER_INIT;

	(void)state;
	occ_meta_append_number(&metadata, OCC_META_CREATED, 5);
	entry.metadata = occ_buffer_span(&metadata);
	assert_int_equal(occ_entry_number(&entry, OCC_META_CREATED, 1), 5);
	occ_put_u64(metadata.data + 8, UINT64_MAX);
	assert_int_equal(occ_entry_number(&entry, OCC_META_CREATED, 1), 1);
	assert_null(occ_entry_bytes(&entry, OCC_META_CREATED).data);
	occ_buffer_release(&metadata);
}

/*
 * Fails when the format changes, which needs a new OCC_ENTRY_VERSION and a
 * golden file of its own.
 */
static void test_entry__golden_file(void **state)
{
	struct fixture here = {.directory = AT_FDCWD};
	struct occ_buffer file = OCC_BUFFER_INIT;
	unsigned char *golden;
	size_t size;

	(void)state;
	make_entry(true, &file);
	golden = fixture_read(&here, GOLDEN, &size);
	assert_int_equal(decode(golden, size), OCC_OK);
	assert_int_equal(size, file.size);
	assert_memory_equal(golden, file.data, size);
	free(golden);
	occ_buffer_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry__round_trip),
		cmocka_unit_test(test_entry__texts_are_the_long_fields),
		cmocka_unit_test(test_entry__every_bit_flip_is_rejected),
		cmocka_unit_test(test_entry__every_byte_of_the_texts_counts),
		cmocka_unit_test(test_entry__every_truncation_is_rejected),
		cmocka_unit_test(test_entry__hot_part_must_be_whole),
		cmocka_unit_test(test_entry__other_version_is_told_apart),
		cmocka_unit_test(test_entry__hostile_numbers_are_rejected),
		cmocka_unit_test(
			test_entry__hostile_section_counts_are_rejected),
		cmocka_unit_test(test_entry__hot_size_zero_is_rejected),
		cmocka_unit_test(
			test_entry__overlaps_and_duplicates_are_rejected),
		cmocka_unit_test(test_entry__unknown_flags_of_known_sections),
		cmocka_unit_test(test_entry__unknown_sections_are_tolerated),
		cmocka_unit_test(test_entry__recode_and_back),
		cmocka_unit_test(test_entry__recode_keeps_unknown_sections),
		cmocka_unit_test(
			test_entry__malformed_metadata_reads_as_absent),
		cmocka_unit_test(test_entry__golden_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
