/* SPDX-License-Identifier: MIT */
/*
 * The kernels of an entry: their names, and what it says of their attributes
 * and arguments, where kernels were asked for that.
 */
#ifndef OCC_CLI_KERNELS_H
#define OCC_CLI_KERNELS_H

#include "cache/entry.h"
#include "cli/json.h"

/*
 * "name" of "name;other;", which becomes what is behind it. It may be empty;
 * there are no more when `names` is.
 */
struct occ_span occ_kernels_next_name(struct occ_span *names);

/* On standard output, a line each, with a title; nothing where there are none.
 */
void occ_kernels_show(const struct occ_entry *entry);

/* A list "kernels". */
void occ_kernels_write_json(struct occ_json *json,
			    const struct occ_entry *entry);

#endif
