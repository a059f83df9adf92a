/* SPDX-License-Identifier: MIT */
/*
 * What build options mean to a cache: which name folders to search, which name
 * files that are read before the source, which define macros, and which do what
 * a key can't cover (read other files, write some, put paths into the binary).
 *
 * The options' bytes are in the key as they are, never normalised. What is
 * looked at here decides only what else must be in the key (hash/closure.h),
 * and what isn't cached at all. One table (option.c) has the options of the
 * OpenCL specification (section 5.8.6 of 3.0), of the compilers that drivers
 * are made of, and of drivers, each with the drivers for which it is so. What
 * isn't in the table is unsafe only when it could name a file: a word that
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

/* Whose options: drivers split and understand them differently. */
enum occ_option_driver {
	OCC_OPTION_ANY_DRIVER, /* one that isn't listed: only what all agree on
				*/
	OCC_OPTION_POCL,
	OCC_OPTION_INTEL_CPU,
	OCC_OPTION_NVIDIA,
	OCC_OPTION_RUSTICL,
	OCC_OPTION_OCLGRIND,
};

/*
 * Looks at every option. Returns NULL when all are safe to cache under; else
 * the first word that isn't, which points into `options`, and its length in
 * *ret_length. NULL options are safe. Safe does not mean that nothing is read:
 * occ_option_walk() says what is.
 */
const char *occ_option_unsafe(const char *options,
			      enum occ_option_driver driver,
			      size_t *ret_length);

enum occ_option_kind {
	OCC_OPTION_FOLDER,   /* -I, -isystem ...: a folder to search */
	OCC_OPTION_FILE,     /* -include, -imacros: read before the source */
	OCC_OPTION_DEFINE,   /* -D: "NAME", "NAME=BODY", "NAME(A,B)=BODY" */
	OCC_OPTION_UNDEFINE, /* -U: NAME */
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
 * backslashes, blanks within quotes) every plausible reading of a folder or
 * file is visited, because more places to look at do no harm; a definition
 * that may be read differently is visited in all readings, with `certain`
 * false. The order is that of the options; what only some readings have comes
 * last.
 *
 * Returns false when `visit` did, when memory ran out, and when it can't be
 * told what is searched: occ_option_unsafe() has a word then, too, or there
 * are thousands of arguments that have several readings.
 */
bool occ_option_walk(const char *options, enum occ_option_driver driver,
		     occ_option_visit visit, void *data);

#endif
