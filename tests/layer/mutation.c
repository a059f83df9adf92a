/* SPDX-License-Identifier: MIT */
/*
 * Makes one program in one of the ways that a key tells apart, runs its kernel
 * and prints what that computed.
 *
 *	mutation build [OPTION...] STRING...	from these strings
 *	mutation il [OPTION...]			from il.h's SPIR-V
 *	mutation compile [OPTION...] STRING...	compiled, then linked
 *	mutation link [OPTION...] STRING...	each compiled, then all linked
 *	mutation relink [OPTION...] STRING...	the same, with objects that were
 *						loaded from their binaries
 *	-o OPTIONS		of the build, the compile or the link
 *	-c ID=VALUE		a specialization constant
 *	-h NAME=TEXT|TEXT...	a header, in as many strings; in its order
 *	-w INDEX=WORD		another word in the SPIR-V
 *	-k NAME			the kernel's name; default "k"
 *
 * Prints "type N" (CL_PROGRAM_BINARY_TYPE of what was built, compiled or
 * linked) and "result INT INT ...", or "failed CODE".
 */
#include <unistd.h>

#include "tests/layer/common.h"
#include "tests/layer/il.h"

#define HEADERS_MAX 4
#define STRINGS_MAX 8

static struct {
	const char *options;
	const char *kernel;
	const char *header_names[HEADERS_MAX];
	cl_program headers[HEADERS_MAX];
	cl_uint header_count;
	cl_uint ids[4];
	int values[4];
	int constant_count;
	uint32_t words[LENGTH(il_words)];
	const char **strings;
	cl_uint string_count;
} wanted = {.kernel = "k"};

static struct world world;

static void fail(cl_int code)
{
	printf("failed %d\n", code);
	exit(0);
}

static cl_program make(cl_uint count, const char **strings)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(world.context, count,
						       strings, NULL, &code);

	must(code, "clCreateProgramWithSource");
	return program;
}

static void add_header(char *text)
{
	const char *strings[STRINGS_MAX];
	char *at = strchr(text, '=');
	cl_uint count = 0;

	if (!at || wanted.header_count == HEADERS_MAX)
		die("-h NAME=TEXT");
	for (*at++ = '\0'; at && count < STRINGS_MAX;) {
		strings[count++] = at;
		at = strchr(at, '|');
		if (at)
			*at++ = '\0';
	}
	wanted.header_names[wanted.header_count] = text;
	wanted.headers[wanted.header_count++] = make(count, strings);
}

static void parse(int argc, char **argv)
{
	int option, index, word;

	memcpy(wanted.words, il_words, sizeof(il_words));
	while ((option = getopt(argc, argv, "o:c:h:w:k:")) != -1) {
		if (option == 'o')
			wanted.options = optarg;
		else if (option == 'k')
			wanted.kernel = optarg;
		else if (option == 'h')
			add_header(optarg);
		else if (option == 'w' &&
			 sscanf(optarg, "%d=%d", &index, &word) == 2 &&
			 index >= 0 && index < (int)LENGTH(il_words))
			wanted.words[index] = (uint32_t)word;
		else if (option == 'c' && wanted.constant_count < 4 &&
			 sscanf(optarg, "%d=%d", &index, &word) == 2) {
			wanted.ids[wanted.constant_count] = (cl_uint)index;
			wanted.values[wanted.constant_count++] = word;
		} else {
			die("not understood: -%c %s", option, optarg);
		}
	}
	wanted.strings = (const char **)argv + optind;
	wanted.string_count = (cl_uint)(argc - optind);
}

static cl_program build(cl_program program)
{
	cl_int code = clBuildProgram(program, 1, &world.device, wanted.options,
				     NULL, NULL);

	if (code != CL_SUCCESS)
		fail(code);
	return program;
}

static cl_program build_il(void)
{
	cl_int code;
	cl_program program = clCreateProgramWithIL(world.context, wanted.words,
						   sizeof(wanted.words), &code);

	must(code, "clCreateProgramWithIL");
	for (int i = 0; i < wanted.constant_count; i++)
		must(clSetProgramSpecializationConstant(program, wanted.ids[i],
							sizeof(int),
							&wanted.values[i]),
		     "clSetProgramSpecializationConstant");
	return build(program);
}

static cl_program compile(cl_uint count, const char **strings,
			  const char *options)
{
	cl_program program = make(count, strings);
	cl_uint headers = wanted.header_count;
	cl_int code = clCompileProgram(program, 1, &world.device, options,
				       headers, headers ? wanted.headers : NULL,
				       headers ? wanted.header_names : NULL,
				       NULL, NULL);

	if (code != CL_SUCCESS)
		fail(code);
	return program;
}

/* The same object, from its binary. */
static cl_program reload(cl_program object)
{
	size_t size = 0;
	unsigned char *bytes;
	cl_program program;
	cl_int code;

	must(clGetProgramInfo(object, CL_PROGRAM_BINARY_SIZES, sizeof(size),
			      &size, NULL),
	     "CL_PROGRAM_BINARY_SIZES");
	bytes = malloc(size + 1);
	must(clGetProgramInfo(object, CL_PROGRAM_BINARIES, sizeof(bytes),
			      &bytes, NULL),
	     "CL_PROGRAM_BINARIES");
	program =
		clCreateProgramWithBinary(world.context, 1, &world.device,
					  &size, (const unsigned char **)&bytes,
					  NULL, &code);
	must(code, "clCreateProgramWithBinary");
	free(bytes);
	return program;
}

static cl_program link_objects(cl_uint count, const cl_program *objects,
			       const char *options)
{
	cl_int code;
	cl_program program =
		clLinkProgram(world.context, 1, &world.device, options, count,
			      objects, NULL, NULL, &code);

	if (code != CL_SUCCESS)
		fail(code);
	return program;
}

static cl_program link_all(bool from_binaries)
{
	cl_program objects[STRINGS_MAX];
	cl_uint count = wanted.string_count;

	if (count > STRINGS_MAX)
		die("too many strings");
	for (cl_uint i = 0; i < count; i++) {
		objects[i] = compile(1, wanted.strings + i, NULL);
		if (from_binaries)
			objects[i] = reload(objects[i]);
	}
	return link_objects(count, objects, wanted.options);
}

static void show_type(cl_program program)
{
	cl_program_binary_type type = 0;

	must(clGetProgramBuildInfo(program, world.device,
				   CL_PROGRAM_BINARY_TYPE, sizeof(type), &type,
				   NULL),
	     "CL_PROGRAM_BINARY_TYPE");
	printf("type %u\n", type);
}

static void show_result(cl_program program)
{
	int out[RUN_ITEMS];
	cl_kernel kernel;
	cl_int code;

	kernel = clCreateKernel(program, wanted.kernel, &code);
	if (code != CL_SUCCESS)
		fail(code);
	must(run_kernel(&world, kernel, 3, 0, out), "run_kernel");
	printf("result %d %d %d %d\n", out[0], out[1], out[2], out[3]);
	clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	cl_program program;

	world_open(&world);
	parse(argc - 1, argv + 1);
	if (!strcmp(way, "build"))
		program = build(make(wanted.string_count, wanted.strings));
	else if (!strcmp(way, "il"))
		program = build_il();
	else if (!strcmp(way, "compile"))
		program = compile(wanted.string_count, wanted.strings,
				  wanted.options);
	else if (!strcmp(way, "link") || !strcmp(way, "relink"))
		program = link_all(!strcmp(way, "relink"));
	else
		die("mutation build|il|compile|link|relink ...");
	show_type(program);
	if (!strcmp(way, "compile"))
		program = link_objects(1, &program, NULL);
	show_result(program);
	clReleaseProgram(program);
	world_close(&world);
	return 0;
}
