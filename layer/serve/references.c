/* SPDX-License-Identifier: MIT */
#include "layer/serve/references.h"

#include "cache/driver/driver.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/driver/driver_traits.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/rebuild.h"

/* What the layer knows of a program's references. */
struct known {
	unsigned changes;   /* as long as it is the same, so is the rest */
	cl_uint hidden;	    /* ours, which the bare driver wouldn't count */
	cl_uint held;	    /* all of ours on the handle */
	cl_uint references; /* the application's */
	cl_uint kernels;    /* live ones of `shadow`, its own and ours */
	cl_uint clones;	    /* that it ever made */
	cl_uint own_clones; /* of them, of the handle's own kernels */
	struct occ_shadow *shadow; /* retained; NULL: none has kernels */
};

/* The shadow program whose kernels the driver counts. Lock held. */
static struct occ_shadow *counted_shadow_locked(
	const struct occ_program *program)
{
	struct occ_shadow *shadow = program->state.shadow;

	if (!program->driver || !program->driver->counts_kernels ||
	    program->driver->learnt)
		return NULL;
	if (!shadow)
		return program->former;
	return shadow->is_handle ? NULL : shadow;
}

static void read_known(cl_program handle, struct known *ret_known)
{
	struct occ_program *program;

	*ret_known = (struct known){0};
	occ_lock();
	program = occ_program_find_locked(handle);
	if (program)
		occ_program_await_changes_locked(program);
	program = occ_program_find_locked(handle);
	if (program) {
		struct occ_shadow *shadow = counted_shadow_locked(program);
		bool counts =
			program->driver && program->driver->counts_kernels;

		ret_known->changes = program->changes;
		ret_known->hidden =
			program->holds - program->shown_holds +
			(counts ? program->own_kernels : program->kernel_holds);
		ret_known->held = program->holds + program->kernel_holds +
				  (counts ? program->own_kernels : 0);
		ret_known->references = program->references;
		ret_known->clones = program->clones;
		ret_known->own_clones = program->own_clones;
		if (shadow) {
			ret_known->shadow = occ_shadow_retain(shadow);
			ret_known->kernels = shadow->kernels;
			if (shadow->pooled)
				ret_known->kernels +=
					occ_kernels_ahead_count_locked(
						shadow->pooled->kernels_ahead);
		}
	}
	occ_unlock();
}

static cl_int ask_count(cl_program program, cl_uint *ret_count)
{
	return occ_target.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
					   sizeof(*ret_count), ret_count, NULL);
}

/*
 * The driver's counts of the handle and of the shadow program, at a moment for
 * which the layer's own counts are known: other threads' builds come and go, so
 * it takes a few tries. The caller releases ret_known->shadow.
 */
static cl_int ask_both(cl_program handle, struct known *ret_known,
		       cl_uint *ret_handle, cl_uint *ret_binary)
{
	struct known before;
	cl_int error = CL_SUCCESS;

	read_known(handle, ret_known);
	for (int i = 0; i < 100; i++) {
		before = *ret_known;
		*ret_binary = 1;
		error = ask_count(handle, ret_handle);
		if (!error && before.shadow)
			error = ask_count(before.shadow->program, ret_binary);
		read_known(handle, ret_known);
		occ_shadow_release(before.shadow);
		if (error || ret_known->changes == before.changes)
			break;
	}
	return error;
}

/*
 * A kernel that was released keeps its program alive as long as commands use
 * it: the shadow program instead of the application's.
 */
cl_int occ_references_count(cl_program handle, cl_uint *ret_count)
{
	cl_uint at_handle = 0, at_binary;
	struct known known;
	cl_int error = ask_both(handle, &known, &at_handle, &at_binary);

	*ret_count = at_handle - known.hidden;
	if (known.shadow)
		*ret_count += at_binary - 1 - known.kernels;
	occ_shadow_release(known.shadow);
	return error;
}

/* Each clone that comes and goes makes the driver count one kernel less. */
static void lower_kernel_count(struct occ_program *program, cl_uint count)
{
	cl_kernel kernel, clone;
	cl_uint done = 0;

	occ_lock();
	kernel = occ_kernel_own_locked(program);
	if (kernel)
		occ_target.clRetainKernel(kernel);
	occ_unlock();
	while (kernel && done < count) {
		clone = occ_target.clCloneKernel(kernel, NULL);
		if (!clone)
			break;
		occ_target.clReleaseKernel(clone);
		done++;
	}
	if (kernel)
		occ_target.clReleaseKernel(kernel);
	occ_lock();
	program->own_clones += done;
	occ_unlock();
}

/*
 * The program was served, and then really built. The driver counts kernels
 * separately for the shadow program and for the handle; without the layer that
 * would be one count. Would that one make it refuse, and the handle's not?
 */
static bool refuses_former(struct occ_program *program)
{
	cl_uint at_handle = 0, at_binary, own, all;
	struct known known;
	bool asked = !ask_both(program->handle, &known, &at_handle, &at_binary);

	asked = asked && known.shadow;
	occ_shadow_release(known.shadow);
	if (!asked)
		return false;
	own = at_handle - known.held - known.references;
	all = own + (at_binary - 1) - known.clones;
	own -= known.own_clones;
	if (!all && own)
		lower_kernel_count(program, own);
	return all && !own;
}

struct occ_shadow *occ_references_refusing(struct occ_program *program)
{
	struct occ_shadow *shadow = NULL;
	bool served, refused;

	occ_lock();
	served = program->state.shadow;
	if (served && !program->state.shadow->is_handle &&
	    !program->state.shadow->binaries && program->had_kernels)
		shadow = occ_shadow_retain(program->state.shadow);
	else if (!served && program->former && program->clones)
		shadow = occ_shadow_retain(program->former);
	occ_unlock();
	if (!shadow)
		return NULL;
	/*
	 * Served: all kernels that the driver would count are the shadow
	 * program's, and building one from a binary again does nothing or is
	 * refused.
	 */
	refused = served ? occ_rebuild_repeat(shadow->program,
					      shadow->build_key) ==
				   CL_INVALID_OPERATION
			 : refuses_former(program);
	if (!refused) {
		occ_shadow_release(shadow);
		shadow = NULL;
	}
	return shadow;
}

/*
 * The driver, and the count that it should answer; NULL when that isn't wanted,
 * or the layer can't know all references.
 */
static const struct occ_driver *expected_count(
	const struct occ_program *program, cl_uint *ret_count)
{
	const struct occ_driver *driver;
	bool known;

	occ_lock();
	driver = program->driver;
	known = driver && driver->learnt && program->driver_built &&
		!program->state.shadow && !program->kernel_holds &&
		!program->building &&
		occ_driver_traits_wants_counts_locked(driver);
	*ret_count = program->references + program->holds;
	if (known && driver->counts_kernels)
		*ret_count += program->kernels;
	occ_unlock();
	return known ? driver : NULL;
}

void occ_references_observe_kernel(struct occ_program *program)
{
	cl_uint before, after, count = 0;
	const struct occ_driver *driver = expected_count(program, &before);
	cl_device_id contradicted_by = NULL;

	/* Another thread may be in between two steps. */
	if (!driver ||
	    occ_target.clGetProgramInfo(program->handle,
					CL_PROGRAM_REFERENCE_COUNT,
					sizeof(count), &count, NULL) ||
	    !expected_count(program, &after) || before != after)
		return;
	occ_lock();
	if (count != before && program->state.made)
		contradicted_by = program->state.made->identities[0]->device;
	occ_unlock();
	occ_driver_traits_note_count(driver, contradicted_by);
}
