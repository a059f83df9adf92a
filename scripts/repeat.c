/* SPDX-License-Identifier: MIT */
/*
 * How long it takes to build the same program again in one context:
 *
 *	repeat [MEGABYTES [ROUNDS [create]]]	default 16 and 200
 *
 * Prints a line of JSON: the median and the least, in us, of
 * clCreateProgramWithSource and clBuildProgram together, of a small program
 * that was built before and is still there, and of the same with that many MB
 * of comments (an eighth of the rounds, or what fits into a second). With
 * "create" nothing is ever built: what the driver takes for the first of these
 * calls. It is an ordinary OpenCL program and knows nothing of any cache.
 */
#include <string.h>

#include "scripts/common.h"

#define MIN_ROUNDS 1
#define MAX_ROUNDS 10000

/* rusticl takes half a second to copy a large source. */
#define LIMIT_US   1e6

static const char SOURCE[] = "kernel void one(global uint *out, uint x)\n"
			     "{\n"
			     "    out[get_global_id(0)] = x;\n"
			     "}\n";
/* A line that no compiler spends much time on. */
static const char COMMENT[] =
	"// 3456789 123456789 123456789 123456789 123456789 123456789 123\n";

static cl_context context;
static cl_device_id device;

static int only_create;

static double now_us(void)
{
	return (double)now_ns(CLOCK_MONOTONIC) / 1e3;
}

/* The program, behind so many bytes of comments. */
static char *make_source(size_t comments, size_t *ret_size)
{
	size_t size = comments + sizeof(SOURCE) - 1;
	char *text = malloc(size + 1);

	if (!text)
		check(CL_OUT_OF_HOST_MEMORY, "malloc");
	for (size_t i = 0; i < comments; i++)
		text[i] = COMMENT[i % (sizeof(COMMENT) - 1)];
	if (comments)
		text[comments - 1] = '\n';
	memcpy(text + comments, SOURCE, sizeof(SOURCE));
	*ret_size = size;
	return text;
}

/* Returns the program of which that was measured. */
static cl_program take(const char *text, size_t size, double *ret_us)
{
	double start = now_us();
	cl_int error;
	cl_program program =
		clCreateProgramWithSource(context, 1, &text, &size, &error);

	check(error, "clCreateProgramWithSource");
	if (!only_create)
		check(clBuildProgram(program, 1, &device, "", NULL, NULL),
		      "clBuildProgram");
	*ret_us = now_us() - start;
	return program;
}

/* The program has a user while the same is built again. */
static cl_kernel use(cl_program program)
{
	cl_int error;
	cl_kernel kernel;

	if (only_create)
		return NULL;
	kernel = clCreateKernel(program, "one", &error);
	check(error, "clCreateKernel");
	return kernel;
}

static void measure(const char *name, size_t comments, int rounds)
{
	static double times[MAX_ROUNDS];
	double middle, start;
	int done = 0;
	size_t size;
	char *text = make_source(comments, &size);
	cl_program first = take(text, size, &times[0]);
	cl_kernel kernel = use(first);

	start = now_us();
	while (done < rounds &&
	       (done < MIN_ROUNDS || now_us() - start < LIMIT_US)) {
		clReleaseProgram(take(text, size, &times[done]));
		done++;
	}
	/* It sorts them. */
	middle = median(times, done);
	printf("\"%s\": {\"bytes\": %zu, \"median\": %.2f, \"least\": %.2f}",
	       name, size, middle, times[0]);
	if (kernel)
		clReleaseKernel(kernel);
	clReleaseProgram(first);
	free(text);
}

int main(int argc, char **argv)
{
	int megabytes = argc > 1 ? atoi(argv[1]) : 16;
	int rounds = argc > 2 ? atoi(argv[2]) : 200;

	if (megabytes < 1 || megabytes > 1024 || rounds < 8 ||
	    rounds > MAX_ROUNDS || (argc > 3 && strcmp(argv[3], "create"))) {
		fprintf(stderr,
			"usage: repeat [MEGABYTES [ROUNDS [create]]]\n");
		return 2;
	}
	only_create = argc > 3;
	context = open_context(CL_DEVICE_TYPE_ALL, &device);
	printf("{");
	measure("small", 0, rounds);
	printf(", ");
	measure("large", (size_t)megabytes << 20, rounds / 8);
	printf("}\n");
	clReleaseContext(context);
	return 0;
}
