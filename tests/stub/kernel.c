/* SPDX-License-Identifier: MIT */
#include "tests/stub/kernel.h"

#include "tests/stub/answer.h"
#include "tests/stub/calls.h"
#include "tests/stub/memory.h"
#include "tests/stub/switches.h"

static void add_instances(cl_kernel kernel)
{
	cl_program program = kernel->program;

	kernel->instances = stub_allocate(program->device_count,
					  sizeof(struct stub_instance *));
	for (cl_uint i = 0; i < program->device_count; i++) {
		struct stub_instance *instance = program->builds[i].instance;

		if (instance && stub_code_find(instance->code, kernel->name))
			kernel->instances[i] = stub_instance_retain(instance);
	}
}

/* With the lock. CL_INVALID_KERNEL_NAME when no device's code has it. */
static cl_kernel new_kernel(cl_program program, const char *name,
			    cl_int *ret_code)
{
	struct stub_code *code = NULL;
	cl_kernel kernel;

	*ret_code = stub_program_executable(program)
			    ? CL_INVALID_KERNEL_NAME
			    : CL_INVALID_PROGRAM_EXECUTABLE;
	for (cl_uint i = 0; i < program->device_count && !code; i++)
		if (program->builds[i].instance &&
		    stub_code_find(program->builds[i].instance->code, name))
			code = program->builds[i].instance->code;
	if (!code)
		return NULL;
	*ret_code = CL_SUCCESS;
	kernel =
		stub_object_new(STUB_KERNEL, sizeof(*kernel), &program->object);
	kernel->program = program;
	kernel->name = stub_copy(name, strlen(name));
	kernel->code = stub_code_retain(code);
	kernel->function = stub_code_find(code, name);
	kernel->settings = stub_allocate(kernel->function->argument_count,
					 sizeof(*kernel->settings));
	add_instances(kernel);
	program->kernels++;
	program->kernel_created = true;
	return kernel;
}

struct stub_instance *stub_kernel_instance(cl_kernel kernel,
					   cl_device_id device)
{
	for (cl_uint i = 0; i < kernel->program->device_count; i++)
		if (kernel->program->devices[i] == device)
			return kernel->instances[i];
	return NULL;
}

static void end(cl_kernel kernel)
{
	cl_program program = kernel->program;

	for (cl_uint i = 0; i < program->device_count; i++)
		stub_instance_release(kernel->instances[i]);
	for (size_t i = 0; i < kernel->function->argument_count; i++)
		free(kernel->settings[i].value);
	free(kernel->instances);
	free(kernel->settings);
	free(kernel->name);
	stub_code_release(kernel->code);
	stub_object_end(&kernel->object);
	program->kernels--;
	stub_program_drop(program);
}

cl_kernel CL_API_CALL stub_create_kernel(cl_program program, const char *name,
					 cl_int *errcode_ret)
{
	cl_int code = CL_INVALID_PROGRAM;
	cl_kernel kernel = NULL;

	stub_lock();
	if (stub_program_valid(program)) {
		code = CL_INVALID_VALUE;
		if (name)
			kernel = new_kernel(program, name, &code);
	}
	stub_unlock();
	if (errcode_ret)
		*errcode_ret = code;
	return kernel;
}

cl_int CL_API_CALL stub_create_kernels_in_program(cl_program program,
						  cl_uint num_kernels,
						  cl_kernel *kernels,
						  cl_uint *num_kernels_ret)
{
	const struct stub_code *found = NULL;
	cl_int code = CL_SUCCESS;
	cl_uint i;

	stub_lock();
	if (!stub_program_valid(program))
		code = CL_INVALID_PROGRAM;
	for (i = 0; !code && i < program->device_count && !found; i++)
		if (program->builds[i].instance)
			found = program->builds[i].instance->code;
	if (!code && !found)
		code = CL_INVALID_PROGRAM_EXECUTABLE;
	if (!code && kernels && num_kernels < found->function_count)
		code = CL_INVALID_VALUE;
	for (i = 0; !code && kernels && i < found->function_count; i++)
		kernels[i] =
			new_kernel(program, found->functions[i].name, &code);
	if (!code && num_kernels_ret)
		*num_kernels_ret = (cl_uint)found->function_count;
	stub_unlock();
	return code;
}

static void copy_settings(cl_kernel to, cl_kernel from)
{
	for (size_t i = 0; i < from->function->argument_count; i++) {
		to->settings[i] = from->settings[i];
		if (from->settings[i].value)
			to->settings[i].value = (unsigned char *)
				stub_copy(from->settings[i].value,
					  from->settings[i].size);
	}
}

/* Of the same build, whatever the program has become. */
static cl_kernel clone(cl_kernel from)
{
	cl_kernel kernel =
		stub_object_new(STUB_KERNEL, sizeof(*kernel), &from->object);
	cl_uint count = from->program->device_count;

	kernel->program = from->program;
	kernel->name = stub_copy(from->name, strlen(from->name));
	kernel->code = stub_code_retain(from->code);
	kernel->function = from->function;
	kernel->settings = stub_allocate(from->function->argument_count,
					 sizeof(*kernel->settings));
	kernel->instances =
		stub_allocate(count, sizeof(struct stub_instance *));
	for (cl_uint i = 0; i < count; i++)
		if (from->instances[i])
			kernel->instances[i] =
				stub_instance_retain(from->instances[i]);
	copy_settings(kernel, from);
	from->program->kernels++;
	return kernel;
}

cl_kernel CL_API_CALL stub_clone_kernel(cl_kernel kernel, cl_int *errcode_ret)
{
	cl_int code = CL_INVALID_KERNEL;
	cl_kernel copy = NULL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL)) {
		copy = clone(kernel);
		code = CL_SUCCESS;
	}
	stub_unlock();
	if (errcode_ret)
		*errcode_ret = code;
	return copy;
}

cl_int CL_API_CALL stub_retain_kernel(cl_kernel kernel)
{
	cl_int code = CL_INVALID_KERNEL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL)) {
		kernel->object.references++;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_release_kernel(cl_kernel kernel)
{
	cl_int code = CL_INVALID_KERNEL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL)) {
		code = CL_SUCCESS;
		if (!--kernel->object.references)
			end(kernel);
	}
	stub_unlock();
	return code;
}

static cl_int check_value(const struct stub_argument *argument, size_t size,
			  const void *value)
{
	cl_mem buffer = NULL;

	switch (argument->passing) {
	case STUB_LOCAL:
		if (value)
			return CL_INVALID_ARG_VALUE;
		return size ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
	case STUB_BUFFER:
		if (size != sizeof(buffer))
			return CL_INVALID_ARG_SIZE;
		if (value)
			memcpy(&buffer, value, sizeof(buffer));
		if (buffer && !stub_is(buffer, STUB_MEMORY))
			return CL_INVALID_MEM_OBJECT;
		return CL_SUCCESS;
	default:
		if (!value)
			return CL_INVALID_ARG_VALUE;
		if (!size || (argument->size && size != argument->size))
			return CL_INVALID_ARG_SIZE;
		return CL_SUCCESS;
	}
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, size_t size,
			   const void *value)
{
	const struct stub_argument *argument;
	struct stub_setting *setting;
	cl_int code;

	if (index >= kernel->function->argument_count)
		return CL_INVALID_ARG_INDEX;
	argument = &kernel->function->arguments[index];
	code = check_value(argument, size, value);
	if (code != CL_SUCCESS)
		return code;
	setting = &kernel->settings[index];
	free(setting->value);
	*setting = (struct stub_setting){.set = true, .size = size};
	if (argument->passing == STUB_BUFFER && value)
		memcpy(&setting->buffer, value, sizeof(setting->buffer));
	else if (value)
		setting->value = (unsigned char *)stub_copy(value, size);
	return CL_SUCCESS;
}

cl_int CL_API_CALL stub_set_kernel_arg(cl_kernel kernel, cl_uint index,
				       size_t size, const void *value)
{
	cl_int code = CL_INVALID_KERNEL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL))
		code = set_argument(kernel, index, size, value);
	stub_unlock();
	return code;
}

/* Shared memory counts as set; the stub's kernels don't write to it. */
cl_int CL_API_CALL stub_set_kernel_arg_svm_pointer(cl_kernel kernel,
						   cl_uint index,
						   const void *value)
{
	cl_int code = CL_INVALID_KERNEL;

	(void)value;
	stub_lock();
	if (stub_is(kernel, STUB_KERNEL)) {
		code = CL_INVALID_ARG_INDEX;
		if (index < kernel->function->argument_count &&
		    kernel->function->arguments[index].passing == STUB_BUFFER) {
			kernel->settings[index].set = true;
			kernel->settings[index].buffer = NULL;
			code = CL_SUCCESS;
		}
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_set_kernel_exec_info(cl_kernel kernel,
					     cl_kernel_exec_info name,
					     size_t size, const void *value)
{
	cl_int code = CL_INVALID_KERNEL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL))
		code = size && value &&
				       (name == CL_KERNEL_EXEC_INFO_SVM_PTRS ||
					name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)
			       ? CL_SUCCESS
			       : CL_INVALID_VALUE;
	stub_unlock();
	return code;
}

static cl_int answer_kernel(const struct stub_answer *answer, cl_kernel kernel,
			    cl_kernel_info name)
{
	switch (name) {
	case CL_KERNEL_FUNCTION_NAME:
		return stub_answer_string(answer, kernel->name);
	case CL_KERNEL_NUM_ARGS:
		return stub_answer_uint(
			answer, (cl_uint)kernel->function->argument_count);
	case CL_KERNEL_REFERENCE_COUNT:
		return stub_answer_uint(answer, kernel->object.references);
	case CL_KERNEL_CONTEXT:
		return stub_answer_handle(answer, kernel->program->context);
	case CL_KERNEL_PROGRAM:
		return stub_answer_handle(answer, kernel->program);
	case CL_KERNEL_ATTRIBUTES:
		if (stub.version < 12)
			return CL_INVALID_VALUE;
		return stub_answer_string(answer, kernel->function->attributes);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_kernel_info(cl_kernel kernel, cl_kernel_info name,
					size_t room, void *value,
					size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_KERNEL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL))
		code = answer_kernel(&answer, kernel, name);
	stub_unlock();
	return code;
}

static cl_int answer_argument(const struct stub_answer *answer,
			      cl_kernel kernel, cl_uint index,
			      cl_kernel_arg_info name)
{
	const struct stub_argument *argument;

	if (index >= kernel->function->argument_count)
		return CL_INVALID_ARG_INDEX;
	if (!kernel->function->has_info)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	argument = &kernel->function->arguments[index];
	switch (name) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
		return stub_answer_uint(answer, argument->address);
	case CL_KERNEL_ARG_ACCESS_QUALIFIER:
		return stub_answer_uint(answer, argument->access);
	case CL_KERNEL_ARG_TYPE_NAME:
		return stub_answer_string(answer, argument->type);
	case CL_KERNEL_ARG_TYPE_QUALIFIER:
		return stub_answer_ulong(answer, argument->qualifiers);
	case CL_KERNEL_ARG_NAME:
		return stub_answer_string(answer, argument->name);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_kernel_arg_info(cl_kernel kernel, cl_uint index,
					    cl_kernel_arg_info name,
					    size_t room, void *value,
					    size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_KERNEL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL))
		code = answer_argument(&answer, kernel, index, name);
	stub_unlock();
	return code;
}

/* NULL is fine where there is only one device. */
static bool device_valid(cl_kernel kernel, cl_device_id *device)
{
	if (!*device && kernel->program->device_count == 1)
		*device = kernel->program->devices[0];
	return stub_kernel_instance(kernel, *device) != NULL;
}

static cl_int answer_group(const struct stub_answer *answer, cl_kernel kernel,
			   cl_kernel_work_group_info name)
{
	size_t group[3];

	switch (name) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		return stub_answer_size(answer, 4096);
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		for (size_t i = 0; i < 3; i++)
			group[i] = kernel->function->group[i];
		return stub_answer_bytes(answer, group, sizeof(group));
	case CL_KERNEL_LOCAL_MEM_SIZE:
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		return stub_answer_ulong(answer, 0);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return stub_answer_size(answer, 8);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_kernel_work_group_info(
	cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
	size_t room, void *value, size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_KERNEL;

	stub_lock();
	if (stub_is(kernel, STUB_KERNEL)) {
		code = CL_INVALID_DEVICE;
		if (device_valid(kernel, &device))
			code = answer_group(&answer, kernel, name);
	}
	stub_unlock();
	return code;
}

static cl_int answer_sub_group(const struct stub_answer *answer,
			       cl_kernel_sub_group_info name)
{
	switch (name) {
	case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
		return stub_answer_size(answer, 8);
	case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
	case CL_KERNEL_MAX_NUM_SUB_GROUPS:
		return stub_answer_size(answer, 1);
	case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
	case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
		return stub_answer_size(answer, 0);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_kernel_sub_group_info(
	cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
	size_t input_size, const void *input, size_t room, void *value,
	size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_KERNEL;

	(void)input_size;
	(void)input;
	stub_lock();
	if (stub_is(kernel, STUB_KERNEL)) {
		code = CL_INVALID_DEVICE;
		if (device_valid(kernel, &device))
			code = answer_sub_group(&answer, name);
	}
	stub_unlock();
	return code;
}
