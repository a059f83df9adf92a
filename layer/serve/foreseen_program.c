/* SPDX-License-Identifier: MIT */
#include "layer/serve/foreseen_program.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "layer/base/exit.h"
#include "layer/base/log.h"
#include "layer/driver/device.h"
#include "layer/key/build_key_entry.h"
#include "layer/serve/device_code.h"
#include "layer/serve/load_program.h"
#include "layer/serve/stats.h"

static struct occ_pooled *load(struct occ_ahead_item *item, cl_context context)
{
	struct occ_kept *const *entries = item->entries;
	struct occ_build_key *build_key = NULL;
	struct occ_pooled *pooled = NULL;
	struct occ_load_fault fault = {.is_refusal = false};
	cl_uint count = 0;
	cl_device_id *devices = occ_device_list_of_context(context, &count);
	bool code;

	if (devices && count == item->what.count)
		build_key = occ_build_key_of_entries(context, count, devices,
						     entries);
	free(devices);
	if (build_key && occ_build_key_driver(build_key)->loads_ahead) {
		if (occ_build_key_driver(build_key)->loads_in_turn)
			__atomic_store_n(&occ_ahead.in_turn, true,
					 __ATOMIC_RELAXED);
		code = occ_device_code_is_used(build_key, entries);
		/* What is in others' stores isn't ours to change. */
		item->lacks_code =
			!code && item->tier == OCC_TIER_STORE &&
			occ_device_code_is_supported(build_key) &&
			!occ_device_code_is_ruled_out(build_key, entries);
		if (code || entries[0]->entry.binary.data)
			pooled = occ_load_program(build_key, entries, code,
						  &fault);
		if (!pooled && !code && fault.is_refusal)
			occ_load_discard(build_key, fault.reason);
	}
	occ_build_key_release(build_key);
	return pooled;
}

/*
 * Those that were made of it last time, unless a build is waiting for the
 * program.
 */
static void make_kernels(struct occ_pooled *pooled,
			 const struct occ_ahead_item *item)
{
	const struct occ_driver *driver =
		occ_build_key_driver(pooled->build_key);
	const char *name = item->what.kernels;

	/* A link's program will be the application's, which may ask for its
	 * count. */
	if (!driver->kernels_ahead ||
	    (pooled->build_key->operation == OCC_LINK &&
	     driver->counts_kernels))
		return;
	for (; *name; name += strlen(name) + 1) {
		if (__atomic_load_n(&item->is_awaited, __ATOMIC_ACQUIRE))
			return;
		occ_kernels_ahead_make(pooled->program, name,
				       &pooled->kernels_ahead);
	}
}

struct occ_pooled *occ_foreseen_load(struct occ_ahead_item *item,
				     cl_context context)
{
	uint64_t start = occ_log_now();
	struct occ_pooled *pooled = load(item, context);

	if (!pooled)
		return NULL;
	make_kernels(pooled, item);
	/* The driver's exit handlers are before ours. */
	occ_exit_watch();
	occ_stats_ahead(OCC_COUNT_LOADED_AHEAD, 1);
	occ_log_trace(&(struct occ_trace){
		.event = "prefetch",
		.hash = &item->what.hashes[0],
		.device = pooled->build_key->identities[0]->name,
		.result = "loaded",
		.bytes = pooled->size,
		.since = start,
	});
	return pooled;
}
