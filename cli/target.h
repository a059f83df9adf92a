/* SPDX-License-Identifier: MIT */
/*
 * The entry that a command is given: by the beginning of its hash, or as a
 * file, which may be of another store.
 */
#ifndef OCC_CLI_TARGET_H
#define OCC_CLI_TARGET_H

#include "cache/entry_file.h"
#include "cli/command.h"

struct occ_target {
	char *path; /* of the file */
	struct occ_entry_file whole;
	int error; /* 0; or why `whole` isn't valid: it is damaged, ... */
};

/*
 * Finds and reads what `text` means, in the store at `directory` unless it is a
 * file. OCC_EXIT_OK: the target is to be released. Otherwise an error was
 * shown, and this is the exit status: OCC_EXIT_USAGE where several entries
 * begin so. With `error` set, the caller tells (occ_target_complain).
 */
int occ_target_read(const char *directory, const char *command,
		    const char *text, struct occ_target *ret_target);

/*
 * Does the name of an entry there, or of the trace of a miss, begin so? False
 * also where that can't be found out.
 */
bool occ_target_has(const char *directory, const char *prefix);
void occ_target_complain(const struct occ_target *target);
void occ_target_release(struct occ_target *target);

#endif
