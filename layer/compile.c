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
static cl_int forward(const struct occ_build *build, cl_program program,
		      const struct headers *headers, occ_notify notify,
		      void *user_data)
{
	return occ_target.clCompileProgram(program, build->device_count,
					   build->devices, build->options,
					   headers->count, headers->programs,
					   headers->names, notify, user_data);
}

static void CL_CALLBACK notify_for_handle(cl_program hidden, void *data)
{
	const struct occ_build *build = data;

	(void)hidden;
	build->notify(build->handle, build->user_data);
}

/* Kernels of the binary program are alive: drivers refuse, as for builds. */
static cl_int refuse(struct occ_build *build, const struct headers *headers)
{
	return forward(build, build->binary->program, headers,
		       build->notify ? notify_for_handle : NULL,
		       build->notify ? build : build->user_data);
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
	cl_int error = CL_SUCCESS;

	if (!occ_build_begin(&build))
		return forward(&build, build.handle, &headers, pfn_notify,
			       user_data);
	if (build.attached)
		error = refuse(&build, &headers);
	if (!error) {
		occ_build_plain(&build);
		error = forward(&build, build.handle, &headers, pfn_notify,
				user_data);
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
