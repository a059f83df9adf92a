/* SPDX-License-Identifier: MIT */
/*
 * clBuildProgram and clCompileProgram. The way of a call:
 *
 *	occ_build_perform
 *	  begin          is it a program that we know?
 *	  make_recipe    is it an operation that can be keyed?
 *	  serve          an entry for every device? -> layer/hit.c
 *	                 switch to the binary program: a hit
 *	  refuse         a miss, with OCLCACHE_MODE=require
 *	  compile        somebody is making it already? -> layer/flight.c
 *	                 the driver does it; a miss
 *	  keep           record what it answers -> layer/miss.c
 *
 * Anything else is forwarded.
 *
 * A struct occ_build is shared by the call and the driver's callback, which may
 * come on another thread and after the call has returned. Whoever is last ends
 * it.
 */
#include "layer/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer/config.h"
#include "layer/device.h"
#include "layer/disk.h"
#include "layer/dispatch.h"
#include "layer/extension.h"
#include "layer/flight.h"
#include "layer/habit.h"
#include "layer/header.h"
#include "layer/hit.h"
#include "layer/hooks.h"
#include "layer/kernel.h"
#include "layer/link.h"
#include "layer/log.h"
#include "layer/miss.h"
#include "layer/remake.h"
#include "layer/search.h"
#include "layer/section.h"
#include "layer/tally.h"

struct occ_build {
	unsigned references; /* atomic: the call's and the callback's */
	cl_program handle;
	occ_notify notify;
	void *user_data;
	struct occ_program *program; /* pinned */
	struct occ_binary *binary;   /* serving when the call began, retained */
	struct occ_recipe *recipe;   /* NULL: not cacheable */
	struct occ_flight *flight;   /* NULL: nobody waits for it */
	const char *missed;	     /* why it wasn't found; NULL: it wasn't
					looked for */
	uint64_t generation;
	uint64_t start;
	uint64_t compile_start; /* 0: the driver doesn't compile */
	bool first;		/* the driver hasn't built the handle before */
	bool alone;		/* no other thread changes it */
	bool attached;		/* kernels of hidden programs are alive */
	bool ended;	  /* atomic: the program isn't building any more */
	bool called_back; /* atomic */
	struct occ_caller caller;
};

/*
 * Does the call ask for exactly the program's devices, in their order? PoCL
 * gives binaries in the order of the build.
 */
static bool asks_for_all(const struct occ_build_call *call, cl_uint count,
			 const cl_device_id *devices)
{
	if (!call->devices)
		return call->device_count == 0;
	return call->device_count == count &&
	       !memcmp(call->devices, devices, count * sizeof(*devices));
}

/* Why the call isn't looked up, whatever its text; NULL: it is. */
static const char *judge(const struct occ_build *build,
			 const struct occ_build_call *call)
{
	const char *reason;

	if (!occ_disk_or_memory())
		return "no cache";
	if (!build->first)
		return "built before";
	if (occ_extension_blocks(build->program->context))
		return "an extension function with programs is in use";
	reason = __atomic_load_n(&build->program->forbidden, __ATOMIC_ACQUIRE);
	if (reason)
		return reason;
	if (!build->alone)
		return "another build of the program is under way";
	if (call->user_data && !call->notify)
		return "parameters that are the driver's to judge";
	return NULL;
}

/* Sets the recipe, or returns why there is none. */
static const char *request_recipe(struct occ_build *build,
				  const struct occ_build_call *call,
				  struct occ_request *request)
{
	const char *reason = NULL;
	struct occ_spec_constants constants;
	struct occ_header *headers;
	bool copied;

	if (!asks_for_all(call, request->device_count, request->devices))
		return "not for exactly the program's devices";
	occ_lock();
	copied =
		occ_spec_constants_copy(&build->program->constants, &constants);
	occ_unlock();
	if (!copied)
		return "out of memory";
	request->constants = &constants;
	headers = occ_headers_take(call, &reason);
	request->headers = headers;
	request->header_count = call->header_count;
	if (!reason)
		build->recipe = occ_recipe_make(request, &reason);
	occ_headers_release(headers, call->header_count);
	occ_spec_constants_release(&constants);
	request->constants = NULL;
	request->headers = NULL;
	return reason;
}

static const char *make_recipe(struct occ_build *build,
			       const struct occ_build_call *call)
{
	const char *reason = judge(build, call);
	struct occ_request request = {
		.operation = call->operation,
		.context = build->program->context,
		.input = build->program->input,
		.options = call->options,
	};
	cl_device_id *devices;

	if (reason)
		return reason;
	devices = occ_device_list_of_program(build->handle,
					     &request.device_count);
	if (!devices)
		return "devices aren't known";
	request.devices = devices;
	reason = request_recipe(build, call, &request);
	free(devices);
	if (build->recipe) {
		occ_lock();
		build->program->driver = occ_recipe_driver(build->recipe);
		occ_unlock();
	}
	return reason;
}

/* Another thread may be doing what was served. Lock held. */
static void await_settled(struct occ_program *program)
{
	/* A bound in case that it waits for us, in a driver's lock. */
	for (int i = 0; i < 600 && program->settling; i++)
		occ_lock_wait(100);
}

/*
 * May a call be served that follows on what was served by `before`? After a
 * compile, and before one, the driver's log or code would have traces of the
 * operation before (Intel's); builds after builds have none on most drivers.
 */
static bool may_follow(const struct occ_binary *before,
		       const struct occ_build_call *call)
{
	return !before ||
	       (before->recipe->operation == OCC_BUILD &&
		call->operation == OCC_BUILD &&
		!occ_recipe_driver(before->recipe)->adds_kernel_names);
}

/* Registers the call with the program; NULL when the handle isn't known. */
static struct occ_build *begin(const struct occ_build_call *call)
{
	struct occ_build *build = calloc(1, sizeof(*build));
	struct occ_program *program;

	if (!build)
		return NULL;
	build->references = 1;
	build->start = occ_log_now();
	build->handle = call->handle;
	build->notify = call->notify;
	build->user_data = call->user_data;
	occ_lock();
	program = occ_program_find(build->handle);
	if (program)
		await_settled(program);
	if (program) {
		build->program = occ_program_pin(program);
		build->first = !program->driver_built &&
			       may_follow(program->state.binary, call);
		build->alone = !program->building && !program->specializing;
		build->generation = ++program->generation;
		build->attached = program->kernel_holds > 0;
		if (program->state.binary)
			build->binary =
				occ_binary_retain(program->state.binary);
	}
	occ_unlock();
	if (!program) {
		free(build);
		return NULL;
	}
	occ_program_hold(program);
	return build;
}

/* The program isn't building any more; our reference on its handle goes. */
static void end(struct occ_build *build)
{
	if (__atomic_exchange_n(&build->ended, true, __ATOMIC_ACQ_REL))
		return;
	occ_binary_release(build->binary);
	occ_recipe_release(build->recipe);
	build->binary = NULL;
	build->recipe = NULL;
	occ_program_unhold(build->program);
}

static void release(void *data)
{
	struct occ_build *build = data;

	if (__atomic_sub_fetch(&build->references, 1, __ATOMIC_ACQ_REL))
		return;
	end(build);
	occ_flight_release(build->flight);
	occ_program_unpin(build->program);
	free(build);
}

static struct occ_build *retain(struct occ_build *build)
{
	__atomic_add_fetch(&build->references, 1, __ATOMIC_RELAXED);
	return build;
}

static cl_int forward(const struct occ_build_call *call, occ_notify notify,
		      void *user_data)
{
	if (call->operation == OCC_COMPILE)
		return occ_target.clCompileProgram(
			call->handle, call->device_count, call->devices,
			call->options, call->header_count, call->headers,
			call->header_names, notify, user_data);
	return occ_target.clBuildProgram(call->handle, call->device_count,
					 call->devices, call->options, notify,
					 user_data);
}

cl_int occ_build_forward(const struct occ_build_call *call, occ_notify notify,
			 void *user_data)
{
	struct occ_section pause;
	cl_int error;

	occ_flight_enter_driver();
	occ_section_pause(&pause);
	error = forward(call, notify, user_data);
	occ_section_resume(&pause);
	occ_flight_leave_driver();
	return error;
}

/* Answers the call with what was loaded for it, if anything was: a hit. */
static bool serve(const struct occ_build *build, struct occ_binary *binary)
{
	struct occ_state state = {.binary = binary, .made = build->recipe};
	struct occ_hit hit;

	if (!binary)
		return false;
	hit = occ_hit_of(binary);
	occ_recipe_retain(build->recipe);
	if (!occ_program_change(build->program, build->generation, &state)) {
		occ_binary_release(binary);
		occ_recipe_release(build->recipe);
		return false;
	}
	occ_hit_explain(build->recipe, &hit, build->start);
	occ_search_remember(build->recipe);
	return true;
}

/* Tries to answer it from the store. False: *ret_reason says why not. */
static bool look_up(const struct occ_build *build, const char **ret_reason)
{
	struct occ_binary *binary = occ_hit_load(build->recipe, build->notify,
						 build->start, ret_reason);

	if (binary)
		*ret_reason = "another build of the program is under way";
	return serve(build, binary);
}

static bool look_up_again(void *data, bool waited)
{
	const struct occ_build *build = data;

	return serve(build,
		     occ_hit_load_again(build->recipe, waited, build->start));
}

/* What the driver made, if it did, is recorded. */
static void keep(const struct occ_build *build)
{
	const struct occ_keep keep = {
		.compile_time = occ_log_now() - build->compile_start,
		.wanted = occ_flight_wanted(build->flight),
	};

	if (build->recipe)
		occ_miss_keep(build->program, build->generation, build->recipe,
			      &keep);
}

static void CL_CALLBACK call_back(cl_program handle, void *data)
{
	struct occ_build *build = data;
	struct occ_section section;

	(void)handle;
	occ_section_enter(&section);
	__atomic_store_n(&build->called_back, true, __ATOMIC_RELEASE);
	if (build->compile_start)
		occ_tally_compiled(build->compile_start, false);
	/* Before the application, which may release the program in there. */
	if (!__atomic_load_n(&build->ended, __ATOMIC_ACQUIRE)) {
		occ_notify_learn(&build->caller, build->recipe);
		keep(build);
	}
	/* The application may build the same in its callback. */
	occ_flight_end(build->flight);
	/* It must not find our reference after that. */
	end(build);
	occ_notify_call(build->notify, build->handle, build->user_data);
	release(build);
	occ_section_leave(&section);
}

/* Is the driver known to call back before it returns, if at all? */
static bool calls_back_at_once(const struct occ_build *build)
{
	const struct occ_identity *identity = NULL;
	const char *reason;
	cl_uint count = 0;
	cl_device_id *devices =
		occ_device_list_of_program(build->handle, &count);

	if (devices)
		identity = occ_identity_of(devices[0], &reason);
	free(devices);
	return identity && (identity->driver->notify == OCC_NOTIFY_CALLER ||
			    identity->driver->notify == OCC_NOTIFY_WAITED);
}

/*
 * The driver does it, and calls back through us. A callback that doesn't come
 * leaves a reference: some bytes for every call that a driver, of which it
 * isn't known when it calls back, refuses. One that is known to call back at
 * once may still do it later, but not after an error.
 */
static cl_int forward_with_notify(struct occ_build *build,
				  const struct occ_build_call *call)
{
	bool at_once = calls_back_at_once(build);
	cl_int error;

	occ_notify_expect(&build->caller);
	error = occ_build_forward(call, call_back, retain(build));
	occ_notify_returned(&build->caller);
	if (__atomic_load_n(&build->called_back, __ATOMIC_ACQUIRE))
		return error;
	/* The call's own reference remains. */
	if (at_once && error)
		__atomic_sub_fetch(&build->references, 1, __ATOMIC_ACQ_REL);
	else if (error)
		end(build);
	return error;
}

/* From now on the application's handle itself answers, as the driver has it. */
static void make_plain(const struct occ_build *build)
{
	static const struct occ_state plain = {.described = OCC_BUFFER_INIT};

	occ_program_change(build->program, build->generation, &plain);
	occ_lock();
	build->program->driver_built = true;
	occ_unlock();
}

/* The driver first does what was served. */
static void settle(struct occ_build *build)
{
	if (!build->binary)
		return;
	occ_build_settle(build->handle);
	/* What comes now is a second build: not to be stored (P5). */
	occ_recipe_release(build->recipe);
	build->recipe = NULL;
}

/* The recipe is made again when the driver's identity is known better. */
static void learn(struct occ_build *build, const struct occ_build_call *call)
{
	if (!build->recipe || !occ_habit_learn(build->recipe->identities[0]))
		return;
	occ_recipe_release(build->recipe);
	build->recipe = NULL;
	make_recipe(build, call);
}

/* The driver works on the application's handle. */
static cl_int compile(struct occ_build *build,
		      const struct occ_build_call *original)
{
	struct occ_build_call call = *original;
	cl_int error;

	if (build->recipe)
		occ_recipe_start_reading(build->recipe);
	if (build->recipe && build->recipe->bypass)
		call.options = build->recipe->bypass;
	make_plain(build);
	/* The bytes that an application loads itself aren't compiled. */
	if (build->program->input)
		build->compile_start = occ_log_now();
	if (call.notify)
		return forward_with_notify(build, &call);
	error = occ_build_forward(&call, NULL, call.user_data);
	if (build->compile_start)
		occ_tally_compiled(build->compile_start, error != CL_SUCCESS);
	if (!error)
		keep(build);
	return error;
}

/* A hidden kernel of the handle comes or goes: callbacks may look at counts. */
static void count_attached(const struct occ_build *build, bool comes)
{
	struct occ_program *program = build->program;

	occ_lock();
	if (program->driver && program->driver->counts_kernels && comes)
		program->holds++;
	else if (program->driver && program->driver->counts_kernels)
		program->holds--;
	occ_unlock();
}

/*
 * Kernels of the binary program are alive. Some drivers refuse then and some
 * don't: the driver gets the same situation, and judges.
 */
static cl_int perform_attached(struct occ_build *build,
			       const struct occ_build_call *call)
{
	const struct occ_binary *binary = build->binary;
	cl_kernel kernel;
	cl_int error;

	occ_build_settle(build->handle);
	kernel = occ_kernel_attach(build->program, build->handle, true);
	/* The handle has what was served now: callbacks must see it change. */
	if (binary && occ_remake_succeeded(build->handle, binary->recipe))
		make_plain(build);
	if (kernel)
		count_attached(build, true);
	error = call->notify ? forward_with_notify(build, call)
			     : occ_build_forward(call, NULL, call->user_data);
	if (kernel) {
		count_attached(build, false);
		occ_target.clReleaseKernel(kernel);
	}
	if (!error)
		make_plain(build);
	return error;
}

/*
 * Has the driver kernels of the hidden program, although the application has
 * released them all? Commands under way keep them.
 */
static bool has_released_kernels(const struct occ_build *build)
{
	const struct occ_binary *binary = build->binary;
	const struct occ_driver *driver = occ_recipe_driver(binary->recipe);
	cl_uint count = 0;
	bool any;

	occ_lock();
	any = binary->kernel_name != NULL;
	occ_unlock();
	if (!any || driver->learnt)
		return false;
	if (driver->counts_kernels)
		return !occ_target.clGetProgramInfo(binary->program,
						    CL_PROGRAM_REFERENCE_COUNT,
						    sizeof(count), &count,
						    NULL) &&
		       count > 1;
	if (!occ_live_may_be_asked(binary->live))
		return false;
	/* The same build of it once more does no harm on these. */
	return occ_remake_repeat(binary->program, binary->recipe) ==
	       CL_INVALID_OPERATION;
}

/* Calls back for a hit. */
static void deliver(struct occ_build *build, const struct occ_build_call *call)
{
	const struct occ_driver *driver = occ_recipe_driver(build->recipe);

	if (!call->notify)
		return;
	/* A callback that comes later finds the handle alive. */
	if (driver->notify != OCC_NOTIFY_OTHER)
		end(build);
	occ_notify_deliver(driver, call->notify, call->handle, call->user_data,
			   release, retain(build));
}

/* A miss: another may be making the same, or the driver is to. */
static cl_int make(struct occ_build *build, const struct occ_build_call *call)
{
	cl_int error;

	settle(build);
	learn(build, call);
	if (build->recipe &&
	    occ_flight_join(build->recipe,
			    occ_notify_blocks(build->recipe, call->notify),
			    look_up_again, build, &build->flight)) {
		deliver(build, call);
		return CL_SUCCESS;
	}
	occ_tally_miss(build->missed);
	error = compile(build, call);
	occ_flight_end(build->flight);
	return error;
}

/*
 * OCLCACHE_MODE=require: what isn't there fails, and nothing has happened to
 * the driver's handle. Not where the layer isn't to do anything.
 */
static bool must_refuse(const char *reason)
{
	return occ_config.mode == OCC_MODE_REQUIRE &&
	       reason != occ_config_skipped;
}

static cl_int refuse(struct occ_build *build, const struct occ_build_call *call,
		     const char *reason)
{
	const struct occ_state refused = {.refused = reason};

	occ_log_debug("program refused, because of OCLCACHE_MODE=require: %s",
		      reason);
	occ_tally_miss(build->missed);
	occ_tally_refused();
	occ_program_change(build->program, build->generation, &refused);
	if (call->notify && build->recipe) {
		deliver(build, call);
	} else if (call->notify) {
		end(build);
		occ_notify_call(call->notify, call->handle, call->user_data);
	}
	return call->operation == OCC_COMPILE ? CL_COMPILE_PROGRAM_FAILURE
					      : CL_BUILD_PROGRAM_FAILURE;
}

/* Once more, and the store isn't looked at: why not, or NULL. */
static const char *judge_repetition(const struct occ_build *build)
{
	if (build->binary && build->binary->recipe->operation == OCC_LINK)
		return "linked before";
	if (build->attached || (build->binary && has_released_kernels(build)))
		return "built before, and it has kernels";
	return NULL;
}

/* Such a one. */
static cl_int repeat(struct occ_build *build, const struct occ_build_call *call,
		     const char *reason)
{
	occ_tally_uncacheable(reason);
	if (must_refuse(reason))
		return refuse(build, call, reason);
	if (build->binary && build->binary->recipe->operation == OCC_LINK)
		return occ_link_rebuild(build->program, build->generation,
					build->binary, call);
	return perform_attached(build, call);
}

static cl_int perform(struct occ_build *build,
		      const struct occ_build_call *call)
{
	const char *reason = judge_repetition(build);

	if (reason)
		return repeat(build, call, reason);
	if (!build->program->input)
		return make(build, call);
	reason = make_recipe(build, call);
	if (reason)
		occ_hit_refuse(reason, build->start);
	if (!build->recipe || !look_up(build, &reason)) {
		if (build->recipe)
			build->missed = reason;
		return must_refuse(reason) ? refuse(build, call, reason)
					   : make(build, call);
	}
	deliver(build, call);
	return CL_SUCCESS;
}

static cl_int perform_any(struct occ_build_call *call)
{
	struct occ_build *build;
	cl_int error;

	occ_habit_watch();
	call->handle = occ_program_valid(call->handle);
	build = begin(call);
	if (!build)
		return occ_build_forward(call, call->notify, call->user_data);
	error = perform(build, call);
	release(build);
	return error;
}

cl_int occ_build_perform(struct occ_build_call *call)
{
	struct occ_section section;
	int saved_errno = errno;
	cl_int error;

	occ_section_enter(&section);
	error = perform_any(call);
	occ_section_leave(&section);
	errno = saved_errno;
	return error;
}

cl_int CL_API_CALL occ_build_program(cl_program program, cl_uint num_devices,
				     const cl_device_id *device_list,
				     const char *options, occ_notify pfn_notify,
				     void *user_data)
{
	struct occ_build_call call = {
		.operation = OCC_BUILD,
		.handle = program,
		.device_count = num_devices,
		.devices = device_list,
		.options = options,
		.notify = pfn_notify,
		.user_data = user_data,
	};

	return occ_build_perform(&call);
}

/* A program that would have to be settled, pinned and held; or NULL. */
static struct occ_program *take_unsettled(const struct occ_program *last)
{
	struct occ_program *program;

	occ_lock();
	for (program = occ_program_first(); program; program = program->hh.next)
		if (program != last && program->state.binary &&
		    !program->driver_built && program->references)
			break;
	if (program) {
		occ_program_pin(program);
		/* From here on a release waits until the handle is held. */
		occ_program_begin_change(program);
	}
	occ_unlock();
	if (program)
		occ_program_hold_changing(program);
	return program;
}

void occ_build_settle_all(void)
{
	struct occ_program *program = NULL, *last;

	do {
		last = program;
		program = take_unsettled(last);
		occ_program_unpin(last);
		if (program) {
			occ_build_settle(program->handle);
			occ_program_unhold(program);
		}
	} while (program);
}

/* What was served, when the handle must have it; NULL: nothing to do. */
static struct occ_binary *begin_settling(cl_program handle,
					 struct occ_program **ret_program)
{
	struct occ_binary *binary = NULL;
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(handle);
	if (program) {
		occ_program_pin(program);
		await_settled(program);
	}
	if (program && program->state.binary && !program->driver_built) {
		program->settling = true;
		program->building++;
		binary = occ_binary_retain(program->state.binary);
	}
	occ_unlock();
	*ret_program = program;
	return binary;
}

/* Whether it worked: then the driver has the build from now on. */
static void end_settling(struct occ_program *program, bool settled)
{
	occ_lock();
	program->driver_built |= settled;
	program->building--;
	program->settling = false;
	occ_lock_wake();
	occ_unlock();
}

/*
 * The driver's handle gets the build that the application believes it has; but
 * only what that made then: files may have come, and variables changed, since.
 */
bool occ_build_settle(cl_program handle)
{
	struct occ_program *program;
	struct occ_binary *binary = begin_settling(handle, &program);
	bool settled = true;

	if (binary) {
		settled = occ_recipe_current(binary->recipe);
		occ_log_debug(settled ? "a served program is built after all"
				      : "a served program can't be built any "
					"more as it was");
		if (settled) {
			occ_remake_repeat(handle, binary->recipe);
			settled = occ_recipe_current(binary->recipe);
			end_settling(program, true);
		} else {
			end_settling(program, false);
		}
		occ_binary_release(binary);
	}
	occ_program_unpin(program);
	return settled;
}
