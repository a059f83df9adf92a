/* SPDX-License-Identifier: MIT */
/*
 * clBuildProgram and clCompileProgram: one call of either, from its beginning
 * to after its callback. Which of the two it is matters only for the driver's
 * function and for the key.
 */
#ifndef OCC_LAYER_BUILD_H
#define OCC_LAYER_BUILD_H

#include "layer/notify.h"
#include "layer/program.h"

/* The arguments as the application gave them. */
struct occ_build_call {
	enum occ_operation operation; /* OCC_BUILD or OCC_COMPILE */
	cl_program handle;
	cl_uint device_count;
	const cl_device_id *devices;
	const char *options;
	cl_uint header_count; /* of a compile */
	const cl_program *headers;
	const char **header_names;
	occ_notify notify;
	void *user_data;
};

/* The driver's own function of the call, with another callback. */
cl_int occ_build_forward(const struct occ_build_call *call, occ_notify notify,
			 void *user_data);

/* Does the whole call: serves it, or lets the driver do it and learns. */
cl_int occ_build_perform(struct occ_build_call *call);

/*
 * If the program is served and the driver never built its handle, makes the
 * driver build it now, as the application had asked, so that what follows
 * finds the driver in the state it would have without the layer. The program
 * stays served. Anything else: does nothing. Waits for another thread that does
 * it. False when the handle doesn't have what was served, because it can't be
 * made any more.
 */
bool occ_build_settle(cl_program handle);

/* The same for every program. */
void occ_build_settle_all(void);

#endif
