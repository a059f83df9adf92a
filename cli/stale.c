/* SPDX-License-Identifier: MIT */
#include "cli/stale.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cli/driver_parts.h"
#include "cli/message.h"
#include "cli/parallel_for.h"
#include "cli/progress.h"
#include "cli/store_database.h"
#include "cli/store_path.h"

/* s: programs that run on with the former driver use entries after an update.
 */
#define SLACK 3600

struct search {
	const struct occ_drivers_here *here;
	struct occ_driver_parts *parts; /* of each of its devices */
	bool all_machines;
	int directory;
	bool or_roots;
	struct occ_stale *stale;
	bool *machines; /* of each item: only another machine has it */
	struct occ_entry_file files[OCC_PARALLEL_MAX];
};

static bool has_string(const struct occ_buffer *strings, struct occ_span text)
{
	const char *at = (const char *)strings->data;
	const char *end = at + strings->size;

	for (; at < end; at += strlen(at) + 1)
		if (strlen(at) == text.size &&
		    !memcmp(at, text.data, text.size))
			return true;
	return false;
}

/* Which CPU an entry was made for. */
enum cpu {
	CPU_THIS, /* or it is for no CPU */
	CPU_ANOTHER,
	CPU_UNKNOWN, /* no device here is one */
};

static enum cpu compare_cpu(const struct search *search,
			    const struct occ_driver_parts *entry)
{
	enum cpu cpu = CPU_UNKNOWN;

	if (!entry->cpu.size)
		return CPU_THIS;
	for (size_t i = 0; i < search->here->count; i++) {
		if (!search->here->devices[i].is_known ||
		    !search->parts[i].cpu.size)
			continue;
		if (occ_span_equal(search->parts[i].cpu, entry->cpu))
			return CPU_THIS;
		cpu = CPU_ANOTHER;
	}
	return cpu;
}

/* Was the entry of use long after all that differs came here? */
static bool is_in_use(const struct occ_driver_here *driver,
		      const struct occ_driver_parts *here,
		      const struct occ_driver_parts *entry, int64_t used)
{
	struct occ_driver_parts_cursor cursor = {0};
	int64_t latest = INT64_MIN, changed;
	struct occ_span name;

	while (occ_driver_parts_next_difference(entry, here, &cursor, &name)) {
		changed = occ_driver_here_changed(driver, name);
		if (changed > latest)
			latest = changed;
	}
	return latest == INT64_MIN || used - SLACK > latest;
}

/* What a device here says of an entry of its platform. */
static enum occ_stale_why compare(const struct search *search, size_t device,
				  const struct occ_driver_parts *entry,
				  int64_t used)
{
	const struct occ_driver_parts *here = &search->parts[device];
	struct occ_driver_parts_cursor cursor = {0};
	struct occ_span name;

	if (!occ_driver_parts_same_version(entry, here))
		return OCC_STALE_VERSION;
	if (!occ_driver_parts_next_difference(entry, here, &cursor, &name) ||
	    is_in_use(&search->here->devices[device], here, entry, used))
		return OCC_STALE_NOT;
	return OCC_STALE_PARTS;
}

static enum occ_stale_why judge(const struct search *search,
				const struct occ_driver_parts *entry,
				int64_t used)
{
	const struct occ_drivers_here *here = search->here;
	enum occ_stale_why why = OCC_STALE_GONE, one;

	if (has_string(&here->without, entry->platform))
		return OCC_STALE_NOT;
	for (size_t i = 0; i < here->count; i++) {
		const struct occ_driver_here *device = &here->devices[i];

		if (strlen(device->platform) != entry->platform.size ||
		    memcmp(device->platform, entry->platform.data,
			   entry->platform.size) != 0)
			continue;
		one = device->is_known ? compare(search, i, entry, used)
				       : OCC_STALE_NOT;
		if (one == OCC_STALE_NOT)
			return OCC_STALE_NOT;
		/* The nearest of several counts. */
		if (why != OCC_STALE_PARTS)
			why = one;
	}
	if (why == OCC_STALE_GONE &&
	    occ_driver_parts_has_any(entry, &here->registered))
		return OCC_STALE_NOT;
	return why;
}

/* Long fields are only in the whole file. */
static bool read_parts(const struct search *search, const char *name,
		       struct occ_entry_file *file,
		       struct occ_driver_parts *ret_parts)
{
	enum occ_entry_file_depth depth = OCC_ENTRY_FILE_SUMMARY;

	if (occ_entry_file_read(search->directory, name, search->or_roots,
				depth, file))
		return false;
	if (occ_driver_parts_take(file, depth, ret_parts))
		return true;
	depth = OCC_ENTRY_FILE_WHOLE;
	return !occ_entry_file_read(search->directory, name, search->or_roots,
				    depth, file) &&
	       occ_driver_parts_take(file, depth, ret_parts);
}

static void look(size_t index, unsigned worker, void *data)
{
	struct search *search = data;
	const struct occ_item *item = &search->stale->catalogue.items[index];
	struct occ_entry_file *file = &search->files[worker];
	struct occ_driver_parts parts;
	enum occ_stale_why why;
	enum cpu cpu;

	occ_progress_step(1);
	if (item->fault || !read_parts(search, item->file->name, file, &parts))
		return;
	why = judge(search, &parts, item->file->used.tv_sec);
	cpu = compare_cpu(search, &parts);
	/* Drivers may be the same on both. */
	if (cpu == CPU_ANOTHER && why == OCC_STALE_NOT)
		why = OCC_STALE_MACHINE;
	search->machines[index] = cpu != CPU_THIS && why != OCC_STALE_NOT;
	if (!search->machines[index] || search->all_machines)
		search->stale->whys[index] = why;
}

static void count_driver(struct occ_stale *stale, const struct occ_item *item,
			 enum occ_stale_why why)
{
	struct occ_stale_driver *driver = stale->drivers;
	size_t i = 0;

	while (i < stale->driver_count &&
	       (driver[i].why != why ||
		strcmp(driver[i].platform, item->platform) != 0 ||
		strcmp(driver[i].version, item->driver) != 0))
		i++;
	if (i == stale->driver_count) {
		driver = occ_message_must(
			realloc(driver, (i + 1) * sizeof(*driver)));
		stale->drivers = driver;
		stale->driver_count++;
		driver[i] =
			(struct occ_stale_driver){.platform = item->platform,
						  .version = item->driver,
						  .why = why};
	}
	driver[i].count++;
	driver[i].bytes += item->file->size;
	stale->count++;
	stale->bytes += item->file->size;
	stale->lately +=
		stale->catalogue.listing.now - item->file->used.tv_sec <=
		OCC_STALE_LATELY;
}

static void search_all(struct search *search)
{
	struct occ_stale *stale = search->stale;
	const struct occ_drivers_here *here = search->here;
	size_t count = stale->catalogue.count;

	search->parts = occ_message_must(
		calloc(here->count + 1, sizeof(*search->parts)));
	search->machines = occ_message_must(calloc(count + 1, sizeof(bool)));
	for (size_t i = 0; i < here->count; i++)
		if (here->devices[i].is_known)
			occ_driver_parts_take(&here->devices[i].entry,
					      OCC_ENTRY_FILE_WHOLE,
					      &search->parts[i]);
	occ_progress_begin("Comparing", "entries", count);
	occ_parallel_for(count, look, search);
	occ_progress_end();
	for (size_t i = 0; i < count; i++) {
		stale->machines += search->machines[i];
		if (stale->whys[i] != OCC_STALE_NOT)
			count_driver(stale, &stale->catalogue.items[i],
				     stale->whys[i]);
	}
	for (unsigned i = 0; i < OCC_PARALLEL_MAX; i++)
		occ_entry_file_release(&search->files[i]);
	free(search->machines);
	free(search->parts);
}

bool occ_stale_find(struct occ_store *store,
		    const struct occ_selection *selection,
		    const struct occ_drivers_here *here, bool all_machines,
		    struct occ_stale *ret_stale)
{
	struct search search = {
		.here = here,
		.all_machines = all_machines,
		.or_roots = occ_store_is_read_only(store),
		.stale = ret_stale,
	};

	*ret_stale = (struct occ_stale){.count = 0};
	if (!occ_catalogue_read(store, selection, &ret_stale->catalogue))
		return false;
	ret_stale->whys =
		occ_message_must(calloc(ret_stale->catalogue.count + 1,
					sizeof(*ret_stale->whys)));
	if (here->why_not)
		return true;
	if (!occ_store_path_enter(store, &search.directory))
		return false;
	if (search.directory >= 0)
		search_all(&search);
	occ_file_close(search.directory);
	return true;
}

void occ_stale_release(struct occ_stale *stale)
{
	free(stale->whys);
	free(stale->drivers);
	occ_catalogue_release(&stale->catalogue);
}

const char *occ_stale_why_text(enum occ_stale_why why)
{
	static const char *const texts[OCC_STALE_WHYS] = {
		[OCC_STALE_NOT] = "",
		[OCC_STALE_GONE] = "its driver isn't visible here",
		[OCC_STALE_VERSION] =
			"another version of its driver is installed",
		[OCC_STALE_PARTS] = "its driver has changed since",
		[OCC_STALE_MACHINE] = "built for another machine's CPU",
	};

	return texts[why];
}

/* False after an error was shown. */
static bool add_all(const struct occ_stale *stale, struct occ_store *store,
		    struct occ_database *database, int64_t used_within,
		    size_t *ret_count)
{
	int64_t now = stale->catalogue.listing.now;
	struct occ_store_database adding;
	bool added = true;

	if (!occ_store_database_begin(store, database, &stale->catalogue,
				      &adding))
		return false;
	for (size_t i = 0; i < stale->catalogue.count && added; i++) {
		const struct occ_item *item = &stale->catalogue.items[i];

		if (stale->whys[i] == OCC_STALE_NOT ||
		    now - item->file->used.tv_sec > used_within)
			continue;
		(*ret_count)++;
		added = occ_store_database_add(&adding, item->file);
	}
	return occ_store_database_end(&adding) && added;
}

bool occ_stale_add(struct occ_store *store, struct occ_database *database,
		   int64_t used_within, size_t *ret_count)
{
	struct occ_drivers_here here;
	struct occ_stale stale;
	bool found;

	*ret_count = 0;
	if (!occ_drivers_here_find(&here))
		return false;
	if (here.why_not)
		occ_message_error(
			"can't tell which entries are stale, because the "
			"drivers can't be examined: %s; see 'oclcache doctor'",
			here.why_not);
	found = !here.why_not &&
		occ_stale_find(store, NULL, &here, false, &stale);
	if (!here.why_not) {
		found = found && add_all(&stale, store, database, used_within,
					 ret_count);
		occ_stale_release(&stale);
	}
	occ_drivers_here_release(&here);
	return found;
}
