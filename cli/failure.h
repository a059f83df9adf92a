/* SPDX-License-Identifier: MIT */
/*
 * What went wrong with a store, a file or a directory, in words, and what to
 * do.
 */
#ifndef OCC_CLI_FAILURE_H
#define OCC_CLI_FAILURE_H

#include "cache/error.h"

/* `thing` is the path; `error` one of cache/error.h, with errno as it left it.
 */
void occ_failure_show(const char *thing, int error);

#endif
