/* SPDX-License-Identifier: MIT */
/*
 * The database that programs are recorded in: as it is before, and what came of
 * it (cli/record.c).
 *
 *	file.path = ...
 *	if (occ_record_file_begin(&file))
 *		... the program ...
 *		occ_record_file_say(&file, counters);
 *		occ_record_file_end(&file);
 */
#ifndef OCC_CLI_RECORD_FILE_H
#define OCC_CLI_RECORD_FILE_H

#include "cache/counters.h"

struct occ_record_file {
	char *path;    /* absolute; the caller's */
	size_t builds; /* in it at the beginning, of so many frames */
	size_t frames;
	bool made; /* it wasn't there */
};

/*
 * Makes the file if it isn't there. False after an error was shown: nothing can
 * be added to it.
 */
bool occ_record_file_begin(struct occ_record_file *file);

/*
 * Says what it has now, and what of the program isn't in it: `counters` are its
 * processes', NULL if they aren't known.
 */
void occ_record_file_say(const struct occ_record_file *file,
			 const struct occ_counters *counters);

/* Removes a file that was made for nothing. */
void occ_record_file_end(const struct occ_record_file *file);

#endif
