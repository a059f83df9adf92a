/* SPDX-License-Identifier: MIT */
/*
 * After a hit the driver hasn't built the application's handle. When something
 * is asked or done that the entry can't answer, the driver is brought up to
 * date: it builds the handle after all (occ_sync_driver()), or it builds a
 * hidden program that is asked instead (occ_sync_materialise()). Without the
 * lock: the driver compiles.
 */
#ifndef OCC_LAYER_SERVE_SYNC_DRIVER_H
#define OCC_LAYER_SERVE_SYNC_DRIVER_H

#include "layer/object/program.h"

/*
 * If the program is served and the driver never built its handle, has the
 * driver build it now as the application had asked, so that the following call
 * finds the driver in the state it would have without the layer. The program
 * stays served. Does nothing for other programs. Waits if another thread is
 * doing the same. False if the handle couldn't get the build that was served,
 * because files or environment have changed, the driver failed, or it would
 * wait for ever (callback.h).
 */
bool occ_sync_driver(cl_program handle);

/* The same for every program. */
void occ_sync_all_drivers(void);

/*
 * A hidden program that the driver has really built from the build key, or NULL
 * when that failed. Borrowed: it lives as long as the shadow program. `what`
 * tells the trace what was asked. No lock is held during the build: of threads
 * that come at the same time each builds one, and all but the first are
 * released. Where a build may wait for ever (callback.h) there is one only if
 * it has been built before.
 */
cl_program occ_sync_materialise(struct occ_shadow *shadow, const char *what);

/*
 * The context is about to be released, after which it makes no programs: makes
 * the program that occ_sync_materialise() would build, without building it.
 */
void occ_sync_create_unbuilt(struct occ_shadow *shadow);

#endif
