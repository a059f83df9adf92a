/* SPDX-License-Identifier: MIT */
/*
 * A file that is being written, and that nobody wants half: SIGINT, SIGTERM or
 * SIGHUP remove it, take a progress bar away, and end the command as they
 * would have. Those that are ignored stay ignored.
 *
 * One at a time, of the main thread.
 */
#ifndef OCC_CLI_UNFINISHED_H
#define OCC_CLI_UNFINISHED_H

/* Before the file is made. `path` must stay as it is until the end. */
void occ_unfinished_begin(const char *path);

/* It has its name, or has been removed. */
void occ_unfinished_end(void);

#endif
