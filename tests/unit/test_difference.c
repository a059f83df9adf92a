/* SPDX-License-Identifier: MIT */
/* hash/difference.h: keys compared and printed, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/difference.h"
#include "hash/key.h"

/* What a key is made of here; the rest is the same in all. */
struct wish {
	const char *source;
	const char *options;
	const char *environment;
	size_t environment_size;
	const char *driver_version;
	const char *device;
	const char *identity;
	size_t identity_size;
	const char *extensions;
	uint64_t numbers[3];
	struct {
		uint32_t id;
		uint64_t size;
		uint64_t value;
	} constants[3];
	const char *headers[3][2]; /* name, source */
	const char *files[3][2];   /* path, content */
	uint32_t links;
	const char *present;
	const char *inputs[3];
	const char *cpu;
	uint16_t other; /* one field more, with this id */
};

static const struct wish usual = {
	.source = "int a;\nint b;\nint c;\n",
	.options = "-DTILE=8 -w",
	.environment = "POCL_A=1\0POCL_B=2",
	.environment_size = 18,
	.driver_version = "2.9",
	.device = "gpu",
	.identity = "lib.so build-id:01\0libLLVM.so build-id:02",
	.identity_size = 42,
	.extensions = "cl_a cl_b",
	.numbers = {4, 0x1234, 64},
	.cpu = "cpu",
};

static void add_file(struct occ_key *key, enum occ_key_field id,
		     const char *path, const char *content, uint32_t number)
{
	unsigned char payload[200] = {0};
	struct occ_digest digest;

	occ_digest(content, strlen(content), OCC_SEED_CONTENT, &digest);
	occ_put_u64(payload, strlen(content));
	memcpy(payload + 8, digest.bytes, OCC_DIGEST_SIZE);
	memcpy(payload + 24, digest.bytes, OCC_DIGEST_SIZE);
	occ_put_u32(payload + 40, number);
	memcpy(payload + 48, path, strlen(path));
	occ_key_add(key, id, payload, 48 + strlen(path));
}

static void add_lists(const struct wish *wish, struct occ_key *key)
{
	for (int i = 0; i < 3 && wish->headers[i][0]; i++) {
		occ_key_add_string(key, OCC_KEY_HEADER_NAME,
				   wish->headers[i][0]);
		occ_key_add_string(key, OCC_KEY_HEADER_SOURCE,
				   wish->headers[i][1]);
	}
	for (int i = 0; i < 3 && wish->inputs[i]; i++)
		occ_key_add_binary(key, wish->inputs[i],
				   strlen(wish->inputs[i]));
	for (int i = 0; i < 3 && wish->files[i][0]; i++)
		add_file(key, OCC_KEY_INCLUDE_FILE, wish->files[i][0],
			 wish->files[i][1], (uint32_t)i + wish->links);
	if (wish->present)
		add_file(key, OCC_KEY_INCLUDE_PRESENT, wish->present, "", 0);
}

static void add_constants(const struct wish *wish, struct occ_key *key)
{
	unsigned char bytes[60];
	size_t size = 0;

	for (int i = 0; i < 3 && wish->constants[i].size; i++) {
		occ_put_u32(bytes + size, wish->constants[i].id);
		occ_put_u64(bytes + size + 4, wish->constants[i].size);
		occ_put_u64(bytes + size + 12, wish->constants[i].value);
		size += 12 + wish->constants[i].size;
	}
	occ_key_add(key, OCC_KEY_SPEC_CONSTANTS, bytes, size);
}

static void make(const struct wish *wish, struct occ_key *key)
{
	unsigned char numbers[24];

	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPERATION, "build");
	if (wish->source)
		occ_key_add_string(key, OCC_KEY_SOURCE, wish->source);
	else
		occ_key_add_string(key, OCC_KEY_IL, "il");
	add_lists(wish, key);
	if (wish->options)
		occ_key_add_string(key, OCC_KEY_OPTIONS, wish->options);
	add_constants(wish, key);
	occ_key_add_string(key, OCC_KEY_DEVICE_NAME, wish->device);
	occ_key_add_string(key, OCC_KEY_DRIVER_VERSION, wish->driver_version);
	for (int i = 0; i < 3; i++)
		occ_put_u64(numbers + (size_t)i * 8, wish->numbers[i]);
	occ_key_add(key, OCC_KEY_DEVICE_NUMBERS, numbers, sizeof(numbers));
	occ_key_add_string(key, OCC_KEY_DEVICE_EXTENSIONS, wish->extensions);
	occ_key_add(key, OCC_KEY_DRIVER_IDENTITY, wish->identity,
		    wish->identity_size);
	occ_key_add_string(key, OCC_KEY_HOST_CPU, wish->cpu);
	occ_key_add(key, OCC_KEY_ENVIRONMENT, wish->environment,
		    wish->environment_size);
	if (wish->other)
		occ_key_add_string(key, (enum occ_key_field)wish->other, "x");
	assert_int_equal(occ_key_finish(key), 0);
}

/* Text and distance of what changed from `then` to `now`. */
static uint64_t compare(const struct wish *now, const struct wish *then,
			char ret_text[2000])
{
	struct occ_key one, other;
	struct occ_buffer text = OCC_BUFFER_INIT;
	struct occ_span a, b;
	uint64_t distance;

	make(now, &one);
	make(then, &other);
	a = occ_buffer_span(&one.stored);
	b = occ_buffer_span(&other.stored);
	distance = occ_difference_distance(&a, &b);
	occ_difference_describe(&a, &b, &text);
	assert_false(text.failed);
	assert_true(text.size < 2000);
	if (text.size)
		memcpy(ret_text, text.data, text.size);
	ret_text[text.size] = '\0';
	occ_buffer_release(&text);
	occ_key_release(&one);
	occ_key_release(&other);
	return distance;
}

static void expect(const struct wish *now, const struct wish *then,
		   const char *wanted)
{
	char text[2000];
	uint64_t distance = compare(now, then, text);

	assert_string_equal(text, wanted);
	assert_int_equal(!distance, !*wanted);
}

#define CHANGED(...)                                                           \
	({                                                                     \
		struct wish changed = usual;                                   \
		__VA_ARGS__;                                                   \
		changed;                                                       \
	})

static void test_difference__none(void **state)
{
	(void)state;
	expect(&usual, &usual, "");
}

static void test_difference__options(void **state)
{
	struct wish wish, other;

	(void)state;
	wish = CHANGED(changed.options = "-DTILE=16 -w");
	expect(&wish, &usual,
	       "same source and device; build options: -DTILE=16 was -DTILE=8");
	wish = CHANGED(changed.options = "-DTILE=8 -w -cl-mad-enable");
	expect(&wish, &usual,
	       "same source and device; build options: -cl-mad-enable "
	       "added");
	expect(&usual, &wish,
	       "same source and device; build options: -cl-mad-enable "
	       "removed");
	wish = CHANGED(changed.options = "-w -DTILE=8");
	expect(&wish, &usual,
	       "same source and device; build options: only order or spacing "
	       "differ");
	wish = CHANGED(changed.options = NULL);
	other = CHANGED(changed.options = "");
	expect(&wish, &other,
	       "same source and device; build options: NULL, which were empty "
	       "ones");
	expect(&other, &wish,
	       "same source and device; build options: empty ones, which were "
	       "NULL");
	wish = CHANGED(changed.options = "-D1 -D2 -D3 -D4 -D5 -D6");
	expect(&wish, &usual,
	       "same source and device; build options: -D1 added, -D2 added, "
	       "-D3 added, -D4 added, and 4 more");
}

static void test_difference__environment(void **state)
{
	struct wish wish;

	(void)state;
	wish = CHANGED(changed.environment = "POCL_A=1\0POCL_B=2\0POCL_X=1",
		       changed.environment_size = 27);
	expect(&wish, &usual,
	       "same source, options and device; environment POCL_X=1 was "
	       "unset");
	expect(&usual, &wish,
	       "same source, options and device; environment POCL_X=1 is "
	       "unset");
	wish = CHANGED(changed.environment = "POCL_A=0\0POCL_B=2");
	expect(&wish, &usual,
	       "same source, options and device; environment POCL_A=0 was "
	       "POCL_A=1");
}

static void test_difference__driver(void **state)
{
	struct wish wish;

	(void)state;
	wish = CHANGED(changed.driver_version = "3.0");
	expect(&wish, &usual,
	       "same source and options; driver version 3.0 was 2.9");
	wish = CHANGED(changed.identity =
			       "lib.so build-id:01\0libLLVM.so build-id:03");
	expect(&wish, &usual,
	       "same source, options and device; driver's library libLLVM.so "
	       "build-id:03 was libLLVM.so build-id:02");
	wish = CHANGED(changed.identity = "\1\2\3", changed.identity_size = 3);
	expect(&wish, &usual,
	       "same source, options and device; driver's library changed");
	wish = CHANGED(changed.cpu = "x");
	expect(&wish, &usual,
	       "same source, options and device; host CPU changed");
}

static void test_difference__device(void **state)
{
	struct wish wish;

	(void)state;
	wish = CHANGED(changed.device = "other");
	expect(&wish, &usual,
	       "same source and options; device name other was "
	       "gpu");
	wish = CHANGED(changed.numbers[2] = 32);
	expect(&wish, &usual,
	       "same source and options; device's address bits 0x20 was 0x40");
	wish = CHANGED(changed.extensions = "cl_a cl_c");
	expect(&wish, &usual,
	       "same source and options; device extensions cl_c added, cl_b "
	       "removed");
}

static void test_difference__source(void **state)
{
	static char big[10000], bigger[10001];
	struct wish wish, large, larger;

	(void)state;
	wish = CHANGED(changed.source = "int a;\nint B;\nint c;\n");
	expect(&wish, &usual,
	       "same options and device; source changed (1 of 4 lines)");
	memset(big, 'x', sizeof(big) - 1);
	memset(bigger, 'x', sizeof(bigger) - 1);
	large = CHANGED(changed.source = big);
	larger = CHANGED(changed.source = bigger);
	expect(&larger, &large,
	       "same options and device; source changed (10000 bytes instead "
	       "of 9999)");
	wish = CHANGED(changed.source = "kernel void other() { }\n");
	expect(&wish, &usual,
	       "same options and device; source mostly differs (24 bytes "
	       "instead of 21)");
	wish = CHANGED(changed.source = NULL);
	expect(&wish, &usual,
	       "same options and device; source is gone; IL is new");
}

static void test_difference__constants(void **state)
{
	struct wish one, other;

	(void)state;
	one = CHANGED(changed.constants[0].id = 3,
		      changed.constants[0].size = 4,
		      changed.constants[0].value = 5);
	other = one;
	other.constants[0].value = 16;
	expect(&other, &one,
	       "same source, options and device; specialization constant 3 is "
	       "0x10 was 0x5");
	expect(&one, &usual,
	       "same source, options and device; specialization constant 3 is "
	       "0x5 was unset");
	expect(&usual, &one,
	       "same source, options and device; specialization constant 3 is "
	       "unset");
}

static void test_difference__headers(void **state)
{
	struct wish one, other;

	(void)state;
	one = CHANGED(changed.headers[0][0] = "a.h",
		      changed.headers[0][1] = "int a;",
		      changed.headers[1][0] = "common.h",
		      changed.headers[1][1] = "int b;");
	other = one;
	other.headers[1][1] = "int c;";
	expect(&other, &one,
	       "same source, options and device; header common.h changed");
	other.headers[1][0] = "d.h";
	expect(&other, &one,
	       "same source, options and device; header d.h is new, common.h "
	       "is gone");
}

static void test_difference__files(void **state)
{
	struct wish one, other;

	(void)state;
	one = CHANGED(changed.files[0][0] = "a.h", changed.files[0][1] = "1",
		      changed.files[1][0] = "/x/common.h",
		      changed.files[1][1] = "2");
	other = one;
	other.files[1][1] = "3";
	expect(&other, &one,
	       "same source, options and device; file /x/common.h changed");
	other = one;
	other.files[2][0] = "x.h";
	other.files[2][1] = "5";
	expect(&other, &one,
	       "same source, options and device; file x.h appeared");
	expect(&one, &other,
	       "same source, options and device; file x.h is gone");
	other = one;
	other.links = 1;
	expect(&other, &one,
	       "same source, options and device; file links, or their order, "
	       "changed");
	other = one;
	other.files[0][0] = "x.h";
	other.files[0][1] = "5";
	other.files[1][0] = "a.h";
	other.files[1][1] = "1";
	other.files[2][0] = "/x/common.h";
	other.files[2][1] = "2";
	expect(&other, &one,
	       "same source, options and device; file x.h appeared");
	other = one;
	other.present = "p.h";
	expect(&other, &one,
	       "same source, options and device; file p.h appeared");
}

static void test_difference__links(void **state)
{
	struct wish one, other;

	(void)state;
	one = CHANGED(changed.inputs[0] = "a", changed.inputs[1] = "b");
	other = one;
	other.inputs[1] = "c";
	expect(&other, &one,
	       "same source, options and device; linked program 2 changed");
	other.inputs[2] = "d";
	expect(&other, &one,
	       "same source, options and device; 3 programs linked, were 2");
}

/* Near: an option. Farther: the driver, the source. Farthest: another kind. */
static void test_difference__order(void **state)
{
	struct wish wishes[5];
	uint64_t former = 0, distance;
	char text[2000];

	(void)state;
	wishes[0] = CHANGED(changed.options = "-DTILE=16 -w");
	wishes[1] = CHANGED(changed.driver_version = "3.0");
	wishes[2] = CHANGED(changed.source = "int a;\nint x;\nint c;\n");
	wishes[3] = CHANGED(changed.source = "something else");
	wishes[4] = CHANGED(changed.source = NULL);
	for (int i = 0; i < 5; i++) {
		distance = compare(&wishes[i], &usual, text);
		assert_true(distance > former);
		former = distance;
	}
}

/* Every known field counts for something, alone; damaged keys don't crash. */
static void test_difference__every_field(void **state)
{
	char text[2000];

	(void)state;
	for (uint16_t id = 1; id < 64; id++) {
		struct wish wish = CHANGED(changed.other = id);

		if (!strcmp(occ_key_field_name(id), "unknown"))
			continue;
		assert_true(compare(&wish, &usual, text) > 0);
		assert_true(strlen(text) > 10);
		assert_true(compare(&usual, &wish, text) > 0);
	}
}

static void test_difference__damaged(void **state)
{
	struct occ_key one, other;
	struct occ_span a, b;
	struct wish wish =
		CHANGED(changed.constants[0].size = 8,
			changed.files[0][0] = "a.h", changed.files[0][1] = "x",
			changed.headers[0][0] = "h",
			changed.headers[0][1] = "i");

	(void)state;
	make(&usual, &one);
	make(&wish, &other);
	a = occ_buffer_span(&one.stored);
	for (size_t i = 0; i < other.stored.size * 4; i++) {
		struct occ_buffer text = OCC_BUFFER_INIT;
		size_t at = i / 4, size = other.stored.size;
		unsigned char *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, other.stored.data, size);
		copy[at] ^= (unsigned char)(1 << (i % 4 * 2));
		b = (struct occ_span){copy, i % 3 ? size : at};
		occ_difference_distance(&a, &b);
		occ_difference_describe(&a, &b, &text);
		occ_difference_describe(&b, &a, &text);
		occ_key_print(&b, &text);
		assert_false(text.failed);
		occ_buffer_release(&text);
		free(copy);
	}
	occ_key_release(&one);
	occ_key_release(&other);
}

static void expect_line(const struct wish *wish, const char *line)
{
	struct occ_buffer text = OCC_BUFFER_INIT;
	struct occ_span stored;
	struct occ_key key;

	make(wish, &key);
	stored = occ_buffer_span(&key.stored);
	occ_key_print(&stored, &text);
	occ_buffer_append(&text, "", 1);
	if (!strstr((const char *)text.data, line))
		fail_msg("no line \"%s\" in:\n%s", line, (char *)text.data);
	occ_buffer_release(&text);
	occ_key_release(&key);
}

static void test_print__fields(void **state)
{
	static char big[5001];
	struct wish wish;

	(void)state;
	expect_line(&usual, "build options (6): -DTILE=8 -w\n");
	expect_line(&usual, "source (3): int a;\n\tint b;\n\tint c;\n");
	expect_line(&usual, "environment (34): POCL_A=1\n\tPOCL_B=2\n");
	expect_line(&usual, "device numbers (24): 4 4660 64\n");
	expect_line(&usual, "specialization constants (7): \n");
	wish = CHANGED(changed.constants[0].id = 3,
		       changed.constants[0].size = 4,
		       changed.constants[0].value = 258);
	expect_line(&wish, "specialization constants (7): 3=02010000\n");
	wish = CHANGED(changed.identity = "a\1\xff", changed.identity_size = 3);
	expect_line(&wish, "driver identity (32): 6101ff\n");
	wish = CHANGED(changed.device = "Ger\xc3\xa4t");
	expect_line(&wish, "device name (19): Ger\xc3\xa4t\n");
	wish = CHANGED(changed.device = "Ger\xe4t");
	expect_line(&wish, "device name (19): 476572e474\n");
	wish = CHANGED(changed.files[0][0] = "a/b.h",
		       changed.files[0][1] = "xyz");
	expect_line(&wish, "included file (12): a/b.h, 3 bytes, digest ");
	memset(big, 'x', 5000);
	wish = CHANGED(changed.source = big);
	expect_line(&wish, "source (3): 5000 bytes, digest ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_difference__none),
		cmocka_unit_test(test_difference__options),
		cmocka_unit_test(test_difference__environment),
		cmocka_unit_test(test_difference__driver),
		cmocka_unit_test(test_difference__device),
		cmocka_unit_test(test_difference__source),
		cmocka_unit_test(test_difference__constants),
		cmocka_unit_test(test_difference__headers),
		cmocka_unit_test(test_difference__files),
		cmocka_unit_test(test_difference__links),
		cmocka_unit_test(test_difference__order),
		cmocka_unit_test(test_difference__every_field),
		cmocka_unit_test(test_difference__damaged),
		cmocka_unit_test(test_print__fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
