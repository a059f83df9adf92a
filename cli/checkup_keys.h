/* SPDX-License-Identifier: MIT */
/*
 * Part of cli/checkup.h's look at the remote storage: who vouches for what is
 * sent, and for what comes.
 */
#ifndef OCC_CLI_CHECKUP_KEYS_H
#define OCC_CLI_CHECKUP_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/remote_setting.h"
#include "cache/settings.h"
#include "cli/checkup.h"

struct occ_checkup_keys {
	bool has_signing_key;
	size_t trusted;
};

void occ_checkup_keys(struct occ_checkup *checkup,
		      const struct occ_settings *settings,
		      const struct occ_remote_setting *remote,
		      struct occ_checkup_keys *ret_keys);

#endif
