/* SPDX-License-Identifier: MIT */
#include "layer/serve/remote_storage.h"

#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/error.h"
#include "cache/signed_entry.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/serve/remote_client.h"
#include "layer/serve/remote_offer.h"
#include "layer/serve/stats.h"

struct occ_remote_arrival {
	struct occ_task task; /* first: tasks are these */
	struct occ_remote_arrival *next;
	struct occ_entry_file whole; /* in the memory of `kept` */
	struct occ_kept *kept;
	const char *device; /* the identity's, which lives for ever */
};

bool occ_remote_storage_is_there(void)
{
	return occ_settings.mode != OCC_MODE_RECACHE &&
	       occ_remote_client_is_there();
}

static void say_problem(void *data, const char *file, unsigned line,
			const char *problem)
{
	(void)data;
	if (line)
		occ_log_debug("%s:%u: %s", file, line, problem);
	else
		occ_log_debug("%s: %s", file, problem);
}

/* A question for an entry, and what becomes of the answer. */
struct getting {
	struct occ_remote_question question; /* first: it is examined */
	enum occ_admission admission;
	struct occ_entry_file whole;
};

/* The keys are read for each, so that one that was taken back counts no more.
 */
static void admit(struct occ_remote_question *question)
{
	struct getting *getting = (struct getting *)question;
	const struct occ_remote_setting *setting = occ_remote_client_setting();
	struct occ_trusted_keys *keys = calloc(1, sizeof(*keys));

	if (keys && setting) {
		occ_trusted_keys_read(&occ_settings, keys, say_problem, NULL);
		getting->admission = occ_signed_entry_open(
			occ_buffer_span(&question->answer.value),
			&question->build_key->keys[question->device], keys,
			setting->accepts_unsigned, &getting->whole);
	}
	free(keys);
}

static void note_refusal(const struct occ_build_key *build_key, cl_uint device,
			 enum occ_admission admission, uint64_t start)
{
	const struct occ_digest *hash = &build_key->keys[device].hash;

	/*
	 * Not what others, or other versions, may still use; but who signs puts
	 * right what nobody else could.
	 */
	if (admission == OCC_REFUSED_FORMAT || admission == OCC_REFUSED_KEY)
		occ_remote_offer_replaces(hash, false);
	else if (admission == OCC_REFUSED_UNSIGNED ||
		 admission == OCC_REFUSED_SIGNATURE)
		occ_remote_offer_replaces(hash, true);
	occ_stats_remote_failed(OCC_COUNT_REMOTE_REFUSED,
				occ_admission_reason(admission));
	occ_log_trace(&(struct occ_trace){
		.event = "remote",
		.op = "admit",
		.hash = hash,
		.device = build_key->identities[device]->name,
		.result = "refused",
		.reason = occ_admission_text(admission),
		.since = start,
	});
}

static void free_arrival(struct occ_remote_arrival *arrival)
{
	occ_kept_release(arrival->kept);
	free(arrival);
}

/* Takes the file over, also when there is no memory for what it is to be. */
static struct occ_remote_arrival *make_arrival(struct occ_entry_file *whole,
					       const char *device)
{
	struct occ_remote_arrival *arrival = calloc(1, sizeof(*arrival));
	struct occ_loaded loaded = {.entry = whole->entry,
				    .memory = whole->memory};

	/* Wherever it is in the file: the store hasn't got it yet. */
	if (!arrival ||
	    occ_entry_binary(whole->memory, whole->size, &loaded.entry.binary))
		goto failed;
	arrival->kept = occ_kept_take(&loaded);
	if (!arrival->kept)
		goto failed;
	arrival->whole = *whole;
	arrival->device = device;
	return arrival;
failed:
	free(arrival);
	occ_entry_file_release(whole);
	return NULL;
}

struct occ_kept *occ_remote_storage_get(const struct occ_build_key *build_key,
					cl_uint device,
					struct occ_remote_arrival **arrivals)
{
	struct getting getting = {
		.question = {.kind = OCC_REMOTE_QUESTION_GET,
			     .apart = true,
			     .build_key = build_key,
			     .device = device,
			     .examine = admit},
		.admission = OCC_REFUSED_MEMORY,
	};
	struct occ_remote_arrival *arrival;

	if (occ_remote_client_ask(&getting.question))
		return NULL;
	occ_buffer_release(&getting.question.answer.value);
	if (getting.admission >= OCC_REFUSED_FORMAT) {
		note_refusal(build_key, device, getting.admission,
			     getting.question.start);
		return NULL;
	}
	arrival = make_arrival(&getting.whole,
			       build_key->identities[device]->name);
	if (!arrival)
		return NULL;
	arrival->next = *arrivals;
	*arrivals = arrival;
	__atomic_add_fetch(&arrival->kept->references, 1, __ATOMIC_RELAXED);
	return arrival->kept;
}

static void run_import(struct occ_task *task)
{
	struct occ_remote_arrival *arrival = (struct occ_remote_arrival *)task;
	uint64_t start = occ_log_now();
	int error = occ_stores()
			    ? occ_store_import(occ_stores(), &arrival->whole)
			    : OCC_E_NO_DIRECTORY;

	occ_log_trace(&(struct occ_trace){
		.event = "store",
		.hash = &arrival->kept->entry.hash,
		.device = arrival->device,
		.result = error ? "not stored" : "stored",
		.reason = error ? occ_error_string(error) : "remote",
		.bytes = arrival->whole.size,
		.since = start,
	});
	if (error && error != OCC_E_EXISTS)
		occ_log_debug("entry from the remote storage not stored: %s",
			      occ_error_string(error));
	free_arrival(arrival);
}

void occ_remote_storage_keep(struct occ_remote_arrival *arrivals)
{
	struct occ_remote_arrival *next;

	if (!occ_stores_is_written() ||
	    occ_settings.store_policy == OCC_STORE_NEVER) {
		occ_remote_storage_drop(arrivals);
		return;
	}
	for (; arrivals; arrivals = next) {
		next = arrivals->next;
		arrivals->task.run = run_import;
		arrivals->task.hash = arrivals->kept->entry.hash;
		arrivals->task.bytes = arrivals->whole.size;
		occ_writer_add(&arrivals->task);
	}
}

void occ_remote_storage_drop(struct occ_remote_arrival *arrivals)
{
	struct occ_remote_arrival *next;

	for (; arrivals; arrivals = next) {
		next = arrivals->next;
		free_arrival(arrivals);
	}
}
