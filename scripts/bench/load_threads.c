/* SPDX-License-Identifier: MIT */
/*
 * May a driver load binaries on one thread while an application uses it on
 * another? Loads programs on a thread again and again, while the main thread
 * makes buffers, queues, contexts and programs, and launches kernels; compares
 * what all of them compute with what C computes. An ordinary OpenCL program
 * that knows nothing of any cache. See USAGE.
 *
 * What is loaded is device code on NVIDIA's driver, taken from its own cache,
 * and whatever the binaries are on others.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/nvidia/computecache.h"
#include "scripts/bench/common.h"

#define SAMPLES	  6
#define ITEMS	  ((size_t)4096)
#define KERNELS	  2
#define LARGE_MAX 8
/* Once in so many rounds, as they take long. */
#define SOURCES	  50
#define CONTEXTS  100
#define LARGES	  10

static const char USAGE[] =
	"usage: load_threads PLATFORM save DIRECTORY\n"
	"       load_threads PLATFORM rounds DIRECTORY ROUNDS [ENTRY...]\n"
	"       load_threads PLATFORM fresh DIRECTORY [ENTRY...]\n"
	"       load_threads PLATFORM exit|join DIRECTORY MICROSECONDS "
	"[ENTRY...]\n"
	"Load programs on a second thread while the main thread does other "
	"things.\n"
	"save writes what is loaded, rounds does it many times, fresh in a "
	"process\n"
	"that has done nothing else before, exit ends the process meanwhile, "
	"join "
	"the\n"
	"same, but an exit handler waits for the loads under way. PLATFORM\n"
	"is a part of its name; ENTRY a file of a store: its program is only\n"
	"loaded and built.\n"
	"Prints one line; exit status 1: something failed or was wrong.\n";

struct bytes {
	unsigned char *data;
	size_t size;
};

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem output;
static struct bytes samples[SAMPLES], larges[LARGE_MAX];
static size_t large_count;
/* What was done, for the line at the end. */
static unsigned long loaded, compared, meanwhile, from_source;

/* ---- what is computed ---- */

static const char SOURCE[] =
	"__constant uint table[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
	"__kernel void churn(__global uint *out, uint x) {\n"
	"  uint i = get_global_id(0), v = i * A + x;\n"
	"  for (uint j = 0; j < 16; j++)\n"
	"    v = v * B + (v >> C) + table[(v ^ j) & 7];\n"
	"  out[i] = v; }\n"
	"__kernel void turn(__global uint *out, uint x) {\n"
	"  __local uint part[64];\n"
	"  uint i = get_global_id(0), l = get_local_id(0);\n"
	"  part[l] = i * B + x;\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  out[i] = part[63 - l] ^ A; }\n";
static const char *const NAMES[KERNELS] = {"churn", "turn"};

static void constants_of(size_t sample, cl_uint ret_constants[3])
{
	ret_constants[0] = 2654435761u + 2 * (cl_uint)sample;
	ret_constants[1] = 1664525u + 8 * (cl_uint)sample;
	ret_constants[2] = 7 + (cl_uint)sample % 9;
}

static cl_uint expected(size_t sample, size_t kernel, cl_uint i, cl_uint x)
{
	static const cl_uint table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
	cl_uint constants[3], value;

	constants_of(sample, constants);
	if (kernel == 1)
		return ((i - i % 64 + 63 - i % 64) * constants[1] + x) ^
		       constants[0];
	value = i * constants[0] + x;
	for (cl_uint j = 0; j < 16; j++)
		value = value * constants[1] + (value >> constants[2]) +
			table[(value ^ j) & 7];
	return value;
}

static cl_kernel launch(cl_program program, size_t kernel, cl_uint x)
{
	size_t items = ITEMS, group = 64;
	cl_int error;
	cl_kernel made = clCreateKernel(program, NAMES[kernel], &error);

	check(error, "clCreateKernel");
	check(clSetKernelArg(made, 0, sizeof(output), &output),
	      "clSetKernelArg");
	check(clSetKernelArg(made, 1, sizeof(x), &x), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, made, 1, NULL, &items, &group, 0,
				     NULL, NULL),
	      "clEnqueueNDRangeKernel");
	return made;
}

/* Runs all kernels of the program, which is that sample's. */
static void compare(cl_program program, size_t sample, cl_uint x)
{
	static cl_uint results[ITEMS];

	for (size_t kernel = 0; kernel < KERNELS; kernel++) {
		cl_kernel made = launch(program, kernel, x);

		check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0,
					  sizeof(results), results, 0, NULL,
					  NULL),
		      "clEnqueueReadBuffer");
		clReleaseKernel(made);
		for (cl_uint i = 0; i < ITEMS; i++)
			if (results[i] != expected(sample, kernel, i, x))
				fail("a wrong result", (cl_int)i);
		compared++;
	}
}

/* ---- programs ---- */

static cl_program build_source(size_t sample, unsigned long different)
{
	char text[sizeof(SOURCE) + 128];
	const char *source = text;
	cl_uint constants[3];
	cl_program program;
	cl_int error;

	constants_of(sample, constants);
	snprintf(text, sizeof(text),
		 "#define A %uu\n#define B %uu\n#define C %uu\n%s// %lu\n",
		 constants[0], constants[1], constants[2], SOURCE, different);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram of a source");
	return program;
}

static cl_program build_binary(const struct bytes *from)
{
	const unsigned char *bytes = from->data;
	cl_program program;
	cl_int status, error;

	program = clCreateProgramWithBinary(context, 1, &device, &from->size,
					    &bytes, &status, &error);
	check(error ? error : status, "clCreateProgramWithBinary");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram of a binary");
	return program;
}

/* As a cache asks after it has loaded something. */
static void ask(cl_program program)
{
	cl_build_status status = CL_BUILD_ERROR;
	size_t count = 0, size = 0;
	char names[65536];

	check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
				    sizeof(status), &status, NULL),
	      "CL_PROGRAM_BUILD_STATUS");
	check(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count),
			       &count, NULL),
	      "CL_PROGRAM_NUM_KERNELS");
	check(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL,
			       &size),
	      "CL_PROGRAM_KERNEL_NAMES");
	if (status || !count || size > sizeof(names))
		fail("what was loaded isn't whole", status);
	check(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names,
			       NULL),
	      "CL_PROGRAM_KERNEL_NAMES");
}

/* ---- what is loaded ---- */

static struct bytes read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct bytes read = {malloc((size_t)1 << 26), 0};

	if (!file || !read.data)
		fail(path, errno);
	read.size = fread(read.data, 1, (size_t)1 << 26, file);
	fclose(file);
	return read;
}

/* What a hit would load. */
static struct bytes code_of(const char *path)
{
	struct bytes file = read_file(path), found;
	struct occ_entry entry;
	struct occ_code code;
	size_t size;

	if (file.size < OCC_ENTRY_HEADER_SIZE ||
	    occ_entry_hot_size(file.data, file.size, &size) ||
	    occ_entry_decode(file.data, size, file.size, &entry))
		fail(path, 0);
	code.bytes = entry.binary;
	if (entry.code.data && !occ_code_parse(entry.code, &code))
		fail(path, 0);
	found = (struct bytes){malloc(code.bytes.size), code.bytes.size};
	if (!found.data)
		fail("out of memory", 0);
	memcpy(found.data, code.bytes.data, found.size);
	free(file.data);
	return found;
}

static void sample_path(const char *directory, size_t sample, char *ret_path,
			size_t size)
{
	snprintf(ret_path, size, "%s/%zu.binary", directory, sample);
}

static void read_samples(const char *directory, char **more, int count)
{
	char path[4096];

	for (size_t i = 0; i < SAMPLES; i++) {
		sample_path(directory, i, path, sizeof(path));
		samples[i] = read_file(path);
	}
	for (int i = 0; i < count && large_count < LARGE_MAX; i++)
		larges[large_count++] = code_of(more[i]);
}

/* The device code of it, where the driver keeps that. */
static void save(const char *directory, const char *own_cache, size_t sample)
{
	cl_program program = build_source(sample, 0);
	struct occ_buffer code = OCC_BUFFER_INIT;
	unsigned char *binary;
	char path[4096];
	size_t size = 0;
	FILE *file;

	check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
			       &size, NULL),
	      "CL_PROGRAM_BINARY_SIZES");
	binary = malloc(size);
	check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary),
			       &binary, NULL),
	      "CL_PROGRAM_BINARIES");
	if (!occ_computecache_find(own_cache, (struct occ_span){binary, size},
				   &code))
		occ_buffer_append(&code, binary, size);
	sample_path(directory, sample, path, sizeof(path));
	file = fopen(path, "wb");
	if (!file || fwrite(code.data, 1, code.size, file) != code.size)
		fail(path, errno);
	fclose(file);
	printf("%zu bytes%s ", code.size, code.size == size ? "" : " of code");
	occ_buffer_release(&code);
	free(binary);
	clReleaseProgram(program);
}

/* ---- the second thread ---- */

struct job {
	pthread_t thread;
	const struct bytes *from;
	cl_program old; /* to be released there, or NULL */
	cl_program program;
	bool done;
	double ms;
};

static void *load(void *data)
{
	struct job *job = data;
	int64_t start = now_ns(CLOCK_MONOTONIC);

	job->program = build_binary(job->from);
	ask(job->program);
	job->ms = (double)(now_ns(CLOCK_MONOTONIC) - start) / 1e6;
	if (job->old)
		clReleaseProgram(job->old);
	__atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start(struct job *job, const struct bytes *from, cl_program old)
{
	*job = (struct job){.from = from, .old = old};
	if (pthread_create(&job->thread, NULL, load, job))
		fail("pthread_create", 0);
}

static cl_program finish(struct job *job)
{
	pthread_join(job->thread, NULL);
	loaded++;
	return job->program;
}

/* ---- the main thread ---- */

static void make_buffers(void)
{
	static cl_uint words[ITEMS];
	cl_command_queue other;
	cl_mem buffer;
	cl_int error;

	other = clCreateCommandQueue(context, device, 0, &error);
	check(error, "clCreateCommandQueue");
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(words), NULL,
				&error);
	check(error, "clCreateBuffer");
	check(clEnqueueWriteBuffer(other, buffer, CL_TRUE, 0, sizeof(words),
				   words, 0, NULL, NULL),
	      "clEnqueueWriteBuffer");
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(other);
}

static void make_context(void)
{
	cl_int error;
	cl_context other =
		clCreateContext(NULL, 1, &device, NULL, NULL, &error);

	check(error, "clCreateContext");
	clReleaseContext(other);
}

/* One thing, another one each time. */
static void do_something(unsigned long number)
{
	size_t sample = number % SAMPLES;
	cl_program program;

	meanwhile++;
	make_buffers();
	if (number % 3)
		return;
	program = build_binary(&samples[sample]);
	compare(program, sample, (cl_uint)number);
	clReleaseProgram(program);
}

static void compile_something(unsigned long number)
{
	size_t sample = number % SAMPLES;
	cl_program program = build_source(sample, number);

	from_source++;
	compare(program, sample, (cl_uint)number);
	clReleaseProgram(program);
}

static void round_of(unsigned long number, cl_program *old)
{
	bool large = large_count && number % LARGES == 0;
	size_t sample = number % SAMPLES;
	struct job job;
	cl_program program;

	start(&job,
	      large ? &larges[number / LARGES % large_count] : &samples[sample],
	      *old);
	if (number % SOURCES == 0)
		compile_something(number);
	if (number % CONTEXTS == 1)
		make_context();
	do
		do_something(meanwhile);
	while (!__atomic_load_n(&job.done, __ATOMIC_ACQUIRE));
	program = finish(&job);
	if (!large)
		compare(program, sample, (cl_uint)number);
	/* Released here, or on the next round's thread. */
	*old = number % 2 ? program : NULL;
	if (!*old)
		clReleaseProgram(program);
}

/* ---- the modes ---- */

static void open_queue(void)
{
	cl_int error;

	queue = clCreateCommandQueue(context, device, 0, &error);
	check(error, "clCreateCommandQueue");
	output = clCreateBuffer(context, CL_MEM_READ_WRITE,
				ITEMS * sizeof(cl_uint), NULL, &error);
	check(error, "clCreateBuffer");
}

static int run_rounds(unsigned long rounds)
{
	cl_program old = NULL;

	open_queue();
	for (unsigned long i = 0; i < rounds; i++)
		round_of(i, &old);
	if (old)
		clReleaseProgram(old);
	printf("%lu loaded on the second thread, meanwhile %lu times buffers "
	       "and queues, %lu programs from source; %lu launches compared: "
	       "all right\n",
	       loaded, meanwhile, from_source, compared);
	return 0;
}

/* Each is one kind of call of the main thread while others load. */
static void print_waits(int64_t start, int64_t queue_end, int64_t end)
{
	printf("main thread: queue and buffer %.2f ms, the rest %.2f ms; ",
	       (double)(queue_end - start) / 1e6,
	       (double)(end - queue_end) / 1e6);
}

/* The first thing after the context is the load; all else is new, too. */
static int run_fresh(void)
{
	struct job jobs[SAMPLES + LARGE_MAX];
	size_t count = SAMPLES + large_count;
	int64_t begin = now_ns(CLOCK_MONOTONIC), queue_end;

	for (size_t i = 0; i < count; i++)
		start(&jobs[i],
		      i < SAMPLES ? &samples[i] : &larges[i - SAMPLES], NULL);
	open_queue();
	queue_end = now_ns(CLOCK_MONOTONIC);
	compile_something((unsigned long)getpid());
	for (unsigned long i = 0; i < SAMPLES; i++)
		do_something(i);
	print_waits(begin, queue_end, now_ns(CLOCK_MONOTONIC));
	for (size_t i = 0; i < count; i++) {
		cl_program program = finish(&jobs[i]);

		printf("%.2f ", jobs[i].ms);
		if (i < SAMPLES)
			compare(program, i, (cl_uint)i);
		clReleaseProgram(program);
	}
	printf("ms to load; %lu loaded, %lu launches compared: all right\n",
	       loaded, compared);
	return 0;
}

static struct job last[SAMPLES + LARGE_MAX];

static void join_last(void)
{
	for (size_t i = 0; i < SAMPLES + large_count; i++)
		pthread_join(last[i].thread, NULL);
}

/* The handler comes before those of the driver, which are registered by now. */
static int run_exit(useconds_t after, bool joins)
{
	size_t count = SAMPLES + large_count;

	if (joins)
		atexit(join_last);
	for (size_t i = 0; i < count; i++)
		start(&last[i],
		      i < SAMPLES ? &samples[i] : &larges[i - SAMPLES], NULL);
	usleep(after);
	for (size_t i = 0; i < count; i++)
		loaded += __atomic_load_n(&last[i].done, __ATOMIC_ACQUIRE);
	printf("%lu of %zu loaded at exit()\n", loaded, count);
	return 0;
}

static int run_save(const char *directory, const char *own_cache)
{
	for (size_t i = 0; i < SAMPLES; i++)
		save(directory, own_cache, i);
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	char own_cache[] = "/tmp/oclcache-load.XXXXXX";
	const char *mode = argc > 3 ? argv[2] : "";
	int more = !strcmp(mode, "fresh") ? 4 : 5;
	cl_int error;

	/* The code is to come from a cache that has nothing else. */
	if (!strcmp(mode, "save") && mkdtemp(own_cache)) {
		setenv("CUDA_CACHE_PATH", own_cache, 1);
		setenv("CUDA_CACHE_DISABLE", "0", 1);
	}
	if (strcmp(mode, "save") && argc > 3)
		read_samples(argv[3], argv + more,
			     argc > more ? argc - more : 0);
	if (argc > 3)
		device = find_device(argv[1]);
	if (device)
		context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	if (context && !strcmp(mode, "save")) {
		open_queue();
		return run_save(argv[3], own_cache);
	}
	if (context && !strcmp(mode, "fresh"))
		return run_fresh();
	if (context && argc > 4 && !strcmp(mode, "rounds"))
		return run_rounds(strtoul(argv[4], NULL, 10));
	if (context && argc > 4 &&
	    (!strcmp(mode, "exit") || !strcmp(mode, "join")))
		return run_exit((useconds_t)strtoul(argv[4], NULL, 10),
				!strcmp(mode, "join"));
	fputs(USAGE, stderr);
	return 2;
}
