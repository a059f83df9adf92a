/* SPDX-License-Identifier: MIT */
/*
 * Each item, a file with options for a device, goes through processes of its
 * own: one looks whether it is there, without compiling; one compiles; and one
 * looks whether it is served now, which is the only proof.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/entry.h"
#include "cache/file.h"
#include "cache/preference.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/nvidia.h"
#include "cli/place.h"
#include "cli/probe.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "cli/screen.h"
#include "cli/upgrading.h"

/* Drivers that aren't known are learnt in a first process. */
#define COMPILES_MAX 2
#define JOBS_MAX     1024

enum outcome {
	OUTCOME_NONE, /* not yet */
	OUTCOME_STORED,
	OUTCOME_THERE,
	OUTCOME_FAILED,
	OUTCOME_NOT_STORED,
	OUTCOME_KINDS,
};

static const struct {
	const char *word;
	enum occ_colour colour;
} outcomes[] = {
	[OUTCOME_STORED] = {"stored", OCC_COLOUR_GREEN},
	[OUTCOME_THERE] = {"was there", OCC_COLOUR_GREEN},
	[OUTCOME_FAILED] = {"failed", OCC_COLOUR_RED},
	[OUTCOME_NOT_STORED] = {"not stored", OCC_COLOUR_YELLOW},
};

struct source {
	const char *name;
	void *bytes;
	size_t size;
};

struct item {
	const struct source *source;
	const char *device; /* its name */
	bool is_nvidias;
	char *hash; /* of its entry, when that is there; or NULL */
	struct occ_probe_build build;
	bool looks; /* only, without compiling */
	unsigned compiles;
	bool runs;
	enum outcome outcome;
	char *refusal; /* what the layer last said against it; or NULL */
	char *why;     /* NULL: nothing is to be said */
	char *log;
};

struct prewarm {
	const struct occ_arguments *arguments;
	bool quiet;
	size_t jobs;
	char *directory;
	char *scratch;
	struct source *sources;
	size_t source_count;
	struct occ_probe_survey survey;
	bool *wanted; /* of the survey's devices */
	struct item *items;
	size_t count;
	size_t shown; /* of the items, in their order */
	size_t counts[OUTCOME_KINDS];
};

static char *copy(const char *text)
{
	return occ_message_must(strdup(text));
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), tail = strlen(end);

	return length >= tail && !strcmp(name + length - tail, end);
}

static bool read_source(const char *name, struct source *source)
{
	int file = occ_file_open_path(name);
	struct stat status;
	ssize_t got = -1;

	source->name = name;
	if (file >= 0 && !occ_file_status(file, &status)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
		if (S_ISREG(status.st_mode) &&
		    (uint64_t)status.st_size <= OCC_ENTRY_SIZE_MAX) {
			source->size = (size_t)status.st_size;
			source->bytes =
				occ_message_must(calloc(1, source->size + 1));
			got = occ_file_read(file, 0, source->bytes,
					    source->size);
		}
	}
	if (got != (ssize_t)source->size)
		occ_message_error("%s can't be read: %s", name,
				  strerror(got < 0 ? errno : EIO));
	if (file >= 0)
		occ_file_close(file);
	return got >= 0 && got == (ssize_t)source->size;
}

static bool read_sources(struct prewarm *prewarm)
{
	const struct occ_arguments *arguments = prewarm->arguments;

	prewarm->source_count = arguments->operand_count;
	prewarm->sources = occ_message_must(
		calloc(prewarm->source_count, sizeof(*prewarm->sources)));
	for (size_t i = 0; i < prewarm->source_count; i++)
		if (!read_source(arguments->operands[i], &prewarm->sources[i]))
			return false;
	return true;
}

/* False after an error: as things are set nothing would be stored. */
static bool may_store(const struct occ_preference *found, const char *obstacle)
{
	if (!found->value || strcmp(found->value, obstacle) != 0)
		return true;
	if (found->file)
		occ_message_error("%s:%u: with %s=%s nothing is stored; set "
				  "%s=default",
				  found->file, found->line, found->name,
				  found->value, found->name);
	else
		occ_message_error("with %s=%s nothing is stored; unset it",
				  found->name, found->value);
	return false;
}

static bool can_store(void)
{
	static const struct {
		enum occ_setting_id id;
		const char *value;
	} obstacles[] = {
		{OCC_SETTING_MODE, "readonly"},
		{OCC_SETTING_MODE, "require"},
		{OCC_SETTING_DISABLE, "1"},
		{OCC_SETTING_PERSISTENT, "0"},
	};
	struct occ_preferences preferences;
	bool can = true;

	occ_preferences_read(&preferences);
	for (size_t i = 0; can && i < sizeof(obstacles) / sizeof(*obstacles);
	     i++)
		can = may_store(&preferences.values[obstacles[i].id],
				obstacles[i].value);
	occ_preferences_release(&preferences);
	return can;
}

/* False after an error. */
static bool find_devices(struct prewarm *prewarm)
{
	struct occ_probe_survey *survey = &prewarm->survey;
	char *reason;

	*survey = (struct occ_probe_survey){.library = OCC_LOADER_NAME,
					    .with_layer = true};
	occ_probe_survey(survey);
	if (survey->child.how == OCC_CHILD_EXITED && !survey->child.status &&
	    !survey->error && *survey->layer && survey->count)
		return true;
	if (survey->child.how != OCC_CHILD_EXITED || survey->child.status) {
		reason = occ_child_reason(&survey->child);
		occ_message_error("no devices could be found: %s; see "
				  "'oclcache doctor'",
				  reason);
		free(reason);
	} else {
		occ_message_error("%s; see 'oclcache doctor'",
				  survey->error	       ? survey->error
				  : !survey->platforms ? "there is no driver"
				  : !*survey->layer
					  ? "the loader doesn't load the layer"
					  : "no driver has a device here");
	}
	return false;
}

static bool matches(const struct occ_probe_device *device, const char *text)
{
	return strcasestr(device->name, text) ||
	       strcasestr(device->platform, text);
}

static void complain_of_device(const struct occ_probe_survey *survey,
			       const char *text)
{
	occ_message_error("no device is called '%s'; there %s:", text,
			  survey->count == 1 ? "is" : "are");
	for (size_t i = 0; i < survey->count; i++) {
		fputs("  ", stderr);
		occ_screen_write(stderr, survey->devices[i].platform,
				 strlen(survey->devices[i].platform), true);
		fputs(", ", stderr);
		occ_screen_write(stderr, survey->devices[i].name,
				 strlen(survey->devices[i].name), true);
		putc('\n', stderr);
	}
}

/* False after an error. */
static bool choose_devices(struct prewarm *prewarm)
{
	const struct occ_probe_survey *survey = &prewarm->survey;
	bool any_given = occ_arguments_has(prewarm->arguments, "device");
	size_t position = 0;
	const char *text;

	prewarm->wanted = occ_message_must(calloc(survey->count, sizeof(bool)));
	for (size_t i = 0; i < survey->count; i++)
		prewarm->wanted[i] = !any_given;
	while ((text = occ_arguments_next(prewarm->arguments, "device",
					  &position))) {
		bool found = false;

		for (size_t i = 0; i < survey->count; i++)
			if (matches(&survey->devices[i], text))
				prewarm->wanted[i] = found = true;
		if (!found) {
			complain_of_device(survey, text);
			return false;
		}
	}
	return true;
}

static bool is_recaching(void)
{
	struct occ_preferences preferences;
	const char *mode;
	bool is;

	occ_preferences_read(&preferences);
	mode = preferences.values[OCC_SETTING_MODE].value;
	is = mode && !strcmp(mode, "recache");
	occ_preferences_release(&preferences);
	return is;
}

static void add_item(struct prewarm *prewarm, const struct source *source,
		     const char *options, size_t device)
{
	struct item *item = &prewarm->items[prewarm->count];

	item->source = source;
	item->device = prewarm->survey.devices[device].name;
	item->is_nvidias = !strcmp(prewarm->survey.devices[device].platform,
				   OCC_NVIDIA_PLATFORM);
	item->looks = !is_recaching();
	item->build = (struct occ_probe_build){
		.device = device,
		.source = source->bytes,
		.size = source->size,
		.is_il = ends_with(source->name, ".spv"),
		.options = options,
		.directory = prewarm->directory,
		.limit = OCC_CHILD_LIMIT_BUILD,
		.trace = occ_scratch_numbered(prewarm->scratch, "trace",
					      prewarm->count),
	};
	prewarm->count++;
}

static void add_for_devices(struct prewarm *prewarm,
			    const struct source *source, const char *options)
{
	for (size_t i = 0; i < prewarm->survey.count; i++)
		if (prewarm->wanted[i])
			add_item(prewarm, source, options, i);
}

static void make_items(struct prewarm *prewarm)
{
	const struct occ_arguments *arguments = prewarm->arguments;
	size_t sets = 1;

	for (size_t i = 0; i < arguments->given_count; i++)
		sets++;
	prewarm->items = occ_message_must(
		calloc(prewarm->source_count * sets * prewarm->survey.count,
		       sizeof(*prewarm->items)));
	for (size_t i = 0; i < prewarm->source_count; i++) {
		const struct source *source = &prewarm->sources[i];
		size_t position = 0;
		const char *options;

		if (!occ_arguments_has(arguments, "options"))
			add_for_devices(prewarm, source, "");
		while ((options = occ_arguments_next(arguments, "options",
						     &position)))
			add_for_devices(prewarm, source, options);
	}
}

static void end_item(struct item *item, enum outcome outcome, const char *why)
{
	item->outcome = outcome;
	item->why = why ? copy(why) : NULL;
}

static void start_item(struct item *item)
{
	/* A store that is only read is given no trace. */
	item->build.untraced = !item->looks;
	item->build.store = item->looks ? "never" : "eager";
	item->build.mode = item->looks ? "require" : NULL;
	item->compiles += !item->looks;
	item->runs = true;
	occ_probe_build_start(&item->build);
}

static void note_refusal(struct item *item)
{
	if (!item->build.reason)
		return;
	free(item->refusal);
	item->refusal = copy(item->build.reason);
}

/* After a look. */
static void judge_look(struct item *item)
{
	const struct occ_probe_build *build = &item->build;

	item->looks = false;
	if (build->result == OCC_PROBE_UNCACHEABLE)
		note_refusal(item);
	if (build->built && build->result == OCC_PROBE_HIT) {
		end_item(item, item->compiles ? OUTCOME_STORED : OUTCOME_THERE,
			 NULL);
		item->hash = build->hash ? copy(build->hash) : NULL;
	} else if (item->compiles >= COMPILES_MAX)
		end_item(item, OUTCOME_NOT_STORED,
			 item->refusal ? item->refusal : "it isn't served");
}

/* Of a driver that has to be learnt, a look and a compile say two things. */
static bool is_final(const struct item *item, const char *reason)
{
	return item->compiles >= COMPILES_MAX ||
	       (item->refusal && reason && !strcmp(item->refusal, reason));
}

/* After a compile: was it one at all? */
static void judge_compile(struct item *item)
{
	const struct occ_probe_build *build = &item->build;

	item->looks = true;
	if (!build->built) {
		end_item(item, OUTCOME_FAILED, build->error);
		item->log = *build->log ? copy(build->log) : NULL;
	} else if (build->result == OCC_PROBE_UNCACHEABLE &&
		   is_final(item, build->reason)) {
		end_item(item, OUTCOME_NOT_STORED, build->reason);
	} else {
		note_refusal(item);
	}
}

/* The child has ended. */
static void take_item(struct item *item)
{
	struct occ_probe_build *build = &item->build;
	char *reason = occ_child_reason(&build->child);

	occ_probe_build_finish(build);
	item->runs = false;
	/* A look may fail in any way: what counts is the compile. */
	if (item->looks)
		judge_look(item);
	else if (build->child.how != OCC_CHILD_EXITED || build->child.status)
		end_item(item, OUTCOME_FAILED, reason);
	else
		judge_compile(item);
	free(reason);
	occ_probe_build_release(build);
}

static void write_log(const char *log)
{
	const char *end;

	for (; *log; log = *end ? end + 1 : end) {
		end = strchrnul(log, '\n');
		fputs("    ", stdout);
		occ_screen_write(stdout, log, (size_t)(end - log), true);
		putchar('\n');
	}
}

static void show_item(const struct item *item)
{
	occ_progress_hide();
	printf("%s%-10s%s  ",
	       occ_screen_colour(STDOUT_FILENO, outcomes[item->outcome].colour),
	       outcomes[item->outcome].word,
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
	occ_screen_write(stdout, item->source->name, strlen(item->source->name),
			 true);
	if (*item->build.options)
		putchar(' ');
	occ_screen_write(stdout, item->build.options,
			 strlen(item->build.options), true);
	fputs(" on ", stdout);
	occ_screen_write(stdout, item->device, strlen(item->device), true);
	if (item->why) {
		fputs(": ", stdout);
		occ_screen_write(stdout, item->why, strlen(item->why), true);
	}
	putchar('\n');
	if (item->log)
		write_log(item->log);
	fflush(stdout);
}

/* In the order of the items, as far as they are done. */
static void show_done(struct prewarm *prewarm)
{
	while (prewarm->shown < prewarm->count) {
		const struct item *item = &prewarm->items[prewarm->shown];

		if (item->outcome == OUTCOME_NONE)
			return;
		prewarm->shown++;
		prewarm->counts[item->outcome]++;
		if (!prewarm->quiet || item->outcome == OUTCOME_FAILED ||
		    item->outcome == OUTCOME_NOT_STORED)
			show_item(item);
	}
}

/* Starts what isn't done, up to the number of jobs; gives who runs. */
static size_t start_items(struct prewarm *prewarm, struct occ_child **children)
{
	size_t running = 0;

	for (size_t i = prewarm->shown; i < prewarm->count; i++) {
		struct item *item = &prewarm->items[i];

		if (running == prewarm->jobs)
			break;
		if (item->outcome != OUTCOME_NONE)
			continue;
		if (!item->runs)
			start_item(item);
		children[running++] = &item->build.child;
	}
	return running;
}

static struct item *item_of(const struct prewarm *prewarm,
			    const struct occ_child *child)
{
	for (size_t i = prewarm->shown; i < prewarm->count; i++)
		if (&prewarm->items[i].build.child == child)
			return &prewarm->items[i];
	return NULL;
}

/* A child that couldn't be started has ended, too. */
static struct item *next_ended(const struct prewarm *prewarm,
			       struct occ_child **children, size_t running)
{
	for (size_t i = 0; i < running; i++)
		if (children[i]->how != OCC_CHILD_RUNNING)
			return item_of(prewarm, children[i]);
	return item_of(prewarm, occ_child_wait_any(children, running));
}

static void work(struct prewarm *prewarm)
{
	struct occ_child **children =
		occ_message_must(calloc(prewarm->jobs, sizeof(*children)));

	occ_progress_begin("Compiling", "programs", prewarm->count);
	while (prewarm->shown < prewarm->count && !occ_child_interrupted()) {
		size_t running = start_items(prewarm, children);
		struct item *item = next_ended(prewarm, children, running);

		take_item(item);
		if (item->outcome != OUTCOME_NONE)
			occ_progress_step(1);
		else
			occ_progress_step(0);
		if (!occ_child_interrupted())
			show_done(prewarm);
	}
	/* All others are ended in the same way. */
	while (occ_child_interrupted()) {
		size_t running = 0;
		struct occ_child *child;

		for (size_t i = 0; i < prewarm->count; i++)
			if (prewarm->items[i].runs && running < prewarm->jobs)
				children[running++] =
					&prewarm->items[i].build.child;
		child = occ_child_wait_any(children, running);
		if (!child)
			break;
	}
	occ_progress_end();
	free(children);
}

static bool is_to_upgrade(const struct prewarm *prewarm)
{
	struct occ_preferences preferences;
	bool is;

	if (occ_arguments_has(prewarm->arguments, "no-upgrade"))
		return false;
	occ_preferences_read(&preferences);
	is = occ_preferences_number(&preferences, OCC_SETTING_UPGRADE);
	occ_preferences_release(&preferences);
	return is;
}

/*
 * What is there now gets device code. That it can't be made is shown, but
 * without it programs are served, too. False: it couldn't even be tried.
 */
static bool upgrade(const struct prewarm *prewarm)
{
	const char **hashes =
		occ_message_must(calloc(prewarm->count, sizeof(*hashes)));
	struct occ_upgrading upgrading = {.quiet = prewarm->quiet,
					  .hashes = hashes};
	bool good = true;

	for (size_t i = 0; i < prewarm->count; i++)
		if (prewarm->items[i].is_nvidias && prewarm->items[i].hash)
			hashes[upgrading.hash_count++] = prewarm->items[i].hash;
	if (upgrading.hash_count && is_to_upgrade(prewarm)) {
		upgrading.store =
			occ_place_open_to_fill(prewarm->arguments, true);
		good = upgrading.store && occ_upgrading_run(&upgrading);
		if (good && !prewarm->quiet)
			printf("%zu upgraded, %zu left\n", upgrading.done,
			       upgrading.failed + upgrading.left);
		if (upgrading.store)
			occ_store_close(upgrading.store);
	}
	free(hashes);
	return good;
}

static int summarise(const struct prewarm *prewarm)
{
	const size_t *counts = prewarm->counts;
	size_t bad = counts[OUTCOME_FAILED] + counts[OUTCOME_NOT_STORED];

	if (!prewarm->quiet)
		printf("%zu stored, %zu there before, %zu failed, %zu not "
		       "stored\n",
		       counts[OUTCOME_STORED], counts[OUTCOME_THERE],
		       counts[OUTCOME_FAILED], counts[OUTCOME_NOT_STORED]);
	return bad ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static void release(struct prewarm *prewarm)
{
	for (size_t i = 0; i < prewarm->count; i++) {
		struct item *item = &prewarm->items[i];

		if (item->runs)
			occ_probe_build_release(&item->build);
		free((char *)item->build.trace);
		free(item->refusal);
		free(item->hash);
		free(item->why);
		free(item->log);
	}
	for (size_t i = 0; i < prewarm->source_count; i++)
		free(prewarm->sources[i].bytes);
	free(prewarm->items);
	free(prewarm->sources);
	free(prewarm->wanted);
	free(prewarm->directory);
	occ_probe_survey_release(&prewarm->survey);
	occ_scratch_remove(prewarm->scratch);
}

static bool begin(struct prewarm *prewarm)
{
	char *layer;

	if (!can_store() || !read_sources(prewarm))
		return false;
	layer = occ_layer_path();
	if (!layer) {
		occ_layer_complain();
		return false;
	}
	free(layer);
	prewarm->directory = occ_place_directory(prewarm->arguments);
	if (!prewarm->directory || !occ_place_make(prewarm->directory))
		return false;
	occ_child_catch_signals();
	prewarm->scratch = occ_scratch_make();
	if (!prewarm->scratch || !find_devices(prewarm) ||
	    !choose_devices(prewarm))
		return false;
	make_items(prewarm);
	return true;
}

/* False after an error. */
static bool read_jobs(const struct occ_arguments *arguments, size_t *ret_jobs)
{
	const char *value = occ_arguments_value(arguments, "jobs");
	long number = sysconf(_SC_NPROCESSORS_ONLN);
	char *end;

	if (value) {
		number = strtol(value, &end, 10);
		if (!*value || *end || number < 1 || number > JOBS_MAX) {
			occ_message_error("--jobs %s: use a number from 1 to "
					  "%d",
					  value, JOBS_MAX);
			return false;
		}
	}
	*ret_jobs = number < 1 ? 1 : (size_t)number;
	return true;
}

static int run(const struct occ_arguments *arguments)
{
	struct prewarm prewarm = {
		.arguments = arguments,
		.quiet = occ_arguments_has(arguments, "quiet"),
	};
	int status = OCC_EXIT_FAILED;

	if (!arguments->operand_count) {
		occ_message_error("prewarm: name the files with the sources; "
				  "see 'oclcache prewarm --help'");
		return OCC_EXIT_USAGE;
	}
	if (!read_jobs(arguments, &prewarm.jobs))
		return OCC_EXIT_USAGE;
	if (begin(&prewarm)) {
		work(&prewarm);
		if (!occ_child_interrupted()) {
			status = summarise(&prewarm);
			if (!upgrade(&prewarm))
				status = OCC_EXIT_FAILED;
		}
	}
	release(&prewarm);
	occ_child_pass_interrupt();
	return status;
}

static const struct occ_option options[] = {
	{"options", 'o', "OPTIONS",
	 "build options; several times: each file with each"},
	{"device", 'd', "TEXT", "only devices with TEXT in their name"},
	{"jobs", 'j', "N", "processes at once, default: one per processor"},
	OCC_PLACE_OPTION,
	{"no-upgrade", 0, NULL, "not 'oclcache upgrade' for what was stored"},
	{"quiet", 'q', NULL, "only say what fails"},
	{NULL},
};

const struct occ_command occ_command_prewarm = {
	.name = "prewarm",
	.summary = "compile sources into the store",
	.operands = "FILE...",
	.details =
		"Compiles each file with each of the --options on each device, "
		"so that programs\nwhich build the same find it. A file named "
		"*.spv is SPIR-V. Includes are looked\nfor as for a program "
		"that is started here.\n"
		"\n"
		"The same is: the bytes of the file as one string, and the "
		"options byte for byte.\nPrograms that change the source "
		"before "
		"they build it, or give it in several\nstrings, build "
		"something else: run them once with OCLCACHE_STORE=eager.\n"
		"Do so with PoCL, too, if first launches matter: there a "
		"kernel's first launch\ngoes on compiling, and here kernels "
		"are created but not launched.",
	.options = options,
	.run = run,
};
