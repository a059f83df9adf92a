/* SPDX-License-Identifier: MIT */
/* What clBuildProgram and clCompileProgram need to know of links. */
#ifndef OCC_LAYER_LINK_H
#define OCC_LAYER_LINK_H

#include "layer/build.h"

/*
 * A build or compile of a program that is the result of a link which was
 * served (binary->is_handle). Drivers refuse it, each in its way: one that the
 * driver really linked is asked. If the driver agrees, that one answers for
 * the program from then on.
 */
cl_int occ_link_rebuild(struct occ_program *program, uint64_t generation,
			struct occ_binary *binary,
			const struct occ_build_call *call);

#endif
