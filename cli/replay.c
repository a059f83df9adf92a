/* SPDX-License-Identifier: MIT */
/*
 * oclcache replay: what databases have is compiled for the drivers here
 * (cli/replay_plan.h).
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cli/build_setup.h"
#include "cli/command.h"
#include "cli/learn.h"
#include "cli/message.h"
#include "cli/replay_plan.h"
#include "cli/stale.h"
#include "cli/store_path.h"
#include "cli/text.h"
#include "cli/units.h"

#define NS_PER_S UINT64_C(1000000000)

struct replay {
	const struct occ_arguments *arguments;
	struct occ_build_setup setup;
	struct occ_records records;
	struct occ_replay_plan plan;
	char *stale; /* the database of stale entries, or NULL */
	bool quiet;
	bool dry;
};

/* ---- options ---- */

/* Seconds; what isn't given stays. False after an error was shown. */
static bool read_duration(const struct occ_arguments *arguments,
			  const char *name, int64_t *ret_seconds)
{
	const char *value = occ_arguments_value(arguments, name);

	char *text;
	bool good;

	if (!value)
		return true;
	/* A number alone is seconds here, and no age elsewhere. */
	text = isdigit((unsigned char)value[strlen(value) - (*value != 0)])
		       ? occ_text("%ss", value)
		       : occ_text("%s", value);
	good = occ_units_parse_age(text, ret_seconds) && *ret_seconds > 0 &&
	       *ret_seconds <= UINT32_MAX / 2;
	free(text);
	if (good)
		return true;
	occ_message_error(
		"replay: --%s %s: use a number of seconds, or 90s, 15m, 2h",
		name, value);
	return false;
}

static bool read_priority(const struct occ_arguments *arguments,
			  bool *ret_keeps)
{
	const char *value = occ_arguments_value(arguments, "priority");

	*ret_keeps = value && !strcmp(value, "normal");
	if (!value || *ret_keeps || !strcmp(value, "idle"))
		return true;
	occ_message_error("replay: --priority %s: use idle or normal", value);
	return false;
}

/* False after an error was shown: a usage error. */
static bool read_options(struct replay *replay)
{
	const struct occ_arguments *arguments = replay->arguments;
	struct occ_build_items *items = &replay->plan.items;
	const char *memory = occ_arguments_value(arguments, "memory-limit");
	int64_t limit = OCC_CHILD_LIMIT_BUILD, time_limit = 0;

	if (memory && (!occ_units_parse_size(memory, &items->memory_limit) ||
		       !items->memory_limit)) {
		occ_message_error("replay: --memory-limit %s: use a size, such "
				  "as 800M or 2GiB",
				  memory);
		return false;
	}
	if (!occ_build_setup_jobs(arguments, &items->jobs) ||
	    !read_priority(arguments, &items->keeps_priority) ||
	    !read_duration(arguments, "limit", &limit) ||
	    !read_duration(arguments, "time-limit", &time_limit))
		return false;
	items->limit = (unsigned)limit;
	if (time_limit)
		items->deadline =
			occ_file_clock() + (uint64_t)time_limit * NS_PER_S;
	replay->quiet = occ_arguments_has(arguments, "quiet");
	replay->dry = occ_arguments_has(arguments, "dry-run");
	items->quiet = replay->quiet;
	items->only_looks = replay->dry;
	replay->plan.application =
		occ_arguments_value(arguments, "application");
	replay->plan.says_all = occ_arguments_has(arguments, "verbose");
	replay->plan.by_hand = occ_arguments_has(arguments, "all-devices") ||
			       occ_arguments_has(arguments, "device");
	if (arguments->operand_count || occ_arguments_has(arguments, "stale"))
		return true;
	occ_message_error("replay: name databases, or use --stale; see "
			  "'oclcache replay --help'");
	return false;
}

/* ---- databases ---- */

/* Of stale entries, one that is only ours. False after an error was shown. */
static bool make_stale(struct replay *replay)
{
	struct occ_store *store = occ_store_path_open(replay->arguments, false);
	struct occ_database *database = NULL;
	size_t count = 0;
	bool good;
	int error;

	if (!store)
		return false;
	replay->stale = occ_text("%s/stale.ocldb", replay->setup.scratch);
	error = occ_database_open(replay->stale, 0, &database);
	if (error)
		occ_store_path_fail(replay->stale, error);
	good = !error && occ_stale_add(store, database, INT64_MAX, &count);
	occ_database_close(database);
	occ_store_close(store);
	return good;
}

static bool open_records(struct replay *replay)
{
	const struct occ_arguments *arguments = replay->arguments;
	size_t count = arguments->operand_count;
	char **paths = occ_message_must(calloc(count + 2, sizeof(*paths)));
	bool good;

	for (size_t i = 0; i < count; i++)
		paths[i] = arguments->operands[i];
	if (replay->stale)
		paths[count++] = replay->stale;
	good = occ_records_open("replay", paths, count, &replay->records);
	free(paths);
	return good;
}

/*
 * Of drivers that have no record all that must be known is learnt first, with
 * programs of this command's own: what is in a database is only given to a
 * driver once the layer has said that it can be cached.
 */
static void learn(const struct replay *replay)
{
	const struct occ_probe_survey *survey = &replay->setup.survey;

	for (size_t i = 0; i < survey->count; i++) {
		if (!replay->setup.wanted[i] ||
		    occ_learn_is_known(&survey->devices[i]))
			continue;
		if (setenv("OCLCACHE_DIR", replay->setup.directory, 1))
			occ_message_no_memory();
		occ_learn_drivers();
		return;
	}
}

/* False after an error was shown. */
static bool begin(struct replay *replay)
{
	bool stale = occ_arguments_has(replay->arguments, "stale");

	if (!stale && !open_records(replay))
		return false;
	if (!occ_build_setup_begin(&replay->setup))
		return false;
	if (stale && (!make_stale(replay) || !open_records(replay)))
		return false;
	learn(replay);
	replay->plan.records = &replay->records;
	replay->plan.setup = &replay->setup;
	return occ_replay_plan_make(&replay->plan);
}

/* ---- what came of it ---- */

static const char *const faults[OCC_FAULTS] = {
	[OCC_FAULT_UNCACHEABLE] = "not cacheable here",
	[OCC_FAULT_UNSERVED] = "stored, but not served",
	[OCC_FAULT_PLACE] = "something that it needs is missing",
	[OCC_FAULT_FILES] = "other included files are found first",
	[OCC_FAULT_ROOM] = "the store is full",
	[OCC_FAULT_STORE] = "can't write to the store",
	[OCC_FAULT_TEMPORARY] = "no space in TMPDIR",
};

/* Something meant for a device here couldn't be stored. */
static const enum occ_build_fault failures[] = {OCC_FAULT_UNSERVED,
						OCC_FAULT_ROOM, OCC_FAULT_STORE,
						OCC_FAULT_TEMPORARY};

static void say_count(const struct replay *replay,
		      enum occ_build_outcome outcome, size_t more,
		      const char *word)
{
	size_t count = replay->plan.items.counts[outcome] + more;
	size_t linked = occ_replay_plan_linked(&replay->plan, outcome);

	printf("%s%zu %s",
	       outcome == OCC_OUTCOME_STORED || outcome == OCC_OUTCOME_MISSING
		       ? ""
		       : ", ",
	       count, word);
	if (linked)
		printf(" (and %zu that %s)", linked,
		       count == 1 ? "it links" : "they link");
}

static void say_reason(const char *text, size_t count, size_t *said)
{
	if (count)
		printf("%s%zu: %s", (*said)++ ? "; " : " (", count, text);
}

/* Gives how many failed. */
static size_t summarise(const struct replay *replay)
{
	const struct occ_replay_plan *plan = &replay->plan;
	const struct occ_build_items *items = &plan->items;
	const size_t *counts = items->counts;
	size_t by_fault[OCC_FAULTS] = {0}, said = 0;
	size_t failed = counts[OCC_OUTCOME_FAILED];

	for (size_t i = 0; i < items->count; i++)
		if (items->items[i].outcome == OCC_OUTCOME_NOT_STORED)
			by_fault[items->items[i].fault]++;
	if (!replay->quiet) {
		if (replay->dry) {
			say_count(replay, OCC_OUTCOME_MISSING, 0, "to compile");
			say_count(replay, OCC_OUTCOME_THERE, 0,
				  "already there");
		} else {
			say_count(replay, OCC_OUTCOME_STORED, 0, "stored");
			say_count(replay, OCC_OUTCOME_THERE, 0,
				  "already there");
			say_count(replay, OCC_OUTCOME_FAILED, 0, "failed");
		}
		say_count(replay, OCC_OUTCOME_NOT_STORED,
			  occ_replay_plan_left_out(plan), "not replayed");
		for (size_t i = 0; i < plan->reason_count; i++)
			say_reason(plan->reasons[i].text,
				   plan->reasons[i].count, &said);
		for (size_t i = 0; i < OCC_FAULTS; i++)
			if (faults[i])
				say_reason(faults[i], by_fault[i], &said);
		puts(said ? ")" : "");
	}
	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		failed += by_fault[failures[i]];
	return failed;
}

/* Once, what is to be done about it. */
static void say_obstacle(const struct replay *replay)
{
	const struct occ_build_items *items = &replay->plan.items;
	char size[OCC_UNITS_SIZE];

	if (!items->obstacle)
		return;
	if (items->obstacle_fault == OCC_FAULT_ROOM)
		occ_message_error("the store is full: its limit is %s, and "
				  "what it contains was used more recently; "
				  "see OCLCACHE_MAX_SIZE",
				  occ_units_size(replay->plan.max_size, size));
	else if (items->obstacle_fault == OCC_FAULT_STORE)
		occ_message_error("no space: %s; free some space there, or set "
				  "OCLCACHE_DIR",
				  items->obstacle);
	else
		occ_message_error("%s", items->obstacle);
}

static void say_what_is_left(const struct replay *replay)
{
	const struct occ_build_items *items = &replay->plan.items;
	size_t left = 0;

	for (size_t i = 0; i < items->count; i++)
		left += items->items[i].outcome == OCC_OUTCOME_NONE;
	if (left && !replay->quiet)
		occ_message_note(
			"%s with %zu of %zu left; run it again to continue",
			items->out_of_time ? "time limit reached" : "stopped",
			left, items->count);
}

static int finish(struct replay *replay)
{
	size_t failed;
	bool good = true;

	occ_build_items_run(&replay->plan.items);
	failed = summarise(replay);
	say_what_is_left(replay);
	say_obstacle(replay);
	if (!replay->dry && !occ_child_interrupted())
		good = occ_build_setup_upgrade(&replay->setup,
					       &replay->plan.items);
	return failed || !good ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static int run(const struct occ_arguments *arguments)
{
	struct replay replay = {.arguments = arguments,
				.setup.arguments = arguments};
	int status = OCC_EXIT_FAILED;

	if (!read_options(&replay))
		return OCC_EXIT_USAGE;
	if (begin(&replay))
		status = finish(&replay);
	occ_replay_plan_release(&replay.plan);
	occ_records_release(&replay.records);
	occ_build_setup_end(&replay.setup);
	free(replay.stale);
	occ_child_pass_interrupt();
	return status;
}

static const struct occ_option options[] = {
	{"stale", 0, NULL, "compile the store's stale entries again"},
	{"application", 'a', "TEXT",
	 "only builds of programs with TEXT in their path"},
	{"device", 'd', "TEXT",
	 "devices with TEXT in their name, intended or not"},
	{"all-devices", 0, NULL, "all devices, intended or not"},
	{"dry-run", 'n', NULL, "only show what would be compiled"},
	OCC_BUILD_SETUP_JOBS,
	{"time-limit", 0, "DURATION", "stop after this time: 90s, 15m, 2h"},
	{"limit", 0, "DURATION", "time limit for one program (default: 30m)"},
	{"memory-limit", 0, "SIZE", "memory limit for one process: 800M, 2GiB"},
	{"priority", 0, "PRIORITY", "normal or idle (default: idle)"},
	OCC_STORE_PATH_OPTION,
	OCC_BUILD_SETUP_NO_UPGRADE,
	{"verbose", 'v', NULL, "list what isn't replayed, and why"},
	{"quiet", 'q', NULL, "print only failures"},
	{NULL},
};

const struct occ_command occ_command_replay = {
	.name = "replay",
	.summary = "compile recorded programs into the store",
	.operands = "FILE...",
	.details = "Compiles the builds in the databases (see 'oclcache "
		   "record') for the drivers and\n"
		   "devices of this machine, unless they are already in the "
		   "store, and checks that\n"
		   "each one is served. Programs that build the same thing "
		   "then find it.\n"
		   "\n"
		   "A build is intended for devices of the platform and type "
		   "that it was used on,\n"
		   "and for devices that give the same answers to everything "
		   "that the program asked.\n"
		   "\n"
		   "Included files are looked for at their recorded paths; if "
		   "a file is missing, its\n"
		   "contents come from the database, visible only to the "
		   "compiling process. You can\n"
		   "stop a replay at any time and run it again to continue. A "
		   "program that crashes\n"
		   "or hangs the driver affects no other program.\n"
		   "\n"
		   "Databases may come from other people: the driver compiles "
		   "their sources, but\n"
		   "none of their code, plugins or settings are run or loaded, "
		   "and nothing is\n"
		   "written except the store. Don't replay what you wouldn't "
		   "compile.",
	.options = options,
	.run = run,
};
