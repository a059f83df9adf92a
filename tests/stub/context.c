/* SPDX-License-Identifier: MIT */
#include "tests/stub/context.h"

#include "tests/stub/answer.h"
#include "tests/stub/calls.h"
#include "tests/stub/platform.h"
#include "tests/stub/program.h"
#include "tests/stub/switches.h"

void stub_context_hold(cl_context context)
{
	context->holds++;
}

static void end(cl_context context)
{
	struct stub_context_callback *callback = context->callbacks;

	stub_object_end(&context->object);
	context->callbacks = NULL;
	free(context->devices);
	context->devices = NULL;
	stub_unlock();
	while (callback) {
		struct stub_context_callback *next = callback->next;

		callback->function(context, callback->data);
		free(callback);
		callback = next;
	}
	stub_lock();
}

static void end_if_unused(cl_context context)
{
	if (!context->object.references && !context->holds)
		end(context);
}

void stub_context_drop(cl_context context)
{
	context->holds--;
	end_if_unused(context);
}

bool stub_context_valid(cl_context context)
{
	return stub_is(context, STUB_CONTEXT) && context->object.references > 0;
}

bool stub_context_has(cl_context context, cl_device_id device)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if (context->devices[i] == device)
			return true;
	return false;
}

static cl_context new_context(const cl_context_properties *properties,
			      cl_uint count, const cl_device_id *devices,
			      cl_int *ret_code)
{
	cl_context context;

	*ret_code = CL_INVALID_DEVICE;
	for (cl_uint i = 0; i < count; i++)
		if (!stub_is(devices[i], STUB_DEVICE) ||
		    devices[i]->platform != devices[0]->platform)
			return NULL;
	*ret_code = CL_SUCCESS;
	context = stub_object_new(STUB_CONTEXT, sizeof(*context),
				  &devices[0]->object);
	context->device_count = count;
	context->devices = stub_allocate(count, sizeof(*devices));
	memcpy(context->devices, devices, count * sizeof(*devices));
	if (properties && properties[0] == CL_CONTEXT_PLATFORM)
		memcpy(context->properties, properties,
		       2 * sizeof(*properties));
	return context;
}

cl_context CL_API_CALL stub_create_context(
	const cl_context_properties *properties, cl_uint num_devices,
	const cl_device_id *devices,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
	void *user_data, cl_int *errcode_ret)
{
	cl_int code = CL_INVALID_VALUE;
	cl_context context = NULL;

	if (num_devices && devices && (notify || !user_data)) {
		stub_lock();
		context = new_context(properties, num_devices, devices, &code);
		stub_unlock();
	}
	if (errcode_ret)
		*errcode_ret = code;
	return context;
}

cl_context CL_API_CALL stub_create_context_from_type(
	const cl_context_properties *properties, cl_device_type type,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
	void *user_data, cl_int *errcode_ret)
{
	cl_platform_id platform = NULL;
	cl_uint count = 0;
	cl_int code;

	if (properties && properties[0] == CL_CONTEXT_PLATFORM)
		memcpy(&platform, &properties[1], sizeof(platform));
	if (!platform)
		stub_get_platform_ids(1, &platform, NULL);
	code = stub_get_device_ids(platform, type, 0, NULL, &count);
	if (code == CL_SUCCESS)
		return stub_create_context(properties, count, platform->devices,
					   notify, user_data, errcode_ret);
	if (errcode_ret)
		*errcode_ret = code;
	return NULL;
}

cl_int CL_API_CALL stub_retain_context(cl_context context)
{
	cl_int code = CL_INVALID_CONTEXT;

	stub_lock();
	if (stub_context_valid(context)) {
		context->object.references++;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_release_context(cl_context context)
{
	cl_int code = CL_INVALID_CONTEXT;

	stub_lock();
	if (stub_context_valid(context)) {
		context->object.references--;
		code = CL_SUCCESS;
		end_if_unused(context);
	}
	stub_unlock();
	return code;
}

static cl_int answer_context(const struct stub_answer *answer,
			     cl_context context, cl_context_info name)
{
	cl_uint count = context->object.references;

	switch (name) {
	case CL_CONTEXT_REFERENCE_COUNT:
		if (stub.count_programs)
			count += stub_programs_in(context);
		return stub_answer_uint(answer, count);
	case CL_CONTEXT_NUM_DEVICES:
		return stub_answer_uint(answer, context->device_count);
	case CL_CONTEXT_DEVICES:
		return stub_answer_bytes(answer, context->devices,
					 context->device_count *
						 sizeof(*context->devices));
	case CL_CONTEXT_PROPERTIES:
		return stub_answer_bytes(answer, context->properties,
					 context->properties[0]
						 ? sizeof(context->properties)
						 : 0);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_context_info(cl_context context,
					 cl_context_info name, size_t room,
					 void *value, size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_CONTEXT;

	stub_lock();
	if (stub_is(context, STUB_CONTEXT))
		code = answer_context(&answer, context, name);
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_set_context_destructor_callback(
	cl_context context,
	void(CL_CALLBACK *function)(cl_context context, void *user_data),
	void *user_data)
{
	struct stub_context_callback *callback;
	cl_int code = CL_INVALID_CONTEXT;

	if (!function)
		return CL_INVALID_VALUE;
	stub_lock();
	if (stub_context_valid(context)) {
		callback = stub_allocate(1, sizeof(*callback));
		callback->function = function;
		callback->data = user_data;
		callback->next = context->callbacks;
		context->callbacks = callback;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}
