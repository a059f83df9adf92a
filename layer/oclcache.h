/* SPDX-License-Identifier: MIT */
/*
 * What a program that knows of oclcache may ask of it: how much memory its
 * memory tier takes. No program has to; nothing else is in this interface.
 *
 * The tier keeps, per process, what was built or read from the store, so that
 * building the same again costs microseconds: the verified bytes of programs
 * for every context, and loaded programs for another build in the same context.
 * Its capacity is in bytes, and is OCLCACHE_MEMORY_SIZE, by default 64 MiB, at
 * first. It bounds the bytes of programs that are kept, and once more those of
 * programs that are kept loaded; the least recently used go first.
 *
 * The functions are no symbols to link with. They are found by name, where the
 * layer is active, and otherwise aren't found:
 *
 *	oclcacheSetMemoryCapacity_fn set_capacity =
 *		(oclcacheSetMemoryCapacity_fn)
 *			clGetExtensionFunctionAddressForPlatform(
 *				platform, "oclcacheSetMemoryCapacity");
 *	if (set_capacity)
 *		set_capacity(16 << 20);
 *
 * clGetExtensionFunctionAddress() has them, too. Any platform will do, all give
 * the same functions. No platform or device lists an extension for them.
 *
 * They may be called at any time, from any thread, in callbacks, before there
 * is a context and after the layer or the loader was closed: the code stays
 * loaded, and pointers stay valid, to the end of the process. They never wait
 * for a build. Programs, kernels and contexts of the caller are not affected:
 * what is in use stays until its user releases it.
 */
#ifndef OCLCACHE_H
#define OCLCACHE_H

#include <stddef.h>

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets the capacity in bytes. What doesn't fit any more is let go before the
 * call returns; 0 lets everything go and turns the tier off. CL_SUCCESS.
 */
typedef cl_int(CL_API_CALL *oclcacheSetMemoryCapacity_fn)(size_t capacity);

/*
 * The capacity in bytes. CL_SUCCESS, or CL_INVALID_VALUE when `capacity` is
 * NULL.
 */
typedef cl_int(CL_API_CALL *oclcacheGetMemoryCapacity_fn)(size_t *capacity);

/* Lets everything go. The capacity stays. CL_SUCCESS. */
typedef cl_int(CL_API_CALL *oclcacheClearMemory_fn)(void);

#ifdef __cplusplus
}
#endif

#endif
