/* SPDX-License-Identifier: MIT */
/*
 * What `clear` is about to free, said before anything goes.
 */
#ifndef OCC_CLI_CLEAR_FORECAST_H
#define OCC_CLI_CLEAR_FORECAST_H

#include "cli/stale.h"

struct occ_clear_forecast {
	struct occ_store *store;
	const struct occ_catalogue *catalogue;
	const enum occ_stale_why *whys; /* of its items; NULL: all go */
	bool dry_run;
};

/*
 * "Would free 1.2 GB: 34 entries of 3 programs not used since ..." on standard
 * output; `whose` is what comes behind the programs. False, and nothing is
 * said: no entry goes.
 */
bool occ_clear_forecast_show(const struct occ_clear_forecast *forecast,
			     const char *whose);

#endif
