/* SPDX-License-Identifier: MIT */
/*
 * oclcache prewarm: each file, with each of the options, for each device
 * (cli/build_items.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/entry.h"
#include "cache/file.h"
#include "cache/settings.h"
#include "cli/build_items.h"
#include "cli/build_request.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/layer.h"
#include "cli/learn.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/nvidia/nvidia.h"
#include "cli/probe.h"
#include "cli/scratch.h"
#include "cli/screen.h"
#include "cli/store_path.h"
#include "cli/text.h"

#define JOBS_MAX 1024

struct source {
	const char *name;
	void *bytes;
	size_t size;
};

/* What an item is. */
struct combination {
	const struct source *source;
	const char *options; /* NULL: none, as the call has it */
	char *name;
};

struct prewarm {
	const struct occ_arguments *arguments;
	char *directory;
	char *scratch;
	bool recaches; /* what is there is compiled anew */
	bool upgrades;
	struct source *sources;
	size_t source_count;
	struct occ_probe_survey survey;
	bool *wanted; /* of the survey's devices */
	struct combination *combinations; /* of each item */
	struct occ_worker_place here;
	struct occ_build_items items;
};

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

/* False after an error. */
static bool read_settings(struct prewarm *prewarm)
{
	enum occ_setting_id obstacle = OCC_SETTINGS;
	const struct occ_setting_value *found;
	struct occ_settings settings;

	occ_settings_read(&settings);
	if (settings.mode == OCC_MODE_READONLY ||
	    settings.mode == OCC_MODE_REQUIRE)
		obstacle = OCC_SETTING_MODE;
	else if (settings.disabled)
		obstacle = OCC_SETTING_DISABLE;
	else if (!settings.persistent)
		obstacle = OCC_SETTING_PERSISTENT;
	found = obstacle < OCC_SETTINGS ? &settings.values[obstacle] : NULL;
	if (found && found->file)
		occ_message_error(
			"%s:%u: with %s=%s nothing is stored; set %s=default",
			found->file, found->line, found->name, found->text,
			found->name);
	else if (found)
		occ_message_error("with %s=%s nothing is stored; unset it",
				  found->name, found->text);
	prewarm->recaches = settings.mode == OCC_MODE_RECACHE;
	prewarm->upgrades =
		!occ_arguments_has(prewarm->arguments, "no-upgrade") &&
		settings.upgrade;
	occ_settings_release(&settings);
	return !found;
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
			if (strcasestr(survey->devices[i].name, text) ||
			    strcasestr(survey->devices[i].platform, text))
				prewarm->wanted[i] = found = true;
		if (found)
			continue;
		occ_message_error("no device is called '%s'; there %s:", text,
				  survey->count == 1 ? "is" : "are");
		for (size_t i = 0; i < survey->count; i++) {
			const struct occ_probe_device *device =
				&survey->devices[i];

			fputs("  ", stderr);
			occ_screen_write(stderr, device->platform,
					 strlen(device->platform), true);
			fputs(", ", stderr);
			occ_screen_write(stderr, device->name,
					 strlen(device->name), true);
			putc('\n', stderr);
		}
		return false;
	}
	return true;
}

static void add_items(struct prewarm *prewarm, const struct source *source,
		      const char *options)
{
	for (size_t i = 0; i < prewarm->survey.count; i++) {
		const struct occ_probe_device *device =
			&prewarm->survey.devices[i];
		size_t number = prewarm->items.count;
		struct combination *combination =
			&prewarm->combinations[number];

		if (!prewarm->wanted[i])
			continue;
		*combination = (struct combination){
			.source = source,
			.options = options,
			.name = occ_text("%s%s%s", source->name,
					 options && *options ? " " : "",
					 options ? options : "")};
		prewarm->items.items[number] = (struct occ_build_item){
			.name = combination->name,
			.device = device->name,
			.device_number = i,
			.is_nvidias = !strcmp(device->platform,
					      occ_driver_nvidia.platform_name),
			.is_learnt = !occ_learn_is_known(device),
			.stage = prewarm->recaches ? OCC_STAGE_TO_COMPILE
						   : OCC_STAGE_TO_LOOK};
		prewarm->items.count++;
	}
}

/* Of occ_build_items. */
static bool write_request(size_t index, struct occ_buffer *request, void *data)
{
	const struct prewarm *prewarm = data;
	const struct combination *combination = &prewarm->combinations[index];
	const struct source *source = combination->source;

	occ_record_append_number(request, OCC_REQUEST_DEVICE,
				 prewarm->items.items[index].device_number);
	occ_field_append(request, OCC_REQUEST_KERNELS, NULL, 0);
	occ_field_append(request, OCC_REQUEST_STEP, "build", strlen("build"));
	if (occ_text_ends_with(source->name, ".spv")) {
		occ_field_append(request, OCC_BUILD_IL, source->bytes,
				 source->size);
	} else {
		occ_field_append(request, OCC_BUILD_SOURCE, source->bytes,
				 source->size);
		occ_record_append_number(request, OCC_BUILD_SOURCE_LENGTHS,
					 source->size);
	}
	if (combination->options)
		occ_field_append(request, OCC_BUILD_OPTIONS,
				 combination->options,
				 strlen(combination->options));
	return true;
}

static void make_items(struct prewarm *prewarm)
{
	const struct occ_arguments *arguments = prewarm->arguments;
	size_t sets = arguments->given_count + 1, most;

	most = prewarm->source_count * sets * prewarm->survey.count;
	prewarm->combinations = occ_message_must(
		calloc(most, sizeof(*prewarm->combinations)));
	prewarm->items.items = occ_message_must(
		calloc(most, sizeof(*prewarm->items.items)));
	for (size_t i = 0; i < prewarm->source_count; i++) {
		const struct source *source = &prewarm->sources[i];
		size_t position = 0;
		const char *options;

		if (!occ_arguments_has(arguments, "options"))
			add_items(prewarm, source, NULL);
		while ((options = occ_arguments_next(arguments, "options",
						     &position)))
			add_items(prewarm, source, options);
	}
}

/*
 * What is there now gets device code. That it can't be made is shown, but
 * without it programs are served, too. False: it couldn't even be tried.
 */
static bool upgrade(const struct prewarm *prewarm)
{
	const char **hashes =
		occ_message_must(calloc(prewarm->items.count, sizeof(*hashes)));
	struct occ_nvidia_upgrade upgrading = {.quiet = prewarm->items.quiet,
					       .hashes = hashes};
	bool good = true;

	for (size_t i = 0; i < prewarm->items.count; i++) {
		const struct occ_build_item *item = &prewarm->items.items[i];

		if (item->is_nvidias && item->hash)
			hashes[upgrading.hash_count++] = item->hash;
	}
	if (upgrading.hash_count && prewarm->upgrades) {
		upgrading.store =
			occ_store_path_open_to_fill(prewarm->arguments, true);
		good = upgrading.store && occ_nvidia_upgrade(&upgrading);
		if (good && !prewarm->items.quiet)
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
	const size_t *counts = prewarm->items.counts;
	size_t bad =
		counts[OCC_OUTCOME_FAILED] + counts[OCC_OUTCOME_NOT_STORED];

	if (!prewarm->items.quiet)
		printf("%zu stored, %zu there before, %zu failed, %zu not "
		       "stored\n",
		       counts[OCC_OUTCOME_STORED], counts[OCC_OUTCOME_THERE],
		       counts[OCC_OUTCOME_FAILED],
		       counts[OCC_OUTCOME_NOT_STORED]);
	return bad ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static void release(struct prewarm *prewarm)
{
	for (size_t i = 0; i < prewarm->items.count; i++)
		free(prewarm->combinations[i].name);
	free(prewarm->combinations);
	occ_build_items_release(&prewarm->items);
	for (size_t i = 0; i < prewarm->source_count; i++)
		free(prewarm->sources[i].bytes);
	free(prewarm->sources);
	free(prewarm->wanted);
	free(prewarm->directory);
	occ_probe_survey_release(&prewarm->survey);
	occ_scratch_remove(prewarm->scratch);
}

static bool begin(struct prewarm *prewarm)
{
	const struct occ_arguments *arguments = prewarm->arguments;
	char *layer;

	if (!read_settings(prewarm))
		return false;
	prewarm->source_count = arguments->operand_count;
	prewarm->sources = occ_message_must(
		calloc(prewarm->source_count, sizeof(*prewarm->sources)));
	for (size_t i = 0; i < prewarm->source_count; i++)
		if (!read_source(arguments->operands[i], &prewarm->sources[i]))
			return false;
	layer = occ_layer_path();
	if (!layer) {
		occ_layer_complain();
		return false;
	}
	free(layer);
	prewarm->directory = occ_store_path_directory(arguments);
	if (!prewarm->directory || !occ_store_path_make(prewarm->directory))
		return false;
	occ_child_catch_signals();
	prewarm->scratch = occ_scratch_make();
	if (!prewarm->scratch || !find_devices(prewarm) ||
	    !choose_devices(prewarm))
		return false;
	make_items(prewarm);
	prewarm->items.directory = prewarm->directory;
	prewarm->items.scratch = prewarm->scratch;
	prewarm->items.places = &prewarm->here;
	prewarm->items.write = write_request;
	prewarm->items.data = prewarm;
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
		.items = {.quiet = occ_arguments_has(arguments, "quiet"),
			  .is_trusted = true,
			  .keeps_priority = true,
			  .limit = OCC_CHILD_LIMIT_BUILD},
	};
	int status = OCC_EXIT_FAILED;

	if (!arguments->operand_count) {
		occ_message_error("prewarm: name the files with the sources; "
				  "see 'oclcache prewarm --help'");
		return OCC_EXIT_USAGE;
	}
	if (!read_jobs(arguments, &prewarm.items.jobs))
		return OCC_EXIT_USAGE;
	if (begin(&prewarm)) {
		occ_build_items_run(&prewarm.items);
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
	OCC_STORE_PATH_OPTION,
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
		"options byte for byte.\nWithout --options they are NULL; "
		"--options '' gives empty ones, which isn't the\nsame to PoCL. "
		"Programs that change the source before they build it, or give "
		"it\nin several strings, build something else: run them once "
		"with\nOCLCACHE_STORE=eager. Do so with PoCL, too, if first "
		"launches matter: there a\nkernel's first launch goes on "
		"compiling, and here kernels are created but not\nlaunched.",
	.options = options,
	.run = run,
};
