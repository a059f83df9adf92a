/* SPDX-License-Identifier: MIT */
/*
 * Which members of an archive are taken: those that trusted keys vouch for
 * (cache/signed_entry.h has the rule), by the signatures beside them.
 *
 * Calling sequence: occ_archive_admission_begin(), maybe _collect(); _note() of
 * each member with signatures, which is nothing new after _collect(); _entry()
 * and _contents() of the others; _tell(); _release().
 */
#ifndef OCC_CLI_ARCHIVE_ADMISSION_H
#define OCC_CLI_ARCHIVE_ADMISSION_H

#include <stdio.h>

#include "cache/signed_entry.h"

struct occ_archive_signatures; /* of a member, by its name */

struct occ_archive_admission {
	bool accepts_unsigned;
	struct occ_trusted_keys keys;
	struct occ_archive_signatures *signatures;
	size_t not_signed, untrusted;	    /* that were refused */
	char unknown[OCC_KEY_NAME_MAX + 1]; /* the first key of these */
	bool came_late; /* signatures, behind something that was refused */
};

void occ_archive_admission_begin(struct occ_archive_admission *admission,
				 bool accepts_unsigned);
void occ_archive_admission_release(struct occ_archive_admission *admission);

/*
 * Where the stream can be read twice, reads all of its signatures, and goes
 * back: members may be in any order. Else signatures have to come first.
 */
void occ_archive_admission_collect(struct occ_archive_admission *admission,
				   FILE *stream);

/* Is that the name of a member with signatures? */
bool occ_archive_admission_is_signatures(const char *name);

/* The bytes of such a member; `name` is without directories. */
void occ_archive_admission_note(struct occ_archive_admission *admission,
				const char *name, struct occ_span bytes);

/*
 * Is it taken? Device code that isn't vouched for is dropped. NULL: yes; else
 * why not: *ret_counted says that _tell() has a word for all of its kind.
 */
const char *occ_archive_admission_entry(struct occ_archive_admission *admission,
					const char *name,
					struct occ_entry_file *whole,
					bool *ret_counted);
const char *occ_archive_admission_contents(
	struct occ_archive_admission *admission, const char *name,
	struct occ_span contents, bool *ret_counted);

/* Errors of what was counted, and what to do. */
void occ_archive_admission_tell(const struct occ_archive_admission *admission,
				const char *path);

#endif
