/* SPDX-License-Identifier: MIT */
/*
 * The environment variables of an entry's key (OCC_KEY_ENVIRONMENT), for
 * processes in which NVIDIA's driver is to do the same again. An entry may come
 * from anywhere: what could name a file or a library to the driver isn't set.
 */
#ifndef OCC_CLI_NVIDIA_VARIABLES_H
#define OCC_CLI_NVIDIA_VARIABLES_H

#include "cache/entry.h"

/*
 * Is it known of all of them that NVIDIA's driver doesn't heed them, or that
 * they can be set? Else `ret_names` are those others, ", " between them, cut to
 * `size`.
 */
bool occ_variables_are_known(struct occ_span variables, char *ret_names,
			     size_t size);

/* Sets those that NVIDIA's driver may heed, in a process of its own. */
void occ_variables_set(struct occ_span variables);

#endif
