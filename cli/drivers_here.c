/* SPDX-License-Identifier: MIT */
#include "cli/drivers_here.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "cache/name.h"
#include "cli/learn.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/registrations.h"
#include "cli/scratch.h"
#include "cli/text.h"

/*
 * A driver that isn't known is noted in the first process, learnt and stored in
 * the second.
 */
#define PROCESSES 3

char *occ_drivers_here_objects(const char *scratch, size_t device)
{
	return occ_text("%s/objects.%zu", scratch, device);
}

static int is_entry(const struct dirent *file)
{
	return occ_name_kind(file->d_name) == OCC_NAME_ENTRY;
}

/* Any entry there, if there is one. */
static bool read_entry(const char *directory, struct occ_entry_file *entry)
{
	struct dirent **names = NULL;
	int count = scandir(directory, &names, is_entry, alphasort);
	int place = occ_file_open_directory(directory);
	bool read = false;

	for (int i = 0; i < count; i++) {
		read = read ||
		       (place >= 0 &&
			!occ_entry_file_read(place, names[i]->d_name, false,
					     OCC_ENTRY_FILE_WHOLE, entry));
		free(names[i]);
	}
	free(names);
	occ_file_close(place);
	return read;
}

/* All of a small file, with a NUL; "" where there is none. To be freed. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text ? text : occ_message_must(strdup(""));
}

static void note_registered(const char *file, const char *library, void *data)
{
	const char *name = basename(library);

	(void)file;
	occ_buffer_append(data, name, strlen(name) + 1);
}

static char *why_not(const struct occ_probe_survey *survey)
{
	if (survey->child.how != OCC_CHILD_EXITED || survey->child.status)
		return occ_child_reason(&survey->child);
	if (survey->error)
		return occ_message_must(strdup(survey->error));
	if (survey->count && !*survey->layer)
		return occ_text("the loader doesn't load the layer");
	/* Every entry would be stale where drivers are only being updated. */
	if (!survey->count && !survey->without_count)
		return occ_text("no OpenCL driver was found");
	return NULL;
}

void occ_drivers_here_read(const struct occ_probe_survey *survey,
			   const char *scratch,
			   struct occ_drivers_here *ret_here)
{
	struct occ_drivers_here here = {.why_not = why_not(survey),
					.count = survey->count};

	here.devices = occ_message_must(
		calloc(survey->count + 1, sizeof(*here.devices)));
	for (size_t i = 0; i < survey->count; i++) {
		struct occ_driver_here *device = &here.devices[i];
		char *directory = occ_learn_directory(scratch, i);
		char *objects = occ_drivers_here_objects(scratch, i);

		device->platform =
			occ_message_must(strdup(survey->devices[i].platform));
		device->is_known = read_entry(directory, &device->entry);
		device->objects = read_text(objects);
		free(objects);
		free(directory);
	}
	for (size_t i = 0; i < survey->without_count; i++)
		occ_buffer_append(&here.without, survey->without[i],
				  strlen(survey->without[i]) + 1);
	occ_registrations_visit("", note_registered, &here.registered, NULL);
	if (here.without.failed || here.registered.failed)
		occ_message_no_memory();
	*ret_here = here;
}

static bool has_entry(const char *directory)
{
	struct occ_entry_file entry = {0};
	bool has = read_entry(directory, &entry);

	occ_entry_file_release(&entry);
	return has;
}

static void build(size_t device, const char *scratch)
{
	char *directory = occ_learn_directory(scratch, device);
	char *objects = occ_drivers_here_objects(scratch, device);
	char *trace = occ_text("%s/trace", scratch);

	occ_learn_build(&(struct occ_learn_build){
		.device = device,
		.directory = directory,
		.trace = trace,
		.objects = objects,
		.processes = PROCESSES,
		.is_enough = has_entry,
	});
	free(trace);
	free(objects);
	free(directory);
}

bool occ_drivers_here_find(struct occ_drivers_here *ret_here)
{
	struct occ_probe_survey survey = {.library = OCC_LOADER_NAME,
					  .with_layer = true};
	char *scratch = occ_scratch_make();

	if (!scratch)
		return false;
	occ_progress_begin("Looking at drivers", NULL, 0);
	occ_probe_survey(&survey);
	for (size_t i = 0; i < survey.count && !occ_child_interrupted(); i++)
		build(i, scratch);
	occ_progress_end();
	occ_drivers_here_read(&survey, scratch, ret_here);
	occ_probe_survey_release(&survey);
	occ_scratch_remove(scratch);
	return true;
}

void occ_drivers_here_release(struct occ_drivers_here *here)
{
	for (size_t i = 0; i < here->count; i++) {
		occ_entry_file_release(&here->devices[i].entry);
		free(here->devices[i].platform);
		free(here->devices[i].objects);
	}
	free(here->devices);
	free(here->why_not);
	occ_buffer_release(&here->without);
	occ_buffer_release(&here->registered);
}

int64_t occ_driver_here_changed(const struct occ_driver_here *driver,
				struct occ_span name)
{
	int64_t latest = INT64_MIN, found = INT64_MIN;
	struct stat status;

	for (const char *at = driver->objects; *at;) {
		size_t length = strcspn(at, "\n");
		char *path = occ_message_must(strndup(at, length));
		const char *file = basename(path);

		if (!stat(path, &status)) {
			int64_t changed = status.st_ctim.tv_sec;

			if (changed > latest)
				latest = changed;
			if (changed > found && name.size &&
			    !strncmp(file, (const char *)name.data, name.size))
				found = changed;
		}
		free(path);
		at += length + (at[length] == '\n');
	}
	return found > INT64_MIN ? found : latest;
}
