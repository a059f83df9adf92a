/* SPDX-License-Identifier: MIT */
/*
 * How many references the bare driver would count on one of the application's
 * programs, and whether it would refuse to build it. Any thread, without the
 * lock: the driver is asked.
 */
#ifndef OCC_LAYER_SERVE_REFERENCES_H
#define OCC_LAYER_SERVE_REFERENCES_H

#include "layer/object/program.h"

/* What CL_PROGRAM_REFERENCE_COUNT would be without the layer. */
cl_int occ_references_count(cl_program handle, cl_uint *ret_count);

/*
 * For a build or compile of a program of which kernels may be alive, on a
 * driver that refuses_by_count. Returns the shadow program, retained, to ask in
 * the program's place, because the driver would refuse to build either; or NULL
 * if the application's handle is to be asked, and answers as without the layer.
 */
struct occ_shadow *occ_references_refusing(struct occ_program *program);

/*
 * The application has made a kernel of a program that the driver built:
 * compares the program's reference count with the one that what was learnt of
 * the driver leads to expect. `program` is pinned and its handle alive.
 */
void occ_references_observe_kernel(struct occ_program *program);

#endif
