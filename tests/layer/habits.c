/* SPDX-License-Identifier: MIT */
/*
 * Builds with a callback, waits for that, and writes down what an application
 * can see of a driver's habits; also of drivers that call back after the call
 * has returned, when they like.
 *
 *	habits		one program, with a callback
 *	habits -j	a mutex is held over the call that the callback takes:
 *			for drivers that don't wait for their callback
 */
#include <pthread.h>
#include <unistd.h>

#include "tests/layer/scene.h"

static const char source[] = "__kernel void k(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = x; }\n";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static struct {
	int calls;
	cl_program program;
	bool on_caller;
	pthread_t caller;
} seen;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	bool on_caller = pthread_equal(seen.caller, pthread_self());

	(void)data;
	/* On the caller's thread nobody else can be looking. */
	if (!on_caller)
		pthread_mutex_lock(&mutex);
	seen.calls++;
	seen.program = program;
	seen.on_caller = on_caller;
	pthread_cond_signal(&condition);
	if (!on_caller)
		pthread_mutex_unlock(&mutex);
}

static cl_uint context_count(const struct world *world)
{
	cl_uint count = 0;

	clGetContextInfo(world->context, CL_CONTEXT_REFERENCE_COUNT,
			 sizeof(count), &count, NULL);
	return count;
}

int main(int argc, char **argv)
{
	bool hold = argc > 1 && strcmp(argv[1], "-j") == 0;
	struct world world;
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	world_open(&world);
	name_handle(world.context, "context");
	name_handle(world.device, "device");
	seen.caller = pthread_self();
	program = make_program(&world, "program", source);
	if (hold)
		pthread_mutex_lock(&mutex);
	code = clBuildProgram(program, 1, &world.device, NULL, on_built, NULL);
	if (!hold)
		pthread_mutex_lock(&mutex);
	while (!seen.calls)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	say("build: %d, callback for %s on %s thread", code,
	    handle_name(seen.program),
	    seen.on_caller ? "the caller's" : "another");
	show_program(&world, program);
	show_counts(&world, program, NULL);
	kernel = make_kernel(program, "k", "kernel");
	show_counts(&world, program, kernel);
	show_kernel(&world, kernel);
	show_run(&world, kernel, 3);
	release_kernel(kernel);
	show_counts(&world, program, NULL);
	release_program(program);
	/* A thread of the driver's may still be on its way out of the callback.
	 */
	for (int i = 0; i < 5000 && context_count(&world) > 1; i++)
		usleep(1000);
	show_counts(&world, NULL, NULL);
	say("called back %d times", seen.calls);
	world_close(&world);
	say("end");
	return 0;
}
