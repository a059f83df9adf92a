/* SPDX-License-Identifier: MIT */
/*
 * Calling an application back for an operation that was served: on the kind of
 * thread, and at the time, that the driver would.
 */
#ifndef OCC_LAYER_NOTIFY_H
#define OCC_LAYER_NOTIFY_H

#include "layer/driver.h"

typedef void(CL_CALLBACK *occ_notify)(cl_program, void *);

/*
 * Calls `notify` once, now or soon on a thread of its own. `done` is called
 * with `data` after it, on the same thread. No lock may be held.
 */
void occ_notify_deliver(const struct occ_driver *driver, occ_notify notify,
			cl_program handle, void *user_data,
			void (*done)(void *data), void *data);

#endif
