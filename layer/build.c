/* SPDX-License-Identifier: MIT */
/*
 * clBuildProgram. The way of a build:
 *
 *	occ_build_program
 *	  begin          is it a build that we understand?
 *	  look_up        an entry for every device?  -> occ_store_lookup
 *	  serve          load them into a binary program, switch to it: a hit
 *	  compile        the driver builds; record what it answers: a miss
 *
 * Anything else is forwarded.
 */
#include "layer/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer/config.h"
#include "layer/disk.h"
#include "layer/dispatch.h"
#include "layer/extension.h"
#include "layer/hooks.h"
#include "layer/log.h"
#include "layer/program.h"

static void explain_lookup(const struct occ_build *build, cl_uint device,
			   const char *result, const char *reason)
{
	const struct occ_recipe *recipe = build->recipe;

	occ_log_trace(&(struct occ_trace){
		.event = "lookup",
		.hash = recipe ? &recipe->keys[device].hash : NULL,
		.device = recipe ? recipe->identities[device]->name : NULL,
		.result = result,
		.reason = reason,
		.since = build->start,
	});
}

static void explain_uncacheable(const struct occ_build *build,
				const char *reason)
{
	occ_log_debug("program not cached: %s", reason);
	explain_lookup(build, 0, "uncacheable", reason);
}

/*
 * CL_PROGRAM_DEVICES; to be freed. NULL when it can't be had.
 */
static cl_device_id *devices_of(cl_program handle, cl_uint *ret_count)
{
	cl_device_id *devices;
	size_t size = 0;

	if (occ_target.clGetProgramInfo(handle, CL_PROGRAM_DEVICES, 0, NULL,
					&size) ||
	    !size)
		return NULL;
	devices = malloc(size);
	if (devices && occ_target.clGetProgramInfo(handle, CL_PROGRAM_DEVICES,
						   size, devices, NULL)) {
		free(devices);
		return NULL;
	}
	*ret_count = (cl_uint)(size / sizeof(*devices));
	return devices;
}

/*
 * Does the call ask for exactly the program's devices, in their order? PoCL
 * gives binaries in the order of the build.
 */
static bool asks_for_all(const struct occ_build *build, cl_uint count,
			 const cl_device_id *devices)
{
	if (!build->devices)
		return build->device_count == 0;
	return build->device_count == count &&
	       !memcmp(build->devices, devices, count * sizeof(*devices));
}

/* Sets the recipe, or returns why there is none. */
static const char *make_recipe(struct occ_build *build)
{
	cl_device_id *devices;
	cl_uint count = 0;
	const char *reason;
	struct occ_spec_constants constants;

	if (!occ_disk())
		return "no persistent cache";
	if (!build->first)
		return "built before";
	if (occ_extension_blocks(build->program->context))
		return "an extension function with programs is in use";
	if (!build->alone)
		return "another build of the program is under way";
	if (build->user_data && !build->notify)
		return "parameters that are the driver's to judge";
	devices = devices_of(build->handle, &count);
	if (!devices || !asks_for_all(build, count, devices)) {
		free(devices);
		return "not for exactly the program's devices";
	}
	occ_lock();
	reason = occ_spec_constants_copy(&build->program->constants, &constants)
			 ? NULL
			 : "out of memory";
	occ_unlock();
	if (!reason)
		build->recipe =
			occ_recipe_make(build->program->context,
					build->program->input, build->options,
					&constants, count, devices, &reason);
	occ_spec_constants_release(&constants);
	free(devices);
	if (build->recipe) {
		occ_lock();
		build->program->driver = occ_recipe_driver(build->recipe);
		occ_unlock();
	}
	return reason;
}

bool occ_build_begin(struct occ_build *build)
{
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(build->handle);
	if (program) {
		build->program = occ_program_pin(program);
		build->first = !program->driver_built;
		build->alone = !program->building;
		build->generation = ++program->generation;
		program->building++;
		program->holds++;
		if (program->binary) {
			build->binary = occ_binary_retain(program->binary);
			build->attached = program->binary->kernels > 0;
		}
	}
	occ_unlock();
	if (program)
		occ_target.clRetainProgram(build->handle);
	return program;
}

void occ_build_end(struct occ_build *build)
{
	struct occ_program *program = build->program;
	bool last;

	occ_binary_release(build->binary);
	occ_recipe_release(build->recipe);
	occ_lock();
	program->building--;
	program->holds--;
	last = occ_program_leave(program);
	occ_unlock();
	if (last)
		occ_program_finish(program);
	occ_target.clReleaseProgram(build->handle);
	occ_program_unpin(program);
}

static void release_entries(struct occ_loaded *entries, cl_uint count)
{
	for (cl_uint i = 0; entries && i < count; i++)
		occ_loaded_release(&entries[i]);
	free(entries);
}

/* The entries for all devices, or NULL on the first miss. */
static struct occ_loaded *look_up(const struct occ_build *build)
{
	cl_uint count = build->recipe->device_count;
	struct occ_loaded *entries = calloc(count, sizeof(*entries));

	for (cl_uint i = 0; entries && i < count; i++) {
		int error =
			occ_store_lookup(occ_disk(), &build->recipe->keys[i],
					 &entries[i]);

		if (!error)
			continue;
		if (error != OCC_E_NOT_FOUND && error != OCC_E_NO_DIRECTORY)
			occ_log_debug("entry not used in %s: %s",
				      occ_store_directory(occ_disk()),
				      occ_error_string(error));
		explain_lookup(build, i, "miss", occ_error_string(error));
		release_entries(entries, i);
		return NULL;
	}
	return entries;
}

/* The driver refused what was stored for it: let the next build store anew. */
static void discard(const struct occ_build *build, const char *reason)
{
	occ_log_debug("entry removed: %s", reason);
	for (cl_uint i = 0; i < build->recipe->device_count; i++) {
		occ_store_discard(occ_disk(), &build->recipe->keys[i]);
		explain_lookup(build, i, "miss", reason);
	}
}

/*
 * Makes `binary` answer for the program from now on (NULL: the driver's handle
 * does). False when another build started since; then nothing changes. The
 * reference is taken over on success.
 */
static bool switch_to(const struct occ_build *build, struct occ_binary *binary)
{
	struct occ_program *program = build->program;
	struct occ_binary *before = NULL;
	struct occ_record *pending = NULL;
	bool current;

	occ_lock();
	current = program->generation == build->generation;
	if (current) {
		before = program->binary;
		program->binary = binary;
		pending = program->pending;
		program->pending = NULL;
	}
	occ_unlock();
	occ_binary_release(before);
	if (pending)
		occ_record_explain(occ_record_recipe(pending),
				   "built again meanwhile");
	occ_record_release(pending);
	return current;
}

/* Tries to answer the build from the store: a hit. */
static bool serve(const struct occ_build *build)
{
	struct occ_loaded *entries = look_up(build);
	struct occ_binary *binary;
	const char *reason;

	if (!entries)
		return false;
	binary = occ_binary_load(build->recipe, entries, &reason);
	release_entries(entries, build->recipe->device_count);
	if (!binary) {
		discard(build, reason);
		return false;
	}
	if (!switch_to(build, binary)) {
		occ_binary_release(binary);
		return false;
	}
	for (cl_uint i = 0; i < build->recipe->device_count; i++)
		explain_lookup(build, i, "hit", "user store");
	return true;
}

/* Everything as the application gave it. */
static cl_int forward(const struct occ_build *build)
{
	return occ_target.clBuildProgram(build->handle, build->device_count,
					 build->devices, build->options,
					 build->notify, build->user_data);
}

/* Is what the driver's handle has still this call's build? */
static bool undisturbed(const struct occ_build *build)
{
	bool same;

	occ_lock();
	same = build->program->generation == build->generation;
	occ_unlock();
	return same;
}

static void store_now(const struct occ_build *build, struct occ_record *record)
{
	struct occ_binaries binaries;

	if (!occ_record_fetch(record, build->handle, &binaries)) {
		occ_record_explain(build->recipe, "driver gives no binary");
		return;
	}
	/* The bytes may be another build's if one started meanwhile. */
	if (undisturbed(build))
		occ_record_publish(record, &binaries);
	else
		occ_record_explain(build->recipe, "built again meanwhile");
	occ_binaries_release(&binaries);
}

static void store_later(const struct occ_build *build,
			struct occ_record *record)
{
	bool watched = occ_program_watch_exit();

	occ_lock();
	if (watched && build->program->generation == build->generation) {
		build->program->pending = record;
		record = NULL;
	}
	occ_unlock();
	occ_record_release(record);
}

/* After a build by the driver: an entry now, later, or not at all. */
static void keep(const struct occ_build *build, uint64_t compile_time)
{
	const struct occ_driver *driver = occ_recipe_driver(build->recipe);
	struct occ_record *record;

	record = occ_record_make(build->handle, build->recipe, compile_time);
	if (!record) {
		occ_record_explain(build->recipe,
				   "build failed or not described");
		return;
	}
	if (occ_config.store_policy == OCC_STORE_NEVER) {
		occ_record_explain(build->recipe, "OCLCACHE_STORE=never");
	} else if (driver->fetch == OCC_FETCH_AFTER_BUILD) {
		store_now(build, record);
	} else if (occ_config.store_policy == OCC_STORE_EAGER) {
		store_later(build, record);
		return;
	} else {
		occ_record_explain(build->recipe,
				   "binaries are dear on this driver: "
				   "OCLCACHE_STORE=eager stores them");
	}
	occ_record_release(record);
}

void occ_build_plain(struct occ_build *build)
{
	if (build->binary) {
		occ_build_settle(build->handle);
		/* What comes now is a second build: not to be stored (P5). */
		occ_recipe_release(build->recipe);
		build->recipe = NULL;
	}
	switch_to(build, NULL);
	occ_lock();
	build->program->driver_built = true;
	occ_unlock();
}

/* The driver builds the application's handle. */
static cl_int compile(struct occ_build *build)
{
	uint64_t start;
	cl_int error;

	occ_build_plain(build);
	start = occ_log_now();
	error = forward(build);
	if (build->recipe && !error && undisturbed(build))
		keep(build, occ_log_now() - start);
	return error;
}

/* The driver calls back with the hidden program. */
static void CL_CALLBACK notify_for_handle(cl_program hidden, void *data)
{
	const struct occ_build *build = data;

	(void)hidden;
	build->notify(build->handle, build->user_data);
}

/*
 * Kernels of the binary program are alive, so drivers refuse the build
 * (CL_INVALID_OPERATION). Their answer comes from the program that has the
 * kernels. All known drivers refuse and call back, if at all, before they
 * return.
 */
static cl_int refuse(struct occ_build *build, bool *ret_refused)
{
	const struct occ_recipe *recipe = build->binary->recipe;
	cl_uint count = build->device_count;
	const cl_device_id *devices = build->devices;
	cl_int error;

	if (!count && !devices) {
		count = recipe->device_count;
		devices = recipe->devices;
	}
	error = occ_target.clBuildProgram(
		build->binary->program, count, devices, build->options,
		build->notify ? notify_for_handle : NULL,
		build->notify ? build : build->user_data);
	*ret_refused = error != CL_SUCCESS;
	return error;
}

cl_int CL_API_CALL occ_build_program(cl_program program, cl_uint num_devices,
				     const cl_device_id *device_list,
				     const char *options, occ_notify pfn_notify,
				     void *user_data)
{
	struct occ_build build = {
		.handle = occ_program_valid(program),
		.device_count = num_devices,
		.devices = device_list,
		.options = options,
		.notify = pfn_notify,
		.user_data = user_data,
		.start = occ_log_now(),
	};
	cl_int error = CL_SUCCESS;
	bool done = false;
	const char *reason;
	int saved_errno = errno;

	if (!occ_build_begin(&build))
		return forward(&build);
	if (build.attached)
		error = refuse(&build, &done);
	if (!done) {
		reason = make_recipe(&build);
		if (reason)
			explain_uncacheable(&build, reason);
		done = build.recipe && serve(&build);
		if (!done)
			error = compile(&build);
		else if (pfn_notify)
			pfn_notify(program, user_data);
	}
	occ_build_end(&build);
	errno = saved_errno;
	return error;
}

/* The driver's handle gets the build that the application believes it has. */
void occ_build_settle(cl_program handle)
{
	struct occ_program *program;
	struct occ_binary *binary = NULL;
	struct occ_recipe *recipe;

	occ_lock();
	program = occ_program_find(handle);
	if (program && program->binary && !program->driver_built) {
		program->driver_built = true;
		binary = occ_binary_retain(program->binary);
	}
	occ_unlock();
	if (!binary)
		return;
	recipe = binary->recipe;
	occ_log_debug("a served program is built after all");
	occ_target.clBuildProgram(handle, recipe->device_count, recipe->devices,
				  recipe->options, NULL, NULL);
	occ_binary_release(binary);
}
