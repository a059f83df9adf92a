/* SPDX-License-Identifier: MIT */
/* The calls that make programs but for clLinkProgram. */
#include <string.h>

#include "tests/stub/binary.h"
#include "tests/stub/calls.h"
#include "tests/stub/count.h"
#include "tests/stub/own_cache.h"
#include "tests/stub/program.h"
#include "tests/stub/switches.h"

static cl_program finish(cl_program program, cl_int code, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = code;
	return program;
}

static bool strings_valid(cl_uint count, const char **strings)
{
	if (!count || !strings)
		return false;
	for (cl_uint i = 0; i < count; i++)
		if (!strings[i])
			return false;
	return true;
}

cl_program CL_API_CALL stub_create_program_with_source(cl_context context,
						       cl_uint count,
						       const char **strings,
						       const size_t *lengths,
						       cl_int *errcode_ret)
{
	struct stub_text text = {NULL, 0, 0};
	cl_program program = NULL;
	cl_int code = CL_INVALID_CONTEXT;

	stub_lock();
	if (stub_context_valid(context)) {
		code = CL_INVALID_VALUE;
		if (strings_valid(count, strings))
			code = CL_SUCCESS;
	}
	if (code == CL_SUCCESS) {
		stub_text_add(&text, "", 0);
		for (cl_uint i = 0; i < count; i++) {
			if (i && stub.strings_are_lines)
				stub_text_add_string(&text, "\n");
			stub_text_add(&text, strings[i],
				      lengths && lengths[i]
					      ? lengths[i]
					      : strlen(strings[i]));
		}
		program = stub_program_new(context, STUB_FROM_SOURCE,
					   context->device_count,
					   context->devices);
		free(program->text);
		program->text = text.bytes;
		program->text_size = text.size;
	}
	stub_unlock();
	return finish(program, code, errcode_ret);
}

static cl_program create_with_il(cl_context context, const void *il,
				 size_t length, cl_int *errcode_ret)
{
	cl_program program = NULL;
	cl_int code = CL_INVALID_CONTEXT;

	stub_lock();
	if (stub_context_valid(context)) {
		code = CL_SUCCESS;
		if (stub.il == STUB_IL_NONE)
			code = CL_INVALID_OPERATION;
		else if (!il || !length || !stub_il_valid(il, length))
			code = CL_INVALID_VALUE;
	}
	if (code == CL_SUCCESS) {
		program = stub_program_new(context, STUB_FROM_IL,
					   context->device_count,
					   context->devices);
		free(program->text);
		program->text = stub_copy(il, length);
		program->text_size = length;
	}
	stub_unlock();
	return finish(program, code, errcode_ret);
}

cl_program CL_API_CALL stub_create_program_with_il(cl_context context,
						   const void *il,
						   size_t length,
						   cl_int *errcode_ret)
{
	if (stub.il == STUB_IL_EXTENSION)
		return finish(NULL, CL_INVALID_OPERATION, errcode_ret);
	return create_with_il(context, il, length, errcode_ret);
}

cl_program CL_API_CALL stub_create_program_with_il_khr(cl_context context,
						       const void *il,
						       size_t length,
						       cl_int *errcode_ret)
{
	return create_with_il(context, il, length, errcode_ret);
}

/* One binary: its status, and its code where that is CL_SUCCESS. */
static cl_int load(const unsigned char *bytes, size_t size, cl_device_id device,
		   struct stub_code **ret_code)
{
	if (!bytes || !size)
		return CL_INVALID_VALUE;
	if (stub_own_cache_is_elf(bytes, size)) {
		bytes += STUB_ELF_SIZE;
		size -= STUB_ELF_SIZE;
	}
	switch (stub_binary_read(bytes, size, device, ret_code)) {
	case STUB_BINARY_BAD:
		if (!stub.bad_bytes_refused)
			stub_die("%zu bytes that are no binary reached the "
				 "driver",
				 size);
		return CL_INVALID_BINARY;
	case STUB_BINARY_FOREIGN:
		if (stub.foreign == STUB_FOREIGN_ABORT)
			stub_die("a foreign binary reached the driver");
		if (stub.foreign == STUB_FOREIGN_BUILD)
			return CL_SUCCESS;
		break;
	default:
		if ((*ret_code)->is_device_code &&
		    stub.device_code == STUB_DEVICE_CODE_REFUSE)
			break;
		if (stub.refuse_binaries > 1)
			stub_die("no binary can be loaded");
		if (!stub.refuse_binaries)
			return CL_SUCCESS;
	}
	stub_code_release(*ret_code);
	*ret_code = NULL;
	return CL_INVALID_BINARY;
}

struct blobs {
	cl_uint count;
	const cl_device_id *devices;
	const size_t *sizes;
	const unsigned char **bytes;
};

static cl_int check_blobs(cl_context context, const struct blobs *blobs)
{
	static unsigned loads;

	if (!stub_context_valid(context))
		return CL_INVALID_CONTEXT;
	if (!blobs->count || !blobs->devices || !blobs->sizes || !blobs->bytes)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < blobs->count; i++)
		if (!stub_context_has(context, blobs->devices[i]))
			return CL_INVALID_DEVICE;
	return (int)++loads == stub.fail_load ? CL_OUT_OF_HOST_MEMORY
					      : CL_SUCCESS;
}

static cl_program load_all(cl_context context, const struct blobs *blobs,
			   cl_int *status, cl_int *ret_code)
{
	cl_program program = stub_program_new(context, STUB_FROM_BINARY,
					      blobs->count, blobs->devices);

	for (cl_uint i = 0; i < blobs->count; i++) {
		cl_int one = load(blobs->bytes[i], blobs->sizes[i],
				  blobs->devices[i], &program->builds[i].code);

		if (status && (!i || !stub.binary_status_first))
			status[i] = one;
		if (one != CL_SUCCESS && *ret_code == CL_SUCCESS)
			*ret_code = one;
	}
	return program;
}

cl_program CL_API_CALL stub_create_program_with_binary(
	cl_context context, cl_uint num_devices, const cl_device_id *devices,
	const size_t *lengths, const unsigned char **binaries,
	cl_int *binary_status, cl_int *errcode_ret)
{
	const struct blobs blobs = {num_devices, devices, lengths, binaries};
	cl_program program = NULL;
	cl_int code;

	stub_lock();
	code = check_blobs(context, &blobs);
	if (code == CL_SUCCESS)
		program = load_all(context, &blobs, binary_status, &code);
	if (program && code != CL_SUCCESS && !stub.binary_error_program) {
		program->object.references = 0;
		stub_program_drop(program);
		program = NULL;
	}
	stub_unlock();
	return finish(program, code, errcode_ret);
}

/* The code of the built-in kernels that are named, or NULL. */
static struct stub_code *built_in_code(const char *names)
{
	static const char text[] =
		"kernel void stub_fill(global int *out, int x) {}\n"
		"kernel void stub_copy(global int *out, int x) {}\n";
	const struct stub_options none = {.argument_info = false};
	const struct stub_source source = {.text = text,
					   .size = sizeof(text) - 1,
					   .raw_options = names,
					   .options = &none};
	struct stub_text log = {NULL, 0, 0};
	struct stub_code *code = stub_compile(&source, &log);
	char *copy = stub_copy(names, strlen(names)), *rest = copy, *name;

	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	while ((name = strsep(&rest, ";")))
		if (code && !stub_code_find(code, name)) {
			stub_code_release(code);
			code = NULL;
		}
	free(copy);
	stub_text_release(&log);
	return code;
}

cl_program CL_API_CALL stub_create_program_with_built_in_kernels(
	cl_context context, cl_uint num_devices, const cl_device_id *devices,
	const char *names, cl_int *errcode_ret)
{
	struct stub_code *code = NULL;
	cl_program program = NULL;
	cl_int error = CL_INVALID_CONTEXT;

	stub_lock();
	if (stub_context_valid(context)) {
		error = CL_INVALID_VALUE;
		if (num_devices && devices && names)
			code = built_in_code(names);
	}
	if (code) {
		error = CL_SUCCESS;
		program = stub_program_new(context, STUB_BUILT_IN, num_devices,
					   devices);
		for (cl_uint i = 0; i < num_devices; i++) {
			program->builds[i].code = stub_code_retain(code);
			program->builds[i].instance = stub_instance_new(code);
			program->builds[i].status = CL_BUILD_SUCCESS;
		}
		stub_code_release(code);
	}
	stub_unlock();
	return finish(program, error, errcode_ret);
}
