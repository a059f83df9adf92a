/* SPDX-License-Identifier: MIT */
/* Scenes with compiling and linking: callbacks, IL, wrong parameters. */
#include "tests/layer/il.h"
#include "tests/layer/scene.h"

static const char helper_source[] = "int helper(int x) { return x * 3; }\n";

static const char user_source[] =
	"int helper(int x);\n"
	"__kernel void use(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = helper(x) + (int)get_global_id(0); }\n";

static const char whole_source[] =
	"__kernel void whole(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x - (int)get_global_id(0); }\n";

static void look(struct called *called, cl_program program)
{
	show_build(called->world, program);
}

static void use(struct called *called, cl_program program)
{
	show_function(called->world, program, "whole", 6);
}

static void end(struct called *called, cl_program program)
{
	(void)called;
	say("release in callback: %d", clReleaseProgram(program));
}

static void link_another(struct called *called, cl_program program)
{
	cl_program linked;

	(void)program;
	linked = link_two(called->world, "PC", "", called->another, NULL);
	if (!linked)
		return;
	show_function(called->world, linked, "whole", 2);
	release_program(linked);
}

static void play_compile_callback(struct world *world)
{
	struct called called = {.world = world, .act = look};
	cl_program program = make_program(world, "P1", whole_source);

	compile_called(&called, program, "-DA");
	show_program(world, program);
	release_program(program);
}

static void play_compile_callback_fails(struct world *world)
{
	struct called called = {.world = world};
	cl_program program =
		make_program(world, "P1",
			     "int broken(void) { return undeclared; }\n");

	compile_called(&called, program, "");
	release_program(program);
}

static void play_compile_callback_links(struct world *world)
{
	struct called called = {.world = world, .act = link_another};
	cl_program program = make_program(world, "P1", helper_source);

	called.another = make_compiled(world, "P2", whole_source, "");
	compile_called(&called, program, "");
	release_program(program);
	release_program(called.another);
}

static void play_link_callback(struct world *world)
{
	struct called called = {.world = world, .act = look};
	cl_program object = make_compiled(world, "P1", whole_source, "");
	cl_program linked = link_called(&called, "P2", "", 1, &object);

	release_program(object);
	use_linked(world, linked, "whole");
}

static void play_link_callback_kernel(struct world *world)
{
	struct called called = {.world = world, .act = use};
	cl_program object = make_compiled(world, "P1", whole_source, "");
	cl_program linked = link_called(&called, "P2", "", 1, &object);

	release_program(object);
	use_linked(world, linked, "whole");
}

/* The callback has the handle before the caller has it. */
static void play_link_callback_release(struct world *world)
{
	struct called called = {.world = world, .act = end};
	cl_program object = make_compiled(world, "P1", whole_source, "");
	cl_int code = 1;

	called_before(&called, NULL);
	clLinkProgram(world->context, 1, &world->device, "", 1, &object,
		      on_called, &called, &code);
	called_after(&called, code);
	say("link: %d, %d calls", code, called.calls);
	release_program(object);
	show_counts(world, NULL, NULL);
}

static void play_link_callback_fails(struct world *world)
{
	struct called called = {.world = world};
	cl_program object = make_compiled(world, "P1", user_source, "");
	cl_program linked = link_called(&called, "P2", "", 1, &object);

	if (linked)
		release_program(linked);
	release_program(object);
}

static void play_library_callback(struct world *world)
{
	struct called called = {.world = world, .act = look};
	cl_program helper = make_compiled(world, "P1", helper_source, "");
	cl_program user = make_compiled(world, "P2", user_source, "");
	cl_program library =
		link_called(&called, "P3", "-create-library", 1, &helper);
	cl_program linked;

	release_program(helper);
	if (library) {
		linked = link_two(world, "P4", "", library, user);
		release_program(library);
		use_linked(world, linked, "use");
	}
	release_program(user);
}

static cl_program make_il(const struct world *world, const char *name)
{
	char versions[256] = "";
	cl_program program;
	cl_int code = 1;

	if (world->version < 210)
		skip("the driver takes no SPIR-V");
	clGetDeviceInfo(world->device, CL_DEVICE_IL_VERSION, sizeof(versions),
			versions, NULL);
	if (!strstr(versions, "SPIR-V"))
		skip("the driver takes no SPIR-V");
	program = clCreateProgramWithIL(world->context, il_words,
					sizeof(il_words), &code);
	name_handle(program, name);
	say("create %s from IL: %d", handle_name(program), code);
	return program;
}

static void play_compile_il(struct world *world)
{
	cl_program object = make_il(world, "P1"), linked;

	compile(world, object, "");
	show_program(world, object);
	linked = link_two(world, "P2", "", object, NULL);
	show_program(world, object);
	use_linked(world, linked, "scale");
	release_program(object);
}

static void play_compile_il_constant(struct world *world)
{
	cl_program object = make_il(world, "P1"), linked;
	int value = 50;

	say("constant: %d",
	    clSetProgramSpecializationConstant(object, IL_SCALE_ID,
					       sizeof(value), &value));
	compile(world, object, "");
	linked = link_two(world, "P2", "", object, NULL);
	release_program(object);
	if (!linked)
		return;
	show_function(world, linked, "scale", 2);
	release_program(linked);
}

static void say_link(const struct world *world, const char *what,
		     cl_context context, cl_uint devices,
		     const cl_device_id *list, cl_uint count,
		     const cl_program *inputs, void *data)
{
	cl_int code = 1;
	cl_program linked = clLinkProgram(context, devices, list, "", count,
					  inputs, NULL, data, &code);

	say("link, %s: %s %d", what, linked ? "a program" : "NULL", code);
	if (linked)
		clReleaseProgram(linked);
	(void)world;
}

static void play_bad_links(struct world *world)
{
	cl_program object = make_compiled(world, "P1", whole_source, "");
	cl_device_id *device = &world->device;
	cl_program linked;
	int data = 0;

	say_link(world, "no inputs", world->context, 1, device, 0, NULL, NULL);
	say_link(world, "a count without inputs", world->context, 1, device, 1,
		 NULL, NULL);
	say_link(world, "inputs without a count", world->context, 1, device, 0,
		 &object, NULL);
	say_link(world, "no context", NULL, 1, device, 1, &object, NULL);
	say_link(world, "a count without devices", world->context, 1, NULL, 1,
		 &object, NULL);
	say_link(world, "devices without a count", world->context, 0, device, 1,
		 &object, NULL);
	say_link(world, "data without a callback", world->context, 1, device, 1,
		 &object, &data);
	linked = clLinkProgram(world->context, 1, device, "", 1, &object, NULL,
			       NULL, NULL);
	say("without a code: %s", linked ? "a program" : "NULL");
	if (linked)
		clReleaseProgram(linked);
	release_program(object);
}

static void play_bad_compiles(struct world *world)
{
	cl_program program = make_program(world, "P1", whole_source);
	cl_program header = make_program(world, "H1", "#define A\n");
	const char *name = "a.h";
	int data = 0;

	say("a count without devices: %d",
	    clCompileProgram(program, 1, NULL, "", 0, NULL, NULL, NULL, NULL));
	say("devices without a count: %d",
	    clCompileProgram(program, 0, &world->device, "", 0, NULL, NULL,
			     NULL, NULL));
	say("data without a callback: %d",
	    clCompileProgram(program, 1, &world->device, "", 0, NULL, NULL,
			     NULL, &data));
	say("names without a count: %d",
	    clCompileProgram(program, 1, &world->device, "", 0, NULL, &name,
			     NULL, NULL));
	say("headers without a count: %d",
	    clCompileProgram(program, 1, &world->device, "", 0, &header, NULL,
			     NULL, NULL));
	compile(world, program, "-no-such-option");
	compile(world, program, "-create-library");
	compile(world, program, "");
	show_program(world, program);
	release_program(header);
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("compile-callback", play_compile_callback, 1, 0, 0,
	      .links = true),
	SCENE("compile-callback-fails", play_compile_callback_fails, 0, 1, 0,
	      .links = true),
	SCENE("compile-callback-links", play_compile_callback_links, 3, 0, 0,
	      .links = true,
	      ON(ENDS("rusticl-26", "hangs in a build in a callback"))),
	SCENE("link-callback", play_link_callback, 2, 0, 0, .links = true),
	SCENE("link-callback-kernel", play_link_callback_kernel, 2, 0, 0,
	      .links = true),
	SCENE("link-callback-release", play_link_callback_release, 2, 0, 0,
	      .links = true),
	/* Oclgrind links with undefined symbols. */
	SCENE("link-callback-fails", play_link_callback_fails, 1, 1, 0,
	      .links = true, ON(UNLIKE("oclgrind", 2, 0, 0))),
	SCENE("library-callback", play_library_callback, 4, 0, 0,
	      .links = true),
	SCENE("compile-il", play_compile_il, 2, 0, 0, .links = true),
	SCENE("compile-il-constant", play_compile_il_constant, 2, 0, 0,
	      .links = true, ON(UNLIKE("rusticl", 0, 0, 2))),
	SCENE("bad-links", play_bad_links, ANY, ANY, ANY, .links = true,
	      ON(ENDS("oclgrind", "dies of a count without inputs"),
		 ENDS("nvidia", "dies of a count without inputs"))),
	SCENE("bad-compiles", play_bad_compiles, ANY, ANY, ANY, .links = true),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
