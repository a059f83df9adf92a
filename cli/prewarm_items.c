/* SPDX-License-Identifier: MIT */
#include "cli/prewarm_items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "cli/screen.h"

/* Drivers that aren't known are learnt in a first process. */
#define COMPILES_MAX 2

static const struct {
	const char *word;
	enum occ_colour colour;
} outcomes[] = {
	[OCC_PREWARM_STORED] = {"stored", OCC_COLOUR_GREEN},
	[OCC_PREWARM_THERE] = {"was there", OCC_COLOUR_GREEN},
	[OCC_PREWARM_FAILED] = {"failed", OCC_COLOUR_RED},
	[OCC_PREWARM_NOT_STORED] = {"not stored", OCC_COLOUR_YELLOW},
};

static char *copy(const char *text)
{
	return text ? occ_message_must(strdup(text)) : NULL;
}

static void end_item(struct occ_prewarm_item *item,
		     enum occ_prewarm_outcome outcome, const char *why)
{
	item->outcome = outcome;
	item->why = copy(why);
}

static void start_item(struct occ_prewarm_item *item)
{
	/* A store that is only read is given no trace. */
	item->build.untraced = !item->looks;
	item->build.store = item->looks ? "never" : "eager";
	item->build.mode = item->looks ? "require" : NULL;
	item->compiles += !item->looks;
	item->runs = true;
	occ_probe_build_start(&item->build);
}

static void note_refusal(struct occ_prewarm_item *item)
{
	if (!item->build.reason)
		return;
	free(item->refusal);
	item->refusal = copy(item->build.reason);
}

/* After a look. */
static void judge_look(struct occ_prewarm_item *item)
{
	const struct occ_probe_build *build = &item->build;

	item->looks = false;
	if (build->result == OCC_PROBE_UNCACHEABLE)
		note_refusal(item);
	if (build->built && build->result == OCC_PROBE_HIT) {
		end_item(item,
			 item->compiles ? OCC_PREWARM_STORED
					: OCC_PREWARM_THERE,
			 NULL);
		item->hash = copy(build->hash);
	} else if (item->compiles >= COMPILES_MAX)
		end_item(item, OCC_PREWARM_NOT_STORED,
			 item->refusal ? item->refusal : "it isn't served");
}

/* After a compile: was it one at all? */
static void judge_compile(struct occ_prewarm_item *item)
{
	const struct occ_probe_build *build = &item->build;
	/* Of a driver that is learnt, a look and a compile say two things. */
	bool is_final = item->compiles >= COMPILES_MAX ||
			(item->refusal && build->reason &&
			 !strcmp(item->refusal, build->reason));

	item->looks = true;
	if (!build->built) {
		end_item(item, OCC_PREWARM_FAILED, build->error);
		item->log = *build->log ? copy(build->log) : NULL;
	} else if (build->result == OCC_PROBE_UNCACHEABLE && is_final) {
		end_item(item, OCC_PREWARM_NOT_STORED, build->reason);
	} else {
		note_refusal(item);
	}
}

/* The child has ended. */
static void take_item(struct occ_prewarm_item *item)
{
	struct occ_probe_build *build = &item->build;
	char *reason = occ_child_reason(&build->child);

	occ_probe_build_finish(build);
	item->runs = false;
	/* A look may fail in any way: what counts is the compile. */
	if (item->looks)
		judge_look(item);
	else if (build->child.how != OCC_CHILD_EXITED || build->child.status)
		end_item(item, OCC_PREWARM_FAILED, reason);
	else
		judge_compile(item);
	free(reason);
	occ_probe_build_release(build);
}

static void show_item(const struct occ_prewarm_item *item)
{
	const char *options = item->build.options ? item->build.options : "";
	const char *end;

	occ_progress_hide();
	printf("%s%-10s%s  ",
	       occ_screen_colour(STDOUT_FILENO, outcomes[item->outcome].colour),
	       outcomes[item->outcome].word,
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
	occ_screen_line("%s%s%s on %s%s%s", item->name, *options ? " " : "",
			options, item->device, item->why ? ": " : "",
			item->why ? item->why : "");
	for (const char *log = item->log; log && *log;
	     log = *end ? end + 1 : end) {
		end = strchrnul(log, '\n');
		occ_screen_line("    %.*s", (int)(end - log), log);
	}
	fflush(stdout);
}

/* In the order of the items, as far as they are done. */
static void show_done(struct occ_prewarm_items *items)
{
	while (items->shown < items->count) {
		const struct occ_prewarm_item *item =
			&items->items[items->shown];

		if (item->outcome == OCC_PREWARM_NONE)
			return;
		items->shown++;
		items->counts[item->outcome]++;
		if (!items->quiet || item->outcome == OCC_PREWARM_FAILED ||
		    item->outcome == OCC_PREWARM_NOT_STORED)
			show_item(item);
	}
}

/* Starts what isn't done, up to the number of jobs; gives who runs. */
static size_t start_items(struct occ_prewarm_items *items,
			  struct occ_child **children)
{
	size_t running = 0;

	for (size_t i = items->shown; i < items->count; i++) {
		struct occ_prewarm_item *item = &items->items[i];

		if (running == items->jobs)
			break;
		if (item->outcome != OCC_PREWARM_NONE)
			continue;
		if (!item->runs)
			start_item(item);
		children[running++] = &item->build.child;
	}
	return running;
}

/* A child that couldn't be started has ended, too. */
static struct occ_prewarm_item *next_ended(
	const struct occ_prewarm_items *items, struct occ_child **children,
	size_t running)
{
	const struct occ_child *child = NULL;

	for (size_t i = 0; !child && i < running; i++)
		if (children[i]->how != OCC_CHILD_RUNNING)
			child = children[i];
	if (!child)
		child = occ_child_wait_any(children, running);
	for (size_t i = items->shown; i < items->count; i++)
		if (&items->items[i].build.child == child)
			return &items->items[i];
	return NULL;
}

void occ_prewarm_items_run(struct occ_prewarm_items *items)
{
	struct occ_child **children =
		occ_message_must(calloc(items->jobs, sizeof(*children)));

	occ_progress_begin("Compiling", "programs", items->count);
	while (items->shown < items->count && !occ_child_interrupted()) {
		size_t running = start_items(items, children);
		struct occ_prewarm_item *item =
			next_ended(items, children, running);

		if (!item)
			break;
		take_item(item);
		occ_progress_step(item->outcome != OCC_PREWARM_NONE);
		if (!occ_child_interrupted())
			show_done(items);
	}
	/* All others are ended in the same way. */
	while (occ_child_interrupted()) {
		size_t running = 0;
		struct occ_child *child;

		for (size_t i = 0; i < items->count; i++)
			if (items->items[i].runs && running < items->jobs)
				children[running++] =
					&items->items[i].build.child;
		child = occ_child_wait_any(children, running);
		if (!child)
			break;
	}
	occ_progress_end();
	free(children);
}

void occ_prewarm_items_release(struct occ_prewarm_items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		struct occ_prewarm_item *item = &items->items[i];

		if (item->runs)
			occ_probe_build_release(&item->build);
		free((char *)item->build.trace);
		free(item->refusal);
		free(item->hash);
		free(item->why);
		free(item->log);
	}
	free(items->items);
}
