/* SPDX-License-Identifier: MIT */
/*
 * Sources and options of a megabyte (in the short form a quarter of one) that
 * are made to keep a scanner busy: the work is proportional to their size. It
 * is counted, not timed: basic blocks of hash/, and the bytes that the
 * functions of libc called by it look at (the Makefile builds these objects so,
 * for this test alone).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "hash/closure.h"
#include "hash/difference.h"
#include "hash/option.h"
#include "hash/word.h"

#define LARGE ((size_t)1 << 20)
#define SMALL (LARGE / 32)

/* With OCLCACHE_TEST_LONG=1 LARGE, otherwise a quarter of it. */
static size_t largest = LARGE / 4;

/* Of sizes, and what a byte may cost, and all that doesn't depend on them. */
#define RATIO	 2.3
#define PER_BYTE 300
#define BASE	 40000000

static uint64_t work;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	work++;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names. */
void *__real_memchr(const void *s, int c, size_t n);
void *__wrap_memchr(const void *s, int c, size_t n);
int __real_memcmp(const void *a, const void *b, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n);
void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__real_memset(void *to, int c, size_t n);
void *__wrap_memset(void *to, int c, size_t n);
void *__real_memmem(const void *s, size_t n, const void *part, size_t size);
void *__wrap_memmem(const void *s, size_t n, const void *part, size_t size);
char *__real_strchr(const char *s, int c);
char *__wrap_strchr(const char *s, int c);
int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);
int __real_strncmp(const char *a, const char *b, size_t n);
int __wrap_strncmp(const char *a, const char *b, size_t n);
size_t __real_strlen(const char *s);
size_t __wrap_strlen(const char *s);
char *__real_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n);
char *__real_strpbrk(const char *s, const char *accept);
char *__wrap_strpbrk(const char *s, const char *accept);

/* Up to what was found, or to the end. */
static uint64_t looked(const char *s, const char *found, uint64_t otherwise)
{
	return found ? (uint64_t)(found - s) : otherwise;
}

void *__wrap_memchr(const void *s, int c, size_t n)
{
	char *found = __real_memchr(s, c, n);

	work += looked(s, found, n) / 16;
	return found;
}

int __wrap_memcmp(const void *a, const void *b, size_t n)
{
	work += n / 16;
	return __real_memcmp(a, b, n);
}

void *__wrap_memcpy(void *to, const void *from, size_t n)
{
	work += n / 16;
	return __real_memcpy(to, from, n);
}

void *__wrap_memset(void *to, int c, size_t n)
{
	work += n / 16;
	return __real_memset(to, c, n);
}

void *__wrap_memmem(const void *s, size_t n, const void *part, size_t size)
{
	char *found = __real_memmem(s, n, part, size);

	work += looked(s, found, n) / 16;
	return found;
}

char *__wrap_strchr(const char *s, int c)
{
	char *found = __real_strchr(s, c);

	work += looked(s, found, found ? 0 : __real_strlen(s)) / 16;
	return found;
}

int __wrap_strcmp(const char *a, const char *b)
{
	size_t same = 0;

	while (a[same] && a[same] == b[same])
		same++;
	work += same / 16;
	return __real_strcmp(a, b);
}

int __wrap_strncmp(const char *a, const char *b, size_t n)
{
	work += n / 16;
	return __real_strncmp(a, b, n);
}

size_t __wrap_strlen(const char *s)
{
	size_t size = __real_strlen(s);

	work += size / 16;
	return size;
}

char *__wrap_strndup(const char *s, size_t n)
{
	work += n / 16;
	return __real_strndup(s, n);
}

char *__wrap_strpbrk(const char *s, const char *accept)
{
	char *found = __real_strpbrk(s, accept);

	work += looked(s, found, found ? 0 : __real_strlen(s)) / 16;
	return found;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Of a hostile text: its start, what is repeated, and its end. */
struct hostile {
	const char *what;
	const char *start;
	const char *repeated; /* %d: a number that rises */
	const char *end;
	const char *options;	      /* of its compilation */
	const char *repeated_options; /* likewise; or NULL */
};

static const struct hostile hostiles[] = {
	{"comments in comments", "", "/* ", ""},
	{"one comment per byte", "", "/**/", "", NULL},
	{"slashes", "", "/", ""},
	{"a million #", "", "#", ""},
	{"directives of nothing", "", "#\n", ""},
	{"spliced lines", "", "\\\n", ""},
	{"a spliced word", "int ", "a\\\n", ";"},
	{"a spliced directive", "#", "\\\n", "include \"a.h\""},
	{"backslashes and blanks", "", "\\ ", ""},
	{"a backslash and blanks", "\\", " ", "\n"},
	{"backslashes", "", "\\", ""},
	{"one long word", "", "_", ""},
	{"one long number", "#if ", "1", "\n"},
	{"words to be pasted", "#define P(a,b) a##b\n", "__DA TE__ _ __ ", ""},
	{"short words", "", "_ a ", ""},
	{"quotes", "", "\"", ""},
	{"quotes behind words", "", "R\"a ", ""},
	{"quotes behind a long word", "", "a'", ""},
	{"quotes behind splices", "", "1\\ \n'\n", ""},
	{"messages", "", "#warning 1'/**/ ' /*\n*/\n", ""},
	{"a mark", "#pragma mark ", "'/* */", ""},
	{"uses of macros beside one with __FILE__", "#define B __FILE__\n",
	 "#define A\nA\n", ""},
	{"macros with __FILE__", "", "#define A%d __FILE__\n", "", "-w",
	 " -DB=%d"},
	{"deep conditions", "", "#if 1\n", ""},
	{"conditions", "#if ", "defined ", "\n"},
	{"parentheses", "#if ", "(", "\n"},
	{"__has_include that doesn't end", "#if ", "__has_include(A ", "\n"},
	{"__has_include that ends late", "#if ", "__has_include(A ",
	 "))))))))))\n"},
	{"__has_include in turn", "#if ", "__has_include(A) ", "\n"},
	{"__has_include of a quote", "#if ", "__has_include(A \"", "\n"},
	{"includes of one file", "", "#include \"a.h\"\n", ""},
	{"includes in many directories", "", "#include \"a.h\"\n", "", "-I a",
	 " -I a%d"},
	{"includes of many files", "", "#include <%d.h>\n", ""},
	{"includes that include assembly", "asm(\"x\");\n#include ",
	 "\"incl\" ", ""},
	{"dots in assembly", "asm(\"x\");\n", "a.inx", ""},
	{"zeros in assembly", "asm(\"x\");\n", "\\x00", ""},
	{"trigraphs", "", "?\?/\n", ""},
	{"question marks", "", "?", ""},
	{"macros of one name", "", "#define A %d\n", "#include A\n"},
	{"the same macro again", "", "#define A A\n", "#include A\n"},
	{"many macros", "", "#define A%d A\n", "#include A1\n"},
	{"computed includes", "#define A \"a.h\"\n", "#include A\n", ""},
	{"computed includes of comments", "#define A \"a.h\"\n#include A /*",
	 "*", "*/\n#include A\n#include A\n"},
	{"a macro of comments", "#define A /*", "*",
	 "*/ \"a.h\"\n#include A\n#include A\n#include A\n"},
	{"a macro that grows",
	 "#define A B B B B\n#define B C C C C\n#define C D D D D\n"
	 "#define D E E E E\n#define E F F F F\n#define F <\n",
	 "#include A\n", ""},
	{"calls in calls", "#define F(x) <x x\n", "#include F(F(F(F(1))))\n",
	 ""},
	{"many choices",
	 "#define A\n#define A <\n#define A a\n#define B\n#define B A\n"
	 "#define C A\n#define C B\n#define D A\n#define D C\n",
	 "#include A B C D\n", ""},
	{"many definitions and includes", "#define A \"a.h\"\n",
	 "#define A \"a.h\"\n#include A\n", ""},
	{"an option of many words", "", "", "", "-w", " -DA=%d"},
	{"options that are read differently", "", "", "", "-DX=\"\\\t'",
	 " -DA=%d"},
	{"words that are no options", "", "", "", "-DX=\\y", " a"},
	{"quotes in options", "", "", "", "-w", " -D\"A"},
	{"blanks in options", "", "", "", "-w", "\t \t"},
};

/* Appends `text`, with the number in the place of %d. */
static size_t put(char *at, const char *text, int number)
{
	const char *mark = strstr(text, "%d");
	size_t size = mark ? (size_t)(mark - text) : strlen(text);

	memcpy(at, text, size);
	if (mark)
		size += (size_t)sprintf(at + size, "%d%s", number, mark + 2);
	return size;
}

/* `size` bytes or a few more; to be freed. */
static char *make_text(const char *start, const char *repeated, const char *end,
		       size_t size)
{
	char *text = malloc(size + strlen(start) + strlen(end) + 128);
	size_t at;
	int number = 0;

	assert_non_null(text);
	at = put(text, start, 0);
	while (*repeated && at < size)
		at += put(text + at, repeated, number++);
	strcpy(text + at, end);
	return text;
}

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

static uint64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static const struct occ_option_dialect dialect = {
	.reading = OCC_READ_QUOTES | OCC_READ_ESCAPES,
};

/* As the layer does it, and all that may be asked of a scan. */
static void scan_all(const char *text, const char *options)
{
	struct occ_scan *scan = occ_scan_make(text, strlen(text));
	struct occ_closure_request request = {
		.source = scan,
		.options = options,
		.dialect = &dialect,
		.look = find_nothing,
	};
	const struct occ_scan *scans[1] = {scan};
	struct occ_closure closure;
	size_t length;

	assert_non_null(scan);
	occ_scan_pastable(scans, 1);
	occ_scan_assembly_includes(scan);
	occ_scan_pragma_includes(scan);
	occ_option_unsafe(options, request.dialect, &length);
	occ_closure_make(&request, &closure);
	occ_closure_release(&closure);
	occ_scan_release(scan);
}

/* Returns the work, and in *ret_size the bytes it was done on. */
static uint64_t play(const struct hostile *hostile, size_t size,
		     size_t *ret_size, uint64_t *ret_ms)
{
	char *text = make_text(hostile->start, hostile->repeated, hostile->end,
			       size);
	char *options = hostile->repeated_options
				? make_text(hostile->options,
					    hostile->repeated_options, "", size)
				: NULL;
	uint64_t start = milliseconds();

	*ret_size = strlen(text) + (options ? strlen(options) : 0);
	work = 0;
	scan_all(text, options);
	*ret_ms = milliseconds() - start;
	free(text);
	free(options);
	return work;
}

/* Small ones first: what isn't linear would take forever. */
static bool is_linear(const struct hostile *hostile)
{
	uint64_t before = 0, now = 0, ms = 0;
	size_t bytes = 0;

	for (size_t size = SMALL; size <= largest; size *= 2) {
		now = play(hostile, size, &bytes, &ms);
		if ((before && (double)now > RATIO * (double)before + BASE) ||
		    now > PER_BYTE * bytes + BASE)
			break;
		before = now;
	}
	print_message("# %-36s %8zu bytes %6.1f steps each %5llu ms\n",
		      hostile->what, bytes, (double)now / (double)bytes,
		      (unsigned long long)ms);
	return before == now;
}

static void test_linear__hostile_sources(void **state)
{
	size_t count = sizeof(hostiles) / sizeof(hostiles[0]), bad = 0;

	(void)state;
	for (size_t i = 0; i < count; i++)
		bad += !is_linear(&hostiles[i]);
	assert_int_equal(bad, 0);
}

/* A stored key with fields of one id, as many as there is room for. */
static void make_stored(const char *text, uint16_t id, size_t length,
			struct occ_buffer *ret_key)
{
	size_t size = strlen(text);

	for (size_t at = 0; at + length <= size; at += length)
		occ_field_append(ret_key, id, text + at, length);
	assert_false(ret_key->failed);
}

static uint64_t compare_stored(const char *repeated, uint16_t id, size_t size,
			       size_t length)
{
	char *text = make_text("a=0 ", repeated, "", size);
	char *other = make_text("a=1 ", repeated, " a=2", size);
	struct occ_buffer one = OCC_BUFFER_INIT, two = OCC_BUFFER_INIT,
			  said = OCC_BUFFER_INIT;
	struct occ_span now, then;

	make_stored(text, id, length ? length : strlen(text), &one);
	make_stored(other, id, length ? length : strlen(other), &two);
	now = occ_buffer_span(&one);
	then = occ_buffer_span(&two);
	work = 0;
	assert_true(occ_difference_distance(&now, &then) > 0);
	occ_difference_describe(&now, &then, &said);
	occ_buffer_release(&said);
	occ_buffer_release(&one);
	occ_buffer_release(&two);
	free(text);
	free(other);
	return work;
}

/* Keys are of entries that others may have written. */
static void test_linear__hostile_keys(void **state)
{
	static const struct {
		uint16_t id;
		size_t length; /* of each field; 0: there is one */
		const char *repeated;
	} keys[] = {
		{OCC_KEY_OPTIONS, 0, "a=%d "},
		{OCC_KEY_OPTIONS, 0, "a=1 "},
		{OCC_KEY_DEVICE_EXTENSIONS, 0, "a "},
		{OCC_KEY_ENVIRONMENT, 0, "a=%d "},
		{OCC_KEY_SPEC_CONSTANTS, 0, "\1"},
		{OCC_KEY_INCLUDE_FILE, 56, "a%d"},
		{OCC_KEY_HEADER_NAME, 8, "a%d"},
		{OCC_KEY_LINK_INPUT, 32, "a%d"},
		{OCC_KEY_SOURCE, 0, "a%d\n"},
		{OCC_KEY_VERSION, 4, "a%d"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint64_t now = 0;
		size_t bytes = 0;

		for (size_t size = SMALL; size <= largest; size *= 4) {
			now = compare_stored(keys[i].repeated, keys[i].id, size,
					     keys[i].length);
			bytes = size;
			if (now > PER_BYTE * size + BASE)
				fail_msg("key field %u: %llu steps for %zu",
					 keys[i].id, (unsigned long long)now,
					 size);
		}
		print_message("# key field %2u %6.1f steps per byte\n",
			      keys[i].id, (double)now / (double)bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear__hostile_sources),
		cmocka_unit_test(test_linear__hostile_keys),
	};

	if (getenv("OCLCACHE_TEST_LONG"))
		largest = LARGE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
