/* SPDX-License-Identifier: MIT */
/*
 * A program from bytes on one NVIDIA device, and all that the driver says of
 * it. Only for children (cli/child.h), after occ_opencl_load(). What is given
 * is never released: the process ends soon.
 */
#ifndef OCC_CLI_NVIDIA_DRIVER_H
#define OCC_CLI_NVIDIA_DRIVER_H

#include <stdbool.h>

#include "cache/driver/driver.h"
#include "cache/entry.h"

/* Whose programs: as the driver names them, by an entry's key. */
struct occ_driver_device {
	const char *platform_version;
	const char *name;
	const char *driver_version;
};

/*
 * Leaves only those environment variables that decide which devices there are,
 * and what of a key's is for this driver (cli/nvidia/variables.h), and turns
 * its own cache to `directory`; NULL: off. Before the driver is loaded.
 */
void occ_driver_prepare(const char *directory, struct occ_span variables);

/* Finds such a device. NULL: good; else why not. */
const char *occ_driver_find(const struct occ_driver_device *device);

/* Makes a context on it. NULL: good; else why not. */
const char *occ_driver_open(void);

/* Its compute capability, major << 16 | minor. */
uint32_t occ_driver_capability(void);

/* Builds a program from a source and gives its binary. NULL: good. */
const char *occ_driver_compile(const char *source, const char *options,
			       struct occ_buffer *ret_binary);

/* Builds a program from its binary, or device code. NULL: good. */
const char *occ_driver_load(struct occ_span bytes, const char *options);

/*
 * Of what wasn't good: did the driver say that of the program, and not of what
 * is around it, memory say?
 */
bool occ_driver_is_refusal(void);

/*
 * All that is said of the loaded program and its kernels, but for its log and
 * its binaries, a line each. NULL: good; else memory is short.
 */
const char *occ_driver_describe(struct occ_buffer *ret_text);

/*
 * What the kernel named `kernel`, of (global uint *out, global const uint *in,
 * uint n), makes of in[i] = i * 2654435761 and n = 5, with 256 work-items in
 * groups of 64, as a line of digits. NULL: good.
 */
const char *occ_driver_run(const char *kernel, struct occ_buffer *ret_text);

#endif
