/* SPDX-License-Identifier: MIT */
/*
 * oclcache clear: removes entries and traces. What the layer remembers of
 * drivers (oclcache.state) stays: it is small, dear, and verified on each use.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/catalogue.h"
#include "cli/delete_entries.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/store_path.h"

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

/*
 * A device's traces are those of its entries: nothing else says whose. What
 * sources include, and what executables took, is no device's.
 */
static bool is_chosen(const struct occ_selection *selection,
		      const struct occ_catalogue *catalogue,
		      const char *const *hashes,
		      const struct occ_listing_file *file)
{
	const char *name = file->name;

	if (!occ_name_is_beside(file->kind))
		return !occ_selection_is_any(selection) &&
		       (file->kind == OCC_NAME_NEO ||
			file->kind == OCC_NAME_TEMP);
	if (!occ_selection_needs_entry(selection))
		return occ_selection_has_file(selection, file);
	if (file->kind != OCC_NAME_TRACE)
		return false;
	return bsearch(&name, hashes, catalogue->count, sizeof(*hashes),
		       compare_names) != NULL;
}

static bool clear(struct occ_store *store,
		  const struct occ_selection *selection, bool dry_run)
{
	struct occ_delete_entries clearance = {.store = store,
					       .dry_run = dry_run};
	struct occ_listing_file **files;
	struct occ_catalogue catalogue;
	const char **hashes;
	size_t count = 0;
	bool done;

	if (!occ_catalogue_read(store, selection, &catalogue))
		return false;
	/* What was used just now isn't old any more. */
	if (selection->used_before == INT64_MAX)
		clearance.may_go = always;
	/* The listing isn't const below the catalogue. */
	files = occ_message_must(
		calloc(catalogue.listing.count + 1, sizeof(*files)));
	hashes = occ_message_must(calloc(catalogue.count + 1, sizeof(*hashes)));
	for (size_t i = 0; i < catalogue.count; i++) {
		files[count++] =
			(struct occ_listing_file *)catalogue.items[i].file;
		hashes[i] = catalogue.items[i].hash;
	}
	qsort(hashes, catalogue.count, sizeof(*hashes), compare_names);
	for (size_t i = 0; i < catalogue.listing.count; i++)
		if (is_chosen(selection, &catalogue, hashes,
			      catalogue.listing.files[i]))
			files[count++] = catalogue.listing.files[i];
	done = occ_delete_entries_run(&clearance, files, count);
	occ_delete_entries_tell(&clearance);
	free(hashes);
	free(files);
	occ_catalogue_release(&catalogue);
	return done;
}

static int run(const struct occ_arguments *arguments)
{
	bool dry_run = occ_arguments_has(arguments, "dry-run"), done;
	struct occ_selection selection;
	struct occ_store *store;

	if (arguments->operand_count) {
		occ_message_error("clear: '%s' is too much; it takes options "
				  "only",
				  arguments->operands[0]);
		return OCC_EXIT_USAGE;
	}
	if (!occ_selection_parse(arguments, "clear", &selection))
		return OCC_EXIT_USAGE;
	store = occ_store_path_open(arguments, !dry_run);
	if (!store)
		return OCC_EXIT_FAILED;
	done = occ_delete_entries_is_store(arguments, store) &&
	       clear(store, &selection, dry_run);
	occ_store_close(store);
	return done ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	OCC_SELECTION_OLDER,
	OCC_SELECTION_DEVICE,
	{"dry-run", 'n', NULL, "only say what would go"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_clear = {
	.name = "clear",
	.summary = "remove entries",
	.details =
		"Without options it removes all entries and traces, what was "
		"left of writers that\nwere killed, and what Intel's driver "
		"keeps in the same directory. With options\nonly entries, and "
		"their traces; with --older-than also what is known of\n"
		"included files. What is known of drivers stays. Programs may "
		"run meanwhile.",
	.options = options,
	.run = run,
};
