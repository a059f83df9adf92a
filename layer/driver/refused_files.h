/* SPDX-License-Identifier: MIT */
/*
 * Files that may tell a driver's compiler anything (OCC_COMPONENT_REFUSED), and
 * that it reads once in a process, nobody knows when: once one was there,
 * nothing of the driver is cached in the process any more.
 *
 * Calling sequence: occ_refused_files_start() when the layer is initialised.
 * Any thread. A few microseconds.
 */
#ifndef OCC_LAYER_DRIVER_REFUSED_FILES_H
#define OCC_LAYER_DRIVER_REFUSED_FILES_H

#include <stdbool.h>

#include "cache/driver/driver.h"

/* Looks for those of all drivers. */
void occ_refused_files_start(void);

/*
 * Is one of a driver's there, or was one? Looks. The components of a record, or
 * NULL; none if it has no such files.
 */
bool occ_refused_files_seen(const struct occ_component *components);

#endif
