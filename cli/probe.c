/* SPDX-License-Identifier: MIT */
#include "cli/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/driver/driver.h"
#include "cli/build_trace.h"
#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/opencl.h"
#include "cli/text.h"

static void set(const char *name, const char *value)
{
	if (value ? setenv(name, value, 1) : unsetenv(name))
		occ_message_no_memory();
}

/* The path of the layer that this process has loaded, or "". To be freed. */
static char *loaded_layer(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL, *path = NULL;
	size_t size = 0;

	while (maps && !path && getline(&line, &size, maps) >= 0) {
		char *start = strchr(line, '/');
		size_t length = strlen(OCC_LAYER_NAME);
		char *end;

		line[strcspn(line, "\n")] = '\0';
		end = line + strlen(line);
		if (start && (size_t)(end - start) > length &&
		    !strcmp(end - length, OCC_LAYER_NAME))
			path = occ_message_must(strdup(start));
	}
	free(line);
	if (maps)
		fclose(maps);
	return path ? path : occ_message_must(strdup(""));
}

/*
 * Says: error, version, layer, platforms, devices, and each device, and the
 * platforms that have none.
 */
static int survey_child(void *data)
{
	const struct occ_probe_survey *survey = data;
	struct occ_opencl_device *devices;
	const char *error, *version, *const *without;
	size_t count, platforms;
	char *layer;

	if (survey->with_layer && !occ_layer_switch_on())
		return 1;
	error = occ_opencl_load(survey->library);
	if (error ||
	    !occ_opencl_devices(&devices, &count, &platforms, &error)) {
		occ_child_say(error);
		return 0;
	}
	version = occ_opencl_loader_version();
	layer = loaded_layer();
	occ_child_say("");
	occ_child_say(version ? version : "");
	occ_child_say(layer);
	free(layer);
	occ_child_say_number(platforms);
	occ_child_say_number(count);
	for (size_t i = 0; i < count; i++) {
		occ_child_say(devices[i].platform_name);
		occ_child_say(devices[i].name);
		occ_child_say(devices[i].driver_version);
		occ_child_say_number(devices[i].types);
	}
	without = occ_opencl_without(&count);
	occ_child_say_number(count);
	for (size_t i = 0; i < count; i++)
		occ_child_say(without[i]);
	return 0;
}

static const char *next_text(struct occ_child *child)
{
	const char *text = occ_child_next(child);

	return text ? text : "";
}

static size_t next_number(struct occ_child *child)
{
	return strtoul(next_text(child), NULL, 10);
}

static void take_survey(struct occ_probe_survey *survey)
{
	struct occ_child *child = &survey->child;
	const char *error = occ_child_next(child), *types;
	size_t count;

	survey->version = survey->layer = "";
	survey->error = error && !*error ? NULL : error;
	if (!error || *error)
		return;
	survey->version = next_text(child);
	survey->layer = next_text(child);
	survey->platforms = next_number(child);
	count = next_number(child);
	survey->devices =
		occ_message_must(calloc(count + 1, sizeof(*survey->devices)));
	for (size_t i = 0; i < count; i++) {
		struct occ_probe_device *device = &survey->devices[i];

		device->platform = next_text(child);
		device->name = next_text(child);
		device->driver_version = next_text(child);
		types = occ_child_next(child);
		if (!types)
			return;
		device->types = strtoull(types, NULL, 10);
		survey->count++;
	}
	count = next_number(child);
	survey->without =
		occ_message_must(calloc(count + 1, sizeof(*survey->without)));
	for (size_t i = 0; i < count; i++) {
		survey->without[i] = occ_child_next(child);
		if (!survey->without[i])
			return;
		survey->without_count++;
	}
}

void occ_probe_survey(struct occ_probe_survey *survey)
{
	survey->error = NULL;
	survey->platforms = survey->count = survey->without_count = 0;
	survey->devices = NULL;
	survey->without = NULL;
	occ_child_run(&survey->child, survey_child, survey, OCC_CHILD_LIMIT);
	take_survey(survey);
}

void occ_probe_survey_release(struct occ_probe_survey *survey)
{
	free(survey->devices);
	free(survey->without);
	occ_child_release(&survey->child);
}

/* Nothing where it can't be written. */
static void write_objects(const char *path)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	FILE *objects = maps ? fopen(path, "we") : NULL;
	char *line = NULL, *start;
	size_t size = 0;

	while (objects && getline(&line, &size, maps) >= 0)
		if ((start = strchr(line, '/')))
			fputs(start, objects);
	free(line);
	if (objects)
		fclose(objects);
	if (maps)
		fclose(maps);
}

/* Nor must drivers' own caches keep what nobody will ask for again. */
static void set_alone(const char *directory)
{
	const struct occ_driver *driver;

	for (size_t i = 0; (driver = occ_driver_at(i)); i++) {
		char *place;

		if (!driver->cache || !driver->cache->place)
			continue;
		place = occ_text("%s.%s", directory, driver->name);
		set(driver->cache->place, place);
		free(place);
	}
	set("OCLCACHE_CONFIG", "");
	set("OCLCACHE_DISABLE", "0");
	set("OCLCACHE_PERSISTENT", "1");
	set("OCLCACHE_MAX_SIZE", "0");
	set("OCLCACHE_READONLY_DIRS", NULL);
	/* It would have the trial, and be asked for it. */
	set("OCLCACHE_REMOTE", NULL);
}

/* What it says: error, log. */
static int build_child(void *data)
{
	const struct occ_probe_build *job = data;
	struct occ_opencl_device *devices;
	struct occ_opencl_build build = {.source = job->source,
					 .size = job->size,
					 .is_il = job->is_il,
					 .options = job->options};
	size_t count, platforms;
	const char *error;

	set("OCLCACHE_DIR", job->directory);
	set("OCLCACHE_STORE", job->store);
	if (job->mode)
		set("OCLCACHE_MODE", job->mode);
	if (job->alone)
		set_alone(job->directory);
	set("OCLCACHE_LOG_FILE", job->trace);
	set("BinaryCacheTrace", job->untraced ? "0" : "1");
	set("PrintDebugMessages", job->untraced ? "1" : NULL);
	if (!occ_layer_switch_on())
		return 1;
	error = occ_opencl_load(OCC_LOADER_NAME);
	if (!error && occ_opencl_devices(&devices, &count, &platforms, &error))
		error = job->device < count ? NULL : "the device is gone";
	if (!error) {
		build.device = &devices[job->device];
		occ_opencl_build(&build);
		error = build.error;
	}
	if (job->objects)
		write_objects(job->objects);
	occ_child_say(error ? error : "");
	occ_child_say(build.log ? build.log : "");
	return 0;
}

void occ_probe_build_start(struct occ_probe_build *build)
{
	unlink(build->trace);
	build->built = false;
	build->error = build->log = "";
	build->result = OCC_PROBE_NONE;
	build->reason = build->hash = NULL;
	occ_child_start(&build->child, build_child, build, build->limit);
}

static void take_trace(struct occ_probe_build *build)
{
	struct occ_build_trace trace = {0};
	uint64_t offset = 0;

	occ_build_trace_read(&trace, build->trace, &offset);
	unlink(build->trace);
	build->result = trace.result;
	build->reason = trace.reason;
	build->hash = trace.hash;
	trace.reason = trace.hash = NULL;
	occ_build_trace_release(&trace);
}

void occ_probe_build_finish(struct occ_probe_build *build)
{
	const char *error = occ_child_next(&build->child);

	take_trace(build);
	if (!error)
		return;
	build->error = error;
	build->log = next_text(&build->child);
	build->built = !*error;
}

void occ_probe_build_release(struct occ_probe_build *build)
{
	free(build->reason);
	free(build->hash);
	build->reason = build->hash = NULL;
	occ_child_release(&build->child);
}
