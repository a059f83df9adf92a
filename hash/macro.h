/* SPDX-License-Identifier: MIT */
/*
 * What a computed include (#include MACRO ...) may name: the macros of all
 * texts of a compilation and of its options, and their expansion as C11 section
 * 6.10.3 says (object-like, function-like, #, ##, __VA_ARGS__).
 *
 * Which definition is in force isn't followed. Every definition that any text
 * has may be, and none of them too, unless an option defines the macro and
 * nothing undefines it. All combinations are tried: the names that they give
 * are a superset of the names that a compiler can see.
 *
 * Threads: no state.
 */
#ifndef OCC_HASH_MACRO_H
#define OCC_HASH_MACRO_H

#include "hash/scan.h"

/* What -D or -U says. */
struct occ_option_macro {
	const char *name;
	/* As in a directive: parameters and body. NULL: undefined. */
	const char *rest;
	size_t rest_length;
};

struct occ_macros {
	const struct occ_scan *const *scans;
	size_t scan_count;
	const struct occ_option_macro *options; /* in their order */
	size_t option_count;
	/*
	 * How much may still be done: bytes read, tokens made, definitions
	 * looked at and the like. What a text can ask for is out of proportion
	 * to its size, and no program's needs.
	 */
	uint64_t *work_left;
};

/* A name that the include may have, not NUL-terminated. False: give up. */
typedef bool (*occ_macro_visit)(const char *name, size_t length, bool quoted,
				void *data);

/*
 * Visits all names that the tokens could yield; combinations that no compiler
 * takes for an include yield none. NULL, or why it can't be told: a constant
 * string.
 */
const char *occ_macro_includes(const struct occ_macros *macros,
			       const char *tokens, size_t size,
			       occ_macro_visit visit, void *data);

#endif
