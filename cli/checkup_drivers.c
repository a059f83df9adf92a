/* SPDX-License-Identifier: MIT */
/*
 * The drivers: registered, loadable, with devices, and served.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>

#include "cache/file.h"
#include "cli/checkup.h"
#include "cli/learn.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/probe.h"
#include "cli/progress.h"
#include "cli/registrations.h"
#include "cli/store_path.h"
#include "cli/text.h"
#include "cli/units.h"

#define INSTALL_DRIVER                                                         \
	"install your GPU's driver, or Debian's pocl-opencl-icd for the CPU"

/*
 * A driver that isn't known is noted in the first process, learnt and stored in
 * the second, and served in the third.
 */
#define PROCESSES   3

/* Of the scratch directory: what a test's store and drivers' own files need. */
#define ROOM_MIN    ((uint64_t)4 << 20)

/* s; of machines that are busy, too. */
#define BUILD_LIMIT 120

static int load_driver(void *data)
{
	if (!dlopen(data, RTLD_NOW | RTLD_LOCAL))
		occ_child_say(dlerror());
	return 0;
}

/* `file`: the .icd file that names the library; NULL: a variable does. */
static void look_at_library(const char *file, const char *library, void *data)
{
	const char *name = file ? file : library, *said;
	struct occ_checkup *checkup = data;
	struct occ_child child;
	char *reason = NULL;

	if (occ_child_interrupted())
		return;
	occ_progress_begin(name, NULL, 0);
	occ_child_run(&child, load_driver, (void *)library, OCC_CHILD_LIMIT);
	occ_progress_end();
	said = occ_child_next(&child);
	if (child.how != OCC_CHILD_EXITED)
		said = reason = occ_child_reason(&child);
	if (said)
		occ_checkup_warn(
			checkup,
			file ? "install that driver again, or remove the file"
			     : "check the variable",
			"%s: %s can't be loaded: %s", name, library, said);
	else
		occ_checkup_ok(checkup, "%s: %s can be loaded", name, library);
	free(reason);
	occ_child_release(&child);
}

/* False: there are none. */
static bool look_at_registrations(struct occ_checkup *checkup)
{
	char *from;
	size_t count = occ_registrations_visit(checkup->root, look_at_library,
					       checkup, &from);

	if (!count)
		occ_checkup_problem(checkup, INSTALL_DRIVER,
				    "no driver is registered in %s", from);
	free(from);
	return count > 0;
}

/*
 * What to do where the driver isn't known, and what it took to serve it isn't
 * in the programs' store; NULL: nothing.
 */
static const char *advise_learning(const struct occ_checkup *checkup,
				   const struct occ_probe_device *device,
				   size_t number)
{
	struct occ_store *store;
	char *directory, *why;
	bool by_default, news = false;

	if (occ_learn_is_known(device) ||
	    occ_arguments_has(checkup->arguments, "learn"))
		return NULL;
	directory = occ_store_path_find(checkup->arguments, &by_default, &why);
	if (directory) {
		store = occ_message_must(occ_store_open_read_only(directory));
		news = occ_learn_is_news(checkup->scratch, number, store);
		occ_store_close(store);
	}
	free(directory);
	free(why);
	return news ? "oclcache has no record of this driver; 'oclcache doctor "
		      "--learn' keeps what was just learnt about it, so that "
		      "programs don't have to"
		    : NULL;
}

/*
 * `advice`: what to do where it is served. What `_release` is for has happened
 * when this returns.
 */
static void report_build(struct occ_checkup *checkup, const char *device,
			 struct occ_probe_build *build, uint64_t first,
			 const char *advice)
{
	char *reason = occ_child_reason(&build->child);
	char before[OCC_UNITS_SIZE], now[OCC_UNITS_SIZE];

	if (build->child.how != OCC_CHILD_EXITED || build->child.status)
		occ_checkup_warn(
			checkup,
			"check whether other programs run on it; the driver "
			"may need an update",
			"%s: a test program that built a kernel failed: %s",
			device, reason);
	else if (!build->built)
		occ_checkup_warn(checkup,
				 "check whether other programs run on it; the "
				 "driver may need an update",
				 "%s: a two-line kernel doesn't build: %s",
				 device, build->error);
	else if (build->result == OCC_PROBE_HIT)
		occ_checkup_add(checkup, OCC_CHECKUP_OK, advice,
				"%s: works: the first process took %s, the "
				"second, served from the cache, %s",
				device, occ_units_time(first, before),
				occ_units_time(build->child.took, now));
	else if (build->result == OCC_PROBE_UNCACHEABLE)
		occ_checkup_warn(checkup,
				 "programs on this device compile as they "
				 "would without oclcache",
				 "%s: not served: %s", device,
				 build->reason ? build->reason : "");
	else
		occ_checkup_problem(
			checkup,
			"run 'PrintDebugMessages=1 oclcache run PROGRAM' to "
			"see why",
			"%s: not served: %s", device,
			build->result == OCC_PROBE_NONE
				? "the layer saw no build"
			: build->reason ? build->reason
					: "it was stored, but not found again");
	free(reason);
	occ_probe_build_release(build);
}

/* Builds the same in one process after the other, until it is served. */
static bool try_device(struct occ_checkup *checkup,
		       const struct occ_probe_device *device, size_t number,
		       const char *name, bool *ret_hung)
{
	/* Nobody has it compiled. */
	char *source = occ_text("__kernel void oclcache_doctor(__global uint "
				"*result)\n{ result[0] = %" PRIu32 "u; }\n",
				(uint32_t)occ_file_unique());
	char *store = occ_learn_directory(checkup->scratch, number);
	char *trace = occ_text("%s/trace", checkup->scratch);
	char *objects = occ_drivers_here_objects(checkup->scratch, number);
	struct occ_probe_build build = {
		.device = number,
		.source = source,
		.size = strlen(source),
		.options = "",
		.directory = store,
		.store = "eager",
		.mode = "readwrite",
		.alone = true,
		.limit = BUILD_LIMIT,
		.trace = trace,
		.objects = objects,
	};
	struct occ_child *child = &build.child;
	uint64_t first = 0;
	bool served = false;

	occ_progress_begin(name, NULL, 0);
	for (int i = 0; i < PROCESSES; i++) {
		if (i)
			occ_probe_build_release(&build);
		occ_probe_build_start(&build);
		occ_child_wait_any(&child, 1);
		occ_probe_build_finish(&build);
		if (!i)
			first = build.child.took;
		served = build.built && build.result == OCC_PROBE_HIT;
		if (served || !build.built || occ_child_interrupted())
			break;
	}
	occ_progress_end();
	*ret_hung = build.child.how == OCC_CHILD_TOO_LONG;
	report_build(checkup, name, &build, first,
		     advise_learning(checkup, device, number));
	free(objects);
	free(trace);
	free(store);
	free(source);
	return served;
}

/* Says once for each driver how far it is known, if it wasn't had. */
static void note_driver(struct occ_checkup *checkup, const char *platform)
{
	const struct occ_driver *driver = occ_driver_of_platform(platform);

	for (size_t i = 0; i < OCC_DRIVERS; i++) {
		if (occ_driver_at(i) != driver || checkup->has_driver[i])
			continue;
		checkup->has_driver[i] = true;
		if (driver->from_source)
			occ_checkup_ok(checkup,
				       "%s: known only from its source, so "
				       "oclcache learns its behaviour as it "
				       "does with an unknown driver",
				       platform);
	}
}

static void try_devices(struct occ_checkup *checkup,
			const struct occ_probe_survey *survey)
{
	const char *hung = NULL;
	bool any = false;

	for (size_t i = 0; i < survey->count && !occ_child_interrupted(); i++) {
		const struct occ_probe_device *device = &survey->devices[i];
		bool hangs = false;
		char *name;

		name = occ_text("%s, %s (driver %s)", device->platform,
				device->name, device->driver_version);
		note_driver(checkup, device->platform);
		/* The others of one driver would hang as long. */
		if (!hung || strcmp(hung, device->platform) != 0)
			any |= try_device(checkup, device, i, name, &hangs);
		else
			occ_checkup_warn(
				checkup, NULL,
				"%s: not tried, because its driver hung", name);
		if (hangs)
			hung = device->platform;
		free(name);
	}
	if (!any && !occ_child_interrupted())
		occ_checkup_problem(checkup, "the findings above say why",
				    "no device is served");
}

/*
 * Of drivers that oclcache has no record of, what was learnt now in a store of
 * our own is kept in the programs', so that none of them has to.
 */
static void keep_learnt(struct occ_checkup *checkup,
			const struct occ_probe_survey *survey)
{
	struct occ_store *store =
		occ_store_path_open_to_fill(checkup->arguments, true);
	bool kept = false;
	size_t count;

	occ_progress_begin("Learning", NULL, 0);
	if (store)
		kept = occ_learn_keep(survey, checkup->scratch, store, &count);
	occ_progress_end();
	if (!kept)
		occ_checkup_problem(
			checkup, NULL,
			"can't store what was learnt about drivers");
	else if (count)
		occ_checkup_ok(checkup, "learnt: %zu device%s", count,
			       count == 1 ? "" : "s");
	else
		occ_checkup_ok(checkup, "there was nothing to learn");
	if (store)
		occ_store_close(store);
}

/* Drivers, too, need it, and say odd things without. */
static bool has_room(struct occ_checkup *checkup)
{
	struct statfs disk;
	char left[OCC_UNITS_SIZE];
	uint64_t room;

	if (statfs(checkup->scratch, &disk))
		return true;
	room = (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize;
	/* Some file systems don't say; those have no blocks at all. */
	if (!disk.f_blocks || room >= ROOM_MIN)
		return true;
	occ_units_size(room, left);
	occ_checkup_problem(
		checkup, "make room there, or set TMPDIR to another directory",
		"the directory for temporary files, which contains %s, has "
		"only %s left: drivers might fail, so they are not tried",
		checkup->scratch, left);
	return false;
}

static void look_at_devices(struct occ_checkup *checkup,
			    const struct occ_probe_survey *survey)
{
	const struct occ_child *child = &survey->child;
	char *reason = occ_child_reason(child);

	for (size_t i = 0; i < survey->without_count; i++) {
		const struct occ_driver *driver =
			occ_driver_of_platform(survey->without[i]);

		occ_checkup_add(checkup, OCC_CHECKUP_OK,
				driver ? driver->device_advice : NULL,
				"%s: no device here", survey->without[i]);
	}
	if (child->how != OCC_CHILD_EXITED || child->status)
		occ_checkup_problem(
			checkup,
			"one of the drivers above may be to blame; move its "
			".icd file away and try again",
			"a test program that asked for platforms failed: %s",
			reason);
	else if (survey->error)
		occ_checkup_problem(checkup, "install the loader again",
				    "programs can't use OpenCL: %s",
				    survey->error);
	else if (!survey->count)
		occ_checkup_problem(checkup, INSTALL_DRIVER,
				    "no driver has a device here");
	else if (has_room(checkup))
		try_devices(checkup, survey);
	if (!occ_child_interrupted()) {
		occ_drivers_here_read(survey, checkup->scratch, &checkup->here);
		checkup->has_here = true;
	}
	if (survey->count && occ_arguments_has(checkup->arguments, "learn") &&
	    !occ_child_interrupted())
		keep_learnt(checkup, survey);
	free(reason);
}

void occ_checkup_drivers(struct occ_checkup *checkup)
{
	struct occ_probe_survey survey = {.library = OCC_LOADER_NAME,
					  .with_layer = true};

	occ_checkup_group(checkup, "Drivers");
	if (!look_at_registrations(checkup) || !checkup->has_layer ||
	    !checkup->has_loader || occ_child_interrupted())
		return;
	if (checkup->driver_hangs) {
		occ_checkup_problem(
			checkup,
			"see the findings on loaders; to find out which driver "
			"it is, move the .icd files away one by one",
			"devices are not tried: a driver hung");
		return;
	}
	occ_checkup_survey(checkup, &survey);
	look_at_devices(checkup, &survey);
	occ_probe_survey_release(&survey);
}
