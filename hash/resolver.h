/* SPDX-License-Identifier: MIT */
/*
 * An include closure that is being made: what the files of hash/closure.h
 * share.
 *
 *	closure.c          the texts, and what they include
 *	closure_options.c  what options say: directories, files, macros
 *	closure_check.c    whether the result depends on anything else
 *	resolver.c         where files are looked for, and what was found
 *
 * What fails sets `reason`, and all that follows does nothing or little; only
 * the first reason counts.
 *
 * Private to these. Threads: one at a time per resolver.
 */
#ifndef OCC_HASH_RESOLVER_H
#define OCC_HASH_RESOLVER_H

#include "hash/closure.h"
#include "hash/macro.h"

/* A text whose includes are followed. */
struct occ_resolver_text {
	const struct occ_scan *scan;
	char *directory; /* of the file; "" is the current one */
	bool embedded;	 /* a header: its directory may be in any other */
};

struct occ_resolver_strings {
	char **items;
	size_t count;
	size_t capacity;
};

struct occ_resolver {
	const struct occ_closure_request *request;
	struct occ_closure *closure;
	enum occ_reason reason; /* why there is no closure */

	struct occ_resolver_text *texts; /* source, headers, files found */
	size_t text_count;
	size_t text_capacity;
	const struct occ_scan **scans; /* occ_resolver_list_scans() */

	/* Of the options. */
	struct occ_scan *options;
	struct occ_resolver_strings directories;
	size_t own_first; /* the driver's own among them, */
	size_t own_end;	  /* and the first one behind */
	bool directories_uncertain;
	struct occ_resolver_strings files; /* -include */
	struct occ_option_macro *macros;
	size_t macro_count;
	size_t macro_capacity;
	bool macros_uncertain;
	struct occ_resolver_strings macro_texts; /* that `macros` points into */

	/* Hash tables of resolver.c. */
	struct occ_resolver_place *places;
	struct occ_resolver_identity *identities;
	struct occ_resolver_number *numbers;
	struct occ_resolver_name *names;
	bool out_of_memory; /* in one of them */
	uint32_t number;    /* of the next file found, or option's directory */
	size_t path_bytes;  /* looked up so far */
	bool is_relative;   /* a path of those that were found */
	bool own_skipped;   /* the driver's own directories aren't searched */

	size_t expansions;   /* of computed includes so far */
	uint64_t macro_work; /* that may still be done on them */
};

void occ_resolver_fail(struct occ_resolver *resolver, enum occ_reason reason);

/* Counts bytes of a path that is looked up; false: failed, too many. */
bool occ_resolver_spend(struct occ_resolver *resolver, size_t size);

/* Makes room for one more item; `list`: a pointer to a list. False: failed. */
bool occ_resolver_grow(struct occ_resolver *resolver, void *list, size_t count,
		       size_t *capacity, size_t size);

/* Returns the copy; NULL: failed. */
const char *occ_resolver_add_string(struct occ_resolver *resolver,
				    struct occ_resolver_strings *strings,
				    const char *text, size_t length);

/* `path`: the text's own, of which the directory counts. */
void occ_resolver_add_text(struct occ_resolver *resolver,
			   const struct occ_scan *scan, const char *path,
			   bool embedded);

/* The number of a directory, for later files in it. */
void occ_resolver_number_directory(struct occ_resolver *resolver,
				   const struct occ_closure_file *directory);

/* Lists the scans of all texts and, at the end, the options'; false: failed. */
bool occ_resolver_list_scans(struct occ_resolver *resolver);

/* Where an include is searched for besides the directories. */
enum occ_resolver_form {
	OCC_RESOLVER_ANGLED, /* <...>: nowhere */
	OCC_RESOLVER_NEXT,   /* the including file's directory, as well */
	OCC_RESOLVER_QUOTED, /* the same, and perhaps only there if it is there
			      */
};

/*
 * Looks for a file wherever a compiler may for what `text` includes; NULL: the
 * source. What is found is added to the closure and, if `contents` are wanted
 * and not just its presence, to the texts. Returns whether it was found where
 * every compiler looks before it looks anywhere else.
 */
bool occ_resolver_search(struct occ_resolver *resolver,
			 const struct occ_resolver_text *text, const char *name,
			 size_t length, enum occ_resolver_form form,
			 bool contents);

void occ_resolver_release(struct occ_resolver *resolver);

/* Takes over what the options say. */
void occ_closure_options_take(struct occ_resolver *resolver);

/* Fails if the texts say, alone or together, what can't be cached. */
void occ_closure_check(struct occ_resolver *resolver);

#endif
