/* SPDX-License-Identifier: MIT */
/* Buffers, in the host's memory. */
#ifndef TESTS_STUB_MEMORY_H
#define TESTS_STUB_MEMORY_H

#include "tests/stub/context.h"

struct _cl_mem {
	struct stub_object object;
	cl_context context;
	cl_mem_flags flags;
	size_t size;
	unsigned char *bytes;
	void *host; /* CL_MEM_USE_HOST_PTR */
	cl_uint maps;
};

#endif
