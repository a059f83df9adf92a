/* SPDX-License-Identifier: MIT */
/*
 * What the drivers here are, as the keys of entries say it: a small program is
 * built on each device under the layer, in children and into a scratch store,
 * and the entry that comes of it has the driver's identity.
 *
 * Calling sequence: occ_drivers_here_find(), then the rest, and
 * occ_drivers_here_release() in the end. Takes as long as each driver needs for
 * a kernel of one line, several times where it has no record. One thread; no
 * child may be running.
 */
#ifndef OCC_CLI_DRIVERS_HERE_H
#define OCC_CLI_DRIVERS_HERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/entry_file.h"
#include "cli/probe.h"

/* One device's. */
struct occ_driver_here {
	char *platform;
	bool is_known;		     /* else nothing below counts */
	struct occ_entry_file entry; /* whole; of whatever program */
	char *objects; /* paths of what it had loaded, a line each */
};

struct occ_drivers_here {
	/* Why nothing is known of any driver; NULL: one has answered. */
	char *why_not;
	struct occ_driver_here *devices;
	size_t count;
	struct occ_buffer without; /* platforms that have no device, and */
	/* what loaders are told to load, by its file's name: with NULs. */
	struct occ_buffer registered;
};

/* False after an error was shown: there is no scratch directory. */
bool occ_drivers_here_find(struct occ_drivers_here *ret_here);
void occ_drivers_here_release(struct occ_drivers_here *here);

/*
 * The same where the builds were made: of device N into
 * occ_learn_directory(scratch, N), with occ_drivers_here_objects(scratch, N),
 * to be freed, for the objects.
 */
void occ_drivers_here_read(const struct occ_probe_survey *survey,
			   const char *scratch,
			   struct occ_drivers_here *ret_here);
char *occ_drivers_here_objects(const char *scratch, size_t device);

/*
 * When the file of such a name, or of one that begins so, was last changed that
 * the driver had loaded: s since 1970. Where it had loaded none, the latest
 * change of all that it had.
 */
int64_t occ_driver_here_changed(const struct occ_driver_here *driver,
				struct occ_span name);

#endif
