/* SPDX-License-Identifier: MIT */
#include "layer/serve/hit.h"

#include <stdlib.h>

#include "cache/entry.h"
#include "cache/error.h"
#include "cache/memory.h"
#include "cache/store.h"
#include "hash/key.h"
#include "layer/base/log.h"
#include "layer/base/stores.h"
#include "layer/base/tier.h"
#include "layer/base/writer.h"
#include "layer/driver/identity.h"
#include "layer/driver/load_cost.h"
#include "layer/key/build_key.h"
#include "layer/key/build_key_make.h"
#include "layer/key/environment.h"
#include "layer/object/program_pool.h"
#include "layer/serve/callback.h"
#include "layer/serve/device_code.h"
#include "layer/serve/explain.h"
#include "layer/serve/load_ahead.h"
#include "layer/serve/load_program.h"
#include "layer/serve/read_ahead.h"
#include "layer/serve/remote_lease.h"
#include "layer/serve/remote_storage.h"
#include "layer/serve/stats.h"
#include "layer/serve/uses.h"
#include "layer/serve/working_set.h"

static void trace_lookup(const struct occ_build_key *build_key, cl_uint device,
			 const struct occ_input *input, const char *result,
			 const char *reason, uint64_t start)
{
	char label[OCC_SOURCE_LABEL_SIZE];

	if (!occ_log.trace)
		return;
	occ_input_label(input, label);
	occ_log_trace(&(struct occ_trace){
		.event = "lookup",
		.hash = build_key ? &build_key->keys[device].hash : NULL,
		.device =
			build_key ? build_key->identities[device]->name : NULL,
		.build = start,
		.program = label,
		.result = result,
		.reason = reason,
		.since = start,
	});
}

struct occ_hit occ_hit_of(const struct occ_shadow *shadow)
{
	return (struct occ_hit){
		.tier = shadow->tier,
		.compile_time =
			shadow->pooled ? shadow->pooled->compile_time : 0,
	};
}

void occ_hit_trace(const struct occ_build_key *build_key,
		   const struct occ_hit *hit, uint64_t start)
{
	occ_stats_hit(hit->tier, hit->compile_time, start,
		      build_key->identities[0]->driver->cache);
	occ_working_set_note(build_key);
	for (cl_uint i = 0; i < build_key->device_count; i++) {
		trace_lookup(build_key, i, build_key->input, "hit",
			     occ_tier_text(hit->tier), start);
		occ_explain_key(build_key, i);
	}
}

void occ_hit_trace_uncacheable(enum occ_reason reason,
			       const struct occ_input *input, uint64_t start)
{
	occ_log_debug("program not cached: %s", occ_reason_text(reason));
	occ_stats_uncacheable(reason);
	trace_lookup(NULL, 0, input, "uncacheable", occ_reason_text(reason),
		     start);
}

static void release_entries(struct occ_kept **entries, cl_uint count)
{
	for (cl_uint i = 0; entries && i < count; i++)
		occ_kept_release(entries[i]);
	free(entries);
}

/* From a store, and into memory for the next one. NULL: *ret_reason. */
static struct occ_kept *read_entry(const struct occ_key *key,
				   enum occ_tier *ret_tier,
				   enum occ_reason *ret_reason)
{
	struct occ_loaded loaded;
	struct occ_kept *kept;
	int error;

	*ret_reason = OCC_REASON_NONE;
	kept = occ_ahead_entry(key, ret_tier);
	if (kept) {
		occ_memory_put(kept);
		return kept;
	}
	occ_writer_await(&key->hash);
	error = occ_stores_lookup(key, &loaded, ret_tier);
	*ret_reason = occ_error_reason(error);
	if (error)
		return NULL;
	occ_stats_read(loaded.entry.metadata.size + loaded.entry.binary.size);
	if (loaded.is_uncounted)
		occ_uses_note(&key->hash);
	kept = occ_kept_take(&loaded);
	*ret_reason = OCC_REASON_OUT_OF_MEMORY;
	if (kept)
		occ_memory_put(kept);
	else
		occ_loaded_release(&loaded);
	return kept;
}

/* A lookup under way. */
struct search {
	struct occ_build_key *build_key;
	enum occ_tier tier;
	enum occ_reason reason; /* of a miss */
	uint64_t start;
	bool silent;	/* nothing is said of a miss */
	bool is_remote; /* the remote storage is asked, too */
	struct occ_remote_arrival *arrivals; /* what came from it */
	bool lacks_code; /* the driver would take it, and there is none */
	bool is_short;	 /* something was, in loading: the entries stay */
};

/* Into memory, too: other threads may be waiting for the same. */
static struct occ_kept *read_remote(struct search *search, cl_uint device)
{
	struct occ_kept *kept =
		occ_remote_storage_get(search->build_key, device,
				       &search->arrivals);

	if (kept)
		occ_memory_put(kept);
	return kept;
}

/* The entries for all devices, or NULL on the first miss. */
static struct occ_kept **read_entries(struct search *search)
{
	const struct occ_build_key *build_key = search->build_key;
	cl_uint count = build_key->device_count;
	struct occ_kept **entries = calloc(count, sizeof(*entries));

	search->reason = OCC_REASON_OUT_OF_MEMORY;
	search->tier = OCC_TIER_MEMORY;
	for (cl_uint i = 0; entries && i < count; i++) {
		entries[i] = occ_memory_find(&build_key->keys[i]);
		if (entries[i]) {
			occ_uses_note(&build_key->keys[i].hash);
			continue;
		}
		entries[i] = read_entry(&build_key->keys[i], &search->tier,
					&search->reason);
		if (!entries[i] && search->is_remote)
			entries[i] = read_remote(search, i);
		if (entries[i])
			continue;
		if (!search->silent)
			occ_explain_miss(build_key, i, search->reason,
					 search->start);
		release_entries(entries, i);
		return NULL;
	}
	if (search->arrivals)
		search->tier = OCC_TIER_REMOTE;
	return entries;
}

static void trace_not_loaded(const struct search *search)
{
	for (cl_uint i = 0; i < search->build_key->device_count; i++)
		trace_lookup(search->build_key, i, search->build_key->input,
			     "miss", occ_reason_text(search->reason),
			     search->start);
}

/* From device code where there is some, or else from the binaries. */
static struct occ_pooled *load_form(struct search *search,
				    struct occ_kept **entries)
{
	struct occ_build_key *build_key = search->build_key;
	struct occ_load_fault fault;
	struct occ_pooled *pooled;

	search->lacks_code = occ_device_code_is_supported(build_key);
	if (occ_device_code_is_used(build_key, entries)) {
		search->lacks_code = false;
		pooled = occ_load_program(build_key, entries, true, &fault);
		if (pooled)
			return pooled;
		occ_log_debug("device code not used: %s",
			      occ_reason_text(fault.reason));
		if (fault.is_refusal)
			occ_device_code_drop(build_key, entries);
	}
	search->reason = OCC_REASON_BINARY_GONE;
	if (!occ_device_code_read_binaries(build_key, entries))
		return NULL;
	pooled = occ_load_program(build_key, entries, false, &fault);
	search->is_short = fault.is_shortage;
	if (!pooled)
		search->reason = fault.reason;
	return pooled;
}

static struct occ_pooled *load_nothing(struct search *search)
{
	search->reason = OCC_REASON_IN_CALLBACK;
	trace_not_loaded(search);
	return NULL;
}

/* A program from entries, to be kept for the next one. */
static struct occ_pooled *load_entries(struct search *search)
{
	struct occ_build_key *build_key = search->build_key;
	struct occ_kept **entries;
	struct occ_pooled *pooled;
	uint64_t load_start;
	bool trial;

	/* What is loaded has to be built. */
	if (occ_callback_blocks(occ_build_key_driver(build_key)))
		return load_nothing(search);
	entries = read_entries(search);
	if (!entries)
		return NULL;
	load_start = occ_log_now();
	occ_environment_look_at_build();
	trial = occ_identity_begin_trial(build_key->identities[0]);
	pooled = load_form(search, entries);
	if (trial)
		occ_identity_end_trial(build_key->identities[0], pooled);
	/* What is in others' stores isn't ours to change. */
	if (pooled && search->lacks_code && search->tier == OCC_TIER_STORE &&
	    !occ_device_code_is_ruled_out(build_key, entries))
		occ_stats_without_code();
	if (pooled)
		occ_load_cost_note(build_key->identities[0],
				   occ_log_now() - load_start,
				   occ_entry_number(&entries[0]->entry,
						    OCC_META_COMPILE_TIME, 0));
	release_entries(entries, build_key->device_count);
	if (pooled) {
		occ_load_hand_over(pooled);
		occ_load_put_in_pool(pooled);
		return pooled;
	}
	if (!search->is_short)
		occ_load_discard(build_key, search->reason);
	trace_not_loaded(search);
	return NULL;
}

/* One that was loaded ahead is the pool's from then on, as any other. */
static struct occ_pooled *take_from_ahead(struct search *search)
{
	const struct occ_driver *driver =
		occ_build_key_driver(search->build_key);
	uint64_t start = occ_log_now();
	struct occ_pooled *pooled =
		occ_load_ahead_take(search->build_key,
				    !occ_callback_blocks(driver),
				    search->silent, &search->tier);

	if (!pooled)
		return NULL;
	/* What the application waited for it; most often nothing. */
	occ_load_cost_note(search->build_key->identities[0],
			   occ_log_now() - start, pooled->compile_time);
	occ_load_hand_over(pooled);
	occ_load_put_in_pool(pooled);
	return pooled;
}

static struct occ_shadow *find_shadow(struct search *search)
{
	struct occ_shadow *shadow = NULL;
	struct occ_pooled *pooled = occ_load_from_pool(search->build_key);

	search->reason = OCC_REASON_OUT_OF_MEMORY;
	search->tier = OCC_TIER_PROGRAM;
	for (cl_uint i = 0; pooled && i < search->build_key->device_count; i++)
		occ_uses_note(&search->build_key->keys[i].hash);
	if (!pooled)
		pooled = take_from_ahead(search);
	if (!pooled)
		pooled = load_entries(search);
	if (pooled)
		shadow = occ_shadow_from(search->build_key, pooled);
	if (shadow)
		shadow->tier = search->tier;
	return shadow;
}

struct occ_shadow *occ_hit_load(struct occ_build_key *build_key, bool notify,
				uint64_t start, enum occ_reason *ret_reason)
{
	struct search search = {.build_key = build_key, .start = start};
	struct occ_shadow *shadow = NULL;

	*ret_reason = occ_identity_not_ready(build_key->identities[0], notify);
	if (*ret_reason) {
		trace_lookup(build_key, 0, build_key->input, "miss",
			     occ_reason_text(*ret_reason), start);
		return NULL;
	}
	shadow = find_shadow(&search);
	*ret_reason = search.reason;
	return shadow;
}

struct occ_shadow *occ_hit_load_again(struct occ_build_key *build_key,
				      bool waited, uint64_t start)
{
	if (occ_build_key_is_unread(build_key) &&
	    ((!waited && !occ_stores_has_entries()) ||
	     !occ_build_key_finish(build_key)))
		return NULL;
	return find_shadow(&(struct search){.build_key = build_key,
					    .start = start,
					    .silent = true});
}

/* As long as others are at it; they may be quicker. */
static struct occ_pooled *load_remote(struct search *search)
{
	struct occ_remote_wait wait = {0};
	struct occ_pooled *pooled;

	do {
		occ_remote_storage_drop(search->arrivals);
		search->arrivals = NULL;
		pooled = load_entries(search);
	} while (!pooled && occ_remote_lease_await(search->build_key, &wait));
	occ_remote_lease_end_wait(search->build_key, &wait, pooled);
	return pooled;
}

struct occ_shadow *occ_hit_load_remote(struct occ_build_key *build_key,
				       uint64_t start)
{
	struct search search = {.build_key = build_key,
				.start = start,
				.silent = true,
				.is_remote = true};
	struct occ_shadow *shadow = NULL;
	struct occ_pooled *pooled;

	if (!occ_remote_storage_is_there() ||
	    (occ_build_key_is_unread(build_key) &&
	     !occ_build_key_finish(build_key)))
		return NULL;
	pooled = load_remote(&search);
	if (pooled) {
		occ_remote_storage_keep(search.arrivals);
		shadow = occ_shadow_from(build_key, pooled);
	} else {
		occ_remote_storage_drop(search.arrivals);
	}
	if (shadow)
		shadow->tier = search.tier;
	return shadow;
}
