/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdlib.h>

#include "hash/scanner.h"

/*
 * Identifiers that a macro can yield: they count wherever they are, and also
 * if ## can make them.
 */
static const struct {
	const char *word;
	enum occ_scan_trait trait;
} built_ins[] = {
	{"__DATE__", OCC_SCAN_CLOCK},
	{"__TIME__", OCC_SCAN_CLOCK},
	{"__TIMESTAMP__", OCC_SCAN_CLOCK},
	{"__has_include", OCC_SCAN_READS},
	{"__has_include_next", OCC_SCAN_READS},
	{"__has_include__", OCC_SCAN_READS},
	{"__has_embed", OCC_SCAN_READS},
	{"__FILE__", OCC_SCAN_FILE},
	{"__BASE_FILE__", OCC_SCAN_FILE},
	{"__FILE_NAME__", OCC_SCAN_FILE},
	{"__builtin_FILE", OCC_SCAN_FILE},
	{"__builtin_FILE_NAME", OCC_SCAN_FILE},
	{"__builtin_source_location", OCC_SCAN_FILE},
	{"__PRETTY_FUNCTION__", OCC_SCAN_TYPE},
	{"__FUNCSIG__", OCC_SCAN_TYPE},
	{"__builtin_FUNCSIG", OCC_SCAN_TYPE},
	{"__builtin_dump_struct", OCC_SCAN_TYPE},
	{"__func__", OCC_SCAN_FUNCTION},
	{"__FUNCTION__", OCC_SCAN_FUNCTION},
	{"__builtin_FUNCTION", OCC_SCAN_FUNCTION},
};
#define BUILT_INS (sizeof(built_ins) / sizeof(built_ins[0]))

/* Words with which a #pragma or _Pragma reads other files. */
static const char *const pragma_words[] = {
	"dependency", "module", "include_alias", "import", "include_instead",
};

static const char *const assembly_words[] = {"asm", "__asm", "__asm__"};

struct occ_scan_fragments {
	/* bits[b][p] has bit n: a token is the n bytes at p of word b. */
	uint32_t bits[BUILT_INS][OCC_READER_WORD_MAX];
};

static void note_fragment(struct occ_scan_fragments *fragments,
			  const struct occ_reader_word *token)
{
	for (size_t b = 0; b < BUILT_INS; b++) {
		const char *word = built_ins[b].word;
		size_t size = strlen(word);

		for (size_t p = 0; p + token->length <= size; p++)
			if (!memcmp(word + p, token->text, token->length))
				fragments->bits[b][p] |= UINT32_C(1)
							 << token->length;
	}
}

/*
 * Was the word noted just now, in the same macro or outside of any? If not, it
 * takes the place of another one in the cache.
 */
static bool is_cached(struct occ_scanner *scanner,
		      const struct occ_reader_word *word)
{
	size_t macro = scanner->in_rest ? scanner->scan->directive_count : 0;
	struct occ_scanner_cached *cached;
	uint32_t hash = 0;

	for (size_t i = 0; i < word->length; i++)
		hash = hash * 31 + (unsigned char)word->text[i];
	cached = &scanner->cache[hash % OCC_SCANNER_CACHE_SIZE];
	if (cached->length == word->length && cached->macro == macro &&
	    !memcmp(cached->text, word->text, word->length))
		return true;
	cached->length = word->length;
	cached->macro = macro;
	memcpy(cached->text, word->text, word->length);
	return false;
}

static void note_built_in(struct occ_scanner *scanner, size_t b)
{
	enum occ_scan_trait trait = built_ins[b].trait;
	struct occ_scan *scan = scanner->scan;
	struct occ_directive *last = NULL;

	/* The last directive's rest is being read. */
	if (scanner->in_rest && scan->directive_count)
		last = &scan->directives[scan->directive_count - 1];
	if (trait == OCC_SCAN_FILE && last &&
	    last->kind == OCC_DIRECTIVE_DEFINE) {
		last->names_file = true;
		trait = OCC_SCAN_MACRO_FILE;
	}
	scan->traits |= trait;
}

/* Can ## make a built-in word of this one and others? */
static bool begins_built_in(const struct occ_reader_word *word)
{
	for (size_t b = 0; b < BUILT_INS; b++)
		if (word->length < strlen(built_ins[b].word) &&
		    !memcmp(word->text, built_ins[b].word, word->length))
			return true;
	return false;
}

/* Most words aren't part of a built-in one; this finds nearly all of them. */
static bool is_no_fragment(struct occ_scanner *scanner,
			   const struct occ_reader_word *word)
{
	for (size_t b = 0; b < BUILT_INS && !scanner->has_before; b++)
		for (const char *at = built_ins[b].word; at[1]; at++)
			scanner->before[at[0] & 31] |= UINT32_C(1)
						       << (at[1] & 31);
	scanner->has_before = true;
	for (size_t i = 0; i + 1 < word->length; i++)
		if (!(scanner->before[word->text[i] & 31] &
		      UINT32_C(1) << (word->text[i + 1] & 31)))
			return true;
	return false;
}

/* Proper suffixes of assembly_words. */
static bool ends_assembly_word(const struct occ_reader_word *word)
{
	static const char *const ends[] = {"m",	     "m_",   "m__",   "sm",
					   "sm_",    "sm__", "_asm",  "_asm_",
					   "_asm__", "asm_", "asm__", "_",
					   "__"};
	char last = word->text[word->length - 1];

	return word->length <= strlen("_asm__") &&
	       (last == 'm' || last == '_') && OCC_READER_WORD_IN(word, ends);
}

void occ_scan_word_note(struct occ_scanner *scanner,
			const struct occ_reader_word *word)
{
	struct occ_scan *scan = scanner->scan;

	if (!word->length || word->length > OCC_READER_WORD_MAX)
		return;
	if (scanner->in_pragma && OCC_READER_WORD_IN(word, pragma_words))
		scan->traits |= OCC_SCAN_READS;
	if (*word->text == '_' && occ_reader_word_equals(word, "_Pragma"))
		scan->traits |= OCC_SCAN_PRAGMA;
	if (*word->text == '_' && begins_built_in(word))
		scan->traits |= OCC_SCAN_BUILT_IN_PREFIX;
	if ((*word->text == '_' || *word->text == 'a') &&
	    OCC_READER_WORD_IN(word, assembly_words))
		occ_scan_assembly_note(scanner);
	if (ends_assembly_word(word))
		scan->traits |= OCC_SCAN_ASSEMBLY_SUFFIX;
	if (!word->may_be_built_in || is_no_fragment(scanner, word) ||
	    is_cached(scanner, word))
		return;
	if (scanner->fragments)
		note_fragment(scanner->fragments, word);
	for (size_t b = 0; b < BUILT_INS; b++)
		if (occ_reader_word_equals(word, built_ins[b].word))
			note_built_in(scanner, b);
}

void occ_scan_word_note_options(struct occ_scanner *scanner)
{
	for (size_t b = 0; b < BUILT_INS; b++)
		if (occ_scan_contains(scanner->scan, built_ins[b].word))
			note_built_in(scanner, b);
}

/* Owned by the scan. NULL: out of memory. */
static const struct occ_scan_fragments *fragments_of(
	const struct occ_scan *scan)
{
	_Atomic(struct occ_scan_fragments *) *shared =
		&((struct occ_scan *)(uintptr_t)scan)->fragments;
	struct occ_scan_fragments *fragments = *shared, *others = NULL;
	struct occ_scan *again;

	if (fragments)
		return fragments;
	fragments = calloc(1, sizeof(*fragments));
	if (!fragments)
		return NULL;
	again = occ_scan_again(scan, fragments);
	if (!again ||
	    !atomic_compare_exchange_strong(shared, &others, fragments)) {
		free(fragments);
		fragments = others;
	}
	occ_scan_release(again);
	return fragments;
}

/* Follows how far tokens that are put together can spell the word. */
static bool is_pastable(const struct occ_scan *const *scans, size_t count,
			size_t b)
{
	size_t size = strlen(built_ins[b].word);
	uint32_t reached = 1;

	/* GCC can't know that no word is longer. */
	for (size_t p = 0; p < size && p < OCC_READER_WORD_MAX; p++) {
		for (size_t i = 0; i < count && reached & UINT32_C(1) << p;
		     i++) {
			const struct occ_scan_fragments *fragments =
				fragments_of(scans[i]);

			if (!fragments)
				return true;
			reached |= fragments->bits[b][p] << p;
		}
	}
	return reached & UINT32_C(1) << size;
}

unsigned occ_scan_pastable(const struct occ_scan *const *scans, size_t count)
{
	unsigned traits = 0, found = 0;

	for (size_t i = 0; i < count; i++)
		traits |= scans[i]->traits;
	if (!(traits & OCC_SCAN_BUILT_IN_PREFIX))
		return 0;
	for (size_t b = 0; b < BUILT_INS; b++)
		if (is_pastable(scans, count, b))
			found |= built_ins[b].trait;
	return found;
}

bool occ_scan_pragma_includes(const struct occ_scan *scan)
{
	for (size_t i = 0; i < sizeof(pragma_words) / sizeof(char *); i++)
		if (occ_scan_contains(scan, pragma_words[i]))
			return true;
	return false;
}
