/* SPDX-License-Identifier: MIT */
/* What the rest of the layer needs to know of functions fetched by name. */
#ifndef OCC_LAYER_EXTENSION_H
#define OCC_LAYER_EXTENSION_H

#include <stdbool.h>

#include <CL/cl.h>

/*
 * Has the application fetched a function of the context's platform that may
 * take programs and that the layer doesn't know? It would be called with the
 * application's handle, of which the driver knows nothing when it is served.
 */
bool occ_extension_blocks(cl_context context);

/*
 * What the application gets when `function` is what the driver gave for
 * `name`; `platform` is NULL when it was asked for without naming one. NULL
 * and what isn't known come back as they are.
 */
void *occ_extension_replace(cl_platform_id platform, const char *name,
			    void *function);

/* At initialisation. */
void occ_extension_forget_all(void);

#endif
