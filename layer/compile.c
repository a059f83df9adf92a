/* SPDX-License-Identifier: MIT */
/*
 * clCompileProgram and clLinkProgram: never cached, but programs that are
 * served must look to the driver as if they had been built.
 */
#include <errno.h>
#include <stdlib.h>

#include "layer/build.h"
#include "layer/dispatch.h"
#include "layer/hooks.h"
#include "layer/kernel.h"

/* The arguments that clBuildProgram doesn't have. */
struct headers {
	cl_uint count;
	const cl_program *programs;
	const char **names;
};

/*
 * Header programs are passed as the application's handles: the driver takes
 * their source.
 */
static cl_int forward(const struct occ_build *build,
		      const struct headers *headers)
{
	return occ_target.clCompileProgram(build->handle, build->device_count,
					   build->devices, build->options,
					   headers->count, headers->programs,
					   headers->names, build->notify,
					   build->user_data);
}

/*
 * A kernel of the handle that has the name of one that the application has of
 * the binary program; NULL when that can't be had.
 */
static cl_kernel attach(const struct occ_build *build)
{
	cl_kernel kernel = occ_kernel_of(build->binary);
	cl_kernel result = NULL;
	char *name = kernel ? occ_kernel_name(kernel) : NULL;

	if (name)
		result = occ_target.clCreateKernel(build->handle, name, NULL);
	free(name);
	return result;
}

/*
 * Kernels of the binary program are alive. Some drivers refuse to compile
 * then and some don't: the driver gets the same situation, and judges.
 */
static cl_int compile_attached(struct occ_build *build,
			       const struct headers *headers)
{
	cl_kernel kernel;
	cl_int error;

	occ_build_settle(build->handle);
	kernel = attach(build);
	error = forward(build, headers);
	if (kernel)
		occ_target.clReleaseKernel(kernel);
	if (!error)
		occ_build_plain(build);
	return error;
}

cl_int CL_API_CALL occ_compile_program(cl_program program, cl_uint num_devices,
				       const cl_device_id *device_list,
				       const char *options,
				       cl_uint num_input_headers,
				       const cl_program *input_headers,
				       const char **header_include_names,
				       occ_notify pfn_notify, void *user_data)
{
	struct occ_build build = {
		.handle = occ_program_valid(program),
		.device_count = num_devices,
		.devices = device_list,
		.options = options,
		.notify = pfn_notify,
		.user_data = user_data,
	};
	struct headers headers = {num_input_headers, input_headers,
				  header_include_names};
	int saved_errno = errno;
	cl_int error;

	if (!occ_build_begin(&build))
		return forward(&build, &headers);
	if (build.attached) {
		error = compile_attached(&build, &headers);
	} else {
		occ_build_plain(&build);
		error = forward(&build, &headers);
	}
	occ_build_end(&build);
	errno = saved_errno;
	return error;
}

/*
 * Input programs as the driver must see them. *ret_binaries keeps those alive
 * that answer for a served one. False: nothing to translate, or no memory.
 */
static bool translate(cl_uint count, const cl_program *inputs,
		      cl_program **ret_inputs,
		      struct occ_binary ***ret_binaries)
{
	bool any = false;

	*ret_inputs = NULL;
	*ret_binaries = NULL;
	if (!count || !inputs)
		return false;
	*ret_inputs = calloc(count, sizeof(**ret_inputs));
	*ret_binaries = calloc(count, sizeof(**ret_binaries));
	if (!*ret_inputs || !*ret_binaries)
		return false;
	for (cl_uint i = 0; i < count; i++) {
		struct occ_binary *binary = occ_program_binary(inputs[i]);

		(*ret_binaries)[i] = binary;
		(*ret_inputs)[i] =
			binary ? binary->program : occ_program_valid(inputs[i]);
		any |= (*ret_inputs)[i] != inputs[i];
	}
	return any;
}

cl_program CL_API_CALL occ_link_program(cl_context context, cl_uint num_devices,
					const cl_device_id *device_list,
					const char *options,
					cl_uint num_input_programs,
					const cl_program *input_programs,
					occ_notify pfn_notify, void *user_data,
					cl_int *errcode_ret)
{
	struct occ_binary **binaries;
	cl_program *inputs;
	cl_program result;

	if (translate(num_input_programs, input_programs, &inputs, &binaries))
		input_programs = inputs;
	result = occ_target.clLinkProgram(context, num_devices, device_list,
					  options, num_input_programs,
					  input_programs, pfn_notify, user_data,
					  errcode_ret);
	for (cl_uint i = 0; binaries && i < num_input_programs; i++)
		occ_binary_release(binaries[i]);
	free(binaries);
	free(inputs);
	return result;
}
