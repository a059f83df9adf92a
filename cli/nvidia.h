/* SPDX-License-Identifier: MIT */
/*
 * A program from bytes on one NVIDIA device, and all that the driver says of
 * it. All but occ_nvidia_is_here() only for children (cli/child.h), after
 * occ_opencl_load(). What is given is never released: the process ends soon.
 */
#ifndef OCC_CLI_NVIDIA_H
#define OCC_CLI_NVIDIA_H

#include <stdbool.h>

#include "cache/entry.h"

/* CL_PLATFORM_NAME of the only driver that this is for. */
#define OCC_NVIDIA_PLATFORM "NVIDIA CUDA"

/* Whose programs: as the driver names them, by an entry's key. */
struct occ_nvidia_device {
	const char *platform_version;
	const char *name;
	const char *driver_version;
};

/* Does the kernel have the driver? Nothing is loaded to tell. */
bool occ_nvidia_is_here(void);

/*
 * Leaves only those environment variables that decide which devices there are,
 * and what of a key's is for this driver (cli/variables.h), and turns its own
 * cache to `folder`; NULL: off. Before the driver is loaded.
 */
void occ_nvidia_prepare(const char *folder, struct occ_span variables);

/* Finds such a device. NULL: good; else why not. */
const char *occ_nvidia_find(const struct occ_nvidia_device *device);

/* Makes a context on it. NULL: good; else why not. */
const char *occ_nvidia_open(void);

/* Its compute capability, major << 16 | minor. */
uint32_t occ_nvidia_capability(void);

/* Builds a program from a source and gives its binary. NULL: good. */
const char *occ_nvidia_compile(const char *source, const char *options,
			       struct occ_buffer *ret_binary);

/* Builds a program from its binary, or device code. NULL: good. */
const char *occ_nvidia_load(struct occ_span bytes, const char *options);

/*
 * Of what wasn't good: did the driver say that of the program, and not of what
 * is around it, memory say?
 */
bool occ_nvidia_is_refusal(void);

/*
 * All that is said of the loaded program and its kernels, but for its log and
 * its binaries, a line each. NULL: good; else memory is short.
 */
const char *occ_nvidia_describe(struct occ_buffer *ret_text);

/*
 * What the kernel named `kernel`, of (global uint *out, global const uint *in,
 * uint n), makes of in[i] = i * 2654435761 and n = 5, with 256 work-items in
 * groups of 64, as a line of digits. NULL: good.
 */
const char *occ_nvidia_run(const char *kernel, struct occ_buffer *ret_text);

#endif
