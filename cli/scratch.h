/* SPDX-License-Identifier: MIT */
/*
 * A directory for what is only needed while the command runs, of mode 0700, in
 * TMPDIR or /tmp.
 *
 * It is locked (flock) until the command ends, so that what commands leave that
 * are killed can be told from what others use, in other PID namespaces, too.
 * Where directories can't be locked, as on NFS, it stays.
 */
#ifndef OCC_CLI_SCRATCH_H
#define OCC_CLI_SCRATCH_H

/* TMPDIR, or /tmp where that isn't set or no absolute path. Static. */
const char *occ_scratch_parent(void);

/* Its path, for occ_scratch_remove(); NULL after an error was shown. */
char *occ_scratch_make(void);

/* The same with no error shown, but errno set. */
char *occ_scratch_try(void);

/*
 * Removes it with all that is in it, and frees the path. NULL: nothing. Then
 * removes what the user's killed commands have left beside it.
 */
void occ_scratch_remove(char *scratch);

#endif
