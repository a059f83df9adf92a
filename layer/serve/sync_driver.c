/* SPDX-License-Identifier: MIT */
#include "layer/serve/sync_driver.h"

#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/key/build_key.h"
#include "layer/key/build_key_check.h"
#include "layer/object/contexts.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/callback.h"
#include "layer/serve/pending.h"
#include "layer/serve/rebuild.h"
#include "layer/serve/stats.h"

static bool lacks_build_locked(const struct occ_program *program)
{
	return program && program->state.shadow && !program->driver_built;
}

/*
 * What was served, when the handle must have it; NULL: nothing to do, or
 * nothing that can be done: then *ret_synced is false.
 */
static struct occ_shadow *begin_sync(cl_program handle,
				     struct occ_program **ret_program,
				     bool *ret_synced)
{
	struct occ_shadow *shadow = NULL;
	struct occ_program *program;
	bool blocked;

	occ_lock();
	program = occ_program_find_locked(handle);
	blocked = program && occ_callback_blocks(program->driver);
	if (program) {
		occ_program_pin(program);
		/* It would wait for this thread's callback. */
		if (!blocked)
			occ_program_await_sync_locked(program);
	}
	*ret_synced = !blocked || !lacks_build_locked(program);
	if (!blocked && lacks_build_locked(program)) {
		program->syncing = true;
		program->building++;
		shadow = occ_shadow_retain(program->state.shadow);
	}
	occ_unlock();
	*ret_program = program;
	return shadow;
}

/* `built`: the driver has done it. */
static void end_sync(struct occ_program *program, bool built)
{
	occ_lock();
	program->driver_built |= built;
	program->building--;
	program->syncing = false;
	occ_lock_wake();
	occ_unlock();
}

/*
 * The driver's handle gets the build that the application believes it has; but
 * only what that made then: files may have come, and variables changed, since.
 */
bool occ_sync_driver(cl_program handle)
{
	struct occ_program *program;
	bool built, synced;
	struct occ_shadow *shadow = begin_sync(handle, &program, &synced);

	if (shadow) {
		built = occ_build_key_current(shadow->build_key);
		occ_log_debug(built ? "building a served program after all"
				    : "a served program can no longer be built "
				      "as it was");
		if (built)
			occ_rebuild_repeat(handle, shadow->build_key);
		synced = built && occ_build_key_current(shadow->build_key);
		end_sync(program, built);
		occ_shadow_release(shadow);
	}
	occ_program_unpin(program);
	return synced;
}

/* A program that would have to be synced, pinned and held; or NULL. */
static struct occ_program *take_unsynced(const struct occ_program *last)
{
	struct occ_program *program;

	occ_lock();
	for (program = occ_program_first_locked(); program;
	     program = program->hh.next)
		if (program != last && program->state.shadow &&
		    !program->driver_built && program->references)
			break;
	if (program) {
		occ_program_pin(program);
		/* From here on a release waits until the handle is held. */
		occ_program_begin_change_locked(program);
	}
	occ_unlock();
	if (program)
		occ_program_hold_changing(program);
	return program;
}

void occ_sync_all_drivers(void)
{
	struct occ_program *program = NULL, *last;

	do {
		last = program;
		program = take_unsynced(last);
		occ_program_unpin(last);
		if (program) {
			occ_sync_driver(program->handle);
			occ_pending_unhold(program);
		}
	} while (program);
}

static cl_program build_hidden(struct occ_shadow *shadow)
{
	const struct occ_build_key *build_key = shadow->build_key;
	cl_program unbuilt, program;

	/* From exit() on drivers compile no more: some crash. */
	if (occ_exit_begun())
		return NULL;
	unbuilt = __atomic_exchange_n(&shadow->unbuilt, NULL, __ATOMIC_ACQ_REL);
	if (!unbuilt) {
		unbuilt = occ_rebuild_unbuilt(build_key);
		if (unbuilt)
			occ_context_change_hidden(build_key->context, 1);
	}
	program = occ_rebuild(build_key, unbuilt);
	if (program && !unbuilt)
		occ_context_change_hidden(build_key->context, 1);
	else if (!program && unbuilt)
		occ_context_change_hidden(build_key->context, -1);
	return program;
}

cl_program occ_sync_materialise(struct occ_shadow *shadow, const char *what)
{
	struct occ_build_key *build_key = shadow->build_key;
	cl_program expected = NULL;
	cl_program program =
		__atomic_load_n(&shadow->materialised, __ATOMIC_ACQUIRE);
	uint64_t start = occ_log_now();

	if (program || occ_callback_blocks(occ_build_key_driver(build_key)))
		return program;
	program = build_hidden(shadow);
	occ_stats_materialised(start);
	occ_log_trace(&(struct occ_trace){
		.event = "materialise",
		.hash = &build_key->keys[0].hash,
		.device = build_key->identities[0]->name,
		.result = program ? "built" : "failed",
		.reason = what,
		.since = start,
	});
	if (!program)
		return NULL;
	if (__atomic_compare_exchange_n(&shadow->materialised, &expected,
					program, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return program;
	occ_context_release_hidden(build_key->context, program);
	return expected;
}

void occ_sync_create_unbuilt(struct occ_shadow *shadow)
{
	struct occ_build_key *build_key = shadow->build_key;
	cl_program program = occ_rebuild_unbuilt(build_key);

	if (!program)
		return;
	occ_context_change_hidden(build_key->context, 1);
	__atomic_store_n(&shadow->unbuilt, program, __ATOMIC_RELEASE);
}
