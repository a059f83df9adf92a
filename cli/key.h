/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache key` does, a function for each of its words. They return exit
 * statuses (cli/command.h), and say themselves what is wrong.
 */
#ifndef OCC_CLI_KEY_H
#define OCC_CLI_KEY_H

#include <stddef.h>

#include "cache/signature.h"

/* Makes the user's signing key. `operands`: its name, or none. */
int occ_key_generate(const struct occ_settings *settings, char *const *operands,
		     size_t count);

/* Adds public keys, given as lines or files, to the user's trusted ones. */
int occ_key_trust(const struct occ_settings *settings, char *const *operands,
		  size_t count);

/* Takes trusted keys out of their files, by their names. */
int occ_key_distrust(const struct occ_settings *settings, char *const *operands,
		     size_t count);

#endif
