/* SPDX-License-Identifier: MIT */
#include "layer/remake.h"

#include <stdlib.h>

#include "layer/dispatch.h"
#include "layer/flight.h"

static cl_program from_source(cl_context context, const struct occ_input *input)
{
	const char *text = input->text;

	return occ_target.clCreateProgramWithSource(context, 1, &text,
						    &input->size, NULL);
}

cl_program occ_remake_unbuilt(const struct occ_recipe *recipe)
{
	const struct occ_input *input = recipe->input;
	cl_program program;

	if (!input)
		return NULL;
	if (!input->is_il)
		return from_source(recipe->context, input);
	program = input->create_with_il(recipe->context, input->text,
					input->size, NULL);
	for (size_t i = 0; program && i < recipe->constants.count; i++) {
		struct occ_spec_constant *constant = &recipe->constants.list[i];

		recipe->constants.specialize(program, constant->id,
					     constant->size, constant->value);
	}
	return program;
}

bool occ_remake_succeeded(cl_program program, const struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		cl_build_status status = CL_BUILD_ERROR;

		if (occ_target.clGetProgramBuildInfo(program,
						     recipe->devices[i],
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

static cl_int compile(cl_program program, const struct occ_recipe *recipe)
{
	cl_uint count = recipe->header_count;
	cl_program *headers = calloc(count + (size_t)1, sizeof(cl_program));
	const char **names = calloc(count + (size_t)1, sizeof(*names));
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	cl_uint made = 0;

	while (headers && names && made < count) {
		const struct occ_header *header = &recipe->headers[made];

		names[made] = header->name;
		headers[made] = from_source(recipe->context, header->input);
		if (!headers[made])
			break;
		made++;
	}
	if (headers && names && made == count)
		error = occ_target.clCompileProgram(
			program, recipe->device_count, recipe->devices,
			occ_recipe_driver_options(recipe), count,
			count ? headers : NULL, count ? names : NULL, NULL,
			NULL);
	release_all(headers, count);
	free(names);
	return error;
}

cl_int occ_remake_repeat(cl_program program, const struct occ_recipe *recipe)
{
	cl_int error;

	occ_flight_enter_driver();
	if (recipe->operation == OCC_COMPILE)
		error = compile(program, recipe);
	else
		error = occ_target.clBuildProgram(
			program, recipe->device_count, recipe->devices,
			occ_recipe_driver_options(recipe), NULL, NULL);
	occ_flight_leave_driver();
	return error;
}

/*
 * AMD's and clvk's drivers return a program together with an error code, and
 * NEO writes only the first status.
 */
cl_program occ_remake_from_binaries(cl_context context, cl_uint device_count,
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

/* NOLINTNEXTLINE(misc-no-recursion): OCC_RECIPE_DEPTH_MAX */
static cl_program from_link_input(const struct occ_recipe *recipe,
				  const struct occ_link_input *input)
{
	const struct occ_image *image = input->image;
	cl_int error;

	if (input->recipe)
		return occ_remake(input->recipe, NULL);
	return occ_remake_from_binaries(recipe->context, image->device_count,
					image->devices, image->sizes,
					(const unsigned char **)image->data,
					&error);
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_RECIPE_DEPTH_MAX */
static cl_program link(const struct occ_recipe *recipe)
{
	cl_uint count = recipe->link_input_count;
	cl_program *inputs = calloc(count + (size_t)1, sizeof(*inputs));
	cl_program program = NULL;
	cl_int error = CL_SUCCESS;
	bool whole = inputs != NULL;

	for (cl_uint i = 0; whole && i < count; i++) {
		inputs[i] = from_link_input(recipe, &recipe->link_inputs[i]);
		whole = inputs[i] != NULL;
	}
	occ_flight_enter_driver();
	if (whole)
		program = occ_target.clLinkProgram(recipe->context,
						   recipe->device_count,
						   recipe->devices,
						   recipe->options, count,
						   inputs, NULL, NULL, &error);
	occ_flight_leave_driver();
	release_all(inputs, count);
	return program;
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_RECIPE_DEPTH_MAX */
cl_program occ_remake(const struct occ_recipe *recipe, cl_program unbuilt)
{
	cl_program program = unbuilt;

	if (!occ_recipe_current(recipe)) {
		if (unbuilt)
			occ_target.clReleaseProgram(unbuilt);
		return NULL;
	}
	if (recipe->operation == OCC_LINK) {
		program = link(recipe);
	} else {
		if (!program)
			program = occ_remake_unbuilt(recipe);
		if (program)
			occ_remake_repeat(program, recipe);
	}
	if (program && (!occ_remake_succeeded(program, recipe) ||
			!occ_recipe_current(recipe))) {
		occ_target.clReleaseProgram(program);
		program = NULL;
	}
	return program;
}
