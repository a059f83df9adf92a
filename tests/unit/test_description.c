/* SPDX-License-Identifier: MIT */
/* cache/description.h: what drivers answered, written, read and merged. */
#include "tests/unit/fixture.h"

#include "cache/description.h"

#define GOLDEN		   "tests/golden/entry-v1-answers.cl_cache"

/* Parameters by OpenCL's numbers. */
#define KERNEL_ARG_ADDRESS 0x1196
#define KERNEL_ARG_NAME	   0x119a
#define GLOBAL_SIZE	   0x1185
#define NUM_KERNELS	   0x1167
#define NOT_AVAILABLE	   (-19)

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static struct occ_answer answer(int32_t code, const char *text)
{
	return (struct occ_answer){code, span(text)};
}

static struct occ_span row(const struct occ_buffer *buffer)
{
	assert_false(buffer->failed);
	assert_int_equal(buffer->size % 8, 0);
	return (struct occ_span){buffer->data, buffer->size};
}

static void assert_answer(struct occ_answer is, int32_t code, const char *text)
{
	assert_int_equal(is.code, code);
	assert_int_equal(is.bytes.size, strlen(text));
	assert_memory_equal(is.bytes.data, text, strlen(text));
}

static void assert_found(struct occ_span answers, uint32_t parameter,
			 int32_t code, const char *text)
{
	struct occ_answer found;

	assert_true(occ_answer_find(answers, parameter, &found));
	assert_answer(found, code, text);
}

static void test_answer__round_trip(void **state)
{
	struct occ_buffer answers = OCC_BUFFER_INIT;
	struct occ_answer found;

	(void)state;
	occ_answer_append(&answers, NUM_KERNELS, answer(0, "12345678"));
	occ_answer_append(&answers, GLOBAL_SIZE, answer(NOT_AVAILABLE, ""));
	occ_answer_append(&answers, 0xffff, answer(INT32_MIN, "x"));
	assert_found(row(&answers), NUM_KERNELS, 0, "12345678");
	assert_found(row(&answers), GLOBAL_SIZE, NOT_AVAILABLE, "");
	assert_found(row(&answers), 0xffff, INT32_MIN, "x");
	assert_false(occ_answer_find(row(&answers), 1, &found));
	occ_buffer_release(&answers);
}

/* Documented bytes. */
static void test_answer__bytes(void **state)
{
	static const unsigned char expected[] = {0x67, 0x11, 0,	  0, 0,	   0,
						 0,    0,    5,	  0, 0,	   0,
						 0,    0,    0,	  0, 0xed, 0xff,
						 0xff, 0xff, 'x', 0, 0,	   0};
	struct occ_buffer answers = OCC_BUFFER_INIT;

	(void)state;
	occ_answer_append(&answers, NUM_KERNELS, answer(-19, "x"));
	assert_int_equal(answers.size, sizeof(expected));
	assert_memory_equal(answers.data, expected, sizeof(expected));
	occ_buffer_release(&answers);
}

/* A parameter's low half may be another parameter. */
static void test_answer__wide_parameters_are_not_kept(void **state)
{
	struct occ_buffer answers = OCC_BUFFER_INIT;
	struct occ_answer found;
	size_t size;

	(void)state;
	occ_answer_append(&answers, 0x10000 + NUM_KERNELS, answer(0, "x"));
	assert_int_equal(answers.size, 0);
	occ_answer_append(&answers, NUM_KERNELS, answer(0, "x"));
	assert_false(
		occ_answer_find(row(&answers), 0x10000 + NUM_KERNELS, &found));
	occ_buffer_release(&answers);
	occ_description_end(&answers, occ_description_begin(&answers, "a", 1));
	size = answers.size;
	occ_description_add_argument(&answers, 0, 0x10000 + KERNEL_ARG_NAME,
				     answer(0, "x"));
	assert_int_equal(answers.size, size);
	occ_buffer_release(&answers);
}

/* Two kernels with all parts, and one with a name alone. */
static void make_kernels(struct occ_buffer *kernels)
{
	size_t start = occ_description_begin(kernels, "first", 5);

	occ_description_add_attributes(kernels, answer(0, "reqd"));
	occ_description_add_argument_count(kernels, 2);
	occ_description_add_argument(kernels, 0, KERNEL_ARG_NAME,
				     answer(0, "src"));
	occ_description_add_argument(kernels, 1, KERNEL_ARG_NAME,
				     answer(NOT_AVAILABLE, ""));
	occ_description_add_argument(kernels, 1, KERNEL_ARG_ADDRESS,
				     answer(0, "4321"));
	occ_description_end(kernels, start);
	start = occ_description_begin(kernels, "second", 6);
	occ_description_add_attributes(kernels, answer(NOT_AVAILABLE, ""));
	occ_description_add_argument_count(kernels, UINT32_MAX);
	occ_description_add_argument(kernels, UINT32_MAX, KERNEL_ARG_NAME,
				     answer(0, "dst"));
	occ_description_end(kernels, start);
	start = occ_description_begin(kernels, "", 0);
	occ_description_end(kernels, start);
}

static struct occ_span find(struct occ_span kernels, const char *name)
{
	struct occ_span kernel = {NULL, 0};

	assert_true(occ_description_find_kernel(kernels, name, strlen(name),
						&kernel));
	return kernel;
}

static void assert_argument(struct occ_span kernel, uint32_t index,
			    uint32_t parameter, int32_t code, const char *text)
{
	struct occ_answer found;

	assert_true(occ_description_argument(kernel, index, parameter, &found));
	assert_answer(found, code, text);
}

static void assert_made_kernels(struct occ_span kernels)
{
	struct occ_span kernel = find(kernels, "first");
	struct occ_answer found;
	uint32_t count;

	assert_true(occ_description_attributes(kernel, &found));
	assert_answer(found, 0, "reqd");
	assert_true(occ_description_argument_count(kernel, &count));
	assert_int_equal(count, 2);
	assert_argument(kernel, 0, KERNEL_ARG_NAME, 0, "src");
	assert_argument(kernel, 1, KERNEL_ARG_NAME, NOT_AVAILABLE, "");
	assert_argument(kernel, 1, KERNEL_ARG_ADDRESS, 0, "4321");
	kernel = find(kernels, "second");
	assert_true(occ_description_attributes(kernel, &found));
	assert_answer(found, NOT_AVAILABLE, "");
	assert_true(occ_description_argument_count(kernel, &count));
	assert_int_equal(count, UINT32_MAX);
	assert_argument(kernel, UINT32_MAX, KERNEL_ARG_NAME, 0, "dst");
}

static void test_description__round_trip(void **state)
{
	struct occ_buffer kernels = OCC_BUFFER_INIT;
	struct occ_answer found;
	struct occ_span kernel;
	uint32_t count;

	(void)state;
	make_kernels(&kernels);
	assert_made_kernels(row(&kernels));
	kernel = find(row(&kernels), "first");
	assert_false(occ_description_argument(kernel, 0, KERNEL_ARG_ADDRESS,
					      &found));
	assert_false(
		occ_description_argument(kernel, 2, KERNEL_ARG_NAME, &found));
	assert_false(occ_description_argument(kernel, 0,
					      0x10000 + KERNEL_ARG_NAME,
					      &found));
	kernel = find(row(&kernels), "");
	assert_false(occ_description_attributes(kernel, &found));
	assert_false(occ_description_argument_count(kernel, &count));
	assert_false(
		occ_description_find_kernel(row(&kernels), "firs", 4, &kernel));
	assert_false(occ_description_find_kernel(row(&kernels), "first\0", 6,
						 &kernel));
	occ_buffer_release(&kernels);
}

static void test_description__nothing_is_known_of_nothing(void **state)
{
	struct occ_span none = {NULL, 0}, kernel;
	struct occ_buffer merged = OCC_BUFFER_INIT;
	struct occ_answer found;
	uint32_t count;

	(void)state;
	assert_false(occ_answer_find(none, NUM_KERNELS, &found));
	assert_false(occ_description_find_kernel(none, "", 0, &kernel));
	assert_false(occ_description_attributes(none, &found));
	assert_false(occ_description_argument_count(none, &count));
	assert_false(occ_description_argument(none, 0, 0, &found));
	assert_false(occ_description_merge(none, none, &merged));
	assert_false(occ_answer_merge(none, none, &merged));
	assert_false(occ_description_complete(none, none, none, &merged));
	assert_int_equal(merged.size, 0);
	occ_buffer_release(&merged);
}

/* Looks for everything, so that every read is one of the sanitizer's. */
static void look_around(struct occ_span bytes)
{
	static const char *const names[] = {"first", "second", ""};
	struct occ_buffer merged = OCC_BUFFER_INIT, again = OCC_BUFFER_INIT;
	volatile unsigned char sum = 0;
	struct occ_answer found;
	struct occ_span kernel;
	uint32_t count;

	for (size_t i = 0; i < 3; i++) {
		if (!occ_description_find_kernel(bytes, names[i],
						 strlen(names[i]), &kernel))
			continue;
		occ_description_argument_count(kernel, &count);
		if (occ_description_attributes(kernel, &found))
			for (size_t at = 0; at < found.bytes.size; at++)
				sum += found.bytes.data[at];
		if (occ_description_argument(kernel, 1, KERNEL_ARG_ADDRESS,
					     &found))
			for (size_t at = 0; at < found.bytes.size; at++)
				sum += found.bytes.data[at];
	}
	/* What was merged is well-formed, whatever it was made of. */
	occ_description_merge(bytes, bytes, &merged);
	assert_false(occ_description_merge(row(&merged), row(&merged), &again));
	occ_buffer_release(&merged);
	occ_buffer_release(&again);
	occ_description_complete(bytes, bytes, bytes, &merged);
	occ_buffer_release(&merged);
	if (occ_answer_find(bytes, NUM_KERNELS, &found))
		for (size_t at = 0; at < found.bytes.size; at++)
			sum += found.bytes.data[at];
	(void)sum;
}

/* A copy of just the size, for the sanitizer. */
static void look_at_copy(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, data, size);
	look_around((struct occ_span){copy, size});
	free(copy);
}

static void make_all(struct occ_buffer *bytes)
{
	make_kernels(bytes);
	occ_answer_append(bytes, NUM_KERNELS, answer(0, "12345678"));
}

static void test_description__every_truncation(void **state)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	(void)state;
	make_all(&bytes);
	for (size_t size = 0; size <= bytes.size; size++)
		look_at_copy(bytes.data, size);
	occ_buffer_release(&bytes);
}

static void test_description__every_bit_flip(void **state)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	(void)state;
	make_all(&bytes);
	for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
		bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		look_at_copy(bytes.data, bytes.size);
		bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	assert_made_kernels(row(&bytes));
	occ_buffer_release(&bytes);
}

/* All 8-byte words, one at a time, set to what might overflow something. */
static void test_description__hostile_lengths(void **state)
{
	static const uint64_t numbers[] = {0,
					   1,
					   3,
					   5,
					   9,
					   UINT64_MAX,
					   UINT64_MAX - 7,
					   (uint64_t)1 << 63,
					   (uint64_t)1 << 32,
					   SIZE_MAX - 15};
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	(void)state;
	make_all(&bytes);
	for (size_t at = 0; at < bytes.size; at += 8) {
		uint64_t good = occ_get_u64(bytes.data + at);

		for (size_t n = 0; n < sizeof(numbers) / sizeof(*numbers);
		     n++) {
			occ_put_u64(bytes.data + at, numbers[n]);
			look_at_copy(bytes.data, bytes.size);
		}
		occ_put_u64(bytes.data + at, good);
	}
	occ_buffer_release(&bytes);
}

/* Answers without room for a code, counts of other sizes. */
static void test_description__short_fields_are_absent(void **state)
{
	struct occ_buffer kernel = OCC_BUFFER_INIT;
	struct occ_answer found;
	uint32_t count;

	(void)state;
	occ_field_append(&kernel, 2, "abc", 3);
	occ_field_append(&kernel, 3, "abc", 3);
	occ_field_append(&kernel, 4, "\0\0\0\0\x9a\x11xyz", 9);
	assert_false(occ_answer_find(row(&kernel), 2, &found));
	assert_false(occ_description_attributes(row(&kernel), &found));
	assert_false(occ_description_argument_count(row(&kernel), &count));
	assert_false(occ_description_argument(row(&kernel), 0, KERNEL_ARG_NAME,
					      &found));
	occ_buffer_release(&kernel);
}

/* A field that is a digest has no bytes here, whatever its length. */
static void test_description__digests_are_absent(void **state)
{
	unsigned char field[32] = {0};
	struct occ_span bytes = {field, sizeof(field)};
	struct occ_answer found;

	(void)state;
	occ_field_header(field, NUM_KERNELS, OCC_FIELD_DIGEST, UINT64_MAX);
	assert_false(occ_answer_find(bytes, NUM_KERNELS, &found));
	look_around(bytes);
}

/* Ids of later versions are passed over, and survive a merge. */
static void test_description__unknown_ids(void **state)
{
	struct occ_buffer kernels = OCC_BUFFER_INIT, merged = OCC_BUFFER_INIT;
	struct occ_span kernel, none = {NULL, 0};
	struct occ_field field;
	size_t start;

	(void)state;
	occ_field_append(&kernels, 77, "x", 1);
	start = occ_description_begin(&kernels, "a", 1);
	occ_field_append(&kernels, 78, "y", 1);
	occ_description_add_argument_count(&kernels, 3);
	occ_description_end(&kernels, start);
	occ_description_merge(row(&kernels), none, &merged);
	kernel = find(row(&merged), "a");
	assert_int_equal(occ_field_find(kernel.data, kernel.size, 78, &field),
			 1);
	assert_memory_equal(field.payload, "y", 1);
	occ_buffer_release(&merged);
	occ_buffer_release(&kernels);
}

static void add_kernel(struct occ_buffer *kernels, const char *name,
		       const char *attributes, const char *first_argument)
{
	size_t start = occ_description_begin(kernels, name, strlen(name));

	if (attributes)
		occ_description_add_attributes(kernels, answer(0, attributes));
	if (first_argument)
		occ_description_add_argument(kernels, 0, KERNEL_ARG_NAME,
					     answer(0, first_argument));
	occ_description_end(kernels, start);
}

static void assert_kernel(struct occ_span kernels, const char *name,
			  const char *attributes, const char *first_argument)
{
	struct occ_span kernel = find(kernels, name);
	struct occ_answer found;

	assert_int_equal(occ_description_attributes(kernel, &found),
			 attributes != NULL);
	if (attributes)
		assert_answer(found, 0, attributes);
	assert_int_equal(occ_description_argument(kernel, 0, KERNEL_ARG_NAME,
						  &found),
			 first_argument != NULL);
	if (first_argument)
		assert_answer(found, 0, first_argument);
}

static void test_description_merge__union(void **state)
{
	struct occ_buffer old = OCC_BUFFER_INIT, new = OCC_BUFFER_INIT,
			  merged = OCC_BUFFER_INIT, again = OCC_BUFFER_INIT;

	(void)state;
	add_kernel(&old, "a", "old", NULL);
	add_kernel(&old, "b", "old", "old");
	add_kernel(&old, "c", NULL, NULL);
	add_kernel(&new, "d", "new", NULL);
	add_kernel(&new, "c", "new", "new");
	add_kernel(&new, "b", "new", "new");
	add_kernel(&new, "a", "new", "new");
	add_kernel(&new, "d", "twice", NULL);
	assert_true(occ_description_merge(row(&old), row(&new), &merged));
	assert_kernel(row(&merged), "a", "old", "new");
	assert_kernel(row(&merged), "b", "old", "old");
	assert_kernel(row(&merged), "c", "new", "new");
	assert_kernel(row(&merged), "d", "new", NULL);
	/* There is nothing more in either of them. */
	assert_false(occ_description_merge(row(&merged), row(&new), &again));
	assert_memory_equal(again.data, merged.data, merged.size);
	occ_buffer_release(&again);
	assert_false(occ_description_merge(row(&merged), row(&old), &again));
	occ_buffer_release(&again);
	occ_buffer_release(&old);
	occ_buffer_release(&new);
	occ_buffer_release(&merged);
}

static void test_description_merge__arguments(void **state)
{
	struct occ_buffer old = OCC_BUFFER_INIT, new = OCC_BUFFER_INIT,
			  merged = OCC_BUFFER_INIT;
	struct occ_span kernel;
	size_t start;

	(void)state;
	start = occ_description_begin(&old, "a", 1);
	occ_description_add_argument(&old, 1, KERNEL_ARG_NAME,
				     answer(0, "old"));
	occ_description_end(&old, start);
	start = occ_description_begin(&new, "a", 1);
	occ_description_add_argument(&new, 0, KERNEL_ARG_NAME,
				     answer(0, "new"));
	occ_description_add_argument(&new, 1, KERNEL_ARG_NAME,
				     answer(0, "new"));
	occ_description_add_argument(&new, 1, KERNEL_ARG_ADDRESS,
				     answer(0, "new"));
	occ_description_end(&new, start);
	assert_true(occ_description_merge(row(&old), row(&new), &merged));
	kernel = find(row(&merged), "a");
	assert_argument(kernel, 0, KERNEL_ARG_NAME, 0, "new");
	assert_argument(kernel, 1, KERNEL_ARG_NAME, 0, "old");
	assert_argument(kernel, 1, KERNEL_ARG_ADDRESS, 0, "new");
	occ_buffer_release(&old);
	occ_buffer_release(&new);
	occ_buffer_release(&merged);
}

static void test_answer_merge__union(void **state)
{
	struct occ_buffer old = OCC_BUFFER_INIT, new = OCC_BUFFER_INIT,
			  merged = OCC_BUFFER_INIT, again = OCC_BUFFER_INIT;

	(void)state;
	occ_answer_append(&old, 1, answer(-1, "old"));
	occ_answer_append(&old, 2, answer(0, ""));
	occ_answer_append(&new, 2, answer(0, "new"));
	occ_answer_append(&new, 3, answer(0, "new"));
	assert_true(occ_answer_merge(row(&old), row(&new), &merged));
	assert_found(row(&merged), 1, -1, "old");
	assert_found(row(&merged), 2, 0, "");
	assert_found(row(&merged), 3, 0, "new");
	assert_false(occ_answer_merge(row(&merged), row(&new), &again));
	occ_buffer_release(&old);
	occ_buffer_release(&new);
	occ_buffer_release(&merged);
	occ_buffer_release(&again);
}

static void test_description__completes_metadata(void **state)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT, kernels = OCC_BUFFER_INIT,
			  answers = OCC_BUFFER_INIT, first = OCC_BUFFER_INIT,
			  second = OCC_BUFFER_INIT, third = OCC_BUFFER_INIT;
	struct occ_span none = {NULL, 0};
	struct occ_entry entry = {0};

	(void)state;
	occ_field_append(&metadata, OCC_META_BUILD_LOG, "log", 4);
	occ_meta_append_number(&metadata, OCC_META_CREATED, 5);
	add_kernel(&kernels, "a", "x", NULL);
	assert_true(occ_description_complete(row(&metadata), row(&kernels),
					     none, &first));
	occ_answer_append(&answers, NUM_KERNELS, answer(0, "1"));
	occ_buffer_release(&kernels);
	add_kernel(&kernels, "b", "y", NULL);
	assert_true(occ_description_complete(row(&first), row(&kernels),
					     row(&answers), &second));
	assert_false(occ_description_complete(row(&second), row(&kernels),
					      row(&answers), &third));
	entry.metadata = row(&second);
	assert_string_equal(occ_entry_bytes(&entry, OCC_META_BUILD_LOG).data,
			    "log");
	assert_int_equal(occ_entry_number(&entry, OCC_META_CREATED, 0), 5);
	assert_kernel(occ_entry_bytes(&entry, OCC_META_KERNELS), "a", "x",
		      NULL);
	assert_kernel(occ_entry_bytes(&entry, OCC_META_KERNELS), "b", "y",
		      NULL);
	assert_found(occ_entry_bytes(&entry, OCC_META_ANSWERS), NUM_KERNELS, 0,
		     "1");
	occ_buffer_release(&metadata);
	occ_buffer_release(&kernels);
	occ_buffer_release(&answers);
	occ_buffer_release(&first);
	occ_buffer_release(&second);
	occ_buffer_release(&third);
}

/* Out of memory is seen at the end, and nothing is written through NULL. */
static void test_description__failed_buffers(void **state)
{
	struct occ_buffer failed = {.failed = true}, good = OCC_BUFFER_INIT;

	(void)state;
	make_kernels(&failed);
	occ_answer_append(&failed, 1, answer(0, "x"));
	assert_true(failed.failed);
	assert_int_equal(failed.size, 0);
	make_kernels(&good);
	occ_description_merge(row(&good), row(&good), &failed);
	occ_description_complete(row(&good), row(&good), row(&good), &failed);
	assert_int_equal(failed.size, 0);
	occ_buffer_release(&good);
}

/* As in test_entry.c: nothing here may ever change. */
static void make_golden(struct occ_buffer *file)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT, kernels = OCC_BUFFER_INIT,
			  answers = OCC_BUFFER_INIT;
	struct occ_key key;

	occ_key_init(&key);
	occ_key_add_string(&key, OCC_KEY_OPERATION, "link");
	occ_key_add_string(&key, OCC_KEY_OPTIONS, "-cl-mad-enable");
	occ_key_add_binary(&key, "input", 5);
	assert_int_equal(occ_key_finish(&key), 0);
	occ_field_append(&metadata, OCC_META_BUILD_LOG, "warning", 8);
	make_kernels(&kernels);
	occ_field_append(&metadata, OCC_META_KERNELS, kernels.data,
			 kernels.size);
	occ_answer_append(&answers, NUM_KERNELS, answer(0, "12345678"));
	occ_answer_append(&answers, GLOBAL_SIZE, answer(NOT_AVAILABLE, ""));
	occ_field_append(&metadata, OCC_META_ANSWERS, answers.data,
			 answers.size);
	occ_entry_encode(&key, row(&metadata), span("binary"), file);
	assert_false(file->failed);
	occ_buffer_release(&metadata);
	occ_buffer_release(&kernels);
	occ_buffer_release(&answers);
	occ_key_release(&key);
}

static void test_description__golden_file(void **state)
{
	struct fixture here = {.directory = AT_FDCWD};
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_entry entry;
	unsigned char *golden;
	size_t size;

	(void)state;
	golden = fixture_read(&here, GOLDEN, &size);
	assert_int_equal(occ_entry_decode(golden, size, size, &entry), OCC_OK);
	assert_made_kernels(occ_entry_bytes(&entry, OCC_META_KERNELS));
	assert_found(occ_entry_bytes(&entry, OCC_META_ANSWERS), GLOBAL_SIZE,
		     NOT_AVAILABLE, "");
	make_golden(&file);
	assert_int_equal(size, file.size);
	assert_memory_equal(golden, file.data, size);
	free(golden);
	occ_buffer_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer__round_trip),
		cmocka_unit_test(test_answer__bytes),
		cmocka_unit_test(test_answer__wide_parameters_are_not_kept),
		cmocka_unit_test(test_description__round_trip),
		cmocka_unit_test(test_description__nothing_is_known_of_nothing),
		cmocka_unit_test(test_description__every_truncation),
		cmocka_unit_test(test_description__every_bit_flip),
		cmocka_unit_test(test_description__hostile_lengths),
		cmocka_unit_test(test_description__short_fields_are_absent),
		cmocka_unit_test(test_description__digests_are_absent),
		cmocka_unit_test(test_description__unknown_ids),
		cmocka_unit_test(test_description_merge__union),
		cmocka_unit_test(test_description_merge__arguments),
		cmocka_unit_test(test_answer_merge__union),
		cmocka_unit_test(test_description__completes_metadata),
		cmocka_unit_test(test_description__failed_buffers),
		cmocka_unit_test(test_description__golden_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
