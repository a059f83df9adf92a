/* SPDX-License-Identifier: MIT */
/*
 * A file that nobody wants half: whoever interrupts the command between these
 * two has it removed. One at a time.
 */
#ifndef OCC_CLI_UNFINISHED_H
#define OCC_CLI_UNFINISHED_H

/* Before the file is made. `path` must stay as it is until the end. */
void occ_unfinished_begin(const char *path);

/* It has its name, or has been removed. */
void occ_unfinished_end(void);

#endif
