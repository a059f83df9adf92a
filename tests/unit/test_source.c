/* SPDX-License-Identifier: MIT */
/* hash/source.h: what reads other files or the clock, in every spelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/source.h"

static enum occ_source_kind scan(const char *text)
{
	return occ_source_scan(text, strlen(text), NULL);
}

static void expect(enum occ_source_kind kind, const char *const *texts,
		   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (scan(texts[i]) != kind)
			fail_msg("kind %d instead of %d: %s", scan(texts[i]),
				 kind, texts[i]);
}
#define EXPECT(kind, texts)                                                    \
	expect(kind, texts, sizeof(texts) / sizeof((texts)[0]))

static void test_source__plain(void **state)
{
	static const char *const texts[] = {
		"",
		"kernel void f(global int *x) { *x = 1; }",
		"#define A 1\n#ifdef A\n#endif\n#pragma unroll\n",
		"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
		"// #include \"a.h\"\nint x;",
		"/* \n#include <a.h>\n*/ int x;",
		"/\\\n* \n#include <a.h>\n*\\\n/ int x;",
		"constant char *s = \"\\\n#include <a.h>\";",
		"constant char *s = \"#include <a.h>\";",
		"int include; int import; x = a #include\n",
		"#if 0\n#include_not\n#endif\n",
		"#define INCLUDE(x) #x\n",
		"int x = a ? b : c; int y = a ?b:c;",
		"#define P(a, b) a##_##b\nint P(x, y);",
		"int date, __DATE, DATE__, time__, __TIME;",
		"char c = '\"'; int x; // '\n",
		"#error don't\nint x;\n",
		"// \xc3\xa4\nint x; /* \xc3\xa4 */ char *s = \"\xc3\xa4\";",
		"asm(\"mov.b64 %0, {%1, %2};\" : \"=l\"(r) : \"r\"(a));",
		"_Pragma(\"unroll\") for (;;);",
	};

	(void)state;
	EXPECT(OCC_SOURCE_PLAIN, texts);
}

static void test_source__includes(void **state)
{
	static const char *const texts[] = {
		"#include \"a.h\"",
		"#include <a.h>\n",
		"int x;\n  #include <a.h>",
		"\t#\tinclude\t<a.h>",
		"# include <a.h>",
		"#include MACRO(a, b)\n",
		"#include\"a.h\"",
		"#/* c */include <a.h>",
		"# // c\n#include <a.h>",
		"/* c */ # /* c */ /* d */ include /* e */ <a.h>",
		"/* c\n */ #include <a.h>",
		"#inc\\\nlude <a.h>",
		"#inc\\\r\nlude <a.h>",
		"\\\n#\\\ninclude <a.h>",
		"%:include <a.h>",
		"%\\\n:include <a.h>",
		"?\?=include <a.h>",
		"?\?= include <a.h>",
		"???\?=include <a.h>",
		"#include_next <a.h>",
		"#import <a.h>",
		"#embed \"a.bin\"",
		"#if 0\n#include <a.h>\n#endif",
		"#if __has_include(<a.h>)\n#endif",
		"#if __has_include_next(<a.h>)\n#endif",
		"#if __has_embed(\"a\")\n#endif",
		"#define P(a, b) a##b\n#if P(__has_, include)(<a.h>)\n#endif",
		"#define P(a, b) a%:%:b\n#if P(__has_inc, lude)(<a.h>)\n#endif",
		"#pragma GCC dependency \"a.h\"\n",
		"#pragma clang module import a\n",
		"_Pragma(\"GCC dependency \\\"a.h\\\"\")",
		"char *s = \"\n#include <a.h>\n",
		"// c\r\n#include <a.h>\r\n",
		"x = '\\'';\n#include <a.h>\n",
		"\"a\\\\\"\n#include <a.h>\n",
		"asm(\".include \\\"a.s\\\"\");",
		"__asm__ volatile(\".INCBIN 'a'\");",
		"__asm(\".\" \"include 'a'\");",
		"asm(\".macro m\\n\");",
		"asm(\"\\x2einclude 'a'\");",
		"#define S(x) #x\nasm(S(.include \"a.s\"));",
	};

	(void)state;
	EXPECT(OCC_SOURCE_INCLUDES, texts);
}

static void test_source__clock(void **state)
{
	static const char *const texts[] = {
		"char *s = __DATE__;",
		"#define NOW __TIME__\n",
		"__TIMESTAMP__",
		"__TI\\\nME__",
		"#define P(a, b) a##b\nchar *s = P(__DA, TE__);",
		"#define P(a, b, c) a##b##c\nchar *s = P(_, _TIME_, _);",
		"#define P(a) __TIMES##a\nchar *s = P(TAMP__);",
		"#define P(a) __DATE#\\\n#a\nchar *s = P(__);",
	};

	(void)state;
	EXPECT(OCC_SOURCE_CLOCK, texts);
}

static void test_source__uncertain(void **state)
{
	static const char *const texts[] = {
		"// what?\?/\nint x;", "x = R\"(/*)\";",   "x = LR\"a(\")a\";",
		"int x = 1'0 '/*';",   "// c \\ \nint x;", "// c\rint x;",
	};

	(void)state;
	EXPECT(OCC_SOURCE_UNCERTAIN, texts);
	assert_int_equal(OCC_SOURCE_UNCERTAIN,
			 occ_source_scan("int x;\0int y;", 13, NULL));
}

static void test_source__trailing_nul_is_plain(void **state)
{
	static const char text[] = "int x;";

	(void)state;
	assert_int_equal(OCC_SOURCE_PLAIN,
			 occ_source_scan(text, sizeof(text), ""));
}

static void test_source__options_count(void **state)
{
	static const char paste[] = "P(__DA, TE__)";

	(void)state;
	assert_int_equal(OCC_SOURCE_CLOCK,
			 occ_source_scan("NOW", 3, "-D NOW=__DATE__"));
	assert_int_equal(OCC_SOURCE_CLOCK,
			 occ_source_scan("NOW", 3, "-DNOW=__TIME__"));
	assert_int_equal(OCC_SOURCE_CLOCK,
			 occ_source_scan(paste, sizeof(paste) - 1,
					 "-DP(a,b)=a##b"));
	assert_int_equal(OCC_SOURCE_CLOCK,
			 occ_source_scan("#define P(a, b) a##b\nP(X, TE__)", 31,
					 "-DX=__DA"));
	assert_int_equal(OCC_SOURCE_PLAIN,
			 occ_source_scan("f(DATE)", 7, "-DDATE=1 -I inc"));
}

/* Any text ends, whatever is cut off: no read past the end (for ASan). */
static void test_source__every_prefix(void **state)
{
	static const char text[] =
		"#/**/inc\\\r\nlude ?\?=%:'\\'\"\\\"R\"(x)\" "
		"// a \\\n /* * */ __DATE__ \\ \n_Pragma ##";

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, text, size);
		occ_source_scan(copy, size, NULL);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source__plain),
		cmocka_unit_test(test_source__includes),
		cmocka_unit_test(test_source__clock),
		cmocka_unit_test(test_source__uncertain),
		cmocka_unit_test(test_source__trailing_nul_is_plain),
		cmocka_unit_test(test_source__options_count),
		cmocka_unit_test(test_source__every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
