/* SPDX-License-Identifier: MIT */
/*
 * Builds what a request (cli/build_request.h) says, step by step, creates the
 * kernels, and releases everything but a context of the device, which the next
 * request for it gets.
 *
 * Only in children, after occ_opencl_load(); see cli/opencl.h.
 */
#ifndef OCC_CLI_OPENCL_STEPS_H
#define OCC_CLI_OPENCL_STEPS_H

#include "cli/opencl.h"
#include "hash/buffer.h"

struct occ_opencl_result {
	const char *error; /* NULL: all was built */
	const char *log;   /* of the last step that was done, or NULL */
};

/* NULL: this loader has all that is needed; else what it lacks. */
const char *occ_opencl_steps_load(void);

void occ_opencl_steps_perform(struct occ_span request,
			      const struct occ_opencl_device *devices,
			      size_t count,
			      struct occ_opencl_result *ret_result);

#endif
