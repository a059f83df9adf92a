/* SPDX-License-Identifier: MIT */
#include "cli/learn.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "cache/file.h"
#include "cache/traits.h"
#include "cli/child.h"
#include "cli/loader.h"
#include "cli/probe.h"
#include "cli/scratch.h"
#include "cli/store_path.h"
#include "cli/text.h"

/* A first process notes the driver, and a second one examines it. */
#define PROCESSES 2

/* s; of machines that are busy, too. */
#define LIMIT	  120

/* The survey doesn't say which. */
#define ANY_TYPE  UINT64_MAX

bool occ_learn_keep(const char *directory, struct occ_store *store,
		    size_t *ret_count)
{
	struct occ_store *from = occ_store_open(directory, 0, false);
	int error;

	*ret_count = 0;
	if (!from)
		return true;
	error = occ_traits_take_over(store, from, ret_count);
	if (error)
		occ_store_path_fail(occ_store_directory(store), error);
	occ_store_close(from);
	return !error;
}

static void learn_device(size_t number, const char *directory,
			 const char *trace)
{
	/* No driver's own cache has it. */
	char *source = occ_text("__kernel void oclcache_learn(__global uint "
				"*result)\n{ result[0] = %" PRIu32 "u; }\n",
				(uint32_t)occ_file_unique());
	struct occ_probe_build build = {
		.device = number,
		.source = source,
		.size = strlen(source),
		.options = "",
		.directory = directory,
		.store = "eager",
		.mode = "readwrite",
		.alone = true,
		.limit = LIMIT,
		.trace = trace,
	};
	struct occ_child *child = &build.child;
	bool good = true;

	for (int i = 0; i < PROCESSES && good; i++) {
		occ_probe_build_start(&build);
		occ_child_wait_any(&child, 1);
		occ_probe_build_finish(&build);
		good = build.built && !occ_child_interrupted();
		occ_probe_build_release(&build);
	}
	free(source);
}

static void learn_devices(const struct occ_probe_survey *survey,
			  const char *directory, const char *trace)
{
	for (size_t i = 0; i < survey->count && !occ_child_interrupted(); i++) {
		const struct occ_probe_device *device = &survey->devices[i];

		if (!occ_driver_of_device(device->platform,
					  device->driver_version, ANY_TYPE))
			learn_device(i, directory, trace);
	}
}

void occ_learn_drivers(void)
{
	static const struct occ_arguments none;
	struct occ_probe_survey survey = {.library = OCC_LOADER_NAME,
					  .with_layer = true};
	struct occ_store *store = occ_store_path_open(&none, true);
	char *scratch = store ? occ_scratch_make() : NULL;
	char *directory, *trace;
	size_t count;

	if (scratch) {
		directory = occ_text("%s/store", scratch);
		trace = occ_text("%s/trace", scratch);
		occ_probe_survey(&survey);
		learn_devices(&survey, directory, trace);
		occ_probe_survey_release(&survey);
		occ_learn_keep(directory, store, &count);
		free(trace);
		free(directory);
		occ_scratch_remove(scratch);
	}
	if (store)
		occ_store_close(store);
}
