/* SPDX-License-Identifier: MIT */
/*
 * A look at an entry without its binary: its key and metadata, for showing many
 * entries in a short time. One open and one read, two where the key or the
 * build log is long, and one more where there is device code.
 *
 *	struct occ_glance glance = OCC_GLANCE_INIT;
 *	while (...)
 *		if (!occ_glance_read(directory, name, false, &glance))
 *			... use glance.entry ...
 *	occ_glance_release(&glance);
 *
 * Nothing of it is verified but that it lies within the file: it is fit to be
 * shown, not to be used. cache/whole.h verifies.
 *
 * Threads: a glance is one thread's.
 */
#ifndef OCC_CACHE_GLANCE_H
#define OCC_CACHE_GLANCE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cache/entry.h"

struct occ_glance {
	struct stat status;
	/* `binary` has its size, but no data. */
	struct occ_entry entry;
	uint32_t code_maker;   /* of device code (cache/code.h); 0: none */
	unsigned char *memory; /* kept from one entry to the next */
	size_t capacity;
};

#define OCC_GLANCE_INIT                                                        \
	{                                                                      \
		.memory = NULL                                                 \
	}

/*
 * Reads `name` in `directory`. OCC_OK: `entry` is valid until the next call.
 * OCC_E_FORBIDDEN: not a regular file, or not the user's (`or_roots`: nor
 * root's). OCC_E_NOT_FOUND, OCC_E_CORRUPT, OCC_E_VERSION; OCC_E_TOO_LARGE: key
 * and metadata are more than any reasonable ones; OCC_E_MEMORY, OCC_E_IO.
 * `status` is valid unless the file couldn't be opened; then it is zeros.
 */
int occ_glance_read(int directory, const char *name, bool or_roots,
		    struct occ_glance *glance);
void occ_glance_release(struct occ_glance *glance);

#endif
