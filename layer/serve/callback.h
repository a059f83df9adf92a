/* SPDX-License-Identifier: MIT */
/*
 * Callbacks on the thread with which a driver builds. A driver may do all
 * builds on one thread, and call back there (doc/drivers.md, rusticl): what is
 * built in such a callback waits for ever. So the layer builds nothing there
 * that the application didn't ask for.
 *
 *	occ_callback_enter(&callback, on_builder);
 *		the application's callback
 *	occ_callback_leave(&callback);
 *
 * Any thread; calls no driver, takes no lock.
 */
#ifndef OCC_LAYER_SERVE_CALLBACK_H
#define OCC_LAYER_SERVE_CALLBACK_H

#include <stdbool.h>

#include "cache/driver/driver.h"

/* The thread's, on its stack. */
struct occ_callback {
	bool outer;
};

/* `on_builder`: on a thread for which the driver's call didn't wait. */
void occ_callback_enter(struct occ_callback *callback, bool on_builder);
void occ_callback_leave(const struct occ_callback *callback);

/* May a build by the driver, on this thread, wait for ever? NULL: no. */
bool occ_callback_blocks(const struct occ_driver *driver);

#endif
