/* SPDX-License-Identifier: MIT */
/*
 * Under tests/preload/late.c: a process forks while the thread that makes its
 * first context looks at the driver's files, because the layer's thread comes
 * too late. The child makes a context, too, and builds.
 *
 * Prints "child: built" and "parent: built"; without the first line nobody was
 * looking. A child that hangs is killed after ten seconds.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

static const char source[] = "__kernel void k(__global int *out, int x)"
			     "{ out[get_global_id(0)] = x; }";
static cl_device_id device;

static void make_context_and_build(const char *who)
{
	const char *text = source;
	cl_int code;
	cl_context context =
		clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	cl_program program;

	must(code, "clCreateContext");
	program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	must(code, "clCreateProgramWithSource");
	must(clBuildProgram(program, 1, &device, NULL, NULL, NULL),
	     "clBuildProgram");
	printf("%s: built\n", who);
	fflush(stdout);
}

static void *fork_and_wait(void *unused)
{
	pid_t child = fork();
	int status;

	(void)unused;
	if (!child) {
		alarm(10);
		make_context_and_build("child");
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		printf("child: status %d\n", status);
	return NULL;
}

static void meanwhile(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fork_and_wait, NULL) ||
	    pthread_join(thread, NULL))
		die("no thread");
}

int main(void)
{
	void (*arm)(void (*)(void)) = NULL;
	cl_platform_id platform;

	*(void **)&arm = dlsym(RTLD_DEFAULT, "late_arm");
	if (!arm)
		die("late.so isn't preloaded");
	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	     "clGetDeviceIDs");
	arm(meanwhile);
	make_context_and_build("parent");
	return 0;
}
