/* SPDX-License-Identifier: MIT */
/*
 * Reading all that a driver consists of, on a thread of its own, while the
 * driver compiles: of hundreds of megabytes the digests take longer than many a
 * compile. What comes of it goes to the store's state file, where whoever
 * waited for it looks again.
 *
 * The thread calls no driver, has all signals blocked, and ends with the work.
 * In a child of fork() it isn't there, and the reading counts as done: who
 * looks again finds nothing and reads by himself.
 *
 * Any thread.
 */
#ifndef OCC_LAYER_DRIVER_BACKGROUND_READ_H
#define OCC_LAYER_DRIVER_BACKGROUND_READ_H

#include "layer/driver/driver_files.h"

struct occ_background_read;

/*
 * Starts it, and takes the installation over. NULL when there is no thread to
 * be had: then the installation is the caller's, as before.
 */
struct occ_background_read *occ_background_read_start(
	struct occ_driver_files *installation);

/* Under the lock: is it done? */
bool occ_background_read_done_locked(const struct occ_background_read *reading);

/* Not under the lock: waits until it is. */
void occ_background_read_wait(const struct occ_background_read *reading);

/* Under the lock, in a child of fork(). */
void occ_background_read_forked(struct occ_background_read *reading);

/* Once it is done; NULL: nothing. */
void occ_background_read_release(struct occ_background_read *reading);

#endif
