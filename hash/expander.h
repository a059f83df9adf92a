/* SPDX-License-Identifier: MIT */
/*
 * A computed include that is being expanded: what the files of hash/macro.h
 * share.
 *
 *	macro.c       all combinations of definitions, and what they yield
 *	definition.c  the definitions that a macro may have
 *	expander.c    macro replacement, and memory and work for it
 *	token.c       preprocessing tokens
 *
 * What can't go on ends in occ_expander_fail(), which doesn't return. Tokens,
 * definitions and hide sets live until occ_expander_release_memory().
 *
 * Private to these. Threads: one at a time per expander.
 */
#ifndef OCC_HASH_EXPANDER_H
#define OCC_HASH_EXPANDER_H

#include <setjmp.h>

#include "hash/macro.h"

/* Bytes of a token; no name of a file is longer. */
#define OCC_TOKEN_MAX		      (OCC_SCAN_NAME_MAX + 3)

/* Definitions of a macro, parameters, and macros; more are uncertain. */
#define OCC_EXPANDER_ALTERNATIVES_MAX 32
#define OCC_EXPANDER_PARAMETERS_MAX   32
#define OCC_EXPANDER_CHOICES_MAX      64

enum occ_token_kind {
	OCC_TOKEN_IDENTIFIER,
	OCC_TOKEN_NUMBER,
	OCC_TOKEN_STRING,      /* or a character constant */
	OCC_TOKEN_PASTE,       /* ## */
	OCC_TOKEN_OTHER,       /* one character */
	OCC_TOKEN_PLACEMARKER, /* an empty argument of ## */
	OCC_TOKEN_STRAY,       /* a backslash, and all that is behind it */
};

/* Names of macros by which a token isn't replaced again. */
struct occ_hide_set {
	const char *name;
	const struct occ_hide_set *next;
};

struct occ_token {
	struct occ_token *next;
	enum occ_token_kind kind;
	bool space; /* blanks were before it */
	const char *text;
	size_t length;
	const struct occ_hide_set *hidden;
};

/* A list to append to: {NULL, &list.first} is an empty one. */
struct occ_token_list {
	struct occ_token *first;
	struct occ_token **end;
};

struct occ_definition {
	bool function; /* function-like */
	bool variadic; /* the last parameter is __VA_ARGS__ */
	size_t parameter_count;
	const struct occ_token *parameters[OCC_EXPANDER_PARAMETERS_MAX];
	const struct occ_token *body;
};

/* What a macro's name may be defined as. */
struct occ_alternative {
	const char *rest; /* as in a directive; NULL: not a macro */
	size_t length;
};

/* A macro that was met, and its definition in this combination. */
struct occ_choice {
	const char *name;
	struct occ_alternative alternatives[OCC_EXPANDER_ALTERNATIVES_MAX];
	size_t count;
	size_t chosen;
};

struct occ_expander {
	const struct occ_macros *macros;
	struct occ_expander_chunk *chunks; /* of memory */
	size_t memory;
	struct occ_choice *choices; /* in the order in which they were met */
	size_t choice_count;
	unsigned depth; /* of arguments within arguments */
	enum occ_reason failure;
	jmp_buf failed;
};

void occ_expander_fail(struct occ_expander *expander, enum occ_reason reason)
	__attribute__((noreturn));

/* To be called before work that a text can ask for much of; see macro.h. */
void occ_expander_spend(struct occ_expander *expander, size_t work);

void *occ_expander_allocate(struct occ_expander *expander, size_t size);
void occ_expander_release_memory(struct occ_expander *expander);

/* Copies the text. */
struct occ_token *occ_token_new(struct occ_expander *expander,
				enum occ_token_kind kind, const char *text,
				size_t length);

struct occ_token *occ_token_copy(struct occ_expander *expander,
				 const struct occ_token *token);

/* The tokens of a text; NULL if there are none. */
struct occ_token *occ_token_read(struct occ_expander *expander,
				 const char *text, size_t size);

/* The definition that the name has in this combination. */
const struct occ_alternative *occ_definition_choose(
	struct occ_expander *expander, const char *name);

const struct occ_definition *occ_definition_parse(
	struct occ_expander *expander,
	const struct occ_alternative *alternative);

/*
 * Replaces macros as C11 section 6.10.3.4 says; takes the list over. Of the
 * include's own tokens, whose depth is 1, those behind one that no include
 * begins with are left out.
 */
struct occ_token *occ_expander_expand(struct occ_expander *expander,
				      struct occ_token *tokens);

/* NULL is no token. */
static inline bool occ_token_is(const struct occ_token *token, char character)
{
	return token && token->kind == OCC_TOKEN_OTHER &&
	       *token->text == character;
}

static inline void occ_token_append(struct occ_token_list *list,
				    struct occ_token *token)
{
	token->next = NULL;
	*list->end = token;
	list->end = &token->next;
}

#endif
