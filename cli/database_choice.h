/* SPDX-License-Identifier: MIT */
/*
 * Which builds and uses of databases go into another one: those of uses by such
 * applications, on such devices, within such a time; and what these link.
 *
 * Not for several threads at once.
 */
#ifndef OCC_CLI_DATABASE_CHOICE_H
#define OCC_CLI_DATABASE_CHOICE_H

#include "cli/arguments.h"
#include "cli/records.h"

struct occ_database_choice {
	const struct occ_record *builds, *uses; /* all that there are */
	size_t build_count, use_count;
	bool *has_build; /* of each of `builds` */
	bool *has_use;
	bool is_any; /* nothing was asked for */
	const char *application, *device;
	int64_t used_after; /* s since 1970 */
};

/*
 * By --application, --device and --used-within. False after a usage error was
 * shown. Either way release.
 */
bool occ_database_choose(const struct occ_arguments *arguments,
			 const struct occ_records *records,
			 struct occ_database_choice *ret_choice);
void occ_database_choice_release(struct occ_database_choice *choice);

/* Is a refusal of what is asked for? */
bool occ_database_choice_has_refusal(const struct occ_database_choice *choice,
				     struct occ_span refusal);

#endif
