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

static void compile(const struct world *world, cl_program program,
		    const char *options)
{
	cl_int code = clCompileProgram(program, 1, &world->device, options, 0,
				       NULL, NULL, NULL, NULL);

	say("compile %s with %s: %d, status %d", handle_name(program), options,
	    code, build_status(world, program));
}

static cl_program link_two(const struct world *world, const char *name,
			   const char *options, cl_program one, cl_program two)
{
	cl_program inputs[] = {one, two}, linked;
	cl_int code = 1;

	linked = clLinkProgram(world->context, 1, &world->device, options,
			       two ? 2 : 1, inputs, NULL, NULL, &code);
	name_handle(linked, name);
	say("link %s: %d", handle_name(linked), code);
	return linked;
}

static void use_linked(const struct world *world, cl_program linked,
		       const char *function)
{
	cl_kernel kernel;

	if (!linked)
		return;
	show_program(world, linked);
	kernel = make_kernel(linked, function, "KL");
	if (kernel) {
		show_run(world, kernel, 5);
		show_kernel(world, kernel);
		release_kernel(kernel);
	}
	release_program(linked);
}

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

static void play_headers(struct world *world)
{
	static const char source[] =
		"#include \"value.h\"\n#include <deep/other.h>\n"
		"__kernel void use(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = VALUE * x + OTHER; }\n";
	static const char *names[] = {"value.h", "deep/other.h"};
	cl_program headers[2], program, linked;
	cl_int code;

	headers[0] = make_program(world, "H1", "#define VALUE 7\n");
	headers[1] = make_program(world, "H2", "#define OTHER 1000\n");
	program = make_program(world, "P1", source);
	code = clCompileProgram(program, 1, &world->device, "", 2, headers,
				names, NULL, NULL);
	say("compile with headers: %d", code);
	release_program(headers[0]);
	release_program(headers[1]);
	show_program(world, program);
	linked = link_two(world, "P2", "", program, NULL);
	use_linked(world, linked, "use");
	release_program(program);
}

/* A header may be a program that was built, too. */
static void play_built_header(struct world *world)
{
	static const char source[] =
		"#include \"whole.h\"\n"
		"__kernel void use(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x + 1; }\n";
	static const char *names[] = {"whole.h"};
	cl_program header = make_built(world, "P1", whole_source, "");
	cl_program program = make_program(world, "P2", source), linked;
	cl_int code;

	code = clCompileProgram(program, 1, &world->device, "", 1, &header,
				names, NULL, NULL);
	say("compile with a built header: %d", code);
	linked = link_two(world, "P3", "", program, NULL);
	use_linked(world, linked, "whole");
	show_program(world, header);
	release_program(header);
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
	SCENE("compile-link", play_compile_link, 0, 0, 0),
	SCENE("library", play_library, 0, 0, 0),
	SCENE("link-failure", play_link_failure, 0, 0, 0),
	SCENE("link-built", play_link_built, 1, 0, 0),
	SCENE("link-unbuilt", play_link_unbuilt, 0, 0, 0),
	SCENE("build-after-compile", play_build_after_compile, 0, 0, 1),
	SCENE("headers", play_headers, 0, 0, 0),
	SCENE("built-header", play_built_header, 1, 0, 0),
	SCENE("compile-failure", play_compile_failure, 0, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
