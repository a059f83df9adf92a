/* SPDX-License-Identifier: MIT */
/*
 * The shared objects that are loaded now, and which of them another one needs
 * (DT_NEEDED), taken at one moment: nothing of it points into the objects.
 *
 * Calling sequence: occ_libraries_take(), questions, occ_libraries_release().
 * Any thread, without the layer's lock.
 */
#ifndef OCC_LAYER_DRIVER_LIBRARY_H
#define OCC_LAYER_DRIVER_LIBRARY_H

#include "layer/driver/driver_components.h"

struct occ_library {
	const char *path;	/* as the dynamic linker has it */
	const char *file;	/* the last part of that */
	const char *name;	/* DT_SONAME, else the path's last part */
	struct occ_span needed; /* DT_NEEDED names, each with its NUL */
	struct occ_span id;	/* GNU build-id; empty: none */
	bool chosen;		/* the owner, or needed by a chosen one */
	bool searched;		/* what it needs is chosen, too */
};

struct occ_libraries {
	struct occ_library *list; /* in the order of loading */
	size_t count;
	struct occ_library *owner;  /* of the address; NULL: none */
	struct occ_buffer missing;  /* names that nothing loaded has */
	struct occ_buffer bytes;    /* what the list points to */
	unsigned long long unloads; /* how many ever were */
};

/*
 * All, with the one chosen that the address is in and those that it needs. NULL
 * when it is in none, or out of memory.
 */
struct occ_libraries *occ_libraries_take(const void *address);

void occ_libraries_release(struct occ_libraries *libraries); /* NULL: nothing */

/*
 * Those that were loaded since, none chosen and without an owner. NULL when any
 * were unloaded, or out of memory.
 */
struct occ_libraries *occ_libraries_newer(const struct occ_libraries *than);

/* How often objects were loaded and unloaded. */
unsigned long long occ_libraries_changes(void);

/* The first whose name or path is this, as the dynamic linker would find it. */
struct occ_library *occ_libraries_find(const struct occ_libraries *libraries,
				       const char *name);

/* Appends the paths of all that are loaded, each with its NUL. */
void occ_libraries_list(struct occ_buffer *paths);

/*
 * Adds all that were chosen and have a build-id, and the names that were needed
 * in vain. Of the others the files' contents count
 * (layer/driver/driver_files.h).
 */
void occ_libraries_add(const struct occ_libraries *libraries,
		       struct occ_driver_components *components);

#endif
