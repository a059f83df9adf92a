/* SPDX-License-Identifier: MIT */
/*
 * Drivers that have no record (cache/driver/): what must be known of them is
 * learnt with small programs of the command's own, built in children and in a
 * store of their own, and then kept in the programs' store. So no application
 * has to pay for it, nor does the store get entries that nobody asks for.
 */
#ifndef OCC_CLI_LEARN_H
#define OCC_CLI_LEARN_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/store.h"
#include "cli/probe.h"

/* Has its driver a record with what is to be known of such devices? */
bool occ_learn_is_known(const struct occ_probe_device *device);

/* What one device's driver is learnt in, to be freed: a store in `scratch`. */
char *occ_learn_directory(const char *scratch, size_t device);

struct occ_learn_build {
	size_t device;	       /* of the survey */
	const char *directory; /* occ_learn_directory() */
	const char *trace;     /* a file */
	const char *objects;   /* as in struct occ_probe_build; or NULL */
	unsigned processes;    /* at most, one after the other */
	/* Is what that store has enough? NULL: never. */
	bool (*is_enough)(const char *directory);
};

/* Builds a small program with that store. Ends early when a build fails. */
void occ_learn_build(const struct occ_learn_build *wanted);

/*
 * Keeps what was learnt so of so many devices in the programs' store, and of
 * how many in *ret_count; where drivers look for included files is found out
 * first. False after an error was shown. Takes seconds.
 */
bool occ_learn_keep(const struct occ_probe_survey *survey, const char *scratch,
		    struct occ_store *store, size_t *ret_count);

/*
 * Has all drivers here learnt that have no record, and keeps that in the
 * programs' store; at most once in an hour, and once at a time, because there
 * may be something that can't be learnt. Says nothing but errors; takes
 * seconds.
 */
void occ_learn_drivers(void);

/*
 * Has the programs' store less than was learnt of that device's driver now, so
 * that keeping it helps?
 */
bool occ_learn_is_news(const char *scratch, size_t device,
		       struct occ_store *store);

#endif
