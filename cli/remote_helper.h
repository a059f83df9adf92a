/* SPDX-License-Identifier: MIT */
/*
 * The helper of the remote storage (OCLCACHE_REMOTE): found, and started where
 * none listens. The layer never does that: a library mustn't start processes in
 * somebody else's.
 *
 * A helper is started as ccache's specification has it (CRSH_... variables), in
 * a session of its own and as nobody's child, and ends when it has been idle
 * for OCC_REMOTE_HELPER_IDLE_S. Which program: `helper=` of the setting; else
 * oclcache-storage beside this command, in ../libexec/oclcache from there, or
 * in $PATH; else ccache-storage-SCHEME in $PATH.
 *
 * From one thread.
 */
#ifndef OCC_CLI_REMOTE_HELPER_H
#define OCC_CLI_REMOTE_HELPER_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/remote.h"
#include "cache/remote_setting.h"

#define OCC_REMOTE_HELPER_NAME	   "oclcache-storage"
#define OCC_REMOTE_HELPER_IDLE_S   600

/*
 * ms: how long one that listens may take to answer, since a program waits for
 * that; how long one may take to begin to listen, which it does at once, but
 * not on a machine that is busy; and how long uploads are waited for.
 */
#define OCC_REMOTE_HELPER_ASK_MS   1000
#define OCC_REMOTE_HELPER_START_MS 2000
#define OCC_REMOTE_HELPER_FLUSH_MS 2000

struct occ_remote_helper {
	struct occ_remote_setting setting;
	char socket[108];
	struct occ_remote *remote; /* to ask it, with patience */
};

/*
 * The setting that is in force. False: there is none, or it isn't one, then
 * *ret_why says why, to be freed; else *ret_why is NULL. To be ended.
 */
bool occ_remote_helper_begin(struct occ_remote_helper *ret_helper,
			     char **ret_why);
void occ_remote_helper_end(struct occ_remote_helper *helper);

/* Is it a socket that somebody else looks after ("crsh:")? */
bool occ_remote_helper_is_anothers(const struct occ_remote_helper *helper);

/*
 * Does one listen? Of OCC_E_REMOTE the answer says what is wrong;
 * OCC_REMOTE_FAULT_ABSENT: none does. Its capabilities are in the answer, and
 * what it says of itself, if it can, in its value, to be released.
 */
int occ_remote_helper_ask(const struct occ_remote_helper *helper,
			  struct occ_remote_answer *ret_answer);

/* The program that would be started, to be freed; NULL: there is none. */
char *occ_remote_helper_program(const struct occ_remote_helper *helper);

/*
 * Has one listen. NULL: one does, else why not, to be freed. *ret_started,
 * unless NULL: it had to be started.
 */
char *occ_remote_helper_ensure(const struct occ_remote_helper *helper,
			       bool *ret_started);

/*
 * Waits for what it has to upload, OCC_REMOTE_HELPER_FLUSH_MS at most. NULL:
 * all is done, or it can't be known; else what isn't, to be freed.
 */
char *occ_remote_helper_flush(const struct occ_remote_helper *helper);

#endif
