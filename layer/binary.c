/* SPDX-License-Identifier: MIT */
#include "layer/binary.h"

#include <stdlib.h>
#include <string.h>

#include "layer/dispatch.h"
#include "layer/lock.h"
#include "layer/log.h"
#include "layer/program.h"
#include "layer/remake.h"

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

static cl_program create(const struct occ_recipe *recipe,
			 struct occ_kept *const *entries)
{
	cl_uint count = recipe->device_count;
	const unsigned char **binaries = calloc(count, sizeof(*binaries));
	size_t *sizes = calloc(count, sizeof(*sizes));
	cl_program program = NULL;

	for (cl_uint i = 0; binaries && sizes && i < count; i++) {
		binaries[i] = entries[i]->entry.binary.data;
		sizes[i] = entries[i]->entry.binary.size;
	}
	if (binaries && sizes)
		program = occ_remake_from_binaries(recipe->context, count,
						   recipe->devices, sizes,
						   binaries);
	free(binaries);
	free(sizes);
	return program;
}

/* Return codes alone don't say (Intel's). */
static bool build(cl_program program, const struct occ_recipe *recipe)
{
	/* A binary's options are those of its making; a link's aren't a
	 * build's. */
	const char *options =
		recipe->operation == OCC_BUILD ? recipe->options : "";

	return !occ_target.clBuildProgram(program, recipe->device_count,
					  recipe->devices, options, NULL,
					  NULL) &&
	       occ_remake_succeeded(program, recipe);
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

/* What one entry has of its device. */
static void copy_answers(struct occ_answers *answers, unsigned char **at,
			 const struct occ_entry *entry)
{
	answers->log =
		copy_span(at, occ_entry_bytes(entry, OCC_META_BUILD_LOG));
	answers->options =
		copy_span(at, occ_entry_bytes(entry, OCC_META_BUILD_OPTIONS));
	answers->others =
		copy_span(at, occ_entry_bytes(entry, OCC_META_ANSWERS));
}

/* Copies the entries' answers, so that their memory need not stay. */
static bool keep_answers(struct occ_binary *binary,
			 struct occ_kept *const *entries)
{
	const struct occ_entry *first = &entries[0]->entry;
	cl_uint count = binary->recipe->device_count;
	size_t size = 0;
	unsigned char *at;

	for (cl_uint i = 0; i < count; i++)
		size += entries[i]->entry.metadata.size;
	binary->answers = calloc(count + (size_t)1, sizeof(*binary->answers));
	at = binary->memory = malloc(size ? size : 1);
	if (!binary->answers || !at)
		return false;
	for (cl_uint i = 0; i < count; i++)
		copy_answers(&binary->answers[i], &at, &entries[i]->entry);
	binary->kernel_names =
		copy_span(&at, occ_entry_bytes(first, OCC_META_KERNEL_NAMES));
	binary->kernel_descriptions =
		copy_span(&at, occ_entry_bytes(first, OCC_META_KERNELS));
	binary->kernel_count =
		occ_entry_number(first, OCC_META_KERNEL_COUNT, UINT64_MAX);
	binary->type = (cl_program_binary_type)occ_entry_number(
		first, OCC_META_BINARY_TYPE, CL_PROGRAM_BINARY_TYPE_NONE);
	return true;
}

static struct occ_binary *new_binary(struct occ_recipe *recipe)
{
	struct occ_binary *binary = calloc(1, sizeof(*binary));

	if (!binary)
		return NULL;
	binary->references = 1;
	binary->recipe = occ_recipe_retain(recipe);
	return binary;
}

static struct occ_image *copy_image(const struct occ_recipe *recipe,
				    struct occ_kept *const *entries)
{
	cl_uint count = recipe->device_count;
	struct occ_span *binaries = calloc(count, sizeof(*binaries));
	struct occ_image *image;

	for (cl_uint i = 0; binaries && i < count; i++)
		binaries[i] = entries[i]->entry.binary;
	image = binaries ? occ_image_copy(count, recipe->devices, binaries)
			 : NULL;
	free(binaries);
	return image;
}

/* The program of `binary`, made and built; or why not. */
static const char *load(struct occ_binary *binary,
			struct occ_kept *const *entries)
{
	struct occ_recipe *recipe = binary->recipe;

	if (!keep_answers(binary, entries))
		return "out of memory";
	binary->program = create(recipe, entries);
	if (!binary->program)
		return "driver refused the binary";
	count_hidden(recipe->context, 1);
	/* Objects and libraries are for links, and not built. */
	if (binary->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
		binary->image = copy_image(recipe, entries);
		return binary->image ? NULL : "out of memory";
	}
	if (!build(binary->program, recipe))
		return "driver refused the binary";
	if (!has_kernels(binary->program, binary->kernel_count))
		return "binary has other kernels";
	return NULL;
}

struct occ_binary *occ_binary_load(struct occ_recipe *recipe,
				   struct occ_kept *const *entries,
				   const char **ret_reason)
{
	struct occ_binary *binary = new_binary(recipe);

	*ret_reason = binary ? load(binary, entries) : "out of memory";
	if (*ret_reason) {
		occ_binary_release(binary);
		return NULL;
	}
	/* The driver has built something: its exit handlers are before ours. */
	occ_program_watch_exit();
	if (recipe->operation == OCC_LINK) {
		binary->is_handle = true;
		count_hidden(recipe->context, -1);
	}
	return binary;
}

struct occ_binary *occ_binary_adopt(struct occ_binary *binary,
				    cl_program materialised)
{
	struct occ_binary *result = new_binary(binary->recipe);

	if (!result)
		return NULL;
	result->program = materialised;
	result->adopted_from = occ_binary_retain(binary);
	return result;
}

struct occ_binary *occ_binary_retain(struct occ_binary *binary)
{
	__atomic_add_fetch(&binary->references, 1, __ATOMIC_RELAXED);
	return binary;
}

static void free_binary(struct occ_binary *binary)
{
	release_hidden(binary->recipe->context, binary->materialised);
	release_hidden(binary->recipe->context, binary->unbuilt);
	if (!binary->is_handle && !binary->adopted_from)
		release_hidden(binary->recipe->context, binary->program);
	occ_image_release(binary->image);
	free(binary->kernel_name);
	free(binary->answers);
	free(binary->memory);
	occ_recipe_release(binary->recipe);
	free(binary);
}

void occ_binary_release(struct occ_binary *binary)
{
	while (binary &&
	       !__atomic_sub_fetch(&binary->references, 1, __ATOMIC_ACQ_REL)) {
		struct occ_binary *adopted_from = binary->adopted_from;

		free_binary(binary);
		binary = adopted_from;
	}
}

void occ_binary_prepare(struct occ_binary *binary)
{
	cl_program program = occ_remake_unbuilt(binary->recipe);

	if (!program)
		return;
	count_hidden(binary->recipe->context, 1);
	__atomic_store_n(&binary->unbuilt, program, __ATOMIC_RELEASE);
}

static cl_program really_make(struct occ_binary *binary)
{
	const struct occ_recipe *recipe = binary->recipe;
	cl_program unbuilt, program;

	/* From exit() on drivers compile no more: some crash. */
	if (occ_program_exiting())
		return NULL;
	unbuilt = __atomic_exchange_n(&binary->unbuilt, NULL, __ATOMIC_ACQ_REL);
	if (!unbuilt) {
		unbuilt = occ_remake_unbuilt(recipe);
		if (unbuilt)
			count_hidden(recipe->context, 1);
	}
	program = occ_remake(recipe, unbuilt);
	if (program && !unbuilt)
		count_hidden(recipe->context, 1);
	else if (!program && unbuilt)
		count_hidden(recipe->context, -1);
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
	program = really_make(binary);
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
