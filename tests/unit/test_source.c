/* SPDX-License-Identifier: MIT */
/* hash/source.h: what reads other files or the clock, in every spelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* What visits see, as one string; `known` says which names are accounted for.
 */
struct seen {
	const char *known;
	char names[1000];
};

static bool visit(const char *name, size_t length, bool quoted, size_t text,
		  void *data)
{
	struct seen *seen = data;
	char item[300];

	assert_int_equal(strlen(name), length);
	snprintf(item, sizeof(item), "%zu%c%s ", text, quoted ? '"' : '<',
		 name);
	strcat(seen->names, item);
	return !seen->known || strstr(seen->known, name);
}

static enum occ_source_kind visit_all(const char *const *strings, size_t count,
				      const char *options, struct seen *seen)
{
	struct occ_source_text texts[8];

	for (size_t i = 0; i < count; i++)
		texts[i] = (struct occ_source_text){strings[i],
						    strlen(strings[i])};
	seen->names[0] = '\0';
	return occ_source_includes(texts, count, options, visit, seen);
}

/* All names are accounted for. */
static void expect_visits(enum occ_source_kind kind, const char *text,
			  const char *names)
{
	struct seen seen = {NULL};
	enum occ_source_kind found = visit_all(&text, 1, NULL, &seen);

	if (found != kind || strcmp(seen.names, names) != 0)
		fail_msg("kind %d instead of %d, %s instead of %s: %s", found,
			 kind, seen.names, names, text);
}

static void test_source_includes__names(void **state)
{
	static const struct {
		const char *text;
		const char *names;
	} cases[] = {
		{"#include \"a.h\"", "0\"a.h "},
		{"#include <a.h>\n", "0<a.h "},
		{"#include\"a.h\"\n#include<b/c.h>", "0\"a.h 0<b/c.h "},
		{"\t#\tinclude\t<a.h>\t\nint x;", "0<a.h "},
		{"/* c */ # /* c */ /* d */ include /* e */ <a.h> /* f */",
		 "0<a.h "},
		{"/* c\n */ #include /* d\n */ <a.h> /* e\n */\nint x;",
		 "0<a.h "},
		{"#include <a.h> // <b.h>", "0<a.h "},
		{"#inc\\\nlude \"a\\\n.h\\\r\n\"", "0\"a.h "},
		{"%:include <a.h>", "0<a.h "},
		{"%\\\n:include <a.h>\r\n", "0<a.h "},
		{"#if 0\n#include <a.h>\n#endif", "0<a.h "},
		{"#include \"a b.h\"", "0\"a b.h "},
		{"#include \"a>b.h\"\n#include \"<a.h>\"",
		 "0\"a>b.h 0\"<a.h> "},
		{"#include \"./../a?/b*.h\"", "0\"./../a?/b*.h "},
		{"// #include \"b.h\"\n/*\n#include \"c.h\"\n*/", ""},
		{"#include \"__DATE__\"", "0\"__DATE__ "},
		{"x = \"\\\"\";\n#include <a.h>", "0<a.h "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_visits(OCC_SOURCE_PLAIN, cases[i].text, cases[i].names);
}

/* Nobody is asked about these, or it doesn't help. */
static void test_source_includes__other_ways(void **state)
{
	static const char *const texts[] = {
		"#include MACRO",
		"#include MACRO(\"a.h\")",
		"#include",
		"#include\n\"a.h\"",
		"#include // \"a.h\"\n",
		"#include L\"a.h\"",
		"#include / \"a.h\"",
		"#include_next \"a.h\"",
		"#import \"a.h\"",
		"#embed \"a.h\"",
		"?\?=include \"a.h\"",
		"#if __has_include(\"a.h\")\n#endif",
		"#pragma GCC dependency \"a.h\"",
		"asm(\".include 'a.h'\");",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_visits(OCC_SOURCE_INCLUDES, texts[i], "");
}

static void test_source_includes__uncertain(void **state)
{
	static const struct {
		const char *text;
		const char *names;
	} cases[] = {
		{"#include \"\"", ""},
		{"#include <>", ""},
		{"#include \"a.h", ""},
		{"#include <a.h\n", ""},
		{"#include \"a.h\n\"", ""},
		{"#include \"a\\b.h\"", ""},
		{"#include \"a?\?/b.h\"", ""},
		{"#include \"a?\?-b.h\"", ""},
		{"#include \"a?\\\n?-b.h\"", ""},
		{"#include <a'b.h>", ""},
		{"#include <a\"b.h>", ""},
		{"#include <a//b.h>", ""},
		{"#include <a/*b.h>", ""},
		{"#include \"a\tb.h\"", ""},
		{"#include \"\xc3\xa4.h\"", ""},
		{"#include \"a.h\\ \n\"", ""},
		{"#include \"a.h\" x", "0\"a.h "},
		{"#include \"a.h\" /* \n */ int x;", "0\"a.h "},
		{"#include <a.h> / ", "0<a.h "},
		{"#include <a.h>;", "0<a.h "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_visits(OCC_SOURCE_UNCERTAIN, cases[i].text,
			      cases[i].names);
}

static void test_source_includes__one_unknown_is_enough(void **state)
{
	static const char *const texts[] = {
		"#include \"a.h\"\n#include \"b.h\"\n#include \"a.h\"",
		"#include <c.h>\n__DATE__"};
	struct seen seen = {"a.h c.h"};

	(void)state;
	assert_int_equal(OCC_SOURCE_INCLUDES, visit_all(texts, 1, NULL, &seen));
	assert_string_equal(seen.names, "0\"a.h 0\"b.h 0\"a.h ");
	seen.known = "a.h b.h c.h";
	assert_int_equal(OCC_SOURCE_PLAIN, visit_all(texts, 1, NULL, &seen));
	assert_int_equal(OCC_SOURCE_CLOCK, visit_all(texts, 2, NULL, &seen));
	assert_string_equal(seen.names, "0\"a.h 0\"b.h 0\"a.h 1<c.h ");
	/* The clock of the first outranks no include of the second. */
	seen.known = "a.h b.h";
	assert_int_equal(OCC_SOURCE_INCLUDES, visit_all(texts, 2, NULL, &seen));
	assert_int_equal(OCC_SOURCE_PLAIN,
			 occ_source_includes(NULL, 0, NULL, NULL, NULL));
}

static void test_source_includes__name_lengths(void **state)
{
	char text[400], names[400];

	(void)state;
	for (int length = 254; length <= 257; length++) {
		snprintf(text, sizeof(text), "#include <%0*d>", length, 0);
		snprintf(names, sizeof(names), "0<%0*d ", length, 0);
		if (length <= OCC_SOURCE_NAME_MAX)
			expect_visits(OCC_SOURCE_PLAIN, text, names);
		else
			expect_visits(OCC_SOURCE_INCLUDES, text, "");
	}
}

/* Texts are one compilation: one's macros work on another's words. */
static void test_source_includes__texts_together(void **state)
{
	static const struct {
		enum occ_source_kind kind;
		const char *texts[2];
	} cases[] = {
		{OCC_SOURCE_CLOCK,
		 {"#include \"p.h\"\nchar *s = P(__DA, TE__);",
		  "#define P(a, b) a##b"}},
		{OCC_SOURCE_INCLUDES,
		 {"#define P(a, b) a##b\n", "#if P(__has, _include)(X)"}},
		{OCC_SOURCE_INCLUDES,
		 {"_Pragma(TEXT)", "#define TEXT \"GCC dependency 'a'\""}},
		{OCC_SOURCE_INCLUDES,
		 {"#define TEXT \".include 'a'\"", "asm(TEXT);"}},
		{OCC_SOURCE_UNCERTAIN, {"int x; // \\ \n", "int y;"}},
		/* But each ends by itself. */
		{OCC_SOURCE_PLAIN, {"/* ", "#include \"a.h\""}},
		{OCC_SOURCE_PLAIN, {"char *s = \"", "#include \"a.h\""}},
		{OCC_SOURCE_PLAIN, {"#pragma unroll", "dependency"}},
		{OCC_SOURCE_PLAIN, {"#", "define X # y"}},
		{OCC_SOURCE_PLAIN, {"__DA", "TE__"}},
		{OCC_SOURCE_PLAIN, {"#", "include MACRO"}},
	};
	struct seen seen = {NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (visit_all(cases[i].texts, 2, NULL, &seen) != cases[i].kind)
			fail_msg("not kind %d: %s + %s", cases[i].kind,
				 cases[i].texts[0], cases[i].texts[1]);
}

static void test_source__options_with_pragma_and_assembly(void **state)
{
	static const char pragma[] = "_Pragma(X)", assembly[] = "asm(X);";

	(void)state;
	assert_int_equal(OCC_SOURCE_INCLUDES,
			 occ_source_scan(pragma, sizeof(pragma),
					 "-DX=\"GCC dependency 'a'\""));
	assert_int_equal(OCC_SOURCE_INCLUDES,
			 occ_source_scan(assembly, sizeof(assembly),
					 "-DX=\".incbin 'a'\""));
	assert_int_equal(OCC_SOURCE_PLAIN,
			 occ_source_scan(assembly, sizeof(assembly),
					 "-DX=\"nop\""));
}

/* Any text ends, whatever is cut off: no read past the end (for ASan). */
static void test_source__every_prefix(void **state)
{
	static const char text[] =
		"#/**/inc\\\r\nlude ?\?=%:'\\'\"\\\"R\"(x)\" "
		"// a \\\n /* * */ __DATE__ \\ \n_Pragma ##\n"
		"#include \"a\\\n.h\" /* */\n#include <b/c.h> // \n%:include";
	struct seen seen = {NULL};

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, text, size);
		occ_source_scan(copy, size, NULL);
		seen.names[0] = '\0';
		occ_source_includes(&(struct occ_source_text){copy, size}, 1,
				    NULL, visit, &seen);
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
		cmocka_unit_test(test_source_includes__names),
		cmocka_unit_test(test_source_includes__other_ways),
		cmocka_unit_test(test_source_includes__uncertain),
		cmocka_unit_test(test_source_includes__one_unknown_is_enough),
		cmocka_unit_test(test_source_includes__name_lengths),
		cmocka_unit_test(test_source_includes__texts_together),
		cmocka_unit_test(test_source__options_with_pragma_and_assembly),
		cmocka_unit_test(test_source__every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
