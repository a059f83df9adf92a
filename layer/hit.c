/* SPDX-License-Identifier: MIT */
#include "layer/hit.h"

#include <stdlib.h>

#include "layer/cost.h"
#include "layer/disk.h"
#include "layer/explain.h"
#include "layer/form.h"
#include "layer/habit.h"
#include "layer/log.h"
#include "layer/tally.h"
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

struct occ_hit occ_hit_of(const struct occ_binary *binary)
{
	return (struct occ_hit){
		.found_in = binary->found_in,
		.compile_time = binary->live ? binary->live->compile_time : 0,
	};
}

void occ_hit_explain(const struct occ_recipe *recipe, const struct occ_hit *hit,
		     uint64_t start)
{
	occ_tally_hit(hit->found_in, hit->compile_time, start);
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		explain(recipe, i, "hit", hit->found_in, start);
		occ_explain_key(recipe, i);
	}
}

void occ_hit_refuse(const char *reason, uint64_t start)
{
	occ_log_debug("program not cached: %s", reason);
	occ_tally_uncacheable(reason);
	explain(NULL, 0, "uncacheable", reason, start);
}

static void release_entries(struct occ_kept **entries, cl_uint count)
{
	for (cl_uint i = 0; entries && i < count; i++)
		occ_kept_release(entries[i]);
	free(entries);
}

/* From a store, and into memory for the next one. NULL: *ret_reason. */
static struct occ_kept *read_entry(const struct occ_key *key,
				   const char **ret_found_in,
				   const char **ret_reason)
{
	struct occ_loaded loaded;
	struct occ_kept *kept;
	int error;

	occ_writer_await(&key->hash);
	error = occ_disk_lookup(key, &loaded, ret_found_in);
	*ret_reason = occ_error_string(error);
	if (error)
		return NULL;
	occ_tally_read(loaded.entry.metadata.size + loaded.entry.binary.size);
	kept = occ_kept_take(&loaded);
	*ret_reason = "out of memory";
	if (kept)
		occ_memory_put(kept);
	else
		occ_loaded_release(&loaded);
	return kept;
}

/* A lookup under way. */
struct search {
	struct occ_recipe *recipe;
	const char *found_in;
	const char *reason; /* of a miss */
	uint64_t start;
	bool silent;	 /* nothing is said of a miss */
	bool lacks_code; /* the driver would take it, and there is none */
};

/* The entries for all devices, or NULL on the first miss. */
static struct occ_kept **look_up(struct search *search)
{
	const struct occ_recipe *recipe = search->recipe;
	cl_uint count = recipe->device_count;
	struct occ_kept **entries = calloc(count, sizeof(*entries));

	search->reason = "out of memory";
	search->found_in = "memory";
	for (cl_uint i = 0; entries && i < count; i++) {
		entries[i] = occ_memory_find(&recipe->keys[i]);
		if (entries[i])
			continue;
		entries[i] = read_entry(&recipe->keys[i], &search->found_in,
					&search->reason);
		if (entries[i])
			continue;
		if (!search->silent)
			occ_explain_miss(recipe, i, search->reason,
					 search->start);
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
	occ_live_forget(recipe);
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		occ_memory_discard(&recipe->keys[i]);
		if (occ_disk())
			occ_store_discard(occ_disk(), &recipe->keys[i]);
		explain(recipe, i, "miss", reason, start);
	}
}

/* From device code where there is some, or else from the binaries. */
static struct occ_live *load_form(struct search *search,
				  struct occ_kept **entries)
{
	struct occ_recipe *recipe = search->recipe;
	struct occ_live_fault fault;
	struct occ_live *live;

	search->lacks_code = occ_form_takes_code(recipe);
	if (occ_form_is_code(recipe, entries)) {
		search->lacks_code = false;
		live = occ_live_load(recipe, entries, true, &fault);
		if (live)
			return live;
		occ_log_debug("device code not used: %s", fault.reason);
		if (fault.is_refusal)
			occ_form_drop_code(recipe, entries);
	}
	search->reason = "the binary is gone";
	if (!occ_form_read_binaries(recipe, entries))
		return NULL;
	live = occ_live_load(recipe, entries, false, &fault);
	if (!live)
		search->reason = fault.reason;
	return live;
}

/* A program from entries, to be kept for the next one. */
static struct occ_live *load(struct search *search)
{
	struct occ_kept **entries = look_up(search);
	struct occ_recipe *recipe = search->recipe;
	struct occ_live *live;
	uint64_t load_start;

	if (!entries)
		return NULL;
	load_start = occ_log_now();
	live = load_form(search, entries);
	if (live && search->lacks_code && !occ_form_is_left(recipe, entries))
		occ_tally_without_code(search->found_in);
	if (live)
		occ_cost_note_hit(recipe, occ_log_now() - load_start,
				  occ_entry_number(&entries[0]->entry,
						   OCC_META_COMPILE_TIME, 0));
	release_entries(entries, recipe->device_count);
	if (live)
		occ_live_put(live);
	else
		discard(recipe, search->reason, search->start);
	return live;
}

static struct occ_binary *find(struct search *search)
{
	struct occ_binary *binary = NULL;
	struct occ_live *live = occ_live_find(search->recipe);

	search->reason = "out of memory";
	search->found_in = "live program";
	if (!live)
		live = load(search);
	if (live)
		binary = occ_binary_from(search->recipe, live);
	if (binary)
		binary->found_in = search->found_in;
	return binary;
}

struct occ_binary *occ_hit_load(struct occ_recipe *recipe, bool notify,
				uint64_t start, const char **ret_reason)
{
	struct search search = {.recipe = recipe, .start = start};
	struct occ_binary *binary = NULL;

	*ret_reason = occ_habit_ignorance(recipe->identities[0], notify);
	if (*ret_reason) {
		explain(recipe, 0, "miss", *ret_reason, start);
		return NULL;
	}
	binary = find(&search);
	*ret_reason = search.reason;
	return binary;
}

struct occ_binary *occ_hit_load_again(struct occ_recipe *recipe, bool waited,
				      uint64_t start)
{
	if (occ_recipe_is_unread(recipe) &&
	    ((!waited && !occ_disk_has_entries()) ||
	     !occ_recipe_finish(recipe)))
		return NULL;
	return find(&(struct search){.recipe = recipe,
				     .start = start,
				     .silent = true});
}
