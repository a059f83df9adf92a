/* SPDX-License-Identifier: MIT */
/*
 * clLinkProgram. Its result is a new program: on a hit it is made from the
 * entry's binary, and is the application's own handle; what a link answers
 * otherwise than a binary comes from the entry.
 *
 * A struct occ_link is shared by the call and the driver's callback, like a
 * struct occ_build.
 */
#include "layer/link.h"

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
#include "layer/hit.h"
#include "layer/hooks.h"
#include "layer/kernel.h"
#include "layer/log.h"
#include "layer/miss.h"
#include "layer/section.h"
#include "layer/tally.h"

/* The arguments as the application gave them. */
struct call {
	cl_context context;
	cl_uint device_count;
	const cl_device_id *devices;
	const char *options;
	cl_uint input_count;
	const cl_program *inputs;
	occ_notify notify;
	void *user_data;
};

/* One input program, in the state in which it was found. */
struct input {
	cl_program program;	   /* as the driver must see it */
	struct occ_binary *binary; /* that answers for it, retained, or NULL */
	struct occ_link_input known;  /* as keys see it; all NULL: they don't */
	struct occ_program *observed; /* pinned; NULL: not in our table */
	uint64_t generation;
};

struct inputs {
	cl_uint count;
	struct input *list;
	cl_uint known_count;
	bool any_observed;
	bool changed; /* one can't be compiled any more as it was */
};

struct occ_link {
	unsigned references; /* atomic: the call's and the callback's */
	occ_notify notify;
	void *user_data;
	struct occ_recipe *recipe;
	struct occ_flight *flight; /* NULL: nobody waits for it */
	struct inputs inputs;
	uint64_t start;
	uint64_t link_start;
	struct occ_program *program; /* atomic; pinned; NULL: not yet known */
	bool known;	  /* atomic: somebody has made it known, or tried */
	bool called_back; /* atomic */
	struct occ_caller caller;
};

static void release_inputs(struct inputs *inputs)
{
	for (cl_uint i = 0; i < inputs->count; i++) {
		struct input *input = &inputs->list[i];

		occ_binary_release(input->binary);
		occ_recipe_release(input->known.recipe);
		occ_image_release(input->known.image);
		occ_program_unpin(input->observed);
	}
	free(inputs->list);
}

/*
 * By the recipe of what made it; or, when the application made it from binaries
 * and nothing was done to it since, by these. All of it at one moment: another
 * thread may compile the program again.
 */
static void take_input(cl_program handle, cl_context context,
		       struct input *input)
{
	struct occ_program *program;
	bool from_binaries = false;

	input->program = handle;
	occ_lock();
	program = occ_program_find(handle);
	if (program) {
		input->observed = occ_program_pin(program);
		input->generation = program->generation;
	}
	if (program && program->state.binary) {
		input->binary = occ_binary_retain(program->state.binary);
		input->program = input->binary->program;
	}
	if (program && program->context == context && !program->building) {
		if (program->state.made)
			input->known.recipe =
				occ_recipe_retain(program->state.made);
		else
			from_binaries =
				!program->input && !program->driver_built;
	}
	occ_unlock();
	if (from_binaries)
		input->known.image = occ_image_fetch(handle, 0, NULL);
}

static void take_inputs(const struct call *call, struct inputs *inputs)
{
	memset(inputs, 0, sizeof(*inputs));
	if (!call->input_count || !call->inputs)
		return;
	inputs->list = calloc(call->input_count, sizeof(*inputs->list));
	if (!inputs->list)
		return;
	inputs->count = call->input_count;
	for (cl_uint i = 0; i < inputs->count; i++) {
		struct input *input = &inputs->list[i];

		take_input(occ_program_valid(call->inputs[i]), call->context,
			   input);
		inputs->known_count +=
			input->known.recipe || input->known.image;
		inputs->any_observed |= input->observed != NULL;
	}
}

/* Has no input been built or compiled since it was taken? */
static bool undisturbed(const struct inputs *inputs)
{
	bool same = !inputs->changed;

	occ_lock();
	for (cl_uint i = 0; i < inputs->count; i++)
		same &= inputs->list[i].observed->generation ==
			inputs->list[i].generation;
	occ_unlock();
	return same;
}

/* The devices of the link, to be freed: those given, or the context's. */
static cl_device_id *link_devices(const struct call *call, cl_uint *ret_count)
{
	size_t size = call->device_count * sizeof(*call->devices);
	cl_device_id *devices;

	if (!call->devices)
		return occ_device_list_of_context(call->context, ret_count);
	devices = size ? malloc(size) : NULL;
	if (!devices)
		return NULL;
	*ret_count = call->device_count;
	return memcpy(devices, call->devices, size);
}

static bool has_twins(const cl_device_id *devices, cl_uint count)
{
	for (cl_uint i = 0; i < count; i++)
		for (cl_uint j = 0; j < i; j++)
			if (devices[i] == devices[j])
				return true;
	return false;
}

/* Why the link isn't looked up; NULL: it is. */
static const char *judge(const struct call *call, const struct inputs *inputs)
{
	if (!occ_disk_or_memory())
		return "no cache";
	if (!inputs->count || inputs->count != call->input_count ||
	    !call->device_count != !call->devices ||
	    (call->user_data && !call->notify))
		return "parameters that are the driver's to judge";
	if (inputs->known_count != inputs->count)
		return "a link input isn't known by key";
	if (occ_extension_blocks(call->context))
		return "an extension function with programs is in use";
	return NULL;
}

/*
 * Makes the driver do what was served, where a binary isn't as good an input:
 * drivers differ about executables (NVIDIA's ends the process for one from a
 * binary), and what an object from a binary lacks may show in what is linked
 * from it (Intel's argument info).
 */
static void settle_inputs(const struct call *call, struct inputs *inputs)
{
	for (cl_uint i = 0; i < inputs->count; i++) {
		struct input *input = &inputs->list[i];
		const struct occ_binary *binary = input->binary;

		if (!binary || binary->recipe->operation == OCC_LINK ||
		    (binary->recipe->operation == OCC_COMPILE &&
		     occ_recipe_driver(binary->recipe)->objects_are_whole))
			continue;
		if (occ_build_settle(call->inputs[i]))
			input->program = call->inputs[i];
		else
			inputs->changed = true;
	}
}

static struct occ_recipe *make_recipe(const struct call *call,
				      const struct inputs *inputs,
				      const char **ret_reason)
{
	struct occ_request request = {
		.operation = OCC_LINK,
		.context = call->context,
		.options = call->options,
		.link_input_count = inputs->count,
	};
	struct occ_recipe *recipe = NULL;
	struct occ_link_input *known;
	cl_device_id *devices;

	*ret_reason = judge(call, inputs);
	if (*ret_reason)
		return NULL;
	*ret_reason = "out of memory";
	known = calloc(inputs->count, sizeof(*known));
	if (!known)
		return NULL;
	for (cl_uint i = 0; i < inputs->count; i++)
		known[i] = inputs->list[i].known;
	request.link_inputs = known;
	devices = link_devices(call, &request.device_count);
	request.devices = devices;
	*ret_reason = "parameters that are the driver's to judge";
	if (devices && !has_twins(devices, request.device_count))
		recipe = occ_recipe_make(&request, ret_reason);
	free(devices);
	free(known);
	return recipe;
}

static struct occ_link *new_link(const struct call *call,
				 struct occ_recipe *recipe, uint64_t start)
{
	struct occ_link *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	link->references = 1;
	link->notify = call->notify;
	link->user_data = call->user_data;
	link->recipe = occ_recipe_retain(recipe);
	link->start = start;
	return link;
}

static struct occ_link *retain(struct occ_link *link)
{
	__atomic_add_fetch(&link->references, 1, __ATOMIC_RELAXED);
	return link;
}

static void release(struct occ_link *link)
{
	if (__atomic_sub_fetch(&link->references, 1, __ATOMIC_ACQ_REL))
		return;
	occ_program_unpin(link->program);
	occ_flight_release(link->flight);
	occ_recipe_release(link->recipe);
	release_inputs(&link->inputs);
	free(link);
}

/*
 * Makes the new program known, once: in the callback or after the return,
 * whichever comes first.
 */
static void make_known(struct occ_link *link, cl_program handle,
		       const struct occ_state *state)
{
	struct occ_program *program;

	if (__atomic_exchange_n(&link->known, true, __ATOMIC_ACQ_REL))
		return;
	program = occ_program_add_linked(handle, link->recipe, state, false);
	__atomic_store_n(&link->program, program, __ATOMIC_RELEASE);
}

static void keep(const struct occ_link *link, struct occ_program *program)
{
	const struct occ_keep keep = {
		.compile_time = occ_log_now() - link->link_start,
		.wanted = occ_flight_wanted(link->flight),
	};

	if (undisturbed(&link->inputs))
		occ_miss_keep(program, 0, link->recipe, &keep);
	else
		occ_record_explain(link->recipe,
				   "an input was compiled meanwhile");
}

static void CL_CALLBACK call_back(cl_program handle, void *data)
{
	static const struct occ_state plain = {.described = OCC_BUFFER_INIT};
	struct occ_link *link = data;
	struct occ_section section;
	struct occ_program *program;

	occ_section_enter(&section);
	__atomic_store_n(&link->called_back, true, __ATOMIC_RELEASE);
	occ_notify_learn(&link->caller, link->recipe);
	occ_tally_compiled(link->link_start, !handle);
	if (handle)
		make_known(link, handle, &plain);
	program = __atomic_load_n(&link->program, __ATOMIC_ACQUIRE);
	if (program) {
		occ_program_hold(program);
		/* Before the application, which may release it in there. */
		keep(link, program);
	}
	/* The application may link the same in its callback. */
	occ_flight_end(link->flight);
	occ_notify_call(link->notify, handle, link->user_data);
	if (program)
		occ_program_unhold(program);
	release(link);
	occ_section_leave(&section);
}

/* What was linked is a program of the driver's by its own handle. */
static bool is_linked(cl_program handle)
{
	const struct occ_program *program;
	bool linked;

	occ_lock();
	program = occ_program_find(handle);
	linked = program && program->state.binary &&
		 program->state.binary->recipe->operation == OCC_LINK;
	occ_unlock();
	return linked;
}

/* Without memory to give the driver others, the handles must do themselves. */
static void settle_given(const struct call *call)
{
	for (cl_uint i = 0; call->inputs && i < call->input_count; i++) {
		cl_program handle = occ_program_valid(call->inputs[i]);

		if (handle && !is_linked(handle))
			occ_build_settle(handle);
	}
}

/* To the driver, with what it must see of the inputs. */
static cl_program forward(const struct call *call, const struct inputs *inputs,
			  cl_int *errcode_ret)
{
	const cl_program *given = call->inputs;
	cl_program *programs = NULL;
	struct occ_section pause;
	cl_program handle;

	if (inputs->count)
		programs = calloc(inputs->count, sizeof(*programs));
	for (cl_uint i = 0; programs && i < inputs->count; i++)
		programs[i] = inputs->list[i].program;
	if (!programs)
		settle_given(call);
	occ_flight_enter_driver();
	occ_section_pause(&pause);
	handle = occ_target.clLinkProgram(call->context, call->device_count,
					  call->devices, call->options,
					  call->input_count,
					  programs ? programs : given,
					  call->notify, call->user_data,
					  errcode_ret);
	occ_section_resume(&pause);
	occ_flight_leave_driver();
	free(programs);
	return handle;
}

/* PoCL calls back with a program that it then frees. */
static void forget(struct occ_program *program)
{
	bool last;

	occ_lock();
	program->references = 0;
	last = occ_program_leave(program);
	occ_unlock();
	if (last)
		occ_program_finish(program);
}

/* The driver links. */
static cl_program really_link(struct occ_link *link, const struct call *call,
			      cl_int *ret_error)
{
	static const struct occ_state plain = {.described = OCC_BUFFER_INIT};
	const struct occ_driver *driver = occ_recipe_driver(link->recipe);
	struct call ours = *call;
	cl_program handle;

	if (call->notify) {
		ours.notify = call_back;
		ours.user_data = retain(link);
	}
	occ_recipe_start_reading(link->recipe);
	settle_inputs(call, &link->inputs);
	link->link_start = occ_log_now();
	occ_notify_expect(&link->caller);
	handle = forward(&ours, &link->inputs, ret_error);
	occ_notify_returned(&link->caller);
	if (handle && !*ret_error)
		make_known(link, handle, &plain);
	else if (!handle && link->program)
		forget(link->program);
	if (!call->notify)
		occ_tally_compiled(link->link_start, *ret_error != CL_SUCCESS);
	if (!call->notify && link->program)
		keep(link, link->program);
	occ_flight_end(link->flight);
	/*
	 * A callback that never comes leaves its reference, unless the driver
	 * is known to call back before it returns. The call's own remains. See
	 * forward_with_notify() in layer/build.c.
	 */
	if (call->notify && *ret_error &&
	    (driver->notify == OCC_NOTIFY_CALLER ||
	     driver->notify == OCC_NOTIFY_WAITED) &&
	    !__atomic_load_n(&link->called_back, __ATOMIC_ACQUIRE))
		__atomic_sub_fetch(&link->references, 1, __ATOMIC_ACQ_REL);
	return handle;
}

static void delivered(void *data)
{
	struct occ_link *link = data;

	occ_program_unhold(link->program);
	release(link);
}

/* Answers with what was loaded for it. The new program, or NULL: a miss. */
static cl_program serve(struct occ_link *link, struct occ_binary *binary)
{
	struct occ_state state = {
		.binary = binary,
		.made = link->recipe,
	};
	struct occ_hit hit;
	cl_program handle;

	if (!binary)
		return NULL;
	handle = binary->program;
	hit = occ_hit_of(binary);
	occ_recipe_retain(link->recipe);
	make_known(link, handle, &state);
	if (!link->program) {
		occ_target.clReleaseProgram(handle);
		return NULL;
	}
	occ_hit_explain(link->recipe, &hit, link->start);
	return handle;
}

/* Tries to answer from the store. */
static cl_program look_up(struct occ_link *link, const char **ret_reason)
{
	struct occ_binary *binary = occ_hit_load(link->recipe, link->notify,
						 link->start, ret_reason);

	if (binary)
		*ret_reason = "out of memory";
	return serve(link, binary);
}

static bool look_up_again(void *data, bool waited)
{
	struct occ_link *link = data;

	/* Once it was made known in vain there is no memory. */
	return !link->known &&
	       serve(link,
		     occ_hit_load_again(link->recipe, waited, link->start));
}

/* Calls back for a hit. */
static void deliver(struct occ_link *link, cl_program handle)
{
	if (!link->notify)
		return;
	occ_program_hold(link->program);
	occ_notify_deliver(occ_recipe_driver(link->recipe), link->notify,
			   handle, link->user_data, delivered, retain(link));
}

/*
 * OCLCACHE_MODE=require: what isn't there fails, and there is no program of
 * which the reason could be asked.
 */
static cl_program refuse(const char *reason, cl_int *ret_error)
{
	occ_log_debug("link refused, because of OCLCACHE_MODE=require: %s",
		      reason);
	occ_tally_refused();
	*ret_error = CL_LINK_PROGRAM_FAILURE;
	return NULL;
}

/* Is a device to be left alone? Then so are links for it. */
static bool skips_device(const struct call *call)
{
	cl_uint count = 0;
	cl_device_id *devices = link_devices(call, &count);
	bool skips = false;

	for (cl_uint i = 0; devices && i < count; i++)
		skips |= occ_device_is_skipped(occ_identity_root(devices[i]));
	free(devices);
	return skips;
}

/* Must a link that isn't cached fail? */
static bool must_refuse(const struct call *call, const struct inputs *inputs)
{
	return occ_config.mode == OCC_MODE_REQUIRE && inputs->any_observed &&
	       !skips_device(call);
}

/* From the store, from another who makes the same, or by the driver. */
static cl_program make(struct occ_link *link, const struct call *call,
		       cl_int *ret_error)
{
	const char *reason;
	cl_program handle = look_up(link, &reason);

	if (!handle && occ_config.mode == OCC_MODE_REQUIRE) {
		occ_tally_miss(reason);
		return refuse(reason, ret_error);
	}
	if (!handle &&
	    occ_flight_join(link->recipe,
			    occ_notify_blocks(link->recipe, link->notify),
			    look_up_again, link, &link->flight))
		handle = link->program->handle;
	if (!handle) {
		occ_tally_miss(reason);
		return really_link(link, call, ret_error);
	}
	deliver(link, handle);
	return handle;
}

static cl_program link_programs(const struct call *call, cl_int *errcode_ret)
{
	static const struct inputs none = {0};
	uint64_t start = occ_log_now();
	struct occ_recipe *recipe;
	struct occ_link *link = NULL;
	struct inputs inputs;
	cl_program handle;
	const char *reason;
	cl_int error = CL_SUCCESS;

	occ_habit_watch();
	take_inputs(call, &inputs);
	recipe = make_recipe(call, &inputs, &reason);
	if (recipe)
		link = new_link(call, recipe, start);
	else if (inputs.any_observed)
		occ_hit_refuse(reason, start);
	occ_recipe_release(recipe);
	if (link) {
		link->inputs = inputs;
		inputs = none;
		handle = make(link, call, &error);
		if (errcode_ret)
			*errcode_ret = error;
		release(link);
	} else if (must_refuse(call, &inputs)) {
		handle = refuse(reason, &error);
		if (errcode_ret)
			*errcode_ret = error;
	} else {
		settle_inputs(call, &inputs);
		handle = forward(call, &inputs, errcode_ret);
	}
	release_inputs(&inputs);
	return handle;
}

cl_program CL_API_CALL occ_link_program(cl_context context, cl_uint num_devices,
					const cl_device_id *device_list,
					const char *options,
					cl_uint num_input_programs,
					const cl_program *input_programs,
					occ_notify pfn_notify, void *user_data,
					cl_int *errcode_ret)
{
	struct call call = {
		context,    num_devices,	device_list,
		options,    num_input_programs, input_programs,
		pfn_notify, user_data,
	};
	struct occ_section section;
	int saved_errno = errno;
	cl_program handle;

	occ_section_enter(&section);
	occ_tally_write_due();
	handle = link_programs(&call, errcode_ret);
	occ_section_leave(&section);
	errno = saved_errno;
	return handle;
}

/* Calls back with the application's handle instead of the hidden one. */
static void CL_CALLBACK call_back_for(cl_program hidden, void *data)
{
	const struct occ_build_call *call = data;

	(void)hidden;
	call->notify(call->handle, call->user_data);
}

static cl_int ask(cl_program program, const struct occ_build_call *call)
{
	struct occ_build_call hidden = *call;

	hidden.handle = program;
	if (!call->notify)
		return occ_build_forward(&hidden, NULL, call->user_data);
	return occ_build_forward(&hidden, call_back_for,
				 (void *)(uintptr_t)call);
}

/* The program that was really linked answers from now on. */
static void adopt(struct occ_program *program, uint64_t generation,
		  struct occ_binary *binary, cl_program real)
{
	struct occ_state state = {.binary = occ_binary_adopt(binary, real)};

	if (state.binary && !occ_program_change(program, generation, &state))
		occ_binary_release(state.binary);
}

cl_int occ_link_rebuild(struct occ_program *program, uint64_t generation,
			struct occ_binary *binary,
			const struct occ_build_call *call)
{
	cl_program real = binary->program;
	cl_kernel kernel;
	cl_int error;

	if (binary->is_handle)
		real = occ_binary_materialise(binary, "build after a link");
	/* What the specification says of programs made by clLinkProgram. */
	if (!real)
		return CL_INVALID_OPERATION;
	kernel = occ_kernel_attach(program, real, false);
	/* It may change more than its code says (Intel's compile). */
	if (binary->is_handle)
		adopt(program, generation, binary, real);
	error = ask(real, call);
	if (kernel)
		occ_target.clReleaseKernel(kernel);
	return error;
}
