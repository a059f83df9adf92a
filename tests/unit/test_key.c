/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

static void two_fields(struct occ_key *key, enum occ_key_field first_id,
		       const char *first, enum occ_key_field second_id,
		       const char *second)
{
	occ_key_init(key);
	occ_key_add_string(key, first_id, first);
	occ_key_add_string(key, second_id, second);
	assert_int_equal(occ_key_finish(key), 0);
}

static bool same_stored(const struct occ_key *one, const struct occ_key *other)
{
	return one->stored.size == other->stored.size &&
	       !memcmp(one->stored.data, other->stored.data, one->stored.size);
}

/* Compares and releases both. */
static void assert_different(struct occ_key *one, struct occ_key *other)
{
	assert_memory_not_equal(one->hash.bytes, other->hash.bytes,
				OCC_DIGEST_SIZE);
	assert_false(same_stored(one, other));
	occ_key_release(one);
	occ_key_release(other);
}

static void test_key__same_inputs_same_key(void **state)
{
	struct occ_key one, other;

	(void)state;
	two_fields(&one, OCC_KEY_SOURCE, "ab", OCC_KEY_OPTIONS, "c");
	two_fields(&other, OCC_KEY_SOURCE, "ab", OCC_KEY_OPTIONS, "c");
	assert_memory_equal(one.hash.bytes, other.hash.bytes, OCC_DIGEST_SIZE);
	assert_true(same_stored(&one, &other));
	occ_key_release(&one);
	occ_key_release(&other);
}

/* Names of existing entries depend on it: a change is a new key version. */
static void test_key__hash_is_the_documented_one(void **state)
{
	char hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest digest;
	struct occ_key key;
	unsigned char bytes[16 + 2 + 16 + 1];

	(void)state;
	occ_field_header(bytes, OCC_KEY_SOURCE, OCC_FIELD_BYTES, 2);
	memcpy(bytes + 16, "ab", 2);
	occ_field_header(bytes + 18, OCC_KEY_OPTIONS, OCC_FIELD_BYTES, 1);
	memcpy(bytes + 34, "c", 1);
	occ_digest(bytes, sizeof(bytes), OCC_SEED_NAME, &digest);
	two_fields(&key, OCC_KEY_SOURCE, "ab", OCC_KEY_OPTIONS, "c");
	assert_memory_equal(key.hash.bytes, digest.bytes, OCC_DIGEST_SIZE);
	occ_digest_hex(&key.hash, hex);
	assert_string_equal(hex, "9b276bcf09c787aedbd7859e9f36ee6f");
	occ_key_release(&key);
}

static void test_key__bytes_cannot_move_between_fields(void **state)
{
	struct occ_key one, other;

	(void)state;
	two_fields(&one, OCC_KEY_SOURCE, "ab", OCC_KEY_OPTIONS, "c");
	two_fields(&other, OCC_KEY_SOURCE, "a", OCC_KEY_OPTIONS, "bc");
	assert_different(&one, &other);
}

static void test_key__ids_and_order_count(void **state)
{
	struct occ_key one, other;

	(void)state;
	two_fields(&one, OCC_KEY_SOURCE, "a", OCC_KEY_OPTIONS, "b");
	two_fields(&other, OCC_KEY_IL, "a", OCC_KEY_OPTIONS, "b");
	assert_different(&one, &other);
	two_fields(&one, OCC_KEY_SOURCE, "a", OCC_KEY_OPTIONS, "b");
	two_fields(&other, OCC_KEY_OPTIONS, "b", OCC_KEY_SOURCE, "a");
	assert_different(&one, &other);
}

static void test_key__empty_is_not_absent(void **state)
{
	struct occ_key one, other;

	(void)state;
	two_fields(&one, OCC_KEY_SOURCE, "a", OCC_KEY_OPTIONS, NULL);
	occ_key_init(&other);
	occ_key_add_string(&other, OCC_KEY_SOURCE, "a");
	assert_int_equal(occ_key_finish(&other), 0);
	assert_different(&one, &other);
}

static void source_key(struct occ_key *key, const char *source, size_t size)
{
	occ_key_init(key);
	occ_key_add(key, OCC_KEY_SOURCE, source, size);
	assert_int_equal(occ_key_finish(key), 0);
}

static void test_key__long_fields_are_stored_as_digest(void **state)
{
	char *source = calloc(1, OCC_KEY_INLINE_MAX + 1);
	struct occ_digest digest;
	struct occ_field field;
	struct occ_key key;

	(void)state;
	assert_non_null(source);
	source_key(&key, source, OCC_KEY_INLINE_MAX);
	assert_int_equal(key.text_count, 0);
	assert_int_equal(key.stored.size, 16 + OCC_KEY_INLINE_MAX);
	occ_key_release(&key);

	source_key(&key, source, OCC_KEY_INLINE_MAX + 1);
	assert_int_equal(key.text_count, 1);
	assert_int_equal(key.texts[0].id, OCC_KEY_SOURCE);
	assert_ptr_equal(key.texts[0].data, source);
	assert_int_equal(key.texts[0].size, OCC_KEY_INLINE_MAX + 1);
	assert_int_equal(key.stored.size, 32);
	assert_int_equal(occ_field_find(key.stored.data, key.stored.size,
					OCC_KEY_SOURCE, &field),
			 1);
	assert_int_equal(field.kind, OCC_FIELD_DIGEST);
	assert_int_equal(field.length, OCC_KEY_INLINE_MAX + 1);
	occ_digest(source, OCC_KEY_INLINE_MAX + 1, OCC_SEED_FIELD, &digest);
	assert_memory_equal(field.payload, digest.bytes, OCC_DIGEST_SIZE);
	occ_key_release(&key);
	free(source);
}

static void test_key__every_byte_of_a_long_field_counts(void **state)
{
	const size_t size = OCC_KEY_INLINE_MAX + 100;
	char *source = calloc(1, size), *other_source = calloc(1, size);
	struct occ_key one, other;

	(void)state;
	assert_non_null(source);
	assert_non_null(other_source);
	for (size_t at = 0; at < size; at += 97) {
		other_source[at] ^= 1;
		source_key(&one, source, size);
		source_key(&other, other_source, size);
		assert_different(&one, &other);
		other_source[at] ^= 1;
	}
	free(source);
	free(other_source);
}

static void test_key__any_number_of_long_fields(void **state)
{
	enum { COUNT = 1000, SIZE = OCC_KEY_INLINE_MAX + 1 };
	unsigned char *texts = calloc(COUNT, SIZE);
	struct occ_field field;
	struct occ_digest digest;
	size_t offset = 0;
	struct occ_key key;

	(void)state;
	assert_non_null(texts);
	occ_key_init(&key);
	for (size_t i = 0; i < COUNT; i++) {
		occ_put_u64(texts + i * SIZE, i);
		occ_key_add(&key, OCC_KEY_HEADER_SOURCE, texts + i * SIZE,
			    SIZE);
	}
	assert_int_equal(occ_key_finish(&key), 0);
	assert_int_equal(key.text_count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		assert_ptr_equal(key.texts[i].data, texts + i * SIZE);
		assert_int_equal(occ_field_next(key.stored.data,
						key.stored.size, &offset,
						&field),
				 1);
		occ_digest(texts + i * SIZE, SIZE, OCC_SEED_FIELD, &digest);
		assert_memory_equal(field.payload, digest.bytes,
				    OCC_DIGEST_SIZE);
	}
	assert_int_equal(offset, key.stored.size);
	occ_key_release(&key);
	assert_null(key.texts);
	free(texts);
}

/* Headers: name and text again and again, short and long ones. */
static void headers_key(struct occ_key *key, const char *const *texts,
			size_t count)
{
	occ_key_init(key);
	for (size_t i = 0; i < count; i += 2) {
		occ_key_add_string(key, OCC_KEY_HEADER_NAME, texts[i]);
		occ_key_add_string(key, OCC_KEY_HEADER_SOURCE, texts[i + 1]);
	}
	assert_int_equal(occ_key_finish(key), 0);
}

/* (K4) */
static void test_key__repeated_ids_are_kept_apart(void **state)
{
	static const char *const texts[] = {"a", "x", "b", "y"};
	static const char *const others[][4] = {
		{"b", "y", "a", "x"}, /* order */
		{"a", "y", "b", "x"},
		{"a", "xy", "b", ""}, /* where they are cut */
		{"ab", "x", "", "y"},
		{"a", "x", "a", "x"}, /* how often */
	};
	struct occ_key one, other;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		headers_key(&one, texts, 4);
		headers_key(&other, others[i], 4);
		assert_different(&one, &other);
	}
	headers_key(&one, texts, 4);
	headers_key(&other, texts, 2);
	assert_different(&one, &other);
	headers_key(&one, texts, 4);
	headers_key(&other, texts, 4);
	assert_true(same_stored(&one, &other));
	occ_key_release(&one);
	occ_key_release(&other);
}

static void link_key(struct occ_key *key, const struct occ_key *first,
		     const struct occ_key *second)
{
	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPERATION, "link");
	occ_key_add_input(key, first);
	occ_key_add_input(key, second);
	assert_int_equal(occ_key_finish(key), 0);
}

static void test_key__link_inputs_by_key(void **state)
{
	struct occ_key first, second, one, other;
	struct occ_digest digest;
	struct occ_field field;

	(void)state;
	fixture_key(&first, 1);
	fixture_key(&second, 2);
	link_key(&one, &first, &second);
	assert_int_equal(occ_field_find(one.stored.data, one.stored.size,
					OCC_KEY_LINK_INPUT, &field),
			 1);
	assert_int_equal(field.length, OCC_KEY_INPUT_SIZE);
	occ_digest(first.stored.data, first.stored.size, OCC_SEED_FIELD,
		   &digest);
	assert_memory_equal(field.payload, first.hash.bytes, OCC_DIGEST_SIZE);
	assert_memory_equal(field.payload + OCC_DIGEST_SIZE, digest.bytes,
			    OCC_DIGEST_SIZE);
	link_key(&other, &second, &first);
	assert_different(&one, &other);
	/* Another key with the same hash is another input. */
	link_key(&one, &first, &second);
	first.stored.data[0] ^= 1;
	link_key(&other, &first, &second);
	assert_different(&one, &other);
	occ_key_release(&first);
	occ_key_release(&second);
}

static void binary_key(struct occ_key *key, const void *data, size_t size)
{
	occ_key_init(key);
	occ_key_add_binary(key, data, size);
	assert_int_equal(occ_key_finish(key), 0);
}

static void test_key__link_inputs_by_bytes(void **state)
{
	unsigned char bytes[64] = {0};
	struct occ_key one, other;
	struct occ_field field;

	(void)state;
	binary_key(&one, bytes, sizeof(bytes));
	binary_key(&other, bytes, sizeof(bytes) - 1);
	assert_int_equal(occ_field_find(one.stored.data, one.stored.size,
					OCC_KEY_LINK_INPUT, &field),
			 1);
	assert_int_equal(field.length, OCC_KEY_BINARY_SIZE);
	assert_int_equal(occ_get_u32(field.payload), OCC_KEY_BINARY_TAG);
	assert_int_equal(occ_get_u64(field.payload + 4), sizeof(bytes));
	assert_different(&one, &other);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		binary_key(&one, bytes, sizeof(bytes));
		bytes[i] ^= 1;
		binary_key(&other, bytes, sizeof(bytes));
		bytes[i] ^= 1;
		assert_different(&one, &other);
	}
	binary_key(&one, NULL, 0);
	assert_int_equal(one.text_count, 0);
	occ_key_release(&one);
}

static void test_key__fields_at_once_are_the_same(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 8, 100, 4095, 4096, 4097, 9000};
	static unsigned char bytes[9000];
	struct occ_buffer fields = OCC_BUFFER_INIT;
	struct occ_key one, other;

	(void)state;
	occ_key_init(&one);
	occ_key_init(&other);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		occ_key_add(&one, OCC_KEY_INCLUDE_FILE, bytes, sizes[i]);
		occ_field_append(&fields, OCC_KEY_INCLUDE_FILE, bytes,
				 sizes[i]);
	}
	occ_key_add_fields(&other, &fields);
	assert_int_equal(occ_key_finish(&one), 0);
	assert_int_equal(occ_key_finish(&other), 0);
	assert_memory_equal(one.hash.bytes, other.hash.bytes, OCC_DIGEST_SIZE);
	assert_true(same_stored(&one, &other));
	assert_int_equal(one.text_count, other.text_count);
	occ_key_release(&one);
	occ_key_release(&other);
	occ_buffer_release(&fields);
}

static void test_key__release_works_at_any_time(void **state)
{
	struct occ_key key;

	(void)state;
	occ_key_init(&key);
	occ_key_release(&key);
	occ_key_release(&key);
	occ_key_init(&key);
	occ_key_add_string(&key, OCC_KEY_SOURCE, "a");
	occ_key_release(&key);
}

static void test_key__fields_have_names(void **state)
{
	(void)state;
	assert_string_equal(occ_key_field_name(OCC_KEY_OPTIONS),
			    "build options");
	assert_string_equal(occ_key_field_name(9999), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key__same_inputs_same_key),
		cmocka_unit_test(test_key__hash_is_the_documented_one),
		cmocka_unit_test(test_key__bytes_cannot_move_between_fields),
		cmocka_unit_test(test_key__ids_and_order_count),
		cmocka_unit_test(test_key__empty_is_not_absent),
		cmocka_unit_test(test_key__long_fields_are_stored_as_digest),
		cmocka_unit_test(test_key__every_byte_of_a_long_field_counts),
		cmocka_unit_test(test_key__any_number_of_long_fields),
		cmocka_unit_test(test_key__repeated_ids_are_kept_apart),
		cmocka_unit_test(test_key__link_inputs_by_key),
		cmocka_unit_test(test_key__link_inputs_by_bytes),
		cmocka_unit_test(test_key__fields_at_once_are_the_same),
		cmocka_unit_test(test_key__release_works_at_any_time),
		cmocka_unit_test(test_key__fields_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
