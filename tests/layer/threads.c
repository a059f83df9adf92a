/* SPDX-License-Identifier: MIT */
/*
 * Eight threads that build, ask, run and release at once: programs of one key
 * and of many, of their own and shared, with callbacks and without. Prints
 * "wrong ..." for what isn't as it must be, and last "done ROUNDS".
 */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/layer/common.h"

#define THREADS 8
#define ROUNDS	6

static const char source[] = "__kernel void k(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = N * x; }\n"
			     "__attribute__((reqd_work_group_size(4, 1, 1)))\n"
			     "__kernel void other(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = N + x; }\n";

static struct world shared;
static cl_program shared_program;
static atomic_int wrong;
static pthread_barrier_t start;

static void expect(bool good, const char *what, int thread, int round)
{
	if (good)
		return;
	atomic_fetch_add(&wrong, 1);
	printf("wrong %s, thread %d, round %d\n", what, thread, round);
}

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	(void)program;
	atomic_fetch_add((atomic_int *)data, 1);
}

static void check_kernel(const struct world *world, cl_program program,
			 const char *name, int wanted, int thread, int round)
{
	cl_program owner = NULL;
	int out[RUN_ITEMS];
	cl_kernel kernel;
	cl_int code;

	kernel = clCreateKernel(program, name, &code);
	expect(code == CL_SUCCESS, "clCreateKernel", thread, round);
	if (!kernel)
		return;
	code = clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(owner), &owner,
			       NULL);
	expect(code == CL_SUCCESS && owner == program, "CL_KERNEL_PROGRAM",
	       thread, round);
	code = run_kernel(world, kernel, 5, 4, out);
	expect(code == CL_SUCCESS && out[0] == wanted &&
		       out[RUN_ITEMS - 1] == wanted,
	       name, thread, round);
	clReleaseKernel(kernel);
}

static void check_attributes(cl_program program, int thread, int round)
{
	char text[256] = "";
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "other", &code);

	if (!kernel)
		return;
	code = clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(text), text,
			       NULL);
	expect(code == CL_SUCCESS && strstr(text, "reqd_work_group_size"),
	       "CL_KERNEL_ATTRIBUTES", thread, round);
	clReleaseKernel(kernel);
}

static void check_queries(const struct world *world, cl_program program,
			  const char *options, int thread, int round)
{
	char text[256] = "";
	cl_int code;

	code = clGetProgramBuildInfo(program, world->device,
				     CL_PROGRAM_BUILD_OPTIONS, sizeof(text),
				     text, NULL);
	expect(code == CL_SUCCESS && strcmp(text, options) == 0,
	       "CL_PROGRAM_BUILD_OPTIONS", thread, round);
	code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text),
				text, NULL);
	expect(code == CL_SUCCESS && strcmp(text, "k;other") == 0,
	       "CL_PROGRAM_KERNEL_NAMES", thread, round);
}

/* n decides the key: all threads share some, and some are their own. */
static void build_own(const struct world *world, int n, int thread, int round)
{
	const char *text = source;
	atomic_int calls = 0;
	bool notify = (thread + round) % 2;
	char options[32];
	cl_program program;
	cl_int code;

	snprintf(options, sizeof(options), "-DN=%d", n);
	program = clCreateProgramWithSource(world->context, 1, &text, NULL,
					    &code);
	expect(code == CL_SUCCESS, "clCreateProgramWithSource", thread, round);
	code = clBuildProgram(program, 1, &world->device, options,
			      notify ? on_built : NULL, notify ? &calls : NULL);
	expect(code == CL_SUCCESS && atomic_load(&calls) == notify,
	       "clBuildProgram", thread, round);
	check_queries(world, program, options, thread, round);
	check_kernel(world, program, "k", n * 5, thread, round);
	check_kernel(world, program, "other", n + 5, thread, round);
	if (round == 1)
		check_attributes(program, thread, round);
	clReleaseProgram(program);
}

static void *work(void *data)
{
	int thread = (int)(intptr_t)data, round;
	struct world own = shared;
	cl_int code;

	own.queue =
		clCreateCommandQueueWithProperties(shared.context,
						   shared.device, NULL, &code);
	must(code, "clCreateCommandQueueWithProperties");
	pthread_barrier_wait(&start);
	for (round = 0; round < ROUNDS; round++) {
		build_own(&own, round % 3 == 2 ? 100 + thread : 1 + round % 3,
			  thread, round);
		check_kernel(&own, shared_program, "k", 7 * 5, thread, round);
	}
	clReleaseCommandQueue(own.queue);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	const char *text = source;
	cl_int code;
	intptr_t i;

	world_open(&shared);
	shared_program = clCreateProgramWithSource(shared.context, 1, &text,
						   NULL, &code);
	must(code, "clCreateProgramWithSource");
	must(clBuildProgram(shared_program, 0, NULL, "-DN=7", NULL, NULL),
	     "clBuildProgram");
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			die("pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	clReleaseProgram(shared_program);
	world_close(&shared);
	printf("done %d\n", THREADS * ROUNDS);
	return atomic_load(&wrong) != 0;
}
