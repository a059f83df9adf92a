/* SPDX-License-Identifier: MIT */
#include "layer/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/config.h"
#include "layer/cost.h"
#include "layer/describe.h"
#include "layer/dispatch.h"
#include "layer/section.h"
#include "layer/tally.h"
#include "layer/thread.h"
#include "layer/writer.h"

static struct occ_program *programs;
static struct occ_kernel *kernels;

struct occ_program *occ_program_find(cl_program handle)
{
	struct occ_program *program;

	HASH_FIND_PTR(programs, &handle, program);
	return program;
}

struct occ_program *occ_program_first(void)
{
	return programs;
}

/* Takes it out of the table; its pin is the caller's now. Lock held. */
static void detach(struct occ_program *program)
{
	HASH_DEL(programs, program);
}

static void release_state(struct occ_state *state)
{
	occ_binary_release(state->binary);
	occ_recipe_release(state->made);
	occ_record_release(state->pending);
	occ_buffer_release(&state->described);
}

/* Without the hidden programs: the driver may be gone. */
static void free_program(struct occ_program *program)
{
	program->state.binary = NULL;
	release_state(&program->state);
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
static bool enter(struct occ_program *program)
{
	struct occ_program *stale, *added;

	occ_lock();
	/* A handle that the driver recycled although we thought it alive. */
	stale = occ_program_find(program->handle);
	if (stale)
		detach(stale);
	HASH_ADD_PTR(programs, handle, program);
	added = occ_program_find(program->handle);
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
	enter(program);
}

void occ_program_add_from_binaries(cl_program handle, cl_context context)
{
	struct occ_program *program = new_program(handle, context);

	if (program)
		enter(program);
}

struct occ_program *occ_program_add_linked(cl_program handle,
					   const struct occ_recipe *recipe,
					   const struct occ_state *state,
					   bool held)
{
	struct occ_program *program = new_program(handle, recipe->context);
	struct occ_state copy = *state;

	if (!program) {
		release_state(&copy);
		return NULL;
	}
	program->holds = held;
	program->building = held;
	program->driver = occ_recipe_driver(recipe);
	/* Whatever comes now comes second (P5). */
	program->driver_built = true;
	program->state = copy;
	/* The table's pin may go at once, with another thread. */
	occ_program_pin(program);
	if (enter(program))
		return program;
	occ_program_unpin(program);
	return NULL;
}

void occ_program_begin_change(struct occ_program *program)
{
	program->changing++;
	program->changes++;
}

void occ_program_end_change(struct occ_program *program)
{
	program->changing--;
	occ_lock_wake();
}

/* Not for long: a driver may wait for the caller itself. */
void occ_program_await_changes(struct occ_program *program)
{
	for (int i = 0; i < 20 && program->changing; i++)
		occ_lock_wait(1);
}

void occ_program_hold(struct occ_program *program)
{
	occ_lock();
	occ_program_begin_change(program);
	program->holds++;
	program->building++;
	occ_unlock();
	occ_target.clRetainProgram(program->handle);
	occ_lock();
	occ_program_end_change(program);
	occ_unlock();
}

void occ_program_unhold(struct occ_program *program)
{
	bool last;

	occ_lock();
	occ_program_begin_change(program);
	program->holds--;
	program->building--;
	last = occ_program_leave(program);
	occ_program_pin(program);
	occ_unlock();
	if (last)
		occ_program_finish(program);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it was pinned */
	occ_target.clReleaseProgram(program->handle);
	occ_lock();
	occ_program_end_change(program);
	occ_unlock();
	occ_program_unpin(program);
}

void occ_program_hold_changing(struct occ_program *program)
{
	occ_program_hold(program);
	occ_lock();
	occ_program_end_change(program);
	occ_unlock();
}

/* In a child the driver's threads are gone: it may never answer. */
static bool forked;

void occ_program_forked(void)
{
	forked = true;
	for (struct occ_program *program = programs; program;
	     program = program->hh.next) {
		program->changing = 0;
		program->settling = false;
	}
	occ_identity_forked();
}

cl_program occ_program_valid(cl_program handle)
{
	const struct occ_program *program;

	occ_lock();
	program = occ_program_find(handle);
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
	occ_binary_release(program->state.binary);
	free_program(program);
}

bool occ_program_leave(struct occ_program *program)
{
	if (program->references || program->kernels || program->building ||
	    occ_program_find(program->handle) != program)
		return false;
	detach(program);
	return true;
}

/* The process is in exit(): the driver's statics may be gone. */
static bool exiting; /* atomic */

bool occ_program_exiting(void)
{
	return __atomic_load_n(&exiting, __ATOMIC_ACQUIRE);
}

const char *occ_program_refusal(cl_program handle)
{
	const struct occ_program *program;
	const char *reason = NULL;

	if (occ_config.mode != OCC_MODE_REQUIRE)
		return NULL;
	occ_lock();
	program = occ_program_find(handle);
	if (program)
		reason = program->state.refused;
	occ_unlock();
	return reason;
}

/* So has, at least, the main thread: exit handlers may have run. */
static bool main_ended; /* atomic */

/*
 * Only here, when nobody uses the program any more, are binaries fetched that
 * are complete only after launches. Releases by global destructors come too
 * late: there the driver may only release, not compile.
 */
static void store_pending(const struct occ_program *program,
			  const struct occ_state *state)
{
	struct occ_image *image;

	if (state->unless_asked && !program->asked) {
		occ_record_explain(occ_record_recipe(state->pending),
				   state->unless_asked);
		return;
	}
	if (occ_program_exiting() ||
	    __atomic_load_n(&main_ended, __ATOMIC_ACQUIRE)) {
		occ_record_explain(occ_record_recipe(state->pending),
				   "released at exit");
		return;
	}
	image = occ_record_fetch(state->pending, program->handle,
				 program->asked);
	if (image)
		occ_record_publish(state->pending, image, &state->described,
				   program->had_kernels ? OCC_COMPLETE_RELEASED
							: OCC_COMPLETE_BUILT);
	occ_image_release(image);
}

void occ_program_finish(struct occ_program *program)
{
	struct occ_section section;
	struct occ_state state;

	occ_section_enter(&section);
	occ_lock();
	state = program->state;
	memset(&program->state, 0, sizeof(program->state));
	occ_unlock();
	if (state.pending)
		store_pending(program, &state);
	else if (state.made)
		occ_describe_complete(state.made, &state.described);
	release_state(&state);
	occ_program_unpin(program);
	occ_section_leave(&section);
}

bool occ_program_change(struct occ_program *program, uint64_t generation,
			const struct occ_state *state)
{
	struct occ_state before;
	bool current;

	occ_lock();
	current = program->generation == generation;
	if (current) {
		before = program->state;
		program->state = *state;
	}
	occ_unlock();
	if (!current)
		return false;
	if (before.pending)
		occ_record_explain(occ_record_recipe(before.pending),
				   "built again meanwhile");
	else if (before.made)
		occ_describe_complete(before.made, &before.described);
	release_state(&before);
	return true;
}

/* Takes what there is to be stored of one program; false: no more. */
static bool take_described(struct occ_recipe **ret_recipe,
			   struct occ_buffer *ret_described)
{
	static const struct occ_buffer empty = OCC_BUFFER_INIT;
	struct occ_program *program;

	occ_lock();
	for (program = programs; program; program = program->hh.next)
		if (program->state.made && !program->state.pending &&
		    program->state.described.size)
			break;
	if (program) {
		*ret_recipe = occ_recipe_retain(program->state.made);
		*ret_described = program->state.described;
		program->state.described = empty;
	}
	occ_unlock();
	return program;
}

void occ_program_flush(void)
{
	struct occ_recipe *recipe;
	struct occ_buffer described;

	while (take_described(&recipe, &described)) {
		occ_describe_complete(recipe, &described);
		occ_buffer_release(&described);
		occ_recipe_release(recipe);
	}
}

/*
 * Does anybody else build? Who calls exit() meanwhile doesn't wait for that,
 * and a driver may hold locks.
 */
static bool anybody_builds(void)
{
	for (struct occ_program *program = programs; program;
	     program = program->hh.next)
		if (program->building || program->settling)
			return true;
	return false;
}

static bool can_be_asked(const struct occ_program *program)
{
	return program->state.pending &&
	       (program->asked || !program->state.unless_asked) &&
	       program->driver && program->driver->fetches_at_exit &&
	       (program->references ||
		(program->kernels && program->driver->released_program_valid));
}

/*
 * A program whose binaries the driver still gives, with what is pending of it
 * in *ret_state; pinned, and its handle about to be held. NULL: no more.
 */
static struct occ_program *take_pending(struct occ_state *ret_state)
{
	struct occ_program *program;

	memset(ret_state, 0, sizeof(*ret_state));
	occ_lock();
	program = forked || anybody_builds() ? NULL : programs;
	while (program && !can_be_asked(program))
		program = program->hh.next;
	if (program) {
		occ_program_pin(program);
		occ_program_begin_change(program);
		ret_state->pending = program->state.pending;
		ret_state->described = program->state.described;
		ret_state->unless_asked = program->state.unless_asked;
		program->state.pending = NULL;
		program->state.described = (struct occ_buffer)OCC_BUFFER_INIT;
	}
	occ_unlock();
	return program;
}

static bool is_bearable(const struct occ_record *record, uint64_t *budget)
{
	bool measured;
	uint64_t expected =
		occ_cost_expect(occ_record_recipe(record),
				occ_record_metadata(record), &measured);

	if (occ_config.store_policy == OCC_STORE_EAGER)
		return true;
	if (expected > *budget)
		return false;
	*budget -= expected;
	return true;
}

/* Fetches, at the end of the process, what will never be released. */
static void fetch_pending(void)
{
	uint64_t budget = OCC_COST_FETCH_MAX;
	struct occ_program *program;
	struct occ_state state;

	while ((program = take_pending(&state))) {
		occ_program_hold_changing(program);
		if (program->asked || is_bearable(state.pending, &budget))
			store_pending(program, &state);
		else
			occ_record_explain(occ_record_recipe(state.pending),
					   "too much to fetch at exit");
		occ_program_unhold(program);
		release_state(&state);
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): pinned */
		occ_program_unpin(program);
	}
}

static void note_exit(void)
{
	bool interrupted = occ_lock_in_use() || occ_section_inside();

	/* Nobody may release their contexts any more. Not a child's: it has no
	   driver. */
	if (!interrupted && !forked)
		occ_live_clear();
	__atomic_store_n(&exiting, true, __ATOMIC_RELEASE);
	if (interrupted)
		return;
	occ_program_flush();
	occ_tally_flush();
	occ_writer_end();
	occ_threads_await();
}

struct occ_binary *occ_program_binary(cl_program handle)
{
	struct occ_binary *binary = NULL;
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(handle);
	if (program && program->state.binary)
		binary = occ_binary_retain(program->state.binary);
	occ_unlock();
	return binary;
}

void occ_program_note_asked(cl_program handle)
{
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(handle);
	if (program && program->state.pending)
		program->asked = true;
	occ_unlock();
}

void occ_program_forbid(cl_program handle, const char *reason)
{
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(handle);
	if (program)
		__atomic_store_n(&program->forbidden, reason, __ATOMIC_RELEASE);
	occ_unlock();
}

struct occ_kernel *occ_kernel_find(cl_kernel handle)
{
	struct occ_kernel *kernel;

	HASH_FIND_PTR(kernels, &handle, kernel);
	return kernel;
}

struct occ_binary *occ_kernel_unprepared(cl_context context)
{
	for (struct occ_kernel *kernel = kernels; kernel;
	     kernel = kernel->hh.next) {
		struct occ_binary *binary = kernel->binary;

		if (!binary || binary->prepared ||
		    binary->recipe->context != context)
			continue;
		binary->prepared = true;
		return occ_binary_retain(binary);
	}
	return NULL;
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

void occ_kernel_remove(struct occ_kernel *kernel)
{
	HASH_DEL(kernels, kernel);
	kernel->program->kernels--;
	if (kernel->binary) {
		kernel->binary->kernels--;
		if (!kernel->binary->is_handle)
			kernel->program->kernel_holds--;
	}
}

void occ_kernel_free(struct occ_kernel *kernel)
{
	occ_binary_release(kernel->binary);
	occ_program_unpin(kernel->program);
	free(kernel->name);
	free(kernel);
}

bool occ_kernel_add(cl_kernel handle, const char *name,
		    struct occ_program *program, struct occ_binary *binary)
{
	struct occ_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return false;
	kernel->name = name ? strdup(name) : NULL;
	kernel->handle = handle;
	kernel->references = 1;
	HASH_ADD_PTR(kernels, handle, kernel);
	if (occ_kernel_find(handle) != kernel) {
		free(kernel->name);
		free(kernel);
		return false;
	}
	kernel->program = occ_program_pin(program);
	program->kernels++;
	program->had_kernels = true;
	if (binary) {
		kernel->binary = occ_binary_retain(binary);
		binary->kernels++;
		if (!binary->is_handle)
			program->kernel_holds++;
	}
	return true;
}

bool occ_program_watch_exit(void)
{
	static bool registered;
	bool result;

	occ_lock();
	if (!registered)
		registered = !atexit(note_exit);
	result = registered;
	occ_unlock();
	return result;
}

/* glibc's: the destructors of a thread's own data, and who wants one, too. */
/* NOLINTBEGIN(cert-dcl51-cpp, bugprone-reserved-identifier) */
extern int __cxa_thread_atexit_impl(void (*run)(void *), void *data,
				    void *library) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));
/* NOLINTEND(cert-dcl51-cpp, bugprone-reserved-identifier) */

static void note_thread_end(void *data)
{
	(void)data;
	if (!occ_lock_in_use() && !occ_section_inside())
		fetch_pending();
	__atomic_store_n(&main_ended, true, __ATOMIC_RELEASE);
}

/*
 * exit() first runs what the calling thread has to end with, and only then exit
 * handlers and destructors in the reverse order of their coming. One of ours
 * among these is too late: what a driver makes at a launch, and needs to
 * compile, is gone by then (PoCL's LLVM).
 */
void occ_program_watch_end(void)
{
	static bool registered;
	bool wanted;

	if (gettid() != getpid() || !__cxa_thread_atexit_impl)
		return;
	occ_lock();
	wanted = !registered;
	registered = true;
	occ_unlock();
	if (wanted)
		__cxa_thread_atexit_impl(note_thread_end, NULL, &__dso_handle);
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
