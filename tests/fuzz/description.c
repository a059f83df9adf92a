/* SPDX-License-Identifier: MIT */
/*
 * cache/description.h: any bytes as two rows of kernels, or answers, that are
 * looked through and merged. Merging again what was merged says nothing new.
 */
#include "tests/fuzz/fuzz.h"

#include "cache/description.h"

static void read_kernel(struct occ_span kernel)
{
	struct occ_answer answer;
	uint32_t count;

	occ_description_attributes(kernel, &answer);
	occ_description_argument_count(kernel, &count);
	for (uint32_t index = 0; index < 3; index++)
		occ_description_argument(kernel, index, 0x1196, &answer);
}

static void read_row(struct occ_span row)
{
	struct occ_span kernel;
	struct occ_answer answer;

	if (occ_description_find_kernel(row, "k", 1, &kernel))
		read_kernel(kernel);
	/* As if it were one. */
	read_kernel(row);
	if (occ_answer_find(row, 0x1167, &answer))
		fuzz_expect(answer.bytes.size <= row.size, "within the row");
}

typedef bool (*merge)(struct occ_span, struct occ_span, struct occ_buffer *);

static void merge_rows(struct occ_span one, struct occ_span other, merge with)
{
	struct occ_buffer once = OCC_BUFFER_INIT, twice = OCC_BUFFER_INIT;
	struct occ_span merged;

	with(one, other, &once);
	fuzz_expect(!once.failed, "merged");
	merged = occ_buffer_span(&once);
	read_row(merged);
	fuzz_expect(!with(merged, other, &twice), "nothing new");
	fuzz_expect(fuzz_same(merged, occ_buffer_span(&twice)), "the same");
	occ_buffer_release(&once);
	occ_buffer_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t middle = size ? 1 + *data * (size - 1) / 256 / 8 * 8 : 0;
	unsigned char *first, *second;
	struct occ_span one, other;
	struct occ_buffer metadata = OCC_BUFFER_INIT;

	if (!size)
		return 0;
	first = fuzz_copy(data + 1, middle - 1);
	second = fuzz_copy(data + middle, size - middle);
	one = (struct occ_span){first, middle - 1};
	other = (struct occ_span){second, size - middle};
	read_row(one);
	read_row(other);
	merge_rows(one, other, occ_description_merge);
	merge_rows(other, one, occ_description_merge);
	merge_rows(one, other, occ_answer_merge);
	occ_description_complete(one, other, other, &metadata);
	occ_buffer_release(&metadata);
	free(first);
	free(second);
	return 0;
}
