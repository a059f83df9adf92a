/* SPDX-License-Identifier: MIT */
#include "layer/miss.h"

#include "layer/config.h"
#include "layer/habit.h"

/*
 * What is known of the program from now on: its recipe, and the record when it
 * is to be stored later. Takes the record over if there is one.
 */
static void know(struct occ_program *program, uint64_t generation,
		 struct occ_recipe *recipe, struct occ_record *pending)
{
	struct occ_state state = {
		.made = occ_recipe_retain(recipe),
		.pending = pending,
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
	struct occ_recipe *recipe = occ_record_recipe(record);
	struct occ_image *image =
		occ_image_fetch(program->handle, recipe->device_count,
				recipe->devices);

	if (!image)
		occ_record_explain(recipe, "driver gives no binary");
	/* The bytes may be another build's if one started meanwhile. */
	else if (undisturbed(program, generation))
		occ_record_publish(record, image, &none);
	else
		occ_record_explain(recipe, "built again meanwhile");
	occ_image_release(image);
}

void occ_miss_keep(struct occ_program *program, uint64_t generation,
		   struct occ_recipe *recipe, uint64_t compile_time)
{
	const struct occ_driver *driver = occ_recipe_driver(recipe);
	struct occ_record *record, *pending = NULL;
	const char *ignorance =
		occ_habit_ignorance(recipe->identities[0], false);

	if (!undisturbed(program, generation))
		return;
	if (!occ_recipe_finish(recipe)) {
		occ_record_explain(recipe, "driver identity not known");
		return;
	}
	if (!occ_recipe_undisturbed(recipe)) {
		occ_record_explain(recipe, "files or environment changed "
					   "during the build");
		return;
	}
	record = occ_record_make(program->handle, recipe, compile_time);
	if (!record) {
		occ_record_explain(recipe, "build failed or not described");
		return;
	}
	if (occ_config.store_policy == OCC_STORE_NEVER) {
		occ_record_explain(recipe, "OCLCACHE_STORE=never");
	} else if (ignorance) {
		occ_record_explain(recipe, ignorance);
	} else if (driver->fetch == OCC_FETCH_AFTER_BUILD) {
		store_now(program, generation, record);
	} else if (occ_config.store_policy != OCC_STORE_EAGER) {
		occ_record_explain(recipe, "binaries are dear on this driver: "
					   "OCLCACHE_STORE=eager stores them");
	} else if (occ_program_watch_exit()) {
		pending = record;
		record = NULL;
	}
	know(program, generation, recipe, pending);
	occ_record_release(record);
}
