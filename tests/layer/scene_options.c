/* SPDX-License-Identifier: MIT */
/* Scenes about build options. */
#include "tests/layer/scene.h"

static const char values[] =
	"#ifndef A\n#define A 1\n#endif\n#ifndef B\n#define B 2\n#endif\n"
	"__kernel void value(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (A) * 100 + (B) * x; }\n";

static void try_options(const struct world *world, const char *source,
			const char *function, const char *const *options,
			size_t count)
{
	cl_program program;
	char name[8];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "P%zu", i);
		program = make_built(world, name, source, options[i]);
		show_build(world, program);
		show_function(world, program, function, 5);
		release_program(program);
	}
}

static void play_define_forms(struct world *world)
{
	static const char *const options[] = {
		"-DA",
		"-D A=3 -DB=4",
		"-DA=3 -DA=5",
		"-DA=7 -UA",
	};

	try_options(world, values, "value", options, LENGTH(options));
}

/* The same words in another order are other options. */
static void play_define_order(struct world *world)
{
	static const char *const options[] = {
		"-DA=3 -DB=4",
		"-DB=4 -DA=3",
		"-DA=3  -DB=4",
	};

	try_options(world, values, "value", options, LENGTH(options));
}

static void play_define_function(struct world *world)
{
	static const char source[] =
		"__kernel void value(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = F(x) + N; }\n";
	static const char *const options[] = {"-DF(y)=(y*3) -DN=(1<<2)"};

	try_options(world, source, "value", options, LENGTH(options));
}

static void play_standards(struct world *world)
{
	static const char source[] =
		"__kernel void value(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = __OPENCL_C_VERSION__ + x; }\n";
	static const char *const options[] = {
		"-cl-std=CL1.1",
		"-cl-std=CL1.2",
		"-cl-std=CL2.0",
		"-cl-std=CL3.0",
	};

	try_options(world, source, "value", options,
		    world->version < 200 ? 2 : LENGTH(options));
}

static void play_bad_standard(struct world *world)
{
	cl_program program =
		make_built(world, "P1", values, "-cl-std=CL9.9 -DA=2");

	show_build(world, program);
	build(world, program, "-DA=2");
	show_build(world, program);
	release_program(program);
}

static void play_math_options(struct world *world)
{
	static const char source[] =
		"__kernel void value(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = as_int(x * 0.5f + 1.25f); }\n";
	static const char *const options[] = {
		"-cl-single-precision-constant -cl-denorms-are-zero",
		"-cl-mad-enable -cl-no-signed-zeros",
		"-cl-unsafe-math-optimizations -cl-finite-math-only",
	};

	try_options(world, source, "value", options, LENGTH(options));
}

static const char warned[] = "__kernel void value(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = x; }\n"
			     "#warning look here\n";

static void play_no_warnings(struct world *world)
{
	static const char *const options[] = {"-w", "-w -DA"};

	try_options(world, warned, "value", options, LENGTH(options));
}

static void play_warnings_are_errors(struct world *world)
{
	cl_program program = make_built(world, "P1", warned, "-Werror");

	show_program(world, program);
	release_program(program);
	/* Without warnings it makes no difference. */
	program = make_built(world, "P2", values, "-Werror");
	show_program(world, program);
	show_function(world, program, "value", 5);
	release_program(program);
}

static void play_include_directory(struct world *world)
{
	cl_program program = make_built(world, "P1", values, "-I. -DA=4");

	show_build(world, program);
	show_function(world, program, "value", 5);
	release_program(program);
}

/* Drivers cut at blanks only: these bytes belong to the options. */
static void play_odd_blanks(struct world *world)
{
	static const char *const options[] = {"-DA=3 ", " -DA=3",
					      "-DA=3    -DB=7   "};

	try_options(world, values, "value", options, LENGTH(options));
}

static void play_long_options(struct world *world)
{
	char options[4096] = "";
	cl_program program;
	size_t used = 0;
	int i;

	for (i = 0; i < 100; i++)
		used += (size_t)snprintf(options + used, sizeof(options) - used,
					 "-DNAME_OF_NUMBER_%d=%d ", i, i);
	program = make_built(world, "P1", values, options);
	show_build(world, program);
	show_function(world, program, "value", 5);
	release_program(program);
}

/* What the application does with its string afterwards is its own business. */
static void play_options_buffer(struct world *world)
{
	char options[32] = "-DA=3";
	cl_program program = make_built(world, "P1", values, options);

	memset(options, 'x', sizeof(options) - 1);
	show_build(world, program);
	show_function(world, program, "value", 5);
	release_program(program);
}

/* The next build says nothing of the last one's options. */
static void play_options_forgotten(struct world *world)
{
	cl_program program = make_built(world, "P1", values, "-DA=3");

	build(world, program, NULL);
	show_build(world, program);
	show_function(world, program, "value", 5);
	build(world, program, "");
	show_build(world, program);
	show_function(world, program, "value", 5);
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("define-forms", play_define_forms, 4, 0, 0,
	      ON(UNLIKE("pocl", 3, 1, 0), UNLIKE("intel", 3, 1, 0),
		 UNLIKE("neo", 3, 1, 0), UNLIKE("rusticl-26", 3, 1, 0))),
	SCENE("define-order", play_define_order, 3, 0, 0),
	SCENE("define-function", play_define_function, 1, 0, 0),
	SCENE("standards", play_standards, 4, 0, 0,
	      ON(UNLIKE("oclgrind", 2, 0, 0), UNLIKE("pocl-7", 3, 1, 0))),
	SCENE("bad-standard", play_bad_standard, 0, 1, 1,
	      .uncacheable = "the driver has built the handle before",
	      ON(UNLIKE("stub", 1, 1, 0))),
	SCENE("math-options", play_math_options, 3, 0, 0),
	SCENE("no-warnings", play_no_warnings, 2, 0, 0),
	SCENE("warnings-are-errors", play_warnings_are_errors, 1, 1, 0,
	      .logs = true, ON(UNLIKE("oclgrind", 2, 0, 0))),
	SCENE("include-directory", play_include_directory, 1, 0, 0),
	SCENE("odd-blanks", play_odd_blanks, 3, 0, 0),
	SCENE("long-options", play_long_options, 1, 0, 0),
	SCENE("options-buffer", play_options_buffer, 1, 0, 0),
	SCENE("options-forgotten", play_options_forgotten, ANY, ANY, ANY),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
