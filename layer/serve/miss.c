/* SPDX-License-Identifier: MIT */
#include "layer/serve/miss.h"

#include "cache/cost.h"
#include "cache/driver/driver.h"
#include "cache/entry.h"
#include "hash/buffer.h"
#include "hash/reason.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/settings.h"
#include "layer/base/writer.h"
#include "layer/driver/identity.h"
#include "layer/key/build_key.h"
#include "layer/key/build_key_check.h"
#include "layer/key/build_key_make.h"
#include "layer/key/program_binaries.h"
#include "layer/serve/build_answers.h"
#include "layer/serve/cost.h"
#include "layer/serve/explain.h"
#include "layer/serve/pending.h"
#include "layer/serve/record.h"
#include "layer/serve/store_result.h"
#include "layer/serve/working_set.h"

static bool is_current(const struct occ_program *program, uint64_t generation)
{
	bool same;

	occ_lock();
	same = program->generation == generation;
	occ_unlock();
	return same;
}

static void store_now(const struct occ_program *program, uint64_t generation,
		      struct occ_build_result *result, bool wait)
{
	static const struct occ_buffer none = OCC_BUFFER_INIT;
	const struct occ_build_key *build_key = result->build_key;
	struct occ_binaries *binaries =
		occ_store_result_fetch(result, program->handle, false);

	/* The bytes may be another build's if one started meanwhile. */
	if (binaries && is_current(program, generation))
		occ_store_result_publish(result, binaries, &none,
					 OCC_COMPLETE_BUILT);
	else if (binaries)
		occ_store_result_not_stored(build_key, OCC_REASON_BUILT_AGAIN);
	occ_binaries_release(binaries);
	for (cl_uint i = 0; wait && i < build_key->device_count; i++)
		occ_writer_await(&build_key->keys[i].hash);
}

/* What is to be done for an entry, and when. */
struct plan {
	bool now;		/* fetch before the build returns */
	bool later;		/* fetch at the last release ... */
	enum occ_reason reason; /* ... only if the application has, or never */
};

/*
 * Fetching is expensive. The first use of a key doesn't pay for it; the second
 * one does, if that isn't too much. An application that asks for the binaries
 * itself has paid.
 */
static struct plan plan_expensive(struct occ_build_key *build_key,
				  uint64_t expected,
				  const struct occ_build_facts *facts)
{
	bool eager = occ_settings.store_policy == OCC_STORE_EAGER;
	bool bearable = expected < OCC_COST_FETCH_MAX;
	struct plan plan = {.later = true, .now = facts->wanted && bearable};
	uint64_t first;

	if (eager)
		return plan;
	if (!facts->wanted && !occ_cost_seen(build_key, &first)) {
		occ_cost_note_seen(build_key, facts->compile_time);
		plan.reason = bearable ? OCC_REASON_BINARIES_DEAR
				       : OCC_REASON_BINARIES_SLOW;
	} else if (!bearable) {
		plan.reason = OCC_REASON_BINARIES_SLOW;
	}
	return plan;
}

static struct plan make_plan(struct occ_build_key *build_key,
			     const struct occ_build_result *result,
			     const struct occ_build_facts *facts)
{
	const struct occ_driver *driver = occ_build_key_driver(build_key);
	enum occ_reason not_ready =
		occ_identity_not_ready(build_key->identities[0], false);
	uint64_t expected;
	bool measured;

	if (occ_settings.store_policy == OCC_STORE_NEVER)
		return (struct plan){.reason = OCC_REASON_STORE_NEVER};
	if (not_ready)
		return (struct plan){.reason = not_ready};
	expected = occ_cost_expect(build_key, occ_build_result_metadata(result),
				   &measured);
	if (driver->expensive ||
	    (measured && occ_cost_is_expensive(expected, facts->compile_time)))
		return plan_expensive(build_key, expected, facts);
	if (driver->fetch == OCC_FETCH_AFTER_BUILD)
		return (struct plan){.now = true};
	return (struct plan){.later = true, .now = facts->wanted};
}

/* Keys that weren't known at the lookup are, from now on. */
static bool finish_key(struct occ_build_key *build_key)
{
	bool unread = occ_build_key_is_unread(build_key);

	if (!occ_build_key_finish(build_key))
		return false;
	for (cl_uint i = 0; unread && i < build_key->device_count; i++)
		occ_explain_key(build_key, i);
	return true;
}

/*
 * How long the driver takes where it has no cache, or nothing in it: what the
 * first use of a key took, where it was only noted.
 */
static uint64_t uncached_compile_time(const struct occ_build_key *build_key,
				      const struct occ_build_facts *facts)
{
	uint64_t first;

	if (occ_build_key_driver(build_key)->expensive &&
	    occ_cost_seen(build_key, &first) && first > facts->compile_time)
		return first;
	return facts->compile_time;
}

/* Nor is it recorded. */
static void refuse(const struct occ_build_key *build_key,
		   enum occ_reason reason)
{
	occ_store_result_not_stored(build_key, reason);
	occ_record_refusal(reason);
}

void occ_miss_record(struct occ_program *program, uint64_t generation,
		     struct occ_build_key *build_key,
		     const struct occ_build_facts *facts)
{
	struct occ_build_result *result;
	struct occ_state state;
	struct plan plan;

	if (!is_current(program, generation))
		return;
	if (!finish_key(build_key)) {
		refuse(build_key, OCC_REASON_IDENTITY_UNKNOWN);
		return;
	}
	occ_working_set_note(build_key);
	if (facts->loaded &&
	    !occ_identity_loads_as_known(build_key->identities[0])) {
		refuse(build_key, OCC_REASON_HABITS_CONTRADICTED);
		return;
	}
	if (!occ_build_key_undisturbed(build_key)) {
		refuse(build_key, OCC_REASON_CHANGED_DURING_BUILD);
		return;
	}
	result = occ_build_answers_collect(program->handle, build_key,
					   uncached_compile_time(build_key,
								 facts));
	if (!result) {
		occ_store_result_not_stored(build_key, OCC_REASON_BUILD_FAILED);
		return;
	}
	plan = make_plan(build_key, result, facts);
	/* Also what the writer hasn't done by the end is done then. */
	plan.later &= occ_exit_watch();
	if (plan.reason && !plan.later)
		occ_store_result_not_stored(build_key, plan.reason);
	if (plan.now)
		store_now(program, generation, result, facts->wanted);
	if (plan.later)
		occ_exit_watch_main_thread();
	state = (struct occ_state){
		.made = occ_build_key_retain(build_key),
		.pending = plan.later ? result : NULL,
		.unless_asked = plan.reason,
	};
	if (!occ_pending_replace_state(program, generation, &state)) {
		occ_build_key_release(build_key);
		plan.later = false;
	}
	if (!plan.later)
		occ_build_result_release(result);
	/* Behind the entry, for which others may wait. */
	occ_record_build(build_key, facts->compile_time);
}
