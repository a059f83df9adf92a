/* SPDX-License-Identifier: MIT */
/* What programs are called in lines for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/source_label.h"

/* Of a copy: whoever reads beyond it is noticed by sanitizers. */
static void expect_bytes(const void *bytes, size_t size, bool is_il,
			 const char *label)
{
	unsigned char *copy = malloc(size ? size : 1);
	char got[OCC_SOURCE_LABEL_SIZE];

	assert_non_null(copy);
	for (size_t i = 0; i < size; i++)
		copy[i] = ((const unsigned char *)bytes)[i];
	occ_source_label((struct occ_span){copy, size}, is_il, got);
	free(copy);
	assert_string_equal(got, label);
}

static void expect(const char *source, const char *label)
{
	expect_bytes(source, strlen(source), false, label);
}

static void test_kernels(void **state)
{
	(void)state;
	expect("kernel void one(global int *out) {}", "one");
	expect("/* kernel void no() */ // kernel void no()\n"
	       "const char *s = \"kernel void no(\\\"\";\n"
	       "__kernel\nvoid /* here */ one (global int *out) {}\n"
	       "kernel void two(int x);",
	       "one, two");
	expect("__kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
	       "void one(global int *out) {}",
	       "one");
	expect("kernel void a(){} kernel void b(){} kernel void c(){}"
	       "kernel void d(){} kernel void e(){}",
	       "a, b, c, ...");
}

static void test_lines(void **state)
{
	char text[2 * OCC_SOURCE_LABEL_SIZE + 1];

	(void)state;
	expect("", "");
	expect(" \n\t", "");
	expect("\n\n  #include \"part.h\"\r\nint x;", "#include \"part.h\"");
	expect("/* licence */\n#define GWO(type) \\\n type *\n\n"
	       "// more\nKERNEL(sum)",
	       "KERNEL(sum)");
	expect("#define A 1\n# include <a.cl>\n", "# include <a.cl>");
	expect("// note\n#error no\n", "// note");
	expect("kernel", "kernel");
	expect("kernel void", "kernel void");
	expect("kernel void x", "kernel void x");
	expect("kernel __attribute__((", "kernel __attribute__((");
	expect("\"open", "\"open");
	expect("/* open", "/* open");
	expect("a\x1b[31mb", "a [31mb");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	expect(text, text + sizeof(text) - OCC_SOURCE_LABEL_SIZE);
}

/* A kernel's name that is too long is cut. */
static void test_long_names(void **state)
{
	char name[301], text[400];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "kernel void %s(int x)", name);
	expect(text, name + sizeof(name) - OCC_SOURCE_LABEL_SIZE);
}

static void test_il(void **state)
{
	uint32_t words[] = {0x07230203, 0x00010000, 0, 10, 0,
			    /* OpCapability */
			    2u << 16 | 17, 6,
			    /* OpEntryPoint Kernel %1 "one" */
			    4u << 16 | 15, 6, 1, 0,
			    /* OpFunction, and what isn't looked at */
			    5u << 16 | 54, 1, 2, 0, 3, 4u << 16 | 15, 6, 1, 0};

	(void)state;
	memcpy(&words[10], "one", 4);
	memcpy(&words[19], "two", 4);
	for (size_t size = 0; size <= sizeof(words); size++)
		expect_bytes(words, size, true,
			     size < 11 * sizeof(*words) ? "" : "one");
	/* A length that leads nowhere. */
	words[5] = 17;
	expect_bytes(words, sizeof(words), true, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_il),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
