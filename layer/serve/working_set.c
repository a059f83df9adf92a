/* SPDX-License-Identifier: MIT */
#include "layer/serve/working_set.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cache/driver/driver.h"
#include "cache/error.h"
#include "layer/base/executable.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/section.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/object/contexts.h"

/* A process that is killed says nothing at its end. */
#define INTERVAL_NS UINT64_C(5000000000)

/* Of what was foreseen so much must be taken, or it was foreseen wrongly. */
#define RIGHT_PART  3
#define RIGHT_OF    4

#define NS_PER_MS   1000000

/* Without padding. */
struct taken_key {
	struct occ_digest hash; /* the first one */
	uint32_t context;
};

/* A program that was built. */
struct taken {
	UT_hash_handle hh;
	struct taken_key key;
	struct occ_working_set_item item;
	struct taken *next; /* in the order of the builds */
};

/* The lock guards all of it. */
static struct {
	bool asked;			   /* what is foreseen */
	struct occ_executable *executable; /* NULL: not known */
	struct occ_working_set_item *foreseen;
	size_t foreseen_count;
	bool is_own; /* by a run with the same arguments */
	bool is_fresh;
	struct taken *by_key, *first, **last;
	size_t taken_count, saved_count;
	uint64_t next_saving;
	bool has_saved;
	bool ended;
	bool is_child;
} process = {.last = &process.first};

bool occ_working_set_is_on(void)
{
	return occ_settings.prefetch && occ_stores() &&
	       occ_settings.mode != OCC_MODE_RECACHE;
}

/* The items of a run, moved out of the set. */
static struct occ_working_set_item *take_items(struct occ_working_set *set,
					       int run, size_t *ret_count)
{
	struct occ_working_set_item *items = set->items;

	*ret_count = 0;
	for (size_t i = 0; i < set->count; i++)
		if (items[i].runs >> run & 1)
			items[(*ret_count)++] = items[i];
	set->items = NULL;
	return items;
}

/* Remembers a copy, to be compared with what is taken. */
static void keep(struct occ_executable *executable,
		 const struct occ_working_set_item *items, size_t count,
		 const struct occ_working_set_prediction *prediction)
{
	struct occ_working_set_item *copy = NULL;

	if (count)
		copy = malloc(count * sizeof(*copy));
	if (copy)
		memcpy(copy, items, count * sizeof(*copy));
	occ_lock();
	process.executable = executable;
	process.next_saving = occ_log_now() + INTERVAL_NS;
	process.foreseen = copy;
	process.foreseen_count = copy ? count : 0;
	process.is_own = prediction->is_own;
	process.is_fresh = prediction->is_fresh;
	occ_unlock();
}

/* A run on another platform is another run. */
static bool add_platform(struct occ_executable *executable,
			 const char *platform_name)
{
	struct occ_digest_state *state = occ_digest_new(OCC_SEED_CONTENT);

	occ_digest_update(state, &executable->arguments,
			  sizeof(executable->arguments));
	occ_digest_update(state, platform_name, strlen(platform_name));
	occ_digest_finish(state, &executable->arguments);
	return state;
}

static struct occ_working_set_item *foresee(struct occ_executable *executable,
					    size_t *ret_count,
					    bool *ret_certain)
{
	struct occ_working_set_item *items = NULL;
	struct occ_working_set_prediction prediction = {.run = -1};
	struct occ_working_set set;

	*ret_count = 0;
	occ_working_set_read(occ_stores(), &executable->identity, &set);
	prediction = occ_working_set_predict(&set, &executable->arguments);
	*ret_certain = prediction.is_certain;
	if (prediction.run >= 0)
		items = take_items(&set, prediction.run, ret_count);
	occ_working_set_release(&set);
	keep(executable, items, *ret_count, &prediction);
	if (*ret_count)
		return items;
	free(items);
	return NULL;
}

struct occ_working_set_item *occ_working_set_foresee(const char *platform_name,
						     size_t *ret_count,
						     bool *ret_certain)
{
	struct occ_executable *executable;

	if (!occ_working_set_is_on())
		return NULL;
	executable = calloc(1, sizeof(*executable));
	if (executable && occ_executable_look(executable) &&
	    add_platform(executable, platform_name))
		return foresee(executable, ret_count, ret_certain);
	free(executable);
	return NULL;
}

static struct taken *make_taken(const struct occ_build_key *build_key,
				const struct occ_context_place *place)
{
	struct taken *taken = calloc(1, sizeof(*taken));

	if (!taken)
		return NULL;
	taken->key.hash = build_key->keys[0].hash;
	taken->key.context = place->number;
	taken->item.context = place->number;
	taken->item.delay =
		(uint32_t)((occ_log_now() - place->made) / NS_PER_MS);
	taken->item.count = build_key->device_count;
	for (cl_uint i = 0; i < build_key->device_count; i++)
		taken->item.hashes[i] = build_key->keys[i].hash;
	return taken;
}

/* NULL: it wasn't. Lock held. */
static struct taken *find_taken_locked(const struct taken_key *key)
{
	struct taken *taken;

	HASH_FIND(hh, process.by_key, key, sizeof(*key), taken);
	return taken;
}

/* False: it is there already, or there are too many. Lock held. */
static bool add_locked(struct taken *taken)
{
	if (process.taken_count == OCC_WORKING_SET_ITEMS ||
	    find_taken_locked(&taken->key))
		return false;
	HASH_ADD(hh, process.by_key, key, sizeof(taken->key), taken);
	if (find_taken_locked(&taken->key) != taken)
		return false;
	*process.last = taken;
	process.last = &taken->next;
	process.taken_count++;
	return true;
}

void occ_working_set_note(const struct occ_build_key *build_key)
{
	struct occ_context_place place;
	struct taken *taken;
	bool added;

	if (!occ_working_set_is_on() || build_key->operation == OCC_COMPILE ||
	    build_key->device_count > OCC_WORKING_SET_DEVICES ||
	    !occ_context_place(build_key->context, &place))
		return;
	taken = make_taken(build_key, &place);
	if (!taken)
		return;
	occ_lock();
	added = add_locked(taken);
	occ_unlock();
	if (!added)
		free(taken);
}

/* Behind the others, unless it is among them, or they are many. */
static void add_kernel(struct occ_working_set_item *item, const char *name)
{
	size_t size = strlen(name) + 1, at = 0;

	while (item->kernels[at] && strcmp(item->kernels + at, name) != 0)
		at += strlen(item->kernels + at) + 1;
	if (!item->kernels[at] && at + size < sizeof(item->kernels))
		memcpy(item->kernels + at, name, size);
}

void occ_working_set_note_kernel(const struct occ_build_key *build_key,
				 const char *name)
{
	struct taken_key key = {.hash = build_key->keys[0].hash};
	struct occ_context_place place;
	struct taken *taken;

	if (!occ_working_set_is_on() ||
	    !occ_build_key_driver(build_key)->kernels_ahead ||
	    !occ_context_place(build_key->context, &place))
		return;
	key.context = place.number;
	occ_lock();
	taken = find_taken_locked(&key);
	if (taken)
		add_kernel(&taken->item, name);
	occ_unlock();
}

/* Was less taken than was foreseen? Lock held. */
static bool has_failed_locked(void)
{
	size_t right = 0;

	for (size_t i = 0; i < process.foreseen_count; i++) {
		const struct occ_working_set_item *item = &process.foreseen[i];
		const struct taken_key key = {item->hashes[0], item->context};

		right += find_taken_locked(&key) != NULL;
	}
	return process.is_own &&
	       right * RIGHT_OF < process.foreseen_count * RIGHT_PART;
}

/*
 * Did it take what was foreseen, in the same order, and was that written not
 * long ago? Lock held.
 */
static bool is_as_foreseen_locked(void)
{
	const struct taken *taken = process.first;
	size_t i = 0;

	if (!process.is_fresh || process.taken_count != process.foreseen_count)
		return false;
	while (taken &&
	       occ_working_set_same(&taken->item, &process.foreseen[i++]))
		taken = taken->next;
	return !taken;
}

/* Copies of the items; NULL: out of memory. Lock held. */
static struct occ_working_set_item *copy_taken_locked(void)
{
	size_t count = process.taken_count, i = 0;
	struct occ_working_set_item *items =
		malloc((count ? count : 1) * sizeof(*items));

	for (const struct taken *taken = process.first; items && taken;
	     taken = taken->next)
		items[i++] = taken->item;
	return items;
}

/* Is it time, and is there anything? Lock held. */
static bool is_due_locked(bool at_end)
{
	uint64_t now = occ_log_now();

	if (!process.executable)
		return false;
	if (!at_end && (now < process.next_saving ||
			process.saved_count == process.taken_count))
		return false;
	process.next_saving = now + INTERVAL_NS;
	process.saved_count = process.taken_count;
	return (process.taken_count || process.foreseen_count) &&
	       !is_as_foreseen_locked();
}

static void write_taken(const struct occ_executable *executable,
			struct occ_working_set_taken *taken)
{
	int error;

	taken->executable = executable->identity;
	taken->name = executable->name;
	taken->arguments = executable->arguments;
	error = occ_working_set_write(occ_stores(), taken);
	if (error)
		occ_log_debug("working set not written to %s: %s",
			      occ_store_directory(occ_stores()),
			      occ_error_string(error));
}

/* With OCLCACHE_STORE=never what is there is used, and nothing added. */
static bool is_written(void)
{
	return occ_working_set_is_on() && occ_stores_is_written() &&
	       occ_settings.store_policy != OCC_STORE_NEVER;
}

static void save(bool at_end)
{
	struct occ_working_set_taken taken = {.whole = false};
	struct occ_executable executable;
	struct occ_working_set_item *items = NULL;

	if (!is_written())
		return;
	occ_lock();
	if (is_due_locked(at_end))
		items = copy_taken_locked();
	if (items)
		executable = *process.executable;
	taken.whole = at_end && !process.is_child;
	taken.first = items && !process.has_saved;
	process.has_saved |= items != NULL;
	taken.items = items;
	taken.count = process.taken_count;
	taken.failed = has_failed_locked();
	occ_unlock();
	if (items)
		write_taken(&executable, &taken);
	free(items);
}

void occ_working_set_save(void)
{
	save(false);
}

static void run_saving(struct occ_task *task)
{
	struct occ_section section;

	(void)task;
	occ_section_enter(&section);
	save(true);
	occ_section_leave(&section);
}

void occ_working_set_save_at_end(void)
{
	static struct occ_task task;
	bool wanted;

	if (!is_written())
		return;
	occ_lock();
	wanted = process.executable && !process.ended &&
		 (process.taken_count || process.foreseen_count);
	process.ended |= wanted;
	occ_unlock();
	if (!wanted)
		return;
	/* As the counters: no thread closes others' descriptors by now. */
	task = (struct occ_task){.run = run_saving, .shared = true};
	occ_writer_add(&task);
}

/* Of what the tables have nothing is in use. */
static void clear(void)
{
	HASH_CLEAR(hh, process.by_key);
	while (process.first) {
		struct taken *next = process.first->next;

		free(process.first);
		process.first = next;
	}
	process.last = &process.first;
	process.taken_count = 0;
	process.saved_count = 0;
}

/* Its parent writes what was taken so far; what comes is added to that. */
void occ_working_set_forked(void)
{
	clear();
	process.foreseen_count = 0;
	process.ended = false;
	process.is_child = true;
	process.has_saved = true;
}

void occ_working_set_forget(void)
{
	clear();
	free(process.executable);
	free(process.foreseen);
	memset(&process, 0, sizeof(process));
	process.last = &process.first;
}
