/* SPDX-License-Identifier: MIT */
/*
 * Scenes: short OpenCL programs that write down everything an application can
 * see, so that the same scene without the layer, with an empty store and with
 * a filled one can be compared line by line.
 *
 *	PROGRAM --list DRIVER	a line per scene, fields between tabs: name;
 *				what the trace of a run with a filled store
 *				must show; how it ends on that driver; "logs";
 *				"links"; why nothing of it can be served ("-"
 *				for what isn't so)
 *	PROGRAM NAME		plays one scene
 *	PROGRAM NAME --twice	plays it two times in one process
 *	PROGRAM NAME --seed	only builds and releases what that scene then
 *				builds first, for drivers whose binaries are
 *				fetched at the last release, and not at all
 *				when the program was built again before
 *
 * Exit status 77 with a line "SKIP why" where the driver can't play it.
 */
#ifndef TESTS_LAYER_SCENE_H
#define TESTS_LAYER_SCENE_H

#include "tests/layer/scene_output.h"
#include "tests/layer/scene_show.h"
#include "tests/layer/scene_steps.h"

/* Lookups of the run with a filled store, by result; ANY: not compared. */
#define ANY (-1)

struct expected {
	int hit;
	int miss;
	int uncacheable;
};

/* A driver that is unlike the others. */
struct special {
	/* As scripts/opencl-env calls it: "pocl"; or of a version: "pocl-7". */
	const char *driver;
	struct expected wanted;
	/*
	 * NULL, or how the bare driver ends: "hangs" or "dies", a space and in
	 * what. The layer's run must end in the same way. "dies under ocl-icd:"
	 * is for one loader only.
	 */
	const char *outcome;
	/* Why nothing of it is served there, although builds succeed. */
	const char *uncacheable;
};

struct scene {
	const char *name;
	void (*play)(struct world *world);
	struct expected wanted;
	/* Why nothing of it is served, although builds succeed. */
	const char *uncacheable;
	const char *seed_source;
	const char *seed_options;
	/* It shows warnings: PoCL's own cache loses them, and must be off. */
	bool logs;
	/* It compiles or links with clCompileProgram and clLinkProgram. */
	bool links;
	struct special on[5];
};

#define SCENE(name, play, hit, miss, uncacheable, ...)                         \
	{                                                                      \
		(name), (play), {(hit), (miss), (uncacheable)}, __VA_ARGS__    \
	}

#define SEED(source, options) .seed_source = (source), .seed_options = (options)

/* Drivers that differ: ON(UNLIKE(...), ENDS(...)) */
#define ON(...)		      .on = {__VA_ARGS__}
#define UNLIKE(driver, hit, miss, uncacheable)                                 \
	{                                                                      \
		(driver), {(hit), (miss), (uncacheable)}, NULL                 \
	}
#define UNSERVED(driver, hit, miss, uncacheable, why)                          \
	{                                                                      \
		(driver), {(hit), (miss), (uncacheable)}, NULL, (why)          \
	}
#define ENDS(driver, how)                                                      \
	{                                                                      \
		(driver), {ANY, ANY, ANY}, (how)                               \
	}

/*
 * Of that version of the driver, or else of its older ones ("intel-"), or of
 * the driver.
 */
static inline const struct special *scene_special(const struct scene *scene,
						  const char *driver)
{
	const struct special *found = NULL;
	size_t length, i;

	for (i = 0; i < LENGTH(scene->on); i++) {
		const char *name = scene->on[i].driver;

		length = name ? strlen(name) : 0;
		if (!name || strncmp(name, driver, length) != 0)
			continue;
		if (!driver[length])
			return &scene->on[i];
		if (driver[length] == '-' || name[length - 1] == '-')
			found = &scene->on[i];
	}
	return found;
}

static inline int scenes_list(const struct scene *scenes, size_t count,
			      const char *driver)
{
	const struct expected *wanted;
	const struct special *special;
	const struct scene *s;
	const char *reason;
	size_t i;

	for (i = 0; i < count; i++) {
		s = &scenes[i];
		special = scene_special(s, driver);
		wanted = special ? &special->wanted : &s->wanted;
		reason = special && special->uncacheable ? special->uncacheable
							 : s->uncacheable;
		printf("%s\t%d/%d/%d\t%s\t%s\t%s\t%s\n", s->name, wanted->hit,
		       wanted->miss, wanted->uncacheable,
		       special && special->outcome ? special->outcome : "-",
		       s->logs ? "logs" : "-", s->links ? "links" : "-",
		       reason ? reason : "-");
	}
	return 0;
}

static inline int scene_seed(const struct scene *scene)
{
	struct world world;
	cl_program program;

	if (!scene->seed_source)
		skip("needs no seed");
	world_open(&world);
	program = make_built(&world, "seed", scene->seed_source,
			     scene->seed_options);
	release_program(program);
	world_close(&world);
	return 0;
}

static inline void scene_play(const struct scene *scene)
{
	struct world world;

	world_open(&world);
	name_handle(world.context, "context");
	name_handle(world.device, "device");
	scene->play(&world);
	show_counts(&world, NULL, NULL);
	world_close(&world);
	say("end");
}

static inline int scenes_main(int argc, char **argv, const struct scene *scenes,
			      size_t count)
{
	const char *how = argc > 2 ? argv[2] : "";
	size_t i;

	if (argc < 2)
		die("usage: %s --list DRIVER | NAME [--twice | --seed]",
		    argv[0]);
	if (strcmp(argv[1], "--list") == 0)
		return scenes_list(scenes, count, how);
	for (i = 0; i < count; i++)
		if (strcmp(argv[1], scenes[i].name) == 0)
			break;
	if (i == count)
		die("no scene %s", argv[1]);
	scene_deletion_read();
	if (strcmp(how, "--seed") == 0)
		return scene_seed(&scenes[i]);
	scene_play(&scenes[i]);
	if (strcmp(how, "--twice") == 0)
		scene_play(&scenes[i]);
	return 0;
}

#endif
