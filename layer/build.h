/* SPDX-License-Identifier: MIT */
/*
 * A call that builds or compiles a program, and what such calls have in
 * common.
 *
 * Calling sequence: fill the arguments in, occ_build_begin(), whatever the
 * call does, occ_build_end(). In between, handle and struct stay alive even
 * when the application releases the program in its callback.
 */
#ifndef OCC_LAYER_BUILD_H
#define OCC_LAYER_BUILD_H

#include "layer/program.h"

typedef void(CL_CALLBACK *occ_notify)(cl_program, void *);

/* One call of clBuildProgram or clCompileProgram. */
struct occ_build {
	cl_program handle;
	cl_uint device_count;
	const cl_device_id *devices;
	const char *options;
	occ_notify notify;
	void *user_data;

	struct occ_program *program; /* pinned */
	struct occ_binary *binary;   /* serving when the call began, retained */
	struct occ_recipe *recipe;   /* NULL: not cacheable */
	uint64_t generation;
	uint64_t start;
	bool first;    /* the driver hasn't built the handle before */
	bool alone;    /* no other build of it is under way */
	bool attached; /* kernels of the serving binary program are alive */
};

/*
 * Registers the call with the program. False when the handle isn't known: then
 * nothing else may be called with this struct.
 */
bool occ_build_begin(struct occ_build *build);
void occ_build_end(struct occ_build *build);

/*
 * The driver is about to build or compile the handle: from now on the handle
 * itself answers. What the program was served before is settled first.
 */
void occ_build_plain(struct occ_build *build);

/*
 * If the program is served and the driver never built its handle, makes the
 * driver build it now, as the application had asked, so that what follows
 * finds the driver in the state it would have without the layer. The program
 * stays served. Anything else: does nothing.
 */
void occ_build_settle(cl_program handle);

#endif
