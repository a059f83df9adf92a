/* SPDX-License-Identifier: MIT */
/*
 * An application that changes its environment, and more, between its calls of
 * OpenCL.
 *
 *	moments [-o OPTIONS] SOURCE STEP...
 *
 *	NAME=VALUE, NAME=	sets the variable, or takes it away
 *	platforms, devices, sub-devices, context
 *				asks for them; devices are the last platform's,
 *				a context the last device's
 *	build			builds SOURCE in the last context, runs its
 *				kernel "k" and prints what that computed
 *	program, kernel, launch, binaries, release
 *				the same in pieces, each of which makes what it
 *				needs; the kernel goes before the program
 *	linked			a program as by "program", but compiled, with
 *				the file that "header:" named, and linked
 *	from:FILE, options:TEXT, header:FILE
 *				what the next ones are made of
 *	run:COMMAND		by the shell
 *	directory:DIRECTORY		changes the current directory
 *	mark:NAME		for a trace of system calls: asks for the file
 *				/mark/NAME
 *	random:SEED		so many of these, in an order that follows from
 *				the number; variables are the ones named before
 *				it, without effect until then
 */
#include <unistd.h>

#include "tests/layer/common.h"

#define CHOICES_MAX  16
#define RANDOM_STEPS 14

static struct world world;
static const char *source, *options, *header;
/* What the pieces of a build leave to each other. */
static cl_program program;
static cl_kernel kernel;
static char *choices[CHOICES_MAX];
static size_t choice_count;
static uint64_t state;

static uint64_t next_random(void)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return state >> 33;
}

static void set(char *variable)
{
	char *value = strchr(variable, '=');
	char name[256];

	if (value - variable >= (long)sizeof(name))
		die("%s: too long", variable);
	memcpy(name, variable, (size_t)(value - variable));
	name[value - variable] = '\0';
	if (value[1])
		setenv(name, value + 1, 1);
	else
		unsetenv(name);
	printf("%s\n", variable);
}

static void ask_platforms(void)
{
	must(clGetPlatformIDs(1, &world.platform, NULL), "clGetPlatformIDs");
}

static void ask_devices(void)
{
	if (!world.platform)
		ask_platforms();
	must(clGetDeviceIDs(world.platform, CL_DEVICE_TYPE_ALL, 1,
			    &world.device, NULL),
	     "clGetDeviceIDs");
	world.version = device_version(world.device);
}

static void ask_sub_devices(void)
{
	const cl_device_partition_property halves[] = {
		CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_device_id parts[256];

	if (!world.device)
		ask_devices();
	/* Many have none. */
	clCreateSubDevices(world.device, halves, LENGTH(parts), parts, NULL);
}

/* The ones before stay, with what was built in them. */
static void make_context(void)
{
	cl_int code;

	if (!world.device)
		ask_devices();
	world.context =
		clCreateContext(NULL, 1, &world.device, NULL, NULL, &code);
	must(code, "clCreateContext");
	world.queue = make_queue(&world);
}

static void release(void)
{
	if (kernel)
		clReleaseKernel(kernel);
	if (program)
		clReleaseProgram(program);
	kernel = NULL;
	program = NULL;
}

static char *read_file(const char *path)
{
	static char text[65536];
	FILE *file = fopen(path, "r");
	size_t size;

	if (!file)
		die("%s: can't be opened", path);
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	return strdup(text);
}

static cl_program make_source(const char *text)
{
	cl_program made;
	cl_int code;

	made = clCreateProgramWithSource(world.context, 1, &text, NULL, &code);
	must(code, "clCreateProgramWithSource");
	return made;
}

static void make_program(void)
{
	cl_int code;

	release();
	if (!world.context)
		make_context();
	program = make_source(source);
	code = clBuildProgram(program, 1, &world.device, options, NULL, NULL);
	printf("build %d %d\n", code, build_status(&world, program));
}

/* The header is what it is called, without its directory. */
static void compile(cl_program object)
{
	const char *slash = header ? strrchr(header, '/') : NULL;
	const char *name = slash ? slash + 1 : header;
	char *text = header ? read_file(header) : NULL;
	cl_program embedded = header ? make_source(text) : NULL;

	printf("compile %d\n",
	       clCompileProgram(object, 1, &world.device, options, header != 0,
				header ? &embedded : NULL,
				header ? &name : NULL, NULL, NULL));
	if (embedded)
		clReleaseProgram(embedded);
	free(text);
}

static void make_linked(void)
{
	cl_program object;
	cl_int code;

	release();
	if (!world.context)
		make_context();
	object = make_source(source);
	compile(object);
	program = clLinkProgram(world.context, 1, &world.device, NULL, 1,
				&object, NULL, NULL, &code);
	printf("link %d\n", code);
	clReleaseProgram(object);
}

static void mark(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/mark/%s", name);
	if (!access(path, F_OK))
		die("%s is there", path);
}

static bool make_kernel(void)
{
	cl_int code;

	if (!program)
		make_program();
	if (!kernel && build_status(&world, program) == CL_BUILD_SUCCESS) {
		kernel = clCreateKernel(program, "k", &code);
		must(code, "clCreateKernel");
	}
	return kernel;
}

static void launch(void)
{
	int out[RUN_ITEMS];

	if (!make_kernel())
		return;
	must(run_kernel(&world, kernel, 3, 0, out), "run_kernel");
	printf("result %d\n", out[0]);
}

/* How many bytes they have may differ. */
static void ask_for_binaries(void)
{
	unsigned char *binary;
	size_t size = 0;
	cl_int code;

	if (!program)
		make_program();
	code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
				&size, NULL);
	printf("sizes %d\n", code);
	binary = malloc(size + 1);
	if (!code && size && binary)
		printf("binaries %d\n",
		       clGetProgramInfo(program, CL_PROGRAM_BINARIES,
					sizeof(binary), &binary, NULL));
	free(binary);
}

static void build(void)
{
	make_program();
	launch();
	release();
}

static void set_any(void)
{
	char *choice = choices[next_random() % choice_count];
	char none[256];

	if (next_random() % 2) {
		set(choice);
		return;
	}
	snprintf(none, sizeof(none), "%.*s=", (int)strcspn(choice, "="),
		 choice);
	set(none);
}

/* Most often something is changed between two calls, or changed back. */
static void play_random(uint64_t seed)
{
	static void (*const calls[])(void) = {ask_platforms,   ask_devices,
					      ask_sub_devices, make_context,
					      build,	       build};

	state = seed * 2862933555777941757U + 3037000493U;
	for (int i = 0; i < RANDOM_STEPS; i++) {
		if (choice_count && next_random() % 2)
			set_any();
		calls[next_random() % LENGTH(calls)]();
	}
	for (size_t i = 0; i < choice_count; i++)
		choices[i][strcspn(choices[i], "=") + 1] = '\0';
	for (size_t i = 0; i < choice_count; i++)
		set(choices[i]);
	build();
}

/* "NAME:ARGUMENT"; false: it is none. */
static bool play_with(const char *step)
{
	const char *argument = strchr(step, ':') + 1;

	if (strncmp(step, "random:", 7) == 0)
		play_random(strtoull(argument, NULL, 10));
	else if (strncmp(step, "from:", 5) == 0)
		source = read_file(argument);
	else if (strncmp(step, "options:", 8) == 0)
		options = argument;
	else if (strncmp(step, "header:", 7) == 0)
		header = *argument ? argument : NULL;
	else if (strncmp(step, "run:", 4) == 0)
		must(system(argument), argument);
	else if (strncmp(step, "directory:", 7) == 0)
		must(chdir(argument), argument);
	else if (strncmp(step, "mark:", 5) == 0)
		mark(argument);
	else
		return false;
	return true;
}

static void ask_for_kernel(void)
{
	make_kernel();
}

static const struct {
	const char *name;
	void (*make)(void);
} steps[] = {
	{"platforms", ask_platforms},
	{"devices", ask_devices},
	{"sub-devices", ask_sub_devices},
	{"context", make_context},
	{"build", build},
	{"program", make_program},
	{"linked", make_linked},
	{"kernel", ask_for_kernel},
	{"launch", launch},
	{"binaries", ask_for_binaries},
	{"release", release},
};

static void make_step(const char *name)
{
	size_t i = 0;

	while (i < LENGTH(steps) && strcmp(steps[i].name, name) != 0)
		i++;
	if (i == LENGTH(steps))
		die("%s: no such step", name);
	steps[i].make();
}

static void play(char *step, bool choose)
{
	if (strchr(step, ':') && play_with(step))
		fflush(stdout);
	else if (choose && choice_count < CHOICES_MAX)
		choices[choice_count++] = step;
	else if (strchr(step, '='))
		set(step);
	else
		make_step(step);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int option;
	bool random;

	while ((option = getopt(argc, argv, "+o:")) != -1) {
		if (option != 'o')
			exit(2);
		options = optarg;
	}
	if (optind + 2 > argc)
		die("usage: moments [-o OPTIONS] SOURCE STEP...");
	source = argv[optind];
	random = strncmp(argv[argc - 1], "random:", 7) == 0;
	for (int i = optind + 1; i < argc; i++)
		play(argv[i], random);
	return 0;
}
