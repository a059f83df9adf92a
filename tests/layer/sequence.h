/* SPDX-License-Identifier: MIT */
/*
 * A player of random calls: its dice, its transcript, the objects that it has,
 * and all that these can be asked.
 */
#ifndef TESTS_LAYER_SEQUENCE_H
#define TESTS_LAYER_SEQUENCE_H

#include <pthread.h>

#include "tests/layer/common.h"

#define PROGRAMS  4
#define KERNELS	  6
#define CALLBACKS 64
#define ACTIONS	  3

/* Whether a program's last operation worked, and what it was. */
enum made { MADE_NOTHING, MADE_BUILD, MADE_OBJECT, MADE_LINK, MADE_FAILURE };

struct slot {
	cl_program handle; /* NULL: free */
	int number;
	int references;
	int source;
	enum made made;
	bool built; /* some time: the driver may remember kernels */
};

struct kernel_slot {
	cl_kernel handle; /* NULL: free */
	int number;
	int references;
	int of; /* the program's number */
	cl_program program;
	bool doomed; /* its program was built anew, in vain */
};

struct callback;

struct player {
	const struct world *world;
	uint64_t dice;
	FILE *out;
	char *text;
	size_t text_size;
	bool callbacks; /* are wanted */
	bool alone;	/* in its context */
	struct slot programs[PROGRAMS];
	struct kernel_slot kernels[KERNELS];
	int numbers;
	cl_command_queue queue;
	cl_mem buffer;
	cl_event gate; /* for which commands wait; NULL: none */
	struct callback *made[CALLBACKS];
	int callback_count;
};

static const char *const sources[] = {
	"#ifndef N\n#define N 1\n#endif\n"
	"__kernel void scale(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = N * x; }\n"
	"__attribute__((reqd_work_group_size(4, 1, 1)))\n"
	"__kernel void other(__global int *out, const int x)\n"
	"{ out[get_global_id(0)] = N + x; }\n",
	"#ifndef N\n#define N 1\n#endif\n"
	"__kernel void scale(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = N - x; }\n",
	"#ifndef N\n#define N 1\n#endif\n"
	"int help(int x);\n"
	"__kernel void scale(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = help(x) + N; }\n",
	"#ifndef N\n#define N 1\n#endif\n"
	"int help(int x);\n"
	"int help(int x) { return x * N; }\n",
};

static const char *const options[] = {
	"",	    "-DN=2",	"-DN=3", "-DN=2 -cl-kernel-arg-info",
	"-DN=2 -w", "-DN=bad(",
};

/* 0 <= result < sides. */
static inline unsigned roll(struct player *player, unsigned sides)
{
	player->dice =
		player->dice * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(player->dice >> 33) % sides;
}

/* A line's text, without its end. */
static inline void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else
			fputc(*text, out);
}

static inline int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Rusticl's are in a random order in each process. */
static inline void sort_names(char *text)
{
	char copy[1024], *names[16], *rest = copy;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	while (rest && count < LENGTH(names))
		names[count++] = strsep(&rest, ";");
	qsort(names, count, sizeof(names[0]), compare_names);
	for (size_t i = 0; i < count; i++)
		text += sprintf(text, "%s%s", i ? ";" : "", names[i]);
}

static inline void show_build_text(FILE *out, const struct world *world,
				   cl_program program, cl_uint param)
{
	char text[8192] = "";
	size_t size = 0;
	cl_int code = clGetProgramBuildInfo(program, world->device, param,
					    sizeof(text) - 1, text, &size);

	/* How long it is depends on the numbers in it. */
	fprintf(out, " %d %s \"", code,
		size == strlen(text) + 1 ? "whole" : "part");
	put_text(out, text);
	fputc('"', out);
}

/* Whether each binary is there: their sizes vary. */
static inline void show_sizes(FILE *out, cl_program program)
{
	size_t size = 0;
	cl_int code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
				       sizeof(size), &size, NULL);

	fprintf(out, " binary %d %s", code, size ? "some" : "none");
}

static inline void show_names(FILE *out, const struct world *world,
			      cl_program program)
{
	char text[1024] = "";
	size_t count = 0;
	cl_int code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
				       sizeof(text), text, NULL);

	if (world->rusticl)
		sort_names(text);
	fprintf(out, " names %d \"%s\"", code, text);
	code = clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count),
				&count, NULL);
	fprintf(out, " %d %zu", code, count);
}

static inline void show_program(struct player *player, const struct slot *slot)
{
	const struct world *world = player->world;
	cl_program program = slot->handle;
	cl_build_status status = 77;
	cl_program_binary_type type = 77;
	cl_uint count = 0;
	FILE *out = player->out;
	cl_int code;

	code = clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
				sizeof(count), &count, NULL);
	fprintf(out, " P%d: count %d %u", slot->number, code, count);
	code = clGetProgramBuildInfo(program, world->device,
				     CL_PROGRAM_BUILD_STATUS, sizeof(status),
				     &status, NULL);
	fprintf(out, " status %d %d", code, status);
	/* Oclgrind answers some with memory that was never written. */
	if (!world->oclgrind) {
		code = clGetProgramBuildInfo(program, world->device,
					     CL_PROGRAM_BINARY_TYPE,
					     sizeof(type), &type, NULL);
		fprintf(out, " type %d %u", code, type);
	}
	show_build_text(out, world, program, CL_PROGRAM_BUILD_OPTIONS);
	show_build_text(out, world, program, CL_PROGRAM_BUILD_LOG);
	/* Drivers die of names and binaries of what isn't built. */
	if (slot->made == MADE_BUILD || slot->made == MADE_LINK) {
		show_names(out, world, program);
		show_sizes(out, program);
	}
	fputc('\n', out);
}

static inline void show_argument(FILE *out, cl_kernel kernel, cl_uint index)
{
	cl_kernel_arg_address_qualifier address = 77;
	cl_kernel_arg_type_qualifier type = 77;
	char name[64] = "", type_name[64] = "";
	cl_int codes[4];

	codes[0] = clGetKernelArgInfo(kernel, index,
				      CL_KERNEL_ARG_ADDRESS_QUALIFIER,
				      sizeof(address), &address, NULL);
	codes[1] =
		clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER,
				   sizeof(type), &type, NULL);
	codes[2] = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME,
				      sizeof(name), name, NULL);
	codes[3] = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME,
				      sizeof(type_name), type_name, NULL);
	fprintf(out, " [%d %u %d %lu %d %s %d %s", codes[0], address, codes[1],
		(unsigned long)type, codes[2], name, codes[3], type_name);
	/* No room, and what isn't an answer's name. */
	codes[0] = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, 0,
				      NULL, NULL);
	codes[1] = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, 1,
				      type_name, NULL);
	codes[2] = clGetKernelArgInfo(kernel, index, 0x9999, sizeof(name), name,
				      NULL);
	fprintf(out, " %d %d %d]", codes[0], codes[1], codes[2]);
}

static inline void show_kernel(FILE *out, const struct world *world,
			       cl_kernel kernel, cl_program program)
{
	char name[64] = "", attributes[256] = "";
	cl_uint count = 0, arguments = 0;
	cl_program of = NULL;
	size_t sizes[3] = {0, 0, 0};
	cl_int code;

	code = clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name),
			       name, NULL);
	fprintf(out, " %d %s", code, name);
	code = clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(count),
			       &count, NULL);
	fprintf(out, " count %d %u", code, count);
	code = clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(of), &of,
			       NULL);
	fprintf(out, " program %d %s", code, of == program ? "its" : "other");
	code = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(arguments),
			       &arguments, NULL);
	fprintf(out, " arguments %d %u", code, arguments);
	code = clGetKernelWorkGroupInfo(kernel, world->device,
					CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
					sizeof(sizes), sizes, NULL);
	fprintf(out, " group %d %zu", code, sizes[0]);
	if (!world->oclgrind) {
		code = clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES,
				       sizeof(attributes), attributes, NULL);
		fprintf(out, " attributes %d \"%s\"", code, attributes);
	}
	show_argument(out, kernel, 0);
	show_argument(out, kernel, 1);
	show_argument(out, kernel, 9);
}

static inline void show_slot(struct player *player,
			     const struct kernel_slot *slot)
{
	fprintf(player->out, " K%d of P%d:", slot->number, slot->of);
	show_kernel(player->out, player->world, slot->handle, slot->program);
	fputc('\n', player->out);
}

static inline void show_context(struct player *player)
{
	cl_uint count = 0;
	cl_int code;

	if (!player->alone)
		return;
	code = clGetContextInfo(player->world->context,
				CL_CONTEXT_REFERENCE_COUNT, sizeof(count),
				&count, NULL);
	fprintf(player->out, " context: count %d %u\n", code, count);
}

static inline void show_all(struct player *player)
{
	for (int i = 0; i < PROGRAMS; i++)
		if (player->programs[i].handle)
			show_program(player, &player->programs[i]);
	for (int i = 0; i < KERNELS; i++)
		if (player->kernels[i].handle)
			show_slot(player, &player->kernels[i]);
	show_context(player);
}

#endif
