/* SPDX-License-Identifier: MIT */
/*
 * A directory for what is only needed while the command runs, of mode 0700, in
 * TMPDIR or /tmp.
 */
#ifndef OCC_CLI_SCRATCH_H
#define OCC_CLI_SCRATCH_H

/* Its path, for occ_scratch_remove(); NULL after an error was shown. */
char *occ_scratch_make(void);

/* Removes it with all that is in it, and frees the path. NULL: nothing. */
void occ_scratch_remove(char *scratch);

#endif
