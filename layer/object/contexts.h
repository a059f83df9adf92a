/* SPDX-License-Identifier: MIT */
/*
 * The application's own references on its contexts. Programs, queues and
 * buffers hold references, too, in most drivers, so only this count tells when
 * the application has released a context for the last time: then the layer must
 * release what it keeps of the context.
 *
 * Only contexts made by clCreateContext and clCreateContextFromType are known.
 */
#ifndef OCC_LAYER_OBJECT_CONTEXTS_H
#define OCC_LAYER_OBJECT_CONTEXTS_H

#include <stdbool.h>

#include <CL/cl.h>

/* Is it known, and has the application a reference on it? Lock held. */
bool occ_context_is_known_locked(cl_context context);

/*
 * Adds a context that was just made, with one reference. Returns true if the
 * handle was known: its former context was released behind the layer's back.
 * Takes the lock, as do the next two.
 */
bool occ_context_add(cl_context context);
void occ_context_retain(cl_context context);

/*
 * The application is about to release it. If that is the last reference,
 * forgets the context and returns true.
 */
bool occ_context_release(cl_context context);

/* At initialisation. */
void occ_context_forget_all(void);

#endif
