/* SPDX-License-Identifier: MIT */
/*
 * What a computed include (#include MACRO ...) may name, by the macros of all
 * texts of a compilation and of its options, and macro replacement as C11
 * section 6.10.3 has it (object-like, function-like, #, ##, __VA_ARGS__).
 *
 * Which definition is in force isn't followed. It may be any that a text or an
 * option has, or none, unless an option defines the macro and nothing undefines
 * it. All combinations are tried: the names that they yield are a superset of
 * those that a compiler can see.
 *
 * Threads: no state.
 */
#ifndef OCC_HASH_MACRO_H
#define OCC_HASH_MACRO_H

#include "hash/reason.h"
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
	/* Drivers may read the options differently: none is surely in force. */
	bool options_uncertain;
	/*
	 * Work that may still be done: bytes read, bytes of tokens made,
	 * definitions looked at and the like. A text can ask for much more than
	 * its size, and than any program needs.
	 */
	uint64_t *work_left;
};

/* A name that the include may have, not NUL-terminated. False: give up. */
typedef bool (*occ_macro_visit)(const char *name, size_t length, bool quoted,
				void *data);

/*
 * Visits all names that the tokens can yield; combinations that to no compiler
 * are an include yield none. Returns why they aren't known, if they aren't.
 */
enum occ_reason occ_macro_includes(const struct occ_macros *macros,
				   const char *tokens, size_t size,
				   occ_macro_visit visit, void *data);

#endif
