/* SPDX-License-Identifier: MIT */
/*
 * What build options mean to a cache: which name directories to search, which
 * name files that are read before the source, which define macros, and which do
 * what a key can't cover (read other files, write some, put paths into the
 * binary).
 *
 * The options' bytes are in the key as they are, never normalised. What is
 * looked at here decides only what else must be in the key (hash/closure.h),
 * and what isn't cached at all. One table (option.c) has the options of the
 * OpenCL specification (section 5.8.6 of 3.0) and of the compilers that drivers
 * are made of; what a single driver has besides is in its dialect. What is in
 * neither is unsafe only when it could name a file: a word that
 * doesn't begin with '-', or has anything but letters, digits and a few signs
 * in it, or a piece of a word such as "dump".
 *
 * Drivers split options and understand quotes differently (doc/drivers.md,
 * "Options"), and another version of one may do so, too. Hence options are
 * looked at in every reading (hash/word.h) that makes a difference, and what is
 * found in any of them counts.
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_HASH_OPTION_H
#define OCC_HASH_OPTION_H

#include <stdbool.h>
#include <stddef.h>

/* What an option does. */
enum occ_option_class {
	OCC_OPTION_SAFE, /* changes code or diagnostics only */
	OCC_OPTION_LIST, /* the same, with commas */
	/* the same, by a harmless argument: a language, a number */
	OCC_OPTION_NAME,
	/*
	 * Reads or writes files beyond includes, or has paths in the binary, or
	 * what it does isn't known.
	 */
	OCC_OPTION_UNSAFE,
	/* Those of enum occ_option_kind. */
	OCC_OPTION_NAMES_DIRECTORY,
	OCC_OPTION_NAMES_FILE,
	OCC_OPTION_DEFINES,
	OCC_OPTION_UNDEFINES,
};

enum occ_option_form {
	OCC_OPTION_WHOLE,  /* the word itself */
	OCC_OPTION_PREFIX, /* what begins so, as far as it is harmless */
	/*
	 * What begins so; the rest or, if that is empty, the next word is its
	 * argument.
	 */
	OCC_OPTION_JOINED,
};

/* Of a list of them: the last one has no word. */
struct occ_option_rule {
	const char *word;
	enum occ_option_form form;
	enum occ_option_class class;
};

/*
 * How a driver splits and understands options; one for each driver, in its
 * record. NULL is a driver of which that isn't known: only what all agree on.
 */
struct occ_option_dialect {
	/* In digests of the store, never another's; 0: not known. */
	unsigned number;
	unsigned reading; /* OCC_READ_..., of hash/word.h: what it heeds */
	/* What a backslash means to it no reading has. */
	bool odd_backslash;
	/* What it doesn't know goes to Clang's own command line. */
	bool is_clang;
	/* It alone has these; NULL: none. */
	const struct occ_option_rule *options;
};

/*
 * Looks at every option. Returns NULL when all are safe to cache under; else
 * the first word that isn't, which points into `options`, and its length in
 * *ret_length. NULL options are safe. Safe does not mean that nothing is read:
 * occ_option_walk() says what is.
 */
const char *occ_option_unsafe(const char *options,
			      const struct occ_option_dialect *dialect,
			      size_t *ret_length);

enum occ_option_kind {
	OCC_OPTION_DIRECTORY, /* -I, -isystem ...: a directory to search */
	OCC_OPTION_FILE,      /* -include, -imacros: read before the source */
	OCC_OPTION_DEFINE,    /* -D: "NAME", "NAME=BODY", "NAME(A,B)=BODY" */
	OCC_OPTION_UNDEFINE,  /* -U: NAME */
};

/*
 * Is called with one argument of an option, of `length` bytes and without a
 * NUL, valid until it returns. `certain`: every reading has it.
 */
typedef bool (*occ_option_visit)(enum occ_option_kind kind,
				 const char *argument, size_t length,
				 bool certain, void *data);

/*
 * Calls `visit` with the arguments of all options that have one, until it
 * returns false. Where drivers may read an argument differently (quotes,
 * backslashes, blanks within quotes) every plausible reading of a directory or
 * file is visited, because more places to look at do no harm; a definition
 * that may be read differently is visited in all readings, with `certain`
 * false. The order is that of the options; what only some readings have comes
 * last.
 *
 * Returns false when `visit` did, when memory ran out, and when it can't be
 * told what is searched: occ_option_unsafe() has a word then, too, or there
 * are thousands of arguments that have several readings.
 */
bool occ_option_walk(const char *options,
		     const struct occ_option_dialect *dialect,
		     occ_option_visit visit, void *data);

#endif
