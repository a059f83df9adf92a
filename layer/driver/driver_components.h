/* SPDX-License-Identifier: MIT */
/*
 * An inventory: the parts that a driver consists of, each as a text that people
 * can read and that differs when the part does:
 *
 *	libpocl.so.2 build-id:4a4365a430d36fff6564d06f6fbce75abf28acca
 *	kernel-x86_64-pc-linux-gnu-avx512.bc content:0c1e...
 *	cllibraryh8.o absent
 *
 * Names have no directories, so that the same driver in another place is the
 *same. The texts are sorted, each is there once: the order of loading doesn't
 *count.
 *
 * Reading them all takes a millisecond, more than a hit may cost. So what came
 * of it is remembered in the store, with what was looked at (stat_snapshot.h):
 *as long as that is the same, so is the rest.
 *
 * Calling sequence: start from OCC_DRIVER_COMPONENTS_INIT, add,
 *occ_driver_components_finish(), occ_driver_components_release(). One thread at
 *a time. Reads files.
 */
#ifndef OCC_LAYER_DRIVER_DRIVER_COMPONENTS_H
#define OCC_LAYER_DRIVER_DRIVER_COMPONENTS_H

#include "cache/entry.h"
#include "layer/driver/fingerprint.h"
#include "layer/driver/stat_snapshot.h"

struct occ_driver_components {
	struct occ_recall memory;
	struct occ_stat_snapshot
		snapshot;	  /* of what isn't known by what is loaded */
	struct occ_buffer parts;  /* each with its NUL */
	struct occ_buffer files;  /* paths of those that were read, with NULs */
	struct occ_buffer sorted; /* what finishing made of `sorted_size` bytes
				     of `parts`; empty: nothing yet */
	size_t sorted_size;
	bool failed; /* a part can't be told, or out of memory */
};

#define OCC_DRIVER_COMPONENTS_INIT                                             \
	{                                                                      \
		OCC_RECALL_INIT, OCC_STAT_SNAPSHOT_INIT, OCC_BUFFER_INIT,      \
			OCC_BUFFER_INIT, OCC_BUFFER_INIT, 0, false             \
	}

/* A part that is known by its build-id. */
void occ_driver_components_add_id(struct occ_driver_components *components,
				  const char *name, struct occ_span id);

/* Is there such a part? */
bool occ_driver_components_has_id(
	const struct occ_driver_components *components, const char *name,
	struct occ_span id);

/* A file: by its build-id, as an object, or by its content; or its absence. */
void occ_driver_components_add_object(struct occ_driver_components *components,
				      const char *name, const char *path);
enum occ_fingerprint occ_driver_components_add_content(
	struct occ_driver_components *components, const char *name,
	const char *path);
void occ_driver_components_add_absent(struct occ_driver_components *components,
				      const char *name);

/* A part that isn't known yet, but by what decides it. */
void occ_driver_components_add_unread(struct occ_driver_components *components,
				      const struct occ_digest *premises);

/*
 * Several files as one part: their names and contents. `paths` are in an order
 * that the files' names decide.
 */
void occ_driver_components_add_group(struct occ_driver_components *components,
				     const char *name, char *const *paths,
				     size_t count);

/*
 * Adds the parts that occ_driver_components_remember() left in the store under
 * this digest, if a look at the files says that they would be the same now.
 */
bool occ_driver_components_recall(struct occ_driver_components *components,
				  const struct occ_digest *premises);

/*
 * Remembers the parts from byte `from` on (the size of `parts` before they were
 * added), unless one failed or may change unseen, and the digests of single
 * files. `premises` is a digest of all that they follow from but the files that
 * were looked at.
 */
void occ_driver_components_remember(struct occ_driver_components *components,
				    const struct occ_digest *premises,
				    size_t from);

/*
 * All parts, sorted, each with its NUL; the inventory's. Once more it takes no
 * time if nothing was added since. NULL when one can't be told.
 */
const struct occ_buffer *occ_driver_components_finish(
	struct occ_driver_components *components);

void occ_driver_components_release(struct occ_driver_components *components);

#endif
