/* SPDX-License-Identifier: MIT */
/*
 * How long it takes to build the same program again in one context:
 *
 *	repeat TIMED [MEGABYTES [ROUNDS]]	default 16 and 200
 *
 * Prints a line of JSON: medians, in us, of clCreateProgramWithSource and
 * clBuildProgram together ("whole"), of what of that the driver's own creation
 * takes ("create"), which is the application's wish, and of the rest
 * ("beyond"); of a small program that was built before and is still there, and
 * of the same with that many MB of comments (an eighth of the rounds, or what
 * fits into a second). TIMED is the file of a layer that measures the driver's
 * creation (scripts/bench/layer/timed.c) and is there beneath what is measured.
 * Otherwise it is an ordinary OpenCL program and knows nothing of any cache.
 */
#include <dlfcn.h>
#include <string.h>

#include "scripts/bench/common.h"

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

/* What the driver took for the last program. */
static const double *create_us;

struct sample {
	double whole;
	double create;
};

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
static cl_program take(const char *text, size_t size, struct sample *ret_sample)
{
	double start = now_us();
	cl_int error;
	cl_program program =
		clCreateProgramWithSource(context, 1, &text, &size, &error);

	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram");
	ret_sample->whole = now_us() - start;
	ret_sample->create = *create_us;
	return program;
}

/* The program has a user while the same is built again. */
static cl_kernel use(cl_program program)
{
	cl_int error;
	cl_kernel kernel;

	kernel = clCreateKernel(program, "one", &error);
	check(error, "clCreateKernel");
	return kernel;
}

static void print_medians(const struct sample *samples, int count)
{
	static double values[MAX_ROUNDS];

	for (int i = 0; i < count; i++)
		values[i] = samples[i].whole;
	printf("\"whole\": %.2f", median(values, count));
	for (int i = 0; i < count; i++)
		values[i] = samples[i].create;
	printf(", \"create\": %.2f", median(values, count));
	for (int i = 0; i < count; i++)
		values[i] = samples[i].whole - samples[i].create;
	printf(", \"beyond\": %.2f", median(values, count));
}

static void measure(const char *name, size_t comments, int rounds)
{
	static struct sample samples[MAX_ROUNDS];
	double start;
	int done = 0;
	size_t size;
	char *text = make_source(comments, &size);
	cl_program first = take(text, size, &samples[0]);
	cl_kernel kernel = use(first);

	start = now_us();
	while (done < rounds &&
	       (done < MIN_ROUNDS || now_us() - start < LIMIT_US)) {
		clReleaseProgram(take(text, size, &samples[done]));
		done++;
	}
	printf("\"%s\": {\"bytes\": %zu, ", name, size);
	print_medians(samples, done);
	printf("}");
	clReleaseKernel(kernel);
	clReleaseProgram(first);
	free(text);
}

/* The loader has it already. */
static const double *find_create_us(const char *path)
{
	void *layer = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	const double *found = layer ? dlsym(layer, "timed_create_us") : NULL;

	if (!found) {
		fprintf(stderr, "repeat: %s is no layer here\n", path);
		exit(1);
	}
	return found;
}

int main(int argc, char **argv)
{
	int megabytes = argc > 2 ? atoi(argv[2]) : 16;
	int rounds = argc > 3 ? atoi(argv[3]) : 200;

	if (argc < 2 || megabytes < 1 || megabytes > 1024 || rounds < 8 ||
	    rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: repeat TIMED [MEGABYTES [ROUNDS]]\n");
		return 2;
	}
	context = open_context(CL_DEVICE_TYPE_ALL, &device);
	create_us = find_create_us(argv[1]);
	printf("{");
	measure("small", 0, rounds);
	printf(", ");
	measure("large", (size_t)megabytes << 20, rounds / 8);
	printf("}\n");
	clReleaseContext(context);
	return 0;
}
