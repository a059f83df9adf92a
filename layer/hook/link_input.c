/* SPDX-License-Identifier: MIT */
#include "layer/hook/link_input.h"

#include <stdlib.h>

#include "cache/driver/driver.h"
#include "layer/base/lock.h"
#include "layer/key/build_key.h"
#include "layer/key/program_binaries.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/sync_driver.h"

/*
 * By the build key of what made it; or, when the application made it from
 * binaries and nothing was done to it since, by these. All of it at one moment:
 * another thread may compile the program again.
 */
static void take_input(struct occ_input_program *input, cl_context context,
		       cl_program handle)
{
	struct occ_program *program;
	bool from_binaries = false;

	input->program = handle;
	occ_lock();
	program = occ_program_find_locked(handle);
	if (program) {
		input->observed = occ_program_pin(program);
		input->generation = program->generation;
	}
	if (program && program->state.shadow) {
		input->shadow = occ_shadow_retain(program->state.shadow);
		input->program = input->shadow->program;
	}
	if (program && program->context == context && !program->building) {
		if (program->state.made)
			input->key.build_key =
				occ_build_key_retain(program->state.made);
		else
			from_binaries =
				!program->input && !program->driver_built;
	}
	occ_unlock();
	if (from_binaries)
		input->key.binaries = occ_binaries_fetch(handle, 0, NULL);
}

void occ_link_inputs_take(struct occ_link_inputs *inputs, cl_context context,
			  cl_uint count, const cl_program *programs)
{
	if (!count || !programs)
		return;
	inputs->list = calloc(count, sizeof(*inputs->list));
	if (!inputs->list)
		return;
	inputs->count = count;
	for (cl_uint i = 0; i < count; i++) {
		struct occ_input_program *input = &inputs->list[i];

		take_input(input, context, occ_program_valid(programs[i]));
		inputs->known_count +=
			input->key.build_key || input->key.binaries;
		inputs->any_observed |= input->observed != NULL;
	}
}

void occ_link_inputs_release(struct occ_link_inputs *inputs)
{
	for (cl_uint i = 0; i < inputs->count; i++) {
		struct occ_input_program *input = &inputs->list[i];

		occ_shadow_release(input->shadow);
		occ_build_key_release(input->key.build_key);
		occ_binaries_release(input->key.binaries);
		occ_program_unpin(input->observed);
	}
	free(inputs->list);
}

/*
 * Drivers differ about executables (NVIDIA's ends the process for one from a
 * binary), and what an object from a binary lacks may show in what is linked
 * from it (Intel's argument info).
 */
void occ_link_inputs_sync(struct occ_link_inputs *inputs,
			  const cl_program *programs)
{
	for (cl_uint i = 0; i < inputs->count; i++) {
		struct occ_input_program *input = &inputs->list[i];
		const struct occ_shadow *shadow = input->shadow;

		if (!shadow || shadow->build_key->operation == OCC_LINK ||
		    (shadow->build_key->operation == OCC_COMPILE &&
		     occ_build_key_driver(shadow->build_key)
			     ->objects_are_whole))
			continue;
		if (occ_sync_driver(programs[i]))
			input->program = programs[i];
		else
			inputs->changed = true;
	}
}

bool occ_link_inputs_undisturbed(const struct occ_link_inputs *inputs)
{
	bool same = !inputs->changed;

	occ_lock();
	for (cl_uint i = 0; i < inputs->count; i++)
		same &= inputs->list[i].observed->generation ==
			inputs->list[i].generation;
	occ_unlock();
	return same;
}
