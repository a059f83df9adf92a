/* SPDX-License-Identifier: MIT */
/* Scenes about callbacks, failures and building a program again. */
#include "tests/layer/scene.h"

static const char good[] = "#ifndef N\n#define N 1\n#endif\n"
			   "__kernel void scale(__global int *out, int x)\n"
			   "{ out[get_global_id(0)] = N * x; }\n";

static const char bad[] = "__kernel void broken(__global int *out, int x)\n"
			  "{ out[0] = undeclared_name + x; }\n";

/* Fails unless GOOD is defined. */
static const char either[] =
	"#ifdef GOOD\n"
	"__kernel void scale(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = GOOD * x; }\n"
	"#else\n"
	"__kernel void scale(__global int *out, int x) { undeclared(out); }\n"
	"#endif\n";

static void show_scale(const struct world *world, cl_program program,
		       const char *name)
{
	cl_kernel kernel = make_kernel(program, "scale", name);

	if (!kernel)
		return;
	show_run(world, kernel, 11);
	release_kernel(kernel);
}

static void look(struct called *called, cl_program program)
{
	show_program(called->world, program);
}

static void use(struct called *called, cl_program program)
{
	show_scale(called->world, program, "KC");
	show_counts(called->world, program, NULL);
}

static void end(struct called *called, cl_program program)
{
	show_build(called->world, program);
	release_program(program);
}

static void build_another(struct called *called, cl_program program)
{
	(void)program;
	build(called->world, called->another, "-DN=9");
	show_scale(called->world, called->another, "KC");
}

static void build_same(struct called *called, cl_program program)
{
	(void)program;
	build(called->world, called->another, "-DN=3");
	show_scale(called->world, called->another, "KC");
}

static void play_callback(struct world *world)
{
	struct called called = {.world = world, .act = look};
	cl_program program = make_program(world, "P1", good);

	build_called(&called, program, "-DN=3");
	show_program(world, program);
	show_scale(world, program, "K1");
	release_program(program);
}

static void play_callback_kernel(struct world *world)
{
	struct called called = {.world = world, .act = use};
	cl_program program = make_program(world, "P1", good);

	build_called(&called, program, "-DN=3");
	show_scale(world, program, "K1");
	release_program(program);
}

static void play_callback_release(struct world *world)
{
	struct called called = {.world = world, .act = end};
	cl_program program = make_program(world, "P1", good);

	say("retain: %d", clRetainProgram(program));
	build_called(&called, program, "-DN=3");
	show_scale(world, program, "K1");
	release_program(program);
	show_counts(world, NULL, NULL);
}

static void play_callback_last_release(struct world *world)
{
	struct called called = {.world = world, .act = end};
	cl_program program;

	program = make_program(world, "P1", good);
	build_called(&called, program, "-DN=3");
	show_counts(world, NULL, NULL);
}

static void play_callback_builds(struct world *world)
{
	struct called called = {.world = world, .act = build_another};
	cl_program program = make_program(world, "P1", good);

	called.another = make_program(world, "P2", good);
	build_called(&called, program, "-DN=3");
	show_scale(world, program, "K1");
	show_program(world, called.another);
	release_program(program);
	release_program(called.another);
}

/* The same key in the callback: whoever builds must not wait for itself. */
static void play_callback_same_key(struct world *world)
{
	struct called called = {.world = world, .act = build_same};
	cl_program program = make_program(world, "P1", good);

	called.another = make_program(world, "P2", good);
	build_called(&called, program, "-DN=3");
	show_scale(world, program, "K1");
	show_program(world, called.another);
	release_program(program);
	release_program(called.another);
}

static void play_failure(struct world *world)
{
	cl_program program = make_built(world, "P1", bad, "-w");
	cl_kernel kernels[2] = {NULL, NULL};
	cl_uint count = 77;
	cl_int code;

	show_program(world, program);
	make_kernel(program, "broken", "K1");
	code = clCreateKernelsInProgram(program, 2, kernels, &count);
	say("kernels: %d %u", code, count);
	build(world, program, "-w");
	show_program(world, program);
	release_program(program);
}

static void play_failure_callback(struct world *world)
{
	struct called called = {.world = world, .act = look};
	cl_program program = make_program(world, "P1", bad);

	build_called(&called, program, "");
	show_program(world, program);
	make_kernel(program, "broken", "K1");
	release_program(program);
}

static void play_failure_then_good(struct world *world)
{
	cl_program program = make_built(world, "P1", either, "");

	show_build(world, program);
	build(world, program, "-DGOOD=5");
	show_program(world, program);
	show_scale(world, program, "K1");
	release_program(program);
}

static void play_good_then_failure(struct world *world)
{
	cl_program program = make_built(world, "P1", either, "-DGOOD=5");

	show_scale(world, program, "K1");
	build(world, program, "-DBAD");
	show_program(world, program);
	show_scale(world, program, "K2");
	build(world, program, "-DGOOD=7");
	show_program(world, program);
	show_scale(world, program, "K3");
	release_program(program);
}

static void play_other_options(struct world *world)
{
	cl_program program = make_built(world, "P1", good, "-DN=2");

	show_scale(world, program, "K1");
	show_program(world, program);
	build(world, program, "-DN=4");
	show_program(world, program);
	show_scale(world, program, "K2");
	build(world, program, "-DN=2");
	show_program(world, program);
	show_scale(world, program, "K3");
	release_program(program);
}

/*
 * Rusticl counts kernels that are made, and those that go, but not clones that
 * are made: after a clone's end it takes the program for one without kernels,
 * and after the kernel's for one with some.
 */
static void play_rebuild_cloned(struct world *world)
{
	cl_program program;
	cl_kernel kernel, clone;
	cl_int code;

	if (world->version < 210)
		skip("OpenCL 1.2 has no clCloneKernel");
	program = make_built(world, "P1", good, "-DN=2");
	kernel = make_kernel(program, "scale", "K1");
	clone = clCloneKernel(kernel, &code);
	name_handle(clone, "C1");
	say("clone %d", code);
	if (!code)
		release_kernel(clone);
	build(world, program, "-DN=4");
	show_program(world, program);
	release_kernel(kernel);
	build(world, program, "-DN=5");
	compile(world, program, "-DN=5");
	show_program(world, program);
	kernel = make_kernel(program, "scale", "K2");
	build(world, program, "-DN=6");
	release_kernel(kernel);
	show_program(world, program);
	release_program(program);
}

/* The same of what was built once: a compile is refused, too. */
static void play_compile_cloned(struct world *world)
{
	cl_program program;
	cl_kernel kernel, clone;
	cl_int code;

	if (world->version < 210)
		skip("OpenCL 1.2 has no clCloneKernel");
	program = make_built(world, "P1", good, "-DN=2");
	kernel = make_kernel(program, "scale", "K1");
	clone = clCloneKernel(kernel, &code);
	name_handle(clone, "C1");
	say("clone %d", code);
	if (!code)
		release_kernel(clone);
	show_run(world, kernel, 1);
	show_run(world, kernel, 2);
	release_kernel(kernel);
	build(world, program, "-DN=4");
	compile(world, program, "-DN=5");
	show_program(world, program);
	release_program(program);
}

static void play_same_options(struct world *world)
{
	struct called called = {.world = world, .act = look};
	cl_program program = make_built(world, "P1", good, "-DN=2");

	build(world, program, "-DN=2");
	show_program(world, program);
	show_scale(world, program, "K1");
	build_called(&called, program, "-DN=2");
	show_scale(world, program, "K2");
	release_program(program);
}

static void play_rebuild_attached(struct world *world)
{
	struct called called = {.world = world, .act = look};
	cl_program program = make_built(world, "P1", good, "-DN=2");
	cl_kernel kernel = make_kernel(program, "scale", "K1");

	build(world, program, "-DN=4");
	show_program(world, program);
	build(world, program, "-DN=2");
	build_called(&called, program, "-DN=4");
	show_run(world, kernel, 3);
	show_kernel(world, kernel);
	say("compile: %d", clCompileProgram(program, 1, &world->device, "", 0,
					    NULL, NULL, NULL, NULL));
	show_run(world, kernel, 3);
	release_kernel(kernel);
	build(world, program, "-DN=4");
	show_program(world, program);
	show_scale(world, program, "K2");
	release_program(program);
}

static void play_compile_after_build(struct world *world)
{
	cl_program program = make_built(world, "P1", good, "-DN=2");

	show_program(world, program);
	say("compile: %d", clCompileProgram(program, 1, &world->device, "-DN=6",
					    0, NULL, NULL, NULL, NULL));
	show_program(world, program);
	show_scale(world, program, "K1");
	build(world, program, "-DN=3");
	show_program(world, program);
	show_scale(world, program, "K2");
	release_program(program);
}

/*
 * A program that the store served was never built in the driver: its next
 * build is looked up, too. Builds of one that the driver has built aren't.
 */
static const struct scene scenes[] = {
	SCENE("callback", play_callback, 1, 0, 0),
	SCENE("callback-kernel", play_callback_kernel, 1, 0, 0),
	SCENE("callback-release", play_callback_release, 1, 0, 0),
	SCENE("callback-last-release", play_callback_last_release, 1, 0, 0),
	SCENE("callback-builds", play_callback_builds, 2, 0, 0,
	      ON(ENDS("rusticl-26", "hangs in a build in a callback"))),
	SCENE("callback-same-key", play_callback_same_key, 2, 0, 0,
	      ON(ENDS("rusticl-26", "hangs in a build in a callback"))),
	SCENE("failure", play_failure, 0, 1, 1),
	SCENE("failure-callback", play_failure_callback, 0, 1, 0),
	SCENE("failure-then-good", play_failure_then_good, 0, 1, 1,
	      .uncacheable = "the driver has built the handle before"),
	SCENE("good-then-failure", play_good_then_failure, 1, 1, 1,
	      SEED(either, "-DGOOD=5"), ON(UNLIKE("rusticl", 1, 0, 2))),
	SCENE("other-options", play_other_options, 1, 1, 1, SEED(good, "-DN=2"),
	      ON(UNLIKE("rusticl", 1, 0, 2))),
	SCENE("same-options", play_same_options, 3, 0, 0, SEED(good, "-DN=2"),
	      ON(UNLIKE("rusticl", 1, 0, 2))),
	SCENE("rebuild-cloned", play_rebuild_cloned, 1, ANY, ANY,
	      SEED(good, "-DN=2")),
	SCENE("compile-cloned", play_compile_cloned, 1, ANY, ANY,
	      SEED(good, "-DN=2")),
	SCENE("rebuild-attached", play_rebuild_attached, 1, ANY, ANY,
	      SEED(good, "-DN=2"),
	      ON(ENDS("oclgrind", "dies of a kernel after a compile"))),
	SCENE("compile-after-build", play_compile_after_build, 1, ANY, ANY,
	      .links = true,
	      ON(ENDS("rusticl", "dies of a kernel of what was compiled"),
		 UNLIKE("rusticl-26", 1, ANY, ANY)),
	      SEED(good, "-DN=2")),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
