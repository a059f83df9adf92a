/* SPDX-License-Identifier: MIT */
#include "layer/miss.h"

#include "layer/config.h"
#include "layer/cost.h"
#include "layer/explain.h"
#include "layer/habit.h"
#include "layer/writer.h"

/*
 * What is known of the program from now on: its recipe, and the record when it
 * is to be stored later. Takes the record over if there is one.
 */
static void know(struct occ_program *program, uint64_t generation,
		 struct occ_recipe *recipe, struct occ_record *pending,
		 const char *unless_asked)
{
	struct occ_state state = {
		.made = occ_recipe_retain(recipe),
		.pending = pending,
		.unless_asked = unless_asked,
	};

	if (occ_program_change(program, generation, &state))
		return;
	occ_recipe_release(recipe);
	occ_record_release(pending);
}

static bool undisturbed(const struct occ_program *program, uint64_t generation)
{
	bool same;

	occ_lock();
	same = program->generation == generation;
	occ_unlock();
	return same;
}

static void store_now(const struct occ_program *program, uint64_t generation,
		      struct occ_record *record)
{
	static const struct occ_buffer none = OCC_BUFFER_INIT;
	struct occ_image *image =
		occ_record_fetch(record, program->handle, false);

	/* The bytes may be another build's if one started meanwhile. */
	if (image && undisturbed(program, generation))
		occ_record_publish(record, image, &none, OCC_COMPLETE_BUILT);
	else if (image)
		occ_record_explain(occ_record_recipe(record),
				   "built again meanwhile");
	occ_image_release(image);
}

/* What is to be done for an entry, and when. */
struct plan {
	bool now;	    /* fetch before the build returns */
	bool later;	    /* fetch at the last release ... */
	const char *reason; /* ... only if the application has, or never */
};

/*
 * Fetching is dear. Who uses a key once shall not pay for it; who uses it a
 * second time pays, if that isn't too much. Who asks for binaries himself has
 * paid.
 */
static struct plan plan_dear(struct occ_recipe *recipe, uint64_t expected,
			     bool wanted)
{
	bool eager = occ_config.store_policy == OCC_STORE_EAGER;
	bool bearable = expected < OCC_COST_FETCH_MAX;
	struct plan plan = {.later = true, .now = wanted && bearable};

	if (eager)
		return plan;
	if (!wanted && !occ_cost_seen(recipe)) {
		occ_cost_note_seen(recipe);
		plan.reason = "binaries are dear on this driver: stored at "
			      "the second use";
	} else if (!bearable) {
		plan.reason = "binaries are expected to take too long: "
			      "OCLCACHE_STORE=eager stores them";
	}
	return plan;
}

static struct plan make_plan(struct occ_recipe *recipe,
			     const struct occ_record *record,
			     const struct occ_keep *keep)
{
	const struct occ_driver *driver = occ_recipe_driver(recipe);
	const char *ignorance =
		occ_habit_ignorance(recipe->identities[0], false);
	uint64_t expected;
	bool measured;

	if (occ_config.store_policy == OCC_STORE_NEVER)
		return (struct plan){.reason = "OCLCACHE_STORE=never"};
	if (ignorance)
		return (struct plan){.reason = ignorance};
	expected =
		occ_cost_expect(recipe, occ_record_metadata(record), &measured);
	if (driver->dear ||
	    (measured && occ_cost_is_dear(expected, keep->compile_time)))
		return plan_dear(recipe, expected, keep->wanted);
	if (driver->fetch == OCC_FETCH_AFTER_BUILD)
		return (struct plan){.now = true};
	return (struct plan){.later = true, .now = keep->wanted};
}

static void await_entries(const struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++)
		occ_writer_await(&recipe->keys[i].hash);
}

/* Keys that weren't known at the lookup are, from now on. */
static bool finish(struct occ_recipe *recipe)
{
	bool unread = occ_recipe_is_unread(recipe);

	if (!occ_recipe_finish(recipe))
		return false;
	for (cl_uint i = 0; unread && i < recipe->device_count; i++)
		occ_explain_key(recipe, i);
	return true;
}

void occ_miss_keep(struct occ_program *program, uint64_t generation,
		   struct occ_recipe *recipe, const struct occ_keep *keep)
{
	struct occ_record *record;
	struct plan plan;

	if (!undisturbed(program, generation))
		return;
	if (!finish(recipe)) {
		occ_record_explain(recipe, "driver identity not known");
		return;
	}
	if (!occ_recipe_undisturbed(recipe)) {
		occ_record_explain(recipe, "files or environment changed "
					   "during the build");
		return;
	}
	record = occ_record_make(program->handle, recipe, keep->compile_time);
	if (!record) {
		occ_record_explain(recipe, "build failed or not described");
		return;
	}
	plan = make_plan(recipe, record, keep);
	/* Also what the writer hasn't done by the end is done then. */
	plan.later &= occ_program_watch_exit();
	if (plan.reason && !plan.later)
		occ_record_explain(recipe, plan.reason);
	if (plan.now)
		store_now(program, generation, record);
	if (plan.now && keep->wanted)
		await_entries(recipe);
	if (plan.later)
		occ_program_watch_end();
	know(program, generation, recipe, plan.later ? record : NULL,
	     plan.reason);
	if (!plan.later)
		occ_record_release(record);
}
