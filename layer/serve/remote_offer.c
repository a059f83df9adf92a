/* SPDX-License-Identifier: MIT */
#include "layer/serve/remote_offer.h"

#include <stdlib.h>
#include <string.h>

#include "cache/error.h"
#include "cache/signed_entry.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/serve/remote_client.h"
#include "layer/serve/remote_lease.h"
#include "layer/serve/stats.h"

/* More than a process makes; of the oldest ones changes aren't offered. */
#define MADE_MAX 4096

/* An entry that this process has made, and which program it was. */
struct made {
	struct occ_digest hash;
	struct occ_secure_digest program; /* zeros: it is yet to be made */
	unsigned queued;		  /* offers of it */
	bool is_given;	       /* the remote storage has it from here */
	bool is_others;	       /* or from elsewhere, and keeps that */
	bool overwrite;	       /* whatever it has, */
	bool overwrite_signed; /* or if this is signed */
};

/* The lock. */
static struct made *made;
static size_t made_count; /* ever; the last MADE_MAX are there */

struct offer {
	struct occ_task task; /* first: tasks are these */
	struct occ_build_key *build_key;
	cl_uint device;
};

void occ_remote_offer_forked(void)
{
	for (size_t i = 0; i < made_count && i < MADE_MAX; i++)
		made[i].queued = 0;
}

void occ_remote_offer_forget(void)
{
	free(made);
	made = NULL;
	made_count = 0;
}

static struct occ_secure_digest program_of(struct occ_span stored_key,
					   struct occ_span binary)
{
	const struct occ_span parts[] = {stored_key, binary};
	struct occ_secure_digest digest;

	occ_secure_digest_of("oclcache made here", parts, 2, &digest);
	return digest;
}

/* The last one of that hash; NULL: none. Lock held. */
static struct made *find_made(const struct occ_digest *hash)
{
	size_t count = made_count < MADE_MAX ? made_count : MADE_MAX;

	for (size_t i = 0; i < count; i++)
		if (!memcmp(&made[i].hash, hash, sizeof(*hash)))
			return &made[i];
	return NULL;
}

/* Lock held. NULL: no memory. */
static struct made *add_made(const struct occ_digest *hash)
{
	struct made *new;

	if (!made)
		made = calloc(MADE_MAX, sizeof(*made));
	if (!made)
		return NULL;
	new = &made[made_count++ % MADE_MAX];
	*new = (struct made){.hash = *hash};
	return new;
}

static void note_not_given(enum occ_reason reason)
{
	occ_stats_remote_failed(OCC_COUNT_REMOTE_PUT_ERRORS, reason);
	occ_log_debug("entry not sent to the remote storage: %s",
		      occ_reason_text(reason));
}

/* False: there is a key that can't be used, and what it would sign stays. */
static bool sign(const struct occ_entry_file *whole,
		 struct occ_entry_signatures *ret_signatures)
{
	struct occ_signing_key key;
	const char *problem = "";
	int error = occ_signing_key_read(&occ_settings, &key, &problem);

	memset(ret_signatures, 0, sizeof(*ret_signatures));
	if (error == OCC_E_NOT_FOUND)
		return true;
	if (error) {
		occ_log_debug("signing key: %s", problem);
		return false;
	}
	occ_entry_sign(whole, &key, ret_signatures);
	occ_signing_key_wipe(&key);
	return true;
}

static void note_given(const struct occ_digest *hash, int error)
{
	struct made *mine;

	occ_lock();
	mine = find_made(hash);
	if (mine && !error)
		mine->is_given = true;
	if (mine && error == OCC_E_EXISTS)
		mine->is_others = true;
	occ_unlock();
	/* A put has ended it. */
	if (!error || error == OCC_E_EXISTS)
		occ_remote_lease_forget(hash);
}

static void give(const struct offer *offer, const struct occ_entry_file *whole,
		 const struct made *mine)
{
	struct occ_remote_question question = {
		.kind = OCC_REMOTE_QUESTION_PUT,
		.build_key = offer->build_key,
		.device = offer->device,
		.overwrite = mine->overwrite || mine->is_given,
	};
	struct occ_buffer value = OCC_BUFFER_INIT;
	struct occ_entry_signatures signatures;

	if (!sign(whole, &signatures)) {
		note_not_given(OCC_REASON_SIGNING_KEY);
		return;
	}
	question.overwrite |= mine->overwrite_signed && signatures.has_program;
	occ_signed_entry_encode(whole, &signatures, &value);
	if (value.failed) {
		note_not_given(OCC_REASON_OUT_OF_MEMORY);
	} else {
		question.value = occ_buffer_span(&value);
		note_given(&whole->entry.hash,
			   occ_remote_client_ask(&question));
	}
	occ_buffer_release(&value);
}

/* True: this is the last offer of the entry that waits, and is to be made. */
static bool take_made(const struct occ_digest *hash, struct made *ret_made)
{
	struct made *there;
	bool last;

	occ_lock();
	there = find_made(hash);
	last = there && (!there->queued || !--there->queued) &&
	       !there->is_others;
	if (last)
		*ret_made = *there;
	occ_unlock();
	return last;
}

/* As the store has it now, whoever has changed it meanwhile. */
static void run_offer(struct occ_task *task)
{
	struct offer *offer = (struct offer *)task;
	const struct occ_key *key = &offer->build_key->keys[offer->device];
	struct occ_secure_digest program;
	struct occ_entry_file whole;
	struct occ_span binary;
	struct made mine;

	if (take_made(&key->hash, &mine) && occ_stores() &&
	    !occ_store_read_entry(occ_stores(), key, &whole)) {
		if (!occ_entry_binary(whole.memory, whole.size, &binary)) {
			program = program_of(whole.entry.key, binary);
			if (!memcmp(&program, &mine.program, sizeof(program)))
				give(offer, &whole, &mine);
		}
		occ_entry_file_release(&whole);
	}
	occ_build_key_release(offer->build_key);
	free(offer);
}

/* A task of its own: who waits for the entry waits for the store alone. */
static void queue_offer(struct occ_build_key *build_key, cl_uint device)
{
	struct offer *offer = calloc(1, sizeof(*offer));
	struct made ignored;

	if (!offer) {
		take_made(&build_key->keys[device].hash, &ignored);
		return;
	}
	offer->task.run = run_offer;
	offer->build_key = occ_build_key_retain(build_key);
	offer->device = device;
	occ_writer_add(&offer->task);
}

/* Once: it is the same for all. */
static void say_not_given(void)
{
	static bool said;
	const struct occ_remote_setting *setting = occ_remote_client_setting();

	if (setting && !setting->read_only &&
	    !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		occ_log_debug(
			"nothing is sent to the remote storage: there is no "
			"signing key, and unsigned entries are not accepted");
}

void occ_remote_offer_made(struct occ_build_key *build_key, cl_uint device,
			   struct occ_span binary, bool improves)
{
	const struct occ_key *key = &build_key->keys[device];
	struct occ_secure_digest program;
	struct made *mine;

	if (!occ_remote_client_gives()) {
		say_not_given();
		return;
	}
	program = program_of(occ_buffer_span(&key->stored), binary);
	occ_lock();
	mine = find_made(&key->hash);
	if (!mine && !improves)
		mine = add_made(&key->hash);
	if (mine) {
		mine->program = program;
		mine->queued++;
		mine->overwrite |= occ_settings.mode == OCC_MODE_RECACHE;
	}
	occ_unlock();
	if (mine)
		queue_offer(build_key, device);
}

void occ_remote_offer_changed(struct occ_build_key *build_key, cl_uint device)
{
	struct made *mine;

	occ_lock();
	mine = find_made(&build_key->keys[device].hash);
	if (mine)
		mine->queued++;
	occ_unlock();
	if (mine)
		queue_offer(build_key, device);
}

void occ_remote_offer_replaces(const struct occ_digest *hash, bool if_signed)
{
	struct made *mine;

	if (!occ_remote_client_gives())
		return;
	occ_lock();
	mine = find_made(hash);
	if (!mine)
		mine = add_made(hash);
	if (mine && if_signed)
		mine->overwrite_signed = true;
	else if (mine)
		mine->overwrite = true;
	occ_unlock();
}
