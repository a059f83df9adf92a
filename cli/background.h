/* SPDX-License-Identifier: MIT */
/*
 * What goes on when the program of `oclcache run` has ended, as no child of
 * this command and without any of its files: nobody waits for it.
 */
#ifndef OCC_CLI_BACKGROUND_H
#define OCC_CLI_BACKGROUND_H

#include <sys/types.h>

/* The exit status of a process in which `work` returned. */
#define OCC_BACKGROUND_FAILED 126

/*
 * `work` in such a process, with `errors` as its standard error (-1: none). Its
 * number, or -1.
 */
pid_t occ_background_start(void (*work)(void *data), void *data, int errors);

/* `oclcache upgrade`, where something waits for it. */
void occ_background_upgrade(void);

/* What must be known of drivers without a record is learnt (cli/learn.h). */
void occ_background_learn(void);

#endif
