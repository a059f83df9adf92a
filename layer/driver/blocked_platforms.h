/* SPDX-License-Identifier: MIT */
/*
 * Platforms of which the application has fetched a function that may take
 * programs and that the layer doesn't know. It would be called with the
 * application's handle, of which the driver knows nothing when it is served.
 * Takes the lock.
 */
#ifndef OCC_LAYER_DRIVER_BLOCKED_PLATFORMS_H
#define OCC_LAYER_DRIVER_BLOCKED_PLATFORMS_H

#include <stdbool.h>

#include <CL/cl.h>

/* NULL: all platforms. */
void occ_blocked_platforms_add(cl_platform_id platform);

/* Is the context's among them? */
bool occ_blocked_platforms_have(cl_context context);

/* At initialisation. */
void occ_blocked_platforms_forget_all(void);

#endif
