/* SPDX-License-Identifier: MIT */
/*
 * Files that drivers read in the current directory (OCC_COMPONENT_HERE): in
 * that of the time when they are loaded, or in that of now.
 *
 * Calling sequence: occ_current_directory_start() when the layer is
 * initialised; occ_current_directory_add() for each driver;
 * occ_current_directory_end() when no other call is under way. Any thread.
 * Reads files.
 */
#ifndef OCC_LAYER_DRIVER_CURRENT_DIRECTORY_H
#define OCC_LAYER_DRIVER_CURRENT_DIRECTORY_H

#include "cache/driver/driver.h"
#include "layer/driver/driver_components.h"

void occ_current_directory_start(void);
void occ_current_directory_end(void);

/*
 * Adds what is there, and was at the start, of a driver's components. Fails
 * them if one has changed since then.
 */
void occ_current_directory_add(const struct occ_component *component,
			       struct occ_driver_components *components);

#endif
