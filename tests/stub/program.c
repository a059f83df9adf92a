/* SPDX-License-Identifier: MIT */
#include "tests/stub/program.h"

#include "tests/stub/answer.h"
#include "tests/stub/binary.h"
#include "tests/stub/calls.h"
#include "tests/stub/switches.h"

cl_program stub_program_new(cl_context context, enum stub_origin origin,
			    cl_uint device_count, const cl_device_id *devices)
{
	cl_program program = stub_object_new(STUB_PROGRAM, sizeof(*program),
					     &context->object);

	program->context = context;
	program->origin = origin;
	program->device_count = device_count;
	program->devices = stub_allocate(device_count, sizeof(*devices));
	memcpy(program->devices, devices, device_count * sizeof(*devices));
	program->builds = stub_allocate(device_count, sizeof(*program->builds));
	for (cl_uint i = 0; i < device_count; i++)
		stub_build_clear(&program->builds[i]);
	program->text = stub_copy("", 0);
	stub_context_hold(context);
	return program;
}

bool stub_program_valid(cl_program program)
{
	return stub_is(program, STUB_PROGRAM) &&
	       (program->object.references || !stub.released_invalid);
}

void stub_build_clear(struct stub_build *build)
{
	free(build->options);
	free(build->log);
	stub_code_release(build->code);
	stub_instance_release(build->instance);
	*build = (struct stub_build){
		.status = CL_BUILD_NONE,
		.options = stub_copy("", 0),
		.log = stub_copy("", 0),
	};
}

static void release_build(struct stub_build *build)
{
	free(build->options);
	free(build->log);
	stub_code_release(build->code);
	stub_instance_release(build->instance);
}

/* The handle is invalid when the callbacks run, newest first. */
static void call_back(cl_program program)
{
	struct stub_release_callback *callback = program->callbacks;

	program->callbacks = NULL;
	stub_unlock();
	while (callback) {
		struct stub_release_callback *next = callback->next;

		callback->function(program, callback->data);
		free(callback);
		callback = next;
	}
	stub_lock();
}

void stub_program_drop(cl_program program)
{
	struct _cl_program gone;

	if (program->object.references || program->kernels || program->holds)
		return;
	/* With STUB_REUSE the address may be another's soon. */
	program->holds = 1;
	if (program->callbacks) {
		program->object.alive = false;
		call_back(program);
		program->object.alive = true;
	}
	gone = *program;
	stub_object_end(&program->object);
	for (cl_uint i = 0; i < gone.device_count; i++)
		release_build(&gone.builds[i]);
	free(gone.builds);
	free(gone.devices);
	free(gone.text);
	free(gone.constants);
	free(gone.first_constants);
	stub_context_drop(gone.context);
}

struct stub_build *stub_program_build(cl_program program, cl_device_id device)
{
	for (cl_uint i = 0; i < program->device_count; i++)
		if (program->devices[i] == device)
			return &program->builds[i];
	return NULL;
}

struct census {
	cl_context context;
	cl_uint count;
};

static void count_in(struct stub_object *object, void *data)
{
	cl_program program = (cl_program)object;
	struct census *census = data;

	census->count += program->context == census->context &&
			 (program->object.references || program->kernels ||
			  program->building);
}

cl_uint stub_programs_in(cl_context context)
{
	struct census census = {context, 0};

	stub_objects_visit(STUB_PROGRAM, count_in, &census);
	return census.count;
}

bool stub_program_executable(cl_program program)
{
	for (cl_uint i = 0; i < program->device_count; i++)
		if (program->builds[i].instance)
			return true;
	return false;
}

cl_int CL_API_CALL stub_retain_program(cl_program program)
{
	cl_int code = CL_INVALID_PROGRAM;

	stub_lock();
	if (stub_program_valid(program)) {
		program->object.references++;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_release_program(cl_program program)
{
	cl_int code = CL_INVALID_PROGRAM;

	stub_lock();
	if (stub_program_valid(program) && program->object.references) {
		program->object.references--;
		code = CL_SUCCESS;
		stub_program_drop(program);
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_set_program_release_callback(
	cl_program program, stub_notify_function function, void *user_data)
{
	struct stub_release_callback *callback;
	cl_int code = CL_INVALID_PROGRAM;

	stub_lock();
	if (stub_program_valid(program)) {
		code = CL_SUCCESS;
		if (!stub.release_callback)
			code = CL_INVALID_OPERATION;
		else if (!function)
			code = CL_INVALID_VALUE;
	}
	if (code == CL_SUCCESS) {
		callback = stub_allocate(1, sizeof(*callback));
		callback->function = function;
		callback->data = user_data;
		callback->next = program->callbacks;
		program->callbacks = callback;
	}
	stub_unlock();
	return code;
}

static void set_constant(cl_program program,
			 const struct stub_constant *constant)
{
	struct stub_constant *list;
	size_t i;

	for (i = 0; i < program->constant_count; i++)
		if (program->constants[i].id >= constant->id)
			break;
	if (i < program->constant_count &&
	    program->constants[i].id == constant->id) {
		program->constants[i] = *constant;
		return;
	}
	list = stub_allocate(program->constant_count + 1, sizeof(*list));
	if (i)
		memcpy(list, program->constants, i * sizeof(*list));
	list[i] = *constant;
	if (i < program->constant_count)
		memcpy(list + i + 1, program->constants + i,
		       (program->constant_count - i) * sizeof(*list));
	free(program->constants);
	program->constants = list;
	program->constant_count++;
}

cl_int CL_API_CALL stub_set_program_specialization_constant(cl_program program,
							    cl_uint id,
							    size_t size,
							    const void *value)
{
	struct stub_constant constant = {.id = id};
	cl_int code = CL_SUCCESS;
	cl_uint needed = 0;

	stub_lock();
	if (!stub_program_valid(program) || program->origin != STUB_FROM_IL)
		code = CL_INVALID_PROGRAM;
	else
		needed = stub_il_constant_size(program->text,
					       program->text_size, id);
	if (code == CL_SUCCESS && !needed)
		code = CL_INVALID_SPEC_ID;
	else if (code == CL_SUCCESS && (!value || size != needed))
		code = CL_INVALID_VALUE;
	if (code == CL_SUCCESS) {
		constant.size = needed;
		memcpy(constant.value, value, needed);
		set_constant(program, &constant);
	}
	stub_unlock();
	return code;
}

static cl_int answer_names(const struct stub_answer *answer, cl_program program,
			   bool count_only)
{
	struct stub_text names = {NULL, 0, 0};
	const struct stub_code *code = NULL;
	cl_int result;

	for (cl_uint i = 0; i < program->device_count && !code; i++)
		if (program->builds[i].instance)
			code = program->builds[i].instance->code;
	if (!code)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	if (count_only)
		return stub_answer_size(answer, code->function_count);
	for (size_t i = 0; i < code->function_count; i++)
		stub_text_print(&names, "%s%s", i ? ";" : "",
				code->functions[i].name);
	result = stub_answer_string(answer, stub_text_string(&names));
	stub_text_release(&names);
	return result;
}

static cl_int answer_source(const struct stub_answer *answer,
			    cl_program program)
{
	const struct stub_code *code = program->builds[0].code;

	if (program->origin == STUB_FROM_SOURCE)
		return stub_answer_string(answer, program->text);
	if (program->origin == STUB_FROM_BINARY && code && code->source)
		return stub_answer_string(answer, code->source);
	return stub_answer_string(answer, "");
}

static cl_int answer_program(const struct stub_answer *answer,
			     cl_program program, cl_program_info name)
{
	cl_uint count = program->object.references;

	switch (name) {
	case CL_PROGRAM_REFERENCE_COUNT:
		if (stub.count_kernels)
			count += program->kernels;
		return stub_answer_uint(answer, count);
	case CL_PROGRAM_CONTEXT:
		return stub_answer_handle(answer, program->context);
	case CL_PROGRAM_NUM_DEVICES:
		return stub_answer_uint(answer, program->device_count);
	case CL_PROGRAM_DEVICES:
		return stub_answer_bytes(answer, program->devices,
					 program->device_count *
						 sizeof(*program->devices));
	case CL_PROGRAM_SOURCE:
		return answer_source(answer, program);
	case CL_PROGRAM_IL:
		if (stub.version < 21)
			return CL_INVALID_VALUE;
		return stub_answer_bytes(answer, program->text,
					 program->origin == STUB_FROM_IL
						 ? program->text_size
						 : 0);
	case CL_PROGRAM_NUM_KERNELS:
	case CL_PROGRAM_KERNEL_NAMES:
		if (stub.version < 12)
			return CL_INVALID_VALUE;
		return answer_names(answer, program,
				    name == CL_PROGRAM_NUM_KERNELS);
	case CL_PROGRAM_BINARY_SIZES:
		return stub_binary_sizes(answer, program);
	case CL_PROGRAM_BINARIES:
		return stub_binary_fetch(answer, program);
	case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
	case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
		if (stub.version < 22)
			return CL_INVALID_VALUE;
		return stub_answer_uint(answer, CL_FALSE);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_program_info(cl_program program,
					 cl_program_info name, size_t room,
					 void *value, size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_PROGRAM;

	stub_lock();
	if (stub_program_valid(program))
		code = answer_program(&answer, program, name);
	stub_unlock();
	return code;
}

static cl_int answer_build(const struct stub_answer *answer,
			   const struct stub_build *build,
			   cl_program_build_info name)
{
	const struct stub_code *code = build->code;
	cl_int status = build->status;

	switch (name) {
	case CL_PROGRAM_BUILD_STATUS:
		return stub_answer_bytes(answer, &status, sizeof(status));
	case CL_PROGRAM_BUILD_OPTIONS:
		return stub_answer_string(answer, build->options);
	case CL_PROGRAM_BUILD_LOG:
		return stub_answer_string(answer, build->log);
	case CL_PROGRAM_BINARY_TYPE:
		if (stub.version < 12)
			return CL_INVALID_VALUE;
		return stub_answer_uint(answer,
					code ? code->type
					     : CL_PROGRAM_BINARY_TYPE_NONE);
	case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
		if (stub.version < 20)
			return CL_INVALID_VALUE;
		return stub_answer_size(answer, code ? code->variable_size : 0);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_program_build_info(cl_program program,
					       cl_device_id device,
					       cl_program_build_info name,
					       size_t room, void *value,
					       size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_PROGRAM;
	const struct stub_build *build;

	stub_lock();
	if (stub_program_valid(program)) {
		build = stub_program_build(program, device);
		code = build ? answer_build(&answer, build, name)
			     : CL_INVALID_DEVICE;
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_unload_compiler(void)
{
	return CL_SUCCESS;
}

cl_int CL_API_CALL stub_unload_platform_compiler(cl_platform_id platform)
{
	cl_int code;

	stub_lock();
	code = stub_is(platform, STUB_PLATFORM) ? CL_SUCCESS
						: CL_INVALID_PLATFORM;
	stub_unlock();
	return code;
}
