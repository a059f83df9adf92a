/* SPDX-License-Identifier: MIT */
/*
 * Who vouches for what leaves in an archive: each entry, and each included
 * file's contents, has a member NAME.signatures before it (doc/format.md).
 */
#ifndef OCC_CLI_ARCHIVE_SIGNER_H
#define OCC_CLI_ARCHIVE_SIGNER_H

#include "cache/signed_entry.h"
#include "cli/archive.h"
#include "cli/arguments.h"

#define OCC_ARCHIVE_SIGNATURES_END ".signatures"

/* For the `options` of commands. */
#define OCC_ARCHIVE_SIGNER_OPTIONS                                             \
	{"sign-with", 0, "FILE",                                               \
	 "sign with the key in FILE instead of your own"},                     \
	{                                                                      \
		"unsigned", 0, NULL, "don't sign anything"                     \
	}

struct occ_archive_signer {
	bool signs;
	struct occ_signing_key key; /* to be wiped */
};

/*
 * The key of --sign-with, else the user's own, if there is one and not
 * --unsigned. OCC_EXIT_OK, or another exit status after an error of `command`
 * was shown: a key that should sign can't be used.
 */
int occ_archive_signer_choose(const struct occ_arguments *arguments,
			      const char *command,
			      struct occ_archive_signer *ret_signer);
void occ_archive_signer_wipe(struct occ_archive_signer *signer);

/* Adds the signatures of what comes next, if it signs. False: errno. */
bool occ_archive_signer_add_entry(const struct occ_archive_signer *signer,
				  struct archive *archive, const char *name,
				  int64_t modified,
				  const struct occ_entry_file *whole);
bool occ_archive_signer_add_contents(const struct occ_archive_signer *signer,
				     struct archive *archive, const char *name,
				     struct occ_span contents);

#endif
