/* SPDX-License-Identifier: MIT */
/*
 * Measures the time to first result of one program, in this one process: what
 * an application waits for between having a source and having a result. It is
 * an ordinary OpenCL program and knows nothing of any cache. See usage().
 *
 * All times are taken around the whole sequence, because drivers move work
 * between its calls: some compile in clBuildProgram, some at the first launch.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache/entry.h"
#include "scripts/probe_kernels.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_KERNELS	  2
#define MAX_STEADY	  100000
#define MAX_PLATFORMS	  64
/* Of a kernel whose arguments all are one buffer of zeros. */
#define MAX_ARGUMENTS	  64
#define ZEROS_SIZE	  ((size_t)1 << 20)

struct options {
	const char *platform;
	const char *source;
	const char *kernel;
	const char *build_options;
	const char *il;
	const char *entry;
	size_t device;
	size_t global;
	size_t local; /* 0: the driver chooses */
	size_t steady;
	size_t arguments; /* 0: in and out */
	int launch;
	int no_results;
	int list;
	int print;
};

/* What runs: made before the clock starts, but for program and kernels. */
struct run {
	const struct options *options;
	const struct probe_program *builtin; /* NULL for a file */
	char *source;
	size_t source_size;
	size_t n_kernels;
	const char *names[MAX_KERNELS];
	probe_expected_fn *expected[MAX_KERNELS];

	char platform_name[256];
	char device_name[256];
	char driver_version[256];
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	uint32_t *in;
	cl_mem in_buffer;
	cl_mem out_buffers[MAX_KERNELS];
	cl_mem zeros; /* NULL without --arguments */

	cl_program program;
	cl_kernel kernels[MAX_KERNELS];

	double opened; /* when there was a context */
};

/* Steps to the first result; each ends where the next one begins. */
enum step {
	STEP_CREATE,
	STEP_BUILD,
	STEP_KERNEL,
	STEP_LAUNCH,
	STEPS,
};

/* In milliseconds. */
struct times {
	double create; /* with --entry: reading and hashing the file, too */
	double build;
	double kernel;
	double launch;
	double steady, steady_least;
	double release;
	double context; /* to make it */
	double first;	/* from there to the first result */
	double moments[STEPS +
		       1]; /* when each step began, and the last ended */
};

static const char USAGE[] =
	"usage: probe [OPTION]...\n"
	"Measure the time to first result of an OpenCL program.\n"
	"\n"
	"  --platform TEXT     part of the platform's name (default: the "
	"first)\n"
	"  --device N          the platform's Nth device, from 0\n"
	"  --source WHAT       small, barriers or a file (default: small)\n"
	"  --kernel NAME       only this kernel (a file needs one); a kernel "
	"of\n"
	"                      a file takes (global const uint *in, global "
	"uint\n"
	"                      *out)\n"
	"  --options TEXT      for clBuildProgram\n"
	"  --global N          work-items (default: 65536)\n"
	"  --local N           work-group size, 0: the driver's choice (64)\n"
	"  --arguments N       the kernel takes N pointers: all to the same "
	"zeros\n"
	"  --no-launch         only build and create the kernel\n"
	"  --no-results        launch, but don't look at what that computed\n"
	"  --steady N          also the median and the least of N further "
	"launches\n"
	"  --il FILE           build this IL, which has the kernels of "
	"--source\n"
	"  --entry FILE        don't compile: read this file of a store, hash "
	"it,\n"
	"                      and give the driver the binary in it\n"
	"  --list              only print a line of JSON for each device\n"
	"  --print             only print the source\n"
	"\n"
	"Prints one line of JSON, times in ms. Exit status: 1 something "
	"failed\n"
	"or a result is wrong, 2 bad arguments.\n";

__attribute__((noreturn, format(printf, 2, 3))) static void fail(
	int status, const char *format, ...)
{
	va_list args;

	fputs("probe: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(status);
}

static const char *error_name(cl_int error)
{
	switch (error) {
	case CL_DEVICE_NOT_FOUND:
		return "CL_DEVICE_NOT_FOUND";
	case CL_COMPILER_NOT_AVAILABLE:
		return "CL_COMPILER_NOT_AVAILABLE";
	case CL_OUT_OF_HOST_MEMORY:
		return "CL_OUT_OF_HOST_MEMORY";
	case CL_BUILD_PROGRAM_FAILURE:
		return "CL_BUILD_PROGRAM_FAILURE";
	case CL_INVALID_BINARY:
		return "CL_INVALID_BINARY";
	case CL_INVALID_BUILD_OPTIONS:
		return "CL_INVALID_BUILD_OPTIONS";
	case CL_INVALID_KERNEL_NAME:
		return "CL_INVALID_KERNEL_NAME";
	case CL_INVALID_KERNEL_ARGS:
		return "CL_INVALID_KERNEL_ARGS";
	case CL_INVALID_ARG_INDEX:
		return "CL_INVALID_ARG_INDEX";
	case CL_INVALID_WORK_GROUP_SIZE:
		return "CL_INVALID_WORK_GROUP_SIZE";
	default:
		return "see CL/cl.h";
	}
}

static void check(cl_int error, const char *what)
{
	if (error != CL_SUCCESS)
		fail(1, "%s: %s (%d)", what, error_name(error), error);
}

static void *allocate(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		fail(1, "out of memory");
	return memory;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static char *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	long size;
	char *text;

	if (!file)
		fail(1, "%s: %s", path, strerror(errno));
	if (fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		fail(1, "%s: %s", path, strerror(errno));
	rewind(file);
	text = allocate((size_t)size + 1);
	if (fread(text, 1, (size_t)size, file) != (size_t)size)
		fail(1, "%s: can't be read", path);
	fclose(file);
	*ret_size = (size_t)size;
	return text;
}

/* ---- what to run ---- */

static size_t parse_number(const char *name, const char *text, size_t max)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || value > max)
		fail(2, "--%s: '%s' is no number from 0 to %zu", name, text,
		     max);
	return (size_t)value;
}

static void check_options(const struct options *options)
{
	if (!options->global)
		fail(2, "--global: there must be at least one work-item");
	if (options->local && options->global % options->local)
		fail(2, "--local: %zu doesn't divide --global, %zu",
		     options->local, options->global);
	if (!options->launch && options->steady)
		fail(2, "--steady and --no-launch contradict each other");
}

static const struct option LONG_OPTIONS[] = {
	{"platform", required_argument, NULL, 'p'},
	{"device", required_argument, NULL, 'd'},
	{"source", required_argument, NULL, 's'},
	{"kernel", required_argument, NULL, 'k'},
	{"options", required_argument, NULL, 'o'},
	{"global", required_argument, NULL, 'g'},
	{"local", required_argument, NULL, 'l'},
	{"no-launch", no_argument, NULL, 'n'},
	{"no-results", no_argument, NULL, 'r'},
	{"steady", required_argument, NULL, 't'},
	{"il", required_argument, NULL, 'i'},
	{"entry", required_argument, NULL, 'e'},
	{"arguments", required_argument, NULL, 'a'},
	{"list", no_argument, NULL, 'L'},
	{"print", no_argument, NULL, 'P'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void set_option(struct options *options, int option)
{
	switch (option) {
	case 'p':
		options->platform = optarg;
		break;
	case 'd':
		options->device = parse_number("device", optarg, 1000);
		break;
	case 's':
		options->source = optarg;
		break;
	case 'k':
		options->kernel = optarg;
		break;
	case 'o':
		options->build_options = optarg;
		break;
	case 'g':
		options->global = parse_number("global", optarg, 1 << 28);
		break;
	case 'l':
		options->local = parse_number("local", optarg, 1 << 16);
		break;
	case 'n':
		options->launch = 0;
		break;
	case 'r':
		options->no_results = 1;
		break;
	case 't':
		options->steady = parse_number("steady", optarg, MAX_STEADY);
		break;
	case 'i':
		options->il = optarg;
		break;
	case 'e':
		options->entry = optarg;
		break;
	case 'a':
		options->arguments =
			parse_number("arguments", optarg, MAX_ARGUMENTS);
		break;
	case 'L':
		options->list = 1;
		break;
	case 'P':
		options->print = 1;
		break;
	case 'h':
		fputs(USAGE, stdout);
		exit(0);
	default:
		fputs(USAGE, stderr);
		exit(2);
	}
}

static void parse_options(int argc, char **argv, struct options *options)
{
	int option;

	*options = (struct options){
		.platform = "",
		.source = "small",
		.build_options = "",
		.global = 65536,
		.local = 64,
		.launch = 1,
	};
	while ((option = getopt_long(argc, argv, "", LONG_OPTIONS, NULL)) != -1)
		set_option(options, option);
	if (optind < argc)
		fail(2, "'%s': there are no arguments but options",
		     argv[optind]);
	check_options(options);
}

static void choose_builtin(struct run *run)
{
	const struct options *options = run->options;
	const struct probe_program *builtin = run->builtin;

	if (builtin->needs_local &&
	    (!options->local || options->local > PROBE_MAX_LOCAL))
		fail(2, "--local: %s needs 1 to %d", builtin->name,
		     PROBE_MAX_LOCAL);
	for (size_t i = 0; i < ARRAY_SIZE(builtin->kernels); i++) {
		const char *name = builtin->kernels[i].name;

		if (options->kernel && strcmp(options->kernel, name) != 0)
			continue;
		run->names[run->n_kernels] = name;
		run->expected[run->n_kernels++] = builtin->kernels[i].expected;
	}
	if (!run->n_kernels)
		fail(2, "--kernel: %s has no kernel '%s'", builtin->name,
		     options->kernel);
	run->source_size = strlen(builtin->source);
	run->source = allocate(run->source_size + 1);
	memcpy(run->source, builtin->source, run->source_size);
}

static void choose_program(struct run *run)
{
	const struct options *options = run->options;

	for (size_t i = 0; i < ARRAY_SIZE(probe_programs); i++)
		if (!strcmp(options->source, probe_programs[i].name))
			run->builtin = &probe_programs[i];
	if (run->builtin) {
		choose_builtin(run);
		return;
	}
	if (!options->kernel)
		fail(2, "--source %s: --kernel is needed", options->source);
	run->source = read_file(options->source, &run->source_size);
	run->names[run->n_kernels++] = options->kernel;
}

/* ---- where to run ---- */

static cl_uint get_platforms(cl_platform_id platforms[MAX_PLATFORMS])
{
	cl_uint n = 0;
	cl_int error = clGetPlatformIDs(MAX_PLATFORMS, platforms, &n);

	if (error != CL_SUCCESS || !n)
		fail(1, "no OpenCL platform (%d)", error);
	return n < MAX_PLATFORMS ? n : MAX_PLATFORMS;
}

static cl_uint get_devices(cl_platform_id platform,
			   cl_device_id devices[MAX_PLATFORMS])
{
	cl_uint n = 0;
	cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL,
				      MAX_PLATFORMS, devices, &n);

	if (error == CL_DEVICE_NOT_FOUND)
		return 0;
	check(error, "clGetDeviceIDs");
	return n < MAX_PLATFORMS ? n : MAX_PLATFORMS;
}

static void get_platform_name(cl_platform_id platform, struct run *run)
{
	check(clGetPlatformInfo(platform, CL_PLATFORM_NAME,
				sizeof(run->platform_name), run->platform_name,
				NULL),
	      "clGetPlatformInfo");
}

static void get_device_names(cl_device_id device, struct run *run)
{
	check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(run->device_name),
			      run->device_name, NULL),
	      "clGetDeviceInfo(CL_DEVICE_NAME)");
	check(clGetDeviceInfo(device, CL_DRIVER_VERSION,
			      sizeof(run->driver_version), run->driver_version,
			      NULL),
	      "clGetDeviceInfo(CL_DRIVER_VERSION)");
}

static cl_platform_id find_platform(struct run *run)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_uint n = get_platforms(platforms);

	for (cl_uint i = 0; i < n; i++) {
		get_platform_name(platforms[i], run);
		if (strcasestr(run->platform_name, run->options->platform))
			return platforms[i];
	}
	fail(1, "no platform has '%s' in its name", run->options->platform);
}

static void find_device(struct run *run)
{
	cl_platform_id platform = find_platform(run);
	cl_device_id devices[MAX_PLATFORMS];
	cl_uint n = get_devices(platform, devices);

	if (run->options->device >= n)
		fail(1, "%s has %u devices, and no number %zu",
		     run->platform_name, n, run->options->device);
	run->device = devices[run->options->device];
	get_device_names(run->device, run);
}

static cl_mem make_buffer(struct run *run, cl_mem_flags flags, void *data,
			  size_t size)
{
	cl_int error;
	cl_mem buffer = clCreateBuffer(run->context, flags, size, data, &error);

	check(error, "clCreateBuffer");
	return buffer;
}

static void make_buffers(struct run *run)
{
	size_t global = run->options->global;
	size_t size = global * sizeof(*run->in);

	run->in = allocate(size);
	for (size_t i = 0; i < global; i++)
		run->in[i] = (uint32_t)i * 2654435761u;
	run->in_buffer =
		make_buffer(run, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
			    run->in, size);
	for (size_t i = 0; i < run->n_kernels; i++)
		run->out_buffers[i] =
			make_buffer(run, CL_MEM_WRITE_ONLY, NULL, size);
}

static void make_zeros(struct run *run)
{
	void *zeros = allocate(ZEROS_SIZE);

	run->zeros = make_buffer(run, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				 zeros, ZEROS_SIZE);
	free(zeros);
}

/* Everything an application has before it builds. */
static void prepare(struct run *run, struct times *times)
{
	double start;
	cl_int error;

	find_device(run);
	start = now();
	run->context =
		clCreateContext(NULL, 1, &run->device, NULL, NULL, &error);
	check(error, "clCreateContext");
	run->opened = now();
	times->context = run->opened - start;
	run->queue = clCreateCommandQueue(run->context, run->device, 0, &error);
	check(error, "clCreateCommandQueue");
	if (run->options->launch && run->options->arguments)
		make_zeros(run);
	else if (run->options->launch)
		make_buffers(run);
	if (run->options->il && !run->options->entry) {
		free(run->source);
		run->source = read_file(run->options->il, &run->source_size);
	}
}

/* ---- the timed part ---- */

static void create_from_source(struct run *run)
{
	const char *text = run->source;
	cl_int error;

	run->program = clCreateProgramWithSource(run->context, 1, &text,
						 &run->source_size, &error);
	check(error, "clCreateProgramWithSource");
}

static void create_from_il(struct run *run)
{
	cl_int error;

	run->program = clCreateProgramWithIL(run->context, run->source,
					     run->source_size, &error);
	check(error, "clCreateProgramWithIL");
}

static void read_exactly(int file, unsigned char *bytes, size_t size)
{
	if (read(file, bytes, size) != (ssize_t)size)
		fail(1, "--entry: can't be read whole: %s", strerror(errno));
}

/* The part of an entry that a hit needs, in two reads, verified. */
static unsigned char *read_entry(const char *path, struct occ_entry *ret_entry)
{
	unsigned char header[OCC_ENTRY_HEADER_SIZE];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	unsigned char *bytes;
	size_t size;

	if (file < 0 || fstat(file, &status))
		fail(1, "%s: %s", path, strerror(errno));
	read_exactly(file, header, sizeof(header));
	if (occ_entry_hot_size(header, (uint64_t)status.st_size, &size))
		fail(1, "%s: no entry of this version", path);
	/* Not filled with zeros first, which would take time. */
	bytes = malloc(size);
	if (!bytes)
		fail(1, "out of memory");
	memcpy(bytes, header, sizeof(header));
	read_exactly(file, bytes + sizeof(header), size - sizeof(header));
	close(file);
	if (occ_entry_decode(bytes, size, (uint64_t)status.st_size, ret_entry))
		fail(1, "%s: corrupt", path);
	return bytes;
}

/*
 * The floor for any cache: it must at least read the bytes, know by a digest
 * that they are whole, and hand them to the driver.
 */
static void create_from_entry(struct run *run)
{
	const char *path = run->options->entry;
	struct occ_entry entry;
	unsigned char *bytes = read_entry(path, &entry);
	struct occ_code code = {.bytes = entry.binary};
	cl_int status = CL_SUCCESS;
	cl_int error;

	if (entry.code.data && !occ_code_parse(entry.code, &code))
		fail(1, "%s: its device code is too short", path);
	run->program =
		clCreateProgramWithBinary(run->context, 1, &run->device,
					  &code.bytes.size, &code.bytes.data,
					  &status, &error);
	if (error != CL_SUCCESS || status != CL_SUCCESS)
		fail(1, "%s: clCreateProgramWithBinary: %s (%d)", path,
		     error_name(error ? error : status),
		     error ? error : status);
	free(bytes);
}

static void print_build_log(struct run *run)
{
	size_t size = 0;
	char *log;

	if (clGetProgramBuildInfo(run->program, run->device,
				  CL_PROGRAM_BUILD_LOG, 0, NULL, &size))
		return;
	log = allocate(size + 1);
	if (!clGetProgramBuildInfo(run->program, run->device,
				   CL_PROGRAM_BUILD_LOG, size, log, NULL))
		fprintf(stderr, "%.4000s\n", log);
	free(log);
}

static void build(struct run *run)
{
	cl_int error = clBuildProgram(run->program, 1, &run->device,
				      run->options->build_options, NULL, NULL);

	if (error != CL_SUCCESS) {
		print_build_log(run);
		fail(1, "%s: clBuildProgram: %s (%d)", run->options->source,
		     error_name(error), error);
	}
}

static void create_kernels(struct run *run)
{
	cl_int error;

	for (size_t i = 0; i < run->n_kernels; i++) {
		run->kernels[i] =
			clCreateKernel(run->program, run->names[i], &error);
		if (error != CL_SUCCESS)
			fail(1, "clCreateKernel(%s): %s (%d)", run->names[i],
			     error_name(error), error);
	}
}

static void set_arguments(struct run *run)
{
	for (size_t i = 0; i < run->options->arguments; i++)
		check(clSetKernelArg(run->kernels[0], (cl_uint)i,
				     sizeof(cl_mem), &run->zeros),
		      "clSetKernelArg");
	for (size_t i = 0; i < run->n_kernels && !run->zeros; i++) {
		check(clSetKernelArg(run->kernels[i], 0, sizeof(cl_mem),
				     &run->in_buffer),
		      "clSetKernelArg(0)");
		check(clSetKernelArg(run->kernels[i], 1, sizeof(cl_mem),
				     &run->out_buffers[i]),
		      "clSetKernelArg(1)");
	}
}

static void launch(struct run *run)
{
	const struct options *options = run->options;

	for (size_t i = 0; i < run->n_kernels; i++)
		check(clEnqueueNDRangeKernel(run->queue, run->kernels[i], 1,
					     NULL, &options->global,
					     options->local ? &options->local
							    : NULL,
					     0, NULL, NULL),
		      "clEnqueueNDRangeKernel");
	check(clFinish(run->queue), "clFinish");
}

static void create(struct run *run)
{
	if (run->options->entry)
		create_from_entry(run);
	else if (run->options->il)
		create_from_il(run);
	else
		create_from_source(run);
}

static void first_launch(struct run *run)
{
	if (!run->options->launch)
		return;
	set_arguments(run);
	launch(run);
}

static void first_result(struct run *run, struct times *times)
{
	static void (*const steps[STEPS])(struct run *) = {
		[STEP_CREATE] = create,
		[STEP_BUILD] = build,
		[STEP_KERNEL] = create_kernels,
		[STEP_LAUNCH] = first_launch,
	};
	const double *at = times->moments;

	times->moments[0] = now();
	for (size_t i = 0; i < STEPS; i++) {
		steps[i](run);
		times->moments[i + 1] = now();
	}
	times->create = at[STEP_BUILD] - at[STEP_CREATE];
	times->build = at[STEP_KERNEL] - at[STEP_BUILD];
	times->kernel = at[STEP_LAUNCH] - at[STEP_KERNEL];
	if (run->options->launch)
		times->launch = at[STEPS] - at[STEP_LAUNCH];
	times->first = at[STEPS] - run->opened;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static void steady(struct run *run, struct times *result)
{
	size_t n = run->options->steady;
	double *times = allocate(n * sizeof(*times));

	for (size_t i = 0; i < n; i++) {
		double start = now();

		launch(run);
		times[i] = now() - start;
	}
	qsort(times, n, sizeof(*times), compare_doubles);
	result->steady =
		n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
	result->steady_least = times[0];
	free(times);
}

/* ---- after the clock ---- */

static void check_result(struct run *run, size_t kernel, const uint32_t *out)
{
	size_t n = run->options->global;
	size_t local = run->options->local ? run->options->local : n;
	uint32_t *expected;

	if (!run->expected[kernel])
		return;
	expected = allocate(n * sizeof(*expected));
	run->expected[kernel](run->in, expected, n, local);
	for (size_t i = 0; i < n; i++)
		if (out[i] != expected[i])
			fail(1, "%s: wrong result: item %zu is %u, not %u",
			     run->names[kernel], i, out[i], expected[i]);
	free(expected);
}

/* Checks all results; the digest is over all of them. */
static void read_results(struct run *run, char ret_hex[OCC_DIGEST_HEX_SIZE])
{
	size_t size = run->options->global * sizeof(uint32_t);
	struct occ_digest_state *state = occ_digest_new(OCC_SEED_CONTENT);
	uint32_t *out = allocate(size);
	struct occ_digest digest;

	for (size_t i = 0; i < run->n_kernels; i++) {
		check(clEnqueueReadBuffer(run->queue, run->out_buffers[i],
					  CL_TRUE, 0, size, out, 0, NULL, NULL),
		      "clEnqueueReadBuffer");
		check_result(run, i, out);
		occ_digest_update(state, out, size);
	}
	occ_digest_finish(state, &digest);
	occ_digest_hex(&digest, ret_hex);
	free(out);
}

static double release(struct run *run)
{
	double start = now();

	for (size_t i = 0; i < run->n_kernels; i++)
		clReleaseKernel(run->kernels[i]);
	clReleaseProgram(run->program);
	for (size_t i = 0; i < run->n_kernels; i++)
		if (run->out_buffers[i])
			clReleaseMemObject(run->out_buffers[i]);
	if (run->in_buffer)
		clReleaseMemObject(run->in_buffer);
	if (run->zeros)
		clReleaseMemObject(run->zeros);
	clReleaseCommandQueue(run->queue);
	clReleaseContext(run->context);
	free(run->in);
	free(run->source);
	return now() - start;
}

static void print_text(const char *name, const char *text)
{
	printf("\"%s\": \"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text >= ' ')
			putchar(*text);
	}
	printf("\", ");
}

static void print_report(const struct run *run, const struct times *times,
			 const char *checksum)
{
	printf("{");
	print_text("platform", run->platform_name);
	print_text("device", run->device_name);
	print_text("driver", run->driver_version);
	print_text("source", run->options->source);
	print_text("from", run->options->entry ? "entry"
			   : run->options->il  ? "il"
					       : "source");
	printf("\"create\": %.3f, \"build\": %.3f, \"kernel\": %.3f, "
	       "\"launch\": %.3f, \"total\": %.3f, ",
	       times->create, times->build, times->kernel, times->launch,
	       times->create + times->build + times->kernel + times->launch);
	printf("\"context\": %.3f, \"first\": %.3f, ", times->context,
	       times->first);
	printf("\"moments\": [%.6f", run->opened);
	for (size_t i = 0; i <= STEPS; i++)
		printf(", %.6f", times->moments[i]);
	printf("], ");
	if (run->options->steady)
		printf("\"steady\": %.4f, \"steady_least\": %.4f, ",
		       times->steady, times->steady_least);
	if (*checksum)
		print_text("checksum", checksum);
	printf("\"release\": %.3f}\n", times->release);
}

static void list_device(cl_device_id device, size_t number, struct run *run)
{
	get_device_names(device, run);
	printf("{");
	print_text("platform", run->platform_name);
	print_text("name", run->device_name);
	print_text("version", run->driver_version);
	printf("\"index\": %zu}\n", number);
}

static void list_devices(struct run *run)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_uint n_platforms = get_platforms(platforms);

	for (cl_uint i = 0; i < n_platforms; i++) {
		cl_device_id devices[MAX_PLATFORMS];
		cl_uint n = get_devices(platforms[i], devices);

		get_platform_name(platforms[i], run);
		for (cl_uint j = 0; j < n; j++)
			list_device(devices[j], j, run);
	}
}

int main(int argc, char **argv)
{
	char checksum[OCC_DIGEST_HEX_SIZE] = "";
	struct options options;
	struct run run = {.options = &options};
	struct times times = {0};

	parse_options(argc, argv, &options);
	if (options.list) {
		list_devices(&run);
		return 0;
	}
	choose_program(&run);
	if (options.print) {
		fputs(run.source, stdout);
		return 0;
	}
	prepare(&run, &times);
	first_result(&run, &times);
	if (options.steady)
		steady(&run, &times);
	if (options.launch && !options.arguments && !options.no_results)
		read_results(&run, checksum);
	times.release = release(&run);
	print_report(&run, &times, checksum);
	if (fflush(stdout))
		fail(1, "stdout: %s", strerror(errno));
	return 0;
}
