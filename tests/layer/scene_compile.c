/* SPDX-License-Identifier: MIT */
/* Scenes with clCompileProgram, clLinkProgram and embedded headers. */
#include "tests/layer/scene.h"

static const char helper_source[] = "int helper(int x) { return x * 3; }\n";

static const char user_source[] =
	"int helper(int x);\n"
	"__kernel void use(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = helper(x) + (int)get_global_id(0); }\n";

static const char whole_source[] =
	"__kernel void whole(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x - (int)get_global_id(0); }\n";

static void play_compile_link(struct world *world)
{
	cl_program helper = make_program(world, "P1", helper_source);
	cl_program user = make_program(world, "P2", user_source);
	cl_program linked;

	compile(world, helper, "");
	compile(world, user, "-DUNUSED");
	show_program(world, helper);
	show_program(world, user);
	make_kernel(user, "use", "K1");
	linked = link_two(world, "P3", "", helper, user);
	release_program(helper);
	release_program(user);
	use_linked(world, linked, "use");
	show_counts(world, NULL, NULL);
}

static void play_library(struct world *world)
{
	cl_program helper = make_program(world, "P1", helper_source);
	cl_program user = make_program(world, "P2", user_source);
	cl_program library, linked;

	compile(world, helper, "");
	compile(world, user, "");
	library = link_two(world, "P3", "-create-library", helper, NULL);
	show_program(world, library);
	linked = link_two(world, "P4", "", library, user);
	use_linked(world, linked, "use");
	if (library)
		release_program(library);
	release_program(helper);
	release_program(user);
}

static void play_link_failure(struct world *world)
{
	cl_program user = make_program(world, "P1", user_source), linked;

	compile(world, user, "");
	linked = link_two(world, "P2", "", user, NULL);
	use_linked(world, linked, "use");
	linked = link_two(world, "P3", "-no-such-option", user, NULL);
	if (linked)
		release_program(linked);
	release_program(user);
}

static void play_link_built(struct world *world)
{
	cl_program built = make_built(world, "P1", whole_source, ""), linked;

	linked = link_two(world, "P2", "", built, NULL);
	show_program(world, built);
	use_linked(world, linked, "whole");
	release_program(built);
}

static void play_link_unbuilt(struct world *world)
{
	cl_program plain = make_program(world, "P1", whole_source), linked;

	linked = link_two(world, "P2", "", plain, NULL);
	if (linked)
		release_program(linked);
	release_program(plain);
}

static void play_build_after_compile(struct world *world)
{
	cl_program program = make_program(world, "P1", whole_source);
	cl_kernel kernel;

	compile(world, program, "");
	build(world, program, "");
	show_program(world, program);
	kernel = make_kernel(program, "whole", "K1");
	show_run(world, kernel, 4);
	release_kernel(kernel);
	release_program(program);
}

static void play_compile_failure(struct world *world)
{
	static const char *name = "x.h";
	cl_program program = make_program(world, "P1", "int f( {\n");

	compile(world, program, "");
	show_program(world, program);
	/* PoCL 3.1 crashes. */
	if (!world->pocl)
		say("headers without programs: %d",
		    clCompileProgram(program, 1, &world->device, "", 1, NULL,
				     &name, NULL, NULL));
	say("bad option: %d",
	    clCompileProgram(program, 1, &world->device, "-no-such-option", 0,
			     NULL, NULL, NULL, NULL));
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("compile-link", play_compile_link, 3, 0, 0, .links = true),
	SCENE("library", play_library, 4, 0, 0, .links = true),
	SCENE("link-failure", play_link_failure, ANY, ANY, ANY, .links = true),
	SCENE("link-built", play_link_built, ANY, ANY, ANY, .links = true,
	      ON(ENDS("nvidia", "dies of a program that was built"))),
	SCENE("link-unbuilt", play_link_unbuilt, 0, ANY, ANY, .links = true,
	      ON(ENDS("oclgrind", "dies of a program that wasn't compiled"))),
	SCENE("build-after-compile", play_build_after_compile, ANY, ANY, ANY,
	      .links = true),
	SCENE("compile-failure", play_compile_failure, ANY, ANY, ANY,
	      .links = true,
	      ON(ENDS("oclgrind", "dies of queries after a failed compile"))),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
