/* SPDX-License-Identifier: MIT */
/*
 * The remote storage around programs that this command starts: they find a
 * helper, and what they compiled is uploaded when the command ends, or nearly
 * so. All goes on without it as well.
 *
 * From one thread.
 */
#ifndef OCC_CLI_REMOTE_SESSION_H
#define OCC_CLI_REMOTE_SESSION_H

#include <stdbool.h>

#include "cli/remote_helper.h"

struct occ_remote_session {
	bool has_helper; /* it listens */
	struct occ_remote_helper helper;
};

/*
 * Where a remote storage is set: starts its helper, unless one listens. That it
 * can't be started is a warning.
 */
void occ_remote_session_begin(struct occ_remote_session *session);

/*
 * Waits for uploads, unless `sent` says that there are none; what isn't
 * uploaded is a warning, unless `quiet`. A session of zeros has nothing to end.
 */
void occ_remote_session_end(struct occ_remote_session *session, bool sent,
			    bool quiet);

#endif
