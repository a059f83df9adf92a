/* SPDX-License-Identifier: MIT */
#include "layer/cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/cost.h"
#include "cache/sighting.h"
#include "layer/config.h"
#include "layer/disk.h"
#include "layer/lock.h"
#include "layer/log.h"
#include "layer/writer.h"

/* Below this, or a tenth of the compile, a fetch isn't worth a thought. */
#define CHEAP_NS 5000000

/* What is known of a device's driver. */
struct device {
	const struct occ_identity *identity;
	struct device *next;
	/* The rest is guarded by the lock. */
	struct occ_hits stored; /* as the store has them */
	struct occ_hits fresh;	/* not stored yet */
};

static struct device *list;

/* Lock held. */
static struct device *find(const struct occ_identity *identity)
{
	struct device *device = list;

	while (device && device->identity != identity)
		device = device->next;
	return device;
}

static struct device *make(const struct occ_identity *identity)
{
	struct device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->identity = identity;
	device->stored = identity->hits;
	if (!identity->has_hits && occ_disk())
		occ_cost_get_hits(occ_disk(), &identity->digest,
				  &device->stored);
	return device;
}

/* NULL when out of memory. */
static struct device *device_of(const struct occ_identity *identity)
{
	struct device *device, *made;

	occ_lock();
	device = find(identity);
	occ_unlock();
	if (device)
		return device;
	made = make(identity);
	occ_lock();
	device = find(identity);
	if (!device && made) {
		made->next = list;
		device = list = made;
		made = NULL;
	}
	occ_unlock();
	free(made);
	return device;
}

/* The text that a program was made from, without what it includes. */
/* NOLINTNEXTLINE(misc-no-recursion): OCC_RECIPE_DEPTH_MAX bounds it */
static uint64_t source_size(const struct occ_recipe *recipe)
{
	uint64_t size = recipe->input ? recipe->input->size : 0;

	for (cl_uint i = 0; i < recipe->link_input_count; i++)
		if (recipe->link_inputs[i].recipe)
			size += source_size(recipe->link_inputs[i].recipe);
	return size;
}

/* The driver is the one of the first device: contexts have one. */
static void describe(const struct occ_recipe *recipe, struct occ_span metadata,
		     struct occ_fetched *ret_program)
{
	struct occ_entry entry = {.metadata = metadata};
	struct occ_span names = occ_entry_bytes(&entry, OCC_META_KERNEL_NAMES);

	ret_program->driver = recipe->identities[0]->digest;
	occ_digest(names.data, names.size, OCC_SEED_CONTENT,
		   &ret_program->kernels);
	ret_program->size = source_size(recipe);
	ret_program->count = occ_entry_number(&entry, OCC_META_KERNEL_COUNT, 1);
}

uint64_t occ_cost_expect(const struct occ_recipe *recipe,
			 struct occ_span metadata, bool *ret_measured)
{
	struct occ_fetched program;
	uint64_t ns = UINT64_MAX;

	*ret_measured = false;
	if (!occ_disk())
		return ns;
	describe(recipe, metadata, &program);
	*ret_measured = occ_cost_expect_fetch(occ_disk(), &program, &ns);
	return ns;
}

bool occ_cost_is_dear(uint64_t fetch_ns, uint64_t compile_ns)
{
	return fetch_ns > CHEAP_NS && fetch_ns > compile_ns / 10;
}

/* Something to be remembered, on its way to the store. */
struct note {
	struct occ_task task; /* first: tasks are these */
	struct occ_fetched program;
	uint64_t ns;
	struct device *device;
	struct occ_hits hits;
};

static void add_note(const struct note *note,
		     void (*run)(struct occ_task *task))
{
	struct note *copy = malloc(sizeof(*copy));

	if (!copy)
		return;
	*copy = *note;
	copy->task.run = run;
	copy->task.bytes = sizeof(*copy);
	occ_writer_add(&copy->task);
}

static void write_fetch(struct occ_task *task)
{
	struct note *note = (struct note *)task;

	occ_cost_note_fetch(occ_disk(), &note->program, note->ns);
	free(note);
}

void occ_cost_note(const struct occ_recipe *recipe, struct occ_span metadata,
		   uint64_t ns)
{
	struct note note = {.ns = ns};

	if (!occ_disk_is_written())
		return;
	describe(recipe, metadata, &note.program);
	add_note(&note, write_fetch);
}

bool occ_cost_seen(const struct occ_recipe *recipe)
{
	return occ_disk() &&
	       occ_sighting_find(occ_disk(), &recipe->keys[0].hash);
}

static void write_sighting(struct occ_task *task)
{
	occ_sighting_add(occ_disk(), &task->hash);
	free(task);
}

void occ_cost_note_seen(const struct occ_recipe *recipe)
{
	struct note note = {.task.hash = recipe->keys[0].hash};

	if (occ_disk_is_written())
		add_note(&note, write_sighting);
}

const char *occ_cost_refusal(const struct occ_identity *identity)
{
	const struct device *device;
	uint64_t until;

	if (occ_config.store_policy == OCC_STORE_EAGER)
		return NULL;
	device = device_of(identity);
	if (!device)
		return NULL;
	occ_lock();
	until = device->stored.refused_until;
	occ_unlock();
	if (!until || (uint64_t)time(NULL) >= until)
		return NULL;
	return "the driver loads its binaries more slowly than it compiles";
}

static void write_hits(struct occ_task *task)
{
	struct note *note = (struct note *)task;
	struct occ_hits hits;
	bool failed =
		occ_cost_add_hits(occ_disk(), &note->device->identity->digest,
				  &note->hits, (uint64_t)time(NULL), &hits);

	occ_lock();
	if (!failed)
		note->device->stored = hits;
	occ_unlock();
	if (!failed && hits.refused_until)
		occ_log_debug("the last %d programs of %s took longer to load "
			      "than to compile: the layer stands aside for "
			      "seven days (OCLCACHE_STORE=eager: it doesn't)",
			      OCC_COST_HITS, note->device->identity->name);
	free(note);
}

/*
 * Fast hits are only worth writing down when slow ones were: most drivers have
 * none of these.
 */
void occ_cost_note_hit(const struct occ_recipe *recipe, uint64_t load_ns,
		       uint64_t compile_ns)
{
	struct note note = {.device = device_of(recipe->identities[0])};
	bool news;

	if (!note.device || !compile_ns || !occ_disk_is_written() ||
	    occ_config.store_policy != OCC_STORE_AUTO)
		return;
	occ_lock();
	note.device->fresh.count++;
	note.device->fresh.load_ns += load_ns;
	note.device->fresh.compile_ns += compile_ns;
	news = load_ns > compile_ns || note.device->stored.count;
	if (news) {
		note.hits = note.device->fresh;
		memset(&note.device->fresh, 0, sizeof(note.device->fresh));
	}
	occ_unlock();
	if (news)
		add_note(&note, write_hits);
}

void occ_cost_release_all(void)
{
	while (list) {
		struct device *next = list->next;

		free(list);
		list = next;
	}
}
