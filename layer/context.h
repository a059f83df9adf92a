/* SPDX-License-Identifier: MIT */
/*
 * The application's own references on its contexts. Programs, queues and
 * buffers have references, too, in most drivers, so that only this count says
 * when the application has done with a context: then nothing that the layer
 * keeps of it may hold it back.
 *
 * Contexts that came in other ways than by clCreateContext and
 * clCreateContextFromType aren't known.
 */
#ifndef OCC_LAYER_CONTEXT_H
#define OCC_LAYER_CONTEXT_H

#include <stdbool.h>

#include <CL/cl.h>

/* Has the application a reference on it, as far as known? Lock held. */
bool occ_context_is_known(cl_context context);

/* At initialisation. */
void occ_context_forget_all(void);

#endif
