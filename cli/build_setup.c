/* SPDX-License-Identifier: MIT */
#include "cli/build_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/settings.h"
#include "cli/child.h"
#include "cli/layer.h"
#include "cli/learn.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/nvidia/nvidia.h"
#include "cli/scratch.h"
#include "cli/screen.h"
#include "cli/store_path.h"

#define JOBS_MAX 1024

/* As OCLCACHE_SKIP would name it. */
#define COMMAND	 "oclcache"

/* False after an error. */
static bool read_settings(struct occ_build_setup *setup)
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
		occ_message_error("%s:%u: %s=%s keeps entries from being "
				  "stored; set %s=default",
				  found->file, found->line, found->name,
				  found->text, found->name);
	else if (found)
		occ_message_error(
			"%s=%s keeps entries from being stored; unset it",
			found->name, found->text);
	setup->recaches = settings.mode == OCC_MODE_RECACHE;
	setup->upgrades = !occ_arguments_has(setup->arguments, "no-upgrade") &&
			  settings.upgrade;
	occ_settings_release(&settings);
	return !found;
}

/* False after an error. */
static bool find_devices(struct occ_build_setup *setup)
{
	struct occ_probe_survey *survey = &setup->survey;
	char *reason;

	*survey = (struct occ_probe_survey){.library = OCC_LOADER_NAME,
					    .with_layer = true};
	occ_probe_survey(survey);
	if (survey->child.how == OCC_CHILD_EXITED && !survey->child.status &&
	    !survey->error && *survey->layer && survey->count)
		return true;
	if (survey->child.how != OCC_CHILD_EXITED || survey->child.status) {
		reason = occ_child_reason(&survey->child);
		occ_message_error(
			"can't look for devices: %s; see 'oclcache doctor'",
			reason);
		free(reason);
	} else {
		occ_message_error("%s; see 'oclcache doctor'",
				  survey->error ? survey->error
				  : !survey->platforms
					  ? "no OpenCL driver is installed"
				  : !*survey->layer
					  ? "the loader doesn't load the layer"
					  : "no driver has a device here");
	}
	return false;
}

/* False after an error. */
static bool choose_devices(struct occ_build_setup *setup)
{
	const struct occ_probe_survey *survey = &setup->survey;
	bool any_given = occ_arguments_has(setup->arguments, "device");
	size_t position = 0;
	const char *text;

	setup->wanted = occ_message_must(calloc(survey->count, sizeof(bool)));
	for (size_t i = 0; i < survey->count; i++)
		setup->wanted[i] = !any_given;
	while ((text = occ_arguments_next(setup->arguments, "device",
					  &position))) {
		bool found = false;

		for (size_t i = 0; i < survey->count; i++)
			if (strcasestr(survey->devices[i].name, text) ||
			    strcasestr(survey->devices[i].platform, text))
				setup->wanted[i] = found = true;
		if (found)
			continue;
		occ_message_error("no device matches '%s'; there %s:", text,
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

static void refuse_skip(const struct occ_setting_value *value, const char *what)
{
	if (value->file)
		occ_message_error(
			"%s:%u: %s=%s keeps entries from being stored %s",
			value->file, value->line, value->name, value->text,
			what);
	else
		occ_message_error(
			"%s=%s keeps entries from being stored %s; unset it",
			value->name, value->text, what);
}

/* What OCLCACHE_SKIP has left alone isn't wanted. False after an error. */
static bool leave_out_skipped(struct occ_build_setup *setup)
{
	struct occ_settings settings;
	size_t length = 0, left = 0;
	bool skips_this = false;

	occ_settings_read(&settings);
	for (const char *item = settings.skip; item;
	     item = occ_settings_next_item(item)) {
		const char *text = occ_settings_item(item, "exe:", &length);

		skips_this |= text && length == strlen(COMMAND) &&
			      !memcmp(text, COMMAND, length);
		text = occ_settings_item(item, "device:", &length);
		for (size_t i = 0; text && i < setup->survey.count; i++) {
			const char *name = setup->survey.devices[i].name;

			if (memmem(name, strlen(name), text, length))
				setup->wanted[i] = false;
		}
	}
	for (size_t i = 0; i < setup->survey.count; i++)
		left += setup->wanted[i];
	if (skips_this)
		refuse_skip(&settings.values[OCC_SETTING_SKIP],
			    "by this command");
	else if (!left)
		refuse_skip(&settings.values[OCC_SETTING_SKIP],
			    "for these devices");
	occ_settings_release(&settings);
	return !skips_this && left;
}

bool occ_build_setup_begin(struct occ_build_setup *setup)
{
	char *layer;

	if (!read_settings(setup))
		return false;
	layer = occ_layer_path();
	if (!layer) {
		occ_layer_complain();
		return false;
	}
	free(layer);
	setup->directory = occ_store_path_directory(setup->arguments);
	if (!setup->directory || !occ_store_path_make(setup->directory))
		return false;
	/* What children build here is no program's. */
	unsetenv("OCLCACHE_RECORD");
	occ_child_catch_signals();
	setup->scratch = occ_scratch_make();
	if (!setup->scratch || !find_devices(setup) || !choose_devices(setup) ||
	    !leave_out_skipped(setup))
		return false;
	/* Children ask what others have compiled, and send what they have. */
	if (!occ_arguments_has(setup->arguments, "dry-run"))
		occ_remote_session_begin(&setup->remote);
	return true;
}

void occ_build_setup_end(struct occ_build_setup *setup)
{
	occ_remote_session_end(&setup->remote, true,
			       occ_arguments_has(setup->arguments, "quiet"));
	free(setup->wanted);
	free(setup->directory);
	occ_probe_survey_release(&setup->survey);
	occ_scratch_remove(setup->scratch);
}

bool occ_build_setup_jobs(const struct occ_arguments *arguments,
			  size_t *ret_jobs)
{
	const char *value = occ_arguments_value(arguments, "jobs");
	long number = sysconf(_SC_NPROCESSORS_ONLN);
	char *end;

	if (value) {
		number = strtol(value, &end, 10);
		if (!*value || *end || number < 1 || number > JOBS_MAX) {
			occ_message_error(
				"--jobs %s: use a number from 1 to %d", value,
				JOBS_MAX);
			return false;
		}
	}
	*ret_jobs = number < 1 ? 1 : (size_t)number;
	return true;
}

void occ_build_setup_item(const struct occ_build_setup *setup, size_t device,
			  struct occ_build_item *ret_item)
{
	const struct occ_probe_device *found = &setup->survey.devices[device];

	*ret_item = (struct occ_build_item){
		.device = found->name,
		.device_number = device,
		.is_nvidias = !strcmp(found->platform,
				      occ_driver_nvidia.platform_name),
		.is_learnt = !occ_learn_is_known(found),
		.stage = setup->recaches ? OCC_STAGE_TO_COMPILE
					 : OCC_STAGE_TO_LOOK};
}

void occ_build_setup_items(const struct occ_build_setup *setup,
			   struct occ_build_items *items)
{
	items->directory = setup->directory;
	items->scratch = setup->scratch;
}

bool occ_build_setup_upgrade(const struct occ_build_setup *setup,
			     const struct occ_build_items *items)
{
	const char **hashes =
		occ_message_must(calloc(items->count, sizeof(*hashes)));
	struct occ_nvidia_upgrade upgrading = {.quiet = items->quiet,
					       .hashes = hashes};
	bool good = true;

	for (size_t i = 0; i < items->count; i++) {
		const struct occ_build_item *item = &items->items[i];

		if (item->is_nvidias && item->hash)
			hashes[upgrading.hash_count++] = item->hash;
	}
	if (upgrading.hash_count && setup->upgrades) {
		upgrading.store =
			occ_store_path_open_to_fill(setup->arguments, true);
		good = upgrading.store && occ_nvidia_upgrade(&upgrading);
		if (good && !items->quiet)
			printf("%zu upgraded, %zu left\n", upgrading.done,
			       upgrading.failed + upgrading.left);
		if (upgrading.store)
			occ_store_close(upgrading.store);
	}
	free(hashes);
	return good;
}
