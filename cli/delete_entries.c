/* SPDX-License-Identifier: MIT */
#include "cli/delete_entries.h"

#include <stdio.h>
#include <string.h>

#include "cache/file.h"
#include "cache/name.h"
#include "cli/store_path.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/units.h"

static void show_step(size_t done, void *data)
{
	(void)data;
	occ_progress_step(done);
}

static bool has_file(int directory, const char *name)
{
	struct stat status;

	return !occ_file_status_at(directory, name, &status) &&
	       S_ISREG(status.st_mode);
}

bool occ_delete_entries_is_store(const struct occ_arguments *arguments,
				 struct occ_store *store)
{
	bool is_store;
	int directory;

	if (!occ_arguments_value(arguments, "dir"))
		return true;
	if (!occ_store_path_enter(store, &directory))
		return false;
	if (directory < 0)
		return true;
	is_store = has_file(directory, OCC_NAME_SIZE_LEDGER) ||
		   has_file(directory, OCC_NAME_TAG);
	occ_file_close(directory);
	if (!is_store)
		occ_message_error(
			"%s isn't a store: it contains neither config.file nor "
			"CACHEDIR.TAG; nothing was removed",
			occ_store_directory(store));
	return is_store;
}

bool occ_delete_entries_run(struct occ_delete_entries *clearance,
			    struct occ_listing_file *const *files, size_t count)
{
	struct occ_removal *removal = &clearance->removal;
	const char *path = occ_store_directory(clearance->store);
	int error;

	if (!count)
		return true;
	for (size_t i = 0; clearance->dry_run && i < count; i++) {
		removal->count++;
		removal->entries += files[i]->kind == OCC_NAME_ENTRY;
		removal->bytes += files[i]->size;
	}
	if (clearance->dry_run)
		return true;
	if (!occ_store_path_enter(clearance->store, &removal->directory))
		return false;
	removal->may_go = clearance->may_go;
	removal->data = clearance->data;
	removal->step = show_step;
	occ_progress_begin("Removing", "files", count);
	error = occ_removal_run(removal, files, count);
	occ_progress_end();
	occ_file_close(removal->directory);
	if (error)
		occ_store_path_fail(path, error);
	if (removal->failed)
		occ_message_error("%s: %zu %s: %s", path, removal->failed,
				  removal->failed == 1
					  ? "file couldn't be removed"
					  : "files couldn't be removed",
				  strerror(removal->failure));
	return !error && !removal->failed;
}

void occ_delete_entries_tell(const struct occ_delete_entries *clearance)
{
	const struct occ_removal *removal = &clearance->removal;
	size_t others = removal->count - removal->entries;
	char size[OCC_UNITS_SIZE];

	printf("%zu %s", removal->entries,
	       removal->entries == 1 ? "entry" : "entries");
	if (others)
		printf(" and %zu other file%s", others, others == 1 ? "" : "s");
	occ_units_size(removal->bytes, size);
	if (clearance->dry_run)
		printf(" would be removed, and %s freed\n", size);
	else
		printf(" removed, %s freed\n", size);
}
