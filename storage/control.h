/* SPDX-License-Identifier: MIT */
/* What is asked of a helper that runs, by its socket: info, stop, flush. */
#ifndef OCC_STORAGE_CONTROL_H
#define OCC_STORAGE_CONTROL_H

#include <stdbool.h>

bool occ_control_is_word(const char *word);

/* The exit status; what is wrong is said on standard error. */
int occ_control_run(const char *word, const char *socket);

#endif
