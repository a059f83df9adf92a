/* SPDX-License-Identifier: MIT */
/* hash/closure.h and macro.h: which files could be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/closure.h"

#define FILES_MAX 24

/* A file system: names are paths, directories are what their paths say. */
struct file {
	const char *path;
	const char *text; /* NULL: can't be read */
};

struct files {
	const struct file *files; /* ends with a path of NULL */
	struct occ_scan *scans[100];
	size_t scan_count;
	char looked[4000]; /* every path, with a blank */
	/* A directory, and one that it is another name of; or NULL. */
	const char *directory, *same;
};

static uint64_t number_of(const char *text, size_t length)
{
	uint64_t number = 5381;

	for (size_t i = 0; i < length; i++)
		number = number * 33 + (unsigned char)text[i];
	return number;
}

static enum occ_closure_found look(const char *path, bool contents,
				   struct occ_closure_file *ret_file,
				   void *data)
{
	const char *slash = strrchr(path, '/');
	struct files *files = data;
	const struct file *file = files->files;

	snprintf(files->looked + strlen(files->looked),
		 sizeof(files->looked) - strlen(files->looked), "%s%s ", path,
		 contents ? "" : "?");
	while (file->path && strcmp(file->path, path) != 0)
		file++;
	if (files->directory && !strcmp(path, files->directory))
		ret_file->file[0] = number_of(files->same, strlen(files->same));
	if (!file->path)
		return OCC_CLOSURE_ABSENT;
	if (!file->text)
		return OCC_CLOSURE_UNKNOWN;
	memset(ret_file, 0, sizeof(*ret_file));
	/* Files that share a text are one, by several names. */
	ret_file->file[0] = (uintptr_t)file->text;
	if (!contents)
		return OCC_CLOSURE_FOUND;
	ret_file->size = strlen(file->text);
	ret_file->scan = occ_scan_make(file->text, strlen(file->text));
	occ_digest(file->text, ret_file->size, OCC_SEED_NAME,
		   &ret_file->digests[0]);
	ret_file->directory[0] =
		number_of(path, slash ? (size_t)(slash - path) : 0);
	assert_true(files->scan_count < 100);
	files->scans[files->scan_count++] = (struct occ_scan *)ret_file->scan;
	return OCC_CLOSURE_FOUND;
}

/* The paths of the closure, each with a blank; '?' for presence alone. */
static void paths_of(const struct occ_closure *closure, char paths[2000])
{
	struct occ_field field;
	size_t offset = 0;

	*paths = '\0';
	while (occ_field_next(closure->fields.data, closure->fields.size,
			      &offset, &field) == 1) {
		bool has = field.id == OCC_KEY_INCLUDE_PRESENT;
		size_t skip = 48;

		snprintf(paths + strlen(paths), 2000 - strlen(paths), "%s%.*s ",
			 has ? "?" : "", (int)(field.length - skip),
			 (const char *)field.payload + skip);
	}
}

struct compilation {
	const char *source;
	const char *options;
	struct file files[FILES_MAX];
	const char *directories[3];
	const char *implicit[2];
	bool splices_blanks;
	bool own_unknown;
	const char *here;
	const struct occ_closure_header *headers;
	size_t header_count;
};

static const char *make(const struct compilation *compilation,
			struct files *files, char paths[2000])
{
	struct occ_closure_request request = {
		.source = occ_scan_make(compilation->source,
					strlen(compilation->source)),
		.headers = compilation->headers,
		.header_count = compilation->header_count,
		.options = compilation->options,
		.directories = compilation->directories,
		.implicit = compilation->implicit,
		.splices_blanks = compilation->splices_blanks,
		.own_unknown = compilation->own_unknown,
		.here = compilation->here,
		.look = look,
		.look_data = files,
	};
	struct occ_closure closure;
	enum occ_reason reason;

	memset(files, 0, sizeof(*files));
	files->files = compilation->files;
	reason = occ_closure_make(&request, &closure);
	paths_of(&closure, paths);
	occ_closure_release(&closure);
	occ_scan_release((struct occ_scan *)request.source);
	for (size_t i = 0; i < files->scan_count; i++)
		occ_scan_release(files->scans[i]);
	return occ_reason_text(reason);
}

/* `reason`: a part of it. */
static void expect(const struct compilation *compilation, const char *reason,
		   const char *wanted)
{
	struct files files;
	char paths[2000];
	const char *got = make(compilation, &files, paths);

	if (!got != !reason || (got && !strstr(got, reason)) ||
	    (wanted && strcmp(paths, wanted) != 0))
		fail_msg("%s: %s, found %s; looked at %s", compilation->source,
			 got ? got : "no reason", paths, files.looked);
}

static void test_closure__search(void **state)
{
	static const struct {
		struct compilation compilation;
		const char *paths;
	} cases[] = {
		{{"int x;", "-I a", {{"a/x.h", ""}}}, ""},
		{{"#include \"x.h\"", NULL, {{"x.h", ""}}}, "x.h "},
		/* All directories, whatever comes first. */
		{{"#include <x.h>",
		  "-I a -Ib",
		  {{"a/x.h", ""}, {"b/x.h", ""}, {"x.h", ""}, {"c/x.h", ""}}},
		 "x.h a/x.h b/x.h "},
		{{"#include <x.h>",
		  NULL,
		  {{"/d/x.h", ""}, {"/e/x.h", ""}},
		  {"/d", "/e/"}},
		 "/d/x.h /e/x.h "},
		/* The includer's directory, between quotes. */
		{{"#include <x.h>",
		  "-I a",
		  {{"a/x.h", "#include \"y.h\""}, {"a/y.h", ""}}},
		 "a/x.h a/y.h "},
		{{"#include <b/x.h>",
		  "-I a",
		  {{"a/b/x.h", "#include <y.h>\n#include \"z.h\""},
		   {"a/b/y.h", ""},
		   {"a/b/z.h", ""}}},
		 "a/b/x.h a/b/z.h "},
		{{"#include \"b/x.h\"",
		  NULL,
		  {{"b/x.h", "#include \"../y.h\""}, {"b/../y.h", ""}}},
		 "b/x.h b/../y.h "},
		{{"#include \"/a/x.h\"",
		  "-I b",
		  {{"/a/x.h", "#include \"y.h\""}, {"/a/y.h", ""}}},
		 "/a/x.h /a/y.h "},
		/* More slashes than one aren't the root. */
		{{"#include <x.h>", "-I .//a", {{"a/x.h", ""}, {"/a/x.h", ""}}},
		 "a/x.h "},
		/* Within #if 0, and once only. */
		{{"#if 0\n#include \"x.h\"\n#include <x.h>\n#endif",
		  NULL,
		  {{"x.h", "#include \"x.h\"\n#include \"./x.h\""}}},
		 "x.h "},
		/* A loop that gets longer each time. */
		{{"#include \"a/x.h\"",
		  NULL,
		  {{"a/x.h", "#include \"./x.h\"\n"}}},
		 "a/x.h "},
		{{"#include \"x.h\"",
		  "-include p.h -imacros q.h",
		  {{"p.h", "#include \"y.h\""},
		   {"q.h", ""},
		   {"x.h", ""},
		   {"y.h", ""}}},
		 "p.h q.h x.h y.h "},
		/* Of a driver that is known to splice there. */
		{{"// \\ \n#include \"y.h\"\n#include \\\t\n\"x.h\"",
		  NULL,
		  {{"x.h", ""}, {"y.h", ""}},
		  .splices_blanks = true},
		 "x.h "},
		/* However a driver reads the quotes. */
		{{"int x;", "-include \"p.h\"", {{"p.h", ""}}}, "p.h "},
		{{"#if __has_include(\"x.h\") || __has_include(<y.h>)\n#endif",
		  "-I a",
		  {{"x.h", "#include \"z.h\""}, {"a/y.h", ""}, {"z.h", ""}}},
		 "?x.h ?a/y.h "},
		/* What the driver includes by itself. */
		{{"int x;",
		  "-I a",
		  {{"a/o.h", "#include \"x.h\""}, {"a/x.h", ""}},
		  .implicit = {"o.h"}},
		 "a/o.h a/x.h "},
		{{"#if __has_include(\"x.h\")\n#include \"x.h\"\n#endif",
		  NULL,
		  {{"x.h", ""}}},
		 "?x.h x.h "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(&cases[i].compilation, NULL, cases[i].paths);
}

static void test_closure__computed(void **state)
{
	static const struct {
		struct compilation compilation;
		const char *paths;
	} cases[] = {
		{{"#define X \"x.h\"\n#include X", NULL, {{"x.h", ""}}},
		 "x.h "},
		{{"#include X", "-D X=<x.h>", {{"x.h", ""}}}, "x.h "},
		/* However a driver reads the quotes. */
		{{"#include X", "-DX=\\\"x.h\\\"", {{"x.h", ""}}}, "x.h "},
		{{"#include X", "-DX=\"<x.h>\"", {{"x.h", ""}}}, "x.h "},
		{{"#include X", "-D\"X=<x.h>\"", {{"x.h", ""}}}, "x.h "},
		{{"#include X", "-DX=\\\"util/x.h\\\"", {{"util/x.h", ""}}},
		 "util/x.h "},
		{{"#if A\n#define X \"y.h\"\n#endif\n#include X",
		  "-DX=\\\"x.h\\\"",
		  {{"x.h", ""}, {"y.h", ""}}},
		 "x.h y.h "},
		/* To some the end of X is a splice, and D isn't defined. */
		{{"#define S(x) #x\n#define T(x) S(x)\n#include T(D/x.h)",
		  "-DX=\\\"x.h\\\" -DD=one",
		  {{"one/x.h", ""}, {"D/x.h", ""}}},
		 "one/x.h D/x.h "},
		{{"#include \\\"x.h\\\"", NULL, {{"x.h", ""}}}, ""},
		{{"#include M2S(INCLUDE_PATH/inc_vendor.h)",
		  "-D INCLUDE_PATH=/usr/share/hashcat -D M2S(x)=XM2S(x) "
		  "-D XM2S(x)=#x",
		  {{"/usr/share/hashcat/inc_vendor.h", ""}}},
		 "/usr/share/hashcat/inc_vendor.h "},
		/* All definitions, and none. */
		{{"#if A\n#define X \"x.h\"\n#else\n#define X \"y.h\"\n"
		  "#endif\n#include X",
		  NULL,
		  {{"x.h", ""}, {"y.h", ""}}},
		 "x.h y.h "},
		{{"#define S(x) #x\n#define T(x) S(x)\n#ifdef A\n"
		  "#define D one\n#endif\n#include T(D/x.h)",
		  NULL,
		  {{"one/x.h", ""}, {"D/x.h", ""}}},
		 "one/x.h D/x.h "},
		/* An option's, that nobody undefines. */
		{{"#define S(x) #x\n#define T(x) S(x)\n#include T(D/x.h)",
		  "-DD=one",
		  {{"one/x.h", ""}, {"D/x.h", ""}}},
		 "one/x.h "},
		{{"#undef D\n#define S(x) #x\n#define T(x) S(x)\n"
		  "#include T(D/x.h)",
		  "-DD=one",
		  {{"one/x.h", ""}, {"D/x.h", ""}}},
		 "one/x.h D/x.h "},
		/* Definitions of a file that another one includes. */
		{{"#include \"a.h\"\n#include X",
		  NULL,
		  {{"a.h", "#include \"b.h\""},
		   {"b.h", "#define X \"c.h\""},
		   {"c.h", "#define Y \"d.h\"\n#include Y"},
		   {"d.h", ""}}},
		 "a.h b.h c.h d.h "},
		{{"#define CAT(a, b) a##b\n#define S(x) #x\n#define T(x) S(x)\n"
		  "#include T(CAT(x, 1).h)",
		  NULL,
		  {{"x1.h", ""}}},
		 "x1.h "},
		{{"#define L(x) <x.h>\n#include L(a/b)", NULL, {{"a/b.h", ""}}},
		 "a/b.h "},
		{{"#define A B\n#define B A\n#include A", NULL, {{"A", ""}}},
		 ""},
		{{"#define F(x) #x\n#define G F\n#include G (x.h)",
		  NULL,
		  {{"x.h", ""}}},
		 "x.h "},
		{{"#define F() \"x.h\"\n#include F()", NULL, {{"x.h", ""}}},
		 "x.h "},
		{{"#define F(x, ...) #__VA_ARGS__\n#include F(a, x.h)",
		  NULL,
		  {{"x.h", ""}}},
		 "x.h "},
		{{"#define F(x, ...) G(x __VA_ARGS__)\n#define G(x) #x\n"
		  "#include F(x.h)",
		  NULL,
		  {{"x.h", ""}}},
		 "x.h "},
		{{"#define X <x.h>\n#if defined X && __has_include(X)\n#endif",
		  "-I a",
		  {{"a/x.h", "#include <y.h>"}, {"y.h", ""}}},
		 "?a/x.h "},
		{{"#define F(x, y) #y\n#include F((a, b), x.h)",
		  NULL,
		  {{"x.h", ""}}},
		 "x.h "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(&cases[i].compilation, NULL, cases[i].paths);
}

static void test_closure__refused(void **state)
{
	static const struct {
		struct compilation compilation;
		const char *reason;
	} cases[] = {
		{{"#include \"x.h\"", NULL, {{"x.h", NULL}}}, "can't be read"},
		{{"#include \"x.h\"", NULL, {{"x.h", "__TIME__"}}}, "__TIME__"},
		{{"#include \"x.h\"", NULL, {{"x.h", "#embed <y>"}}},
		 "can't be followed"},
		{{"#include \"x.h\"\nchar s[] = P(__DA, TE__);",
		  NULL,
		  {{"x.h", "#define P(a, b) a##b"}}},
		 "__DATE__"},
		{{"#include \"x.h\"", "-DX=__DATE__", {{"x.h", ""}}},
		 "__DATE__"},
		{{"#include \"x.h\"\nasm(A);",
		  NULL,
		  {{"x.h", "#define A \".include 'y'\""}}},
		 "can't be followed"},
		{{"#define S(x) #x\n#define T(x) S(x)\n#include T(linux/x.h)"},
		 "predefined"},
		{{"#define S(x) #x\n#include S(__FILE__)"}, NULL},
		{{"#define T(x) x\n#include T(__FILE__)"}, "predefined"},
		{{"#define F(x, ...) #x,##__VA_ARGS__\n#include F(x.h)"},
		 "determined"},
		{{"#define F(x...) #x\n#include F(x.h)"}, "determined"},
		{{"#define P(a, b) a##b\n#include P(<, x.h>)"}, "determined"},
		/* Backslashes: of letters, and where they may be a name's. */
		{{"#include X", "-DX=\\\"u00e9.h\\\""}, "determined"},
		{{"#include X", "-DX=\\\"U0000000e.h\\\""}, "determined"},
		{{"#include X", "-DX=\\\"N{x}.h\\\""}, "determined"},
		{{"#define X <a\\b.h>\n#include X"}, "determined"},
		{{"#define X \"a\\b.h\"\n#include X"}, "determined"},
		{{"#define S(x) #x\n#define T(x) S(x)\n#include T(X)",
		  "-DX=\\\"x.h\\\""},
		 "determined"},
		{{"#define P(a, b) <a##b>\n#include P(x, \\y.h)"},
		 "determined"},
		{{"int x; // \\ \n"}, "scanned reliably"},
		{{"#include <x.h>", "-include y\\z.h"}, ""},
		{{"int x;", "-I a.hmap", {{"a.hmap", ""}}}, "as a directory"},
		{{"int x;", "-include \"p.h\"", {{"p.h", ""}, {"\"p.h\"", ""}}},
		 "regular file"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(&cases[i].compilation, cases[i].reason, NULL);
}

static void test_closure__too_many_combinations(void **state)
{
	char source[4000] = "#define S(x) #x\n#define T(x) S(x)\n";
	struct compilation compilation = {source};

	(void)state;
	for (int i = 0; i < 10; i++)
		snprintf(source + strlen(source),
			 sizeof(source) - strlen(source),
			 "#define A%d a%d\n#define A%d b%d\n", i, i, i, i);
	strcat(source, "#include T(A0/A1/A2/A3/A4/A5/A6/A7/A8/A9.h)\n");
	expect(&compilation, "determined", NULL);
}

/* So many that the list of texts moves while one include is followed. */
static void test_closure__many_alternatives(void **state)
{
	char source[2000] = "", wanted[2000] = "", names[20][8];
	struct compilation compilation = {source};

	(void)state;
	for (int i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "x%d.h", i);
		compilation.files[i] = (struct file){names[i], ""};
		snprintf(source + strlen(source),
			 sizeof(source) - strlen(source), "#define X \"%s\"\n",
			 names[i]);
		snprintf(wanted + strlen(wanted),
			 sizeof(wanted) - strlen(wanted), "%s ", names[i]);
	}
	strcat(source, "#include X\n");
	expect(&compilation, NULL, wanted);
}

static void test_closure__headers(void **state)
{
	static const char text[] = "#include \"y.h\"\n#include <z.h>";
	struct occ_closure_header header = {"sub/x.h",
					    occ_scan_make(text, strlen(text))};
	struct compilation compilation = {
		"#include \"sub/x.h\"",
		"-I a",
		{{"sub/y.h", ""}, {"a/sub/y.h", ""}, {"a/z.h", ""}},
		.headers = &header,
		.header_count = 1,
	};

	(void)state;
	expect(&compilation, NULL, "sub/y.h a/sub/y.h a/z.h ");
	header.name = "../x.h";
	expect(&compilation, "plain path", NULL);
	header.name = "/x.h";
	expect(&compilation, "plain path", NULL);
	occ_scan_release((struct occ_scan *)header.scan);
}

/* The closure, and nothing that it was made of. */
static void make_alone(const char *source, const char *options,
		       struct files *files, struct occ_closure *ret_closure)
{
	struct occ_scan *scan = occ_scan_make(source, strlen(source));
	const struct occ_closure_request request = {
		.source = scan,
		.options = options,
		.look = look,
		.look_data = files,
	};

	assert_int_equal(occ_closure_make(&request, ret_closure),
			 OCC_REASON_NONE);
	occ_scan_release(scan);
	for (size_t i = 0; i < files->scan_count; i++)
		occ_scan_release(files->scans[i]);
}

static void expect_others(struct occ_closure closures[2])
{
	assert_int_equal(closures[0].fields.size, closures[1].fields.size);
	assert_false(occ_closure_equal(&closures[0], &closures[1]));
	occ_closure_release(&closures[0]);
	occ_closure_release(&closures[1]);
}

/* "x.h" and "a/x.h" are the same file, or have the same contents only. */
static void expect_other_when_same(const char *source, size_t file_count)
{
	static const char one[] = "#pragma once", other[] = "#pragma once";
	struct occ_closure closures[2];
	const char *texts[2] = {one, other};

	for (size_t i = 0; i < 2; i++) {
		struct file list[] = {{"x.h", one}, {"a/x.h", texts[i]}, {0}};
		struct files files = {.files = list};
		make_alone(source, "-I a", &files, &closures[i]);
		assert_int_equal(closures[i].file_count, file_count);
	}
	expect_others(closures);
}

static void test_closure__same_file(void **state)
{
	(void)state;
	/* #pragma once tells. */
	expect_other_when_same("#include <x.h>", 2);
	/* clang's __FILE__ does: it is the first name that was found. */
	expect_other_when_same("#if __has_include(\"x.h\")\n#endif\n"
			       "#include \"a/x.h\"",
			       1);
}

/* clang's __FILE__ has the name by which a directory was met first. */
static void test_closure__same_directory(void **state)
{
	static const char source[] = "#include \"a/x.h\"";
	static const char *const same[] = {"a", "elsewhere"};
	struct file list[] = {{"a/x.h", "x"}, {0}};
	struct occ_closure closures[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct files files = {.files = list,
				      .directory = "k",
				      .same = same[i]};
		make_alone(source, "-I k", &files, &closures[i]);
	}
	expect_others(closures);
}

/* Of a driver that may go on where nobody knows. */
static void test_closure__own_unknown(void **state)
{
#define ELSEWHERE "a directory of the driver's own"
	static const struct {
		struct compilation compilation;
		const char *reason; /* NULL: cached */
	} cases[] = {
		{{"int x;", NULL, {{NULL}}}, NULL},
		{{"#include \"x.h\"", NULL, {{"x.h", ""}}}, NULL},
		{{"#include \"x.h\"", "-I a", {{"a/x.h", ""}}}, NULL},
		{{"#include <x.h>", "-I a -Ib", {{"b/x.h", ""}}}, NULL},
		{{"#include \"/a/x.h\"", NULL, {{"/a/x.h", ""}}}, NULL},
		{{"#include <b/x.h>",
		  "-cl-intel-x -I a",
		  {{"a/b/x.h", "#include \"y.h\""}, {"a/b/y.h", ""}}},
		 NULL},
		{{"#if __has_include(\"x.h\")\n#endif", NULL, {{"x.h", ""}}},
		 NULL},
		/* Nowhere. */
		{{"#include \"x.h\"", "-I a", {{NULL}}}, ELSEWHERE},
		{{"#include <x.h>", "-I a", {{NULL}}}, ELSEWHERE},
		{{"#include \"/a/x.h\"", NULL, {{NULL}}}, ELSEWHERE},
		{{"#if 0\n#include <x.h>\n#endif", NULL, {{NULL}}}, ELSEWHERE},
		{{"#if __has_include(\"x.h\")\n#endif", NULL, {{NULL}}},
		 ELSEWHERE},
		{{"#include \"x.h\"", NULL, {{"x.h", "#include \"y.h\""}}},
		 ELSEWHERE},
		/* Where not all look, or not first. */
		{{"#include <x.h>", NULL, {{"x.h", ""}}}, ELSEWHERE},
		{{"#include \"x.h\"", NULL, {{"/d/x.h", ""}}, {"/d"}},
		 ELSEWHERE},
		{{"#include <b/x.h>",
		  "-I a",
		  {{"a/b/x.h", "#include <y.h>"}, {"a/b/y.h", ""}}},
		 ELSEWHERE},
		{{"#include \"b/x.h\"",
		  NULL,
		  {{"b/x.h", "#include \"y.h\""}, {"y.h", ""}}},
		 ELSEWHERE},
		{{"#include_next <x.h>", "-I a", {{"a/x.h", ""}}}, ELSEWHERE},
		{{"int x;", "-include x.h", {{"x.h", ""}}}, ELSEWHERE},
		{{"#include <x.h>", "-I \"a\"", {{"a/x.h", ""}}}, ELSEWHERE},
		{{"#include <x.h>", "-idirafter a", {{"a/x.h", ""}}},
		 ELSEWHERE},
		{{"#include <x.h>", "-w -iquote a", {{"a/x.h", ""}}},
		 ELSEWHERE},
		{{"#define N <x.h>\n#define N <y.h>\n#include N",
		  "-Ia",
		  {{"a/x.h", ""}}},
		 ELSEWHERE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct compilation compilation = cases[i].compilation;

		compilation.own_unknown = true;
		expect(&compilation, cases[i].reason, NULL);
		compilation.own_unknown = false;
		expect(&compilation, NULL, NULL);
	}
#undef ELSEWHERE
}

/* ... and that may call files by their whole paths. */
static void test_closure__own_unknown_here(void **state)
{
	struct compilation relative = {"#include \"x.h\"",
				       "-I a",
				       {{"x.h", ""}},
				       .own_unknown = true,
				       .here = "/here"};
	struct compilation whole = {"#include \"/a/x.h\"",
				    "-I a",
				    {{"/a/x.h", ""}},
				    .own_unknown = true,
				    .here = "/here"};

	(void)state;
	expect(&relative, NULL, "x.h ?/here ");
	expect(&whole, NULL, "/a/x.h ");
	relative.own_unknown = false;
	expect(&relative, NULL, "x.h ");
}

/* Whose name __FILE__ is. */
static void test_closure__names_source(void **state)
{
	static const struct {
		const char *source;
		const char *file;
		bool names;
	} cases[] = {
		{"char *s = __LINE__;", "", false},
		{"char *s = __FILE__;", "", true},
		{"char *s = __builtin_FILE();", "", true},
		{"char *s = __builtin_FILE_NAME();", "", true},
		{"auto s = __builtin_source_location();", "", true},
		{"char *s = __PRETTY_FUNCTION__;", "", true},
		{"char *s = __PRETTY_FUNC\\\nTION__;", "", true},
		{"char *s = __func__;", "", false},
		{"char *s = __PRETTY_FUNCTION;", "", false},
		{"#include \"x.h\"", "char *s = __PRETTY_FUNCTION__;", true},
		{"#include \"x.h\"\nchar *s = P(__PRETTY, FUNCTION__);",
		 "#define P(a, b) a##_##b", true},
		{"#include \"x.h\"", "char *s = __FILE__;", false},
		{"#include \"x.h\"\nF;", "#define F __FILE__\n", true},
		{"#include \"x.h\"\nF;",
		 "char *s = __FILE__;\n#define F __FILE__\n", true},
		/* In a macro that is never expanded. */
		{"#include \"x.h\"", "#define F __FILE__\n", false},
		{"#define F(x) g(x, __FILE__)\n#ifdef F\n#undef F\n"
		 "#endif\n#ifndef /* \n */ F\n#endif /* F */ // F",
		 "", false},
		{"char *f = \"F\"; int FF, x = 'F';\n#define F __FILE__", "",
		 false},
		{"#define F __FILE__\n#define G F\n", "", true},
		{"#define F __FILE__\n#if 0\nF\n#endif", "", true},
		{"#define F __FILE__\n#if defined(F)\n#endif", "", true},
		{"#define F 1\nF\n#undef F\n#define F __FILE__", "", true},
		{"#define F __FILE__\n\\\nF", "", true},
		{"#define F(define) # define F\n#define G __FILE__\n"
		 "G",
		 "", true},
		{"#define S(define) # define F\n#define F __FILE__\n", "",
		 true},
		{"#define AB __FILE__\nA\\\nB", "", true},
		{"#define P(a, b) a##b\n#define AB __FILE__\n", "", true},
		{"#define F __FILE__\n_Pragma(\"unroll F\")", "", true},
		{"#define F __FILE__\nint a$F;", "", true},
		{"#define F __FILE__\n#include \"x.h\"", "F", true},
		{"#define f __FILE__", "", true},
		{"#define __F __FILE__", "", true},
		{"#define NULL __FILE__", "", true},
		{"#define F 1\n#line 1 \"a\"\nchar *s = __FILE__;", "", true},
		{"#include \"x.h\"", "#define F 1\nchar *s = __FILE__;", false},
		{"#include \"x.h\"\nchar *s = P(__FI, LE__);",
		 "#define P(a, b) a##b", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct file list[] = {{"x.h", cases[i].file}, {NULL}};
		struct files files = {.files = list};
		struct occ_closure_request request = {
			.source = occ_scan_make(cases[i].source,
						strlen(cases[i].source)),
			.look = look,
			.look_data = &files,
		};
		struct occ_closure closure;

		assert_int_equal(occ_closure_make(&request, &closure),
				 OCC_REASON_NONE);
		if (closure.names_source != cases[i].names)
			fail_msg("%s + %s", cases[i].source, cases[i].file);
		occ_closure_release(&closure);
		/* Of such a driver no file's name is known. */
		request.own_unknown = true;
		assert_int_equal(occ_closure_make(&request, &closure),
				 OCC_REASON_NONE);
		if (closure.names_source !=
		    (cases[i].names ||
		     (strstr(cases[i].source, "x.h") &&
		      !strcmp(cases[i].file, "char *s = __FILE__;")) ||
		     strstr(cases[i].file, "\nchar *s = __FILE__;")))
			fail_msg("%s + %s, which has no known name",
				 cases[i].source, cases[i].file);
		occ_closure_release(&closure);
		occ_scan_release((struct occ_scan *)request.source);
		for (size_t s = 0; s < files.scan_count; s++)
			occ_scan_release(files.scans[s]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closure__search),
		cmocka_unit_test(test_closure__names_source),
		cmocka_unit_test(test_closure__computed),
		cmocka_unit_test(test_closure__refused),
		cmocka_unit_test(test_closure__too_many_combinations),
		cmocka_unit_test(test_closure__many_alternatives),
		cmocka_unit_test(test_closure__headers),
		cmocka_unit_test(test_closure__same_file),
		cmocka_unit_test(test_closure__same_directory),
		cmocka_unit_test(test_closure__own_unknown),
		cmocka_unit_test(test_closure__own_unknown_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
