/* SPDX-License-Identifier: MIT */
/*
 * The life of a call:
 *
 *	occ_call_perform
 *	  make_key       can it be cached, and by which key?
 *	  look_up        an entry for every device? -> layer/serve/hit.c
 *	    serve        it answers from now on: a hit
 *	  refuse         a miss, with OCLCACHE_MODE=require
 *	  drive          a miss
 *	    join         somebody is making it already? wait, look up again
 *	                 -> layer/serve/single_flight.c
 *	    look_up_elsewhere
 *	                 has the remote storage an entry?
 *	    forward      the driver does it
 *	    record       what it made, to be stored -> layer/serve/miss.c
 *	  deliver, or call_back
 *	                 the application's callback, of a hit or from the driver
 *	  end            our reference on the program goes
 */
#include "layer/hook/call.h"

#include <stdlib.h>

#include "cache/driver/driver.h"
#include "cache/traits.h"
#include "hash/buffer.h"
#include "layer/base/log.h"
#include "layer/base/section.h"
#include "layer/base/settings.h"
#include "layer/driver/device.h"
#include "layer/driver/identity.h"
#include "layer/driver/library.h"
#include "layer/key/build_key_make.h"
#include "layer/key/include_search.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/describe_live.h"
#include "layer/serve/hit.h"
#include "layer/serve/miss.h"
#include "layer/serve/pending.h"
#include "layer/serve/record.h"
#include "layer/serve/remote_lease.h"
#include "layer/serve/stats.h"
#include "layer/serve/store_result.h"
#include "layer/serve/sync_driver.h"

struct occ_call *occ_call_new(const struct occ_call_kind *kind,
			      const struct occ_arguments *arguments)
{
	struct occ_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->references = 1;
	call->kind = kind;
	call->arguments = *arguments;
	call->start = occ_log_now();
	return call;
}

/*
 * Our reference on the handle goes. A build needs nothing more then; a link may
 * still have to make its program known.
 */
static void end_call(struct occ_call *call)
{
	if (__atomic_exchange_n(&call->ended, true, __ATOMIC_ACQ_REL))
		return;
	occ_shadow_release(call->shadow);
	call->shadow = NULL;
	if (!call->kind->makes_program) {
		occ_build_key_release(call->build_key);
		call->build_key = NULL;
	}
	if (call->shown)
		occ_program_show_hold(call->program, -1);
	if (call->held)
		occ_pending_unhold(call->program);
}

static struct occ_call *retain(struct occ_call *call)
{
	__atomic_add_fetch(&call->references, 1, __ATOMIC_RELAXED);
	return call;
}

void occ_call_release(struct occ_call *call)
{
	if (__atomic_sub_fetch(&call->references, 1, __ATOMIC_ACQ_REL))
		return;
	end_call(call);
	occ_single_flight_release(call->flight);
	occ_program_unpin(call->program);
	occ_build_key_release(call->build_key);
	occ_link_inputs_release(&call->inputs);
	free(call);
}

/* Answers the call with what was loaded for it, if anything was: a hit. */
static bool serve(struct occ_call *call, struct occ_shadow *shadow)
{
	struct occ_state state = {.shadow = shadow, .made = call->build_key};
	struct occ_hit hit;

	if (!shadow)
		return false;
	hit = occ_hit_of(shadow);
	occ_build_key_retain(call->build_key);
	if (!call->kind->set_state(call, shadow->program, &state))
		return false;
	occ_hit_trace(call->build_key, &hit, call->start);
	occ_include_search_remember(call->build_key);
	occ_record_build(call->build_key, 0);
	return true;
}

/* Tries to answer it from the store. False: *ret_reason says why not. */
static bool look_up(struct occ_call *call, enum occ_reason *ret_reason)
{
	struct occ_shadow *shadow =
		occ_hit_load(call->build_key, call->arguments.notify,
			     call->start, ret_reason);

	if (shadow)
		*ret_reason = call->kind->unserved;
	return serve(call, shadow);
}

/* A link for whose program there was no memory isn't tried again. */
static bool look_up_again(void *data, bool waited)
{
	struct occ_call *call = data;

	return !call->known &&
	       serve(call,
		     occ_hit_load_again(call->build_key, waited, call->start));
}

static bool blocks(const struct occ_call *call)
{
	return occ_notify_blocks(call->build_key, call->arguments.notify);
}

/* Where nobody here has it, somebody elsewhere may. */
static bool look_up_elsewhere(struct occ_call *call)
{
	return call->build_key && !call->known &&
	       occ_single_flight_may_wait(call->build_key, blocks(call)) &&
	       serve(call, occ_hit_load_remote(call->build_key, call->start));
}

/* Those who wait for what it made look again. */
static void end_flight(struct occ_call *call, struct occ_build_key *build_key)
{
	occ_single_flight_end(call->flight);
	occ_remote_lease_end(build_key);
}

/* The new program of a link is ours, too, until the application knows it. */
static struct occ_program *hold_new(struct occ_call *call)
{
	struct occ_program *program =
		__atomic_load_n(&call->program, __ATOMIC_ACQUIRE);

	if (program && call->kind->makes_program) {
		occ_program_hold(program);
		call->held = true;
	}
	return program;
}

/* Our reference is in the place of the driver's. */
static void show_hold(struct occ_call *call)
{
	occ_program_show_hold(call->program, 1);
	call->shown = true;
}

static void delivered(void *data)
{
	struct occ_call *call = data;

	end_call(call);
	occ_call_release(call);
}

/* Calls back for what the driver doesn't do, on a thread as it would. */
static void deliver_callback(struct occ_call *call)
{
	const struct occ_driver *driver = occ_build_key_driver(call->build_key);
	const struct occ_program *program;

	if (!call->arguments.notify)
		return;
	program = hold_new(call);
	/* A callback that comes later finds the handle alive. */
	if (!call->kind->makes_program && driver->notify != OCC_NOTIFY_OTHER)
		end_call(call);
	else if (driver->holds_to_notify)
		show_hold(call);
	occ_notify_deliver(driver, call->arguments.notify, program->handle,
			   call->arguments.user_data, delivered, retain(call));
}

/* What the driver made, if it did, is recorded. */
static void record(const struct occ_call *call)
{
	const struct occ_build_facts facts = {
		.compile_time = occ_log_now() - call->driver_start,
		.wanted = occ_single_flight_wanted(call->flight) ||
			  occ_remote_lease_is_held(call->build_key),
		.loaded = occ_libraries_changes() != call->objects,
	};

	if (!call->build_key) {
		occ_record_refusal(call->uncacheable);
		return;
	}
	if (occ_link_inputs_undisturbed(&call->inputs))
		occ_miss_record(call->program, call->generation,
				call->build_key, &facts);
	else
		occ_store_result_not_stored(call->build_key,
					    OCC_REASON_INPUT_COMPILED);
}

/* From the driver. Of a link, `handle` is the new program, or NULL. */
static void CL_CALLBACK call_back(cl_program handle, void *data)
{
	static const struct occ_state plain = {.described = OCC_BUFFER_INIT};
	struct occ_call *call = data;
	bool makes_program = call->kind->makes_program;
	const struct occ_program *program;
	struct occ_section section;

	occ_section_enter(&section);
	__atomic_store_n(&call->called_back, true, __ATOMIC_RELEASE);
	if (call->driver_start)
		occ_stats_compiled(call->driver_start,
				   makes_program && !handle);
	if (makes_program && handle)
		call->kind->set_state(call, handle, &plain);
	program = hold_new(call);
	/* Before the application, which may release the program in there. */
	if (!__atomic_load_n(&call->ended, __ATOMIC_ACQUIRE)) {
		occ_notify_learn(&call->caller, call->build_key);
		if (program)
			record(call);
	}
	/* The application may build the same in its callback. */
	end_flight(call, call->build_key);
	if (!makes_program) {
		/* It must not find our reference after that. */
		end_call(call);
		handle = program->handle;
	}
	occ_notify_call(call->arguments.notify, handle,
			call->arguments.user_data,
			occ_notify_is_apart(&call->caller, call->thread));
	delivered(call);
	occ_section_leave(&section);
}

/* Where the driver calls back, if that is known. */
static enum occ_notify_thread thread_of_driver(const struct occ_call *call)
{
	const struct occ_driver *driver = NULL;
	const struct occ_identity *identity;
	cl_device_id *devices;
	enum occ_reason reason;
	cl_uint count = 0;

	if (call->build_key)
		driver = occ_build_key_driver(call->build_key);
	if (!driver) {
		devices = occ_device_list_of_program(call->program->handle,
						     &count);
		identity =
			devices ? occ_identity_of(devices[0], &reason) : NULL;
		driver = identity ? identity->driver : NULL;
		free(devices);
	}
	return driver ? driver->notify : OCC_NOTIFY_UNKNOWN;
}

/*
 * A callback that doesn't come leaves a reference: some bytes for every call
 * that a driver, of which it isn't known when it calls back, refuses. One that
 * is known to call back at once may still do it later, but not after an error.
 */
cl_int occ_call_forward(struct occ_call *call)
{
	bool at_once;
	cl_int error;

	if (!call->arguments.notify)
		return call->kind->forward(call, NULL,
					   call->arguments.user_data);
	call->thread = thread_of_driver(call);
	at_once = call->thread == OCC_NOTIFY_CALLER ||
		  call->thread == OCC_NOTIFY_WAITED;
	if (!at_once)
		occ_describe_live_kernels();
	occ_notify_expect(&call->caller);
	error = call->kind->forward(call, call_back, retain(call));
	occ_notify_returned(&call->caller);
	if (!error || __atomic_load_n(&call->called_back, __ATOMIC_ACQUIRE))
		return error;
	/* The call's own reference remains. */
	if (at_once)
		__atomic_sub_fetch(&call->references, 1, __ATOMIC_ACQ_REL);
	else if (!call->kind->makes_program)
		end_call(call);
	return error;
}

/* A link of which nothing is recorded. */
static cl_int forward_unknown(struct occ_call *call)
{
	occ_notify notify = call->arguments.notify;
	void *user_data = call->arguments.user_data;

	if (notify) {
		occ_describe_live_kernels();
		occ_notify_pass_on(&notify, &user_data);
	}
	return call->kind->forward(call, notify, user_data);
}

/*
 * The driver first does what was served. What comes then is a second build: not
 * to be stored (P5).
 */
static void sync_served(struct occ_call *call)
{
	if (!call->shadow || !call->program)
		return;
	occ_sync_driver(call->program->handle);
	occ_build_key_release(call->build_key);
	call->build_key = NULL;
}

/* The build key is made again when the driver's identity is known better. */
static void learn_identity(struct occ_call *call)
{
	if (call->kind->makes_program || !call->build_key ||
	    !occ_identity_learn(call->build_key->identities[0]))
		return;
	occ_build_key_release(call->build_key);
	call->build_key = NULL;
	call->kind->make_key(call);
}

cl_int occ_call_drive(struct occ_call *call)
{
	bool makes_program = call->kind->makes_program;
	struct occ_build_key *build_key;
	cl_int error;

	sync_served(call);
	learn_identity(call);
	if ((call->build_key &&
	     occ_single_flight_join(call->build_key, blocks(call),
				    look_up_again, call, &call->flight)) ||
	    look_up_elsewhere(call)) {
		occ_single_flight_end(call->flight);
		deliver_callback(call);
		return CL_SUCCESS;
	}
	occ_stats_miss(call->missed);
	if (call->build_key)
		occ_build_key_start_reading(call->build_key);
	call->kind->prepare(call);
	/* What is linked without a key needn't be known. */
	if (makes_program && !call->build_key) {
		error = forward_unknown(call);
		if (!error)
			occ_record_refusal(call->uncacheable);
		return error;
	}
	/* The bytes that an application loads itself aren't compiled. */
	if (makes_program || call->program->input)
		call->driver_start = occ_log_now();
	call->objects = occ_libraries_changes();
	/* The callback, on another thread, lets the call's go. */
	build_key =
		call->build_key ? occ_build_key_retain(call->build_key) : NULL;
	error = occ_call_forward(call);
	if (!call->arguments.notify && call->driver_start)
		occ_stats_compiled(call->driver_start, error != CL_SUCCESS);
	if (!call->arguments.notify && !error && call->program)
		record(call);
	else if (error && build_key)
		occ_store_result_failed(build_key);
	end_flight(call, build_key);
	occ_build_key_release(build_key);
	return error;
}

/* Is a device of it to be left alone (OCLCACHE_SKIP)? */
static bool is_left_alone(const struct occ_call *call)
{
	cl_uint count = 0;
	cl_device_id *devices = call->kind->list_devices(call, &count);
	bool skipped = devices && occ_device_any_skipped(devices, count);

	free(devices);
	return skipped;
}

cl_int occ_call_fail_uncached(struct occ_call *call, enum occ_reason reason)
{
	static const cl_int failures[] = {
		[OCC_BUILD] = CL_BUILD_PROGRAM_FAILURE,
		[OCC_COMPILE] = CL_COMPILE_PROGRAM_FAILURE,
		[OCC_LINK] = CL_LINK_PROGRAM_FAILURE,
	};
	cl_int failure = failures[call->arguments.operation];
	const struct occ_state refused = {.refused = reason};

	occ_log_debug("%s refused because of OCLCACHE_MODE=require: %s",
		      call->kind->noun, occ_reason_text(reason));
	occ_stats_miss(call->missed);
	occ_stats_refused();
	/* There is no new program of which the reason could be asked. */
	if (call->kind->makes_program)
		return failure;
	occ_pending_replace_state(call->program, call->generation, &refused);
	if (call->arguments.notify && call->build_key) {
		deliver_callback(call);
	} else if (call->arguments.notify) {
		end_call(call);
		occ_notify_call(call->arguments.notify, call->program->handle,
				call->arguments.user_data, false);
	}
	return failure;
}

cl_int occ_call_perform(struct occ_call *call)
{
	enum occ_reason reason = call->kind->make_key(call);
	bool may_refuse = occ_settings.mode == OCC_MODE_REQUIRE;

	call->uncacheable = reason;
	if (reason) {
		occ_hit_trace_uncacheable(reason,
					  call->program ? call->program->input
							: NULL,
					  call->start);
		may_refuse = may_refuse && !is_left_alone(call);
	} else if (look_up(call, &reason)) {
		deliver_callback(call);
		return CL_SUCCESS;
	} else {
		call->missed = reason;
	}
	if (may_refuse && look_up_elsewhere(call)) {
		deliver_callback(call);
		return CL_SUCCESS;
	}
	if (may_refuse)
		return occ_call_fail_uncached(call, reason);
	return occ_call_drive(call);
}
