/* SPDX-License-Identifier: MIT */
/*
 * clLinkProgram. Its result is a new program: on a hit it is made from the
 * entry's binary, and is the application's own handle; what a link answers
 * otherwise than a binary comes from the entry.
 */
#include <stdlib.h>
#include <string.h>

#include "hash/buffer.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/base/section.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/driver/blocked_platforms.h"
#include "layer/driver/device.h"
#include "layer/driver/late_libraries.h"
#include "layer/driver/identity.h"
#include "layer/hook/call.h"
#include "layer/hook/hooks.h"
#include "layer/hook/link_input.h"
#include "layer/hook/notify.h"
#include "layer/key/build_key.h"
#include "layer/key/build_key_make.h"
#include "layer/key/environment.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/pending.h"
#include "layer/serve/single_flight.h"
#include "layer/serve/stats.h"
#include "layer/serve/sync_driver.h"

/* The devices of the link, to be freed: those given, or the context's. */
static cl_device_id *list_devices(const struct occ_call *call,
				  cl_uint *ret_count)
{
	const struct occ_arguments *arguments = &call->arguments;
	size_t size = arguments->device_count * sizeof(*arguments->devices);
	cl_device_id *devices;

	if (!arguments->devices)
		return occ_device_list_of_context(arguments->context,
						  ret_count);
	devices = size ? malloc(size) : NULL;
	if (!devices)
		return NULL;
	*ret_count = arguments->device_count;
	return memcpy(devices, arguments->devices, size);
}

static bool has_duplicates(const cl_device_id *devices, cl_uint count)
{
	for (cl_uint i = 0; i < count; i++)
		for (cl_uint j = 0; j < i; j++)
			if (devices[i] == devices[j])
				return true;
	return false;
}

/* Why the link isn't looked up, if it isn't. */
static enum occ_reason judge(const struct occ_call *call)
{
	const struct occ_arguments *arguments = &call->arguments;

	if (!occ_stores_or_memory())
		return OCC_REASON_NO_CACHE;
	if (!arguments->device_count != !arguments->devices ||
	    (arguments->user_data && !arguments->notify))
		return OCC_REASON_PARAMETERS;
	if (call->inputs.known_count != call->inputs.count)
		return OCC_REASON_LINK_INPUT_UNKNOWN;
	if (occ_blocked_platforms_have(arguments->context))
		return OCC_REASON_EXTENSION;
	return OCC_REASON_NONE;
}

static enum occ_reason request_key(struct occ_call *call)
{
	const struct occ_link_inputs *inputs = &call->inputs;
	struct occ_request request = {
		.operation = OCC_LINK,
		.context = call->arguments.context,
		.options = call->arguments.options,
		.link_input_count = inputs->count,
	};
	struct occ_link_input *keys = calloc(inputs->count, sizeof(*keys));
	enum occ_reason reason = OCC_REASON_PARAMETERS;
	cl_device_id *devices;

	if (!keys)
		return OCC_REASON_OUT_OF_MEMORY;
	for (cl_uint i = 0; i < inputs->count; i++)
		keys[i] = inputs->list[i].key;
	request.link_inputs = keys;
	devices = list_devices(call, &request.device_count);
	request.devices = devices;
	if (devices && !has_duplicates(devices, request.device_count))
		call->build_key = occ_build_key_make(&request, &reason);
	free(devices);
	free(keys);
	return call->build_key ? OCC_REASON_NONE : reason;
}

static enum occ_reason make_key(struct occ_call *call)
{
	enum occ_reason reason = judge(call);

	return reason ? reason : request_key(call);
}

/* Once: in the callback or after the return, whichever comes first. */
static bool set_state(struct occ_call *call, cl_program handle,
		      const struct occ_state *state)
{
	bool served = state->shadow;
	struct occ_program *program;

	if (__atomic_exchange_n(&call->known, true, __ATOMIC_ACQ_REL))
		return false;
	program = occ_program_add_linked(handle, call->build_key, state);
	__atomic_store_n(&call->program, program, __ATOMIC_RELEASE);
	if (served && program)
		call->linked = handle;
	else if (served)
		occ_target.clReleaseProgram(handle);
	return program;
}

static void prepare(struct occ_call *call)
{
	occ_link_inputs_sync(&call->inputs, call->arguments.others);
}

/* What was linked is a program of the driver's by its own handle. */
static bool is_linked(cl_program handle)
{
	const struct occ_program *program;
	bool linked;

	occ_lock();
	program = occ_program_find_locked(handle);
	linked = program && program->state.shadow &&
		 program->state.shadow->build_key->operation == OCC_LINK;
	occ_unlock();
	return linked;
}

/*
 * To the driver, with what it must see of the inputs. NULL, without memory to
 * give it others: the application's handles must do themselves.
 */
static cl_program call_driver(const struct occ_arguments *arguments,
			      const cl_program *inputs, occ_notify notify,
			      void *user_data, cl_int *errcode_ret)
{
	struct occ_section pause;
	cl_program handle;

	for (cl_uint i = 0;
	     !inputs && arguments->others && i < arguments->other_count; i++) {
		handle = occ_program_valid(arguments->others[i]);
		if (handle && !is_linked(handle))
			occ_sync_driver(handle);
	}
	occ_single_flight_enter_driver();
	occ_section_pause(&pause);
	handle =
		occ_target.clLinkProgram(arguments->context,
					 arguments->device_count,
					 arguments->devices, arguments->options,
					 arguments->other_count,
					 inputs ? inputs : arguments->others,
					 notify, user_data, errcode_ret);
	occ_section_resume(&pause);
	occ_single_flight_leave_driver();
	return handle;
}

static cl_int forward(struct occ_call *call, occ_notify notify, void *user_data)
{
	static const struct occ_state plain = {.described = OCC_BUFFER_INIT};
	const struct occ_link_inputs *inputs = &call->inputs;
	cl_program *programs = calloc(inputs->count, sizeof(*programs));
	struct occ_program *program;
	cl_int error = CL_SUCCESS;
	bool last;

	for (cl_uint i = 0; programs && i < inputs->count; i++)
		programs[i] = inputs->list[i].program;
	call->linked = call_driver(&call->arguments, programs, notify,
				   user_data, &error);
	free(programs);
	if (!call->build_key)
		return error;
	program = __atomic_load_n(&call->program, __ATOMIC_ACQUIRE);
	if (call->linked && !error)
		set_state(call, call->linked, &plain);
	if (call->linked || !program)
		return error;
	/* PoCL calls back with a program that it then frees. */
	occ_lock();
	program->references = 0;
	last = occ_program_remove_unused_locked(program);
	occ_unlock();
	if (last)
		occ_pending_finish(program);
	return error;
}

static const struct occ_call_kind link_kind = {
	.noun = "link",
	.unserved = OCC_REASON_OUT_OF_MEMORY,
	.makes_program = true,
	.list_devices = list_devices,
	.make_key = make_key,
	.set_state = set_state,
	.prepare = prepare,
	.forward = forward,
};

static cl_program link_programs(const struct occ_arguments *arguments,
				cl_int *errcode_ret)
{
	cl_int error = CL_SUCCESS;
	struct occ_call *call;
	cl_program handle;

	occ_environment_look_at_build();
	occ_late_libraries_watch();
	call = occ_call_new(&link_kind, arguments);
	if (call)
		occ_link_inputs_take(&call->inputs, arguments->context,
				     arguments->other_count, arguments->others);
	if (call && call->inputs.any_observed) {
		error = occ_call_perform(call);
		handle = call->linked;
		if (errcode_ret)
			*errcode_ret = error;
	} else {
		handle = call_driver(arguments, NULL, arguments->notify,
				     arguments->user_data, errcode_ret);
	}
	if (call)
		occ_call_release(call);
	return handle;
}

cl_program CL_API_CALL occ_link_program(cl_context context, cl_uint num_devices,
					const cl_device_id *device_list,
					const char *options,
					cl_uint num_input_programs,
					const cl_program *input_programs,
					occ_notify pfn_notify, void *user_data,
					cl_int *errcode_ret)
{
	const struct occ_arguments arguments = {
		.operation = OCC_LINK,
		.context = context,
		.device_count = num_devices,
		.devices = device_list,
		.options = options,
		.other_count = num_input_programs,
		.others = input_programs,
		.notify = pfn_notify,
		.user_data = user_data,
	};
	struct occ_section section;
	cl_program handle;

	occ_section_enter(&section);
	occ_stats_write_due();
	handle = link_programs(&arguments, errcode_ret);
	occ_section_leave(&section);
	return handle;
}
