/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer/build.h"
#include "layer/describe.h"
#include "layer/dispatch.h"
#include "layer/habit.h"
#include "layer/hooks.h"
#include "layer/kernel.h"
#include "layer/program.h"
#include "layer/tally.h"

/* The program a kernel is made from, kept alive for the call. */
struct origin {
	cl_program asked;	     /* the one to ask the driver for kernels */
	struct occ_program *program; /* NULL: not known */
	struct occ_binary *binary;   /* NULL: the driver's handle answers */
};

/*
 * Drivers differ about kernels of objects and libraries, and about what an
 * unbuilt binary says: one that the driver really made is asked. NULL: it is
 * another program, or that can't be had.
 */
static cl_program really_made(cl_program handle)
{
	struct occ_binary *binary = occ_program_binary(handle);
	cl_program real = NULL;

	if (binary && binary->image && binary->recipe->operation == OCC_COMPILE)
		real = occ_build_settle(handle) ? handle : NULL;
	else if (binary && binary->image)
		real = occ_binary_materialise(binary, "kernel of a library");
	occ_binary_release(binary);
	return real;
}

static struct origin take_origin(cl_program handle)
{
	struct origin origin = {occ_program_valid(handle), NULL, NULL};
	cl_program real = really_made(origin.asked);
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(origin.asked);
	if (program)
		origin.program = occ_program_pin(program);
	if (program && program->state.binary && real != origin.asked) {
		origin.binary = occ_binary_retain(program->state.binary);
		origin.asked = real ? real : origin.binary->program;
	}
	occ_unlock();
	return origin;
}

static void drop_origin(struct origin *origin)
{
	occ_binary_release(origin->binary);
	occ_program_unpin(origin->program);
}

/* A kernel keeps its program's handle alive: (P3) of program.h. */
static void add(cl_kernel kernel, const struct origin *origin)
{
	struct occ_program *program = origin->program;
	bool held = origin->binary && !origin->binary->is_handle;
	char *name = origin->binary ? occ_kernel_name(kernel) : NULL;
	bool added;

	occ_lock();
	occ_program_begin_change(program);
	occ_unlock();
	if (held)
		occ_target.clRetainProgram(program->handle);
	occ_lock();
	added = occ_kernel_add(kernel, name, program, origin->binary);
	occ_program_end_change(program);
	occ_unlock();
	free(name);
	if (!added && held)
		occ_target.clReleaseProgram(program->handle);
	if (!origin->binary)
		occ_describe_kernel(kernel, program);
}

cl_kernel CL_API_CALL occ_create_kernel(cl_program program,
					const char *kernel_name,
					cl_int *errcode_ret)
{
	struct origin origin = take_origin(program);
	cl_kernel kernel = occ_target.clCreateKernel(origin.asked, kernel_name,
						     errcode_ret);

	if (kernel && origin.program) {
		add(kernel, &origin);
		occ_habit_observe_kernel(origin.program);
	}
	drop_origin(&origin);
	return kernel;
}

char *occ_kernel_name(cl_kernel kernel)
{
	size_t size = 0;
	char *name;

	if (occ_target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL,
				       &size))
		return NULL;
	name = calloc(1, size + 1);
	if (name && occ_target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME,
					       size, name, NULL)) {
		free(name);
		name = NULL;
	}
	return name;
}

/* The name of a kernel that the driver may still have, to be freed. */
static char *attached_name(const struct occ_program *program, bool released)
{
	char *name = occ_kernel_name_of(program);

	if (name || !released)
		return name;
	occ_lock();
	if (program->state.binary && program->state.binary->kernel_name)
		name = strdup(program->state.binary->kernel_name);
	occ_unlock();
	return name;
}

cl_kernel occ_kernel_attach(const struct occ_program *program, cl_program to,
			    bool released)
{
	cl_kernel result = NULL;
	char *name = attached_name(program, released);

	if (name)
		result = occ_target.clCreateKernel(to, name, NULL);
	free(name);
	return result;
}

/* Has the kernel the name of `size` bytes at `name`? */
static bool is_named(cl_kernel kernel, const char *name, size_t size)
{
	char *answer = occ_kernel_name(kernel);
	bool same =
		answer && strlen(answer) == size && !memcmp(answer, name, size);

	free(answer);
	return same;
}

/* Puts kernels into the order of the names that the compile gave. */
static void order(cl_kernel *kernels, cl_uint count, struct occ_span names)
{
	const char *name = (const char *)names.data;
	cl_uint at = 0;

	while (name && *name && at < count) {
		size_t size = strcspn(name, ";");
		cl_uint i = at;

		while (i < count && !is_named(kernels[i], name, size))
			i++;
		if (i < count) {
			cl_kernel found = kernels[i];

			memmove(kernels + at + 1, kernels + at,
				(i - at) * sizeof(*kernels));
			kernels[at++] = found;
		}
		name += size + (name[size] == ';');
	}
}

cl_int CL_API_CALL occ_create_kernels_in_program(cl_program program,
						 cl_uint num_kernels,
						 cl_kernel *kernels,
						 cl_uint *num_kernels_ret)
{
	struct origin origin = take_origin(program);
	cl_uint count = 0;
	cl_int error = occ_target.clCreateKernelsInProgram(
		origin.asked, num_kernels, kernels,
		num_kernels_ret ? num_kernels_ret : &count);

	if (num_kernels_ret)
		count = *num_kernels_ret;
	if (!error && kernels && origin.program) {
		if (count > num_kernels)
			count = num_kernels;
		if (origin.binary)
			order(kernels, count, origin.binary->kernel_names);
		for (cl_uint i = 0; i < count; i++)
			add(kernels[i], &origin);
	}
	drop_origin(&origin);
	return error;
}

cl_kernel CL_API_CALL occ_clone_kernel(cl_kernel source_kernel,
				       cl_int *errcode_ret)
{
	cl_kernel clone = occ_target.clCloneKernel(source_kernel, errcode_ret);
	struct origin origin = {NULL, NULL, NULL};
	struct occ_kernel *kernel;

	if (!clone)
		return clone;
	occ_lock();
	kernel = occ_kernel_find(source_kernel);
	if (kernel) {
		origin.program = occ_program_pin(kernel->program);
		if (kernel->binary)
			origin.binary = occ_binary_retain(kernel->binary);
	}
	occ_unlock();
	if (origin.program)
		add(clone, &origin);
	drop_origin(&origin);
	return clone;
}

cl_int CL_API_CALL occ_retain_kernel(cl_kernel handle)
{
	cl_int error = occ_target.clRetainKernel(handle);
	struct occ_kernel *kernel;

	if (error)
		return error;
	occ_lock();
	kernel = occ_kernel_find(handle);
	if (kernel)
		kernel->references++;
	occ_unlock();
	return CL_SUCCESS;
}

/*
 * The driver may keep a kernel that the application releases, as long as
 * commands use it: a build meanwhile wants to know its name. Lock held.
 */
static void remember_name(struct occ_kernel *kernel)
{
	if (!kernel->binary || kernel->binary->is_handle || !kernel->name)
		return;
	free(kernel->binary->kernel_name);
	kernel->binary->kernel_name = kernel->name;
	kernel->name = NULL;
}

/* The application's last reference: takes the kernel out of the table. */
static struct occ_kernel *take_last(cl_kernel handle, bool *ret_program_ends)
{
	struct occ_kernel *kernel;

	*ret_program_ends = false;
	occ_lock();
	kernel = occ_kernel_find(handle);
	if (kernel && --kernel->references)
		kernel = NULL;
	if (kernel) {
		remember_name(kernel);
		occ_kernel_remove(kernel);
		occ_program_begin_change(kernel->program);
		*ret_program_ends = occ_program_leave(kernel->program);
	}
	occ_unlock();
	return kernel;
}

/* Lets the kernel go, and the reference that it had on its program (P3). */
static cl_int release_taken(struct occ_kernel *kernel, bool program_ends)
{
	struct occ_program *program = occ_program_pin(kernel->program);
	bool held = kernel->binary && !kernel->binary->is_handle;
	cl_int error;

	/* The driver's kernel still keeps the program's handle alive. */
	if (program_ends)
		occ_program_finish(program);
	error = occ_target.clReleaseKernel(kernel->handle);
	occ_kernel_free(kernel);
	if (held)
		occ_target.clReleaseProgram(program->handle);
	occ_lock();
	occ_program_end_change(program);
	occ_unlock();
	occ_program_unpin(program);
	return error;
}

cl_int CL_API_CALL occ_release_kernel(cl_kernel handle)
{
	bool program_ends;
	struct occ_kernel *kernel;
	cl_int error;
	int saved_errno;

	occ_tally_write_due();
	kernel = take_last(handle, &program_ends);
	if (!kernel)
		return occ_target.clReleaseKernel(handle);
	saved_errno = errno;
	error = release_taken(kernel, program_ends);
	errno = saved_errno;
	return error;
}
