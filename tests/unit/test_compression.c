/* SPDX-License-Identifier: MIT */
/* cache/compression.h */
#include "tests/unit/fixture.h"

#include "cache/compression.h"
#include "cache/database.h"
#include "tests/unit/database.h"

static const struct occ_span none = {NULL, 0};

static void expect_back(struct occ_span compressed, struct occ_span base,
			const struct occ_buffer *wanted)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	occ_buffer_append(&bytes, "x", 1);
	assert_true(occ_decompress(compressed, base, wanted->size, &bytes));
	assert_int_equal(bytes.size, wanted->size + 1);
	if (wanted->size)
		assert_memory_equal(bytes.data + 1, wanted->data, wanted->size);
	occ_buffer_release(&bytes);
}

/* Not what was compressed: nothing is appended. */
static void expect_nothing(struct occ_span compressed, struct occ_span base,
			   size_t size)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	occ_buffer_append(&bytes, "before", 6);
	assert_false(occ_decompress(compressed, base, size, &bytes));
	assert_false(bytes.failed);
	assert_int_equal(bytes.size, 6);
	assert_memory_equal(bytes.data, "before", 6);
	occ_buffer_release(&bytes);
}

static void test_round_trip(void **state)
{
	static const size_t sizes[] = {0, 1, 5, 1000, 70000, 2000003};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct occ_buffer text = database_text(sizes[i], 1);
		struct occ_buffer coded = OCC_BUFFER_INIT;
		struct occ_span span;

		occ_buffer_append(&coded, "front", 5);
		assert_true(occ_compress(occ_buffer_span(&text), none, &coded));
		assert_memory_equal(coded.data, "front", 5);
		span = (struct occ_span){coded.data + 5, coded.size - 5};
		assert_true(sizes[i] < 1000 || span.size < sizes[i] / 2);
		expect_back(span, none, &text);
		expect_nothing(span, none, sizes[i] + 1);
		if (sizes[i])
			expect_nothing(span, none, sizes[i] - 1);
		occ_buffer_release(&coded);
		occ_buffer_release(&text);
	}
}

static void test_base(void **state)
{
	struct occ_buffer base = database_variant(50000, 3, 1);
	struct occ_buffer text = database_variant(50000, 3, 2);
	struct occ_buffer other = database_variant(50000, 3, 3);
	struct occ_buffer coded = OCC_BUFFER_INIT, bytes = OCC_BUFFER_INIT;

	(void)state;
	assert_true(occ_compress(occ_buffer_span(&text), occ_buffer_span(&base),
				 &coded));
	assert_true(coded.size < 300);
	expect_back(occ_buffer_span(&coded), occ_buffer_span(&base), &text);
	expect_nothing(occ_buffer_span(&coded), none, text.size);
	/* From another base it is other bytes, or none. */
	if (occ_decompress(occ_buffer_span(&coded), occ_buffer_span(&other),
			   text.size, &bytes))
		assert_memory_not_equal(bytes.data, text.data, text.size);
	occ_buffer_release(&bytes);
	occ_buffer_release(&coded);
	occ_buffer_release(&base);
	occ_buffer_release(&text);
	occ_buffer_release(&other);
}

static void test_no_zstd(void **state)
{
	struct occ_buffer text = database_text(3000, 1);
	struct occ_buffer coded = OCC_BUFFER_INIT;

	(void)state;
	expect_nothing(none, none, 100);
	expect_nothing(occ_buffer_span(&text), none, 100);
	assert_true(occ_compress(occ_buffer_span(&text), none, &coded));
	for (size_t size = 0; size < coded.size; size += 7)
		expect_nothing((struct occ_span){coded.data, size}, none,
			       text.size);
	occ_buffer_release(&coded);
	occ_buffer_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_no_zstd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
