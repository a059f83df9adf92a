/* SPDX-License-Identifier: MIT */
/*
 * An application to run under the layer: builds a source, runs its kernel "k"
 * and prints what that computed.
 *
 *	app [OPTION...] SOURCE		SOURCE: a file, or the text itself when
 *					it starts with "text:"; "il" is il.h's
 *	-o OPTIONS			for clBuildProgram; default none (NULL)
 *	-k NAME				the kernel's name; default "k"
 *	-c ID=VALUE			sets a specialisation constant
 *	-n COUNT			so many programs, one after another
 *	-b COMMAND			runs COMMAND between two of them
 *	-e NAME=VALUE			changes the environment between two
 *
 * Prints "build CODE STATUS" and "result INT INT ..." for each; "log ..." where
 * the build failed. Exit status 0, also after a failed build.
 */
#include <unistd.h>

#include "tests/layer/common.h"
#include "tests/layer/il.h"

#define CONSTANTS_MAX 8

static struct {
	const char *options;
	const char *kernel;
	const char *between;
	char *variable;
	const char *source;
	int count;
	size_t constant_count;
	cl_uint ids[CONSTANTS_MAX];
	int values[CONSTANTS_MAX];
} wanted = {.kernel = "k", .count = 1};

static void parse_constant(const char *text)
{
	char *end;

	if (wanted.constant_count == CONSTANTS_MAX)
		die("too many constants");
	wanted.ids[wanted.constant_count] = (cl_uint)strtoul(text, &end, 10);
	if (*end != '=')
		die("-c ID=VALUE");
	wanted.values[wanted.constant_count] = atoi(end + 1);
	wanted.constant_count++;
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "o:k:c:n:b:e:")) != -1) {
		switch (option) {
		case 'o':
			wanted.options = optarg;
			break;
		case 'k':
			wanted.kernel = optarg;
			break;
		case 'c':
			parse_constant(optarg);
			break;
		case 'n':
			wanted.count = atoi(optarg);
			break;
		case 'b':
			wanted.between = optarg;
			break;
		case 'e':
			wanted.variable = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (optind + 1 != argc)
		die("usage: app [OPTION...] SOURCE");
	wanted.source = argv[optind];
}

static cl_program make_from_il(const struct world *world)
{
	cl_program program;
	cl_int code;
	size_t i;

	program = clCreateProgramWithIL(world->context, il_words,
					sizeof(il_words), &code);
	must(code, "clCreateProgramWithIL");
	for (i = 0; i < wanted.constant_count; i++)
		must(clSetProgramSpecializationConstant(program, wanted.ids[i],
							sizeof(int),
							&wanted.values[i]),
		     "clSetProgramSpecializationConstant");
	return program;
}

static cl_program make(const struct world *world)
{
	const char *text;
	cl_program program;
	char *file = NULL;
	size_t size;
	cl_int code;

	if (strcmp(wanted.source, "il") == 0)
		return make_from_il(world);
	if (strncmp(wanted.source, "text:", 5) == 0) {
		text = wanted.source + 5;
		size = strlen(text);
	} else {
		text = file = read_whole_file(wanted.source, &size);
	}
	program = clCreateProgramWithSource(world->context, 1, &text, &size,
					    &code);
	must(code, "clCreateProgramWithSource");
	free(file);
	return program;
}

static void run(const struct world *world, cl_program program)
{
	int out[RUN_ITEMS];
	cl_kernel kernel;
	cl_int code;
	int i;

	kernel = clCreateKernel(program, wanted.kernel, &code);
	must(code, "clCreateKernel");
	must(run_kernel(world, kernel, 3, 0, out), "run_kernel");
	fputs("result", stdout);
	for (i = 0; i < 4; i++)
		printf(" %d", out[i]);
	putchar('\n');
	clReleaseKernel(kernel);
}

static void show_log(const struct world *world, cl_program program)
{
	char log[8192] = "";

	clGetProgramBuildInfo(program, world->device, CL_PROGRAM_BUILD_LOG,
			      sizeof(log), log, NULL);
	fprintf(stderr, "log %s\n", log);
}

int main(int argc, char **argv)
{
	struct world world;
	cl_program program;
	cl_int code;
	int i;

	parse(argc, argv);
	world_open(&world);
	for (i = 0; i < wanted.count; i++) {
		if (i > 0 && wanted.between && system(wanted.between) != 0)
			die("%s failed", wanted.between);
		if (i > 0 && wanted.variable)
			putenv(wanted.variable);
		program = make(&world);
		code = clBuildProgram(program, 1, &world.device, wanted.options,
				      NULL, NULL);
		printf("build %d %d\n", code, build_status(&world, program));
		if (build_status(&world, program) == CL_BUILD_SUCCESS)
			run(&world, program);
		else
			show_log(&world, program);
		clReleaseProgram(program);
		fflush(stdout);
	}
	world_close(&world);
	return 0;
}
