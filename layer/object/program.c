/* SPDX-License-Identifier: MIT */
#include "layer/object/program.h"

#include <stdlib.h>
#include <string.h>

#include "hash/buffer.h"
#include "layer/base/dispatch.h"
#include "layer/base/settings.h"
#include "layer/key/build_key.h"
#include "layer/key/environment.h"
#include "layer/key/input.h"

static struct occ_program *programs;
static struct occ_kernel *kernels;

struct occ_program *occ_program_find_locked(cl_program handle)
{
	struct occ_program *program;

	occ_assert_locked();
	HASH_FIND_PTR(programs, &handle, program);
	return program;
}

struct occ_program *occ_program_first_locked(void)
{
	occ_assert_locked();
	return programs;
}

struct occ_span occ_build_result_metadata(const struct occ_build_result *result)
{
	return occ_buffer_span(&result->metadata[0]);
}

void occ_build_result_release(struct occ_build_result *result)
{
	if (!result)
		return;
	for (cl_uint i = 0;
	     result->metadata && i < result->build_key->device_count; i++)
		occ_buffer_release(&result->metadata[i]);
	free(result->metadata);
	occ_build_key_release(result->build_key);
	free(result);
}

void occ_state_release(struct occ_state *state)
{
	occ_shadow_release(state->shadow);
	occ_build_key_release(state->made);
	occ_build_result_release(state->pending);
	occ_buffer_release(&state->described);
}

/* Without the hidden programs: the driver may be gone. */
static void free_program(struct occ_program *program)
{
	program->state.shadow = NULL;
	program->former = NULL;
	occ_state_release(&program->state);
	occ_spec_constants_release(&program->constants);
	occ_input_release(program->input);
	free(program);
}

static struct occ_program *new_program(cl_program handle, cl_context context)
{
	struct occ_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->handle = handle;
	program->context = context;
	program->pins = 1;
	program->references = 1;
	return program;
}

/* Puts it into the table; frees it and returns false when out of memory. */
static bool add_to_table(struct occ_program *program)
{
	struct occ_program *stale, *added;

	occ_lock();
	/* A handle that the driver recycled although we thought it alive. */
	stale = occ_program_find_locked(program->handle);
	if (stale)
		HASH_DEL(programs, stale);
	HASH_ADD_PTR(programs, handle, program);
	added = occ_program_find_locked(program->handle);
	occ_unlock();
	occ_program_unpin(stale);
	if (added == program)
		return true;
	occ_program_unpin(program);
	return false;
}

void occ_program_add(cl_program handle, cl_context context,
		     struct occ_input *input)
{
	struct occ_program *program =
		input ? new_program(handle, context) : NULL;

	if (!program) {
		occ_input_release(input);
		return;
	}
	program->input = input;
	add_to_table(program);
}

void occ_program_add_from_binaries(cl_program handle, cl_context context)
{
	struct occ_program *program = new_program(handle, context);

	if (program)
		add_to_table(program);
}

struct occ_program *occ_program_add_linked(
	cl_program handle, const struct occ_build_key *build_key,
	const struct occ_state *state)
{
	struct occ_program *program = new_program(handle, build_key->context);
	struct occ_state copy = *state;

	if (!program) {
		occ_state_release(&copy);
		return NULL;
	}
	program->driver = occ_build_key_driver(build_key);
	/* Whatever comes now comes second (P5). */
	program->driver_built = true;
	program->state = copy;
	/* The table's pin may go at once, with another thread. */
	occ_program_pin(program);
	if (add_to_table(program))
		return program;
	occ_program_unpin(program);
	return NULL;
}

void occ_program_begin_change_locked(struct occ_program *program)
{
	occ_assert_locked();
	program->changing++;
	program->changes++;
}

void occ_program_end_change_locked(struct occ_program *program)
{
	occ_assert_locked();
	/* Its thread may have forked meanwhile, in a signal's handler. */
	if (program->changing)
		program->changing--;
	occ_lock_wake();
}

/* Not for long: a driver may wait for the caller itself. */
void occ_program_await_changes_locked(struct occ_program *program)
{
	occ_assert_locked();
	for (int i = 0; i < 20 && program->changing; i++)
		occ_lock_wait(1);
}

void occ_program_await_sync_locked(struct occ_program *program)
{
	occ_assert_locked();
	/* A bound in case that it waits for us, in a driver's lock. */
	for (int i = 0; i < 600 && program->syncing; i++)
		occ_lock_wait(100);
}

void occ_program_hold(struct occ_program *program)
{
	occ_lock();
	occ_program_begin_change_locked(program);
	program->holds++;
	program->building++;
	occ_unlock();
	occ_target.clRetainProgram(program->handle);
	occ_lock();
	occ_program_end_change_locked(program);
	occ_unlock();
}

void occ_program_show_hold(struct occ_program *program, int change)
{
	occ_lock();
	program->shown_holds += (unsigned)change;
	program->changes++;
	occ_unlock();
}

void occ_program_hold_changing(struct occ_program *program)
{
	occ_program_hold(program);
	occ_lock();
	occ_program_end_change_locked(program);
	occ_unlock();
}

void occ_program_forked(void)
{
	for (struct occ_program *program = programs; program;
	     program = program->hh.next) {
		program->changing = 0;
		program->syncing = false;
	}
}

cl_program occ_program_valid(cl_program handle)
{
	const struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(handle);
	if (program && !program->references && program->driver &&
	    !program->driver->released_program_valid)
		handle = NULL;
	occ_unlock();
	return handle;
}

struct occ_program *occ_program_pin(struct occ_program *program)
{
	__atomic_add_fetch(&program->pins, 1, __ATOMIC_RELAXED);
	return program;
}

void occ_program_unpin(struct occ_program *program)
{
	if (!program || __atomic_sub_fetch(&program->pins, 1, __ATOMIC_ACQ_REL))
		return;
	occ_shadow_release(program->state.shadow);
	occ_shadow_release(program->former);
	free_program(program);
}

bool occ_program_remove_unused_locked(struct occ_program *program)
{
	occ_assert_locked();
	if (program->references || program->kernels || program->building ||
	    occ_program_find_locked(program->handle) != program)
		return false;
	HASH_DEL(programs, program);
	return true;
}

enum occ_reason occ_program_refusal(cl_program handle)
{
	const struct occ_program *program;
	enum occ_reason reason = OCC_REASON_NONE;

	if (occ_settings.mode != OCC_MODE_REQUIRE)
		return OCC_REASON_NONE;
	occ_lock();
	program = occ_program_find_locked(handle);
	if (program)
		reason = program->state.refused;
	occ_unlock();
	return reason;
}

/* Its kernels stay, and count. Lock held. */
static void keep_former_locked(struct occ_program *program)
{
	struct occ_shadow *shadow = program->state.shadow;

	if (shadow && !shadow->is_handle && !shadow->binaries &&
	    !program->former && program->had_kernels && program->driver &&
	    program->driver->refuses_by_count)
		program->former = occ_shadow_retain(shadow);
}

bool occ_program_replace_state(struct occ_program *program, uint64_t generation,
			       const struct occ_state *state,
			       struct occ_state *ret_before)
{
	bool current;

	occ_lock();
	current = program->generation == generation;
	if (current) {
		keep_former_locked(program);
		*ret_before = program->state;
		program->state = *state;
	}
	occ_unlock();
	return current;
}

void occ_program_take_state(struct occ_program *program,
			    struct occ_state *ret_state,
			    struct occ_shadow **ret_former)
{
	occ_lock();
	*ret_state = program->state;
	memset(&program->state, 0, sizeof(program->state));
	*ret_former = program->former;
	program->former = NULL;
	occ_unlock();
}

struct occ_shadow *occ_program_shadow(cl_program handle)
{
	struct occ_shadow *shadow = NULL;
	struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(handle);
	if (program && program->state.shadow)
		shadow = occ_shadow_retain(program->state.shadow);
	occ_unlock();
	return shadow;
}

void occ_program_note_use_locked(const struct occ_program *program)
{
	occ_assert_locked();
	if (program->state.pending)
		occ_environment_look_at_build();
}

void occ_program_note_asking(cl_program handle)
{
	const struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(handle);
	if (program)
		occ_program_note_use_locked(program);
	occ_unlock();
}

void occ_program_note_asked(cl_program handle)
{
	struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(handle);
	if (program && program->state.pending)
		program->asked = true;
	occ_unlock();
}

void occ_program_forbid_caching(cl_program handle, enum occ_reason reason)
{
	struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(handle);
	if (program)
		__atomic_store_n(&program->forbidden, reason, __ATOMIC_RELEASE);
	occ_unlock();
}

struct occ_kernel *occ_kernel_first_locked(void)
{
	occ_assert_locked();
	return kernels;
}

struct occ_kernel *occ_kernel_find_locked(cl_kernel handle)
{
	struct occ_kernel *kernel;

	occ_assert_locked();
	HASH_FIND_PTR(kernels, &handle, kernel);
	return kernel;
}

cl_kernel occ_kernel_own_locked(const struct occ_program *program)
{
	occ_assert_locked();
	for (struct occ_kernel *kernel = kernels; kernel;
	     kernel = kernel->hh.next)
		if (kernel->program == program && !kernel->shadow)
			return kernel->handle;
	return NULL;
}

struct occ_shadow *occ_kernel_take_unprepared(cl_context context)
{
	struct occ_shadow *found = NULL;

	occ_lock();
	for (struct occ_kernel *kernel = kernels; kernel && !found;
	     kernel = kernel->hh.next) {
		struct occ_shadow *shadow = kernel->shadow;

		if (!shadow || shadow->prepared ||
		    shadow->build_key->context != context)
			continue;
		shadow->prepared = true;
		found = occ_shadow_retain(shadow);
	}
	occ_unlock();
	return found;
}

char *occ_kernel_name_of(const struct occ_program *program)
{
	char *name = NULL;

	occ_lock();
	for (struct occ_kernel *kernel = kernels; kernel && !name;
	     kernel = kernel->hh.next)
		if (kernel->program == program && kernel->name)
			name = strdup(kernel->name);
	occ_unlock();
	return name;
}

void occ_kernel_remove_locked(struct occ_kernel *kernel)
{
	occ_assert_locked();
	HASH_DEL(kernels, kernel);
	kernel->program->kernels--;
	if (kernel->shadow) {
		kernel->shadow->kernels--;
		if (!kernel->shadow->is_handle)
			kernel->program->kernel_holds--;
	}
}

void occ_kernel_free(struct occ_kernel *kernel)
{
	occ_shadow_release(kernel->shadow);
	occ_program_unpin(kernel->program);
	free(kernel->name);
	free(kernel);
}

bool occ_kernel_add_locked(cl_kernel handle, const char *name,
			   struct occ_program *program,
			   struct occ_shadow *shadow)
{
	struct occ_kernel *kernel = calloc(1, sizeof(*kernel));

	occ_assert_locked();
	if (!kernel)
		return false;
	kernel->name = name ? strdup(name) : NULL;
	kernel->handle = handle;
	kernel->references = 1;
	HASH_ADD_PTR(kernels, handle, kernel);
	if (occ_kernel_find_locked(handle) != kernel) {
		free(kernel->name);
		free(kernel);
		return false;
	}
	kernel->program = occ_program_pin(program);
	program->kernels++;
	program->had_kernels = true;
	if (shadow) {
		kernel->shadow = occ_shadow_retain(shadow);
		shadow->kernels++;
		if (!shadow->is_handle)
			program->kernel_holds++;
	}
	return true;
}

void occ_program_forget_all(void)
{
	struct occ_kernel *kernel = kernels;
	struct occ_program *program = programs;

	/* The handles, hidden programs included, are of drivers that are gone:
	 * only memory is given back, and the tables in one go. */
	HASH_CLEAR(hh, kernels);
	HASH_CLEAR(hh, programs);
	while (kernel) {
		struct occ_kernel *next = kernel->hh.next;

		free(kernel->name);
		free(kernel);
		kernel = next;
	}
	while (program) {
		struct occ_program *next = program->hh.next;

		free_program(program);
		program = next;
	}
}
