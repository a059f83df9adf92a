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

static void test_key__too_many_long_fields_fail(void **state)
{
	char *source = calloc(1, OCC_KEY_INLINE_MAX + 1);
	struct occ_key key;

	(void)state;
	assert_non_null(source);
	occ_key_init(&key);
	for (int i = 0; i <= OCC_KEY_TEXTS_MAX; i++)
		occ_key_add(&key, OCC_KEY_SOURCE, source,
			    OCC_KEY_INLINE_MAX + 1);
	assert_int_equal(occ_key_finish(&key), -1);
	occ_key_release(&key);
	free(source);
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
		cmocka_unit_test(test_key__too_many_long_fields_fail),
		cmocka_unit_test(test_key__release_works_at_any_time),
		cmocka_unit_test(test_key__fields_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
