/* SPDX-License-Identifier: MIT */
/*
 * The include closure of a compilation: every file that a compiler could read
 * for a source text and the headers embedded with it, under given options. It
 * is part of the key: a build is the same when the same files with the same
 * contents are in the places where compilers look.
 *
 * It is a superset by construction, because drivers differ in what they find
 * first and which branches they take:
 * - includes within `#if 0` are includes;
 * - every name is looked for in *all* directories: those of the options, the
 *   driver's own, the current one and that of the file which includes it,
 *   whichever comes first; what is found anywhere is searched in turn;
 * - a computed include (#include MACRO) stands for all names that any
 *   combination of the definitions seen anywhere could yield (macro.h).
 *
 * Every place is looked at every time. So a file that appears where a compiler
 * would find it first is a file more, and another key; places where there is
 * none needn't be in the key, which would tie it to directories (a cache's, a
 * home's) that change nothing.
 *
 * Nothing is known of a driver's own directories if the request says so. Then a
 * name must be where every compiler looks first: beside the file that includes
 * it, if it is quoted, or in a directory of the options that is the same
 *however options are read.
 *
 * What isn't certain isn't cached: names that compilers may read differently,
 * macros that a driver may have predefined, more results than are worth
 * trying, #embed, inline assembly that includes, files that can't be read or
 * aren't regular, the clock (__DATE__, __TIME__, __TIMESTAMP__).
 *
 * Calling sequence:
 *
 *	struct occ_closure closure;
 *	enum occ_reason reason = occ_closure_make(&request, &closure);
 *	if (!reason)
 *		occ_closure_add(&closure, &key);	before occ_key_finish()
 *	occ_closure_release(&closure);			after occ_key_release()
 *
 * Threads: no state; the request's `look` must stand being called by several.
 */
#ifndef OCC_HASH_CLOSURE_H
#define OCC_HASH_CLOSURE_H

#include "hash/key.h"
#include "hash/option.h"
#include "hash/reason.h"
#include "hash/scan.h"

enum occ_closure_found {
	OCC_CLOSURE_FOUND,
	OCC_CLOSURE_ABSENT, /* surely no such file; also: it is a directory */
	OCC_CLOSURE_UNKNOWN /* not readable, not regular, out of memory ... */
};

/* A file that was found. */
struct occ_closure_file {
	/* Of its whole content; valid until occ_closure_make() returns. */
	const struct occ_scan *scan;
	uint64_t size;
	struct occ_digest digests[2]; /* OCC_SEED_NAME, OCC_SEED_FIELD */
	/* Device and inode, also of the directory that it was found in. */
	uint64_t file[2];
	uint64_t directory[2];
};

/*
 * Looks at the file of that path, relative to the current directory unless it
 * is absolute. When `contents` is false only its presence is wanted, and of
 * *ret_file only `file` is set. So it is for a directory, as which file it is.
 */
typedef enum occ_closure_found (*occ_closure_look)(
	const char *path, bool contents, struct occ_closure_file *ret_file,
	void *data);

/* A header that clCompileProgram is given. */
struct occ_closure_header {
	const char *name;
	const struct occ_scan *scan;
};

struct occ_closure_request {
	const struct occ_scan *source;
	const struct occ_closure_header *headers;
	size_t header_count;
	const char *options;			  /* NULL: none */
	const struct occ_option_dialect *dialect; /* NULL: not known */
	/* Directories that the driver itself searches; NULL at the end, or
	 * NULL. */
	const char *const *directories;
	/*
	 * The current directory by its path, where the driver looks by that for
	 * what is neither beside the file that includes it nor in a directory
	 * of the options: such a file's name is its whole path. NULL: it
	 * doesn't. With own_unknown: what relative paths are relative to, which
	 * the driver may call files by.
	 */
	const char *here;
	/*
	 * It may have directories of its own that aren't known: it must find
	 * every name before it comes to those, or there is no closure.
	 */
	bool own_unknown;
	/* To it, blanks behind a backslash don't keep it from splicing lines.
	 */
	bool splices_blanks;
	/* Files that it includes without being asked to; likewise. */
	const char *const *implicit;
	occ_closure_look look;
	void *look_data;
};

/* Constant once made. */
struct occ_closure {
	/*
	 * As fields (hash/buffer.h), in the order of the search, which is that
	 * of the directories: OCC_KEY_INCLUDE_FILE of each file found: its size
	 * (u64), both digests, the number (u32) of the first field of the
	 * same file, of the first of one in the same directory, and its path;
	 * OCC_KEY_INCLUDE_PRESENT of each file whose presence alone counts
	 * (__has_include): the same with zeros for all but the first number;
	 * and of `here`, with own_unknown, where a file's path is relative.
	 * Empty when nothing is included.
	 *
	 * Which files are the same counts, because compilers don't include one
	 * twice after #import or #pragma once, nor search a directory twice;
	 * and clang's __FILE__ is the name by which __has_include found it, in
	 * the directory by the name by which it was met first. The directories
	 * of the options have the first numbers, whether they are there or not.
	 */
	struct occ_buffer fields;
	struct occ_buffer absent; /* paths where nothing was, with their NULs */
	size_t file_count;
	/*
	 * The result may have what the driver calls the source (__FILE__); or,
	 * with own_unknown, any file.
	 */
	bool names_source;
	/* Some text has inline assembly, or may put the word together. */
	bool assembly;
};

/* Why such a compilation isn't cached, if it isn't. */
enum occ_reason occ_closure_make(const struct occ_closure_request *request,
				 struct occ_closure *ret_closure);

/* Adds its fields to a key, which borrows them. */
void occ_closure_add(const struct occ_closure *closure, struct occ_key *key);

bool occ_closure_equal(const struct occ_closure *a,
		       const struct occ_closure *b);

void occ_closure_release(struct occ_closure *closure);

#endif
