/* SPDX-License-Identifier: MIT */
/*
 * What calls cost that a program makes often, in this one process, on the first
 * device of the first platform:
 *
 *	calls [BATCHES [SIZE [FILE]]]	default 50 of 1000 calls
 *	calls --slots LAYER		the calls of it that this layer
 *					intercepts
 *
 * With FILE the program's binary is loaded from there; where there is none, the
 * program is compiled, and its binary written there. Processes that have
 * compiled and those that haven't differ in every call.
 *
 * Prints a line of JSON: nanoseconds per call (of the batches the tenth
 * percentile, since what else the machine does only adds), and the resident
 * memory in kB, that of all and that of files with "oclcache" in their names,
 * when there is a context, but nothing was built yet. It is an ordinary OpenCL
 * program and knows nothing of any cache.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "scripts/bench/common.h"

#define MAX_SIZE    1000
#define MAX_BATCHES 1000

static const char SOURCE[] = "kernel void one(global uint *out, uint x)\n"
			     "{\n"
			     "    out[get_global_id(0)] = x;\n"
			     "}\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffer;

/* ---- memory ---- */

/* Sums the resident kB of a process: all, and of mappings named so. */
static void resident(const char *part, long *ret_all, long *ret_part)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[4096];
	int named = 0;
	long kb;

	*ret_all = *ret_part = 0;
	while (file && fgets(line, sizeof(line), file)) {
		if (strchr(line, '-') && strchr(line, ':') &&
		    !strstr(line, "kB"))
			named = strstr(line, part) != NULL;
		if (sscanf(line, "Rss: %ld kB", &kb) != 1)
			continue;
		*ret_all += kb;
		if (named)
			*ret_part += kb;
	}
	if (file)
		fclose(file);
}

/* ---- calls ---- */

static void make_context(void)
{
	cl_int error;

	context = open_context(CL_DEVICE_TYPE_ALL, &device);
	queue = clCreateCommandQueue(context, device, 0, &error);
	check(error, "clCreateCommandQueue");
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &error);
	check(error, "clCreateBuffer");
}

/* How many bytes; 0 where there is no such file. */
static size_t read_binary(const char *path, unsigned char *bytes, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(bytes, 1, room, file) : 0;

	if (file)
		fclose(file);
	if (size == room)
		fail("the binary is too large", 0);
	return size;
}

static void write_binary(const char *path, unsigned char *bytes, size_t room)
{
	FILE *file = fopen(path, "wb");
	size_t size = 0;

	check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
			       &size, NULL),
	      "CL_PROGRAM_BINARY_SIZES");
	if (!size || size >= room)
		fail("the binary has an odd size", 0);
	check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes),
			       &bytes, NULL),
	      "CL_PROGRAM_BINARIES");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		fail(path, errno);
}

static void create_program(const unsigned char *binary, size_t size)
{
	const char *text = SOURCE;
	cl_int error;

	if (size)
		program = clCreateProgramWithBinary(context, 1, &device, &size,
						    &binary, NULL, &error);
	else
		program = clCreateProgramWithSource(context, 1, &text, NULL,
						    &error);
	check(error, "clCreateProgram");
}

/* From that file, unless it is NULL. */
static void make_kernel(const char *path)
{
	static unsigned char binary[4 << 20];
	size_t size = path ? read_binary(path, binary, sizeof(binary)) : 0;
	cl_int error;

	create_program(binary, size);
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram");
	if (path && !size)
		write_binary(path, binary, sizeof(binary));
	kernel = clCreateKernel(program, "one", &error);
	check(error, "clCreateKernel");
}

static cl_kernel made[MAX_SIZE];

static void create_kernels(int n)
{
	cl_int error;

	for (int i = 0; i < n; i++)
		made[i] = clCreateKernel(program, "one", &error);
	check(error, "clCreateKernel");
}

static void release_kernels(int n)
{
	for (int i = 0; i < n; i++)
		clReleaseKernel(made[i]);
}

static void get_kernel_name(int n)
{
	char name[64];

	for (int i = 0; i < n; i++)
		clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name),
				name, NULL);
}

static void get_kernel_program(int n)
{
	cl_program answer;

	for (int i = 0; i < n; i++)
		clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(answer),
				&answer, NULL);
	if (answer != program)
		fail("CL_KERNEL_PROGRAM", 0);
}

static void get_group_size(int n)
{
	size_t size;

	for (int i = 0; i < n; i++)
		clGetKernelWorkGroupInfo(kernel, device,
					 CL_KERNEL_WORK_GROUP_SIZE,
					 sizeof(size), &size, NULL);
}

static void set_arguments(int n)
{
	cl_uint number = 5;

	for (int i = 0; i < n; i += 2) {
		clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
		clSetKernelArg(kernel, 1, sizeof(number), &number);
	}
}

/*
 * The first of them, and so the queue, waits until all are there: threads that
 * work on it meanwhile take locks and processors from those who enqueue.
 */
static cl_event gate;

static void close_gate(int n)
{
	cl_int error;

	set_arguments(n);
	gate = clCreateUserEvent(context, &error);
	check(error, "clCreateUserEvent");
}

static void enqueue(int n)
{
	size_t one = 1;

	for (int i = 0; i < n; i++)
		check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one,
					     i == 0, i ? NULL : &gate, NULL),
		      "clEnqueueNDRangeKernel");
}

static void open_gate(int n)
{
	(void)n;
	check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
	check(clFinish(queue), "clFinish");
	clReleaseEvent(gate);
}

static void nothing(int n)
{
	(void)n;
}

struct call {
	const char *name;
	void (*before)(int n);
	void (*timed)(int n);
	void (*after)(int n);
	int fewer; /* a batch is that many times smaller */
};

static const struct call CALLS[] = {
	{"clCreateKernel", nothing, create_kernels, release_kernels, 1},
	{"clReleaseKernel", create_kernels, release_kernels, nothing, 1},
	{"clGetKernelInfo(name)", nothing, get_kernel_name, nothing, 1},
	{"clGetKernelInfo(program)", nothing, get_kernel_program, nothing, 1},
	{"clGetKernelWorkGroupInfo", nothing, get_group_size, nothing, 1},
	{"clSetKernelArg", nothing, set_arguments, nothing, 1},
	{"clEnqueueNDRangeKernel", close_gate, enqueue, open_gate, 5},
};
#define N_CALLS (sizeof(CALLS) / sizeof(CALLS[0]))

/* Sorts them. */
static double low(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare_doubles);
	return values[count / 10];
}

/* The calls take turns, so that what disturbs them disturbs all. */
static void measure(int batches, int size)
{
	static double times[N_CALLS][MAX_BATCHES];

	for (int i = 0; i < batches; i++)
		for (size_t j = 0; j < N_CALLS; j++) {
			const struct call *call = &CALLS[j];
			int n = size / call->fewer;
			int64_t start;

			call->before(n);
			start = now_ns(CLOCK_MONOTONIC);
			call->timed(n);
			times[j][i] =
				(double)(now_ns(CLOCK_MONOTONIC) - start) / n;
			call->after(n);
		}
	for (size_t j = 0; j < N_CALLS; j++)
		printf("\"%s\": %.2f, ", CALLS[j].name, low(times[j], batches));
}

/* A cache may store a program when it is released. */
static void release(void)
{
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
}

/* ---- slots ---- */

struct slot {
	const char *name;
	size_t offset;
};

#define SLOT(name)                                                             \
	{                                                                      \
#name, offsetof(cl_icd_dispatch, name)                         \
	}

static const struct slot SLOTS[] = {
	SLOT(clCreateKernel),
	SLOT(clReleaseKernel),
	SLOT(clGetKernelInfo),
	SLOT(clGetKernelWorkGroupInfo),
	SLOT(clSetKernelArg),
	SLOT(clEnqueueNDRangeKernel),
	SLOT(clEnqueueReadBuffer),
	SLOT(clEnqueueWriteBuffer),
	SLOT(clFinish),
};

typedef cl_int(CL_API_CALL *init_function)(cl_uint num_entries,
					   const cl_icd_dispatch *target,
					   cl_uint *num_entries_ret,
					   const cl_icd_dispatch **layer_ret);

/* What the loader puts into an empty slot is the driver's function. */
static void show_slots(const char *path)
{
	static void *target[sizeof(cl_icd_dispatch) / sizeof(void *)];
	const cl_icd_dispatch *table = NULL;
	cl_uint got = 0;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	init_function init = NULL;

	if (library)
		*(void **)&init = dlsym(library, "clInitLayer");
	if (!init)
		fail(path, 0);
	for (size_t i = 0; i < sizeof(target) / sizeof(target[0]); i++)
		target[i] = (void *)nothing;
	check(init(sizeof(target) / sizeof(target[0]),
		   (const cl_icd_dispatch *)(const void *)target, &got, &table),
	      "clInitLayer");
	printf("{");
	for (size_t i = 0; i < sizeof(SLOTS) / sizeof(SLOTS[0]); i++) {
		const char *slot = (const char *)table + SLOTS[i].offset;
		int taken = SLOTS[i].offset / sizeof(void *) < got &&
			    *(void *const *)(const void *)slot != NULL;

		printf("%s\"%s\": %d", i ? ", " : "", SLOTS[i].name, taken);
	}
	printf("}\n");
}

int main(int argc, char **argv)
{
	int batches = argc > 1 ? atoi(argv[1]) : 50;
	int size = argc > 2 ? atoi(argv[2]) : MAX_SIZE;
	long all, part;

	if (argc == 3 && !strcmp(argv[1], "--slots")) {
		show_slots(argv[2]);
		return 0;
	}
	if (batches < 1 || batches > MAX_BATCHES || size < 10 ||
	    size > MAX_SIZE) {
		fprintf(stderr, "usage: calls [BATCHES [SIZE [FILE]]] | "
				"--slots LAYER\n");
		return 2;
	}
	make_context();
	resident("oclcache", &all, &part);
	make_kernel(argc > 3 ? argv[3] : NULL);
	close_gate(2);
	enqueue(1);
	open_gate(1);
	printf("{");
	measure(batches, size);
	release();
	printf("\"resident\": %ld, \"mapped\": %ld}\n", all, part);
	return 0;
}
