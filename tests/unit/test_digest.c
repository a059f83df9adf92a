/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

static void assert_digest(const void *data, size_t size, const char *expected)
{
	char hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest digest;

	occ_digest(data, size, OCC_SEED_NAME, &digest);
	occ_digest_hex(&digest, hex);
	assert_string_equal(hex, expected);
}

static void fill(unsigned char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (unsigned char)(i % 251);
}

/* As xxhsum -H2 of Debian's xxhash 0.8.1 prints them. */
static void test_digest__known_answers(void **state)
{
	unsigned char data[1000];

	(void)state;
	fill(data, sizeof(data));
	assert_digest(NULL, 0, "99aa06d3014798d86001c324468d497f");
	assert_digest("a", 1, "a96faf705af16834e6c632b61e964e1f");
	assert_digest("abc", 3, "06b05ab6733a618578af5f94892f3950");
	assert_digest(data, 200, "cb0395310643ba0edd97e9af3609d9f5");
	assert_digest(data, 1000, "18bf41bc8229e27733ef703fb2b20ed1");
}

static void test_digest__seeds_are_independent(void **state)
{
	struct occ_digest digests[4];

	(void)state;
	for (int seed = 0; seed < 4; seed++) {
		occ_digest("kernel", 6, (enum occ_digest_seed)seed,
			   &digests[seed]);
		for (int other = 0; other < seed; other++)
			assert_memory_not_equal(digests[seed].bytes,
						digests[other].bytes,
						OCC_DIGEST_SIZE);
	}
}

/* XXH3 changes its algorithm at 16, 128 and 240 bytes, and blocks at 1024. */
static void test_digest__pieces_equal_the_whole(void **state)
{
	unsigned char data[4000];
	struct occ_digest whole, pieces;
	struct occ_digest_state *digest;

	(void)state;
	fill(data, sizeof(data));
	for (size_t size = 0; size <= sizeof(data); size += 1 + size / 7) {
		digest = occ_digest_new(OCC_SEED_CHECKSUM);
		assert_non_null(digest);
		for (size_t at = 0; at < size; at += 13)
			occ_digest_update(digest, data + at,
					  size - at < 13 ? size - at : 13);
		occ_digest_finish(digest, &pieces);
		occ_digest(data, size, OCC_SEED_CHECKSUM, &whole);
		assert_memory_equal(pieces.bytes, whole.bytes, OCC_DIGEST_SIZE);
	}
}

static void test_digest__null_state_gives_zeros(void **state)
{
	static const struct occ_digest zeros;
	struct occ_digest digest;

	(void)state;
	memset(&digest, 1, sizeof(digest));
	occ_digest_update(NULL, "a", 1);
	occ_digest_finish(NULL, &digest);
	assert_memory_equal(&digest, &zeros, sizeof(zeros));
}

/* Two digests of one pass are those of a pass each. */
static void test_digest_update_both(void **state)
{
	static const size_t sizes[] = {0, 1, 240, 32767, 32768, 32769, 100000};
	unsigned char *bytes = malloc(100000);

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < 100000; i++)
		bytes[i] = (unsigned char)(i * 2654435761U >> 13);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct occ_digest_state *pieces = occ_digest_new(OCC_SEED_NAME);
		struct occ_digest first, second, wanted;

		occ_digest_update_both(pieces, bytes, sizes[i], OCC_SEED_FIELD,
				       &second);
		occ_digest_finish(pieces, &first);
		occ_digest(bytes, sizes[i], OCC_SEED_NAME, &wanted);
		assert_memory_equal(&first, &wanted, sizeof(wanted));
		occ_digest(bytes, sizes[i], OCC_SEED_FIELD, &wanted);
		assert_memory_equal(&second, &wanted, sizeof(wanted));
	}
	free(bytes);
}

/* Large pieces may be digested by other instructions than small ones. */
static void test_digest__large_pieces(void **state)
{
	static unsigned char bytes[100000];
	struct occ_digest whole, large, small;
	struct occ_digest_state *pieces[2] = {occ_digest_new(OCC_SEED_FIELD),
					      occ_digest_new(OCC_SEED_FIELD)};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 2654435761U >> 13);
	for (size_t i = 0; i < sizeof(bytes); i += 100)
		occ_digest_update(pieces[0], bytes + i, 100);
	for (size_t i = 0; i < sizeof(bytes); i += 10000)
		occ_digest_update(pieces[1], bytes + i, 10000);
	occ_digest_finish(pieces[0], &small);
	occ_digest_finish(pieces[1], &large);
	occ_digest(bytes, sizeof(bytes), OCC_SEED_FIELD, &whole);
	assert_memory_equal(&small, &whole, sizeof(whole));
	assert_memory_equal(&large, &whole, sizeof(whole));
}

/* Leaves memory behind that has `seed` in every eighth word, else zeros. */
static void leave(size_t words, size_t phase, enum occ_digest_seed seed)
{
	/* Written, although it is freed then. */
	volatile uint64_t *dirty = aligned_alloc(64, words * sizeof(*dirty));

	assert_non_null(dirty);
	for (size_t i = 0; i < words; i++)
		dirty[i] = i % 8 == phase ? seed : 0;
	free((void *)dirty);
}

/* New memory may look like a state that was prepared for this very seed. */
static void test_digest__what_memory_had_before_is_nothing(void **state)
{
	struct occ_digest whole, pieces;
	struct occ_digest_state *digest;
	unsigned char data[1000];

	(void)state;
	fill(data, sizeof(data));
	occ_digest(data, sizeof(data), OCC_SEED_CONTENT, &whole);
	for (size_t i = 0; i < 64; i++) {
		leave(264 + i * 8, i / 8, OCC_SEED_CONTENT);
		digest = occ_digest_new(OCC_SEED_CONTENT);
		assert_non_null(digest);
		occ_digest_update(digest, data, sizeof(data));
		occ_digest_finish(digest, &pieces);
		assert_memory_equal(&pieces, &whole, sizeof(whole));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest_update_both),
		cmocka_unit_test(test_digest__large_pieces),
		cmocka_unit_test(test_digest__known_answers),
		cmocka_unit_test(test_digest__seeds_are_independent),
		cmocka_unit_test(test_digest__pieces_equal_the_whole),
		cmocka_unit_test(test_digest__null_state_gives_zeros),
		cmocka_unit_test(
			test_digest__what_memory_had_before_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
