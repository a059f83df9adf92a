/* SPDX-License-Identifier: MIT */
/*
 * A program that makes a context, does something else, and builds one program
 * after the other. It is an ordinary OpenCL program and knows nothing of any
 * cache:
 *
 *	ahead [OPTION]... LIST
 *	--platform TEXT	part of the platform's name (the first), its first
 *			device
 *	--wait MS	between the context and the first build it sleeps
 *	--work MS	... or computes
 *	--save DIR	writes the programs' binaries to DIR/0, DIR/1 ...
 *	--load DIR	builds from those, and compiles nothing
 *
 * A line of LIST is a program: kernel, how many pointers this takes (the last
 * is to its results, the others are to zeros), work-items, those of a group,
 *the source's file and the options, with tabs between. Without LIST nothing is
 * built.
 *
 * Prints a line of JSON, times in ms: "context", from the first call of OpenCL
 * to having one; "first" and "total", from wanting a program to the results of
 * the first and of all; of "total" those of "build", "kernel" and "launch", up
 * to the result; "whole", from the first call to the last. "before" and "after"
 * are the resident kB before the first build and after the last result;
 *"digest" is over all results.
 */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "scripts/bench/common.h"

#define MAX_PROGRAMS 64
#define MAX_PATH     4096
#define ZEROS_SIZE   ((size_t)1 << 20)
#define RESULTS_SIZE ((size_t)1 << 17)
#define MAX_BINARY   ((size_t)64 << 20)

struct program {
	char *kernel;
	cl_uint pointers;
	size_t global, local;
	char *text;
	size_t size;
	char *options;

	cl_mem results;
	cl_program built;
	cl_kernel made;
};

static const char *platform_name = "";
static const char *save, *load;
static double wait_ms, work_ms;

static struct program programs[MAX_PROGRAMS];
static int n_programs;

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem zeros;

/* Of all programs. */
static double build_ms, kernel_ms, launch_ms;

static double now_ms(void)
{
	return (double)now_ns(CLOCK_MONOTONIC) / 1e6;
}

/* ---- files ---- */

static void binary_path(char path[MAX_PATH], const char *directory, int index)
{
	snprintf(path, MAX_PATH, "%s/%d", directory, index);
}

static void save_binary(int index)
{
	char path[MAX_PATH];
	unsigned char *bytes;
	size_t size = 0;
	FILE *file;

	check(clGetProgramInfo(programs[index].built, CL_PROGRAM_BINARY_SIZES,
			       sizeof(size), &size, NULL),
	      "CL_PROGRAM_BINARY_SIZES");
	if (!size || size > MAX_BINARY || !(bytes = malloc(size)))
		fail("the binary has an odd size", 0);
	check(clGetProgramInfo(programs[index].built, CL_PROGRAM_BINARIES,
			       sizeof(bytes), &bytes, NULL),
	      "CL_PROGRAM_BINARIES");
	binary_path(path, save, index);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		fail(path, errno);
	free(bytes);
}

static char *next_field(char **rest, const char *what)
{
	char *field = strsep(rest, "\t");

	if (!field)
		fail(what, 0);
	return field;
}

static void add_program(char *line)
{
	struct program *program = &programs[n_programs++];

	if (n_programs > MAX_PROGRAMS)
		fail("too many programs", n_programs);
	program->kernel = next_field(&line, "no kernel");
	program->pointers =
		(cl_uint)strtoul(next_field(&line, "no pointers"), NULL, 10);
	program->global = strtoul(next_field(&line, "no items"), NULL, 10);
	program->local = strtoul(next_field(&line, "no group"), NULL, 10);
	program->text =
		read_whole(next_field(&line, "no source"), &program->size);
	program->options = next_field(&line, "no options");
}

/* The text stays: programs point into it. */
static void read_list(const char *path)
{
	size_t size;
	char *rest = read_whole(path, &size);
	char *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			add_program(line);
}

/* ---- before the builds ---- */

static void make_context(void)
{
	cl_int error;

	device = find_device(platform_name);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
}

static cl_mem make_buffer(size_t size, void *bytes)
{
	cl_int error;
	cl_mem buffer = clCreateBuffer(context,
				       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				       size, bytes, &error);

	check(error, "clCreateBuffer");
	return buffer;
}

static void make_buffers(void)
{
	void *bytes = calloc(1, ZEROS_SIZE);
	cl_int error;

	if (!bytes)
		fail("calloc", errno);
	queue = clCreateCommandQueueWithProperties(context, device, NULL,
						   &error);
	check(error, "clCreateCommandQueueWithProperties");
	zeros = make_buffer(ZEROS_SIZE, bytes);
	for (int i = 0; i < n_programs; i++)
		programs[i].results = make_buffer(RESULTS_SIZE, bytes);
	free(bytes);
}

/* What the application does besides, and needs no OpenCL for. */
static void do_other_things(void)
{
	struct timespec time = {.tv_sec = (time_t)(wait_ms / 1e3)};
	double end = now_ms() + work_ms;
	volatile double sum = 0;

	time.tv_nsec = (long)((wait_ms - (double)time.tv_sec * 1e3) * 1e6);
	nanosleep(&time, NULL);
	while (now_ms() < end)
		for (int i = 1; i < 10000; i++)
			sum += 1.0 / i;
}

static long resident_kb(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmRSS: %ld kB", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

/* ---- builds ---- */

static cl_program from_source(const struct program *program)
{
	const char *text = program->text;
	cl_int error;
	cl_program made = clCreateProgramWithSource(context, 1, &text,
						    &program->size, &error);

	check(error, "clCreateProgramWithSource");
	return made;
}

/* The least that a cache does: reads the file, and gives it to the driver. */
static cl_program from_binary(int index)
{
	char path[MAX_PATH];
	size_t size;
	const unsigned char *bytes;
	cl_program made;
	cl_int error, status;

	binary_path(path, load, index);
	bytes = (const unsigned char *)read_whole(path, &size);
	made = clCreateProgramWithBinary(context, 1, &device, &size, &bytes,
					 &status, &error);
	check(error, "clCreateProgramWithBinary");
	check(status, path);
	free((void *)bytes);
	return made;
}

static void launch(struct program *program)
{
	for (cl_uint i = 0; i < program->pointers; i++)
		check(clSetKernelArg(program->made, i, sizeof(cl_mem),
				     i + 1 < program->pointers
					     ? &zeros
					     : &program->results),
		      "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, program->made, 1, NULL,
				     &program->global, &program->local, 0, NULL,
				     NULL),
	      program->kernel);
	check(clFinish(queue), "clFinish");
}

static void build(int index)
{
	struct program *program = &programs[index];

	program->built = load ? from_binary(index) : from_source(program);
	check(clBuildProgram(program->built, 1, &device, program->options, NULL,
			     NULL),
	      "clBuildProgram");
}

static void use(int index)
{
	struct program *program = &programs[index];
	double start = now_ms(), built, made;
	cl_int error;

	build(index);
	built = now_ms();
	program->made = clCreateKernel(program->built, program->kernel, &error);
	check(error, program->kernel);
	made = now_ms();
	if (program->pointers)
		launch(program);
	build_ms += built - start;
	kernel_ms += made - built;
	launch_ms += now_ms() - made;
}

/* Until all results are there. */
static double use_all(double *ret_first)
{
	double start = now_ms();

	for (int i = 0; i < n_programs; i++) {
		use(i);
		if (!i)
			*ret_first = now_ms() - start;
	}
	return now_ms() - start;
}

static uint64_t look_at_results(void)
{
	static unsigned char bytes[RESULTS_SIZE];
	uint64_t digest = 14695981039346656037u;

	for (int i = 0; i < n_programs; i++) {
		check(clEnqueueReadBuffer(queue, programs[i].results, CL_TRUE,
					  0, sizeof(bytes), bytes, 0, NULL,
					  NULL),
		      "clEnqueueReadBuffer");
		for (size_t j = 0; j < sizeof(bytes); j++)
			digest = (digest ^ bytes[j]) * 1099511628211u;
	}
	return digest;
}

static void release_all(void)
{
	for (int i = 0; i < n_programs; i++) {
		clReleaseKernel(programs[i].made);
		clReleaseProgram(programs[i].built);
		clReleaseMemObject(programs[i].results);
	}
	if (n_programs) {
		clReleaseMemObject(zeros);
		clReleaseCommandQueue(queue);
	}
	clReleaseContext(context);
}

static void parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"platform", required_argument, NULL, 'p'},
		{"wait", required_argument, NULL, 'w'},
		{"work", required_argument, NULL, 'W'},
		{"save", required_argument, NULL, 's'},
		{"load", required_argument, NULL, 'l'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (option == 'p')
			platform_name = optarg;
		else if (option == 'w')
			wait_ms = atof(optarg);
		else if (option == 'W')
			work_ms = atof(optarg);
		else if (option == 's')
			save = optarg;
		else if (option == 'l')
			load = optarg;
		else
			exit(2);
	if (optind + 1 != argc)
		exit(2);
	read_list(argv[optind]);
}

int main(int argc, char **argv)
{
	double begin, made, total, first = 0;
	long before, after;
	uint64_t digest;

	parse_options(argc, argv);
	begin = now_ms();
	make_context();
	made = now_ms();
	if (n_programs)
		make_buffers();
	do_other_things();
	before = resident_kb();
	total = use_all(&first);
	after = resident_kb();
	digest = look_at_results();
	for (int i = 0; save && i < n_programs; i++)
		save_binary(i);
	release_all();
	printf("{\"context\": %.4f, \"whole\": %.4f, \"first\": %.4f, "
	       "\"total\": %.4f, \"build\": %.4f, \"kernel\": %.4f, "
	       "\"launch\": %.4f, \"before\": %ld, \"after\": %ld, "
	       "\"digest\": \"%016" PRIx64 "\"}\n",
	       made - begin, now_ms() - begin, first, total, build_ms,
	       kernel_ms, launch_ms, before, after, digest);
	return 0;
}
