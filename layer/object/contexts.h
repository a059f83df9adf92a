/* SPDX-License-Identifier: MIT */
/*
 * What is counted of contexts. Any thread; takes the lock, unless said
 * otherwise.
 */
#ifndef OCC_LAYER_OBJECT_CONTEXTS_H
#define OCC_LAYER_OBJECT_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include <CL/cl.h>

/*
 * The application's own references. Programs, queues and buffers hold
 * references, too, in most drivers, so only this count tells when the
 * application has released a context for the last time: then the layer must
 * release what it keeps of the context.
 *
 * Only contexts made by clCreateContext and clCreateContextFromType are known.
 */

/* Is it known, and has the application a reference on it? Lock held. */
bool occ_context_is_known_locked(cl_context context);

/*
 * Adds a context that was just made, with one reference. Returns true if the
 * handle was known: its former context was released behind the layer's back.
 */
bool occ_context_add(cl_context context);
void occ_context_retain(cl_context context);

/*
 * The application is about to release it. If that is the last reference,
 * forgets the context and returns true.
 */
bool occ_context_release(cl_context context);

/* Which one it is of all that the process made, from 0, and when that was. */
struct occ_context_place {
	uint32_t number;
	uint64_t made; /* occ_log_now() */
};

/* False: it isn't known. */
bool occ_context_place(cl_context context, struct occ_context_place *ret_place);

/*
 * How many programs a context has, known or not, that the application doesn't
 * know of: some drivers count them in CL_CONTEXT_REFERENCE_COUNT. `change`: 1
 * or -1.
 */
void occ_context_change_hidden(cl_context context, int change);

/*
 * The same around the call of a driver that makes or releases one: during it
 * nobody can tell whether the program counts. `change`: 1, -1, or 0 if it came
 * to nothing.
 */
void occ_context_begin_hidden(cl_context context);
void occ_context_end_hidden(cl_context context, int change);

/*
 * Waits up to 5 s while a program is being made. What the driver counts is to
 * be asked between two calls of which *ret_changes is the same.
 */
cl_uint occ_context_hidden(cl_context context, uint64_t *ret_changes);

/* Releases a hidden program and stops counting it. NULL does nothing. */
void occ_context_release_hidden(cl_context context, cl_program program);

/* At initialisation. */
void occ_context_forget_all(void);

#endif
