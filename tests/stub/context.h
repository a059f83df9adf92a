/* SPDX-License-Identifier: MIT */
/* Contexts. Programs, queues and buffers hold theirs. */
#ifndef TESTS_STUB_CONTEXT_H
#define TESTS_STUB_CONTEXT_H

#include "tests/stub/object.h"

struct stub_context_callback {
	void(CL_CALLBACK *function)(cl_context context, void *data);
	void *data;
	struct stub_context_callback *next;
};

struct _cl_context {
	struct stub_object object;
	cl_uint holds; /* objects in it */
	cl_uint device_count;
	cl_device_id *devices;
	cl_context_properties properties[3];
	struct stub_context_callback *callbacks; /* newest first */
};

/* With the lock. The last of both ends it; callbacks then run unlocked. */
void stub_context_hold(cl_context context);
void stub_context_drop(cl_context context);

/* The context lives for the application, not only for its objects. */
bool stub_context_valid(cl_context context);

bool stub_context_has(cl_context context, cl_device_id device);

#endif
