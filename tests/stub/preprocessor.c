/* SPDX-License-Identifier: MIT */
#include "tests/stub/preprocessor.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/stub/macro.h"
#include "tests/stub/object.h"
#include "tests/stub/switches.h"

#define DEPTH_MAX      20
#define CONDITIONS_MAX 64

/* One file or header being read. */
struct reader {
	struct stub_preprocessor *state;
	const char *name;
	const char *directory; /* that the file is in; NULL: it is none */
	unsigned line;
	struct {
		bool active; /* this branch is read */
		bool taken;  /* one was */
		bool outer;
	} conditions[CONDITIONS_MAX];
	size_t condition_count;
	struct stub_text pending; /* lines not yet replaced */
};

static void read_text(struct stub_preprocessor *state, const char *name,
		      const char *directory, const char *text);

static void complain(struct reader *reader, const char *what, const char *text)
{
	stub_text_print(&reader->state->log, "%s:%u: %s: %s\n", reader->name,
			reader->line, what, text);
	if (!strcmp(what, "warning"))
		reader->state->warnings++;
	else
		reader->state->errors++;
}

static bool is_active(const struct reader *reader)
{
	return !reader->condition_count ||
	       reader->conditions[reader->condition_count - 1].active;
}

static void flush(struct reader *reader)
{
	stub_macros_replace(reader->state->macros,
			    stub_text_string(&reader->pending),
			    reader->pending.size, &reader->state->out);
	stub_text_release(&reader->pending);
}

/* A whole file, or NULL. */
static char *read_file(const char *path)
{
	struct stub_text text = {NULL, 0, 0};
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[4096];
	ssize_t got;

	if (file < 0)
		return NULL;
	stub_text_add(&text, "", 0);
	do {
		got = read(file, bytes, sizeof(bytes));
		if (got > 0)
			stub_text_add(&text, bytes, (size_t)got);
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(file);
	return text.bytes;
}

/* A file in the directory, NULL for where we are; and where it is then. */
static char *find_file(const char *directory, const char *name,
		       char **ret_directory)
{
	struct stub_text path = {NULL, 0, 0};
	char *text, *slash;

	if (directory)
		stub_text_print(&path, "%s/", directory);
	stub_text_add_string(&path, name);
	text = read_file(stub_text_string(&path));
	slash = strrchr(stub_text_string(&path), '/');
	if (text && slash)
		*ret_directory =
			stub_copy(path.bytes, (size_t)(slash - path.bytes));
	stub_text_release(&path);
	return text;
}

/* Where it writes sources, if it does. */
static char *find_beside_sources(const char *name, char **ret_directory)
{
	const char *home = getenv("HOME");
	struct stub_text path = {NULL, 0, 0};
	char *text;

	stub_text_print(&path, "%s/.stub", home ? home : "");
	mkdir(stub_text_string(&path), 0700);
	text = find_file(stub_text_string(&path), name, ret_directory);
	stub_text_release(&path);
	return text;
}

/* Embedded headers first; the rest as STUB_SEARCH says. */
static char *find_header(const struct reader *reader, const char *name,
			 bool quoted, char **ret_directory)
{
	const struct stub_preprocessor *state = reader->state;
	const struct stub_names *directories = &state->options->directories;
	char *text = NULL;

	for (size_t i = 0; i < state->header_count; i++)
		if (!strcmp(state->headers[i].name, name))
			return stub_copy(state->headers[i].text,
					 strlen(state->headers[i].text));
	if (stub.search == STUB_SEARCH_SOURCES)
		text = find_beside_sources(name, ret_directory);
	if (!text && quoted && stub.search != STUB_SEARCH_FLAT)
		text = find_file(reader->directory, name, ret_directory);
	for (size_t i = 0; i < directories->count && !text; i++)
		text = find_file(directories->names[i], name, ret_directory);
	if (!text && quoted && stub.search == STUB_SEARCH_FLAT)
		text = find_file(NULL, name, ret_directory);
	return text;
}

static void include(struct reader *reader, const char *rest)
{
	struct stub_text line = {NULL, 0, 0};
	const char *end;
	char *name, *text, *directory = NULL;

	stub_macros_replace(reader->state->macros, rest, strlen(rest), &line);
	rest = stub_text_string(&line);
	rest += strspn(rest, " \t");
	end = *rest ? strchr(rest + 1, *rest == '<' ? '>' : '"') : NULL;
	if ((*rest != '<' && *rest != '"') || !end) {
		complain(reader, "error", "#include without a name");
		stub_text_release(&line);
		return;
	}
	name = stub_copy(rest + 1, (size_t)(end - rest - 1));
	text = find_header(reader, name, *rest == '"', &directory);
	if (!text || reader->state->depth == DEPTH_MAX)
		complain(reader, "error", text ? "too deep" : name);
	else
		read_text(reader->state, name, directory, text);
	free(directory);
	free(text);
	free(name);
	stub_text_release(&line);
}

static void open_condition(struct reader *reader, bool holds)
{
	bool outer = is_active(reader);

	if (reader->condition_count == CONDITIONS_MAX) {
		complain(reader, "error", "conditions too deep");
		return;
	}
	reader->conditions[reader->condition_count].outer = outer;
	reader->conditions[reader->condition_count].active = outer && holds;
	reader->conditions[reader->condition_count].taken = holds;
	reader->condition_count++;
}

static void turn_condition(struct reader *reader)
{
	size_t last = reader->condition_count - 1;

	if (!reader->condition_count) {
		complain(reader, "error", "#else without #if");
		return;
	}
	reader->conditions[last].active = reader->conditions[last].outer &&
					  !reader->conditions[last].taken;
	reader->conditions[last].taken = true;
}

static void close_condition(struct reader *reader)
{
	if (reader->condition_count)
		reader->condition_count--;
	else
		complain(reader, "error", "#endif without #if");
}

/* A number, perhaps by a macro. */
static bool holds(struct reader *reader, const char *rest)
{
	struct stub_text line = {NULL, 0, 0};
	const char *start;
	char *end;
	bool value;

	stub_macros_replace(reader->state->macros, rest, strlen(rest), &line);
	start = stub_text_string(&line);
	value = strtol(start, &end, 0);
	if (end == start || end[strspn(end, " \t")])
		complain(reader, "error", "condition not understood");
	stub_text_release(&line);
	return value;
}

static bool is_defined(const struct reader *reader, const char *rest)
{
	return stub_macro_find(reader->state->macros, rest,
			       stub_word_length(rest, rest + strlen(rest)));
}

/* #if and its like, which count where nothing else does. */
static bool take_condition(struct reader *reader, const char *name,
			   const char *rest)
{
	bool active = is_active(reader);

	if (!strcmp(name, "ifdef"))
		open_condition(reader, is_defined(reader, rest));
	else if (!strcmp(name, "ifndef"))
		open_condition(reader, !is_defined(reader, rest));
	else if (!strcmp(name, "if"))
		open_condition(reader, active && holds(reader, rest));
	else if (!strcmp(name, "else"))
		turn_condition(reader);
	else if (!strcmp(name, "endif"))
		close_condition(reader);
	else
		return false;
	return true;
}

static void take_directive(struct reader *reader, const char *line)
{
	const char *word = line + 1 + strspn(line + 1, " \t");
	size_t length = stub_word_length(word, word + strlen(word));
	const char *rest = word + length + strspn(word + length, " \t");
	char *name = stub_copy(word, length);

	flush(reader);
	if (!take_condition(reader, name, rest) && is_active(reader)) {
		if (!strcmp(name, "define"))
			stub_macro_define(&reader->state->macros, rest);
		else if (!strcmp(name, "undef"))
			stub_macro_undefine(&reader->state->macros, rest);
		else if (!strcmp(name, "include"))
			include(reader, rest);
		else if (!strcmp(name, "warning") || !strcmp(name, "error"))
			complain(reader, name, rest);
		else if (length && strcmp(name, "pragma") &&
			 strcmp(name, "line"))
			complain(reader, "error", "unknown directive");
	}
	free(name);
}

static void take_line(struct reader *reader, char *line)
{
	const char *start = line + strspn(line, " \t\r");
	size_t length = strlen(line);

	reader->line++;
	while (length && isspace((unsigned char)line[length - 1]))
		line[--length] = '\0';
	if (*start == '#') {
		take_directive(reader, start);
	} else if (is_active(reader)) {
		stub_text_add_string(&reader->pending, line);
		stub_text_add(&reader->pending, "\n", 1);
	}
}

/* What ends at the end of a comment that starts at `at`. */
static const char *comment_end(const char *at, const char *end)
{
	const char *stop;

	if (at[1] == '/') {
		stop = strchr(at, '\n');
		return stop ? stop : end;
	}
	stop = strstr(at + 2, "*/");
	return stop ? stop + 2 : end;
}

/* Without spliced lines and comments. */
static char *clean(const char *text)
{
	struct stub_text out = {NULL, 0, 0};
	const char *end = text + strlen(text);

	stub_text_add(&out, "", 0);
	while (text < end) {
		size_t length = 1;

		if (text[0] == '\\' && text[1] == '\n') {
			text += 2;
			continue;
		}
		if (text[0] == '/' && (text[1] == '/' || text[1] == '*')) {
			text = comment_end(text, end);
			stub_text_add(&out, " ", 1);
			continue;
		}
		if (*text == '"' || *text == '\'')
			length = stub_quoted_length(text, end);
		stub_text_add(&out, text, length);
		text += length;
	}
	return out.bytes;
}

static void read_text(struct stub_preprocessor *state, const char *name,
		      const char *directory, const char *text)
{
	struct reader *reader = stub_allocate(1, sizeof(*reader));
	char *copy = clean(text), *rest = copy, *line;

	reader->state = state;
	reader->name = name;
	reader->directory = directory;
	state->depth++;
	while ((line = strsep(&rest, "\n")))
		take_line(reader, line);
	flush(reader);
	if (reader->condition_count)
		complain(reader, "error", "#if without #endif");
	state->depth--;
	free(copy);
	free(reader);
}

static void define_all(struct stub_preprocessor *state)
{
	stub_macro_define(&state->macros, "__OPENCL_VERSION__ 300");
	stub_macro_define(&state->macros, "__OPENCL_C_VERSION__ 120");
	for (size_t i = 0; i < state->options->defines.count; i++) {
		char *define = state->options->defines.names[i];
		struct stub_text text = {NULL, 0, 0};
		char *equals = strchr(define, '=');

		stub_text_add_string(&text, define);
		if (equals)
			text.bytes[equals - define] = ' ';
		else
			stub_text_add_string(&text, " 1");
		stub_macro_define(&state->macros, text.bytes);
		stub_text_release(&text);
	}
	for (size_t i = 0; i < state->options->undefines.count; i++)
		stub_macro_undefine(&state->macros,
				    state->options->undefines.names[i]);
}

void stub_preprocess(struct stub_preprocessor *state, const char *text)
{
	define_all(state);
	read_text(state, "source", NULL, text);
}

void stub_preprocessor_release(struct stub_preprocessor *state)
{
	stub_macros_release(&state->macros);
	stub_text_release(&state->out);
	stub_text_release(&state->log);
}
