/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/driver/device.h"
#include "layer/hook/hooks.h"
#include "layer/key/build_key.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/describe.h"
#include "layer/serve/pending.h"
#include "layer/serve/record.h"
#include "layer/serve/references.h"
#include "layer/serve/stats.h"
#include "layer/serve/sync_driver.h"
#include "layer/serve/working_set.h"

/* The program a kernel is made from, kept alive for the call. */
struct origin {
	cl_program asked;	     /* the one to ask the driver for kernels */
	struct occ_program *program; /* NULL: not known */
	struct occ_shadow *shadow;   /* NULL: the driver's handle answers */
};

/*
 * Drivers differ about kernels of objects and libraries, and about what an
 * unbuilt binary says: one that the driver really made is asked. NULL: it is
 * another program, or that can't be had.
 */
static cl_program program_for_kernels(cl_program handle)
{
	struct occ_shadow *shadow = occ_program_shadow(handle);
	cl_program real = NULL;

	if (shadow && shadow->binaries &&
	    shadow->build_key->operation == OCC_COMPILE)
		real = occ_sync_driver(handle) ? handle : NULL;
	else if (shadow && shadow->binaries)
		real = occ_sync_materialise(shadow, "kernel of a library");
	occ_shadow_release(shadow);
	return real;
}

static struct origin take_origin(cl_program handle)
{
	struct origin origin = {occ_program_valid(handle), NULL, NULL};
	cl_program real = program_for_kernels(origin.asked);
	struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(origin.asked);
	if (program) {
		origin.program = occ_program_pin(program);
		occ_program_note_use_locked(program);
	}
	if (program && program->state.shadow && real != origin.asked) {
		origin.shadow = occ_shadow_retain(program->state.shadow);
		origin.asked = real ? real : origin.shadow->program;
	}
	occ_unlock();
	return origin;
}

static void release_origin(struct origin *origin)
{
	occ_shadow_release(origin->shadow);
	occ_program_unpin(origin->program);
}

/*
 * A kernel keeps its program's handle alive: (P3) of program.h. The name, to
 * be freed, is wanted only where a shadow program answers.
 */
static void add_kernel(cl_kernel kernel, char *name,
		       const struct origin *origin)
{
	struct occ_program *program = origin->program;
	bool held = origin->shadow && !origin->shadow->is_handle;
	bool added;

	occ_lock();
	occ_program_begin_change_locked(program);
	occ_unlock();
	if (held)
		occ_target.clRetainProgram(program->handle);
	occ_lock();
	added = occ_kernel_add_locked(kernel, name, program, origin->shadow);
	occ_program_end_change_locked(program);
	occ_unlock();
	free(name);
	if (!added && held)
		occ_target.clReleaseProgram(program->handle);
	if (!origin->shadow)
		occ_describe_kernel(kernel, program);
}

/*
 * One that was made ahead, or NULL. It is no more ours, and not yet known to be
 * the application's: until end_taking() nobody counts.
 */
static cl_kernel take_ahead(const struct origin *origin, const char *name)
{
	cl_kernel kernel = NULL;
	struct occ_pooled *pooled = origin->shadow && origin->program
					    ? origin->shadow->pooled
					    : NULL;

	if (!pooled || !name || origin->asked != pooled->program)
		return NULL;
	occ_lock();
	if (pooled->kernels_ahead) {
		occ_program_begin_change_locked(origin->program);
		kernel = occ_kernels_ahead_take_locked(&pooled->kernels_ahead,
						       name);
		if (!kernel)
			occ_program_end_change_locked(origin->program);
	}
	occ_unlock();
	return kernel;
}

static void end_taking(const struct origin *origin)
{
	occ_lock();
	occ_program_end_change_locked(origin->program);
	occ_unlock();
}

/* Of the build that the kernel is from, retained; NULL: it has none. */
static struct occ_build_key *retain_build_key(const struct origin *origin)
{
	struct occ_build_key *build_key = NULL;

	occ_lock();
	if (origin->shadow)
		build_key = occ_build_key_retain(origin->shadow->build_key);
	else if (origin->program->state.made)
		build_key = occ_build_key_retain(origin->program->state.made);
	occ_unlock();
	return build_key;
}

/* For the next run of the executable, and for others. */
static void note_name(const struct origin *origin, const char *name)
{
	struct occ_build_key *build_key = retain_build_key(origin);

	if (build_key) {
		occ_working_set_note_kernel(build_key, name);
		occ_record_kernel(build_key, name);
	}
	occ_build_key_release(build_key);
}

cl_kernel CL_API_CALL occ_create_kernel(cl_program program,
					const char *kernel_name,
					cl_int *errcode_ret)
{
	struct origin origin = take_origin(program);
	cl_kernel taken = take_ahead(&origin, kernel_name);
	cl_kernel kernel =
		taken ? taken
		      : occ_target.clCreateKernel(origin.asked, kernel_name,
						  errcode_ret);

	if (taken && errcode_ret)
		*errcode_ret = CL_SUCCESS;
	if (kernel && origin.program) {
		note_name(&origin, kernel_name);
		add_kernel(kernel, origin.shadow ? strdup(kernel_name) : NULL,
			   &origin);
		if (taken)
			end_taking(&origin);
		occ_references_observe_kernel(origin.program);
	}
	release_origin(&origin);
	return kernel;
}

/*
 * Puts kernels, and the names that they have, into the order of the names that
 * the compile gave.
 */
static void sort_kernels(cl_kernel *kernels, char **own, cl_uint count,
			 struct occ_span names)
{
	const char *name = (const char *)names.data;
	cl_uint at = 0;

	while (name && *name && at < count) {
		size_t size = strcspn(name, ";");
		cl_uint i = at;

		while (i < count && (!own[i] || strlen(own[i]) != size ||
				     memcmp(own[i], name, size) != 0))
			i++;
		if (i < count) {
			cl_kernel found = kernels[i];
			char *found_name = own[i];

			memmove(kernels + at + 1, kernels + at,
				(i - at) * sizeof(*kernels));
			memmove(own + at + 1, own + at,
				(i - at) * sizeof(*own));
			kernels[at] = found;
			own[at++] = found_name;
		}
		name += size + (name[size] == ';');
	}
}

/* Name number `index` of some; NULL: there is none. To be freed. */
static char *pick_name(struct occ_span names, cl_uint index)
{
	const char *name = (const char *)names.data;

	for (; name && index; index--) {
		name = strchr(name, ';');
		name = name ? name + 1 : NULL;
	}
	return name ? strndup(name, strcspn(name, ";")) : NULL;
}

/*
 * Of all that it got at once; not where some may be none, which can't be asked.
 */
static void record_names(const cl_kernel *kernels, cl_uint count,
			 const struct origin *origin)
{
	struct occ_build_key *build_key;

	if (!occ_record_is_on())
		return;
	build_key = retain_build_key(origin);
	if (build_key && occ_build_key_driver(build_key)->kernels_as_named)
		count = 0;
	for (cl_uint i = 0; build_key && i < count; i++) {
		char *name = occ_kernel_name(kernels[i]);

		if (name)
			occ_record_kernel(build_key, name);
		free(name);
	}
	occ_build_key_release(build_key);
}

/* As many as the application got of the program. */
static void add_kernels(cl_kernel *kernels, cl_uint count,
			const struct origin *origin)
{
	const struct occ_shadow *shadow = origin->shadow;
	bool as_named =
		shadow &&
		occ_build_key_driver(shadow->build_key)->kernels_as_named;
	/* Each to be freed by itself. */
	char **names =
		shadow ? calloc(count + (size_t)1, sizeof(*names)) : NULL;

	for (cl_uint i = 0; names && i < count; i++)
		names[i] = as_named ? pick_name(shadow->kernel_names, i)
				    : occ_kernel_name(kernels[i]);
	if (names)
		sort_kernels(kernels, names, count, shadow->kernel_names);
	for (cl_uint i = 0; i < count; i++)
		add_kernel(kernels[i], names ? names[i] : NULL, origin);
	free(names);
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
		record_names(kernels, count, &origin);
		add_kernels(kernels, count, &origin);
	}
	release_origin(&origin);
	return error;
}

cl_kernel CL_API_CALL occ_clone_kernel(cl_kernel source_kernel,
				       cl_int *errcode_ret)
{
	cl_kernel clone = occ_target.clCloneKernel(source_kernel, errcode_ret);
	struct origin origin = {NULL, NULL, NULL};
	struct occ_kernel *kernel;
	char *name = NULL;

	if (!clone)
		return clone;
	occ_lock();
	kernel = occ_kernel_find_locked(source_kernel);
	if (kernel) {
		origin.program = occ_program_pin(kernel->program);
		origin.program->clones++;
		origin.program->own_clones += !kernel->shadow;
		if (kernel->shadow)
			origin.shadow = occ_shadow_retain(kernel->shadow);
		if (kernel->name)
			name = strdup(kernel->name);
	}
	occ_unlock();
	if (origin.program)
		add_kernel(clone, name, &origin);
	release_origin(&origin);
	return clone;
}

cl_int CL_API_CALL occ_retain_kernel(cl_kernel handle)
{
	cl_int error = occ_target.clRetainKernel(handle);
	struct occ_kernel *kernel;

	if (error)
		return error;
	occ_lock();
	kernel = occ_kernel_find_locked(handle);
	if (kernel)
		kernel->references++;
	occ_unlock();
	return CL_SUCCESS;
}

/* The application's last reference: takes the kernel out of the table. */
static struct occ_kernel *take_last(cl_kernel handle, bool *ret_program_ends)
{
	struct occ_kernel *kernel;

	*ret_program_ends = false;
	occ_lock();
	kernel = occ_kernel_find_locked(handle);
	if (kernel && --kernel->references)
		kernel = NULL;
	if (kernel) {
		occ_program_note_use_locked(kernel->program);
		/*
		 * The driver may keep the kernel as long as commands use it: a
		 * build meanwhile wants to know its name.
		 */
		if (kernel->shadow && !kernel->shadow->is_handle &&
		    kernel->name) {
			free(kernel->shadow->kernel_name);
			kernel->shadow->kernel_name = kernel->name;
			kernel->name = NULL;
		}
		occ_kernel_remove_locked(kernel);
		occ_program_begin_change_locked(kernel->program);
		*ret_program_ends =
			occ_program_remove_unused_locked(kernel->program);
	}
	occ_unlock();
	return kernel;
}

cl_int CL_API_CALL occ_release_kernel(cl_kernel handle)
{
	struct occ_program *program;
	struct occ_kernel *kernel;
	bool program_ends, held;
	int saved_errno;
	cl_int error;

	occ_stats_write_due();
	kernel = take_last(handle, &program_ends);
	if (!kernel)
		return occ_target.clReleaseKernel(handle);
	saved_errno = errno;
	program = occ_program_pin(kernel->program);
	held = kernel->shadow && !kernel->shadow->is_handle;
	/* The driver's kernel still keeps the program's handle alive. */
	if (program_ends)
		occ_pending_finish(program);
	error = occ_target.clReleaseKernel(handle);
	occ_kernel_free(kernel);
	/* The reference that it had (P3). */
	if (held)
		occ_target.clReleaseProgram(program->handle);
	occ_lock();
	occ_program_end_change_locked(program);
	occ_unlock();
	occ_program_unpin(program);
	errno = saved_errno;
	return error;
}
