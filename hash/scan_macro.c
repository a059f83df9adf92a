/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "hash/predefined.h"
#include "hash/scanner.h"

/* Macros with __FILE__, or directives about one macro, that are looked at. */
#define FILE_MACROS_MAX 64

static const struct occ_directive *macro_at(const struct occ_scan *scan,
					    size_t i)
{
	return &scan->directives[scan->macros[i]];
}

static int by_name(const void *a, const void *b, void *data)
{
	const struct occ_scan *scan = data;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	int order = strcmp(occ_scan_name(scan, &scan->directives[one]),
			   occ_scan_name(scan, &scan->directives[other]));

	return order ? order : (one > other) - (one < other);
}

bool occ_scan_macro_index(struct occ_scan *scan)
{
	scan->macros = calloc(scan->directive_count + 1, sizeof(uint32_t));
	if (!scan->macros)
		return false;
	for (size_t i = 0; i < scan->directive_count; i++)
		if (scan->directives[i].kind == OCC_DIRECTIVE_DEFINE ||
		    scan->directives[i].kind == OCC_DIRECTIVE_UNDEFINE)
			scan->macros[scan->macro_count++] = (uint32_t)i;
	qsort_r(scan->macros, scan->macro_count, sizeof(uint32_t), by_name,
		scan);
	return true;
}

size_t occ_scan_find_macro(const struct occ_scan *scan, const char *name,
			   size_t *ret_first)
{
	size_t low = 0, high = scan->macro_count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(occ_scan_name(scan, macro_at(scan, middle)), name) <
		    0)
			low = middle + 1;
		else
			high = middle;
	}
	end = low;
	while (end < scan->macro_count &&
	       !strcmp(occ_scan_name(scan, macro_at(scan, end)), name))
		end++;
	*ret_first = low;
	return end - low;
}

/*
 * May a macro of the compiler or its headers, whose bodies aren't known, use
 * this name? They use reserved names, and those of the language.
 */
static bool may_be_used_by_compiler(const char *name)
{
	if (*name == '_' || occ_predefined(name))
		return true;
	for (; *name; name++)
		if (*name >= 'A' && *name <= 'Z')
			return false;
	return true;
}

static bool may_options_use(const struct occ_scan *options,
			    const struct occ_scan *scan)
{
	size_t count = 0;

	for (size_t i = 0; i < scan->directive_count; i++) {
		const struct occ_directive *directive = &scan->directives[i];
		const char *name = occ_scan_name(scan, directive);

		if (!directive->names_file)
			continue;
		if (count++ == FILE_MACROS_MAX ||
		    may_be_used_by_compiler(name) ||
		    occ_scan_contains(options, name))
			return true;
	}
	return false;
}

static bool is_file_macro(const struct occ_scan *scan,
			  const struct occ_reader_word *word)
{
	char name[OCC_SCAN_NAME_MAX + 1];
	size_t first, count;

	/* Not all of it is there. */
	if (word->length > OCC_READER_WORD_MAX && word->text == word->spliced)
		return true;
	if (memchr(word->text, '$', word->length))
		return true;
	if (word->length > OCC_SCAN_NAME_MAX)
		return false;
	memcpy(name, word->text, word->length);
	name[word->length] = '\0';
	count = occ_scan_find_macro(scan, name, &first);
	if (count > FILE_MACROS_MAX)
		return true;
	for (size_t i = first; i < first + count; i++)
		if (macro_at(scan, i)->names_file)
			return true;
	return false;
}

/* Where a word is in its line; BEHIND_NAMING it isn't expanded. */
enum place { LINE_START, BEHIND_HASH, BEHIND_NAMING, ELSEWHERE };

/* Takes what isn't a word. */
static enum place take_other(struct occ_reader *reader, enum place place)
{
	int c = occ_reader_take(reader);

	if (c == '\n')
		return LINE_START;
	if (occ_is_blank(c) || (c == '/' && occ_reader_skip_comment(reader)))
		return place;
	if (c == '"' || c == '\'')
		occ_reader_skip_quoted(reader, c);
	return c == '#' && place == LINE_START ? BEHIND_HASH : ELSEWHERE;
}

bool occ_scan_may_use_file_macro(const struct occ_scan *user,
				 const struct occ_scan *scan)
{
	struct occ_reader reader = {.at = user->text,
				    .end = user->text + user->size};
	static const char *const naming[] = {"define", "undef", "ifdef",
					     "ifndef"};
	enum place place = LINE_START;
	struct occ_reader_word word;
	int c;

	if (user->traits & OCC_SCAN_OPTIONS)
		return may_options_use(user, scan);
	while ((c = occ_reader_peek(&reader)) >= 0) {
		if (!occ_is_identifier(c)) {
			place = take_other(&reader, place);
			continue;
		}
		occ_reader_take_word(&reader, &word);
		if (place != BEHIND_NAMING && is_file_macro(scan, &word))
			return true;
		place = place == BEHIND_HASH &&
					OCC_READER_WORD_IN(&word, naming)
				? BEHIND_NAMING
				: ELSEWHERE;
	}
	return false;
}
