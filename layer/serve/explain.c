/* SPDX-License-Identifier: MIT */
#include "layer/serve/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/name.h"
#include "cache/nearest.h"
#include "cache/store.h"
#include "hash/buffer.h"
#include "hash/difference.h"
#include "hash/digest.h"
#include "hash/key.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"

/* What a program's own thread may spend on it, in a store of any size. */
#define FILES_MAX 1024
#define TIME_MAX  UINT64_C(10000000) /* ns */

/* The entry nearest to a key, if any was found. */
struct finding {
	bool found;
	bool partial; /* not all were looked at, but `looks` */
	size_t looks;
	uint64_t distance;
	struct occ_digest hash;
	struct occ_buffer differs; /* with a NUL */
};

/* What is left to be said of a lookup, on the writer's thread. */
struct explanation {
	struct occ_task task; /* first: tasks are these */
	struct occ_key key;   /* `stored` and `hash` alone */
	char *device;
	bool missed;
	struct finding finding;
};

struct text {
	struct occ_buffer bytes;
	bool even_if_there; /* a trace that is there is replaced */
};

/* The store's callback: the new trace, unless the old one will do. */
static bool make_trace(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		       void *data)
{
	const struct text *text = data;

	if (old_bytes.size &&
	    (!text->even_if_there ||
	     occ_span_equal(old_bytes, occ_buffer_span(&text->bytes))))
		return false;
	occ_buffer_append(new_bytes, text->bytes.data, text->bytes.size);
	return true;
}

static void add_string(struct occ_buffer *bytes, const char *string)
{
	occ_buffer_append(bytes, string, strlen(string));
}

static void add_finding(struct occ_buffer *bytes, const struct finding *finding)
{
	char hex[OCC_DIGEST_HEX_SIZE], looks[64];

	if (!finding->found)
		return;
	occ_digest_hex(&finding->hash, hex);
	add_string(bytes, "\nnearest when it missed: ");
	add_string(bytes, hex);
	snprintf(looks, sizeof(looks), ", of %zu entries that were compared",
		 finding->looks);
	if (finding->partial)
		add_string(bytes, looks);
	add_string(bytes, "\ndiffers: ");
	add_string(bytes, (const char *)finding->differs.data);
}

/* The last step: takes the store's lock, and may have to make room. */
static void write_trace(const struct explanation *explanation)
{
	const struct occ_key *key = &explanation->key;
	struct text text = {.even_if_there = explanation->missed};
	struct occ_span stored = occ_buffer_span(&key->stored);
	char hex[OCC_DIGEST_HEX_SIZE], name[OCC_NAME_SIZE];

	occ_digest_hex(&key->hash, hex);
	add_string(&text.bytes, "hash: ");
	add_string(&text.bytes, hex);
	add_finding(&text.bytes, &explanation->finding);
	add_string(&text.bytes, "\n");
	occ_key_print(&stored, &text.bytes);
	occ_name_trace(&key->hash, name);
	/* Without room, or a store, there is no trace. */
	if (!text.bytes.failed)
		occ_store_replace(occ_stores(), name, make_trace, &text);
	occ_buffer_release(&text.bytes);
}

static bool may_write(void)
{
	return occ_settings.store_policy != OCC_STORE_NEVER &&
	       occ_stores_is_written();
}

static void find_nearest(const struct occ_key *key,
			 const struct occ_nearest_limits *limits,
			 struct finding *ret_finding)
{
	struct occ_span now = occ_buffer_span(&key->stored), then;
	struct finding finding = {.found = false};
	struct occ_nearest nearest;

	*ret_finding = finding;
	if (!occ_stores())
		return;
	finding.found = !occ_nearest_find(occ_stores(), &now, limits, &nearest);
	finding.partial = nearest.partial;
	finding.looks = nearest.looks;
	if (finding.found) {
		then = occ_buffer_span(&nearest.key);
		occ_difference_describe(&now, &then, &finding.differs);
		occ_buffer_append(&finding.differs, "", 1);
		finding.found = !finding.differs.failed;
		finding.hash = nearest.hash;
		finding.distance = nearest.distance;
		occ_nearest_release(&nearest);
	}
	*ret_finding = finding;
}

static void add_nearest_to_line(struct occ_trace *trace,
				const struct finding *finding)
{
	trace->looks = finding->partial ? finding->looks : 0;
	if (!finding->found)
		return;
	trace->nearest = &finding->hash;
	trace->differs = (const char *)finding->differs.data;
}

/* Is that one better than the first? */
static bool improves(const struct finding *finding, const struct finding *first)
{
	if (!finding->found)
		return false;
	return !first->found || finding->distance < first->distance ||
	       (!finding->partial && finding->distance == first->distance);
}

/* In a large store the first look was a short one: a long one follows it. */
static void search_whole_store(struct explanation *explanation)
{
	const struct occ_nearest_limits limits = {
		.stop = occ_writer_is_awaited};
	struct finding *first = &explanation->finding, finding;
	struct occ_trace trace = {
		.event = "explain",
		.hash = &explanation->key.hash,
		.device = explanation->device,
		.result = "nearest",
		.reason = "looked further",
		.since = occ_log_now(),
	};

	find_nearest(&explanation->key, &limits, &finding);
	if (improves(&finding, first)) {
		occ_buffer_release(&first->differs);
		*first = finding;
		add_nearest_to_line(&trace, first);
		occ_log_trace(&trace);
	} else {
		occ_buffer_release(&finding.differs);
	}
}

static void run_explanation(struct occ_task *task)
{
	struct explanation *explanation = (struct explanation *)task;

	if (explanation->finding.partial)
		search_whole_store(explanation);
	if (may_write())
		write_trace(explanation);
	occ_buffer_release(&explanation->finding.differs);
	occ_buffer_release(&explanation->key.stored);
	free(explanation->device);
	free(explanation);
}

/* Takes the finding over, which is NULL for a hit. */
static void queue_explanation(const struct occ_build_key *build_key,
			      cl_uint device, const struct finding *finding)
{
	struct explanation *explanation = calloc(1, sizeof(*explanation));
	const struct occ_key *key = &build_key->keys[device];

	if (!explanation) {
		if (finding)
			free(finding->differs.data);
		return;
	}
	explanation->task.run = run_explanation;
	explanation->task.bytes = sizeof(*explanation) + key->stored.size;
	explanation->key.hash = key->hash;
	occ_buffer_append(&explanation->key.stored, key->stored.data,
			  key->stored.size);
	explanation->device = strdup(build_key->identities[device]->name);
	explanation->missed = finding;
	if (finding)
		explanation->finding = *finding;
	occ_writer_add(&explanation->task);
}

void occ_explain_miss(const struct occ_build_key *build_key, cl_uint device,
		      enum occ_reason reason, uint64_t start)
{
	static const struct occ_nearest_limits limits = {
		.files = FILES_MAX,
		.nanoseconds = TIME_MAX,
	};
	const struct occ_key *key = &build_key->keys[device];
	char label[OCC_SOURCE_LABEL_SIZE];
	struct occ_trace trace = {
		.event = "lookup",
		.hash = &key->hash,
		.device = build_key->identities[device]->name,
		.build = start,
		.program = label,
		.result = "miss",
		.reason = occ_reason_text(reason),
		.since = start,
	};
	struct finding finding;

	if (!occ_log.trace)
		return;
	/* How long the lookup took is known before it is explained. */
	trace.until = occ_log_now();
	occ_input_label(build_key->input, label);
	if (build_key->identities[device]->unread) {
		trace.hash = NULL;
		occ_log_trace(&trace);
		return;
	}
	find_nearest(key, &limits, &finding);
	add_nearest_to_line(&trace, &finding);
	occ_log_trace(&trace);
	queue_explanation(build_key, device, &finding);
}

/* Without the lock, so that hits wait for nothing. */
static bool has_trace(const struct occ_key *key)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	char name[OCC_NAME_SIZE];
	bool found;

	occ_name_trace(&key->hash, name);
	found = occ_stores() && !occ_store_read(occ_stores(), name, &bytes) &&
		bytes.size;
	occ_buffer_release(&bytes);
	return found;
}

void occ_explain_key(const struct occ_build_key *build_key, cl_uint device)
{
	if (occ_log.trace && may_write() &&
	    !has_trace(&build_key->keys[device]))
		queue_explanation(build_key, device, NULL);
}
