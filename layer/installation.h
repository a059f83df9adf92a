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
 * Adds the parts of the driver with this CL_PLATFORM_NAME, whose libraries are
 * chosen among the loaded, and the contents of those libraries that have no
 * build-id. The inventory fails when a part is missing without which there is
 * no compiling.
 */
void occ_installation_add(const char *platform_name,
			  const struct occ_libraries *libraries,
			  struct occ_inventory *inventory);

/*
 * Adds objects by their paths: as they are loaded, else as their files are.
 * `paths`, each with its NUL, has `size` bytes.
 */
void occ_installation_add_paths(const char *paths, size_t size,
				const struct occ_libraries *libraries,
				struct occ_inventory *inventory);

#endif
