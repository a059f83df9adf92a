/* SPDX-License-Identifier: MIT */
/*
 * clBuildProgram and clCompileProgram. Which of the two it is matters only for
 * the driver's function and for the key.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/base/section.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/driver/blocked_platforms.h"
#include "layer/driver/device.h"
#include "layer/driver/late_libraries.h"
#include "layer/hook/call.h"
#include "layer/hook/hooks.h"
#include "layer/hook/repeat.h"
#include "layer/key/build_key.h"
#include "layer/key/build_key_make.h"
#include "layer/key/environment.h"
#include "layer/key/input.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/callback.h"
#include "layer/serve/pending.h"
#include "layer/serve/single_flight.h"

/* Why the call isn't looked up, whatever its text, if it isn't. */
static enum occ_reason judge(const struct occ_call *call)
{
	enum occ_reason reason;

	if (!occ_stores_or_memory())
		return OCC_REASON_NO_CACHE;
	if (!call->first)
		return OCC_REASON_BUILT_BEFORE;
	if (occ_blocked_platforms_have(call->program->context))
		return OCC_REASON_EXTENSION;
	reason = __atomic_load_n(&call->program->forbidden, __ATOMIC_ACQUIRE);
	if (reason)
		return reason;
	if (!call->alone)
		return OCC_REASON_BUILD_UNDER_WAY;
	if (call->arguments.user_data && !call->arguments.notify)
		return OCC_REASON_PARAMETERS;
	return OCC_REASON_NONE;
}

/*
 * Does the call ask for exactly the program's devices, in their order? PoCL
 * gives binaries in the order of the build.
 */
static bool asks_for_all(const struct occ_arguments *arguments, cl_uint count,
			 const cl_device_id *devices)
{
	if (!arguments->devices)
		return arguments->device_count == 0;
	return arguments->device_count == count &&
	       !memcmp(arguments->devices, devices, count * sizeof(*devices));
}

/* The source that a program was made from, retained; NULL: it has none. */
static struct occ_input *retain_source(cl_program handle)
{
	struct occ_input *input = NULL;
	struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(handle);
	if (program && program->references && program->input &&
	    !program->input->is_il)
		input = occ_input_retain(program->input);
	occ_unlock();
	return input;
}

/*
 * Names and texts of a compile's headers, to be released with their number;
 * NULL when there are none. Sets *ret_reason when they can't be part of a key.
 */
static struct occ_header *take_headers(const struct occ_arguments *arguments,
				       enum occ_reason *ret_reason)
{
	cl_uint count = arguments->other_count;
	struct occ_header *headers;

	if (!count && !arguments->others && !arguments->names)
		return NULL;
	*ret_reason = OCC_REASON_PARAMETERS;
	if (!count || !arguments->others || !arguments->names)
		return NULL;
	headers = calloc(count, sizeof(*headers));
	for (cl_uint i = 0; headers && i < count; i++) {
		if (!arguments->names[i])
			return headers;
		headers[i].name = strdup(arguments->names[i]);
		headers[i].input = retain_source(arguments->others[i]);
		if (!headers[i].name || !headers[i].input)
			return headers;
	}
	if (headers)
		*ret_reason = OCC_REASON_NONE;
	return headers;
}

static void release_headers(struct occ_header *headers, cl_uint count)
{
	for (cl_uint i = 0; headers && i < count; i++) {
		free(headers[i].name);
		occ_input_release(headers[i].input);
	}
	free(headers);
}

/* Of the program's devices. Returns why it has no key, if so. */
static enum occ_reason request_key(struct occ_call *call, cl_uint device_count,
				   const cl_device_id *devices)
{
	const struct occ_arguments *arguments = &call->arguments;
	struct occ_spec_constants constants;
	struct occ_header *headers;
	struct occ_request request = {
		.operation = arguments->operation,
		.context = call->program->context,
		.input = call->program->input,
		.options = arguments->options,
		.constants = &constants,
		.device_count = device_count,
		.devices = devices,
		.header_count = arguments->other_count,
	};
	enum occ_reason reason = OCC_REASON_NONE;
	bool copied;

	if (!asks_for_all(arguments, device_count, devices))
		return OCC_REASON_OTHER_DEVICES;
	occ_lock();
	copied = occ_spec_constants_copy(&call->program->constants, &constants);
	occ_unlock();
	if (!copied)
		return OCC_REASON_OUT_OF_MEMORY;
	headers = take_headers(arguments, &reason);
	request.headers = headers;
	if (!reason)
		call->build_key = occ_build_key_make(&request, &reason);
	release_headers(headers, arguments->other_count);
	occ_spec_constants_release(&constants);
	return reason;
}

static cl_device_id *list_devices(const struct occ_call *call,
				  cl_uint *ret_count)
{
	return occ_device_list_of_program(call->program->handle, ret_count);
}

static enum occ_reason make_key(struct occ_call *call)
{
	enum occ_reason reason = judge(call);
	cl_device_id *devices;
	cl_uint count = 0;

	if (reason)
		return reason;
	devices = list_devices(call, &count);
	if (!devices)
		return OCC_REASON_DEVICES_UNKNOWN;
	reason = request_key(call, count, devices);
	free(devices);
	if (call->build_key) {
		occ_lock();
		call->program->driver = occ_build_key_driver(call->build_key);
		occ_unlock();
	}
	return reason;
}

static bool set_state(struct occ_call *call, cl_program handle,
		      const struct occ_state *state)
{
	(void)handle;
	if (occ_pending_replace_state(call->program, call->generation, state))
		return true;
	occ_shadow_release(state->shadow);
	occ_build_key_release(state->made);
	return false;
}

/* From now on the handle itself answers, as the driver has it. */
static void prepare(struct occ_call *call)
{
	static const struct occ_state plain = {.described = OCC_BUFFER_INIT};

	occ_pending_replace_state(call->program, call->generation, &plain);
	occ_lock();
	call->program->driver_built = true;
	occ_unlock();
}

static cl_int call_driver(const struct occ_arguments *arguments,
			  occ_notify notify, void *user_data)
{
	struct occ_section pause;
	cl_int error;

	occ_single_flight_enter_driver();
	occ_section_pause(&pause);
	if (arguments->operation == OCC_COMPILE)
		error = occ_target.clCompileProgram(
			arguments->program, arguments->device_count,
			arguments->devices, arguments->options,
			arguments->other_count, arguments->others,
			arguments->names, notify, user_data);
	else
		error = occ_target.clBuildProgram(arguments->program,
						  arguments->device_count,
						  arguments->devices,
						  arguments->options, notify,
						  user_data);
	occ_section_resume(&pause);
	occ_single_flight_leave_driver();
	return error;
}

static cl_int forward(struct occ_call *call, occ_notify notify, void *user_data)
{
	struct occ_arguments arguments = call->arguments;

	if (call->build_key && call->build_key->bypass)
		arguments.options = call->build_key->bypass;
	return call_driver(&arguments, notify, user_data);
}

/* Also of compiles. */
static const struct occ_call_kind build_kind = {
	.noun = "program",
	.unserved = OCC_REASON_BUILD_UNDER_WAY,
	.list_devices = list_devices,
	.make_key = make_key,
	.set_state = set_state,
	.prepare = prepare,
	.forward = forward,
};

/*
 * May a call be served that follows on what was served by `before`? After a
 * compile, and before one, the driver's log or code would have traces of the
 * operation before (Intel's); builds after builds have none on most drivers.
 */
static bool may_follow(const struct occ_shadow *before,
		       enum occ_operation operation)
{
	return !before ||
	       (before->build_key->operation == OCC_BUILD &&
		operation == OCC_BUILD &&
		!occ_build_key_driver(before->build_key)->adds_kernel_names);
}

/* Registers the call with its program; false when the handle isn't known. */
static bool begin_build(struct occ_call *call)
{
	struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(call->arguments.program);
	/* The other thread may wait for this one's callback. */
	if (program && !occ_callback_blocks(program->driver))
		occ_program_await_sync_locked(program);
	if (program) {
		call->program = occ_program_pin(program);
		call->first = !program->driver_built &&
			      may_follow(program->state.shadow,
					 call->arguments.operation);
		call->alone = !program->building && !program->specializing;
		call->generation = ++program->generation;
		call->attached = program->kernel_holds > 0;
		if (program->state.shadow)
			call->shadow = occ_shadow_retain(program->state.shadow);
	}
	occ_unlock();
	if (!program)
		return false;
	occ_program_hold(program);
	call->held = true;
	return true;
}

/* Does the whole call: serves it, or lets the driver do it and learns. */
static cl_int perform(struct occ_arguments *arguments)
{
	struct occ_section section;
	struct occ_call *call;
	cl_int error;

	occ_section_enter(&section);
	occ_environment_look_at_build();
	occ_late_libraries_watch();
	arguments->program = occ_program_valid(arguments->program);
	call = occ_call_new(&build_kind, arguments);
	if (!call || !begin_build(call)) {
		error = call_driver(arguments, arguments->notify,
				    arguments->user_data);
	} else if (!occ_repeat_perform(call, &error)) {
		/* An application's own binaries are the driver's. */
		error = call->program->input ? occ_call_perform(call)
					     : occ_call_drive(call);
	}
	if (call)
		occ_call_release(call);
	occ_section_leave(&section);
	return error;
}

cl_int CL_API_CALL occ_build_program(cl_program program, cl_uint num_devices,
				     const cl_device_id *device_list,
				     const char *options, occ_notify pfn_notify,
				     void *user_data)
{
	struct occ_arguments arguments = {
		.operation = OCC_BUILD,
		.program = program,
		.device_count = num_devices,
		.devices = device_list,
		.options = options,
		.notify = pfn_notify,
		.user_data = user_data,
	};

	return perform(&arguments);
}

/*
 * Header programs are passed as the application's handles: the driver takes
 * their source.
 */
cl_int CL_API_CALL occ_compile_program(cl_program program, cl_uint num_devices,
				       const cl_device_id *device_list,
				       const char *options,
				       cl_uint num_input_headers,
				       const cl_program *input_headers,
				       const char **header_include_names,
				       occ_notify pfn_notify, void *user_data)
{
	struct occ_arguments arguments = {
		.operation = OCC_COMPILE,
		.program = program,
		.device_count = num_devices,
		.devices = device_list,
		.options = options,
		.other_count = num_input_headers,
		.others = input_headers,
		.names = header_include_names,
		.notify = pfn_notify,
		.user_data = user_data,
	};

	return perform(&arguments);
}
