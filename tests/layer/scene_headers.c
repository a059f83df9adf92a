/* SPDX-License-Identifier: MIT */
/* Scenes with embedded headers: found by name, taken by content. */
#include "tests/layer/scene.h"

static const char user[] = "#include \"value.h\"\n"
			   "__kernel void use(__global int *out, int x)\n"
			   "{ out[get_global_id(0)] = VALUE * x; }\n";

static void link_and_use(const struct world *world, cl_program program,
			 const char *name)
{
	cl_program linked = link_two(world, name, "", program, NULL);

	if (!linked)
		return;
	show_function(world, linked, "use", 5);
	release_program(linked);
}

static void play_headers(struct world *world)
{
	static const char source[] =
		"#include \"value.h\"\n#include <deep/other.h>\n"
		"__kernel void use(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = VALUE * x + OTHER; }\n";
	static const char *names[] = {"value.h", "deep/other.h"};
	cl_program headers[2], program, linked;

	headers[0] = make_program(world, "H1", "#define VALUE 7\n");
	headers[1] = make_program(world, "H2", "#define OTHER 1000\n");
	program = make_program(world, "P1", source);
	compile_with(world, program, "", 2, headers, names);
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
	static const char whole[] =
		"__kernel void whole(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x - (int)get_global_id(0); }\n";
	static const char source[] =
		"#include \"whole.h\"\n"
		"__kernel void use(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x + 1; }\n";
	static const char *names[] = {"whole.h"};
	cl_program header = make_built(world, "P1", whole, "");
	cl_program program = make_program(world, "P2", source), linked;

	compile_with(world, program, "", 1, &header, names);
	linked = link_two(world, "P3", "", program, NULL);
	use_linked(world, linked, "whole");
	show_program(world, header);
	release_program(header);
	release_program(program);
}

static void play_nested(struct world *world)
{
	static const char *names[] = {"value.h", "inner.h", "guard.h"};
	cl_program headers[3], program;

	headers[0] = make_program(world, "H1",
				  "#include \"inner.h\"\n"
				  "#include \"inner.h\"\n"
				  "#define VALUE (INNER + 1)\n");
	headers[1] = make_program(world, "H2",
				  "#ifndef INNER_H\n#define INNER_H\n"
				  "#include \"guard.h\"\n#endif\n");
	headers[2] = make_program(world, "H3", "#define INNER 40\n");
	program = make_program(world, "P1", user);
	compile_with(world, program, "", 3, headers, names);
	release_program(headers[0]);
	release_program(headers[1]);
	release_program(headers[2]);
	link_and_use(world, program, "P2");
	release_program(program);
}

/* The first one of a name counts. */
static void play_same_name(struct world *world)
{
	static const char *names[] = {"value.h", "value.h"};
	cl_program headers[2], turned[2], program;

	headers[0] = make_program(world, "H1", "#define VALUE 2\n");
	headers[1] = make_program(world, "H2", "#define VALUE 3\n");
	program = make_program(world, "P1", user);
	compile_with(world, program, "", 2, headers, names);
	link_and_use(world, program, "P2");
	turned[0] = headers[1];
	turned[1] = headers[0];
	compile_with(world, program, "", 2, turned, names);
	link_and_use(world, program, "P3");
	release_program(headers[0]);
	release_program(headers[1]);
	release_program(program);
}

/* The same source and names: what the header says makes the difference. */
static void play_other_content(struct world *world)
{
	static const char *names[] = {"value.h"};
	cl_program one = make_program(world, "H1", "#define VALUE 11\n");
	cl_program other = make_program(world, "H2", "#define VALUE 13\n");
	cl_program first = make_program(world, "P1", user);
	cl_program second = make_program(world, "P2", user);

	compile_with(world, first, "", 1, &one, names);
	compile_with(world, second, "", 1, &other, names);
	link_and_use(world, first, "P3");
	link_and_use(world, second, "P4");
	/* And again with the other one. */
	compile_with(world, first, "", 1, &other, names);
	link_and_use(world, first, "P5");
	release_program(one);
	release_program(other);
	release_program(first);
	release_program(second);
}

/* One header under two names, and one that nobody includes. */
static void play_two_names(struct world *world)
{
	static const char source[] =
		"#include \"a.h\"\n"
		"#include \"directory/sub/b.h\"\n"
		"__kernel void use(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = VALUE * x; }\n";
	static const char *names[] = {"a.h", "directory/sub/b.h", "unused.h"};
	cl_program header =
		make_program(world, "H1", "#undef VALUE\n#define VALUE 6\n");
	cl_program unused = make_program(world, "H2", "#error not wanted\n");
	cl_program headers[] = {header, header, unused};
	cl_program program = make_program(world, "P1", source);

	compile_with(world, program, "", 3, headers, names);
	link_and_use(world, program, "P2");
	release_program(header);
	release_program(unused);
	release_program(program);
}

static void play_named_by_macro(struct world *world)
{
	static const char source[] =
		"#include HEADER\n"
		"__kernel void use(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = VALUE * x; }\n";
	static const char *names[] = {"one.h", "two.h"};
	cl_program headers[2], program;

	headers[0] = make_program(world, "H1", "#define VALUE 1\n");
	headers[1] = make_program(world, "H2", "#define VALUE 2\n");
	program = make_program(world, "P1", source);
	compile_with(world, program, "-DHEADER=\\\"two.h\\\"", 2, headers,
		     names);
	release_program(headers[0]);
	release_program(headers[1]);
	release_program(program);
}

static void play_header_missing(struct world *world)
{
	static const char *names[] = {"other.h"};
	cl_program header = make_program(world, "H1", "#define VALUE 1\n");
	cl_program program = make_program(world, "P1", user);

	compile_with(world, program, "", 1, &header, names);
	show_build(world, program);
	compile_with(world, program, "", 0, NULL, NULL);
	release_program(header);
	release_program(program);
}

/* Headers are what they were when the program was compiled. */
static void play_header_released(struct world *world)
{
	static const char *names[] = {"value.h"};
	cl_program header = make_program(world, "H1", "#define VALUE 5\n");
	cl_program program = make_program(world, "P1", user);

	compile_with(world, program, "", 1, &header, names);
	release_program(header);
	/* May well get the header's address. */
	header = make_program(world, "H2", "#define VALUE 99\n");
	show_program(world, program);
	link_and_use(world, program, "P2");
	show_counts(world, program, NULL);
	release_program(header);
	release_program(program);
}

static void play_header_with_kernel(struct world *world)
{
	static const char source[] = "#include \"kernels.h\"\n"
				     "KERNEL(use, x + 1)\n"
				     "KERNEL(more, x + 2)\n";
	static const char *names[] = {"kernels.h"};
	cl_program header = make_program(
		world, "H1",
		"#define KERNEL(name, value) \\\n"
		"__attribute__((reqd_work_group_size(4, 1, 1))) \\\n"
		"__kernel void name(__global int *out, int x) \\\n"
		"{ out[get_global_id(0)] = value; }\n"
		"KERNEL(inside, x)\n");
	cl_program program = make_program(world, "P1", source), linked;

	compile_with(world, program, "-cl-kernel-arg-info", 1, &header, names);
	release_program(header);
	linked = link_two(world, "P2", "", program, NULL);
	use_linked(world, linked, "more");
	release_program(program);
}

static const struct scene scenes[] = {
	/* Rusticl doesn't find headers between angle brackets. */
	SCENE("headers", play_headers, 2, 0, 0, .links = true,
	      ON(ENDS("oclgrind", "dies of queries after a failed compile"),
		 UNLIKE("rusticl", 0, 1, 1))),
	SCENE("built-header", play_built_header, 3, 0, 0, .links = true),
	SCENE("nested-headers", play_nested, 2, 0, 0, .links = true),
	SCENE("headers-same-name", play_same_name, ANY, ANY, ANY,
	      .links = true),
	SCENE("headers-content", play_other_content, ANY, ANY, ANY,
	      .links = true),
	SCENE("header-two-names", play_two_names, 2, 0, 0, .links = true),
	/* Most drivers leave the backslashes in: then it doesn't compile. */
	SCENE("header-by-macro", play_named_by_macro, 0, 1, 0, .links = true,
	      ON(ENDS("rusticl", "dies of the quotes"),
		 UNLIKE("rusticl-26", 0, 1, 0), UNLIKE("intel", 1, 0, 0))),
	SCENE("header-missing", play_header_missing, ANY, ANY, ANY,
	      .links = true),
	SCENE("header-released", play_header_released, 2, 0, 0, .links = true),
	SCENE("header-with-kernel", play_header_with_kernel, 2, 0, 0,
	      .links = true),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
