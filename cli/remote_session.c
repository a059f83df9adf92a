/* SPDX-License-Identifier: MIT */
#include "cli/remote_session.h"

#include <stdlib.h>

#include "cli/message.h"

void occ_remote_session_begin(struct occ_remote_session *session)
{
	char *why, *problem = NULL;

	session->has_helper = occ_remote_helper_begin(&session->helper, &why);
	if (session->has_helper)
		problem = occ_remote_helper_ensure(&session->helper, NULL);
	if (problem || why)
		occ_message_warning("running without the remote storage: %s",
				    problem ? problem : why);
	if (problem) {
		occ_remote_helper_end(&session->helper);
		session->has_helper = false;
	}
	free(problem);
	free(why);
}

void occ_remote_session_end(struct occ_remote_session *session, bool sent,
			    bool quiet)
{
	char *problem = NULL;

	if (!session->has_helper)
		return;
	if (sent)
		problem = occ_remote_helper_flush(&session->helper);
	if (problem && !quiet)
		occ_message_warning("remote storage: %s", problem);
	free(problem);
	occ_remote_helper_end(&session->helper);
	session->has_helper = false;
}
