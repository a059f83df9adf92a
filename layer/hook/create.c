/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/hook/hooks.h"
#include "layer/key/input.h"
#include "layer/key/key_memo.h"
#include "layer/object/program.h"
#include "layer/serve/pending.h"
#include "layer/serve/stats.h"
#include "layer/serve/sync_driver.h"

/* A copy, unless a build key has one. */
static struct occ_input *take_source(cl_uint count, const char **strings,
				     const size_t *lengths)
{
	struct occ_input *input = NULL;

	if (count == 1)
		input = occ_key_memo_source(*strings,
					    lengths && *lengths
						    ? *lengths
						    : strlen(*strings));
	return input ? input : occ_input_from_source(count, strings, lengths);
}

cl_program CL_API_CALL occ_create_program_with_source(cl_context context,
						      cl_uint count,
						      const char **strings,
						      const size_t *lengths,
						      cl_int *errcode_ret)
{
	cl_program program;

	occ_stats_write_due();
	program = occ_target.clCreateProgramWithSource(context, count, strings,
						       lengths, errcode_ret);
	/* The strings are readable only if the driver took them. */
	if (program)
		occ_program_add(program, context,
				take_source(count, strings, lengths));
	return program;
}

cl_program occ_create_program_with_il_by(cl_api_clCreateProgramWithIL create,
					 cl_context context, const void *il,
					 size_t length, cl_int *errcode_ret)
{
	cl_program program;

	occ_stats_write_due();
	program = create(context, il, length, errcode_ret);
	if (program)
		occ_program_add(program, context,
				occ_input_from_il(il, length, create));
	return program;
}

cl_program CL_API_CALL occ_create_program_with_il(cl_context context,
						  const void *il, size_t length,
						  cl_int *errcode_ret)
{
	return occ_create_program_with_il_by(occ_target.clCreateProgramWithIL,
					     context, il, length, errcode_ret);
}

/*
 * Not looked up: its bytes are what a hit would give. But it may be an input
 * of a link.
 */
cl_program CL_API_CALL occ_create_program_with_binary(
	cl_context context, cl_uint num_devices,
	const cl_device_id *device_list, const size_t *lengths,
	const unsigned char **binaries, cl_int *binary_status,
	cl_int *errcode_ret)
{
	cl_int error = CL_SUCCESS;
	cl_program program;

	occ_stats_write_due();
	program = occ_target.clCreateProgramWithBinary(context, num_devices,
						       device_list, lengths,
						       binaries, binary_status,
						       &error);
	if (errcode_ret)
		*errcode_ret = error;
	/* Some drivers return a program together with an error. */
	if (program && !error)
		occ_program_add_from_binaries(program, context);
	return program;
}

cl_int CL_API_CALL occ_retain_program(cl_program handle)
{
	struct occ_program *program;
	cl_int error;

	handle = occ_program_valid(handle);
	error = occ_target.clRetainProgram(handle);
	if (error)
		return error;
	occ_lock();
	program = occ_program_find_locked(handle);
	if (program)
		program->references++;
	occ_unlock();
	return CL_SUCCESS;
}

cl_int CL_API_CALL occ_release_program(cl_program handle)
{
	struct occ_program *program;
	bool last = false;

	occ_stats_write_due();
	handle = occ_program_valid(handle);
	occ_lock();
	program = occ_program_find_locked(handle);
	/* Another thread may be about to take a reference on the handle. */
	if (program)
		occ_program_await_changes_locked(program);
	program = occ_program_find_locked(handle);
	if (program && program->references) {
		program->references--;
		last = occ_program_remove_unused_locked(program);
	}
	occ_unlock();
	if (last)
		occ_pending_finish(program);
	return occ_target.clReleaseProgram(handle);
}

/*
 * A build of another thread may have the constant or not: what it makes then is
 * of no key (P4).
 */
cl_int occ_specialize_program_by(
	cl_api_clSetProgramSpecializationConstant specialize, cl_program handle,
	cl_uint spec_id, size_t spec_size, const void *spec_value)
{
	struct occ_program *program;
	cl_int error;

	handle = occ_program_valid(handle);
	/* What the next build makes of it may depend on the build before. */
	occ_sync_driver(handle);
	occ_lock();
	program = occ_program_find_locked(handle);
	if (program) {
		occ_program_pin(program);
		program->generation++;
		program->specializing++;
	}
	occ_unlock();
	error = specialize(handle, spec_id, spec_size, spec_value);
	if (!program)
		return error;
	occ_lock();
	if (!error)
		program->constants.specialize = specialize;
	/* Out of memory: no key can be made, so never again a lookup. */
	if (!error && !occ_spec_constants_set(&program->constants, spec_id,
					      spec_size, spec_value))
		program->driver_built = true;
	program->generation++;
	program->specializing--;
	occ_unlock();
	occ_program_unpin(program);
	return error;
}

cl_int CL_API_CALL occ_set_program_specialization_constant(
	cl_program program, cl_uint spec_id, size_t spec_size,
	const void *spec_value)
{
	return occ_specialize_program_by(
		occ_target.clSetProgramSpecializationConstant, program, spec_id,
		spec_size, spec_value);
}

cl_int CL_API_CALL occ_set_program_release_callback(
	cl_program program,
	void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data),
	void *user_data)
{
	return occ_target.clSetProgramReleaseCallback(occ_program_valid(
							      program),
						      pfn_notify, user_data);
}
