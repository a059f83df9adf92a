/* SPDX-License-Identifier: MIT */
/*
 * Entries that no driver here can load: is it worth compiling them anew?
 */
#include <stdlib.h>

#include "cli/checkup.h"
#include "cli/message.h"
#include "cli/stale_worth.h"
#include "cli/text.h"
#include "cli/units.h"

static void report(struct occ_checkup *checkup, const struct occ_stale *stale,
		   const struct occ_stale_worth *worth)
{
	char size[OCC_UNITS_SIZE], took[OCC_UNITS_SIZE];
	char *what = occ_text(
		"%zu %s (%s) %s for drivers that aren't visible here: "
		"they were removed or updated, or only another "
		"environment shows them (OCL_ICD_VENDORS, a container, "
		"a virtual environment)",
		stale->count, stale->count == 1 ? "entry" : "entries",
		occ_units_size(stale->bytes, size),
		stale->count == 1 ? "is" : "are");

	if (worth->programs)
		occ_checkup_warn(checkup,
				 "'oclcache replay --stale' compiles them in "
				 "the background, before you have to wait for "
				 "them; 'oclcache enable --timer' has that "
				 "done after each driver update",
				 "%s; %zu of the programs used in the last 30 "
				 "days, which took %s to compile, %s compiled "
				 "for the present driver",
				 what, worth->programs,
				 occ_units_time(worth->compile_time, took),
				 worth->programs == 1 ? "isn't" : "aren't");
	else
		occ_checkup_add(checkup, OCC_CHECKUP_OK,
				stale->lately ? NULL
					      : "'oclcache clear --stale' "
						"removes them",
				"%s", what);
	free(what);
}

void occ_checkup_stale(struct occ_checkup *checkup, const char *directory)
{
	struct occ_store *store =
		occ_message_must(occ_store_open_read_only(directory));
	struct occ_stale_worth worth;
	struct occ_stale stale;

	if (occ_stale_find(store, NULL, &checkup->here, false, &stale) &&
	    stale.count &&
	    occ_stale_worth(store, &stale, OCC_STALE_LATELY, &worth))
		report(checkup, &stale, &worth);
	occ_stale_release(&stale);
	occ_store_close(store);
}
