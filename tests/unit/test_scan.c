/* SPDX-License-Identifier: MIT */
/* hash/scan.h: what reads other files or the clock, in every spelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/closure.h"

enum kind {
	PLAIN,	  /* nothing is looked for */
	INCLUDES, /* files are, or in a way that isn't followed */
	CLOCK,
	UNCERTAIN,
};

static enum occ_closure_found find_nothing(const char *path, bool contents,
					   struct occ_closure_file *ret_file,
					   void *data)
{
	(void)path;
	(void)contents;
	(void)ret_file;
	(void)data;
	return OCC_CLOSURE_ABSENT;
}

static enum kind kind_of(enum occ_reason reason,
			 const struct occ_closure *closure)
{
	if (!reason)
		return closure->absent.size ? INCLUDES : PLAIN;
	if (reason == OCC_REASON_SOURCE_CLOCK)
		return CLOCK;
	if (reason == OCC_REASON_SOURCE_UNCERTAIN)
		return UNCERTAIN;
	return INCLUDES;
}

/* One compilation of several texts; the first is the main one. */
static enum kind scan_texts(const char *const *texts, const size_t *sizes,
			    size_t count, const char *options)
{
	struct occ_closure_header headers[8];
	struct occ_closure_request request = {
		.source = occ_scan_make(texts[0], sizes[0]),
		.headers = headers,
		.header_count = count - 1,
		.options = options,
		.look = find_nothing,
	};
	struct occ_closure closure;
	enum kind kind;

	for (size_t i = 1; i < count; i++)
		headers[i - 1] = (struct occ_closure_header){
			"x.h", occ_scan_make(texts[i], sizes[i])};
	kind = kind_of(occ_closure_make(&request, &closure), &closure);
	occ_closure_release(&closure);
	occ_scan_release((struct occ_scan *)request.source);
	for (size_t i = 1; i < count; i++)
		occ_scan_release((struct occ_scan *)headers[i - 1].scan);
	return kind;
}

static enum kind scan_with(const char *text, size_t size, const char *options)
{
	return scan_texts(&text, &size, 1, options);
}

static enum kind scan(const char *text)
{
	return scan_with(text, strlen(text), NULL);
}

static void expect(enum kind kind, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (scan(texts[i]) != kind)
			fail_msg("kind %d instead of %d: %s", scan(texts[i]),
				 kind, texts[i]);
}
#define EXPECT(kind, texts)                                                    \
	expect(kind, texts, sizeof(texts) / sizeof((texts)[0]))

static void test_scan__plain(void **state)
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
		"#error OpenCL 1.2's\nint x;\n",
		"#if 0\n#error don't R\" /*\n#endif\n",
		"#if 0\nit isn't\ndon't\n#endif\n",
		"float f = 1.0f + 0x1.8p+3 + 1e-5f; char c = 'a', d = L'a';",
		"#define A \\\n'a'\nint x[] = {\n'a',\r\n'b',\r\n\"c\"};",
		"char s[] = \"\\u00e9'\\U000000e9'\"; // \\u00e9'",
		"#pragma mark - it's\n#pragma unroll 4\n",
		"// \xc3\xa4\nint x; /* \xc3\xa4 */ char *s = \"\xc3\xa4\";",
		"asm(\"nop\"); // \".\" \"include\"",
		"#include_not <x>\nasm(\"st.global.\" \"u32\");",
		"asm(\"mov.b64 %0, {%1, %2};\" : \"=l\"(r) : \"r\"(a));",
		"_Pragma(\"unroll\") for (;;);",
	};

	(void)state;
	EXPECT(PLAIN, texts);
}

static void test_scan__includes(void **state)
{
	static const char *const texts[] = {
		"#include \"a.h\"",
		"#include <a.h>\n",
		"int x;\n  #include <a.h>",
		"\t#\tinclude\t<a.h>",
		"# include <a.h>",
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
		"asm(\".in\\\nclude 'a'\");",
		"asm(\"a\\n.\" \"include 'a'\");",
		"asm(\"\\x0002Eincbin 'a'\");",
		"asm(\"\\x2einclude 'a'\");",
		"#define S(x) #x\nasm(S(.include \"a.s\"));",
	};

	(void)state;
	EXPECT(INCLUDES, texts);
}

static void test_scan__clock(void **state)
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
	EXPECT(CLOCK, texts);
}

static void test_scan__uncertain(void **state)
{
	static const char *const texts[] = {
		"// what?\?/\nint x;",
		"x = R\"(/*)\";",
		"x = LR\"a(\")a\";",
		"int x = 1'0 '/*';",
		"// c \\ \nint x;",
		"// c\rint x;",
		/* Numbers of C++: where they begin, and with what they go on.
		 */
		"1'b' /* '",
		"\n1$'b' /* '",
		"$1'b' /* '",
		"1.\\u00e9'b'",
		"1\\U000000e9'b'",
		"1\\\nu00e9'b'",
		"0x1p+\\u{e9}'b'",
		"1\\\nb'b'",
		"1e\\\n+f'b'",
		"1e\\ \t\r\n+f'b'",
		"1\\\n\\\n'b'",
		"R\\\n\"(/*)\"",
		"1\\N{LATIN E}'b'",
		"\\u00e91'b'",
		"x = $$$$R\"(/*)\";",
		/* Comments and raw strings, or text that is taken as it is. */
		"#warning x /*\n*/",
		"#pragma mark /*\n*/",
		"#error R\"(\n)\"",
		"#error 1.2's /*\n*/",
		"# /**/ pragma /**/ mark /*\n*/",
	};

	(void)state;
	EXPECT(UNCERTAIN, texts);
	assert_int_equal(UNCERTAIN, scan_with("int x;\0int y;", 13, NULL));
}

static void test_scan__trailing_nul_is_plain(void **state)
{
	static const char text[] = "int x;";

	(void)state;
	assert_int_equal(PLAIN, scan_with(text, sizeof(text), ""));
}

static void test_scan__options_count(void **state)
{
	static const char paste[] = "P(__DA, TE__)";

	(void)state;
	assert_int_equal(CLOCK, scan_with("NOW", 3, "-D NOW=__DATE__"));
	assert_int_equal(CLOCK, scan_with("NOW", 3, "-DNOW=__TIME__"));
	assert_int_equal(CLOCK,
			 scan_with(paste, sizeof(paste) - 1, "-DP(a,b)=a##b"));
	assert_int_equal(CLOCK, scan_with("#define P(a, b) a##b\nP(X, TE__)",
					  31, "-DX=__DA"));
	assert_int_equal(PLAIN, scan_with("f(DATE)", 7, "-DDATE=1 -I inc"));
}

/* What is included, as a string: \"name for quotes, <name for brackets. */
static void names_of(const struct occ_scan *scan, char names[1000])
{
	static const char *const marks[] = {
		[OCC_DIRECTIVE_INCLUDE] = "",
		[OCC_DIRECTIVE_COMPUTED] = "=",
		[OCC_DIRECTIVE_HAS] = "?",
		[OCC_DIRECTIVE_DEFINE] = "+",
		[OCC_DIRECTIVE_UNDEFINE] = "-",
		[OCC_DIRECTIVE_COMPUTED_HAS] = "",
	};

	*names = '\0';
	for (size_t i = 0; i < scan->directive_count; i++) {
		const struct occ_directive *directive = &scan->directives[i];
		size_t at = strlen(names);
		const char *quote = directive->quoted ? "\"" : "<";

		if (directive->kind != OCC_DIRECTIVE_INCLUDE &&
		    directive->kind != OCC_DIRECTIVE_HAS)
			quote = "";
		snprintf(names + at, 1000 - at, "%s%s%s%s%.*s ",
			 directive->next ? "!" : "", marks[directive->kind],
			 quote, occ_scan_name(scan, directive),
			 (int)directive->rest_length,
			 directive->rest ? directive->rest : "");
	}
}

static void expect_names(const char *text, const char *names, bool uncertain)
{
	struct occ_scan *scan = occ_scan_make(text, strlen(text));
	char found[1000];
	bool is_uncertain;

	assert_non_null(scan);
	is_uncertain = scan->traits & OCC_SCAN_UNCERTAIN;
	names_of(scan, found);
	if (strcmp(found, names) != 0 || is_uncertain != uncertain)
		fail_msg("%s instead of %s, uncertain %d: %s", found, names,
			 is_uncertain, text);
	occ_scan_release(scan);
}

struct names_case {
	const char *text;
	const char *names;
};

static void test_scan_names__includes(void **state)
{
	static const struct names_case cases[] = {
		{"#include \"a.h\"", "\"a.h "},
		{"#include <a.h>\n", "<a.h "},
		{"#include\"a.h\"\n#include<b/c.h>", "\"a.h <b/c.h "},
		{"\t#\tinclude\t<a.h>\t\nint x;", "<a.h "},
		{"/* c */ # /* c */ /* d */ include /* e */ <a.h> /* f */",
		 "<a.h "},
		{"/* c\n */ #include /* d\n */ <a.h> /* e\n */\nint x;",
		 "<a.h "},
		{"#include <a.h> // <b.h>", "<a.h "},
		{"#inc\\\nlude \"a\\\n.h\\\r\n\"", "\"a.h "},
		{"%:include <a.h>", "<a.h "},
		{"%\\\n:include <a.h>\r\n", "<a.h "},
		{"#if 0\n#include <a.h>\n#endif", "<a.h "},
		{"#include \"a b.h\"", "\"a b.h "},
		{"#include \"a>b.h\"\n#include \"<a.h>\"", "\"a>b.h \"<a.h> "},
		{"#include \"./../a?/b*.h\"", "\"./../a?/b*.h "},
		{"// #include \"b.h\"\n/*\n#include \"c.h\"\n*/", ""},
		{"#include \"__DATE__\"", "\"__DATE__ "},
		{"x = \"\\\"\";\n#include <a.h>", "<a.h "},
		/* Blanks behind a backslash: as clang has it. */
		{"#include \"a.h\\ \n\"", "\"a.h "},
		{"#inc\\ \t\v\f\r\nlude <a.h>", "<a.h "},
		{"// c \\ \n#include <b.h>\n#include <a.h>", "<a.h "},
		/* In a group that is skipped it has tokens, like any text. */
		{"#error x /*\n#include <b.h>\n*/\n#include <a.h>", "<a.h "},
		{"#error don't R\"( /*\n#include <a.h>\n//)\"*/", "<a.h "},
		{"#error /* ' */ \"/*\" // /*\n#include <a.h>", "<a.h "},
		{"#warning /* x */ don't /*\n#include <a.h>", "<a.h "},
		{"#pragma mark don't R\"( /*\n#include <a.h>", "<a.h "},
		{"#pragma marks /*\n#include <b.h>\n*/", ""},
		{"#include_next \"a.h\"", "!\"a.h "},
		{"#import <a.h>", "<a.h "},
		{"?\?=include \"a.h\"", "\"a.h "},
		{"x ?\?=include \"a.h\"", "\"a.h "},
		{"#include MACRO(\"a.h\") // c\n", "=MACRO(\"a.h\") // c "},
		{"#include X /* \n */ Y\nz", "=X /* \n */ Y "},
		{"#include", "= "},
		{"#include\n\"a.h\"", "= "},
		{"#if __has_include(\"a.h\")\n#endif", "?\"a.h "},
		{"#elif X && __has_include_next ( <a.h> )", "!?<a.h "},
		{"#ifdef __has_include\n#endif", ""},
		{"#if __has_include(F(x, \")\") ) && Y\n#endif",
		 "F(x, \")\")  "},
		{"#if defined(__has_include) && X", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect_names(cases[i].text, cases[i].names, false);
	}
}

static void test_scan_names__macros(void **state)
{
	static const struct names_case cases[] = {
		{"#define A", "+A "},
		{"#define A 1\n#undef A\n", "+A 1 -A "},
		{"# define /**/ A(x) #x // c\r\nint x;", "+A(x) #x // c "},
		{"#define A\\\n B", "+A B "},
		{"#de\\\nfine A\\\nB 1", "+AB 1 "},
		{"?\?=define A 1", "+A 1 "},
		{"#if 0\n#define A /* \n */ 1\n#endif", "+A /* \n */ 1 "},
		{"#define A \"x\\\"\n\"", "+A \"x\\\" "},
		{"#define", ""},
		{"#define \nA", ""},
		{"#define __has_include(x) 0", "+__has_include(x) 0 "},
	};
	size_t first;
	struct occ_scan *scan =
		occ_scan_make("#define B 1\n#define A 2\n#undef B\n", 34);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_names(cases[i].text, cases[i].names, false);
	assert_int_equal(2, occ_scan_find_macro(scan, "B", &first));
	assert_int_equal(0, scan->macros[first]);
	assert_int_equal(2, scan->macros[first + 1]);
	assert_int_equal(1, occ_scan_find_macro(scan, "A", &first));
	assert_int_equal(0, occ_scan_find_macro(scan, "C", &first));
	occ_scan_release(scan);
}

/* The name of an include is no part of an assembler's directive. */
static void test_scan__assembly_in_names(void **state)
{
	static const struct {
		const char *text;
		bool includes;
	} texts[] = {
		{"#include \"incl.h\"\n", false},
		{"asm(\"nop\");\n \t# \tinclude\t \"incbin.h\"\n", false},
		{"#include_next /**/ \"incl.h\"\n", false},
		{"#include <a.h> \"incl\"\n", true},
		{"#import \"incl.h\"\n", true},
		{"x #include \"incl\"\n", true},
		{"include \"incl\"\n", true},
		{"\"incl\"\n", true},
		{"// \\\r\n#include \"incl\"\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct occ_scan *scan =
			occ_scan_make(texts[i].text, strlen(texts[i].text));

		if (occ_scan_assembly_includes(scan) != texts[i].includes)
			fail_msg("%s", texts[i].text);
		occ_scan_release(scan);
	}
}

/* Not followed, or it isn't certain how they are read. */
static void test_scan_names__reads(void **state)
{
	static const char *const texts[] = {
		"#embed \"a.h\"",
		"#if __has_embed(\"a.h\")\n#endif",
		"#if __has_include(A\n#endif",
		"#if F(__has_include)(\"a.h\")\n#endif",
		"#define X __has_include(\"a.h\")\n",
		"#define F(x) x\n#if F(__has_include)\n#endif",
		"#if __has_include(\"a.h\"\n#endif",
		"#if __has_include(A __has_include(B))\n#endif",
		"#pragma GCC dependency \"a.h\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct occ_scan *scan =
			occ_scan_make(texts[i], strlen(texts[i]));

		if (!(scan->traits & OCC_SCAN_READS))
			fail_msg("%s", texts[i]);
		occ_scan_release(scan);
	}
}

static void test_scan_names__uncertain(void **state)
{
	static const struct names_case cases[] = {
		{"#include \"\"", ""},
		{"#include <>", ""},
		{"#include \"a.h", ""},
		{"#include <a.h\n", ""},
		{"#include \"a.h\n\"", ""},
		{"#include \"a?\?/b.h\"", ""},
		{"#include \"a?\?-b.h\"", ""},
		{"#include \"a?\\\n?-b.h\"", ""},
		{"#include <a'b.h>", ""},
		{"#include <a\"b.h>", ""},
		{"#include <a//b.h>", ""},
		{"#include <a/*b.h>", ""},
		{"#include \"a\tb.h\"", ""},
		{"#include \"\xc3\xa4.h\"", ""},
		{"#include \"a.h\" x", "\"a.h "},
		{"#include \"a.h\" /* \n */ int x;", "\"a.h "},
		{"#include <a.h> / ", "<a.h "},
		{"#include <a.h>;", "<a.h "},
		{"#include \"a\\b.h\"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_names(cases[i].text, cases[i].names, true);
}

static void test_scan_names__lengths(void **state)
{
	char text[400], names[400];

	(void)state;
	for (int length = 254; length <= 257; length++) {
		bool too_long = length > OCC_SCAN_NAME_MAX;

		snprintf(text, sizeof(text), "#include <%0*d>", length, 0);
		snprintf(names, sizeof(names), "<%0*d ", length, 0);
		expect_names(text, too_long ? "" : names, too_long);
	}
}

/* Texts are one compilation: one's macros work on another's words. */
static void test_scan__texts_together(void **state)
{
	static const struct {
		enum kind kind;
		const char *texts[2];
	} cases[] = {
		{CLOCK, {"char *s = P(__DA, TE__);", "#define P(a, b) a##b"}},
		{CLOCK, {"char *s = P(_, _DATE__);", "#define P(a, b) a##b"}},
		{CLOCK,
		 {"char *s = P(__\\\nTIM, E__);", "#define P(a, b) a##b"}},
		{PLAIN, {"char *s = P(x__DA, TE__);", "#define P(a, b) a##b"}},
		{INCLUDES,
		 {"#define P(a, b) a##b\n", "#if P(__has, _include)(X)"}},
		{INCLUDES,
		 {"_Pragma(TEXT)", "#define TEXT \"GCC dependency 'a'\""}},
		{INCLUDES, {"#define TEXT \".include 'a'\"", "asm(TEXT);"}},
		{UNCERTAIN, {"int x; // \\ \n", "int y;"}},
		{INCLUDES, {"#define T \".in\\\ncbin 'a'\"", "asm(T);"}},
		{INCLUDES, {"#define T \".\\\r\n\\\nInc 'a'\"", "asm(T);"}},
		{INCLUDES, {"#define T \"\\\\\n056inc 'a'\"", "asm(T);"}},
		{INCLUDES, {"#define T \"\\\\\nx2einc 'a'\"", "asm(T);"}},
		{INCLUDES, {"/* // */ \".include 'a'\"", "asm(TEXT);"}},
		{INCLUDES, {"#define T \"//.include 'a'\"", "asm(T);"}},
		{INCLUDES, {"a \"\\\n// .include 'a'\"", "asm(TEXT);"}},
		{PLAIN, {"int x; // replace \".\" by a dot", "asm(TEXT);"}},
		/* But each ends by itself. */
		{INCLUDES, {"/* ", "#embed \"a.h\""}},
		{INCLUDES, {"char *s = \"", "#embed \"a.h\""}},
		{PLAIN, {"#pragma unroll", "dependency"}},
		{PLAIN, {"#", "define X # y"}},
		{PLAIN, {"__DA", "TE__"}},
		{PLAIN, {"#", "include MACRO"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t sizes[2] = {strlen(cases[i].texts[0]),
				   strlen(cases[i].texts[1])};

		if (scan_texts(cases[i].texts, sizes, 2, NULL) != cases[i].kind)
			fail_msg("not kind %d: %s + %s", cases[i].kind,
				 cases[i].texts[0], cases[i].texts[1]);
	}
}

static void test_scan__options_with_pragma_and_assembly(void **state)
{
	static const char pragma[] = "_Pragma(X)", assembly[] = "asm(X);";

	(void)state;
	assert_int_equal(INCLUDES, scan_with(pragma, sizeof(pragma),
					     "-DX=\"GCC dependency 'a'\""));
	assert_int_equal(INCLUDES, scan_with(assembly, sizeof(assembly),
					     "-DX=\".incbin 'a'\""));
	assert_int_equal(PLAIN,
			 scan_with(assembly, sizeof(assembly), "-DX=\"nop\""));
}

/* Any text ends, whatever is cut off: no read past the end (for ASan). */
static void test_scan__every_prefix(void **state)
{
	static const char text[] =
		"#/**/inc\\\r\nlude ?\?=%:'\\'\"\\\"R\"(x)\" "
		"// a \\\n /* * */ __DATE__ \\ \n_Pragma ##\n"
		"#include \"a\\\n.h\" /* */\n#include <b/c.h> // \n%:include";

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, text, size);
		scan_with(copy, size, NULL);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan__plain),
		cmocka_unit_test(test_scan__includes),
		cmocka_unit_test(test_scan__clock),
		cmocka_unit_test(test_scan__uncertain),
		cmocka_unit_test(test_scan__trailing_nul_is_plain),
		cmocka_unit_test(test_scan__options_count),
		cmocka_unit_test(test_scan_names__includes),
		cmocka_unit_test(test_scan_names__macros),
		cmocka_unit_test(test_scan_names__reads),
		cmocka_unit_test(test_scan__assembly_in_names),
		cmocka_unit_test(test_scan_names__uncertain),
		cmocka_unit_test(test_scan_names__lengths),
		cmocka_unit_test(test_scan__texts_together),
		cmocka_unit_test(test_scan__options_with_pragma_and_assembly),
		cmocka_unit_test(test_scan__every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
