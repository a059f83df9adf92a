/* SPDX-License-Identifier: MIT */
/* Queues: every command is done when its call returns. */
#ifndef TESTS_STUB_QUEUE_H
#define TESTS_STUB_QUEUE_H

#include "tests/stub/context.h"

struct _cl_command_queue {
	struct stub_object object;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties properties;
};

/* An event of the queue in *ret_event, if the application wants one. */
void stub_event_make(cl_command_queue queue, cl_command_type type,
		     cl_event *ret_event);

/* A wait list: CL_SUCCESS or an error. */
cl_int stub_events_check(cl_uint count, const cl_event *events);

#endif
