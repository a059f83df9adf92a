/* SPDX-License-Identifier: MIT */
#include "layer/hook/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/base/settings.h"
#include "layer/key/build_key.h"
#include "layer/object/program_pool.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/hit.h"
#include "layer/serve/pending.h"
#include "layer/serve/rebuild.h"
#include "layer/serve/record.h"
#include "layer/serve/references.h"
#include "layer/serve/sync_driver.h"

static void CL_CALLBACK ignore(cl_program handle, void *data)
{
	(void)handle;
	(void)data;
}

/*
 * On drivers that refuse by a count of kernels. The one of the program may be
 * the hidden program's: that one is asked then, and says what is wrong with the
 * call first, if anything is. Its code, or success.
 */
static cl_int ask_driver(struct occ_call *call)
{
	struct occ_shadow *shadow = occ_references_refusing(call->program);
	cl_int error;

	if (!shadow)
		return CL_SUCCESS;
	call->arguments.program = shadow->program;
	error = call->kind->forward(call,
				    call->arguments.notify ? ignore : NULL,
				    call->arguments.user_data);
	call->arguments.program = call->program->handle;
	occ_shadow_release(shadow);
	/* Else the last kernel has just gone. */
	if (error)
		occ_hit_trace_uncacheable(OCC_REASON_BUILT_WITH_KERNELS,
					  call->program->input, call->start);
	return error;
}

/*
 * Has the driver kernels of the hidden program, although the application has
 * released them all? Commands under way keep them.
 */
static bool has_released_kernels(const struct occ_shadow *shadow)
{
	const struct occ_driver *driver =
		occ_build_key_driver(shadow->build_key);
	cl_uint count = 0;
	bool any;

	occ_lock();
	any = shadow->kernel_name != NULL;
	occ_unlock();
	if (!any || driver->learnt)
		return false;
	if (driver->counts_kernels)
		return !occ_target.clGetProgramInfo(shadow->program,
						    CL_PROGRAM_REFERENCE_COUNT,
						    sizeof(count), &count,
						    NULL) &&
		       count > 1;
	if (!occ_pool_build_shows_use(shadow->pooled))
		return false;
	/* The same build of it once more does no harm on these. */
	return occ_rebuild_repeat(shadow->program, shadow->build_key) ==
	       CL_INVALID_OPERATION;
}

/* Callbacks may look at counts. */
static void change_own_kernels(struct occ_program *program, int change)
{
	occ_lock();
	program->own_kernels += (unsigned)change;
	occ_unlock();
}

/*
 * A new kernel of the program `to`, with the name of one that the application
 * has of `program`, or had if `released`, for the caller to release: some
 * drivers refuse calls while a program has kernels. NULL when there is none, or
 * it can't be had.
 */
static cl_kernel attach_kernel(const struct occ_program *program, cl_program to,
			       bool released)
{
	cl_kernel kernel = NULL;
	char *name = occ_kernel_name_of(program);

	occ_lock();
	if (!name && released && program->state.shadow &&
	    program->state.shadow->kernel_name)
		name = strdup(program->state.shadow->kernel_name);
	occ_unlock();
	if (name)
		kernel = occ_target.clCreateKernel(to, name, NULL);
	free(name);
	return kernel;
}

/* Kernels of the hidden program are alive: the handle gets one for the call. */
static cl_int perform_attached(struct occ_call *call)
{
	struct occ_program *program = call->program;
	const struct occ_shadow *shadow = call->shadow;
	cl_kernel kernel;
	cl_int error;

	occ_sync_driver(program->handle);
	kernel = attach_kernel(program, program->handle, true);
	/* The handle has what was served now: callbacks must see it change. */
	if (shadow && occ_rebuild_succeeded(program->handle, shadow->build_key))
		call->kind->prepare(call);
	if (kernel)
		change_own_kernels(program, 1);
	error = occ_call_forward(call);
	if (kernel) {
		change_own_kernels(program, -1);
		occ_target.clReleaseKernel(kernel);
	}
	if (!error)
		call->kind->prepare(call);
	return error;
}

/* The program that was really linked answers from now on. */
static void adopt_program(const struct occ_call *call, cl_program real)
{
	struct occ_state state = {
		.shadow = occ_shadow_adopt(call->shadow, real),
	};

	if (state.shadow &&
	    !occ_pending_replace_state(call->program, call->generation, &state))
		occ_shadow_release(state.shadow);
}

/*
 * A program that is the result of a link which was served. Drivers refuse to
 * build it, each in its way: one that the driver really linked is asked. If the
 * driver agrees, that one answers for the program from then on.
 */
static cl_int perform_linked(struct occ_call *call)
{
	struct occ_shadow *shadow = call->shadow;
	bool is_handle = shadow->is_handle;
	cl_program real = shadow->program;
	cl_kernel kernel;
	cl_int error;

	if (is_handle)
		real = occ_sync_materialise(shadow, "build after a link");
	/* What the specification says of programs made by clLinkProgram. */
	if (!real)
		return CL_INVALID_OPERATION;
	kernel = attach_kernel(call->program, real, false);
	/* It may change more than its code says (Intel's compile). */
	if (is_handle)
		adopt_program(call, real);
	call->arguments.program = real;
	error = occ_call_forward(call);
	if (kernel)
		occ_target.clReleaseKernel(kernel);
	return error;
}

bool occ_repeat_perform(struct occ_call *call, cl_int *ret_error)
{
	const struct occ_program *program = call->program;
	enum occ_reason reason = OCC_REASON_NONE;
	bool linked, by_count;

	/* They are none of the application's. */
	if (call->shadow && call->shadow->pooled)
		occ_kernels_ahead_drop(&call->shadow->pooled->kernels_ahead);
	occ_lock();
	by_count = program->driver && program->driver->refuses_by_count;
	occ_unlock();
	if (by_count) {
		*ret_error = ask_driver(call);
		if (*ret_error)
			return true;
	}
	linked = call->shadow && call->shadow->build_key->operation == OCC_LINK;
	if (linked)
		reason = OCC_REASON_LINKED_BEFORE;
	else if (!by_count &&
		 (call->attached ||
		  (call->shadow && has_released_kernels(call->shadow))))
		reason = OCC_REASON_BUILT_WITH_KERNELS;
	if (!reason)
		return false;
	occ_hit_trace_uncacheable(reason, program->input, call->start);
	if (occ_settings.mode == OCC_MODE_REQUIRE)
		*ret_error = occ_call_fail_uncached(call, reason);
	else if (by_count)
		/* The handle itself does what a linked one does: nothing. */
		*ret_error = occ_call_forward(call);
	else if (linked)
		*ret_error = perform_linked(call);
	else
		*ret_error = perform_attached(call);
	if (!*ret_error)
		occ_record_refusal(reason);
	return true;
}
