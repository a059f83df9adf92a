/* SPDX-License-Identifier: MIT */
/*
 * Where two texts differ, line by line: what is the same at both ends is left
 * out, and of the rest the first lines are shown, "- " and "+ " before them.
 */
#ifndef OCC_CLI_LINES_H
#define OCC_CLI_LINES_H

#include "cache/entry.h"

struct occ_lines {
	size_t line;			    /* the first that differs, from 1 */
	struct occ_span old_rest, new_rest; /* whole lines */
	size_t common; /* bytes that are the same, at both ends */
};

void occ_lines_compare(struct occ_span old_text, struct occ_span new_text,
		       struct occ_lines *ret_lines);

/* Bytes at both ends of the rests that are the same. */
size_t occ_lines_alike(const struct occ_lines *lines);

/* On standard output, at most so many lines of each. */
void occ_lines_show(const struct occ_lines *lines, size_t most);

#endif
