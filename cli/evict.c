/* SPDX-License-Identifier: MIT */
/*
 * oclcache evict: makes a store as small as asked, as the layer does when it
 * needs room.
 */
#include <stdlib.h>

#include "cache/file.h"
#include "cli/delete_entries.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/store_path.h"
#include "cli/units.h"

/* Programs that store something meanwhile may make another one necessary. */
#define ROUNDS 5

/* The least recently used first, until it is enough. */
static size_t choose(struct occ_listing *listing, uint64_t limit,
		     struct occ_listing_file **ret_files)
{
	uint64_t left = listing->total;
	size_t count = 0;

	occ_listing_sort(listing);
	for (size_t i = 0; i < listing->count && left > limit; i++) {
		if (!occ_name_is_evictable(listing->files[i]->kind))
			continue;
		ret_files[count++] = listing->files[i];
		left -= listing->files[i]->size;
	}
	return count;
}

/* What is there; false after an error was shown. */
static bool scan(struct occ_store *store, struct occ_listing *ret_listing)
{
	int directory, error;

	*ret_listing = (struct occ_listing){0};
	if (!occ_store_path_enter(store, &directory))
		return false;
	if (directory < 0)
		return true;
	error = occ_listing_scan(directory, ret_listing);
	occ_file_close(directory);
	if (error)
		occ_store_path_fail(occ_store_directory(store), error);
	return !error;
}

/*
 * What is left is what the last look finds: others may have removed what was
 * to go.
 */
static bool evict(struct occ_delete_entries *clearance, uint64_t limit,
		  uint64_t *ret_left, size_t *ret_evictable)
{
	struct occ_listing_file **files;
	struct occ_listing listing;
	bool done = true, last;

	for (int round = 0; done; round++) {
		if (!scan(clearance->store, &listing))
			return false;
		*ret_left = listing.total;
		*ret_evictable = 0;
		for (size_t i = 0; i < listing.count; i++)
			*ret_evictable +=
				occ_name_is_evictable(listing.files[i]->kind);
		last = listing.total <= limit || !*ret_evictable ||
		       round == ROUNDS;
		if (!last) {
			files = occ_message_must(
				calloc(listing.count + 1, sizeof(*files)));
			done = occ_delete_entries_run(clearance, files,
						      choose(&listing, limit,
							     files));
			free(files);
		}
		occ_listing_release(&listing);
		if (last)
			break;
		if (clearance->dry_run) {
			*ret_left -= clearance->removal.bytes;
			*ret_evictable -= clearance->removal.count;
			break;
		}
	}
	return done;
}

static int perform(struct occ_store *store, uint64_t limit, bool dry_run)
{
	struct occ_delete_entries clearance = {.store = store,
					       .dry_run = dry_run};
	char size[OCC_UNITS_SIZE];
	uint64_t left = 0;
	size_t evictable = 0;
	bool done = evict(&clearance, limit, &left, &evictable);

	occ_delete_entries_tell(&clearance);
	if (!done)
		return OCC_EXIT_FAILED;
	if (left <= limit)
		return OCC_EXIT_OK;
	if (!evictable) {
		occ_message_note(
			"%s: %s remain: the files that every store has",
			occ_store_directory(store), occ_units_size(left, size));
		return OCC_EXIT_OK;
	}
	occ_message_error("%s: %s remain, because programs stored or used "
			  "entries meanwhile; try again",
			  occ_store_directory(store),
			  occ_units_size(left, size));
	return OCC_EXIT_FAILED;
}

static bool parse(const struct occ_arguments *arguments, uint64_t *ret_limit)
{
	const char *text = occ_arguments_value(arguments, "to");

	if (arguments->operand_count) {
		occ_message_error("evict: unexpected argument '%s'; did you "
				  "mean --to %s?",
				  arguments->operands[0],
				  arguments->operands[0]);
		return false;
	}
	if (!text) {
		occ_message_error("evict: give the size with --to, such as "
				  "--to 200M");
		return false;
	}
	if (occ_units_parse_size(text, ret_limit))
		return true;
	occ_message_error("evict: --to %s: use a number of bytes, or a number "
			  "with k, M or G: --to 200M",
			  text);
	return false;
}

static int run(const struct occ_arguments *arguments)
{
	bool dry_run = occ_arguments_has(arguments, "dry-run");
	struct occ_store *store;
	uint64_t limit;
	int status;

	if (!parse(arguments, &limit))
		return OCC_EXIT_USAGE;
	store = occ_store_path_open(arguments, !dry_run);
	if (!store)
		return OCC_EXIT_FAILED;
	status = occ_delete_entries_is_store(arguments, store)
			 ? perform(store, limit, dry_run)
			 : OCC_EXIT_FAILED;
	occ_store_close(store);
	return status;
}

static const struct occ_option options[] = {
	{"to", 0, "SIZE", "the most that may remain: 500k, 200M, 1GiB"},
	{"dry-run", 'n', NULL, "only show what would be removed"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_evict = {
	.name = "evict",
	.summary =
		"shrink the store by removing the least recently used entries",
	.details = "All files in the store count towards SIZE, as they do when "
		   "the layer makes room.\n"
		   "Programs may keep running.",
	.options = options,
	.run = run,
};
