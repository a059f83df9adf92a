/* SPDX-License-Identifier: MIT */
#include "layer/binary.h"

#include <stdlib.h>

#include "layer/dispatch.h"
#include "layer/hidden.h"
#include "layer/log.h"
#include "layer/program.h"
#include "layer/remake.h"
#include "layer/tally.h"

static struct occ_binary *new_binary(struct occ_recipe *recipe)
{
	struct occ_binary *binary = calloc(1, sizeof(*binary));

	if (!binary)
		return NULL;
	binary->references = 1;
	binary->recipe = occ_recipe_retain(recipe);
	return binary;
}

struct occ_binary *occ_binary_from(struct occ_recipe *recipe,
				   struct occ_live *live)
{
	struct occ_binary *binary = new_binary(recipe);

	if (!binary) {
		occ_live_release(live);
		return NULL;
	}
	/* The driver has built something: its exit handlers are before ours. */
	occ_program_watch_exit();
	binary->live = live;
	binary->program = live->program;
	binary->is_handle = live->is_handle;
	binary->type = live->type;
	binary->answers = live->answers;
	binary->image = live->image;
	binary->kernel_names = live->kernel_names;
	binary->kernel_count = live->kernel_count;
	binary->kernel_descriptions = live->kernel_descriptions;
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
	occ_hidden_release(binary->recipe->context, binary->materialised);
	occ_hidden_release(binary->recipe->context, binary->unbuilt);
	occ_live_release(binary->live);
	free(binary->kernel_name);
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
	occ_hidden_change(binary->recipe->context, 1);
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
			occ_hidden_change(recipe->context, 1);
	}
	program = occ_remake(recipe, unbuilt);
	if (program && !unbuilt)
		occ_hidden_change(recipe->context, 1);
	else if (!program && unbuilt)
		occ_hidden_change(recipe->context, -1);
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
	occ_tally_materialised(start);
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
	occ_hidden_release(recipe->context, program);
	return expected;
}
