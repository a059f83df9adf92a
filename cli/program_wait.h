/* SPDX-License-Identifier: MIT */
/* Runs a program with this one's streams, and waits for it. */
#ifndef OCC_CLI_PROGRAM_WAIT_H
#define OCC_CLI_PROGRAM_WAIT_H

#include <stdbool.h>

/*
 * `arguments` begin with its name, and end with NULL. `silent`: without its
 * standard output. The exit status; 128 and the signal that ended it; 127: it
 * couldn't be started.
 */
int occ_program_wait(const char *path, const char *const *arguments,
		     bool silent);

#endif
