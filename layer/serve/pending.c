/* SPDX-License-Identifier: MIT */
#include "layer/serve/pending.h"

#include <string.h>

#include "cache/entry.h"
#include "hash/buffer.h"
#include "hash/reason.h"
#include "layer/base/dispatch.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/section.h"
#include "layer/base/settings.h"
#include "layer/key/build_key.h"
#include "layer/key/program_binaries.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/cost.h"
#include "layer/serve/describe.h"
#include "layer/serve/record.h"
#include "layer/serve/store_result.h"

/*
 * Only here, when nobody uses the program any more, are binaries fetched that
 * are complete only after launches. Releases by global destructors come too
 * late: there the driver may only release, not compile.
 */
static void store_pending(const struct occ_program *program,
			  const struct occ_state *state)
{
	struct occ_binaries *binaries;

	if (state->unless_asked && !program->asked) {
		occ_store_result_not_stored(state->pending->build_key,
					    state->unless_asked);
		return;
	}
	if (occ_exit_begun() || occ_exit_main_thread_ended()) {
		occ_store_result_not_stored(state->pending->build_key,
					    OCC_REASON_EXIT_RELEASED);
		return;
	}
	binaries = occ_store_result_fetch(state->pending, program->handle,
					  program->asked);
	if (binaries)
		occ_store_result_publish(state->pending, binaries,
					 &state->described,
					 program->had_kernels
						 ? OCC_COMPLETE_RELEASED
						 : OCC_COMPLETE_BUILT);
	occ_binaries_release(binaries);
}

void occ_pending_finish(struct occ_program *program)
{
	struct occ_section section;
	struct occ_shadow *former;
	struct occ_state state;

	occ_section_enter(&section);
	occ_program_take_state(program, &state, &former);
	if (state.made)
		occ_record_release(state.made);
	if (state.pending)
		store_pending(program, &state);
	else if (state.made)
		occ_describe_complete(state.made, &state.described);
	occ_state_release(&state);
	occ_shadow_release(former);
	occ_program_unpin(program);
	occ_section_leave(&section);
}

void occ_pending_unhold(struct occ_program *program)
{
	bool last;

	occ_lock();
	occ_program_begin_change_locked(program);
	program->holds--;
	program->building--;
	last = occ_program_remove_unused_locked(program);
	occ_program_pin(program);
	occ_unlock();
	if (last)
		occ_pending_finish(program);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it was pinned */
	occ_target.clReleaseProgram(program->handle);
	occ_lock();
	occ_program_end_change_locked(program);
	occ_unlock();
	occ_program_unpin(program);
}

bool occ_pending_replace_state(struct occ_program *program, uint64_t generation,
			       const struct occ_state *state)
{
	struct occ_state before;

	if (!occ_program_replace_state(program, generation, state, &before))
		return false;
	if (before.pending)
		occ_store_result_not_stored(before.pending->build_key,
					    OCC_REASON_BUILT_AGAIN);
	else if (before.made)
		occ_describe_complete(before.made, &before.described);
	occ_state_release(&before);
	return true;
}

/* Takes what there is to be stored of one program; false: no more. */
static bool take_described(struct occ_build_key **ret_build_key,
			   struct occ_buffer *ret_described)
{
	static const struct occ_buffer empty = OCC_BUFFER_INIT;
	struct occ_program *program;

	occ_lock();
	for (program = occ_program_first_locked(); program;
	     program = program->hh.next)
		if (program->state.made && !program->state.pending &&
		    program->state.described.size)
			break;
	if (program) {
		*ret_build_key = occ_build_key_retain(program->state.made);
		*ret_described = program->state.described;
		program->state.described = empty;
	}
	occ_unlock();
	return program;
}

void occ_pending_store_descriptions(void)
{
	struct occ_build_key *build_key;
	struct occ_buffer described;

	while (take_described(&build_key, &described)) {
		occ_describe_complete(build_key, &described);
		occ_buffer_release(&described);
		occ_build_key_release(build_key);
	}
}

/*
 * Does another thread build? Then its driver may hold locks, for which exit()
 * must not wait.
 */
static bool anybody_builds_locked(void)
{
	for (struct occ_program *program = occ_program_first_locked(); program;
	     program = program->hh.next)
		if (program->building || program->syncing)
			return true;
	return false;
}

static bool can_be_fetched_locked(const struct occ_program *program)
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
	program = occ_exit_is_child() || anybody_builds_locked()
			  ? NULL
			  : occ_program_first_locked();
	while (program && !can_be_fetched_locked(program))
		program = program->hh.next;
	if (program) {
		occ_program_pin(program);
		occ_program_begin_change_locked(program);
		ret_state->pending = program->state.pending;
		ret_state->described = program->state.described;
		ret_state->unless_asked = program->state.unless_asked;
		program->state.pending = NULL;
		program->state.described = (struct occ_buffer)OCC_BUFFER_INIT;
	}
	occ_unlock();
	return program;
}

static bool fits_budget(const struct occ_build_result *result, uint64_t *budget)
{
	bool measured;
	uint64_t expected =
		occ_cost_expect(result->build_key,
				occ_build_result_metadata(result), &measured);

	if (occ_settings.store_policy == OCC_STORE_EAGER)
		return true;
	if (expected > *budget)
		return false;
	*budget -= expected;
	return true;
}

/* Fetches, at the end of the process, what will never be released. */
void occ_pending_store_at_exit(void)
{
	uint64_t budget = OCC_COST_FETCH_MAX;
	struct occ_program *program;
	struct occ_state state;

	while ((program = take_pending(&state))) {
		occ_program_hold_changing(program);
		if (program->asked || fits_budget(state.pending, &budget))
			store_pending(program, &state);
		else
			occ_store_result_not_stored(state.pending->build_key,
						    OCC_REASON_EXIT_EXPENSIVE);
		occ_pending_unhold(program);
		occ_state_release(&state);
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): pinned */
		occ_program_unpin(program);
	}
}
