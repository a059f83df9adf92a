/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's linker, as its driver has it: PTX in, device code ("cubin", an ELF
 * file) out. It is in libcuda, which is loaded at run time and only here: where
 * it isn't, or has no such device, there is nothing to link with.
 *
 *	occ_cuda_open(&place, &cuda)
 *		occ_cuda_link(&cuda, ptx, &code)	as often as wanted
 *	occ_cuda_close(&cuda)
 *
 * While it is open the process has a context on the device, which takes host
 * and device memory (doc/drivers.md). The library stays loaded. A driver that
 *is given what it doesn't understand may end the process: to be used in one
 *that is there for this. One thread at a time.
 */
#ifndef OCC_CLI_CUDA_H
#define OCC_CLI_CUDA_H

#include <stdint.h>

#include "cache/entry.h"

/* Where a device is on the PCI bus, as both its interfaces say. */
struct occ_cuda_place {
	uint32_t domain;
	uint32_t bus;
	uint32_t slot;
};

struct occ_cuda {
	int device;
	void *context;
	uint32_t capability; /* major << 16 | minor */
	const char *failed;  /* what went wrong last; a constant string */
	char log[4096];	     /* and what the linker said of it */
};

/*
 * Makes a context on the device. False when there is none, or no libcuda: then
 * `failed` says so and there is nothing to close.
 */
bool occ_cuda_open(const struct occ_cuda_place *place,
		   struct occ_cuda *ret_cuda);

/*
 * Links the PTX of a program, as CL_PROGRAM_BINARIES gives it, and appends the
 * device code. False when that failed, and nothing was appended. Takes as long
 * as the driver would to build the program from its PTX.
 */
bool occ_cuda_link(struct occ_cuda *cuda, struct occ_span ptx,
		   struct occ_buffer *code);

void occ_cuda_close(struct occ_cuda *cuda);

#endif
