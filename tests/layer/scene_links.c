/* SPDX-License-Identifier: MIT */
/* Scenes with clLinkProgram: what is linked, how, and what lives how long. */
#include "tests/layer/scene.h"

static const char helper_source[] = "#ifndef N\n#define N 3\n#endif\n"
				    "int helper(int x) { return x * N; }\n";

static const char other_source[] = "int other(int x) { return x + 1000; }\n";

static const char user_source[] =
	"int helper(int x);\n"
	"__kernel void use(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = helper(x) + (int)get_global_id(0); }\n";

static const char both_source[] =
	"int helper(int x);\nint other(int x);\n"
	"__kernel void both(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = other(helper(x)); }\n";

static const char whole_source[] =
	"__kernel void whole(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x - (int)get_global_id(0); }\n";

static void play_one_object(struct world *world)
{
	cl_program object = make_compiled(world, "P1", whole_source, "");
	cl_program linked = link_two(world, "P2", "", object, NULL);

	show_program(world, object);
	use_linked(world, linked, "whole");
	release_program(object);
	show_counts(world, NULL, NULL);
}

static void play_three_objects(struct world *world)
{
	cl_program inputs[3], linked;
	int i;

	inputs[0] = make_compiled(world, "P1", both_source, "");
	inputs[1] = make_compiled(world, "P2", helper_source, "-DN=5");
	inputs[2] = make_compiled(world, "P3", other_source, NULL);
	linked = link_programs(world, "P4", NULL, 3, inputs);
	for (i = 0; i < 3; i++)
		release_program(inputs[i]);
	use_linked(world, linked, "both");
}

/* One object in two programs, and the same link twice. */
static void play_shared_object(struct world *world)
{
	cl_program helper = make_compiled(world, "P1", helper_source, "");
	cl_program user = make_compiled(world, "P2", user_source, "");
	cl_program whole = make_compiled(world, "P3", whole_source, "");
	cl_program inputs[] = {helper, user, whole}, one, two, three;

	one = link_two(world, "P4", "", helper, user);
	two = link_two(world, "P5", "", helper, user);
	three = link_programs(world, "P6", "", 3, inputs);
	release_program(user);
	release_program(helper);
	release_program(whole);
	use_linked(world, one, "use");
	use_linked(world, two, "use");
	use_linked(world, three, "whole");
}

/* Order and options make other programs. */
static void play_link_order(struct world *world)
{
	cl_program helper = make_compiled(world, "P1", helper_source, "");
	cl_program user = make_compiled(world, "P2", user_source, "");
	cl_program linked;

	linked = link_two(world, "P3", "", user, helper);
	show_function(world, linked, "use", 4);
	release_program(linked);
	linked = link_two(world, "P4", "-cl-fast-relaxed-math", user, helper);
	if (linked) {
		show_build(world, linked);
		show_function(world, linked, "use", 4);
		release_program(linked);
	}
	release_program(helper);
	release_program(user);
}

/* The object is compiled anew: a program linked before stays what it was. */
static void play_compiled_twice(struct world *world)
{
	cl_program helper = make_compiled(world, "P1", helper_source, "");
	cl_program user = make_compiled(world, "P2", user_source, "");
	cl_program first, second;

	first = link_two(world, "P3", "", helper, user);
	compile(world, helper, "-DN=8");
	show_program(world, helper);
	second = link_two(world, "P4", "", helper, user);
	if (first)
		show_function(world, first, "use", 2);
	if (second)
		show_function(world, second, "use", 2);
	if (first)
		release_program(first);
	if (second)
		release_program(second);
	release_program(helper);
	release_program(user);
}

static void play_linked_outlived(struct world *world)
{
	cl_program helper = make_compiled(world, "P1", helper_source, "");
	cl_program user = make_compiled(world, "P2", user_source, "");
	cl_program linked = link_two(world, "P3", "", helper, user);
	cl_kernel kernel;

	release_program(helper);
	release_program(user);
	if (!linked)
		return;
	kernel = make_kernel(linked, "use", "K1");
	show_counts(world, linked, kernel);
	release_program(linked);
	show_run(world, kernel, 7);
	show_kernel(world, kernel);
	show_arguments(kernel);
	release_kernel(kernel);
	show_counts(world, NULL, NULL);
}

/* An executable belongs to the linker: neither is it built nor compiled. */
static void play_rebuild_linked(struct world *world)
{
	cl_program object = make_compiled(world, "P1", whole_source, "");
	cl_program linked = link_two(world, "P2", "", object, NULL);

	release_program(object);
	if (!linked)
		return;
	build(world, linked, "");
	show_build(world, linked);
	compile(world, linked, "");
	show_build(world, linked);
	show_function(world, linked, "whole", 3);
	release_program(linked);
}

static void play_library_options(struct world *world)
{
	cl_program helper = make_compiled(world, "P1", helper_source, "");
	cl_program user = make_compiled(world, "P2", user_source, "");
	cl_program library, linked;

	library = link_two(world, "P3", "-create-library -enable-link-options",
			   helper, NULL);
	if (library) {
		show_program(world, library);
		make_kernel(library, "helper", "K1");
		linked = link_two(world, "P4", "-cl-fast-relaxed-math", library,
				  user);
		use_linked(world, linked, "use");
		release_program(library);
	}
	/* Only for libraries. */
	linked = link_two(world, "P5", "-enable-link-options", helper, user);
	if (linked)
		release_program(linked);
	release_program(helper);
	release_program(user);
}

static void play_library_of_library(struct world *world)
{
	cl_program helper = make_compiled(world, "P1", helper_source, "");
	cl_program other = make_compiled(world, "P2", other_source, "");
	cl_program both = make_compiled(world, "P3", both_source, "");
	cl_program inner, outer, linked;

	inner = link_two(world, "P4", "-create-library", helper, NULL);
	if (!inner)
		skip("the driver makes no libraries");
	outer = link_two(world, "P5", "-create-library", inner, other);
	release_program(inner);
	release_program(helper);
	release_program(other);
	if (outer) {
		linked = link_two(world, "P6", "", outer, both);
		release_program(outer);
		use_linked(world, linked, "both");
	}
	release_program(both);
}

static void play_all_devices(struct world *world)
{
	cl_program object = make_program(world, "P1", whole_source), linked;
	cl_int code;

	code = clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
	say("compile for all: %d", code);
	code = 1;
	linked = clLinkProgram(world->context, 0, NULL, "", 1, &object, NULL,
			       NULL, &code);
	name_handle(linked, "P2");
	say("link for all: %s %d", handle_name(linked), code);
	release_program(object);
	use_linked(world, linked, "whole");
}

/* Built after it was compiled: still fit for a link, or not. */
static void play_built_after_compile(struct world *world)
{
	cl_program program = make_compiled(world, "P1", whole_source, "");
	cl_program linked;

	build(world, program, "-DBUILT");
	show_program(world, program);
	linked = link_two(world, "P2", "", program, NULL);
	use_linked(world, linked, "whole");
	show_function(world, program, "whole", 2);
	release_program(program);
}

static void play_undefined(struct world *world)
{
	cl_program both = make_compiled(world, "P1", both_source, "");
	cl_program helper = make_compiled(world, "P2", helper_source, "");
	cl_program other = make_compiled(world, "P3", other_source, "");
	cl_program inputs[] = {both, helper, other}, linked;

	linked = link_two(world, "P4", "", both, helper);
	if (linked) {
		show_build(world, linked);
		make_kernel(linked, "both", "K1");
		release_program(linked);
	}
	linked = link_programs(world, "P5", "", 3, inputs);
	if (linked) {
		show_function(world, linked, "both", 3);
		release_program(linked);
	}
	release_program(both);
	release_program(helper);
	release_program(other);
}

static void play_defined_twice(struct world *world)
{
	cl_program one = make_compiled(world, "P1", helper_source, "-DN=1");
	cl_program two = make_compiled(world, "P2", helper_source, "-DN=2");
	cl_program linked = link_two(world, "P3", "", one, two);

	if (linked) {
		show_build(world, linked);
		release_program(linked);
	}
	release_program(one);
	release_program(two);
}

static void play_compile_options(struct world *world)
{
	static const char *const options[] = {"-cl-kernel-arg-info", "-w -DN=2",
					      "-cl-opt-disable"};
	cl_program object, linked;
	cl_kernel kernel;
	size_t i;

	for (i = 0; i < LENGTH(options); i++) {
		object = make_compiled(world, "P1", whole_source, options[i]);
		show_build(world, object);
		linked = link_two(world, "P2", "", object, NULL);
		if (linked) {
			kernel = make_kernel(linked, "whole", "K1");
			show_arguments(kernel);
			show_kernel(world, kernel);
			release_kernel(kernel);
			release_program(linked);
		}
		release_program(object);
	}
}

static const struct scene scenes[] = {
	SCENE("link-one", play_one_object, 2, 0, 0, .links = true),
	/* Rusticl links only objects of one SPIR-V version. */
	SCENE("link-three", play_three_objects, 4, 0, 0, .links = true,
	      ON(UNLIKE("rusticl", 3, 1, 0), UNLIKE("rusticl-26", 4, 0, 0))),
	SCENE("link-shared-object", play_shared_object, 6, 0, 0, .links = true),
	SCENE("link-order", play_link_order, 4, 0, 0, .links = true,
	      ON(UNLIKE("pocl", 3, 1, 0))),
	SCENE("compiled-twice", play_compiled_twice, ANY, ANY, ANY,
	      .links = true),
	SCENE("linked-outlived", play_linked_outlived, 3, 0, 0, .links = true),
	SCENE("rebuild-linked", play_rebuild_linked, ANY, ANY, ANY,
	      .links = true,
	      ON(ENDS("pocl", "dies of running what was compiled again"),
		 UNLIKE("pocl-7", ANY, ANY, ANY))),
	SCENE("library-options", play_library_options, ANY, ANY, ANY,
	      .links = true),
	SCENE("library-of-library", play_library_of_library, 6, 0, 0,
	      .links = true,
	      ON(UNLIKE("rusticl", 5, 1, 0), UNLIKE("rusticl-26", 6, 0, 0))),
	SCENE("link-all-devices", play_all_devices, 2, 0, 0, .links = true),
	SCENE("link-built-after-compile", play_built_after_compile, ANY, ANY,
	      ANY, .links = true,
	      ON(ENDS("nvidia", "dies of what is built among its inputs"))),
	SCENE("link-undefined", play_undefined, ANY, ANY, ANY, .links = true),
	SCENE("link-defined-twice", play_defined_twice, 2, ANY, ANY,
	      .links = true,
	      ON(ENDS("oclgrind", "dies: LLVM's linker exits"),
		 UNLIKE("rusticl", 3, 0, 0), UNLIKE("rusticl-26", 2, 1, 0))),
	SCENE("compile-options", play_compile_options, 6, 0, 0, .links = true),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
