/* SPDX-License-Identifier: MIT */
/*
 * How long kernels of many kinds run, and what they compute: an ordinary OpenCL
 * program that knows nothing of any cache. See USAGE.
 *
 * All programs are built first, so that the device is as busy before the
 * launches whether that took long or not.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>

#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "hash/digest.h"
#include "scripts/bench/common.h"
#include "scripts/bench/kernel_cases.h"

#define CASES	     (sizeof(kernel_cases) / sizeof(kernel_cases[0]))
#define MAX_LAUNCHES 1000
/* Of what inputs repeat, and what is read at once. */
#define PATTERN	     ((size_t)1 << 20)
#define PIECE	     ((size_t)16 << 20)
/* Images have as many bytes as a pattern. */
#define IMAGE_SIDE   512
/* Milliseconds that a launch shall take at least, where nothing is said. */
#define ENOUGH	     0.25

struct settings {
	float weights[16];
	cl_uint kinds[8];
	float offset[4];
	char flags[32];
};

/* What one launch needs. */
struct arguments {
	cl_mem inputs[2];
	cl_mem constants;
	cl_mem image;
	cl_sampler sampler;
	cl_mem output;
};

struct built {
	cl_program program;
	cl_kernel kernel; /* NULL: not here */
	double ms;
	const char *why; /* it isn't */
	int scale;	 /* -1: to be found */
};

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static int launches = 20;
static const char *directory = "scripts/bench/cl";
static struct built all[CASES];

static const char USAGE[] =
	"usage: kernels [--platform TEXT] [--launches N] [--sources "
	"DIRECTORY]\n"
	"	[NAME=SCALE]...\n"
	"Launch kernels of many kinds, and print a line of JSON for each: the\n"
	"least and the median of the device's times, in ms, and a digest of\n"
	"all results. Without a scale, or with -1, one is found with which a\n"
	"launch takes a quarter of a millisecond or more.\n";

/* ---- the device ---- */

static void open_device(const char *platform)
{
	cl_int error;

	device = find_device(platform);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE,
				     &error);
	check(error, "clCreateCommandQueue");
}

static bool has_extension(const char *name)
{
	size_t size = 0;
	char *text;
	bool found;

	clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
	text = calloc(1, size + 1);
	if (!text)
		fail("out of memory", 0);
	clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL);
	found = strstr(text, name) != NULL;
	free(text);
	return found;
}

static bool has_images(void)
{
	cl_bool images = CL_FALSE;

	clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images),
			&images, NULL);
	return images;
}

/* ---- programs ---- */

static char *read_source(const char *name)
{
	char path[4096], *text;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.cl", directory, name);
	file = fopen(path, "r");
	text = calloc(1, 65536);
	if (!file || !text)
		fail(path, errno);
	size = fread(text, 1, 65535, file);
	if (!size || size == 65535)
		fail(path, errno);
	fclose(file);
	return text;
}

static const char *source_of(const struct kernel_case *one)
{
	return one->source ? one->source : one->name;
}

static void show_log(const struct kernel_case *one, cl_program program)
{
	static char log[65536];

	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
			      sizeof(log) - 1, log, NULL);
	fprintf(stderr, "kernels: %s: %s\n", one->name, log);
}

static void build_one(const struct kernel_case *one, struct built *built)
{
	char *text = read_source(source_of(one));
	const char *strings = text;
	int64_t start = now_ns(CLOCK_MONOTONIC);
	cl_int error;

	built->program =
		clCreateProgramWithSource(context, 1, &strings, NULL, &error);
	check(error, "clCreateProgramWithSource");
	error = clBuildProgram(built->program, 1, &device,
			       one->options ? one->options : "", NULL, NULL);
	if (!error)
		built->kernel =
			clCreateKernel(built->program, source_of(one), &error);
	built->ms = (double)(now_ns(CLOCK_MONOTONIC) - start) / 1e6;
	if (error) {
		show_log(one, built->program);
		built->why = "it doesn't build";
	}
	free(text);
}

static void build_all(void)
{
	for (size_t i = 0; i < CASES; i++) {
		const struct kernel_case *one = &kernel_cases[i];

		if (one->needs && !has_extension(one->needs))
			all[i].why = one->needs;
		else if (strchr(one->arguments, 'r') && !has_images())
			all[i].why = "images";
		else
			build_one(one, &all[i]);
	}
}

/* ---- arguments ---- */

static cl_mem new_buffer(size_t size)
{
	cl_int error;
	cl_mem buffer =
		clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);

	check(error, "clCreateBuffer");
	return buffer;
}

static const void *pattern(char kind)
{
	static cl_uint words[PATTERN / 4];
	static float floats[PATTERN / 4];
	cl_uint x = 12345;

	if (words[0])
		return kind == 'f' ? (const void *)floats : words;
	for (size_t i = 0; i < PATTERN / 4; i++) {
		x = x * 1664525u + 1013904223u;
		words[i] = x ^ x >> 16;
		floats[i] = (float)(words[i] >> 8) / (1 << 24);
	}
	return kind == 'f' ? (const void *)floats : words;
}

/* The pattern again and again: the device copies faster than we write. */
static cl_mem new_input(char kind, size_t size)
{
	size_t done = size < PATTERN ? size : PATTERN;
	cl_mem buffer = new_buffer(size);

	check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, done,
				   pattern(kind), 0, NULL, NULL),
	      "clEnqueueWriteBuffer");
	for (; done < size; done *= 2)
		check(clEnqueueCopyBuffer(queue, buffer, buffer, 0, done, done,
					  0, NULL, NULL),
		      "clEnqueueCopyBuffer");
	return buffer;
}

static cl_mem new_output(size_t size)
{
	const cl_uint zero = 0;
	cl_mem buffer = new_buffer(size);

	check(clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, size,
				  0, NULL, NULL),
	      "clEnqueueFillBuffer");
	return buffer;
}

static cl_mem new_image(void)
{
	static const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = IMAGE_SIDE,
			       .image_height = IMAGE_SIDE};
	size_t origin[3] = {0}, region[3] = {IMAGE_SIDE, IMAGE_SIDE, 1};
	cl_int error;
	cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &shape,
				     NULL, &error);

	check(error, "clCreateImage");
	check(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0,
				  pattern('i'), 0, NULL, NULL),
	      "clEnqueueWriteImage");
	return image;
}

static cl_sampler new_sampler(void)
{
	cl_int error;
	cl_sampler sampler =
		clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT,
				CL_FILTER_NEAREST, &error);

	check(error, "clCreateSampler");
	return sampler;
}

static struct settings settings(void)
{
	struct settings made;

	for (size_t i = 0; i < 16; i++)
		made.weights[i] = 0.5f + (float)i / 32;
	for (cl_uint i = 0; i < 8; i++)
		made.kinds[i] = i * i;
	for (size_t i = 0; i < 4; i++)
		made.offset[i] = (float)i + 0.5f;
	for (size_t i = 0; i < 32; i++)
		made.flags[i] = (char)(i & 1);
	return made;
}

static cl_int set_argument(const struct kernel_case *one, cl_kernel kernel,
			   cl_uint i, size_t items, struct arguments *made)
{
	static const cl_float4 vector = {{1, 2, 3, 4}};
	const struct settings all_settings = settings();
	cl_uint n = (cl_uint)items;
	cl_mem *input = &made->inputs[made->inputs[0] != NULL];

	switch (one->arguments[i]) {
	case 'i':
	case 'f':
		*input = new_input(one->arguments[i], items * one->in);
		return clSetKernelArg(kernel, i, sizeof(*input), input);
	case 'o':
		made->output = new_output(items * one->out);
		return clSetKernelArg(kernel, i, sizeof(cl_mem), &made->output);
	case 'c':
		made->constants = new_input('i', 4096);
		return clSetKernelArg(kernel, i, sizeof(cl_mem),
				      &made->constants);
	case 'r':
		made->image = new_image();
		return clSetKernelArg(kernel, i, sizeof(cl_mem), &made->image);
	case 's':
		made->sampler = new_sampler();
		return clSetKernelArg(kernel, i, sizeof(cl_sampler),
				      &made->sampler);
	case 'n':
		return clSetKernelArg(kernel, i, sizeof(n), &n);
	case 'l':
		return clSetKernelArg(kernel, i, 1024, NULL);
	case 'S':
		return clSetKernelArg(kernel, i, sizeof(all_settings),
				      &all_settings);
	case 'v':
		return clSetKernelArg(kernel, i, sizeof(vector), &vector);
	default:
		return CL_INVALID_ARG_INDEX;
	}
}

static void set_arguments(const struct kernel_case *one, cl_kernel kernel,
			  size_t items, struct arguments *ret_made)
{
	*ret_made = (struct arguments){0};
	for (cl_uint i = 0; one->arguments[i]; i++)
		check(set_argument(one, kernel, i, items, ret_made), one->name);
	check(clFinish(queue), "clFinish");
}

static void release_arguments(const struct arguments *made)
{
	const cl_mem memory[] = {made->inputs[0], made->inputs[1],
				 made->constants, made->image, made->output};

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (memory[i])
			clReleaseMemObject(memory[i]);
	if (made->sampler)
		clReleaseSampler(made->sampler);
}

/* ---- launches ---- */

static double event_ms(cl_event event)
{
	cl_ulong start = 0, end = 0;

	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
				      sizeof(start), &start, NULL),
	      "CL_PROFILING_COMMAND_START");
	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
				      sizeof(end), &end, NULL),
	      "CL_PROFILING_COMMAND_END");
	clReleaseEvent(event);
	return (double)(end - start) / 1e6;
}

/* In milliseconds, unsorted. */
static void launch(const struct kernel_case *one, cl_kernel kernel,
		   size_t items, int count, double *ret_times)
{
	static cl_event events[MAX_LAUNCHES];
	size_t group = KERNEL_GROUP;

	for (int i = 0; i < count; i++)
		check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items,
					     &group, 0, NULL, &events[i]),
		      one->name);
	check(clFinish(queue), one->name);
	for (int i = 0; i < count; i++)
		ret_times[i] = event_ms(events[i]);
}

/* The least scale that makes a launch long enough. */
static int find_scale(const struct kernel_case *one, cl_kernel kernel)
{
	struct arguments made;
	double times[2];
	int scale;

	for (scale = 0; scale < KERNEL_SCALE; scale++) {
		set_arguments(one, kernel, KERNEL_BASE << scale, &made);
		launch(one, kernel, KERNEL_BASE << scale, 2, times);
		release_arguments(&made);
		if (times[1] >= ENOUGH)
			break;
	}
	return scale;
}

/* Memory that devices can write to fast. */
static unsigned char *staging(void)
{
	static unsigned char *bytes;
	cl_mem buffer;
	cl_int error;

	if (bytes)
		return bytes;
	buffer = clCreateBuffer(context,
				CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
				PIECE, NULL, &error);
	check(error, "clCreateBuffer");
	bytes = clEnqueueMapBuffer(queue, buffer, CL_TRUE,
				   CL_MAP_READ | CL_MAP_WRITE, 0, PIECE, 0,
				   NULL, NULL, &error);
	check(error, "clEnqueueMapBuffer");
	return bytes;
}

static void digest_output(cl_mem output, size_t size,
			  char ret_hex[OCC_DIGEST_HEX_SIZE])
{
	unsigned char *bytes = staging();
	struct occ_digest_state *state = occ_digest_new(OCC_SEED_CONTENT);
	struct occ_digest digest;

	if (!state)
		fail("out of memory", 0);
	for (size_t at = 0; at < size; at += PIECE) {
		size_t piece = size - at < PIECE ? size - at : PIECE;

		check(clEnqueueReadBuffer(queue, output, CL_TRUE, at, piece,
					  bytes, 0, NULL, NULL),
		      "clEnqueueReadBuffer");
		occ_digest_update(state, bytes, piece);
	}
	occ_digest_finish(state, &digest);
	occ_digest_hex(&digest, ret_hex);
}

static void measure(const struct kernel_case *one, struct built *built)
{
	static double times[MAX_LAUNCHES];
	char hex[OCC_DIGEST_HEX_SIZE];
	struct arguments made;
	double middle;
	size_t items;

	if (!built->kernel) {
		printf("{\"kernel\": \"%s\", \"skipped\": \"%s\"}\n", one->name,
		       built->why);
		return;
	}
	if (built->scale < 0)
		built->scale = find_scale(one, built->kernel);
	items = KERNEL_BASE << built->scale;
	set_arguments(one, built->kernel, items, &made);
	launch(one, built->kernel, items, 2, times);
	launch(one, built->kernel, items, launches, times);
	digest_output(made.output, items * one->out, hex);
	release_arguments(&made);
	middle = median(times, launches);
	printf("{\"kernel\": \"%s\", \"scale\": %d, \"least\": %.6f, \"median\""
	       ": %.6f, \"built\": %.3f, \"digest\": \"%s\"}\n",
	       one->name, built->scale, times[0], middle, built->ms, hex);
}

/* Devices are slow at first. */
static void warm_up(void)
{
	static double times[MAX_LAUNCHES];
	int64_t end = now_ns(CLOCK_MONOTONIC) + 200 * 1000 * 1000;
	struct arguments made;
	size_t i = 0;

	while (i < CASES && strcmp(kernel_cases[i].name, "chain") != 0)
		i++;
	if (i == CASES || !all[i].kernel)
		return;
	set_arguments(&kernel_cases[i], all[i].kernel, KERNEL_BASE << 2, &made);
	while (now_ns(CLOCK_MONOTONIC) < end)
		launch(&kernel_cases[i], all[i].kernel, KERNEL_BASE << 2, 20,
		       times);
	release_arguments(&made);
}

/* ---- the command line ---- */

static void set_scale(const char *argument)
{
	const char *end = strrchr(argument, '=');

	for (size_t i = 0; end && i < CASES; i++) {
		size_t length = strlen(kernel_cases[i].name);

		if (length != (size_t)(end - argument) ||
		    strncmp(kernel_cases[i].name, argument, length) != 0)
			continue;
		all[i].scale = atoi(end + 1);
		if (all[i].scale > KERNEL_SCALE)
			fail("too large a scale", all[i].scale);
		return;
	}
	fail(argument, CL_INVALID_VALUE);
}

static void usage(void)
{
	fputs(USAGE, stderr);
	exit(2);
}

static const char *parse(int argc, char **argv)
{
	static const struct option options[] = {
		{"platform", required_argument, NULL, 'p'},
		{"launches", required_argument, NULL, 'l'},
		{"sources", required_argument, NULL, 's'},
		{NULL, 0, NULL, 0},
	};
	const char *platform = "";
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (option == 'p')
			platform = optarg;
		else if (option == 'l')
			launches = atoi(optarg);
		else if (option == 's')
			directory = optarg;
		else
			usage();
	if (launches < 1 || launches > MAX_LAUNCHES)
		usage();
	for (size_t i = 0; i < CASES; i++)
		all[i].scale = -1;
	for (; optind < argc; optind++)
		set_scale(argv[optind]);
	return platform;
}

int main(int argc, char **argv)
{
	open_device(parse(argc, argv));
	build_all();
	warm_up();
	for (size_t i = 0; i < CASES; i++)
		measure(&kernel_cases[i], &all[i]);
	for (size_t i = 0; i < CASES; i++) {
		if (all[i].kernel)
			clReleaseKernel(all[i].kernel);
		if (all[i].program)
			clReleaseProgram(all[i].program);
	}
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}
