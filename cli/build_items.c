/* SPDX-License-Identifier: MIT */
/* What is thought of an item by what a worker says; and what is shown. */
#include "cli/build_items.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/screen.h"

/* Drivers that aren't known are learnt in a first process. */
#define COMPILES_MAX 2

/* How often room is made for an item: programs may fill it meanwhile. */
#define TRIES_MAX    8

static const struct {
	const char *word;
	enum occ_colour colour;
} outcomes[] = {
	[OCC_OUTCOME_STORED] = {"stored", OCC_COLOUR_GREEN},
	[OCC_OUTCOME_THERE] = {"present", OCC_COLOUR_GREEN},
	[OCC_OUTCOME_FAILED] = {"failed", OCC_COLOUR_RED},
	[OCC_OUTCOME_NOT_STORED] = {"not stored", OCC_COLOUR_YELLOW},
	[OCC_OUTCOME_MISSING] = {"to compile", OCC_COLOUR_NONE},
};

static char *copy(const char *text)
{
	return text ? occ_message_must(strdup(text)) : NULL;
}

static void end_item(struct occ_build_item *item,
		     enum occ_build_outcome outcome, enum occ_build_fault fault,
		     const char *why)
{
	item->outcome = outcome;
	item->fault = fault;
	item->why = copy(why);
	occ_progress_step(1);
}

bool occ_build_item_begin(struct occ_build_items *items, size_t index,
			  struct occ_buffer *request)
{
	struct occ_build_item *item = &items->items[index];

	if (!items->write(index, request, items->data)) {
		end_item(item, OCC_OUTCOME_FAILED, OCC_FAULT_PLACE,
			 "its source can no longer be read");
		return false;
	}
	if (item->stage == OCC_STAGE_TO_COMPILE) {
		item->compiles++;
		item->began = occ_file_clock();
	}
	item->stage++;
	return true;
}

static void note_refusal(struct occ_build_item *item, const char *reason)
{
	if (!reason)
		return;
	free(item->refusal);
	item->refusal = copy(reason);
}

/* That something wasn't stored is another's, perhaps: see below. */
static void note_reason(const struct occ_build_items *items,
			struct occ_build_item *item,
			const struct occ_worker *worker)
{
	if (!items->make_room || !worker->trace.unstored)
		note_refusal(item, worker->trace.reason);
}

/* It is served, and from the store. */
static void end_served(struct occ_build_items *items, size_t index,
		       const char *hashes)
{
	struct occ_build_item *item = &items->items[index];
	const char *last = hashes ? strrchr(hashes, ' ') : NULL;
	char *fault = NULL;

	free(item->hash);
	item->hash = copy(last ? last + 1 : hashes);
	if (items->known)
		items->known[item->device_number] = true;
	/* Switches have the layer leave it alone: nothing is known of it. */
	if (items->check && !hashes) {
		end_item(item, OCC_OUTCOME_NOT_STORED, OCC_FAULT_UNCACHEABLE,
			 "the layer skips it: see OCLCACHE_SKIP");
		return;
	}
	if (items->check)
		fault = items->check(index, hashes, items->data);
	if (fault && items->move && items->move(index, items->data)) {
		item->stage = OCC_STAGE_TO_LOOK;
		item->compiles = 0;
	} else if (fault) {
		end_item(item, OCC_OUTCOME_NOT_STORED, OCC_FAULT_FILES, fault);
	} else {
		end_item(item,
			 item->compiles ? OCC_OUTCOME_STORED
					: OCC_OUTCOME_THERE,
			 OCC_FAULT_NONE, NULL);
	}
	free(fault);
}

void occ_build_items_stop(struct occ_build_items *items, size_t index,
			  enum occ_build_fault fault, const char *why)
{
	if (!items->obstacle) {
		items->obstacle = copy(why);
		items->obstacle_fault = fault;
	}
	for (size_t i = items->shown; i < items->count; i++) {
		struct occ_build_item *item = &items->items[i];

		if (item->outcome == OCC_OUTCOME_NONE &&
		    (i == index || item->stage == OCC_STAGE_TO_COMPILE))
			end_item(item, OCC_OUTCOME_NOT_STORED, fault, why);
	}
}

/* Storing has failed: for good? */
static void judge_storing(struct occ_build_items *items, size_t index)
{
	struct occ_build_item *item = &items->items[index];
	char *unstored = item->unstored;
	bool too_large = strstr(unstored, ": too large") != NULL;

	item->unstored = NULL;
	if (too_large && item->tries++ < TRIES_MAX &&
	    items->make_room(index, items->data)) {
		item->stage = OCC_STAGE_TO_COMPILE;
		item->compiles = 0;
	} else if (too_large) {
		occ_build_items_stop(items, index, OCC_FAULT_ROOM,
				     "the store is full");
	} else if (strstr(unstored, strerror(ENOSPC)) ||
		   strstr(unstored, strerror(EDQUOT))) {
		occ_build_items_stop(items, index, OCC_FAULT_STORE, unstored);
	} else {
		end_item(item, OCC_OUTCOME_NOT_STORED, OCC_FAULT_STORE,
			 unstored);
	}
	free(unstored);
}

static void end_unserved(struct occ_build_item *item)
{
	end_item(item, OCC_OUTCOME_NOT_STORED,
		 item->refusal ? OCC_FAULT_UNCACHEABLE : OCC_FAULT_UNSERVED,
		 item->refusal ? item->refusal
			       : "it was stored, but not found again");
}

/* It isn't there. */
static void judge_look(struct occ_build_items *items, size_t index)
{
	struct occ_build_item *item = &items->items[index];
	bool is_final = item->stage == OCC_STAGE_PROVES
				? item->compiles >= COMPILES_MAX
				: item->refusal && !items->is_trusted;

	if (item->unstored)
		judge_storing(items, index);
	else if (is_final)
		end_unserved(item);
	else if (items->obstacle)
		end_item(item, OCC_OUTCOME_NOT_STORED, items->obstacle_fault,
			 items->obstacle);
	else if (items->only_looks)
		end_item(item, OCC_OUTCOME_MISSING, OCC_FAULT_NONE, NULL);
	else
		item->stage = OCC_STAGE_TO_COMPILE;
}

/* After a compile: was it one at all? */
static void judge_compile(struct occ_build_items *items,
			  struct occ_build_item *item,
			  const struct occ_worker *worker)
{
	const char *refusal = worker->trace.refusal;
	/* Of a driver that is learnt, a look and a compile say two things. */
	bool is_final =
		item->compiles >= COMPILES_MAX ||
		(item->refusal && refusal && !strcmp(item->refusal, refusal));

	items->compile_time += occ_file_clock() - item->began;
	items->compiled++;
	if (*worker->error) {
		item->log = *worker->log ? copy(worker->log) : NULL;
		end_item(item, OCC_OUTCOME_FAILED, OCC_FAULT_DRIVER,
			 worker->error);
		return;
	}
	note_reason(items, item, worker);
	if (refusal && is_final)
		end_unserved(item);
	else
		item->stage = OCC_STAGE_COMPILED;
}

void occ_build_item_take(struct occ_build_items *items, size_t index,
			 const struct occ_worker *worker)
{
	struct occ_build_item *item = &items->items[index];

	if (item->stage == OCC_STAGE_COMPILES) {
		item->worker = worker->number;
		judge_compile(items, item, worker);
		return;
	}
	note_refusal(item, worker->trace.refusal);
	if (*worker->error)
		judge_look(items, index);
	else
		end_served(items, index, worker->trace.served);
}

void occ_build_item_lose(struct occ_build_items *items, size_t index,
			 const struct occ_worker *worker)
{
	struct occ_build_item *item = &items->items[index];
	const struct occ_child *child = &worker->child;
	char *reason;

	if (child->how == OCC_CHILD_INTERRUPTED)
		return;
	/*
	 * A look may fail in any way: what counts is the compile. But what may
	 * be anybody's isn't compiled before the layer has judged it.
	 */
	if (item->stage != OCC_STAGE_COMPILES &&
	    (items->is_trusted || item->stage != OCC_STAGE_LOOKS)) {
		judge_look(items, index);
		return;
	}
	reason = occ_child_reason(child);
	end_item(item, OCC_OUTCOME_FAILED,
		 child->how == OCC_CHILD_TOO_LONG    ? OCC_FAULT_TIME
		 : child->how == OCC_CHILD_TOO_LARGE ? OCC_FAULT_MEMORY
						     : OCC_FAULT_CRASH,
		 reason);
	free(reason);
}

void occ_build_item_give_up(struct occ_build_items *items, size_t index,
			    bool is_place, const char *why)
{
	struct occ_build_item *item = &items->items[index];

	if (item->outcome == OCC_OUTCOME_NONE)
		end_item(item,
			 is_place ? OCC_OUTCOME_NOT_STORED : OCC_OUTCOME_FAILED,
			 OCC_FAULT_PLACE, why);
}

void occ_build_items_settle(struct occ_build_items *items,
			    const struct occ_worker *worker)
{
	for (size_t i = items->shown; i < items->count; i++) {
		struct occ_build_item *item = &items->items[i];

		if (item->outcome != OCC_OUTCOME_NONE ||
		    item->stage != OCC_STAGE_COMPILED ||
		    item->worker != worker->number)
			continue;
		item->stage = OCC_STAGE_TO_PROVE;
		/* What it said at its end is about this one. */
		if (occ_build_item_is_alone(items, i))
			note_reason(items, item, worker);
		/* It may be about another; then this one is served. */
		free(item->unstored);
		item->unstored =
			items->make_room ? copy(worker->unstored) : NULL;
	}
}

bool occ_build_item_is_alone(const struct occ_build_items *items, size_t index)
{
	const struct occ_build_item *item = &items->items[index];

	return item->compiles > 1 ||
	       (item->is_learnt && !items->known[item->device_number]);
}

static void show_item(const struct occ_build_item *item)
{
	const char *end;

	occ_progress_hide();
	printf("%s%-10s%s  ",
	       occ_screen_colour(STDOUT_FILENO, outcomes[item->outcome].colour),
	       outcomes[item->outcome].word,
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
	occ_screen_line("%s on %s%s%s", item->name, item->device,
			item->why ? ": " : "", item->why ? item->why : "");
	for (const char *log = item->log; log && *log;
	     log = *end ? end + 1 : end) {
		end = strchrnul(log, '\n');
		occ_screen_line("    %.*s", (int)(end - log), log);
	}
	fflush(stdout);
}

void occ_build_items_show(struct occ_build_items *items)
{
	while (items->shown < items->count) {
		const struct occ_build_item *item = &items->items[items->shown];

		if (item->outcome == OCC_OUTCOME_NONE)
			return;
		items->shown++;
		items->counts[item->outcome]++;
		if (!items->quiet || item->outcome == OCC_OUTCOME_FAILED ||
		    item->outcome == OCC_OUTCOME_NOT_STORED)
			show_item(item);
	}
}

void occ_build_items_release(struct occ_build_items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		struct occ_build_item *item = &items->items[i];

		free(item->refusal);
		free(item->unstored);
		free(item->hash);
		free(item->why);
		free(item->log);
	}
	free(items->items);
	free(items->known);
	free(items->obstacle);
}
