/* SPDX-License-Identifier: MIT */
/*
 * The process's remote storage (OCLCACHE_REMOTE): asks its helper
 * (cache/remote.h), traces and counts each question, and gives up once one goes
 * wrong, for this process, and, where the helper stalls or lies, for others by
 * the breaker in the user's store (cache/remote_breaker.h).
 *
 * Nothing of it is opened, read or looked at before the first question. A
 * question of an application's thread is asked by a thread of ours, with
 * descriptors of its own (layer/base/thread.h), for which it waits as long as
 * the budget says; with no thread to be had, by the application's own.
 *
 * In a child of fork() all begins anew.
 *
 * Any thread, in a section, without the lock. errno isn't preserved.
 */
#ifndef OCC_LAYER_SERVE_REMOTE_CLIENT_H
#define OCC_LAYER_SERVE_REMOTE_CLIENT_H

#include "cache/counters.h"
#include "cache/remote.h"
#include "cache/remote_setting.h"
#include "hash/digest.h"
#include "layer/key/build_key.h"

/* The setting; NULL: there is none, or nothing is to be read from elsewhere. */
const struct occ_remote_setting *occ_remote_client_setting(void);

/*
 * Is it given anything? Not what this process itself wouldn't take: without a
 * signing key only where unsigned entries are accepted. Looks at a file.
 */
bool occ_remote_client_gives(void);

/*
 * Is it worth asking now? The first time it reads a file of the store; a helper
 * that isn't there is counted, once.
 */
bool occ_remote_client_is_there(void);

/* Did the helper say so when it was asked last? */
bool occ_remote_client_can_lease(void);

enum occ_remote_question_kind {
	OCC_REMOTE_QUESTION_GET,
	OCC_REMOTE_QUESTION_PUT,
	OCC_REMOTE_QUESTION_LEASE,
	OCC_REMOTE_QUESTION_RELEASE,
};

struct occ_remote_question {
	enum occ_remote_question_kind kind;
	bool apart; /* the thread is the application's */
	const struct occ_build_key *build_key;
	cl_uint device;
	bool overwrite;	       /* put */
	struct occ_span value; /* put */
	/*
	 * Called with a value that was found, on the thread that asks: changes
	 * nothing but the struct around this one. NULL: nothing is.
	 */
	void (*examine)(struct occ_remote_question *question);
	uint64_t start; /* set by occ_remote_client_ask() */
	/* `value` is the caller's to release. */
	struct occ_remote_answer answer;
};

/* As of cache/remote.h; OCC_E_REMOTE_DOWN also where there is none. */
int occ_remote_client_ask(struct occ_remote_question *question);

/* In a child of fork(), with the lock held. */
void occ_remote_client_forked(void);

/* At initialisation, when no other call is under way. */
void occ_remote_client_forget(void);

#endif
