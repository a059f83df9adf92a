/* SPDX-License-Identifier: MIT */
/* Scenes in which the application keeps and loads binaries itself. */
#include "tests/layer/scene.h"

static const char source[] =
	"__attribute__((reqd_work_group_size(4, 1, 1)))\n"
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n"
	"__kernel void other(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x; }\n";

static const char helper_source[] = "int helper(int x) { return x * 3; }\n";

static const char user_source[] =
	"int helper(int x);\n"
	"__kernel void use(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = helper(x); }\n";

/* Rusticl has the kernels of a binary in another order each time. */
static void show_copy(const struct world *world, cl_program copy)
{
	if (world->rusticl)
		show_build(world, copy);
	else
		show_program(world, copy);
}

static void play_saved(struct world *world)
{
	cl_program program = make_built(world, "P1", source, ""), copy;

	copy = make_copy(world, "P2", program);
	release_program(program);
	show_build(world, copy);
	build(world, copy, "");
	show_copy(world, copy);
	show_function(world, copy, "other", 6);
	show_sizes(copy);
	release_program(copy);
	show_counts(world, NULL, NULL);
}

/* The copy's binary, loaded again. */
static void play_copy_of_copy(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_program copy = make_copy(world, "P2", program), again;

	release_program(program);
	build(world, copy, NULL);
	again = make_copy(world, "P3", copy);
	release_program(copy);
	if (!again)
		return;
	build(world, again, NULL);
	show_copy(world, again);
	show_function(world, again, "add", 4);
	release_program(again);
}

static void play_object_binary(struct world *world)
{
	cl_program user = make_compiled(world, "P1", user_source, "");
	cl_program helper = make_compiled(world, "P2", helper_source, "");
	cl_program copy = make_copy(world, "P3", helper), linked;

	release_program(helper);
	if (copy) {
		show_program(world, copy);
		linked = link_two(world, "P4", "", user, copy);
		use_linked(world, linked, "use");
		release_program(copy);
	}
	release_program(user);
}

static void play_both_binaries(struct world *world)
{
	cl_program user = make_compiled(world, "P1", user_source, "");
	cl_program helper = make_compiled(world, "P2", helper_source, "");
	cl_program first = make_copy(world, "P3", user);
	cl_program second = make_copy(world, "P4", helper), linked;

	release_program(helper);
	release_program(user);
	if (first && second) {
		linked = link_two(world, "P5", "", first, second);
		use_linked(world, linked, "use");
	}
	if (first)
		release_program(first);
	if (second)
		release_program(second);
}

static void play_library_binary(struct world *world)
{
	cl_program user = make_compiled(world, "P1", user_source, "");
	cl_program helper = make_compiled(world, "P2", helper_source, "");
	cl_program library, copy, linked;

	library = link_two(world, "P3", "-create-library", helper, NULL);
	release_program(helper);
	if (!library)
		skip("the driver makes no libraries");
	copy = make_copy(world, "P4", library);
	release_program(library);
	if (copy) {
		show_program(world, copy);
		linked = link_two(world, "P5", "", user, copy);
		release_program(copy);
		use_linked(world, linked, "use");
	}
	release_program(user);
}

static void play_linked_binary(struct world *world)
{
	cl_program user = make_compiled(world, "P1", user_source, "");
	cl_program helper = make_compiled(world, "P2", helper_source, "");
	cl_program linked = link_two(world, "P3", "", user, helper), copy;

	release_program(user);
	release_program(helper);
	if (!linked)
		return;
	copy = make_copy(world, "P4", linked);
	release_program(linked);
	if (!copy)
		return;
	build(world, copy, "");
	use_linked(world, copy, "use");
}

static void play_compile_binary(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_program copy = make_copy(world, "P2", program);

	compile(world, copy, "");
	show_build(world, copy);
	release_program(copy);
	release_program(program);
}

static void play_bad_binaries(struct world *world)
{
	static const unsigned char garbage[64] = "no driver has made this";
	const unsigned char *bytes = garbage, *nothing = NULL;
	size_t size = sizeof(garbage), zero = 0;
	cl_int code = 1, status = 77;
	cl_program program;

	program = clCreateProgramWithBinary(world->context, 1, &world->device,
					    &size, &bytes, &status, &code);
	say("garbage: %s %d %d", program ? "a program" : "NULL", code, status);
	if (program)
		clReleaseProgram(program);
	program = clCreateProgramWithBinary(world->context, 1, &world->device,
					    &zero, &bytes, &status, &code);
	say("empty: %s %d %d", program ? "a program" : "NULL", code, status);
	if (!world->oclgrind) {
		program = clCreateProgramWithBinary(world->context, 1,
						    &world->device, &size,
						    &nothing, &status, &code);
		say("NULL: %s %d %d", program ? "a program" : "NULL", code,
		    status);
	}
	program = clCreateProgramWithBinary(world->context, 0, NULL, &size,
					    &bytes, &status, &code);
	say("no device: %s %d", program ? "a program" : "NULL", code);
	program = clCreateProgramWithBinary(NULL, 1, &world->device, &size,
					    &bytes, NULL, &code);
	say("no context: %s %d", program ? "a program" : "NULL", code);
	program = make_built(world, "P1", source, "");
	show_function(world, program, "add", 3);
	release_program(program);
}

/* What a program is asked for after it was built anew is of the new one. */
static void play_rebuilt_binary(struct world *world)
{
	static const char text[] = "__kernel void k(__global int *out, int x)\n"
				   "{ out[get_global_id(0)] = N * x; }\n";
	cl_program program = make_built(world, "P1", text, "-DN=2"), copy;

	build(world, program, "-DN=3");
	copy = make_copy(world, "P2", program);
	release_program(program);
	build(world, copy, "");
	show_function(world, copy, "k", 10);
	release_program(copy);
}

static void play_binary_queries(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	unsigned char *pointers[1] = {NULL};
	size_t sizes[4] = {0}, got = 0;
	cl_int code;

	code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 0, NULL,
				&got);
	say("sizes' size: %d %zu", code, got);
	code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 3, sizes,
				&got);
	say("small: %d", code);
	code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes),
				sizes, &got);
	say("large: %d %zu %s", code, got, sizes[0] ? "some" : "none");
	code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, 0, NULL, &got);
	say("binaries' size: %d %zu", code, got);
	if (!world->rusticl)
		say("small: %d", clGetProgramInfo(program, CL_PROGRAM_BINARIES,
						  3, pointers, &got));
	/* The others write to NULL, or abort. */
	if (world->intel)
		say("a NULL place: %d",
		    clGetProgramInfo(program, CL_PROGRAM_BINARIES,
				     sizeof(pointers), pointers, NULL));
	show_sizes(program);
	release_program(program);
	program = make_program(world, "P2", source);
	show_sizes(program);
	release_program(program);
}

/* Kernels and their attributes of what the application loaded itself. */
static void play_binary_kernels(struct world *world)
{
	cl_program program =
		make_built(world, "P1", source, "-cl-kernel-arg-info");
	cl_program copy = make_copy(world, "P2", program);
	cl_kernel kernel;

	build(world, copy, "-cl-kernel-arg-info");
	kernel = make_kernel(copy, "add", "K1");
	show_kernel(world, kernel);
	show_arguments(kernel);
	release_program(program);
	release_kernel(kernel);
	release_program(copy);
}

static const struct scene scenes[] = {
	SCENE("saved-binary", play_saved, 1, 0, 0),
	SCENE("copy-of-copy", play_copy_of_copy, 1, 0, 0),
	SCENE("object-binary", play_object_binary, ANY, ANY, ANY,
	      .links = true),
	SCENE("both-binaries", play_both_binaries, ANY, ANY, ANY,
	      .links = true),
	SCENE("library-binary", play_library_binary, ANY, ANY, ANY,
	      .links = true),
	/* Rusticl links only objects of one SPIR-V version. */
	SCENE("linked-binary", play_linked_binary, 3, 0, 0, .links = true,
	      ON(UNLIKE("rusticl", 2, 1, 0), UNLIKE("rusticl-26", 3, 0, 0))),
	SCENE("compile-binary", play_compile_binary, 1, 0, 0),
	SCENE("bad-binaries", play_bad_binaries, 1, 0, 0,
	      ON(ENDS("rusticl", "dies of a garbage binary"),
		 UNLIKE("rusticl-26", 1, 0, 0),
		 ENDS("stub", "dies of a garbage binary"),
		 ENDS("neo", "dies of a binary that is cut off"))),
	SCENE("rebuilt-binary", play_rebuilt_binary, ANY, ANY, ANY,
	      SEED(source, "")),
	SCENE("binary-queries", play_binary_queries, 1, 0, 0),
	SCENE("binary-kernels", play_binary_kernels, 1, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
