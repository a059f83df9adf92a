/* SPDX-License-Identifier: MIT */
/*
 * What a driver compiles with besides the libraries that it needs: the objects
 * that it loads only when it has something to compile, the libraries of
 * built-in functions and headers that it reads, the programs that it starts: as
 * its record names them (cache/driver/driver.h).
 *
 * Objects are looked for by their names, so that it makes no difference whether
 * the driver has loaded them yet.
 *
 * What was found is remembered by all that decides where it is looked for: the
 * directories of the driver's libraries, the objects loaded already, the
 * programs that PATH leads to.
 *
 * Any thread. Reads directories and files.
 */
#ifndef OCC_LAYER_DRIVER_DRIVER_FILES_H
#define OCC_LAYER_DRIVER_DRIVER_FILES_H

#include "layer/driver/library.h"

/*
 * What is to be found out of the driver with this CL_PLATFORM_NAME, whose
 * libraries are chosen among the loaded: what is installed with it (of a driver
 * that isn't listed nothing is known), and the contents of those libraries that
 * have no build-id. The libraries are taken over. `search_path` is what PATH
 * is, or NULL. NULL when out of memory.
 */
struct occ_driver_files *occ_driver_files_ask(const char *platform_name,
					      struct occ_libraries *libraries,
					      const char *search_path);
void occ_driver_files_release(struct occ_driver_files *files);

/* A digest of all that decides which files are looked at. */
const struct occ_digest *occ_driver_files_premises(
	const struct occ_driver_files *files);

/* Borrowed. */
const struct occ_libraries *occ_driver_files_libraries(
	const struct occ_driver_files *files);

/*
 * Would the parts be the same if it were asked for now? Objects that were
 * loaded meanwhile must be those that the inventory has.
 */
bool occ_driver_files_is_current(
	const struct occ_driver_files *files,
	const struct occ_driver_components *components);

/* Adds what the current directory has. */
void occ_driver_files_add_here(const struct occ_driver_files *files,
			       struct occ_driver_components *components);

/* Has it anything? */
bool occ_driver_files_is_here(const struct occ_driver_files *files);

/* Adds the other parts as the store remembers them; false: it doesn't. */
bool occ_driver_files_recall(const struct occ_driver_files *files,
			     struct occ_driver_components *components);

/*
 * Adds the other parts by reading them, and remembers them. The inventory fails
 * when one is missing without which there is no compiling. May take long, and
 * be left to another thread.
 */
void occ_driver_files_read(const struct occ_driver_files *files,
			   struct occ_driver_components *components);

/*
 * Adds objects by their paths: as they are loaded, else as their files are.
 * `paths`, each with its NUL, has `size` bytes.
 */
void occ_driver_files_add_paths(const char *paths, size_t size,
				const struct occ_libraries *libraries,
				struct occ_driver_components *components);

#endif
