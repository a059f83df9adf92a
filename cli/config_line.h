/* SPDX-License-Identifier: MIT */
/*
 * One line of a configuration file (cache/settings.h) that `oclcache enable`
 * adds and `oclcache disable` takes away: "NAME=VALUE" below a comment that
 * says so. Nothing else of the file is changed, and a line that somebody has
 * written is left.
 */
#ifndef OCC_CLI_CONFIG_LINE_H
#define OCC_CLI_CONFIG_LINE_H

#include <stdbool.h>

#include "cli/activation.h"

enum occ_config_line_state {
	OCC_CONFIG_LINE_MISSING, /* or there is no file */
	OCC_CONFIG_LINE_OURS,
	OCC_CONFIG_LINE_ANOTHERS, /* there is one without the comment */
};

struct occ_config_line {
	enum occ_config_line_state state;
	bool is_current; /* ours or not: it has that value */
	/* The file as it would be; `text` empty: it would be removed. */
	struct occ_activation_file file;
};

/*
 * What there is to do in the file of this user, or of all (`system`), for the
 * line to have `value`; NULL: to go. False after an error was shown. To be
 * ended.
 */
bool occ_config_line_begin(bool system, const char *name, const char *value,
			   struct occ_config_line *ret_line);
void occ_config_line_end(struct occ_config_line *line);

/* False after an error was shown. */
bool occ_config_line_write(const struct occ_config_line *line);

#endif
