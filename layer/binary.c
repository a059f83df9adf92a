/* SPDX-License-Identifier: MIT */
#include "layer/binary.h"

#include <stdlib.h>
#include <string.h>

#include "layer/dispatch.h"
#include "layer/environment.h"
#include "layer/lock.h"
#include "layer/log.h"

/* How many hidden programs each context has; contexts with none are absent. */
struct hidden {
	cl_context context;
	cl_uint count;
	struct hidden *next;
};

static struct hidden *hidden_list;

static void count_hidden(cl_context context, int change)
{
	struct hidden **at = &hidden_list;
	struct hidden *hidden;

	occ_lock();
	while (*at && (*at)->context != context)
		at = &(*at)->next;
	hidden = *at;
	if (!hidden && change > 0) {
		/* Out of memory: a count that is one too high, no more. */
		hidden = calloc(1, sizeof(*hidden));
		if (hidden)
			hidden->context = context;
		*at = hidden;
	}
	if (hidden)
		hidden->count += (cl_uint)change;
	if (hidden && !hidden->count) {
		*at = hidden->next;
		free(hidden);
	}
	occ_unlock();
}

cl_uint occ_binary_hidden_count(cl_context context)
{
	cl_uint count = 0;

	occ_lock();
	for (struct hidden *at = hidden_list; at; at = at->next)
		if (at->context == context)
			count = at->count;
	occ_unlock();
	return count;
}

void occ_binary_forget_all(void)
{
	while (hidden_list) {
		struct hidden *next = hidden_list->next;

		free(hidden_list);
		hidden_list = next;
	}
}

static void release_hidden(cl_context context, cl_program program)
{
	if (!program)
		return;
	occ_target.clReleaseProgram(program);
	count_hidden(context, -1);
}

/* Succeeded on every device? The return code alone doesn't say (Intel's). */
static bool built(cl_program program, const struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		cl_build_status status = CL_BUILD_ERROR;

		if (occ_target.clGetProgramBuildInfo(program,
						     recipe->devices[i],
						     CL_PROGRAM_BUILD_STATUS,
						     sizeof(status), &status,
						     NULL) ||
		    status != CL_BUILD_SUCCESS)
			return false;
	}
	return true;
}

static bool build(cl_program program, const struct occ_recipe *recipe)
{
	return !occ_target.clBuildProgram(program, recipe->device_count,
					  recipe->devices, recipe->options,
					  NULL, NULL) &&
	       built(program, recipe);
}

/*
 * AMD's and clvk's drivers return a program together with an error code, and
 * NEO writes only the first status.
 */
static cl_program create(const struct occ_recipe *recipe,
			 const struct occ_loaded *entries)
{
	cl_uint count = recipe->device_count;
	const unsigned char **binaries = calloc(count, sizeof(*binaries));
	size_t *sizes = calloc(count, sizeof(*sizes));
	cl_int *status = calloc(count, sizeof(*status));
	cl_program program = NULL;
	cl_int error = CL_SUCCESS;

	if (!binaries || !sizes || !status)
		goto out;
	for (cl_uint i = 0; i < count; i++) {
		binaries[i] = entries[i].entry.binary.data;
		sizes[i] = entries[i].entry.binary.size;
	}
	program =
		occ_target.clCreateProgramWithBinary(recipe->context, count,
						     recipe->devices, sizes,
						     binaries, status, &error);
	for (cl_uint i = 0; i < count; i++)
		if (!error && status[i])
			error = status[i];
	if (program && error) {
		occ_target.clReleaseProgram(program);
		program = NULL;
	}
out:
	free(binaries);
	free(sizes);
	free(status);
	return program;
}

/* Some drivers load binaries that lack kernels (pocl issue 449). */
static bool has_kernels(cl_program program, uint64_t expected)
{
	size_t count = 0;

	return !occ_target.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS,
					    sizeof(count), &count, NULL) &&
	       count == expected;
}

static struct occ_span copy_span(unsigned char **at, struct occ_span from)
{
	struct occ_span copy = {NULL, from.size};

	if (!from.data)
		return copy;
	copy.data = memcpy(*at, from.data, from.size);
	*at += from.size;
	return copy;
}

/* Copies the entries' answers, so that their memory need not stay. */
static bool keep_answers(struct occ_binary *binary,
			 const struct occ_loaded *entries)
{
	cl_uint count = binary->recipe->device_count;
	struct occ_span names =
		occ_entry_bytes(&entries[0].entry, OCC_META_KERNEL_NAMES);
	size_t size = names.size;
	unsigned char *at;

	for (cl_uint i = 0; i < count; i++)
		size += entries[i].entry.metadata.size;
	binary->answers = calloc(count + (size_t)1, sizeof(*binary->answers));
	at = binary->memory = malloc(size ? size : 1);
	if (!binary->answers || !at)
		return false;
	for (cl_uint i = 0; i < count; i++) {
		const struct occ_entry *entry = &entries[i].entry;

		binary->answers[i].log =
			copy_span(&at,
				  occ_entry_bytes(entry, OCC_META_BUILD_LOG));
		binary->answers[i].options =
			copy_span(&at, occ_entry_bytes(entry,
						       OCC_META_BUILD_OPTIONS));
	}
	binary->kernel_names = copy_span(&at, names);
	binary->kernel_count =
		occ_entry_number(&entries[0].entry, OCC_META_KERNEL_COUNT,
				 UINT64_MAX);
	return true;
}

struct occ_binary *occ_binary_load(struct occ_recipe *recipe,
				   const struct occ_loaded *entries,
				   const char **ret_reason)
{
	struct occ_binary *binary = calloc(1, sizeof(*binary));

	*ret_reason = "out of memory";
	if (!binary)
		return NULL;
	binary->references = 1;
	binary->recipe = occ_recipe_retain(recipe);
	if (!keep_answers(binary, entries))
		goto fail;
	*ret_reason = "driver refused the binary";
	binary->program = create(recipe, entries);
	if (!binary->program)
		goto fail;
	count_hidden(recipe->context, 1);
	if (!build(binary->program, recipe))
		goto fail;
	*ret_reason = "binary has other kernels";
	if (!has_kernels(binary->program, binary->kernel_count))
		goto fail;
	*ret_reason = NULL;
	return binary;
fail:
	occ_binary_release(binary);
	return NULL;
}

struct occ_binary *occ_binary_retain(struct occ_binary *binary)
{
	__atomic_add_fetch(&binary->references, 1, __ATOMIC_RELAXED);
	return binary;
}

void occ_binary_release(struct occ_binary *binary)
{
	if (!binary ||
	    __atomic_sub_fetch(&binary->references, 1, __ATOMIC_ACQ_REL))
		return;
	release_hidden(binary->recipe->context, binary->materialised);
	release_hidden(binary->recipe->context, binary->unbuilt);
	release_hidden(binary->recipe->context, binary->program);
	free(binary->answers);
	free(binary->memory);
	occ_recipe_release(binary->recipe);
	free(binary);
}

static cl_program create_from_input(const struct occ_recipe *recipe)
{
	const struct occ_input *input = recipe->input;
	const char *text = input->text;
	cl_program program;

	if (!input->is_il)
		return occ_target.clCreateProgramWithSource(recipe->context, 1,
							    &text, &input->size,
							    NULL);
	if (!occ_target.clCreateProgramWithIL)
		return NULL;
	program = occ_target.clCreateProgramWithIL(recipe->context, text,
						   input->size, NULL);
	for (size_t i = 0; program && i < recipe->constants.count; i++) {
		struct occ_spec_constant *constant = &recipe->constants.list[i];

		occ_target.clSetProgramSpecializationConstant(program,
							      constant->id,
							      constant->size,
							      constant->value);
	}
	return program;
}

void occ_binary_prepare(struct occ_binary *binary)
{
	cl_program program = create_from_input(binary->recipe);

	if (!program)
		return;
	count_hidden(binary->recipe->context, 1);
	__atomic_store_n(&binary->unbuilt, program, __ATOMIC_RELEASE);
}

/* A program to be built: the prepared one, or a new one. Counted as hidden. */
static cl_program take_unbuilt(struct occ_binary *binary)
{
	cl_program program =
		__atomic_exchange_n(&binary->unbuilt, NULL, __ATOMIC_ACQ_REL);

	if (program)
		return program;
	program = create_from_input(binary->recipe);
	if (program)
		count_hidden(binary->recipe->context, 1);
	return program;
}

static cl_program really_build(struct occ_binary *binary)
{
	const struct occ_buffer *variables;
	cl_program program;

	/* Built in another environment it would be another program. */
	if (!occ_environment_stable(&variables))
		return NULL;
	program = take_unbuilt(binary);
	if (program && !build(program, binary->recipe)) {
		release_hidden(binary->recipe->context, program);
		program = NULL;
	}
	return program;
}

cl_program occ_binary_materialise(struct occ_binary *binary, const char *what)
{
	struct occ_recipe *recipe = binary->recipe;
	cl_program expected = NULL;
	cl_program program =
		__atomic_load_n(&binary->materialised, __ATOMIC_ACQUIRE);
	uint64_t start = occ_log_now();

	if (program)
		return program;
	program = really_build(binary);
	occ_log_trace(&(struct occ_trace){
		.event = "materialise",
		.hash = &recipe->keys[0].hash,
		.device = recipe->identities[0]->name,
		.result = program ? "built" : "failed",
		.reason = what,
		.since = start,
	});
	if (!program)
		return NULL;
	if (__atomic_compare_exchange_n(&binary->materialised, &expected,
					program, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return program;
	release_hidden(recipe->context, program);
	return expected;
}
