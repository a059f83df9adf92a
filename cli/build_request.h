/* SPDX-License-Identifier: MIT */
/*
 * What a worker (cli/worker.h) is to build: a row of fields (hash/buffer.h)
 * that has all of it, so that it can be given to another process as a file.
 *
 * First the device and the kernels; then the steps, each with what follows it.
 * A step's fields are those of a database's builds (cache/database_record.h),
 * but with the bytes themselves in the place of their names, and for an input
 * of a link (OCC_BUILD_LINK_BUILD) the number of an earlier step, a u64. What
 * comes of the last step is the program.
 */
#ifndef OCC_CLI_BUILD_REQUEST_H
#define OCC_CLI_BUILD_REQUEST_H

#include "cache/database_record.h"

enum occ_request_field {
	OCC_REQUEST_DEVICE = 100, /* u64: its place in a survey (cli/probe.h) */
	OCC_REQUEST_KERNEL = 101, /* a kernel to be made, by its name */
	OCC_REQUEST_KERNELS = 102, /* all kernels are */
	OCC_REQUEST_STEP = 103,	   /* "build", "compile", "link" */
};

#endif
