/* SPDX-License-Identifier: MIT */
/*
 * Everything that programs and kernels can be asked, written down: each query
 * in the ways in which applications ask it.
 */
#ifndef TESTS_LAYER_SCENE_SHOW_H
#define TESTS_LAYER_SCENE_SHOW_H

#include "tests/layer/scene_output.h"

/* How the bytes of a query are written down. */
enum form {
	NUMBER,
	STRING,
	HANDLES,
	SIZES, /* of binaries, which vary: only whether they are above zero */
	BYTES,
};

struct query {
	const char *name;
	cl_uint param;
	enum form form;
};

/* What is asked about. */
struct subject {
	cl_program program;
	cl_kernel kernel;
	cl_device_id device;
	cl_uint index;
};

typedef cl_int (*ask_function)(const struct subject *subject, cl_uint param,
			       size_t size, void *value, size_t *ret_size);

static inline cl_int ask_program(const struct subject *subject, cl_uint param,
				 size_t size, void *value, size_t *ret_size)
{
	return clGetProgramInfo(subject->program, param, size, value, ret_size);
}

static inline cl_int ask_build(const struct subject *subject, cl_uint param,
			       size_t size, void *value, size_t *ret_size)
{
	return clGetProgramBuildInfo(subject->program, subject->device, param,
				     size, value, ret_size);
}

static inline cl_int ask_kernel(const struct subject *subject, cl_uint param,
				size_t size, void *value, size_t *ret_size)
{
	return clGetKernelInfo(subject->kernel, param, size, value, ret_size);
}

static inline cl_int ask_argument(const struct subject *subject, cl_uint param,
				  size_t size, void *value, size_t *ret_size)
{
	return clGetKernelArgInfo(subject->kernel, subject->index, param, size,
				  value, ret_size);
}

static inline cl_int ask_group(const struct subject *subject, cl_uint param,
			       size_t size, void *value, size_t *ret_size)
{
	return clGetKernelWorkGroupInfo(subject->kernel, subject->device, param,
					size, value, ret_size);
}

static inline void say_string(const unsigned char *bytes, size_t size)
{
	size_t i;

	fputc('"', out());
	for (i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			fputs("\\n", out());
		else if (bytes[i] < 32 || bytes[i] > 126 || bytes[i] == '"')
			fprintf(out(), "\\x%02x", bytes[i]);
		else
			fputc(bytes[i], out());
	}
	fputc('"', out());
}

static inline void say_value(const unsigned char *bytes, size_t size,
			     enum form form)
{
	uint64_t number = 0;
	const void *handle;
	size_t i, one;

	switch (form) {
	case NUMBER:
		memcpy(&number, bytes, size < 8 ? size : 8);
		fprintf(out(), "%llu", (unsigned long long)number);
		break;
	case STRING:
		say_string(bytes, size);
		break;
	case HANDLES:
		for (i = 0; i + sizeof(handle) <= size; i += sizeof(handle)) {
			memcpy(&handle, bytes + i, sizeof(handle));
			fprintf(out(), "%s ", handle_name(handle));
		}
		break;
	case SIZES:
		for (i = 0; i + sizeof(one) <= size; i += sizeof(one)) {
			memcpy(&one, bytes + i, sizeof(one));
			fputs(one ? "some " : "none ", out());
		}
		break;
	default:
		for (i = 0; i < size; i++)
			fprintf(out(), "%02x", bytes[i]);
	}
}

/*
 * A query the four ways that applications ask: for the size, with a buffer
 * that fits, with one that is too small, and with one that is too large (the
 * bytes behind the answer must stay as they were).
 */
static inline void show_query(const char *about, ask_function ask,
			      const struct subject *subject,
			      const struct query *query)
{
	unsigned char *bytes;
	size_t size = 0x5a5a, again = 0x5a5a, small = 0x5a5a;
	cl_int code = ask(subject, query->param, 0, NULL, &size);
	cl_int small_code = CL_SUCCESS, exact_code;
	size_t room = code == CL_SUCCESS ? size : 64;

	bytes = malloc(room + 16);
	if (!bytes)
		die("out of memory");
	memset(bytes, 0xa5, room + 16);
	exact_code = ask(subject, query->param, room, bytes, &again);
	fprintf(out(), "%s %s: %d %zu, %d %zu ", about, query->name, code, size,
		exact_code, again);
	if (exact_code == CL_SUCCESS && again <= room)
		say_value(bytes, again, query->form);
	if (room > 0)
		small_code =
			ask(subject, query->param, room - 1, bytes, &small);
	memset(bytes, 0xa5, room + 16);
	again = 0x5a5a;
	exact_code = ask(subject, query->param, room + 16, bytes, &again);
	say(", small %d %zu, large %d %zu %s", small_code, small, exact_code,
	    again, bytes[room + 15] == 0xa5 ? "kept" : "overwritten");
	free(bytes);
}

static inline void show_queries(const char *about, ask_function ask,
				const struct subject *subject,
				const struct query *queries, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		show_query(about, ask, subject, &queries[i]);
}

static const struct query program_queries[] = {
	{"REFERENCE_COUNT", CL_PROGRAM_REFERENCE_COUNT, NUMBER},
	{"CONTEXT", CL_PROGRAM_CONTEXT, HANDLES},
	{"NUM_DEVICES", CL_PROGRAM_NUM_DEVICES, NUMBER},
	{"DEVICES", CL_PROGRAM_DEVICES, HANDLES},
	{"SOURCE", CL_PROGRAM_SOURCE, STRING},
	{"IL", CL_PROGRAM_IL, BYTES},
	{"NUM_KERNELS", CL_PROGRAM_NUM_KERNELS, NUMBER},
	{"KERNEL_NAMES", CL_PROGRAM_KERNEL_NAMES, STRING},
	{"GLOBAL_CTORS", CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, NUMBER},
	{"GLOBAL_DTORS", CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, NUMBER},
	{"unknown parameter", 0x1fff, BYTES},
};

static const struct query build_queries[] = {
	{"STATUS", CL_PROGRAM_BUILD_STATUS, NUMBER},
	{"OPTIONS", CL_PROGRAM_BUILD_OPTIONS, STRING},
	{"LOG", CL_PROGRAM_BUILD_LOG, STRING},
	{"BINARY_TYPE", CL_PROGRAM_BINARY_TYPE, NUMBER},
	{"GLOBAL_VARIABLE_TOTAL_SIZE",
	 CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, NUMBER},
	{"unknown parameter", 0x1fff, BYTES},
};

static const struct query kernel_queries[] = {
	{"FUNCTION_NAME", CL_KERNEL_FUNCTION_NAME, STRING},
	{"NUM_ARGS", CL_KERNEL_NUM_ARGS, NUMBER},
	{"REFERENCE_COUNT", CL_KERNEL_REFERENCE_COUNT, NUMBER},
	{"CONTEXT", CL_KERNEL_CONTEXT, HANDLES},
	{"PROGRAM", CL_KERNEL_PROGRAM, HANDLES},
	{"ATTRIBUTES", CL_KERNEL_ATTRIBUTES, STRING},
	{"unknown parameter", 0x1fff, BYTES},
};

static const struct query argument_queries[] = {
	{"ADDRESS", CL_KERNEL_ARG_ADDRESS_QUALIFIER, NUMBER},
	{"ACCESS", CL_KERNEL_ARG_ACCESS_QUALIFIER, NUMBER},
	{"TYPE_NAME", CL_KERNEL_ARG_TYPE_NAME, STRING},
	{"TYPE_QUALIFIER", CL_KERNEL_ARG_TYPE_QUALIFIER, NUMBER},
	{"NAME", CL_KERNEL_ARG_NAME, STRING},
	{"unknown parameter", 0x1fff, BYTES},
};

static const struct query group_queries[] = {
	{"WORK_GROUP_SIZE", CL_KERNEL_WORK_GROUP_SIZE, NUMBER},
	{"COMPILE_WORK_GROUP_SIZE", CL_KERNEL_COMPILE_WORK_GROUP_SIZE, BYTES},
	{"LOCAL_MEM_SIZE", CL_KERNEL_LOCAL_MEM_SIZE, NUMBER},
	{"PREFERRED_MULTIPLE", CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
	 NUMBER},
	{"PRIVATE_MEM_SIZE", CL_KERNEL_PRIVATE_MEM_SIZE, NUMBER},
	{"GLOBAL_WORK_SIZE", CL_KERNEL_GLOBAL_WORK_SIZE, BYTES},
	{"unknown parameter", 0x1fff, BYTES},
};

static inline void show_build(const struct world *world, cl_program program)
{
	struct subject subject = {.program = program, .device = world->device};
	char about[64];

	snprintf(about, sizeof(about), "%s build", handle_name(program));
	show_queries(about, ask_build, &subject, build_queries,
		     LENGTH(build_queries));
}

static inline void show_program(const struct world *world, cl_program program)
{
	struct subject subject = {.program = program};

	settle();
	show_queries(handle_name(program), ask_program, &subject,
		     program_queries, LENGTH(program_queries));
	show_build(world, program);
}

/* Not part of show_program(): PoCL compiles for as long as for a build. */
static inline void show_sizes(cl_program program)
{
	static const struct query sizes = {"BINARY_SIZES",
					   CL_PROGRAM_BINARY_SIZES, SIZES};
	struct subject subject = {.program = program};

	show_query(handle_name(program), ask_program, &subject, &sizes);
}

static inline void show_arguments(cl_kernel kernel)
{
	struct subject subject = {.kernel = kernel};
	cl_uint count = 0;
	char about[64];

	clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count,
			NULL);
	/* One more than there are: the driver's code for it counts too. */
	for (subject.index = 0; subject.index <= count; subject.index++) {
		snprintf(about, sizeof(about), "%s argument %u",
			 handle_name(kernel), subject.index);
		show_queries(about, ask_argument, &subject, argument_queries,
			     LENGTH(argument_queries));
	}
}

static inline void show_kernel(const struct world *world, cl_kernel kernel)
{
	struct subject subject = {.kernel = kernel, .device = world->device};

	show_queries(handle_name(kernel), ask_kernel, &subject, kernel_queries,
		     LENGTH(kernel_queries));
	show_queries(handle_name(kernel), ask_group, &subject, group_queries,
		     LENGTH(group_queries));
}

/* FNV-1a: of which bytes it is, no more. */
static inline uint64_t digest(uint64_t before, const unsigned char *bytes,
			      size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		before = (before ^ bytes[i]) * 0x100000001b3;
	return before;
}

#define DIGEST_START	   0xcbf29ce484222325
#define BINARY_DEVICES_MAX 8

static inline void say_binaries(cl_program program)
{
	unsigned char *binaries[BINARY_DEVICES_MAX] = {NULL};
	size_t sizes[BINARY_DEVICES_MAX] = {0}, i;
	uint64_t sum = DIGEST_START;
	cl_int code;

	code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes),
				sizes, NULL);
	for (i = 0; i < LENGTH(sizes); i++)
		if (sizes[i] && !(binaries[i] = calloc(1, sizes[i])))
			die("out of memory");
	if (code == CL_SUCCESS)
		code = clGetProgramInfo(program, CL_PROGRAM_BINARIES,
					sizeof(binaries), binaries, NULL);
	for (i = 0; i < LENGTH(sizes); i++) {
		sum = digest(sum, binaries[i], sizes[i]);
		free(binaries[i]);
	}
	fprintf(out(), " binaries %d %016llx", code, (unsigned long long)sum);
}

/*
 * What the driver would run: the kernel's own instructions, which it has loaded
 * (CL_KERNEL_BINARY_PROGRAM_INTEL), and the binaries that it says it has.
 */
static inline void say_code(cl_kernel kernel)
{
	cl_program program = NULL;
	unsigned char *bytes;
	size_t size = 0;
	cl_int code = clGetKernelInfo(kernel, 0x407d, 0, NULL, &size);

	bytes = calloc(1, size + 1);
	if (!bytes)
		die("out of memory");
	if (code == CL_SUCCESS)
		code = clGetKernelInfo(kernel, 0x407d, size, bytes, NULL);
	fprintf(out(), " code %d %zu %016llx", code, size,
		(unsigned long long)digest(DIGEST_START, bytes, size));
	free(bytes);
	if (clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(program),
			    &program, NULL) == CL_SUCCESS)
		say_binaries(program);
}

/*
 * What a kernel computed. Where nothing is computed, the line says so
 * (scenes.sh counts these) and has what would run; `kernel` may be NULL.
 */
static inline void say_results(const struct world *world, cl_kernel kernel,
			       const int *values, size_t count)
{
	size_t i;

	if (world->simulated) {
		fputs(" not computed", out());
		if (kernel)
			say_code(kernel);
	}
	for (i = 0; !world->simulated && i < count; i++)
		fprintf(out(), " %d", values[i]);
	say("%s", "");
}

static inline void show_counts(const struct world *world, cl_program program,
			       cl_kernel kernel)
{
	cl_uint count = 0;
	cl_int code;

	settle();
	code = clGetContextInfo(world->context, CL_CONTEXT_REFERENCE_COUNT,
				sizeof(count), &count, NULL);
	fprintf(out(), "counts: context %d %u", code, count);
	if (program) {
		count = 0;
		code = clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
					sizeof(count), &count, NULL);
		fprintf(out(), ", %s %d %u", handle_name(program), code, count);
	}
	if (kernel) {
		count = 0;
		code = clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT,
				       sizeof(count), &count, NULL);
		fprintf(out(), ", %s %d %u", handle_name(kernel), code, count);
	}
	say(" ");
}

#endif
