/* SPDX-License-Identifier: MIT */
#include "layer/driver/load_cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/cost.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"

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
static struct device *find_locked(const struct occ_identity *identity)
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
	if (!identity->has_hits && occ_stores())
		occ_cost_get_hits(occ_stores(), &identity->digest,
				  &device->stored);
	return device;
}

/* NULL when out of memory. */
static struct device *device_of(const struct occ_identity *identity)
{
	struct device *device, *made;

	occ_lock();
	device = find_locked(identity);
	occ_unlock();
	if (device)
		return device;
	made = make(identity);
	occ_lock();
	device = find_locked(identity);
	if (!device && made) {
		made->next = list;
		device = list = made;
		made = NULL;
	}
	occ_unlock();
	free(made);
	return device;
}

enum occ_reason occ_load_cost_refusal(const struct occ_identity *identity)
{
	const struct device *device;
	uint64_t until;

	if (occ_settings.store_policy == OCC_STORE_EAGER)
		return OCC_REASON_NONE;
	device = device_of(identity);
	if (!device)
		return OCC_REASON_NONE;
	occ_lock();
	until = device->stored.refused_until;
	occ_unlock();
	if (!until || (uint64_t)time(NULL) >= until)
		return OCC_REASON_NONE;
	return OCC_REASON_DRIVER_LOADS_SLOWLY;
}

/* Hits to be remembered, on their way to the store. */
struct note {
	struct occ_task task; /* first: tasks are these */
	struct device *device;
	struct occ_hits hits;
};

static void write_hits(struct occ_task *task)
{
	struct note *note = (struct note *)task;
	struct occ_hits hits;
	bool failed =
		occ_cost_add_hits(occ_stores(), &note->device->identity->digest,
				  &note->hits, (uint64_t)time(NULL), &hits);

	occ_lock();
	if (!failed)
		note->device->stored = hits;
	occ_unlock();
	if (!failed && hits.refused_until)
		occ_log_debug("the last %d programs of %s took longer to load "
			      "than to compile, so the layer stands aside for "
			      "seven days; OCLCACHE_STORE=eager overrides this",
			      OCC_COST_HITS, note->device->identity->name);
	free(note);
}

/*
 * Fast hits are only worth writing down when slow ones were: most drivers have
 * none of these.
 */
void occ_load_cost_note(const struct occ_identity *identity, uint64_t load_ns,
			uint64_t compile_ns)
{
	struct note note = {
		.task.run = write_hits,
		.device = device_of(identity),
	};
	bool news;

	if (!note.device || !compile_ns || !occ_stores_is_written() ||
	    occ_settings.store_policy != OCC_STORE_AUTO)
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
		occ_writer_add_copy(&note.task, sizeof(note));
}

void occ_load_cost_release_all(void)
{
	while (list) {
		struct device *next = list->next;

		free(list);
		list = next;
	}
}
