/* SPDX-License-Identifier: MIT */
/*
 * The variables that a recorded build was made with, for a process that is to
 * build the same: those that the driver compiles by are set as they were, and
 * aren't set where they weren't. No other is touched.
 */
#ifndef OCC_CLI_REPLAY_VARIABLES_H
#define OCC_CLI_REPLAY_VARIABLES_H

#include "cache/driver/driver.h"
#include "hash/buffer.h"

/*
 * What must differ from this process's environment, as in cli/worker_place.h:
 * *ret_changes, to be freed; NULL: nothing. `hashed` is OCLCACHE_HASH_ENV, or
 * NULL; `driver` NULL is one without a record. NULL; or why it can't be so,
 * static, with *ret_detail, to be freed, or NULL.
 */
const char *occ_replay_variables(struct occ_span step,
				 const struct occ_driver *driver,
				 const char *hashed, char **ret_changes,
				 char **ret_detail);

#endif
