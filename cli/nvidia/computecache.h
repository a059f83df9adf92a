/* SPDX-License-Identifier: MIT */
/*
 * The device code that NVIDIA's driver makes of a program: it is in the
 * driver's own cache (~/.nv/ComputeCache, or $CUDA_CACHE_PATH), beside what it
 * was made from. doc/drivers.md has what its files look like; what looks
 * otherwise isn't there.
 *
 * libcuda's linker would make code of the same PTX, too, but with other
 * options, and hence other code.
 */
#ifndef OCC_CLI_NVIDIA_COMPUTECACHE_H
#define OCC_CLI_NVIDIA_COMPUTECACHE_H

#include "cache/entry.h"

/*
 * Finds what the driver made of a program's PTX (CL_PROGRAM_BINARIES) in the
 * cache at `directory`, and appends it. False when there is none, or several
 * that differ, say for other options: the directory had better be a new one,
 * and the program the only one that was built with it.
 */
bool occ_computecache_find(const char *directory, struct occ_span ptx,
			   struct occ_buffer *ret_code);

#endif
