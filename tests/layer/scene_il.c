/* SPDX-License-Identifier: MIT */
/* Scenes with programs made from SPIR-V. */
#include "tests/layer/il.h"
#include "tests/layer/scene.h"

typedef cl_program (*create_function)(cl_context context, const void *il,
				      size_t size, cl_int *ret_code);
typedef cl_int (*set_function)(cl_program program, cl_uint id, size_t size,
			       const void *value);

static cl_program make_il(const struct world *world, const char *name)
{
	char versions[256] = "";
	cl_int code = 1;
	cl_program program;

	clGetDeviceInfo(world->device, CL_DEVICE_IL_VERSION, sizeof(versions),
			versions, NULL);
	if (!strstr(versions, "SPIR-V"))
		skip("the driver takes no SPIR-V");
	program = clCreateProgramWithIL(world->context, il_for(world->device),
					sizeof(il_words), &code);
	name_handle(program, name);
	say("create %s from IL: %d", handle_name(program), code);
	return program;
}

static void set_constant(cl_program program, cl_uint id, int value)
{
	cl_int code = clSetProgramSpecializationConstant(program, id,
							 sizeof(value), &value);

	say("constant %u of %s = %d: %d", id, handle_name(program), value,
	    code);
}

static void show_scale(const struct world *world, cl_program program)
{
	cl_kernel kernel = make_kernel(program, "scale", "K");

	if (!kernel)
		return;
	show_run(world, kernel, 2);
	release_kernel(kernel);
}

static void play_il(struct world *world)
{
	cl_program program = make_il(world, "P1");
	cl_kernel kernel;

	show_program(world, program);
	build(world, program, NULL);
	show_program(world, program);
	show_scale(world, program);
	kernel = make_kernel(program, "plain", "K1");
	show_kernel(world, kernel);
	show_arguments(kernel);
	show_run(world, kernel, 8);
	release_kernel(kernel);
	release_program(program);
}

static void play_il_options(struct world *world)
{
	cl_program program = make_il(world, "P1");

	build(world, program, "-cl-kernel-arg-info -cl-fast-relaxed-math");
	show_build(world, program);
	show_scale(world, program);
	release_program(program);
	program = make_il(world, "P2");
	build(world, program, "-no-such-option");
	show_build(world, program);
	release_program(program);
}

static void play_constants(struct world *world)
{
	cl_program program = make_il(world, "P1");

	set_constant(program, IL_SCALE_ID, 5);
	build(world, program, "");
	show_program(world, program);
	show_scale(world, program);
	release_program(program);
	program = make_il(world, "P2");
	set_constant(program, IL_SCALE_ID, 6);
	build(world, program, "");
	show_scale(world, program);
	release_program(program);
	program = make_il(world, "P3");
	/* The last value counts, whatever the order. */
	set_constant(program, IL_OFFSET_ID, 1000);
	set_constant(program, IL_SCALE_ID, 6);
	set_constant(program, IL_SCALE_ID, 7);
	build(world, program, "");
	show_scale(world, program);
	release_program(program);
	program = make_il(world, "P4");
	build(world, program, "");
	show_scale(world, program);
	release_program(program);
}

static void play_constant_errors(struct world *world)
{
	cl_program program = make_il(world, "P1"), other;
	char byte = 4;
	int value = 4;

	say("unknown id: %d",
	    clSetProgramSpecializationConstant(program, 12345, 4, &value));
	say("wrong size: %d",
	    clSetProgramSpecializationConstant(program, IL_SCALE_ID, 1, &byte));
	say("NULL value: %d",
	    clSetProgramSpecializationConstant(program, IL_SCALE_ID, 4, NULL));
	say("size 0: %d",
	    clSetProgramSpecializationConstant(program, IL_SCALE_ID, 0,
					       &value));
	say("NULL program: %d",
	    clSetProgramSpecializationConstant(NULL, IL_SCALE_ID, 4, &value));
	other = make_program(world, "P2", "kernel void k(global int *o) {}\n");
	say("source program: %d",
	    clSetProgramSpecializationConstant(other, IL_SCALE_ID, 4, &value));
	build(world, program, "");
	show_scale(world, program);
	release_program(program);
	release_program(other);
}

/* Intel's rebuild ignores what was set in between; so must a hit. */
static void play_constants_later(struct world *world)
{
	cl_program program = make_il(world, "P1");

	build(world, program, "");
	show_scale(world, program);
	set_constant(program, IL_SCALE_ID, 50);
	show_scale(world, program);
	build(world, program, "");
	show_program(world, program);
	show_scale(world, program);
	build(world, program, "-cl-opt-disable");
	show_scale(world, program);
	release_program(program);
	program = make_il(world, "P2");
	set_constant(program, IL_SCALE_ID, 50);
	build(world, program, "");
	show_scale(world, program);
	release_program(program);
}

/* The same calls as applications for OpenCL 2.0 find them. */
static void play_extension(struct world *world)
{
	create_function create =
		(create_function)clGetExtensionFunctionAddressForPlatform(
			world->platform, "clCreateProgramWithILKHR");
	set_function set =
		(set_function)clGetExtensionFunctionAddressForPlatform(
			world->platform, "clSetProgramSpecializationConstant");
	cl_program program;
	int value = 9;
	cl_int code = 1;

	if (!create)
		skip("the driver has no clCreateProgramWithILKHR");
	program = create(world->context, il_words, sizeof(il_words), &code);
	if (!program)
		skip("clCreateProgramWithILKHR answers %d", code);
	name_handle(program, "P1");
	say("create %s: %d", handle_name(program), code);
	say("setter: %s", set ? "there" : "none");
	if (set)
		say("set: %d", set(program, IL_SCALE_ID, 4, &value));
	build(world, program, "");
	show_program(world, program);
	show_scale(world, program);
	release_program(program);
}

static void play_malformed(struct world *world)
{
	cl_program good = make_il(world, "P1"), program;
	static const char garbage[64] = "this is no intermediate language";
	cl_int code = 1;

	program = clCreateProgramWithIL(world->context, NULL, 4, &code);
	say("NULL: %s %d", handle_name(program), code);
	program = clCreateProgramWithIL(world->context, il_words, 0, &code);
	say("empty: %s %d", handle_name(program), code);
	program =
		clCreateProgramWithIL(NULL, il_words, sizeof(il_words), &code);
	say("no context: %s %d", handle_name(program), code);
	program = clCreateProgramWithIL(world->context, garbage,
					sizeof(garbage), &code);
	name_handle(program, "P2");
	say("garbage: %s %d", handle_name(program), code);
	if (program) {
		build(world, program, "");
		show_build(world, program);
		release_program(program);
	}
	release_program(good);
}

static void play_rebuild(struct world *world)
{
	cl_program program = make_il(world, "P1");

	set_constant(program, IL_SCALE_ID, 21);
	build(world, program, "");
	build(world, program, "-cl-opt-disable");
	show_program(world, program);
	show_scale(world, program);
	say("compile: %d", clCompileProgram(program, 1, &world->device, "", 0,
					    NULL, NULL, NULL, NULL));
	show_build(world, program);
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("il", play_il, 1, 0, 0),
	/* NEO finds nothing wrong with them. */
	SCENE("il-options", play_il_options, 1, 1, 0,
	      ON(UNLIKE("neo", 2, 0, 0))),
	/* Rusticl's binaries lack constants. */
	SCENE("il-constants", play_constants, 4, 0, 0,
	      ON(UNLIKE("rusticl", 1, 0, 3))),
	SCENE("il-constant-errors", play_constant_errors, 1, 0, 0,
	      ON(ENDS("pocl", "dies of a NULL value"),
		 ENDS("intel-", "dies in the call of a source's program"))),
	/* What is built again before its release isn't stored. */
	SCENE("il-constants-later", play_constants_later, 2, 0, 2,
	      ON(UNLIKE("pocl", 1, 1, 2), UNLIKE("rusticl", 1, 0, 3))),
	SCENE("il-extension", play_extension, 1, 0, 0,
	      ON(UNLIKE("rusticl", 0, 0, 1))),
	SCENE("il-malformed", play_malformed, 0, 0, 0,
	      ON(UNLIKE("rusticl", 0, 1, 0))),
	SCENE("il-rebuild", play_rebuild, 1, 1, ANY,
	      ON(UNSERVED("pocl", 0, 1, 2, "it is built again meanwhile"),
		 UNLIKE("rusticl", 0, 0, 3))),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
