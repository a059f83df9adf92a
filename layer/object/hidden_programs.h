/* SPDX-License-Identifier: MIT */
/*
 * How many programs each context has that the application doesn't know of:
 * some drivers count them in CL_CONTEXT_REFERENCE_COUNT. Any thread, without
 * the lock.
 */
#ifndef OCC_LAYER_OBJECT_HIDDEN_PROGRAMS_H
#define OCC_LAYER_OBJECT_HIDDEN_PROGRAMS_H

#include <CL/cl.h>

/* One more, or (-1) one less. */
void occ_hidden_programs_change(cl_context context, int change);

cl_uint occ_hidden_programs_count(cl_context context);

/* Releases a hidden program and stops counting it. NULL does nothing. */
void occ_hidden_programs_release(cl_context context, cl_program program);

/* At initialisation: forgets the counts of contexts that are gone. */
void occ_hidden_programs_forget_all(void);

#endif
