/* SPDX-License-Identifier: MIT */
#include "layer/serve/store_result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cost.h"
#include "cache/driver/driver.h"
#include "cache/entry.h"
#include "cache/error.h"
#include "cache/included_contents.h"
#include "cache/memory.h"
#include "cache/store.h"
#include "hash/buffer.h"
#include "hash/key.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/key/build_key.h"
#include "layer/key/environment.h"
#include "layer/key/include_search.h"
#include "layer/key/program_binaries.h"
#include "layer/serve/cost.h"
#include "layer/serve/device_code.h"
#include "layer/serve/remote_offer.h"
#include "layer/serve/stats.h"

static void trace_store(const struct occ_build_key *build_key, cl_uint i,
			const char *result, const char *reason, uint64_t bytes,
			uint64_t since)
{
	occ_log_trace(&(struct occ_trace){
		.event = "store",
		.hash = &build_key->keys[i].hash,
		.device = build_key->identities[i]->name,
		.result = result,
		.reason = reason,
		.bytes = bytes,
		.since = since,
	});
}

/* One entry, on its way to the store. */
struct publication {
	struct occ_task task; /* first: tasks are these */
	struct occ_build_key *build_key;
	struct occ_binaries *binaries;
	cl_uint device;
	struct occ_buffer metadata;
	bool improves; /* a less complete entry of ours may be there */
};

static int write_entry(const struct publication *publication)
{
	const struct occ_key *key =
		&publication->build_key->keys[publication->device];
	struct occ_span metadata = occ_buffer_span(&publication->metadata);
	struct occ_span binary = {
		publication->binaries->data[publication->device],
		publication->binaries->sizes[publication->device]};

	if (!occ_stores())
		return OCC_E_NO_DIRECTORY;
	if (!publication->improves && occ_settings.mode == OCC_MODE_RECACHE)
		return occ_store_renew(occ_stores(), key, metadata, binary);
	if (publication->improves)
		return occ_store_improve(occ_stores(), key, metadata, binary);
	return occ_store_publish(occ_stores(), key, metadata, binary);
}

static void release_publication(struct publication *publication)
{
	occ_buffer_release(&publication->metadata);
	occ_binaries_release(publication->binaries);
	occ_build_key_release(publication->build_key);
	free(publication);
}

/* The files that entries include, for the store to keep what is in them. */
struct keeping {
	struct occ_task task; /* first: tasks are these */
	struct occ_build_key *build_key;
};

static void run_keeping(struct occ_task *task)
{
	struct keeping *keeping = (struct keeping *)task;
	const struct occ_closure *closure = &keeping->build_key->closure;
	int error = OCC_E_NO_DIRECTORY;

	if (occ_stores())
		error = occ_included_contents_keep(occ_stores(),
						   occ_buffer_span(
							   &closure->fields));
	if (error)
		occ_log_debug("contents of included files not stored: %s",
			      occ_error_string(error));
	occ_build_key_release(keeping->build_key);
	free(keeping);
}

/* A task of its own: nobody who waits for the entry waits for them. */
static void keep_included(struct occ_build_key *build_key)
{
	struct keeping *keeping;

	if (!build_key->closure.fields.size)
		return;
	keeping = calloc(1, sizeof(*keeping));
	if (!keeping)
		return;
	keeping->task.run = run_keeping;
	keeping->build_key = occ_build_key_retain(build_key);
	occ_writer_add(&keeping->task);
}

static void run_publication(struct occ_task *task)
{
	struct publication *publication = (struct publication *)task;
	const struct occ_build_key *build_key = publication->build_key;
	cl_uint i = publication->device;
	uint64_t start = occ_log_now();
	bool tells;
	int error;

	errno = 0;
	error = write_entry(publication);
	tells = errno && (error == OCC_E_IO || error == OCC_E_NO_DIRECTORY);
	if (error && error != OCC_E_EXISTS)
		occ_log_debug("entry not stored in %s: %s%s%s",
			      occ_stores() ? occ_store_directory(occ_stores())
					   : "the store",
			      occ_error_string(error), tells ? ": " : "",
			      tells ? strerror(errno) : "");
	if (!error && !publication->improves &&
	    occ_device_code_is_supported(build_key))
		occ_stats_without_code();
	occ_stats_stored(error, publication->binaries->sizes[i],
			 publication->improves);
	trace_store(build_key, i, error ? "not stored" : "stored",
		    error		    ? occ_error_string(error)
		    : publication->improves ? "more complete"
					    : "compiled",
		    publication->binaries->sizes[i], start);
	if (!error && !publication->improves)
		keep_included(publication->build_key);
	if (!error)
		occ_remote_offer_made(
			publication->build_key, i,
			(struct occ_span){publication->binaries->data[i],
					  publication->binaries->sizes[i]},
			publication->improves);
	release_publication(publication);
}

static struct publication *new_publication(
	const struct occ_build_result *result, cl_uint i,
	struct occ_binaries *binaries, const struct occ_buffer *descriptions,
	enum occ_completeness completeness)
{
	struct publication *publication = calloc(1, sizeof(*publication));
	struct occ_buffer *metadata;

	if (!publication)
		return NULL;
	publication->task.run = run_publication;
	publication->task.hash = result->build_key->keys[i].hash;
	publication->task.bytes = binaries->sizes[i];
	publication->build_key = occ_build_key_retain(result->build_key);
	publication->binaries = occ_binaries_retain(binaries);
	publication->device = i;
	publication->improves = result->published;
	metadata = &publication->metadata;
	occ_buffer_append(metadata, result->metadata[i].data,
			  result->metadata[i].size);
	occ_meta_append_number(metadata, OCC_META_COMPLETENESS, completeness);
	if (descriptions->size)
		occ_field_append(metadata, OCC_META_KERNELS, descriptions->data,
				 descriptions->size);
	if (!metadata->failed)
		return publication;
	release_publication(publication);
	return NULL;
}

/* What a fetch took is remembered where it matters. */
static void trace_fetch(const struct occ_build_result *result,
			const struct occ_binaries *binaries, bool before,
			uint64_t start)
{
	const struct occ_build_key *build_key = result->build_key;
	uint64_t end = occ_log_now(), bytes = 0;

	for (cl_uint i = 0; binaries && i < binaries->device_count; i++)
		bytes += binaries->sizes[i];
	if (!before && !result->published &&
	    occ_cost_is_expensive(end - start, result->compile_time))
		occ_cost_note(build_key, occ_build_result_metadata(result),
			      end - start);
	occ_log_trace(&(struct occ_trace){
		.event = "fetch",
		.hash = &build_key->keys[0].hash,
		.device = build_key->identities[0]->name,
		.result = bytes ? "fetched" : "refused",
		.reason = before	      ? "asked for before"
			  : result->published ? "again"
					      : "compiled",
		.bytes = bytes,
		.since = start,
		.until = end,
	});
}

struct occ_binaries *occ_store_result_fetch(
	const struct occ_build_result *result, cl_program program, bool before)
{
	const struct occ_build_key *build_key = result->build_key;
	const struct occ_driver *driver = occ_build_key_driver(build_key);
	struct occ_binaries *binaries = NULL;
	enum occ_reason reason = OCC_REASON_CHANGED_SINCE_BUILD;
	uint64_t start;

	/* Some drivers compile when they are asked, by variables. */
	if (occ_environment_stable(driver)) {
		start = occ_log_now();
		binaries = occ_binaries_fetch(program, build_key->device_count,
					      build_key->devices);
		trace_fetch(result, binaries, before, start);
		reason = OCC_REASON_NO_BINARY;
	}
	if (binaries && !occ_environment_stable(driver)) {
		occ_binaries_release(binaries);
		binaries = NULL;
		reason = OCC_REASON_CHANGED_SINCE_BUILD;
	}
	if (!binaries)
		occ_store_result_not_stored(build_key, reason);
	return binaries;
}

void occ_store_result_publish(struct occ_build_result *result,
			      struct occ_binaries *binaries,
			      const struct occ_buffer *descriptions,
			      enum occ_completeness completeness)
{
	for (cl_uint i = 0; i < result->build_key->device_count; i++) {
		struct publication *publication =
			new_publication(result, i, binaries, descriptions,
					completeness);

		if (publication) {
			/* It may be wanted again here, and soon. */
			occ_memory_publish(
				&publication->build_key->keys[i],
				occ_buffer_span(&publication->metadata),
				(struct occ_span){binaries->data[i],
						  binaries->sizes[i]});
			occ_writer_add(&publication->task);
		} else {
			trace_store(result->build_key, i, "not stored",
				    occ_reason_text(OCC_REASON_OUT_OF_MEMORY),
				    0, occ_log_now());
		}
	}
	result->published = true;
	occ_include_search_remember(result->build_key);
}

static void trace_not_stored(const struct occ_build_key *build_key,
			     enum occ_reason reason)
{
	for (cl_uint i = 0; i < build_key->device_count; i++)
		trace_store(build_key, i, "not stored", occ_reason_text(reason),
			    0, occ_log_now());
}

void occ_store_result_failed(const struct occ_build_key *build_key)
{
	trace_not_stored(build_key, OCC_REASON_BUILD_FAILED);
}

/*
 * Whatever it takes to store something doesn't matter where nothing can be:
 * who makes it cheaper, as these reasons advise, would be told the next one.
 */
static enum occ_reason prefer_fault(enum occ_reason reason)
{
	enum occ_reason fault = OCC_REASON_NONE;

	switch (reason) {
	case OCC_REASON_BINARIES_DEAR:
	case OCC_REASON_BINARIES_SLOW:
	case OCC_REASON_EXIT_RELEASED:
	case OCC_REASON_EXIT_EXPENSIVE:
		fault = occ_stores_fault();
		break;
	default:
		break;
	}
	return fault ? fault : reason;
}

void occ_store_result_not_stored(const struct occ_build_key *build_key,
				 enum occ_reason reason)
{
	reason = prefer_fault(reason);
	occ_stats_not_stored(reason);
	trace_not_stored(build_key, reason);
}
