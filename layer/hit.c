/* SPDX-License-Identifier: MIT */
#include "layer/hit.h"

#include <stdlib.h>

#include "layer/cost.h"
#include "layer/disk.h"
#include "layer/explain.h"
#include "layer/habit.h"
#include "layer/log.h"
#include "layer/writer.h"

static void explain(const struct occ_recipe *recipe, cl_uint device,
		    const char *result, const char *reason, uint64_t start)
{
	occ_log_trace(&(struct occ_trace){
		.event = "lookup",
		.hash = recipe ? &recipe->keys[device].hash : NULL,
		.device = recipe ? recipe->identities[device]->name : NULL,
		.result = result,
		.reason = reason,
		.since = start,
	});
}

void occ_hit_explain(const struct occ_recipe *recipe, uint64_t start)
{
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		explain(recipe, i, "hit", "user store", start);
		occ_explain_key(recipe, i);
	}
}

void occ_hit_refuse(const char *reason, uint64_t start)
{
	occ_log_debug("program not cached: %s", reason);
	explain(NULL, 0, "uncacheable", reason, start);
}

static void release_entries(struct occ_loaded *entries, cl_uint count)
{
	for (cl_uint i = 0; entries && i < count; i++)
		occ_loaded_release(&entries[i]);
	free(entries);
}

/* The entries for all devices, or NULL on the first miss. */
static struct occ_loaded *look_up(const struct occ_recipe *recipe,
				  uint64_t start, bool silent)
{
	cl_uint count = recipe->device_count;
	struct occ_loaded *entries = calloc(count, sizeof(*entries));

	for (cl_uint i = 0; entries && i < count; i++) {
		int error;

		occ_writer_await(&recipe->keys[i].hash);
		error = occ_store_lookup(occ_disk(), &recipe->keys[i],
					 &entries[i]);

		if (!error)
			continue;
		if (error != OCC_E_NOT_FOUND && error != OCC_E_NO_DIRECTORY)
			occ_log_debug("entry not used in %s: %s",
				      occ_store_directory(occ_disk()),
				      occ_error_string(error));
		if (!silent)
			occ_explain_miss(recipe, i, occ_error_string(error),
					 start);
		release_entries(entries, i);
		return NULL;
	}
	return entries;
}

/* The driver refused what was stored for it: let the next build store anew. */
static void discard(const struct occ_recipe *recipe, const char *reason,
		    uint64_t start)
{
	occ_log_debug("entry removed: %s", reason);
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		occ_store_discard(occ_disk(), &recipe->keys[i]);
		explain(recipe, i, "miss", reason, start);
	}
}

static struct occ_binary *load(struct occ_recipe *recipe, uint64_t start,
			       bool silent)
{
	struct occ_loaded *entries = look_up(recipe, start, silent);
	struct occ_binary *binary;
	const char *reason;
	uint64_t load_start;

	if (!entries)
		return NULL;
	load_start = occ_log_now();
	binary = occ_binary_load(recipe, entries, &reason);
	if (binary)
		occ_cost_note_hit(recipe, occ_log_now() - load_start,
				  occ_entry_number(&entries[0].entry,
						   OCC_META_COMPILE_TIME, 0));
	release_entries(entries, recipe->device_count);
	if (!binary)
		discard(recipe, reason, start);
	return binary;
}

struct occ_binary *occ_hit_load(struct occ_recipe *recipe, bool notify,
				uint64_t start)
{
	const char *reason = occ_habit_ignorance(recipe->identities[0], notify);

	if (!reason)
		return load(recipe, start, false);
	explain(recipe, 0, "miss", reason, start);
	return NULL;
}

static bool is_unread(const struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++)
		if (recipe->identities[i]->unread)
			return true;
	return false;
}

struct occ_binary *occ_hit_load_again(struct occ_recipe *recipe, bool waited,
				      uint64_t start)
{
	if (is_unread(recipe) &&
	    ((!waited && !occ_store_has_entries(occ_disk())) ||
	     !occ_recipe_finish(recipe)))
		return NULL;
	return load(recipe, start, true);
}
