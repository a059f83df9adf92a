/* SPDX-License-Identifier: MIT */
#include "tests/stub/queue.h"

#include "tests/stub/answer.h"
#include "tests/stub/calls.h"

static cl_command_queue new_queue(cl_context context, cl_device_id device,
				  cl_command_queue_properties properties,
				  cl_int *ret_code)
{
	cl_command_queue queue;

	*ret_code = CL_INVALID_CONTEXT;
	if (!stub_context_valid(context))
		return NULL;
	*ret_code = CL_INVALID_DEVICE;
	if (!stub_context_has(context, device))
		return NULL;
	*ret_code = CL_SUCCESS;
	queue = stub_object_new(STUB_QUEUE, sizeof(*queue), &context->object);
	queue->context = context;
	queue->device = device;
	queue->properties = properties;
	stub_context_hold(context);
	return queue;
}

cl_command_queue CL_API_CALL stub_create_command_queue(
	cl_context context, cl_device_id device,
	cl_command_queue_properties properties, cl_int *errcode_ret)
{
	cl_command_queue queue;
	cl_int code;

	stub_lock();
	queue = new_queue(context, device, properties, &code);
	stub_unlock();
	if (errcode_ret)
		*errcode_ret = code;
	return queue;
}

cl_command_queue CL_API_CALL stub_create_command_queue_with_properties(
	cl_context context, cl_device_id device,
	const cl_queue_properties *properties, cl_int *errcode_ret)
{
	cl_command_queue_properties flags = 0;

	for (; properties && properties[0]; properties += 2)
		if (properties[0] == CL_QUEUE_PROPERTIES)
			flags = properties[1];
	return stub_create_command_queue(context, device, flags, errcode_ret);
}

cl_int CL_API_CALL stub_retain_command_queue(cl_command_queue queue)
{
	cl_int code = CL_INVALID_COMMAND_QUEUE;

	stub_lock();
	if (stub_is(queue, STUB_QUEUE)) {
		queue->object.references++;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_release_command_queue(cl_command_queue queue)
{
	cl_int code = CL_INVALID_COMMAND_QUEUE;

	stub_lock();
	if (stub_is(queue, STUB_QUEUE)) {
		code = CL_SUCCESS;
		if (!--queue->object.references) {
			stub_object_end(&queue->object);
			stub_context_drop(queue->context);
		}
	}
	stub_unlock();
	return code;
}

static cl_int answer_queue(const struct stub_answer *answer,
			   cl_command_queue queue, cl_command_queue_info name)
{
	switch (name) {
	case CL_QUEUE_CONTEXT:
		return stub_answer_handle(answer, queue->context);
	case CL_QUEUE_DEVICE:
		return stub_answer_handle(answer, queue->device);
	case CL_QUEUE_REFERENCE_COUNT:
		return stub_answer_uint(answer, queue->object.references);
	case CL_QUEUE_PROPERTIES:
		return stub_answer_ulong(answer, queue->properties);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_command_queue_info(cl_command_queue queue,
					       cl_command_queue_info name,
					       size_t room, void *value,
					       size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_COMMAND_QUEUE;

	stub_lock();
	if (stub_is(queue, STUB_QUEUE))
		code = answer_queue(&answer, queue, name);
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_finish(cl_command_queue queue)
{
	cl_int code;

	stub_lock();
	code = stub_is(queue, STUB_QUEUE) ? CL_SUCCESS
					  : CL_INVALID_COMMAND_QUEUE;
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_flush(cl_command_queue queue)
{
	return stub_finish(queue);
}

cl_int CL_API_CALL stub_set_default_device_command_queue(cl_context context,
							 cl_device_id device,
							 cl_command_queue queue)
{
	cl_int code = CL_SUCCESS;

	stub_lock();
	if (!stub_context_valid(context))
		code = CL_INVALID_CONTEXT;
	else if (!stub_context_has(context, device))
		code = CL_INVALID_DEVICE;
	else if (!stub_is(queue, STUB_QUEUE))
		code = CL_INVALID_COMMAND_QUEUE;
	stub_unlock();
	return code;
}
