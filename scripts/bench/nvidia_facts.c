/* SPDX-License-Identifier: MIT */
/*
 * What a program loses when NVIDIA's driver loads it as device code: builds it
 * from source, from its PTX and from what the driver's own cache has then,
 * writes down all that can be asked and what launches compute, and compares. An
 * ordinary OpenCL program that knows nothing of any cache. See usage().
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/nvidia/computecache.h"
#include "scripts/bench/nvidia_cases.h"

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define ITEMS	      1024
#define GROUP	      64
#define BUFFER_SIZE   ((size_t)ITEMS * 16)
#define MAX_ARGUMENTS 32
#define MAX_KERNELS   64

static char own_cache[] = "/tmp/oclcache-facts.XXXXXX";
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void die(const char *what, long code)
{
	printf("FAILED: %s (%ld)\n", what, code);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void start(void)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	char name[256] = "";
	cl_int error;

	clGetPlatformIDs(16, platforms, &count);
	for (cl_uint i = 0; i < count && !device; i++) {
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name),
				  name, NULL);
		if (!strcmp(name, "NVIDIA CUDA"))
			clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1,
				       &device, NULL);
	}
	if (!device)
		die("no NVIDIA device", 0);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	if (!context)
		die("clCreateContext", error);
	queue = clCreateCommandQueue(context, device, 0, &error);
	if (!queue)
		die("clCreateCommandQueue", error);
}

/* ---- what can be asked ---- */

static void show_bytes(FILE *out, const unsigned char *bytes, size_t size)
{
	unsigned long long digest = 14695981039346656037ull;

	for (size_t i = 0; i < size; i++)
		digest = (digest ^ bytes[i]) * 1099511628211ull;
	fprintf(out, "%zu bytes %016llx", size, digest);
	for (size_t i = 0; i < size && i < 80; i++)
		fprintf(out,
			bytes[i] >= ' ' && bytes[i] < 127 ? "%c" : "\\%02x",
			bytes[i]);
	fprintf(out, "\n");
}

static void show_answer(FILE *out, const char *what, cl_int code,
			const unsigned char *value, size_t size)
{
	fprintf(out, "%s: %d ", what, code);
	show_bytes(out, value, code ? 0 : size);
}

static unsigned char value[1 << 20];

#define PROGRAM(name)                                                          \
	do {                                                                   \
		size_t size_ = 0;                                              \
		cl_int code_ = clGetProgramInfo(program, name, sizeof(value),  \
						value, &size_);                \
		show_answer(out, #name, code_, value, size_);                  \
	} while (0)
#define BUILD(name)                                                            \
	do {                                                                   \
		size_t size_ = 0;                                              \
		cl_int code_ =                                                 \
			clGetProgramBuildInfo(program, device, name,           \
					      sizeof(value), value, &size_);   \
		show_answer(out, #name, code_, value, size_);                  \
	} while (0)
#define KERNEL(name)                                                           \
	do {                                                                   \
		size_t size_ = 0;                                              \
		cl_int code_ = clGetKernelInfo(kernel, name, sizeof(value),    \
					       value, &size_);                 \
		fprintf(out, "%s ", title);                                    \
		show_answer(out, #name, code_, value, size_);                  \
	} while (0)
#define GROUPS(name)                                                           \
	do {                                                                   \
		size_t size_ = 0;                                              \
		cl_int code_ = clGetKernelWorkGroupInfo(kernel, device, name,  \
							sizeof(value), value,  \
							&size_);               \
		fprintf(out, "%s ", title);                                    \
		show_answer(out, #name, code_, value, size_);                  \
	} while (0)
#define ARGUMENT(name)                                                         \
	do {                                                                   \
		size_t size_ = 0;                                              \
		cl_int code_ =                                                 \
			clGetKernelArgInfo(kernel, i, name, sizeof(value),     \
					   value, &size_);                     \
		fprintf(out, "%s %u ", title, i);                              \
		show_answer(out, #name, code_, value, size_);                  \
	} while (0)

/*
 * Which sizes an argument takes says what it is. Not larger ones: what follows
 * a wrong size may be anything.
 */
static void describe_setting(FILE *out, const char *title, cl_kernel kernel,
			     cl_uint i)
{
	static const unsigned char zeros[4];

	fprintf(out, "%s %u set:", title, i);
	for (size_t size = 1; size <= 3; size++)
		fprintf(out, " %d", clSetKernelArg(kernel, i, size, zeros));
	fprintf(out, "\n");
}

static void describe_sub_groups(FILE *out, const char *title, cl_kernel kernel)
{
	size_t local[3] = {GROUP, 1, 1}, answer = 0, size = 0;
	cl_int code;

	for (cl_uint name = 0x2033; name <= 0x2034; name++) {
		code = clGetKernelSubGroupInfo(kernel, device, name,
					       sizeof(local), local,
					       sizeof(answer), &answer, &size);
		fprintf(out, "%s sub-groups %x: %d %zu\n", title, name, code,
			answer);
	}
}

static void describe_kernel(FILE *out, cl_kernel kernel)
{
	char name[200] = "?", title[256];
	cl_uint arguments = 0;

	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name,
			NULL);
	snprintf(title, sizeof(title), "kernel %s:", name);
	KERNEL(CL_KERNEL_NUM_ARGS);
	KERNEL(CL_KERNEL_ATTRIBUTES);
	KERNEL(CL_KERNEL_REFERENCE_COUNT);
	GROUPS(CL_KERNEL_WORK_GROUP_SIZE);
	GROUPS(CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
	GROUPS(CL_KERNEL_LOCAL_MEM_SIZE);
	GROUPS(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
	GROUPS(CL_KERNEL_PRIVATE_MEM_SIZE);
	GROUPS(CL_KERNEL_GLOBAL_WORK_SIZE);
	describe_sub_groups(out, title, kernel);
	clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(arguments),
			&arguments, NULL);
	for (cl_uint i = 0; i < arguments; i++) {
		ARGUMENT(CL_KERNEL_ARG_ADDRESS_QUALIFIER);
		ARGUMENT(CL_KERNEL_ARG_ACCESS_QUALIFIER);
		ARGUMENT(CL_KERNEL_ARG_TYPE_NAME);
		ARGUMENT(CL_KERNEL_ARG_TYPE_QUALIFIER);
		ARGUMENT(CL_KERNEL_ARG_NAME);
		describe_setting(out, title, kernel, i);
	}
	/* Its local memory, now that an argument was given some. */
	GROUPS(CL_KERNEL_LOCAL_MEM_SIZE);
	fprintf(out, "%s one too many: %d\n", title,
		clSetKernelArg(kernel, arguments, 1, value));
}

static void describe_refusals(FILE *out, cl_program program)
{
	static const char *const names[] = {"", "no such kernel", "helper",
					    "printf"};
	cl_kernel kernels[MAX_KERNELS];
	cl_uint count = 0;
	cl_int error;

	for (size_t i = 0; i < COUNT(names); i++) {
		error = 1;
		clCreateKernel(program, names[i], &error);
		fprintf(out, "kernel '%s': %d\n", names[i], error);
	}
	error = clCreateKernelsInProgram(program, 0, NULL, &count);
	fprintf(out, "kernels in program: %d %u\n", error, count);
	error = clCreateKernelsInProgram(program, 0, kernels, &count);
	fprintf(out, "in room for none: %d %u\n", error, count);
	error = clCreateKernelsInProgram(program, MAX_KERNELS, NULL, &count);
	fprintf(out, "no room: %d %u\n", error, count);
}

static void describe_program(FILE *out, cl_program program)
{
	cl_kernel kernels[MAX_KERNELS];
	size_t known = 0;
	cl_uint count = 0;

	BUILD(CL_PROGRAM_BUILD_STATUS);
	BUILD(CL_PROGRAM_BUILD_OPTIONS);
	BUILD(CL_PROGRAM_BUILD_LOG);
	BUILD(CL_PROGRAM_BINARY_TYPE);
	BUILD(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE);
	PROGRAM(CL_PROGRAM_NUM_KERNELS);
	PROGRAM(CL_PROGRAM_REFERENCE_COUNT);
	PROGRAM(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT);
	PROGRAM(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT);
	PROGRAM(CL_PROGRAM_BINARY_SIZES);
	PROGRAM(CL_PROGRAM_IL);
	clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(known), &known,
			 NULL);
	/* The names of none end the process. */
	if (!known)
		return;
	PROGRAM(CL_PROGRAM_KERNEL_NAMES);
	describe_refusals(out, program);
	if (clCreateKernelsInProgram(program, MAX_KERNELS, kernels, &count))
		return;
	for (cl_uint i = 0; i < count; i++)
		describe_kernel(out, kernels[i]);
	for (cl_uint i = 0; i < count; i++)
		clReleaseKernel(kernels[i]);
}

/* ---- what is computed ---- */

struct argument {
	char kind;
	cl_mem memory;
	cl_sampler sampler;
};

static cl_mem new_buffer(bool random)
{
	static cl_uint words[BUFFER_SIZE / 4];
	cl_uint x = 12345;

	for (size_t i = 0; i < COUNT(words); i++) {
		x = x * 1664525u + 1013904223u;
		words[i] = random ? x ^ x >> 16 : 0;
	}
	return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			      BUFFER_SIZE, words, NULL);
}

static cl_mem new_image(bool random)
{
	static const cl_image_format format = {CL_RGBA, CL_FLOAT};
	cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D,
				     .image_width = 32,
				     .image_height = 32};
	static cl_float texels[32 * 32 * 4];

	for (size_t i = 0; i < COUNT(texels); i++)
		texels[i] = random ? (cl_float)(i * 7919 % 1000) / 100 : 0;
	return clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			     &format, &description, texels, NULL);
}

static cl_int set_argument(cl_kernel kernel, cl_uint i,
			   struct argument *argument)
{
	static const cl_uint three = 3;
	static const cl_float number = 1.5f;
	static const cl_float4 vector = {{1, 2, 3, 4}};
	cl_uint big[64];
	cl_ulong most = 0, fixed = 0;

	switch (argument->kind) {
	case 'o':
	case 'i':
		argument->memory = new_buffer(argument->kind == 'i');
		return clSetKernelArg(kernel, i, sizeof(cl_mem),
				      &argument->memory);
	case 'r':
	case 'w':
		argument->memory = new_image(argument->kind == 'r');
		return clSetKernelArg(kernel, i, sizeof(cl_mem),
				      &argument->memory);
	case 's':
		argument->sampler =
			clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT,
					CL_FILTER_NEAREST, NULL);
		return clSetKernelArg(kernel, i, sizeof(cl_sampler),
				      &argument->sampler);
	case 'u':
		return clSetKernelArg(kernel, i, sizeof(three), &three);
	case 'f':
		return clSetKernelArg(kernel, i, sizeof(number), &number);
	case 'v':
		return clSetKernelArg(kernel, i, sizeof(vector), &vector);
	case 'S':
		for (cl_uint j = 0; j < COUNT(big); j++)
			big[j] = j * j;
		return clSetKernelArg(kernel, i, sizeof(big), big);
	case 'l':
		return clSetKernelArg(kernel, i, 4096, NULL);
	case 'L':
		clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(most),
				&most, NULL);
		clGetKernelWorkGroupInfo(kernel, device,
					 CL_KERNEL_LOCAL_MEM_SIZE,
					 sizeof(fixed), &fixed, NULL);
		return clSetKernelArg(kernel, i, (size_t)(most - 1024), NULL);
	default:
		return CL_INVALID_ARG_INDEX;
	}
}

static void show_results(FILE *out, const char *name, cl_uint i,
			 const struct argument *argument)
{
	static unsigned char bytes[32 * 32 * 16];
	const size_t origin[3] = {0, 0, 0}, region[3] = {32, 32, 1};
	cl_int error;

	if (argument->kind == 'o')
		error = clEnqueueReadBuffer(queue, argument->memory, CL_TRUE, 0,
					    BUFFER_SIZE, bytes, 0, NULL, NULL);
	else
		error = clEnqueueReadImage(queue, argument->memory, CL_TRUE,
					   origin, region, 0, 0, bytes, 0, NULL,
					   NULL);
	fprintf(out, "launch %s: argument %u: %d ", name, i, error);
	show_bytes(out, bytes, BUFFER_SIZE);
}

/* What a kernel prints goes to standard output. */
static void launch_printing(FILE *out, cl_kernel kernel, const char *name)
{
	size_t global = ITEMS, local = GROUP, size;
	int saved = dup(1);
	FILE *file = tmpfile();
	cl_int error;

	fflush(stdout);
	dup2(fileno(file), 1);
	error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local,
				       0, NULL, NULL);
	fprintf(out, "launch %s: %d", name, error);
	fprintf(out, " %d\n", clFinish(queue));
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	rewind(file);
	size = fread(value, 1, sizeof(value), file);
	fprintf(out, "launch %s: printed ", name);
	show_bytes(out, value, size);
	fclose(file);
}

static void launch(FILE *out, cl_program program, const char *name,
		   const char *kinds)
{
	struct argument arguments[MAX_ARGUMENTS] = {{0}};
	cl_int error = 0;
	cl_kernel kernel = clCreateKernel(program, name, &error);
	cl_uint count = (cl_uint)strlen(kinds);

	fprintf(out, "launch %s: created %d\n", name, error);
	if (!kernel)
		return;
	for (cl_uint i = 0; i < count; i++) {
		arguments[i].kind = kinds[i];
		fprintf(out, "launch %s: argument %u: %d\n", name, i,
			set_argument(kernel, i, &arguments[i]));
	}
	launch_printing(out, kernel, name);
	for (cl_uint i = 0; i < count; i++) {
		if (strchr("ow", kinds[i]))
			show_results(out, name, i, &arguments[i]);
		if (arguments[i].memory)
			clReleaseMemObject(arguments[i].memory);
		if (arguments[i].sampler)
			clReleaseSampler(arguments[i].sampler);
	}
	clReleaseKernel(kernel);
}

static char *describe(cl_program program, const struct nvidia_case *one)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	describe_program(out, program);
	/* Twice: what variables keep shows. */
	for (size_t i = 0; i < 2 * CASE_KERNELS; i++)
		if (one->kernels[i % CASE_KERNELS].name)
			launch(out, program,
			       one->kernels[i % CASE_KERNELS].name,
			       one->kernels[i % CASE_KERNELS].arguments);
	fclose(out);
	return text;
}

/* ---- the three ways ---- */

static cl_program from_source(const char *source, const char *options)
{
	cl_int error;
	cl_program program =
		clCreateProgramWithSource(context, 1, &source, NULL, &error);
	double begin = now();

	error = clBuildProgram(program, 1, &device, options, NULL, NULL);
	printf("  source: %.1f ms\n", now() - begin);
	if (!error)
		return program;
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
			      sizeof(value), value, NULL);
	printf("  not built (%d): %.300s\n", error, value);
	exit(3);
}

static cl_program from_binary(const char *what, const unsigned char *bytes,
			      size_t size, const char *options)
{
	cl_int status = 1, error = 1;
	double begin = now();
	cl_program program =
		clCreateProgramWithBinary(context, 1, &device, &size, &bytes,
					  &status, &error);

	if (!program) {
		printf("  %s: refused (%d, %d)\n", what, error, status);
		return NULL;
	}
	error = clBuildProgram(program, 1, &device, options, NULL, NULL);
	printf("  %s: %zu bytes, %.2f ms (%d, %d)\n", what, size, now() - begin,
	       error, status);
	if (!error)
		return program;
	value[0] = '\0';
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
			      sizeof(value), value, NULL);
	printf("  %s: not built: %.300s\n", what, value);
	clReleaseProgram(program);
	return NULL;
}

static void fetch(cl_program program, struct occ_buffer *ret_bytes)
{
	size_t size = 0;
	unsigned char *bytes;

	clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size,
			 NULL);
	bytes = calloc(1, size + 1);
	if (!bytes || clGetProgramInfo(program, CL_PROGRAM_BINARIES,
				       sizeof(bytes), &bytes, NULL))
		die("CL_PROGRAM_BINARIES", 0);
	occ_buffer_append(ret_bytes, bytes, size);
	free(bytes);
}

/* What is answered about binaries, by whom. */
static void show_binaries(const char *what, cl_program program)
{
	static unsigned char bytes[1 << 24];
	unsigned char *places[2] = {bytes, bytes};
	size_t sizes[2] = {7, 7}, said = 77;
	cl_int error;

	error = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
				 sizeof(sizes), sizes, &said);
	printf("  %s: sizes %d %zu %zu", what, error, sizes[0], said);
	said = 77;
	error = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 4, sizes,
				 &said);
	printf(", short %d %zu", error, said);
	said = 77;
	error = clGetProgramInfo(program, CL_PROGRAM_BINARIES, 4, places,
				 &said);
	printf(", binaries short %d %zu", error, said);
	said = 77;
	error = clGetProgramInfo(program, CL_PROGRAM_BINARIES, 0, NULL, &said);
	printf(", none %d %zu", error, said);
	said = 77;
	error = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(places),
				 places, &said);
	printf(", all %d %zu ", error, said);
	show_bytes(stdout, bytes, sizes[0] < sizeof(bytes) ? sizes[0] : 0);
}

static void show_unbuilt(const struct occ_buffer *ptx)
{
	const unsigned char *bytes = ptx->data;
	size_t size = ptx->size;
	cl_int status, error;
	cl_program program =
		clCreateProgramWithBinary(context, 1, &device, &size, &bytes,
					  &status, &error);

	show_binaries("unbuilt", program);
	clReleaseProgram(program);
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* Lines of one that the other hasn't. */
static unsigned print_missing(const char *what, const char *of,
			      const char *other)
{
	unsigned count = 0;

	for (const char *line = of; *line; line = next_line(line)) {
		size_t size = (size_t)(next_line(line) - line);
		const char *at = other;

		while (*at && ((size_t)(next_line(at) - at) != size ||
			       memcmp(at, line, size) != 0))
			at = next_line(at);
		if (!*at && count++ < 12)
			printf("    %s %.*s", what,
			       (int)(size > 220 ? 220 : size), line);
	}
	return count;
}

static void compare(const char *what, const char *bare, const char *other)
{
	unsigned count;

	printf("  %s:\n", what);
	count = print_missing("-", bare, other);
	count += print_missing("+", other, bare);
	printf("  %s: %u lines differ, order %s\n", what, count,
	       strcmp(bare, other) ? "or lines differ" : "the same");
}

static void save(const char *directory, const char *name, const char *kind,
		 const struct occ_buffer *bytes)
{
	char path[4096];
	FILE *file;

	if (!directory)
		return;
	snprintf(path, sizeof(path), "%s/%s.%s", directory, name, kind);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes->data, 1, bytes->size, file) != bytes->size)
		die(path, errno);
	fclose(file);
}

static bool make_code(const struct occ_buffer *ptx, struct occ_buffer *code)
{
	bool made =
		occ_computecache_find(own_cache,
				      (struct occ_span){ptx->data, ptx->size},
				      code);

	printf("  own cache: %s, %zu bytes\n", made ? "found" : "not found",
	       code->size);
	return made;
}

static int run_case(const struct nvidia_case *one, const char *directory)
{
	struct occ_buffer ptx = OCC_BUFFER_INIT, code = OCC_BUFFER_INIT;
	struct occ_buffer first = OCC_BUFFER_INIT;
	struct occ_buffer bare_text = OCC_BUFFER_INIT;
	cl_program program = from_source(one->source, one->options), other;
	char *bare = describe(program, one), *text;

	occ_buffer_append(&bare_text, bare, strlen(bare));
	save(directory, one->name, "bare", &bare_text);
	occ_buffer_release(&bare_text);
	fetch(program, &ptx);
	save(directory, one->name, "ptx", &ptx);
	make_code(&ptx, &first);
	show_binaries("bare", program);
	show_unbuilt(&ptx);
	other = from_binary("PTX", ptx.data, ptx.size, one->options);
	if (other) {
		text = describe(other, one);
		compare("PTX", bare, text);
		free(text);
	}
	if (!make_code(&ptx, &code))
		return 1;
	save(directory, one->name, "cubin", &code);
	printf("  of the source and of the PTX: %s code\n",
	       first.size == code.size &&
			       !memcmp(first.data, code.data, code.size)
		       ? "the same"
		       : "other");
	other = from_binary("code", code.data, code.size, one->options);
	if (!other)
		return 1;
	show_binaries("code", other);
	text = describe(other, one);
	compare("code", bare, text);
	free(text);
	free(bare);
	occ_buffer_release(&first);
	occ_buffer_release(&ptx);
	occ_buffer_release(&code);
	return 0;
}

/* ---- other things ---- */

static void read_file(const char *path, struct occ_buffer *ret_bytes)
{
	static unsigned char part[65536];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file)
		die(path, errno);
	while ((size = fread(part, 1, sizeof(part), file)) > 0)
		occ_buffer_append(ret_bytes, part, size);
	fclose(file);
	occ_buffer_append(ret_bytes, "", 1);
	ret_bytes->size--;
}

/* The code that a process before has saved, in one that compiles nothing. */
static int run_fresh(struct nvidia_case *one, const char *directory)
{
	struct occ_buffer code = OCC_BUFFER_INIT;
	struct occ_buffer text = OCC_BUFFER_INIT;
	char path[4096], *described;
	cl_program program;

	snprintf(path, sizeof(path), "%s/%s.cubin", directory, one->name);
	read_file(path, &code);
	program = from_binary("fresh", code.data, code.size, one->options);
	if (!program)
		return 1;
	described = describe(program, one);
	occ_buffer_append(&text, described, strlen(described));
	save(directory, one->name, "fresh", &text);
	free(described);
	occ_buffer_release(&text);
	occ_buffer_release(&code);
	return 0;
}

static int run_file(char **arguments)
{
	struct occ_buffer source = OCC_BUFFER_INIT;
	struct nvidia_case one = {.name = arguments[0],
				  .options = arguments[2]};

	read_file(arguments[1], &source);
	one.source = (const char *)source.data;
	return run_case(&one, arguments[3]);
}

/* Only builds: for a look at what the driver's own cache has then. */
static int run_build(const struct nvidia_case *one)
{
	clReleaseProgram(from_source(one->source, one->options));
	return 0;
}

/* Loads a file's bytes, damaged: "none", "flip AT BY" or "cut SIZE 0". */
static int run_load(char **arguments)
{
	struct occ_buffer code = OCC_BUFFER_INIT;
	size_t at = strtoul(arguments[2], NULL, 0);
	size_t known = 0;
	cl_program program;

	read_file(arguments[0], &code);
	if (!strcmp(arguments[1], "flip"))
		code.data[at % code.size] ^=
			(unsigned char)strtoul(arguments[3], NULL, 0);
	if (!strcmp(arguments[1], "cut"))
		code.size = at;
	program = from_binary("load", code.data, code.size, "");
	if (!program)
		return 1;
	clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(known), &known,
			 NULL);
	printf("  loaded, %zu kernels\n", known);
	return 0;
}

static const struct nvidia_case *find_case(const char *name)
{
	for (size_t i = 0; i < COUNT(nvidia_cases); i++)
		if (!strcmp(nvidia_cases[i].name, name))
			return &nvidia_cases[i];
	die(name, 0);
	return NULL;
}

static void usage(void)
{
	fputs("usage: nvidia_facts list | case NAME [DIRECTORY] | fresh NAME "
	      "DIRECTORY |\n"
	      "       build NAME | file NAME FILE OPTIONS DIRECTORY |\n"
	      "       load FILE none|flip|cut AT BY\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (size_t i = 0; i < COUNT(nvidia_cases); i++)
			puts(nvidia_cases[i].name);
		return 0;
	}
	if (argc < 2)
		usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(own_cache))
		die(own_cache, errno);
	setenv("CUDA_CACHE_PATH", own_cache, 1);
	setenv("CUDA_CACHE_DISABLE", "0", 1);
	setenv("CUDA_CACHE_MAXSIZE", "4294967296", 1);
	start();
	if (argc >= 3)
		printf("%s:\n", argv[2]);
	if (argc >= 3 && !strcmp(argv[1], "case"))
		return run_case(find_case(argv[2]), argv[3]);
	if (argc == 4 && !strcmp(argv[1], "fresh")) {
		struct nvidia_case one = {argv[2], "", {{0}}, ""};

		for (size_t i = 0; i < COUNT(nvidia_cases); i++)
			if (!strcmp(nvidia_cases[i].name, argv[2]))
				one = nvidia_cases[i];
		return run_fresh(&one, argv[3]);
	}
	if (argc == 3 && !strcmp(argv[1], "build"))
		return run_build(find_case(argv[2]));
	if (argc == 6 && !strcmp(argv[1], "file"))
		return run_file(argv + 2);
	if (argc == 6 && !strcmp(argv[1], "load"))
		return run_load(argv + 2);
	usage();
	return 2;
}
