/* SPDX-License-Identifier: MIT */
/* hash/embedded.h: are the headers given all that is included? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/embedded.h"

#define HEADERS_MAX 8

/* The files on an imagined disk, and what was asked for. */
struct disk {
	const char *files; /* "[path][path]" */
	char asked[1000];
	unsigned int count;
};

static bool absent(const char *path, void *data)
{
	struct disk *disk = data;
	char item[700];

	snprintf(item, sizeof(item), "[%s]", path);
	disk->count++;
	if (strlen(disk->asked) + strlen(item) < sizeof(disk->asked))
		strcat(disk->asked, item);
	return !disk->files || !strstr(disk->files, item);
}

/* Pairs of a header's name and its text, ended by NULL. */
struct program {
	const char *source;
	const char *headers[2 * HEADERS_MAX + 1];
	const char *options;
};

static struct occ_source_text text(const char *string)
{
	return (struct occ_source_text){string, strlen(string)};
}

static enum occ_source_kind scan(const struct program *program,
				 struct disk *disk)
{
	struct occ_source_text source = text(program->source);
	struct occ_embedded headers[HEADERS_MAX];
	size_t count = 0;

	for (; program->headers[2 * count]; count++)
		headers[count] = (struct occ_embedded){
			program->headers[2 * count],
			text(program->headers[2 * count + 1])};
	return occ_embedded_scan(&source, headers, count, program->options,
				 OCC_OPTION_ANY_DRIVER, absent, disk);
}

static void expect(enum occ_source_kind kind, const struct program *program,
		   const char *asked)
{
	struct disk disk = {NULL};
	enum occ_source_kind found = scan(program, &disk);

	if (found != kind || strcmp(disk.asked, asked) != 0)
		fail_msg("kind %d instead of %d, %s instead of %s: %s, %s",
			 found, kind, disk.asked, asked, program->source,
			 program->headers[0]);
}

static void test_embedded__accounted_for(void **state)
{
	static const struct {
		struct program program;
		const char *asked;
	} cases[] = {
		{{"int x;", {NULL}}, ""},
		{{"int x;", {"a.h", "int y;"}}, ""},
		{{"#include \"a.h\"", {"a.h", ""}}, "[a.h]"},
		{{"#include <a.h>", {"a.h", "#pragma once\nint y;"}}, "[a.h]"},
		/* Each path once, however often it is included. */
		{{"#include \"a.h\"\n#include <b.h>\n#include \"a.h\"",
		  {"b.h", "", "a.h", "#include \"b.h\""}},
		 "[a.h][b.h]"},
		/* A header that nobody includes counts, too. */
		{{"int x;", {"a.h", "#include \"b.h\"", "b.h", ""}}, "[b.h]"},
		{{"#include \"a.h\"", {"a.h", "#include \"a.h\""}}, "[a.h]"},
		{{"#include \"d/a.h\"",
		  {"d/a.h", "#include \"b.h\"", "d/b.h", ""}},
		 "[b.h][d/b.h][d/a.h][d/d/a.h]"},
		{{"#include \"d/a.h\"",
		  {"d/a.h", "#include \"e/b.h\"", "d/e/b.h", "int x;"}},
		 "[d/a.h][d/d/a.h][d/e/d/a.h][e/b.h][d/e/b.h][d/e/e/b.h]"},
		{{"#include <d/a.h>",
		  {"d/a.h", "#include <b.h>", "b.h", "int x;"}},
		 "[b.h][d/b.h][d/a.h][d/d/a.h]"},
		{{"#include \"./a.h\"", {"./a.h", "int x;"}},
		 "[./a.h][././a.h]"},
		{{"#include \"a.h\"",
		  {"a.h", ""},
		  "-DX -I inc -isystem/usr/x -cl-mad-enable"},
		 "[a.h][/usr/x/a.h][inc/a.h]"},
		{{"#include \"...h\"", {"...h", ""}}, "[...h]"},
		/* Where is without meaning when nothing is searched for. */
		{{"int x;", {"a.h", ""}, "-I \"my folder\" -I"}, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(OCC_SOURCE_PLAIN, &cases[i].program, cases[i].asked);
}

/* And nobody is asked whether any file is there. */
static void test_embedded__not_accounted_for(void **state)
{
	static const struct program programs[] = {
		{"#include \"b.h\"", {"a.h", ""}},
		{"#include \"a.h\"", {NULL}},
		{"#include \"A.h\"", {"a.h", ""}},
		{"#include \"./a.h\"", {"a.h", ""}},
		{"#include \"a.h\"", {"d/a.h", ""}},
		{"#include \"a.h\"", {"a.h", "#include <math.h>"}},
		/* In a header that nobody includes. */
		{"#include \"a.h\"", {"a.h", "", "b.h", "#include <c.h>"}},
		/* Angle brackets don't mean the includer's folder. */
		{"#include <d/a.h>", {"d/a.h", "#include <b.h>", "d/b.h", ""}},
		/* The folder of a header isn't that of the source. */
		{"#include \"b.h\"\n#include \"d/a.h\"",
		 {"d/a.h", "", "d/b.h", ""}},
		{"#include NAME", {"NAME", "", "a.h", "#define NAME \"a.h\""}},
		{"#include_next \"a.h\"", {"a.h", ""}},
		{"#include \"/a.h\"", {"/a.h", ""}},
		{"#include \"../a.h\"", {"../a.h", ""}},
		{"#include \"d/../a.h\"", {"d/../a.h", ""}},
		{"int x;", {"d/..", ""}},
		{"int x;", {"..", ""}},
		{"int x;", {"", ""}},
		/* Where drivers would search isn't certain. */
		{"#include \"a.h\"", {"a.h", ""}, "-I \"my folder\""},
		{"#include \"a.h\"", {"a.h", ""}, "-I"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		expect(OCC_SOURCE_INCLUDES, &programs[i], "");
}

static void test_embedded__other_kinds(void **state)
{
	static const struct program clock[] = {
		{"#include \"a.h\"", {"a.h", "char *s = __TIME__;"}},
		{"#include \"a.h\"\nP(__TI, ME__)",
		 {"a.h", "#define P(a, b) a##b"}},
		{"#include \"a.h\"\nX", {"a.h", ""}, "-DX=__DATE__"},
	};
	static const struct program uncertain[] = {
		{"#include \"a.h\" x", {"a.h", ""}},
		{"#include \"a\\b.h\"", {"a\\b.h", ""}},
		{"#include \"a.h\"", {"a.h", "// ?\?/\n"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(clock) / sizeof(clock[0]); i++)
		expect(OCC_SOURCE_CLOCK, &clock[i], "");
	for (size_t i = 0; i < sizeof(uncertain) / sizeof(uncertain[0]); i++)
		expect(OCC_SOURCE_UNCERTAIN, &uncertain[i], "");
}

/* Each of the paths asked for, when it is there, takes the header's place. */
static void test_embedded__files_that_are_there(void **state)
{
	static const char *const files[] = {
		"[a.h]",   "[d/a.h]",	"[d/d/b.h]",  "[d/b.h]",
		"[i/a.h]", "[i/d/b.h]", "[/j/d/b.h]", "[c.h][/j/a.h]",
	};
	static const struct program program = {
		"#include \"a.h\"\n#include \"d/b.h\"",
		{"a.h", "", "d/b.h", ""},
		"-Ii -idirafter /j"};
	struct disk disk = {"[c.h][b.h][i/b.h][h]"};

	(void)state;
	assert_int_equal(scan(&program, &disk), OCC_SOURCE_PLAIN);
	assert_int_equal(disk.count, 8);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		disk = (struct disk){files[i]};
		if (scan(&program, &disk) != OCC_SOURCE_INCLUDES)
			fail_msg("not seen: %s", files[i]);
	}
}

static void test_embedded__long_names(void **state)
{
	char name[400], source[500];
	struct program program = {source, {name, ""}};
	struct disk disk = {NULL};

	(void)state;
	for (int length = 254; length <= 257; length++) {
		/* With a folder, so that paths are twice as long. */
		snprintf(name, sizeof(name), "%0*d/a", length - 2, 0);
		snprintf(source, sizeof(source), "#include \"%s\"", name);
		disk = (struct disk){NULL};
		assert_int_equal(scan(&program, &disk),
				 length <= OCC_SOURCE_NAME_MAX
					 ? OCC_SOURCE_PLAIN
					 : OCC_SOURCE_INCLUDES);
		assert_int_equal(disk.count,
				 length <= OCC_SOURCE_NAME_MAX ? 2 : 0);
	}
}

static void test_embedded__long_folders(void **state)
{
	struct program program = {"#include \"a.h\"", {"a.h", ""}};
	char options[5000];
	struct disk disk = {NULL};

	(void)state;
	program.options = options;
	snprintf(options, sizeof(options), "-I%02048d", 0);
	assert_int_equal(scan(&program, &disk), OCC_SOURCE_PLAIN);
	assert_int_equal(disk.count, 2);
	snprintf(options, sizeof(options), "-I%02049d", 0);
	assert_int_equal(scan(&program, &disk), OCC_SOURCE_INCLUDES);
}

/* Headers in folders of their own, all included: paths are the product. */
static enum occ_source_kind scan_many(unsigned int count, struct disk *disk)
{
	struct occ_embedded *headers = calloc(count, sizeof(*headers));
	char(*names)[32] = calloc(count, sizeof(*names));
	char *source = calloc(count, 48);
	struct occ_source_text whole;
	enum occ_source_kind kind;

	assert_true(headers && names && source);
	for (unsigned int i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "d%u/a.h", i);
		sprintf(source + strlen(source), "#include \"%s\"\n", names[i]);
		headers[i] = (struct occ_embedded){names[i], text("int x;")};
	}
	whole = text(source);
	kind = occ_embedded_scan(&whole, headers, count, NULL,
				 OCC_OPTION_ANY_DRIVER, absent, disk);
	free(headers);
	free(names);
	free(source);
	return kind;
}

static void test_embedded__not_too_many_questions(void **state)
{
	struct disk disk = {NULL};

	(void)state;
	assert_int_equal(scan_many(60, &disk), OCC_SOURCE_PLAIN);
	assert_int_equal(disk.count, 60 * 61);
	disk.count = 0;
	assert_int_equal(scan_many(5000, &disk), OCC_SOURCE_INCLUDES);
	assert_int_equal(disk.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_embedded__accounted_for),
		cmocka_unit_test(test_embedded__not_accounted_for),
		cmocka_unit_test(test_embedded__other_kinds),
		cmocka_unit_test(test_embedded__files_that_are_there),
		cmocka_unit_test(test_embedded__long_names),
		cmocka_unit_test(test_embedded__long_folders),
		cmocka_unit_test(test_embedded__not_too_many_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
