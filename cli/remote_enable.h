/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache enable --remote` does beyond the layer: the setting in the
 * configuration file, and the units.
 */
#ifndef OCC_CLI_REMOTE_ENABLE_H
#define OCC_CLI_REMOTE_ENABLE_H

#include <stdbool.h>

#include "cli/activation.h"
#include "cli/config_line.h"

struct occ_remote_enable {
	struct occ_config_line line;
};

/*
 * Is the setting one that can stand in a file, without secrets, and is there a
 * helper for it that systemd can start? Then adds the units to what is to be
 * written. False after an error was shown. To be ended.
 */
bool occ_remote_enable_begin(bool system, const char *setting,
			     struct occ_activation *activation,
			     struct occ_remote_enable *ret_enable);
void occ_remote_enable_end(struct occ_remote_enable *enable);

/* Writes the setting, or says that it would. False after an error was shown. */
bool occ_remote_enable_write(const struct occ_remote_enable *enable, bool dry);

/* What comes next. */
void occ_remote_enable_say(bool system);

/*
 * Takes the setting out of the file, or says that it would. *ret_any isn't set
 * unless there was one. False after an error was shown.
 */
bool occ_remote_enable_remove(bool system, bool dry, bool *ret_any);

#endif
