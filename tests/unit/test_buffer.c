/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

static void test_buffer__appends_and_grows(void **state)
{
	struct occ_buffer buffer = OCC_BUFFER_INIT;
	unsigned char byte;

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		byte = (unsigned char)(i % 251);
		occ_buffer_append(&buffer, &byte, 1);
	}
	assert_false(buffer.failed);
	assert_int_equal(buffer.size, 100000);
	for (unsigned int i = 0; i < 100000; i++)
		assert_int_equal(buffer.data[i], i % 251);
	occ_buffer_release(&buffer);
	assert_null(buffer.data);
	assert_int_equal(buffer.size, 0);
}

static void test_buffer__aligns_with_zeros(void **state)
{
	struct occ_buffer buffer = OCC_BUFFER_INIT;

	(void)state;
	occ_buffer_align(&buffer, 64);
	assert_int_equal(buffer.size, 0);
	occ_buffer_append(&buffer, "x", 1);
	occ_buffer_align(&buffer, 64);
	assert_int_equal(buffer.size, 64);
	for (int i = 1; i < 64; i++)
		assert_int_equal(buffer.data[i], 0);
	occ_buffer_align(&buffer, 64);
	assert_int_equal(buffer.size, 64);
	occ_buffer_release(&buffer);
}

static void test_buffer__failure_sticks(void **state)
{
	struct occ_buffer buffer = OCC_BUFFER_INIT;

	(void)state;
	occ_buffer_append(&buffer, "ab", 2);
	occ_buffer_append(&buffer, "ab", SIZE_MAX / 2);
	assert_true(buffer.failed);
	occ_buffer_append(&buffer, "c", 1);
	assert_int_equal(buffer.size, 2);
	occ_buffer_release(&buffer);
}

static void test_buffer__empty_append_accepts_null(void **state)
{
	struct occ_buffer buffer = OCC_BUFFER_INIT;

	(void)state;
	occ_buffer_append(&buffer, NULL, 0);
	assert_false(buffer.failed);
	assert_null(buffer.data);
}

static void test_numbers__are_little_endian(void **state)
{
	static const unsigned char expected[] = {8, 7, 6, 5, 4, 3, 2, 1};
	unsigned char bytes[9] = {0};

	(void)state;
	/* Odd address: alignment must not matter. */
	occ_put_u64(bytes + 1, UINT64_C(0x0102030405060708));
	assert_memory_equal(bytes + 1, expected, 8);
	assert_true(occ_get_u64(bytes + 1) == UINT64_C(0x0102030405060708));
	assert_int_equal(occ_get_u32(bytes + 1), 0x05060708);
	assert_int_equal(occ_get_u16(bytes + 1), 0x0708);
	occ_put_u32(bytes, 0xfffefdfc);
	assert_int_equal(bytes[0], 0xfc);
	occ_put_u16(bytes, 0xfbfa);
	assert_int_equal(bytes[0], 0xfa);
}

static void test_field__round_trip(void **state)
{
	struct occ_buffer buffer = OCC_BUFFER_INIT;
	struct occ_field field;
	size_t offset = 0;

	(void)state;
	occ_field_append(&buffer, 3, "hello", 5);
	occ_field_append(&buffer, 4, NULL, 0);
	assert_int_equal(buffer.size, 16 + 8 + 16);
	assert_int_equal(occ_field_next(buffer.data, buffer.size, &offset,
					&field),
			 1);
	assert_int_equal(field.id, 3);
	assert_int_equal(field.length, 5);
	assert_memory_equal(field.payload, "hello", 5);
	assert_int_equal(occ_field_next(buffer.data, buffer.size, &offset,
					&field),
			 1);
	assert_int_equal(field.id, 4);
	assert_int_equal(field.length, 0);
	assert_int_equal(occ_field_next(buffer.data, buffer.size, &offset,
					&field),
			 0);
	assert_int_equal(occ_field_find(buffer.data, buffer.size, 4, &field),
			 1);
	assert_int_equal(occ_field_find(buffer.data, buffer.size, 5, &field),
			 0);
	occ_buffer_release(&buffer);
}

static void test_field__every_truncation_is_malformed(void **state)
{
	struct occ_buffer buffer = OCC_BUFFER_INIT;
	struct occ_field field;

	(void)state;
	occ_field_append(&buffer, 3, "hello", 5);
	for (size_t size = 1; size < buffer.size; size++) {
		/* A copy of just that size, for the address sanitizer. */
		unsigned char *copy = malloc(size);
		size_t offset = 0;

		assert_non_null(copy);
		memcpy(copy, buffer.data, size);
		assert_int_equal(occ_field_next(copy, size, &offset, &field),
				 -1);
		assert_int_equal(offset, 0);
		free(copy);
	}
	occ_buffer_release(&buffer);
}

static void test_field__hostile_headers_are_malformed(void **state)
{
	static const uint64_t lengths[] = {9,
					   1 << 20,
					   UINT64_MAX,
					   UINT64_MAX - 6,
					   UINT64_MAX - 15,
					   (uint64_t)1 << 63};
	unsigned char bytes[24] = {0};
	struct occ_field field;
	size_t offset = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		occ_field_header(bytes, 1, OCC_FIELD_BYTES, lengths[i]);
		assert_int_equal(occ_field_next(bytes, sizeof(bytes), &offset,
						&field),
				 -1);
	}
	occ_field_header(bytes, 1, 2, 8);
	assert_int_equal(occ_field_next(bytes, sizeof(bytes), &offset, &field),
			 -1);
	occ_field_header(bytes, 1, OCC_FIELD_BYTES, 8);
	bytes[4] = 1;
	assert_int_equal(occ_field_next(bytes, sizeof(bytes), &offset, &field),
			 -1);
	offset = 25;
	bytes[4] = 0;
	assert_int_equal(occ_field_next(bytes, sizeof(bytes), &offset, &field),
			 -1);
}

static void test_strings__are_found_as_a_whole(void **state)
{
	struct occ_buffer buffer = OCC_BUFFER_INIT;

	(void)state;
	assert_false(occ_buffer_has_string(&buffer, ""));
	occ_buffer_append(&buffer, "/one\0/two/three", 16);
	assert_true(occ_buffer_has_string(&buffer, "/one"));
	assert_true(occ_buffer_has_string(&buffer, "/two/three"));
	assert_false(occ_buffer_has_string(&buffer, "/two"));
	assert_false(occ_buffer_has_string(&buffer, "one"));
	assert_false(occ_buffer_has_string(&buffer, ""));
	occ_buffer_append(&buffer, "", 1);
	assert_true(occ_buffer_has_string(&buffer, ""));
	occ_buffer_release(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffer__appends_and_grows),
		cmocka_unit_test(test_buffer__aligns_with_zeros),
		cmocka_unit_test(test_buffer__failure_sticks),
		cmocka_unit_test(test_buffer__empty_append_accepts_null),
		cmocka_unit_test(test_strings__are_found_as_a_whole),
		cmocka_unit_test(test_numbers__are_little_endian),
		cmocka_unit_test(test_field__round_trip),
		cmocka_unit_test(test_field__every_truncation_is_malformed),
		cmocka_unit_test(test_field__hostile_headers_are_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
