/* SPDX-License-Identifier: MIT */
/*
 * oclcache clear: removes entries and traces. What the layer remembers of
 * drivers (oclcache.state) stays: it is small, dear, and verified on each use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cli/catalogue.h"
#include "cli/child.h"
#include "cli/clear_forecast.h"
#include "cli/command.h"
#include "cli/delete_entries.h"
#include "cli/entry_contents.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/stale.h"
#include "cli/stale_worth.h"
#include "cli/store_path.h"
#include "cli/units.h"

static bool always(int directory, const struct occ_listing_file *file,
		   void *data)
{
	(void)directory;
	(void)file;
	(void)data;
	return true;
}

static int compare_names(const void *one, const void *other)
{
	return memcmp(*(const char *const *)one, *(const char *const *)other,
		      OCC_DIGEST_HEX_SIZE - 1);
}

/* What was asked for. */
struct choice {
	struct occ_selection selection;
	bool stale;	   /* of that, only what no driver here can load, */
	bool all_machines; /* and other machines' */
	bool dry_run;
	bool forecasts; /* it says first what it frees */
};

static bool is_any(const struct choice *choice)
{
	return choice->stale || occ_selection_is_any(&choice->selection);
}

/*
 * A device's traces are those of its entries: nothing else says whose. What
 * sources include, and what executables took, is no device's; what included
 * files had is the entries' that stay.
 */
static bool is_chosen(const struct choice *choice, const char *const *hashes,
		      size_t count, const struct occ_listing_file *file)
{
	const struct occ_selection *selection = &choice->selection;
	const char *name = file->name;

	if (!occ_name_is_beside(file->kind))
		return !is_any(choice) && (file->kind == OCC_NAME_NEO ||
					   file->kind == OCC_NAME_TEMP);
	if (file->kind == OCC_NAME_INCLUDED)
		return !is_any(choice);
	if (!choice->stale && !occ_selection_needs_entry(selection))
		return occ_selection_has_file(selection, file);
	if (file->kind != OCC_NAME_TRACE)
		return false;
	return bsearch(&name, hashes, count, sizeof(*hashes), compare_names) !=
	       NULL;
}

/* Files that are to go; not const, as those of a listing aren't. */
struct going {
	struct occ_listing_file **files;
	size_t count;
};

static int compare_files(const void *one, const void *other)
{
	const struct occ_listing_file *a = *(struct occ_listing_file **)one;
	const struct occ_listing_file *b = *(struct occ_listing_file **)other;

	return strcmp(a->name, b->name);
}

/* Contents that no entry needs that stays. False after an error was shown. */
static bool add_contents(struct occ_store *store,
			 const struct occ_listing *listing, struct going *going)
{
	struct occ_listing_file **staying =
		occ_message_must(calloc(listing->count + 1, sizeof(*staying)));
	struct occ_entry_contents contents;
	size_t count = 0, entries = going->count;
	int directory;

	qsort(going->files, entries, sizeof(*going->files), compare_files);
	for (size_t i = 0; i < listing->count; i++)
		if (listing->files[i]->kind == OCC_NAME_ENTRY &&
		    !bsearch(&listing->files[i], going->files, entries,
			     sizeof(*going->files), compare_files))
			staying[count++] = listing->files[i];
	if (!occ_store_path_enter(store, &directory)) {
		free(staying);
		return false;
	}
	occ_entry_contents_collect(directory, occ_store_is_read_only(store),
				   staying, count, &contents);
	for (size_t i = 0; i < listing->count; i++)
		if (listing->files[i]->kind == OCC_NAME_INCLUDED &&
		    !occ_entry_contents_has(&contents, listing->files[i]->name))
			going->files[going->count++] = listing->files[i];
	occ_entry_contents_release(&contents);
	occ_file_close(directory);
	free(staying);
	return true;
}

/* `whys`: of each of the catalogue's items; NULL: all go. */
static bool choose(struct occ_store *store, const struct choice *choice,
		   const struct occ_catalogue *catalogue,
		   const enum occ_stale_why *whys, struct going *ret_going)
{
	const struct occ_listing *listing = &catalogue->listing;
	const char **hashes =
		occ_message_must(calloc(catalogue->count + 1, sizeof(*hashes)));
	size_t count;

	ret_going->count = 0;
	ret_going->files = occ_message_must(
		calloc(listing->count + 1, sizeof(*ret_going->files)));
	for (size_t i = 0; i < catalogue->count; i++) {
		if (whys && whys[i] == OCC_STALE_NOT)
			continue;
		hashes[ret_going->count] = catalogue->items[i].hash;
		/* The listing isn't const below the catalogue. */
		ret_going->files[ret_going->count++] =
			(struct occ_listing_file *)catalogue->items[i].file;
	}
	count = ret_going->count;
	qsort(hashes, count, sizeof(*hashes), compare_names);
	for (size_t i = 0; i < listing->count; i++)
		if (is_chosen(choice, hashes, count, listing->files[i]))
			ret_going->files[ret_going->count++] =
				listing->files[i];
	free(hashes);
	return !count || !is_any(choice) ||
	       add_contents(store, listing, ret_going);
}

static bool clear(struct occ_store *store, const struct choice *choice,
		  const struct occ_catalogue *catalogue,
		  const enum occ_stale_why *whys)
{
	struct occ_delete_entries clearance = {.store = store,
					       .dry_run = choice->dry_run};
	struct going going;
	bool done = choose(store, choice, catalogue, whys, &going);

	/* What was used just now isn't old any more. */
	if (!choice->stale && choice->selection.used_before == INT64_MAX)
		clearance.may_go = always;
	if (done) {
		done = occ_delete_entries_run(&clearance, going.files,
					      going.count);
		occ_delete_entries_tell(&clearance);
	}
	free(going.files);
	return done;
}

/* What would have to be compiled once these entries are gone. */
static void tell_successors(struct occ_store *store,
			    const struct occ_stale *stale)
{
	struct occ_stale_worth worth;

	if (!occ_stale_worth(store, stale, INT64_MAX, &worth) ||
	    !worth.programs)
		return;
	printf("%zu of these programs %s stored for a driver here yet: "
	       "'oclcache replay --stale' compiles %s\n",
	       worth.programs, worth.programs == 1 ? "isn't" : "aren't",
	       worth.programs == 1 ? "it" : "them");
}

static void tell_stale(struct occ_store *store, const struct choice *choice,
		       const struct occ_stale *stale)
{
	const struct occ_clear_forecast forecast = {store, &stale->catalogue,
						    stale->whys,
						    choice->dry_run};
	char size[OCC_UNITS_SIZE];

	if (!occ_clear_forecast_show(&forecast, "that no driver here can load"))
		puts("Nothing to free: no entry is known to be stale");
	for (size_t i = 0; i < stale->driver_count; i++) {
		const struct occ_stale_driver *driver = &stale->drivers[i];

		occ_screen_text(driver->platform);
		putchar(' ');
		occ_screen_text(driver->version);
		printf(": %zu %s, %s; %s\n", driver->count,
		       driver->count == 1 ? "entry" : "entries",
		       occ_units_size(driver->bytes, size),
		       occ_stale_why_text(driver->why));
	}
	if (stale->lately)
		printf("%zu of these entries %s " OCC_STALE_ELSEWHERE "\n",
		       stale->lately, stale->lately == 1 ? "was" : "were");
	/* Of a selection it isn't known what else there is. */
	if (!occ_selection_is_any(&choice->selection))
		tell_successors(store, stale);
}

static bool clear_stale(struct occ_store *store, const struct choice *choice)
{
	struct occ_drivers_here here;
	struct occ_stale stale = {.count = 0};
	bool done = false;

	if (!occ_drivers_here_find(&here))
		return false;
	if (here.why_not)
		occ_message_error(
			"nothing was removed, because the drivers can't be "
			"examined: %s; see 'oclcache doctor'",
			here.why_not);
	else if (!occ_child_interrupted() &&
		 occ_stale_find(store, &choice->selection, &here,
				choice->all_machines, &stale)) {
		tell_stale(store, choice, &stale);
		done = clear(store, choice, &stale.catalogue, stale.whys);
		if (stale.machines && !choice->all_machines)
			occ_message_note(
				"%zu %s, perhaps for another machine: %s for a "
				"CPU that no driver here has; --all-machines "
				"removes them, too",
				stale.machines,
				stale.machines == 1 ? "entry stays"
						    : "entries stay",
				stale.machines == 1 ? "it is" : "they are");
	}
	occ_stale_release(&stale);
	occ_drivers_here_release(&here);
	return done;
}

static void tell_unused(struct occ_store *store, const struct choice *choice,
			const struct occ_catalogue *catalogue)
{
	const struct occ_clear_forecast forecast = {store, catalogue, NULL,
						    choice->dry_run};
	char moment[OCC_UNITS_SIZE];
	char since[OCC_UNITS_SIZE + sizeof("not used since ")];

	occ_units_moment(choice->selection.used_before, moment);
	snprintf(since, sizeof(since), "not used since %s", moment);
	if (!occ_clear_forecast_show(&forecast, since))
		printf("Nothing to free: every entry%s was used since %s\n",
		       choice->selection.device ? " for that device" : "",
		       moment);
}

static bool clear_selected(struct occ_store *store, const struct choice *choice)
{
	struct occ_catalogue catalogue;
	bool done;

	if (!occ_catalogue_read(store, &choice->selection, &catalogue))
		return false;
	if (choice->forecasts)
		tell_unused(store, choice, &catalogue);
	done = clear(store, choice, &catalogue, NULL);
	occ_catalogue_release(&catalogue);
	return done;
}

static bool parse(const struct occ_arguments *arguments,
		  struct choice *ret_choice)
{
	*ret_choice = (struct choice){
		.stale = occ_arguments_has(arguments, "stale"),
		.all_machines = occ_arguments_has(arguments, "all-machines"),
		.dry_run = occ_arguments_has(arguments, "dry-run"),
		.forecasts = occ_arguments_has(arguments, "unused-for"),
	};
	if (!occ_arguments_expect(arguments, "clear", 0,
				  "the options choose what is removed; see "
				  "'oclcache clear --help'"))
		return false;
	if (ret_choice->all_machines && !ret_choice->stale) {
		occ_message_error("clear: --all-machines only works together "
				  "with --stale");
		return false;
	}
	return occ_selection_parse(arguments, "clear", &ret_choice->selection);
}

static int run(const struct occ_arguments *arguments)
{
	struct occ_store *store;
	struct choice choice;
	bool done;

	if (!parse(arguments, &choice))
		return OCC_EXIT_USAGE;
	store = occ_store_path_open(arguments, !choice.dry_run);
	if (!store)
		return OCC_EXIT_FAILED;
	if (choice.stale)
		occ_child_catch_signals();
	done = occ_delete_entries_is_store(arguments, store) &&
	       (choice.stale ? clear_stale(store, &choice)
			     : clear_selected(store, &choice));
	occ_store_close(store);
	occ_child_pass_interrupt();
	return done ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	OCC_SELECTION_UNUSED,
	OCC_SELECTION_OLDER,
	OCC_SELECTION_DEVICE,
	{"stale", 0, NULL, "only entries that no installed driver can load"},
	{"all-machines", 0, NULL,
	 "with --stale: also entries for other machines' CPUs"},
	{"dry-run", 'n', NULL, "only show what would be removed"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_clear = {
	.name = "clear",
	.summary = "remove entries",
	.details =
		"Without options, removes all entries and traces, leftovers of "
		"killed writers,\n"
		"and what Intel's driver keeps in the same directory. With "
		"options, removes only\n"
		"matching entries and their traces; --unused-for and "
		"--older-than also remove\n"
		"what is known about included files. What is known about "
		"drivers always stays.\n"
		"Programs may keep running.\n"
		"\n"
		"With --stale, it builds a one-line kernel on each device to "
		"identify its driver.\n"
		"When in doubt, for example if a device is unplugged, it keeps "
		"the entry. To\n"
		"recompile stale entries for the current drivers, first run "
		"'oclcache replay\n"
		"--stale'.",
	.options = options,
	.run = run,
};
