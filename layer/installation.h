/* SPDX-License-Identifier: MIT */
/*
 * What a driver compiles with besides the libraries that it needs: the objects
 * that it loads only when it has something to compile, the libraries of
 * built-in functions and headers that it reads, the programs that it starts. A
 * table for the drivers of which that is known; doc/drivers.md says how it was
 * seen.
 *
 * It names more than one run needs (built-in functions for every CPU), because
 * what isn't needed does no harm but for a miss after its update; and it looks
 * for objects by their names, so that it makes no difference whether the driver
 * has loaded them yet.
 *
 * What was found is remembered by all that decides where it is looked for: the
 * folders of the driver's libraries, the objects loaded already, the programs
 * that PATH leads to.
 *
 * Any thread. Reads folders and files.
 */
#ifndef OCC_LAYER_INSTALLATION_H
#define OCC_LAYER_INSTALLATION_H

#include "layer/library.h"

/* At initialisation: some files are looked for in the current folder. */
void occ_installation_start(void);
void occ_installation_end(void);

/*
 * What is to be found out of the driver with this CL_PLATFORM_NAME, whose
 * libraries are chosen among the loaded: what is installed with it (of a driver
 * that isn't listed nothing is known), and the contents of those libraries that
 * have no build-id. The libraries are taken over. `search_path` is what PATH
 * is, or NULL. NULL when out of memory.
 */
struct occ_installation *occ_installation_ask(const char *platform_name,
					      struct occ_libraries *libraries,
					      const char *search_path);
void occ_installation_release(struct occ_installation *installation);

/* A digest of all that decides which files are looked at. */
const struct occ_digest *occ_installation_premises(
	const struct occ_installation *installation);

/* Borrowed. */
const struct occ_libraries *occ_installation_libraries(
	const struct occ_installation *installation);

/*
 * Would the parts be the same if it were asked for now? Objects that were
 * loaded meanwhile must be those that the inventory has.
 */
bool occ_installation_is_current(const struct occ_installation *installation,
				 const struct occ_inventory *inventory);

/* Adds what the current folder has. */
void occ_installation_add_here(const struct occ_installation *installation,
			       struct occ_inventory *inventory);

/* Has it anything? */
bool occ_installation_is_here(const struct occ_installation *installation);

/* Adds the other parts as the store remembers them; false: it doesn't. */
bool occ_installation_recall(const struct occ_installation *installation,
			     struct occ_inventory *inventory);

/*
 * Adds the other parts by reading them, and remembers them. The inventory fails
 * when one is missing without which there is no compiling. May take long, and
 * be left to another thread.
 */
void occ_installation_read(const struct occ_installation *installation,
			   struct occ_inventory *inventory);

/*
 * Adds objects by their paths: as they are loaded, else as their files are.
 * `paths`, each with its NUL, has `size` bytes.
 */
void occ_installation_add_paths(const char *paths, size_t size,
				const struct occ_libraries *libraries,
				struct occ_inventory *inventory);

#endif
