/* SPDX-License-Identifier: MIT */
#include "layer/serve/rebuild.h"

#include <stdlib.h>

#include "layer/base/dispatch.h"
#include "layer/key/build_key_check.h"
#include "layer/key/input.h"
#include "layer/key/program_binaries.h"
#include "layer/serve/single_flight.h"

static cl_program from_source(cl_context context, const struct occ_input *input)
{
	const char *text = input->text;

	return occ_target.clCreateProgramWithSource(context, 1, &text,
						    &input->size, NULL);
}

cl_program occ_rebuild_unbuilt(const struct occ_build_key *build_key)
{
	const struct occ_input *input = build_key->input;
	cl_program program;

	if (!input)
		return NULL;
	if (!input->is_il)
		return from_source(build_key->context, input);
	program = input->create_with_il(build_key->context, input->text,
					input->size, NULL);
	for (size_t i = 0; program && i < build_key->constants.count; i++) {
		struct occ_spec_constant *constant =
			&build_key->constants.list[i];

		build_key->constants.specialize(program, constant->id,
						constant->size,
						constant->value);
	}
	return program;
}

bool occ_rebuild_succeeded(cl_program program,
			   const struct occ_build_key *build_key)
{
	for (cl_uint i = 0; i < build_key->device_count; i++) {
		cl_build_status status = CL_BUILD_ERROR;

		if (occ_target.clGetProgramBuildInfo(program,
						     build_key->devices[i],
						     CL_PROGRAM_BUILD_STATUS,
						     sizeof(status), &status,
						     NULL) ||
		    status != CL_BUILD_SUCCESS)
			return false;
	}
	return true;
}

static void release_all(cl_program *programs, cl_uint count)
{
	for (cl_uint i = 0; programs && i < count; i++)
		if (programs[i])
			occ_target.clReleaseProgram(programs[i]);
	free(programs);
}

static cl_int compile_again(cl_program program,
			    const struct occ_build_key *build_key)
{
	cl_uint count = build_key->header_count;
	cl_program *headers = calloc(count + (size_t)1, sizeof(cl_program));
	const char **names = calloc(count + (size_t)1, sizeof(*names));
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	cl_uint made = 0;

	while (headers && names && made < count) {
		const struct occ_header *header = &build_key->headers[made];

		names[made] = header->name;
		headers[made] = from_source(build_key->context, header->input);
		if (!headers[made])
			break;
		made++;
	}
	if (headers && names && made == count)
		error = occ_target.clCompileProgram(
			program, build_key->device_count, build_key->devices,
			occ_build_key_driver_options(build_key), count,
			count ? headers : NULL, count ? names : NULL, NULL,
			NULL);
	release_all(headers, count);
	free(names);
	return error;
}

cl_int occ_rebuild_repeat(cl_program program,
			  const struct occ_build_key *build_key)
{
	cl_int error;

	occ_single_flight_enter_driver();
	if (build_key->operation == OCC_COMPILE)
		error = compile_again(program, build_key);
	else
		error = occ_target.clBuildProgram(
			program, build_key->device_count, build_key->devices,
			occ_build_key_driver_options(build_key), NULL, NULL);
	occ_single_flight_leave_driver();
	return error;
}

/*
 * AMD's and clvk's drivers return a program together with an error code, and
 * NEO writes only the first status.
 */
cl_program occ_rebuild_from_binaries(cl_context context, cl_uint device_count,
				     const cl_device_id *devices,
				     const size_t *sizes,
				     const unsigned char **binaries,
				     cl_int *ret_error)
{
	cl_int *status = calloc(device_count, sizeof(*status));
	cl_program program;
	cl_int error = CL_SUCCESS;

	*ret_error = CL_OUT_OF_HOST_MEMORY;
	if (!status)
		return NULL;
	program = occ_target.clCreateProgramWithBinary(context, device_count,
						       devices, sizes, binaries,
						       status, &error);
	for (cl_uint i = 0; i < device_count; i++)
		if (!error && status[i])
			error = status[i];
	free(status);
	if (program && error) {
		occ_target.clReleaseProgram(program);
		program = NULL;
	}
	*ret_error = error;
	return program;
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_BUILD_KEY_DEPTH_MAX */
static cl_program from_link_input(const struct occ_build_key *build_key,
				  const struct occ_link_input *input)
{
	const struct occ_binaries *binaries = input->binaries;
	cl_int error;

	if (input->build_key)
		return occ_rebuild(input->build_key, NULL);
	return occ_rebuild_from_binaries(build_key->context,
					 binaries->device_count,
					 binaries->devices, binaries->sizes,
					 (const unsigned char **)binaries->data,
					 &error);
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_BUILD_KEY_DEPTH_MAX */
static cl_program link_again(const struct occ_build_key *build_key)
{
	const char *options = occ_build_key_given_options(build_key);
	cl_uint count = build_key->link_input_count;
	cl_program *inputs = calloc(count + (size_t)1, sizeof(*inputs));
	cl_program program = NULL;
	cl_int error = CL_SUCCESS;
	bool whole = inputs != NULL;

	for (cl_uint i = 0; whole && i < count; i++) {
		inputs[i] =
			from_link_input(build_key, &build_key->link_inputs[i]);
		whole = inputs[i] != NULL;
	}
	occ_single_flight_enter_driver();
	if (whole)
		program = occ_target.clLinkProgram(build_key->context,
						   build_key->device_count,
						   build_key->devices, options,
						   count, inputs, NULL, NULL,
						   &error);
	occ_single_flight_leave_driver();
	release_all(inputs, count);
	return program;
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_BUILD_KEY_DEPTH_MAX */
cl_program occ_rebuild(const struct occ_build_key *build_key,
		       cl_program unbuilt)
{
	cl_program program = unbuilt;

	if (!occ_build_key_current(build_key)) {
		if (unbuilt)
			occ_target.clReleaseProgram(unbuilt);
		return NULL;
	}
	if (build_key->operation == OCC_LINK) {
		program = link_again(build_key);
	} else {
		if (!program)
			program = occ_rebuild_unbuilt(build_key);
		if (program)
			occ_rebuild_repeat(program, build_key);
	}
	if (program && (!occ_rebuild_succeeded(program, build_key) ||
			!occ_build_key_current(build_key))) {
		occ_target.clReleaseProgram(program);
		program = NULL;
	}
	return program;
}
