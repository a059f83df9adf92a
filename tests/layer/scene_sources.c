/* SPDX-License-Identifier: MIT */
/* Scenes about program texts and how they are handed over. */
#include "tests/layer/scene.h"

static const char plain[] =
	"__kernel void plain(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n";

static cl_program make_strings(const struct world *world, const char *name,
			       const char **strings, const size_t *lengths,
			       cl_uint count)
{
	cl_int code = 1;
	cl_program program = clCreateProgramWithSource(world->context, count,
						       strings, lengths, &code);

	name_handle(program, name);
	say("create %s of %u strings: %d", handle_name(program), count, code);
	return program;
}

static void play_exact_lengths(struct world *world)
{
	/* No NUL anywhere: what is behind must not be read. */
	char first[sizeof(plain) - 1];
	const char *strings[] = {first, "never read"};
	size_t lengths[] = {20, 1};
	cl_program program;

	memcpy(first, plain, sizeof(first));
	lengths[0] = sizeof(first);
	strings[1] = "\n";
	program = make_strings(world, "P1", strings, lengths, 2);
	memset(first, '!', sizeof(first));
	build(world, program, "");
	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_embedded_nul(struct world *world)
{
	static const char text[] =
		"__kernel void plain(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x; }\n\0 what is this";
	const char *strings[] = {text};
	size_t lengths[] = {sizeof(text) - 1};
	cl_program program = make_strings(world, "P1", strings, lengths, 1);

	if (!program)
		return;
	build(world, program, "");
	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_nul_at_end(struct world *world)
{
	const char *strings[] = {plain};
	size_t lengths[] = {sizeof(plain)};
	cl_program program = make_strings(world, "P1", strings, lengths, 1);

	if (!program)
		return;
	build(world, program, "");
	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_no_kernels(struct world *world)
{
	static const char source[] = "int helper(int x) { return x; }\n"
				     "__constant int table[2] = {1, 2};\n";
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernels[2] = {NULL, NULL};
	cl_uint count = 77;
	cl_int code;

	show_program(world, program);
	code = clCreateKernelsInProgram(program, 2, kernels, &count);
	say("kernels: %d %u", code, count);
	make_kernel(program, "helper", "K1");
	release_program(program);
}

static void play_comment_only(struct world *world)
{
	cl_program program = make_built(world, "P1", "/* nothing */\n", NULL);

	show_program(world, program);
	make_kernel(program, "any", "K1");
	release_program(program);
}

/* `before` number `between` number `after`, for every number; free() it. */
static char *repeat(const char *before, const char *between, const char *after,
		    int count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int i;

	if (!stream)
		die("out of memory");
	for (i = 0; i < count; i++)
		fprintf(stream, "%s%d%s%d%s", before, i, between, i, after);
	fclose(stream);
	return text;
}

static void play_many_kernels(struct world *world)
{
	char *text = repeat("__kernel void k",
			    "(__global int *out, int x)\n"
			    "{ out[get_global_id(0)] = x + ",
			    "; }\n", 50);
	cl_program program = make_built(world, "P1", text, "");
	cl_kernel kernels[50] = {NULL};
	cl_uint count = 77;
	char name[8];
	cl_int code;
	int i;

	free(text);
	show_program(world, program);
	code = clCreateKernelsInProgram(program, 50, kernels, &count);
	say("kernels: %d %u", code, count);
	for (i = 0; code == CL_SUCCESS && i < 50; i++) {
		snprintf(name, sizeof(name), "K%d", i);
		name_handle(kernels[i], name);
	}
	show_counts(world, program, kernels[0]);
	for (i = 0; code == CL_SUCCESS && i < 50; i += 17) {
		show_run(world, kernels[i], 100);
		show_kernel(world, kernels[i]);
	}
	for (i = 0; code == CL_SUCCESS && i < 50; i++)
		clReleaseKernel(kernels[i]);
	show_counts(world, program, NULL);
	show_function(world, program, "k49", 1);
	release_program(program);
}

static void play_large_log(struct world *world)
{
	char *warnings = repeat("#warning number ", " of many, ", "\n", 150);
	const char *strings[] = {plain, warnings};
	cl_program program = make_strings(world, "P1", strings, NULL, 2);

	free(warnings);
	build(world, program, "");
	show_build(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_large_failure(struct world *world)
{
	char *errors = repeat("int wrong", " = undeclared", ";\n", 150);
	const char *strings[] = {plain, errors};
	cl_program program = make_strings(world, "P1", strings, NULL, 2);

	free(errors);
	build(world, program, "");
	show_build(world, program);
	release_program(program);
}

static void play_long_source(struct world *world)
{
	char *padding =
		repeat("/* line ", " of a long comment, ", " */\n", 6000);
	const char *strings[] = {padding, plain};
	cl_program program = make_strings(world, "P1", strings, NULL, 2);
	size_t size = 0;

	free(padding);
	build(world, program, "");
	say("source: %d",
	    clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size));
	say("%zu bytes", size);
	show_build(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_many_pieces(struct world *world)
{
	const char *strings[sizeof(plain)];
	size_t lengths[sizeof(plain)], i;
	cl_program program;

	/* One character each. */
	for (i = 0; i < sizeof(plain) - 1; i++) {
		strings[i] = plain + i;
		lengths[i] = 1;
	}
	program = make_strings(world, "P1", strings, lengths, (cl_uint)i);
	build(world, program, "");
	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_line_ends(struct world *world)
{
	static const char source[] =
		"__kernel void plain(__global int *out,\\\n int x)\r\n"
		"{\r\n\tout[get_global_id(0)] =\t/* a * / \r\n */ x;\r\n"
		"// ends \\\n here too\n}\f\n\n\n";
	cl_program program = make_built(world, "P1", source, "");

	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_line_directive(struct world *world)
{
	static const char source[] =
		"#line 77 \"elsewhere.cl\"\n"
		"__kernel void plain(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = __LINE__ * 100 + x; }\n"
		"#warning from elsewhere\n";
	cl_program program = make_built(world, "P1", source, "");

	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_pragmas(struct world *world)
{
	static const char source[] =
		"#pragma OPENCL EXTENSION "
		"cl_khr_byte_addressable_store : enable\n"
		"#pragma OPENCL FP_CONTRACT OFF\n"
		"__kernel void plain(__global int *out, int x)\n"
		"{\n"
		"	int i, sum = 0;\n"
		"#pragma unroll 4\n"
		"	for (i = 0; i < 8; i++)\n"
		"		sum += x;\n"
		"	out[get_global_id(0)] = sum;\n"
		"}\n";
	cl_program program = make_built(world, "P1", source, "");

	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_long_name(struct world *world)
{
	char source[512], name[201];
	cl_program program;
	cl_kernel kernel;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(source, sizeof(source),
		 "__kernel void %s(__global int *out, int x)\n"
		 "{ out[get_global_id(0)] = x; }\n",
		 name);
	program = make_built(world, "P1", source, "");
	show_program(world, program);
	kernel = make_kernel(program, name, "K1");
	show_kernel(world, kernel);
	show_run(world, kernel, 3);
	release_kernel(kernel);
	release_program(program);
}

static void play_date(struct world *world)
{
	/* Not what it says, which changes; but that it is there. */
	static const char source[] =
		"__constant char when[] = __DATE__ __TIME__;\n"
		"__kernel void plain(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = sizeof(when) + x + "
		"(when[3] == ' '); }\n";
	cl_program program = make_built(world, "P1", source, "");

	show_program(world, program);
	show_function(world, program, "plain", 3);
	release_program(program);
}

static void play_missing_include(struct world *world)
{
	static const char source[] =
		"#include \"there-is-no-such-file.h\"\n"
		"__kernel void plain(__global int *out, int x) { }\n";
	cl_program program = make_built(world, "P1", source, "");

	show_program(world, program);
	release_program(program);
}

/* Found in the current directory. Built once more with other options. */
static void play_included_file(struct world *world)
{
	static const char source[] =
		"#include \"tests/layer/included.h\"\n"
		"__kernel void plain(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = INCLUDED * x + N; }\n";
	cl_program program = make_built(world, "P1", source, "-D N=1 ");

	show_program(world, program);
	show_function(world, program, "plain", 3);
	build(world, program, "-DN=2");
	show_build(world, program);
	show_function(world, program, "plain", 3);
	build(world, program, NULL);
	show_build(world, program);
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("exact-lengths", play_exact_lengths, 1, 0, 0),
	SCENE("embedded-nul", play_embedded_nul, 0, 0, 1,
	      .uncacheable = "drivers differ in what they read of it"),
	SCENE("nul-at-end", play_nul_at_end, 1, 0, 0),
	SCENE("no-kernels", play_no_kernels, 1, 0, 0,
	      ON(ENDS("nvidia", "dies of the names of none"))),
	SCENE("comment-only", play_comment_only, 1, 0, 0,
	      ON(ENDS("nvidia", "dies of the names of none"))),
	SCENE("many-kernels", play_many_kernels, 1, 0, 0),
	SCENE("large-log", play_large_log, 1, 0, 0, .logs = true),
	SCENE("large-failure", play_large_failure, 0, 1, 0,
	      ON(UNLIKE("stub", 1, 0, 0))),
	SCENE("long-source", play_long_source, 1, 0, 0),
	SCENE("many-pieces", play_many_pieces, 1, 0, 0),
	SCENE("line-ends", play_line_ends, 1, 0, 0),
	SCENE("line-directive", play_line_directive, 1, 0, 0, .logs = true),
	SCENE("pragmas", play_pragmas, 1, 0, 0),
	SCENE("long-name", play_long_name, 1, 0, 0),
	SCENE("date", play_date, 0, 0, 1,
	      .uncacheable = "the text says when it was compiled"),
	SCENE("missing-include", play_missing_include, 0, 1, 0),
	SCENE("included-file", play_included_file, ANY, ANY, ANY),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
