/* SPDX-License-Identifier: MIT */
/*
 * What recorded builds ask of compilers beside compiling: that never comes to a
 * driver. Databases may be anybody's.
 */
#ifndef OCC_CLI_REPLAY_OPTIONS_H
#define OCC_CLI_REPLAY_OPTIONS_H

#include "cache/driver/driver.h"
#include "cli/replay_steps.h"

/*
 * Why the driver (NULL: one without a record) isn't given one of the steps,
 * static, with *ret_detail, to be freed, or NULL. NULL: it may be. The layer
 * judges by the same, and caches no such build.
 */
const char *occ_replay_options_refusal(const struct occ_driver *driver,
				       const struct occ_replay_steps *steps,
				       char **ret_detail);

#endif
