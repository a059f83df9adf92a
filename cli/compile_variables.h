/* SPDX-License-Identifier: MIT */
/*
 * Variables that drivers are known to compile by, and that do nothing else:
 * they name no file, load no library, and write nothing. What drivers read
 * besides (cache/driver/driver.h) is in keys, too, but only these leave a
 * machine, or are set because somebody's database says so.
 *
 * Threads: no state, but the environment's.
 */
#ifndef OCC_CLI_COMPILE_VARIABLES_H
#define OCC_CLI_COMPILE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/driver/driver.h"

/* Is it one of them? Names are known one by one: no pattern. */
bool occ_compile_variable_is_known(const char *name, size_t length);

/*
 * Why "NAME=VALUE" from a database isn't set for the driver (NULL: one without
 * a record): static; NULL: it may be. A value that may name a file isn't, nor
 * are options that a key couldn't cover.
 */
const char *occ_compile_variable_refusal(const struct occ_driver *driver,
					 const char *variable);

#endif
