/* SPDX-License-Identifier: MIT */
/*
 * How many programs each context has that the application doesn't know of:
 * some drivers count them in CL_CONTEXT_REFERENCE_COUNT. Any thread, without
 * the lock.
 */
#ifndef OCC_LAYER_HIDDEN_H
#define OCC_LAYER_HIDDEN_H

#include <CL/cl.h>

/* One more, or (-1) one less. */
void occ_hidden_change(cl_context context, int change);

cl_uint occ_hidden_count(cl_context context);

/* Releases a hidden program, which isn't counted any more. NULL: nothing. */
void occ_hidden_release(cl_context context, cl_program program);

/* At initialisation: forgets the counts of contexts that are gone. */
void occ_hidden_forget_all(void);

#endif
