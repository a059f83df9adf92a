/* SPDX-License-Identifier: MIT */
/*
 * Which entries a command is about: by words in their programs, by device,
 * driver, age and size.
 *
 * Texts are found anywhere and in either case. A program's are the names of its
 * kernels, its build options and its source.
 */
#ifndef OCC_CLI_SELECTION_H
#define OCC_CLI_SELECTION_H

#include "cache/entry_file.h"
#include "cache/listing.h"
#include "cli/arguments.h"

/* For the `options` of commands. */
#define OCC_SELECTION_PROGRAM                                                  \
	{                                                                      \
		"program", 0, "TEXT",                                          \
			"only with TEXT in kernel names, options or source"    \
	}
#define OCC_SELECTION_DEVICE                                                   \
	{                                                                      \
		"device", 0, "TEXT",                                           \
			"only for devices with TEXT in name or vendor"         \
	}
#define OCC_SELECTION_DRIVER                                                   \
	{                                                                      \
		"driver", 0, "TEXT",                                           \
			"only with TEXT in platform or driver version"         \
	}
#define OCC_SELECTION_OLDER                                                    \
	{                                                                      \
		"older-than", 0, "AGE",                                        \
			"only if not used for AGE: 90s, 12h, 30d, 2w"          \
	}
/* The same; `clear` says first what it frees. */
#define OCC_SELECTION_UNUSED                                                   \
	{                                                                      \
		"unused-for", 0, "AGE",                                        \
			"only if not used for AGE; first show what it frees"   \
	}
#define OCC_SELECTION_NEWER                                                    \
	{                                                                      \
		"newer-than", 0, "AGE", "only if used within AGE"              \
	}
#define OCC_SELECTION_LARGER                                                   \
	{                                                                      \
		"larger-than", 0, "SIZE",                                      \
			"only if larger than SIZE: 500k, 2MB, 1GiB"            \
	}
#define OCC_SELECTION_SMALLER                                                  \
	{                                                                      \
		"smaller-than", 0, "SIZE", "only if smaller than SIZE"         \
	}

struct occ_selection {
	const char *program; /* these are NULL for any */
	const char *device;
	const char *driver;
	int64_t used_before; /* s since 1970; INT64_MAX: any */
	int64_t used_after;  /* INT64_MIN: any */
	uint64_t larger, smaller;
};

/* Of the options given. False after an error was shown: a usage error. */
bool occ_selection_parse(const struct occ_arguments *arguments,
			 const char *command,
			 struct occ_selection *ret_selection);

/*
 * An option whose value is an age: the moment that is so long ago, s since
 * 1970; *ret_moment stays as it is where the option isn't given. False after an
 * error was shown.
 */
bool occ_selection_parse_age(const struct occ_arguments *arguments,
			     const char *command, const char *name,
			     int64_t *ret_moment);

/* Is the text anywhere in the bytes, in either case? */
bool occ_selection_has_text(struct occ_span bytes, const char *text);

/* Does it ask for anything? */
bool occ_selection_is_any(const struct occ_selection *selection);

/* Only for age and size, which need no file to be opened? */
bool occ_selection_needs_entry(const struct occ_selection *selection);

bool occ_selection_has_file(const struct occ_selection *selection,
			    const struct occ_listing_file *file);

/*
 * The rest of what it asks for, of an entry that was looked at: `name` in
 * `directory`, for sources that aren't in a summary.
 */
bool occ_selection_has_entry(const struct occ_selection *selection,
			     int directory, const char *name, bool or_roots,
			     const struct occ_entry *entry);

#endif
