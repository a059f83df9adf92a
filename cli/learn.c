/* SPDX-License-Identifier: MIT */
#include "cli/learn.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/driver/driver.h"
#include "cache/file.h"
#include "cache/state.h"
#include "cache/traits.h"
#include "cli/child.h"
#include "cli/include_probe.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/probe.h"
#include "cli/scratch.h"
#include "cli/store_path.h"
#include "cli/text.h"

/* A first process notes the driver, and a second one examines it. */
#define PROCESSES 2

/* s; of machines that are busy, too. */
#define LIMIT	  120

/* s, from one time in the background to the next. */
#define AGAIN	  3600

char *occ_learn_directory(const char *scratch, size_t device)
{
	return occ_text("%s/store.%zu", scratch, device);
}

bool occ_learn_is_known(const struct occ_probe_device *device)
{
	return occ_driver_of_device(device->platform, device->driver_version,
				    device->types) != NULL;
}

static void note_no_includes(const char *platform, const char *why)
{
	occ_message_note("%s: sources that include files are not cached there, "
			 "because of %s",
			 platform, why);
}

/*
 * Of a driver with a cache of its own that is known, what turns that on is, and
 * that it overlooks what is included: nothing need be tried.
 */
static enum occ_search find_search(const char *platform, size_t device,
				   const char *scratch)
{
	const struct occ_driver *record = occ_driver_of_platform(platform);
	char *directory, *what = NULL;
	enum occ_search search = OCC_SEARCH_UNKNOWN;

	if (record && record->cache) {
		note_no_includes(platform, "its own cache");
		return OCC_SEARCH_OTHER;
	}
	directory = occ_text("%s/includes.%zu", scratch, device);
	if (!mkdir(directory, 0700))
		search = occ_include_probe(device, directory, &what);
	if (search == OCC_SEARCH_OTHER)
		note_no_includes(platform, what);
	free(what);
	free(directory);
	return search;
}

bool occ_learn_is_news(const char *scratch, size_t device,
		       struct occ_store *store)
{
	char *directory = occ_learn_directory(scratch, device);
	struct occ_store *from = occ_store_open(directory, 0, false);
	bool news = from && occ_traits_lack_search(store, from);

	if (from)
		occ_store_close(from);
	free(directory);
	return news;
}

/* False after an error was shown. */
static bool keep_device(const struct occ_probe_survey *survey, size_t device,
			const char *scratch, struct occ_store *store,
			size_t *ret_count)
{
	char *directory = occ_learn_directory(scratch, device);
	struct occ_store *from = occ_store_open(directory, 0, false);
	enum occ_search search;
	int error = OCC_OK;

	*ret_count = 0;
	if (from && occ_traits_lack_search(store, from)) {
		search = find_search(survey->devices[device].platform, device,
				     scratch);
		error = occ_traits_save_search(from, search);
	}
	if (from && !error)
		error = occ_traits_take_over(store, from, ret_count);
	if (error)
		occ_store_path_fail(occ_store_directory(store), error);
	if (from)
		occ_store_close(from);
	free(directory);
	return !error;
}

bool occ_learn_keep(const struct occ_probe_survey *survey, const char *scratch,
		    struct occ_store *store, size_t *ret_count)
{
	bool kept = true;
	size_t count;

	*ret_count = 0;
	for (size_t i = 0; i < survey->count && kept; i++) {
		kept = keep_device(survey, i, scratch, store, &count);
		*ret_count += count;
	}
	return kept;
}

void occ_learn_build(const struct occ_learn_build *wanted)
{
	/* No driver's own cache has it. */
	char *source = occ_text("__kernel void oclcache_learn(__global uint "
				"*result)\n{ result[0] = %" PRIu32 "u; }\n",
				(uint32_t)occ_file_unique());
	struct occ_probe_build build = {
		.device = wanted->device,
		.source = source,
		.size = strlen(source),
		.options = "",
		.directory = wanted->directory,
		.store = "eager",
		.mode = "readwrite",
		.alone = true,
		.limit = LIMIT,
		.trace = wanted->trace,
		.objects = wanted->objects,
	};
	struct occ_child *child = &build.child;
	bool goes_on = true;

	for (unsigned i = 0; i < wanted->processes && goes_on; i++) {
		occ_probe_build_start(&build);
		occ_child_wait_any(&child, 1);
		occ_probe_build_finish(&build);
		goes_on = build.built && !occ_child_interrupted() &&
			  (!wanted->is_enough ||
			   !wanted->is_enough(wanted->directory));
		occ_probe_build_release(&build);
	}
	free(source);
}

static void learn_devices(const struct occ_probe_survey *survey,
			  const char *scratch)
{
	char *trace = occ_text("%s/trace", scratch);
	struct occ_learn_build build = {.trace = trace, .processes = PROCESSES};

	for (size_t i = 0; i < survey->count && !occ_child_interrupted(); i++) {
		const struct occ_probe_device *device = &survey->devices[i];
		char *directory;

		if (occ_learn_is_known(device))
			continue;
		directory = occ_learn_directory(scratch, i);
		build.device = i;
		build.directory = directory;
		occ_learn_build(&build);
		free(directory);
	}
	free(trace);
}

/* Is it our turn? Then the next one's is an hour from now. */
struct turn {
	int64_t now;
	bool is_ours;
};

static bool take_turn(struct occ_span last, struct occ_buffer *ret_this,
		      void *data)
{
	struct turn *turn = data;
	int64_t then = 0;

	if (last.size == sizeof(then))
		memcpy(&then, last.data, sizeof(then));
	/* A time to come is of a clock that was set back. */
	turn->is_ours = then > turn->now || turn->now - then >= AGAIN;
	if (turn->is_ours)
		occ_buffer_append(ret_this, &turn->now, sizeof(turn->now));
	return turn->is_ours;
}

static bool is_due(struct occ_store *store)
{
	struct turn turn = {.now = occ_file_now()};

	return !occ_state_update(store, "learning", take_turn, &turn) &&
	       turn.is_ours;
}

void occ_learn_drivers(void)
{
	static const struct occ_arguments none;
	struct occ_probe_survey survey = {.library = OCC_LOADER_NAME,
					  .with_layer = true};
	struct occ_store *store = occ_store_path_open(&none, true);
	char *scratch = store && is_due(store) ? occ_scratch_make() : NULL;
	size_t count;

	if (scratch) {
		occ_probe_survey(&survey);
		learn_devices(&survey, scratch);
		occ_learn_keep(&survey, scratch, store, &count);
		occ_probe_survey_release(&survey);
		occ_scratch_remove(scratch);
	}
	if (store)
		occ_store_close(store);
}
