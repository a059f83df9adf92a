/* SPDX-License-Identifier: MIT */
#include "cli/record_store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/store_database.h"
#include "cli/store_path.h"
#include "cli/units.h"

static void fail(const char *path, int error)
{
	occ_message_error(
		"%s: %s", path,
		error == OCC_E_IO ? strerror(errno)
		: error == OCC_E_CORRUPT
			? "not a database of builds; choose another file"
			: occ_error_string(error));
}

/* False after an error was shown. */
static bool add_all(struct occ_store *store, struct occ_database *database,
		    struct occ_store_database *adding)
{
	struct occ_catalogue catalogue;
	bool added;

	if (!occ_catalogue_read(store, NULL, &catalogue))
		return false;
	added = occ_store_database_begin(store, database, &catalogue, adding);
	if (added) {
		occ_progress_begin("Recording", "entries", catalogue.count);
		for (size_t i = 0; i < catalogue.count && added; i++) {
			added = occ_store_database_add(adding,
						       catalogue.items[i].file);
			occ_progress_step(1);
		}
		occ_progress_end();
		added = occ_store_database_end(adding) && added;
	}
	occ_catalogue_release(&catalogue);
	return added;
}

static size_t count_builds(const struct occ_database *database)
{
	size_t count = 0;

	for (size_t i = 0; i < occ_database_count(database); i++)
		count += occ_database_frame(database, i)->type ==
			 OCC_FRAME_BUILD;
	return count;
}

static bool record(struct occ_store *store, const char *path)
{
	struct occ_store_database adding;
	struct occ_database *database;
	char size[OCC_UNITS_SIZE];
	size_t before;
	bool done;
	int error =
		occ_database_open(path, OCC_DATABASE_DEFAULT_SIZE, &database);

	if (error) {
		fail(path, error);
		return false;
	}
	before = count_builds(database);
	done = add_all(store, database, &adding);
	if (done) {
		occ_screen_text(path);
		printf(": %zu %s, %zu of them new, %s\n", adding.builds,
		       adding.builds == 1 ? "entry" : "entries",
		       count_builds(database) - before,
		       occ_units_size(occ_database_size(database), size));
		occ_store_database_tell(&adding);
	}
	occ_database_close(database);
	return done;
}

int occ_record_store(const struct occ_arguments *arguments, const char *path)
{
	struct occ_store *store = occ_store_path_open(arguments, false);
	bool done = store && record(store, path);

	if (store)
		occ_store_close(store);
	return done ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}
