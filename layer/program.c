/* SPDX-License-Identifier: MIT */
#include "layer/program.h"

#include <stdlib.h>
#include <string.h>

static struct occ_program *programs;
static struct occ_kernel *kernels;

struct occ_program *occ_program_find(cl_program handle)
{
	struct occ_program *program;

	HASH_FIND_PTR(programs, &handle, program);
	return program;
}

/* Takes it out of the table; its pin is the caller's now. Lock held. */
static void detach(struct occ_program *program)
{
	HASH_DEL(programs, program);
}

static void free_program(struct occ_program *program)
{
	occ_record_release(program->pending);
	occ_spec_constants_release(&program->constants);
	occ_input_release(program->input);
	free(program);
}

void occ_program_add(cl_program handle, cl_context context,
		     struct occ_input *input)
{
	struct occ_program *program = calloc(1, sizeof(*program));
	struct occ_program *stale, *added;

	if (!program || !input) {
		free(program);
		occ_input_release(input);
		return;
	}
	program->handle = handle;
	program->context = context;
	program->input = input;
	program->pins = 1;
	program->references = 1;
	occ_lock();
	/* A handle that the driver recycled although we thought it alive. */
	stale = occ_program_find(handle);
	if (stale)
		detach(stale);
	HASH_ADD_PTR(programs, handle, program);
	added = occ_program_find(handle);
	occ_unlock();
	if (added != program)
		free_program(program);
	occ_program_unpin(stale);
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
	occ_binary_release(program->binary);
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

static void note_exit(void)
{
	__atomic_store_n(&exiting, true, __ATOMIC_RELEASE);
}

/*
 * Only here, when nobody uses the program any more, are binaries fetched that
 * are complete only after launches. Releases by global destructors come too
 * late: there the driver may only release, not compile.
 */
static void store_pending(struct occ_program *program)
{
	struct occ_binaries binaries;
	struct occ_record *record = program->pending;

	if (!record)
		return;
	if (__atomic_load_n(&exiting, __ATOMIC_ACQUIRE)) {
		occ_record_explain(occ_record_recipe(record),
				   "released at exit");
		return;
	}
	if (occ_record_fetch(record, program->handle, &binaries)) {
		occ_record_publish(record, &binaries);
		occ_binaries_release(&binaries);
	} else {
		occ_record_explain(occ_record_recipe(record),
				   "driver gives no binary");
	}
}

void occ_program_finish(struct occ_program *program)
{
	struct occ_binary *binary = program->binary;

	store_pending(program);
	program->binary = NULL;
	occ_binary_release(binary);
	occ_program_unpin(program);
}

struct occ_binary *occ_program_binary(cl_program handle)
{
	struct occ_binary *binary = NULL;
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(handle);
	if (program && program->binary)
		binary = occ_binary_retain(program->binary);
	occ_unlock();
	return binary;
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

cl_kernel occ_kernel_of(const struct occ_binary *binary)
{
	cl_kernel handle = NULL;

	occ_lock();
	for (struct occ_kernel *kernel = kernels; kernel && !handle;
	     kernel = kernel->hh.next)
		if (kernel->binary == binary)
			handle = kernel->handle;
	occ_unlock();
	return handle;
}

void occ_kernel_remove(struct occ_kernel *kernel)
{
	HASH_DEL(kernels, kernel);
	kernel->program->kernels--;
	if (kernel->binary) {
		kernel->binary->kernels--;
		kernel->program->kernel_holds--;
	}
}

void occ_kernel_free(struct occ_kernel *kernel)
{
	occ_binary_release(kernel->binary);
	occ_program_unpin(kernel->program);
	free(kernel);
}

bool occ_kernel_add(cl_kernel handle, struct occ_program *program,
		    struct occ_binary *binary)
{
	struct occ_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return false;
	kernel->handle = handle;
	kernel->references = 1;
	HASH_ADD_PTR(kernels, handle, kernel);
	if (occ_kernel_find(handle) != kernel) {
		free(kernel);
		return false;
	}
	kernel->program = occ_program_pin(program);
	program->kernels++;
	if (binary) {
		kernel->binary = occ_binary_retain(binary);
		binary->kernels++;
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

		free(kernel);
		kernel = next;
	}
	while (program) {
		struct occ_program *next = program->hh.next;

		free_program(program);
		program = next;
	}
}
