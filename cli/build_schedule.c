/* SPDX-License-Identifier: MIT */
/* Which worker builds what, and how many there are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cli/build_items.h"
#include "cli/memory_room.h"
#include "cli/message.h"
#include "cli/progress.h"

/* A worker is replaced after so many programs, or when it has grown so much. */
#define PROGRAMS_MAX 64
#define GROWTH_MAX   (UINT64_C(256) << 20)

#define NONE	     SIZE_MAX

struct slot {
	bool taken;
	struct occ_worker worker;
	size_t item;	 /* under way; NONE: none is */
	size_t programs; /* that it was given */
	uint64_t begun;	 /* bytes that it had after its first program */
	bool is_alone;	 /* it gets no second one */
};

struct schedule {
	struct occ_build_items *items;
	struct slot *slots;
	struct occ_child **children;
	size_t workers; /* so far: their numbers */
};

static enum occ_worker_role role_of(enum occ_build_stage stage)
{
	return stage == OCC_STAGE_TO_COMPILE ? OCC_WORKER_COMPILES
					     : OCC_WORKER_LOOKS;
}

/*
 * Of a driver without a record one program at a time is compiled, until one is
 * served: what the others would be told isn't known.
 */
static bool must_wait(const struct occ_build_items *items, size_t index)
{
	const struct occ_build_item *item = &items->items[index];

	if (item->stage != OCC_STAGE_TO_COMPILE || !item->is_learnt ||
	    items->known[item->device_number])
		return false;
	for (size_t i = items->shown; i < items->count; i++) {
		const struct occ_build_item *other = &items->items[i];

		if (i != index && other->outcome == OCC_OUTCOME_NONE &&
		    other->device_number == item->device_number &&
		    (other->stage > OCC_STAGE_TO_COMPILE ||
		     (i < index && other->stage == OCC_STAGE_TO_COMPILE)))
			return true;
	}
	return false;
}

static bool waits_for(const struct occ_build_items *items, size_t index,
		      enum occ_build_stage stage)
{
	const struct occ_build_item *item = &items->items[index];

	return item->outcome == OCC_OUTCOME_NONE && item->stage == stage &&
	       !must_wait(items, index);
}

/* In the order of the items; what is to be proved first, as it was begun. */
static size_t next_for(const struct occ_build_items *items,
		       const struct occ_worker *worker)
{
	static const enum occ_build_stage looks[] = {OCC_STAGE_TO_PROVE,
						     OCC_STAGE_TO_LOOK};
	static const enum occ_build_stage compiles[] = {OCC_STAGE_TO_COMPILE};
	bool is_look = worker->role == OCC_WORKER_LOOKS;
	const enum occ_build_stage *stages = is_look ? looks : compiles;

	for (size_t j = 0; j < (is_look ? 2 : 1); j++)
		for (size_t i = items->shown; i < items->count; i++)
			if (worker->place ==
				    &items->places[items->items[i].place] &&
			    waits_for(items, i, stages[j]))
				return i;
	return NONE;
}

/* ---- one worker ---- */

static void note_memory(struct schedule *schedule, struct slot *slot)
{
	struct occ_build_items *items = schedule->items;
	uint64_t now, most;

	occ_worker_memory(&slot->worker, &now, &most);
	if (most > items->peak)
		items->peak = most;
	if (items->memory_limit && now > items->memory_limit)
		occ_child_end(&slot->worker.child, OCC_CHILD_TOO_LARGE,
			      (int)(now / 1000000));
}

static bool is_worn(struct slot *slot)
{
	uint64_t now, most;

	if (!slot->programs)
		return false;
	occ_worker_memory(&slot->worker, &now, &most);
	if (slot->programs == 1)
		slot->begun = now;
	/* What isn't stored is found out before more isn't. */
	return slot->is_alone || slot->worker.unstored ||
	       slot->programs >= PROGRAMS_MAX || now > slot->begun + GROWTH_MAX;
}

static void give(struct schedule *schedule, struct slot *slot)
{
	struct occ_build_items *items = schedule->items;
	struct occ_buffer request = OCC_BUFFER_INIT;
	bool compiles = slot->worker.role == OCC_WORKER_COMPILES;
	size_t index;

	if (is_worn(slot))
		index = NONE;
	else
		index = next_for(items, &slot->worker);
	/* Who is to be alone isn't, after others. */
	if (index != NONE && compiles && slot->programs &&
	    items->items[index].compiles)
		index = NONE;
	if (index == NONE) {
		occ_worker_leave(&slot->worker, items->limit);
		return;
	}
	if (occ_build_item_begin(items, index, &request)) {
		if (request.failed)
			occ_message_no_memory();
		slot->item = index;
		slot->programs++;
		slot->is_alone =
			compiles && occ_build_item_is_alone(items, index);
		if (!occ_worker_give(&slot->worker, occ_buffer_span(&request),
				     items->limit)) {
			occ_build_items_stop(
				items, index, OCC_FAULT_TEMPORARY,
				"the file system of TMPDIR is full; set TMPDIR "
				"to a directory with free space");
			slot->item = NONE;
			occ_worker_leave(&slot->worker, items->limit);
		}
	}
	occ_buffer_release(&request);
}

static void give_up(struct schedule *schedule, struct slot *slot,
		    const char *why)
{
	struct occ_build_items *items = schedule->items;

	for (size_t i = items->shown; i < items->count; i++)
		if (slot->worker.place == &items->places[items->items[i].place])
			occ_build_item_give_up(items, i, slot->worker.misplaced,
					       why);
}

static void take_end(struct schedule *schedule, struct slot *slot)
{
	const struct occ_child *child = &slot->worker.child;
	char *reason = occ_child_reason(child);

	if (slot->item != NONE)
		occ_build_item_lose(schedule->items, slot->item, &slot->worker);
	/* It would be so each time. */
	else if (!slot->programs && child->how != OCC_CHILD_INTERRUPTED &&
		 slot->worker.unable)
		give_up(schedule, slot, reason);
	occ_build_items_settle(schedule->items, &slot->worker);
	occ_worker_release(&slot->worker);
	slot->taken = false;
	free(reason);
}

static void look(struct schedule *schedule, struct slot *slot)
{
	switch (occ_worker_look(&slot->worker)) {
	case OCC_WORKER_READY:
		if (slot->worker.unable)
			give_up(schedule, slot, slot->worker.error);
		give(schedule, slot);
		break;
	case OCC_WORKER_DONE:
		note_memory(schedule, slot);
		occ_build_item_take(schedule->items, slot->item, &slot->worker);
		slot->item = NONE;
		break;
	case OCC_WORKER_GONE:
		take_end(schedule, slot);
		break;
	default:
		note_memory(schedule, slot);
		break;
	}
}

/* ---- how many ---- */

static size_t count_workers(const struct schedule *schedule)
{
	size_t count = 0;

	for (size_t i = 0; i < schedule->items->jobs; i++)
		count += schedule->slots[i].taken;
	return count;
}

/* Workers that will take one of those at once. */
static size_t count_free(const struct schedule *schedule,
			 enum occ_worker_role role,
			 const struct occ_worker_place *place)
{
	size_t count = 0;

	for (size_t i = 0; i < schedule->items->jobs; i++) {
		const struct slot *slot = &schedule->slots[i];

		count += slot->taken && slot->worker.role == role &&
			 slot->worker.place == place &&
			 (slot->worker.state == OCC_WORKER_STARTS ||
			  slot->worker.state == OCC_WORKER_READY);
	}
	return count;
}

/* An item that no worker is there for; NONE: there is none. */
static size_t find_work(const struct schedule *schedule)
{
	static const enum occ_build_stage stages[] = {OCC_STAGE_TO_LOOK,
						      OCC_STAGE_TO_PROVE,
						      OCC_STAGE_TO_COMPILE};
	const struct occ_build_items *items = schedule->items;

	for (size_t j = 0; j < sizeof(stages) / sizeof(*stages); j++) {
		const struct occ_worker_place *place = NULL;
		size_t enough = 0;

		for (size_t i = items->shown; i < items->count; i++) {
			if (!waits_for(items, i, stages[j]))
				continue;
			if (place != &items->places[items->items[i].place]) {
				place = &items->places[items->items[i].place];
				enough = count_free(schedule,
						    role_of(stages[j]), place);
			}
			if (!enough)
				return i;
			enough--;
		}
	}
	return NONE;
}

static bool start_one(struct schedule *schedule, struct slot *slot)
{
	struct occ_build_items *items = schedule->items;
	size_t index = find_work(schedule);

	if (index == NONE)
		return false;
	*slot = (struct slot){
		.taken = true,
		.item = NONE,
		.worker = {
			.role = role_of(items->items[index].stage),
			.place = &items->places[items->items[index].place],
			.directory = items->directory,
			.scratch = items->scratch,
			.number = ++schedule->workers,
			.keeps_priority = items->keeps_priority,
			.keeps_all = items->make_room != NULL,
		}};
	occ_worker_start(&slot->worker);
	return true;
}

static void start_workers(struct schedule *schedule)
{
	struct occ_build_items *items = schedule->items;
	size_t running = count_workers(schedule);

	for (size_t i = 0; i < items->jobs; i++) {
		if (schedule->slots[i].taken)
			continue;
		if (running && !occ_memory_room_for(items->peak))
			return;
		if (!start_one(schedule, &schedule->slots[i]))
			return;
		running++;
	}
}

/* ---- all of it ---- */

static void note_time_left(const struct schedule *schedule)
{
	const struct occ_build_items *items = schedule->items;
	uint64_t mean =
		items->compiled ? items->compile_time / items->compiled : 0;
	uint64_t left = 0, unseen = 0, missing = 0, seen = 0;

	for (size_t i = 0; i < items->count; i++) {
		const struct occ_build_item *item = &items->items[i];
		uint64_t time = item->expected ? item->expected : mean;

		if (item->outcome == OCC_OUTCOME_NONE &&
		    item->stage < OCC_STAGE_TO_COMPILE) {
			unseen += time;
			continue;
		}
		seen++;
		missing += item->compiles || item->outcome == OCC_OUTCOME_NONE;
		if (item->outcome == OCC_OUTCOME_NONE &&
		    (item->stage == OCC_STAGE_TO_COMPILE ||
		     item->stage == OCC_STAGE_COMPILES))
			left += time;
	}
	/* As many of those that weren't looked for will be missing. */
	if (seen)
		left += unseen / seen * missing;
	occ_progress_left(items->jobs && seen ? left / items->jobs : 0);
}

static void end_workers(struct schedule *schedule)
{
	for (size_t i = 0; i < schedule->items->jobs; i++) {
		struct slot *slot = &schedule->slots[i];

		if (!slot->taken)
			continue;
		if (slot->worker.child.how == OCC_CHILD_RUNNING)
			occ_child_end(&slot->worker.child,
				      OCC_CHILD_INTERRUPTED, 0);
		occ_worker_release(&slot->worker);
	}
}

static bool is_time_up(struct occ_build_items *items)
{
	items->out_of_time =
		items->deadline && occ_file_clock() >= items->deadline;
	return items->out_of_time;
}

static void make_schedule(struct schedule *schedule,
			  struct occ_build_items *items)
{
	size_t devices = 0;

	*schedule = (struct schedule){
		.items = items,
		.slots = occ_message_must(
			calloc(items->jobs, sizeof(*schedule->slots))),
		.children = occ_message_must(
			calloc(items->jobs, sizeof(*schedule->children)))};
	for (size_t i = 0; i < items->count; i++)
		if (items->items[i].device_number >= devices)
			devices = items->items[i].device_number + 1;
	items->known = occ_message_must(calloc(devices + 1, sizeof(bool)));
}

void occ_build_items_run(struct occ_build_items *items)
{
	struct schedule schedule;

	make_schedule(&schedule, items);
	occ_progress_begin("Compiling", "programs", items->count);
	while (items->shown < items->count && !occ_child_interrupted() &&
	       !is_time_up(items)) {
		size_t running = 0;

		start_workers(&schedule);
		for (size_t i = 0; i < items->jobs; i++)
			if (schedule.slots[i].taken)
				schedule.children[running++] =
					&schedule.slots[i].worker.child;
		occ_child_watch(schedule.children, running);
		for (size_t i = 0; i < items->jobs; i++)
			if (schedule.slots[i].taken)
				look(&schedule, &schedule.slots[i]);
		note_time_left(&schedule);
		if (!occ_child_interrupted())
			occ_build_items_show(items);
	}
	end_workers(&schedule);
	occ_progress_end();
	free(schedule.slots);
	free(schedule.children);
}
