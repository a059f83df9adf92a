/* SPDX-License-Identifier: MIT */
/*
 * Builds programs and leaves, in ways in which no exit handler runs.
 *
 *	leaves HOW COUNT [WORKERS [MILLISECONDS]]
 *
 * WORKERS processes (0, the default: only this one), forked before anything
 * else, build COUNT different programs each, release the context, wait
 * MILLISECONDS and end:
 *
 *	exit	as others do
 *	_exit	by _exit()
 *	kill	by SIGKILL
 *	clone	by exit(), in a child of a bare clone(), and by _exit() itself
 *	late	by _exit(), and all builds but the first come 60 ms after that
 *	call-*	by SIGKILL, but don't release the context: they make one call 20
 *		ms after the builds, and perhaps in vain (see calls[])
 *	busy	the same, but release the context, and the call comes 3 s after
 *	threads	by exit(), and say how many threads they have after the builds
 */
#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

static cl_program create_one(const struct world *world, int number)
{
	const char *source;
	char text[200];
	cl_program program;
	cl_int code;

	snprintf(text, sizeof(text),
		 "__kernel void k(__global int *out, int x)\n"
		 "{ out[get_global_id(0)] = %d + x; }",
		 40 + number);
	source = text;
	program = clCreateProgramWithSource(world->context, 1, &source, NULL,
					    &code);
	if (code)
		die("no program");
	return program;
}

static cl_program build_one(const struct world *world, int number)
{
	cl_program program = create_one(world, number);

	if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL))
		die("no build");
	return program;
}

static void make_context(const struct world *world)
{
	clCreateContext(NULL, 1, &world->device, NULL, NULL, NULL);
}

static void make_context_from_type(const struct world *world)
{
	cl_context_properties properties[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)world->platform, 0};

	clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL,
				NULL);
}

static void make_from_source(const struct world *world)
{
	create_one(world, 0);
}

static void make_from_il(const struct world *world)
{
	clCreateProgramWithIL(world->context, "none", 4, NULL);
}

static void make_from_binary(const struct world *world)
{
	clCreateProgramWithBinary(world->context, 0, NULL, NULL, NULL, NULL,
				  NULL);
}

static void link_none(const struct world *world)
{
	clLinkProgram(world->context, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
}

static void release_reference(const struct world *world)
{
	clRetainContext(world->context);
	clReleaseContext(world->context);
}

static const struct {
	const char *name;
	void (*make)(const struct world *world);
} calls[] = {
	{"context", make_context},
	{"context-from-type", make_context_from_type},
	{"source", make_from_source},
	{"il", make_from_il},
	{"binary", make_from_binary},
	{"link", link_none},
	{"release-context", release_reference},
};

static void call_later(const struct world *world, cl_program program,
		       const char *name)
{
	cl_kernel kernel = clCreateKernel(program, "k", NULL);

	usleep(20000);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(name, calls[i].name)) {
			calls[i].make(world);
			return;
		}
	if (!strcmp(name, "release-kernel"))
		clReleaseKernel(kernel);
	else if (!strcmp(name, "release-program"))
		clReleaseProgram(program);
	else
		die("no such call");
}

static int count_threads(void)
{
	DIR *directory = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	if (!directory)
		die("no /proc");
	while ((entry = readdir(directory)))
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

static void leave(const char *how)
{
	pid_t child;

	if (!strcmp(how, "exit") || !strcmp(how, "threads"))
		exit(0);
	if (!strcmp(how, "kill") || !strcmp(how, "busy") ||
	    !strncmp(how, "call-", 5))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "clone")) {
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL,
				       NULL);
		if (!child)
			exit(0);
		waitpid(child, NULL, 0);
	}
	_exit(0);
}

static void work(const char *how, int count, int milliseconds)
{
	struct world world;
	cl_program program = NULL;

	world_open(&world);
	for (int i = 0; i < count; i++) {
		if (i == 1 && !strcmp(how, "late"))
			usleep(60000);
		program = build_one(&world, i);
	}
	if (!strcmp(how, "threads"))
		printf("%d\n", count_threads());
	if (!strncmp(how, "call-", 5))
		call_later(&world, program, how + 5);
	else
		clReleaseContext(world.context);
	if (!strcmp(how, "busy")) {
		usleep(3000000);
		clReleaseProgram(program);
	}
	usleep((useconds_t)milliseconds * 1000);
	leave(how);
}

int main(int argc, char **argv)
{
	int workers = argc > 3 ? atoi(argv[3]) : 0;
	int milliseconds = argc > 4 ? atoi(argv[4]) : 0;

	if (argc < 3)
		die("HOW COUNT [WORKERS [MILLISECONDS]]");
	for (int i = 0; i < workers; i++)
		if (!fork())
			work(argv[1], atoi(argv[2]), milliseconds);
	if (!workers)
		work(argv[1], atoi(argv[2]), milliseconds);
	while (wait(NULL) > 0)
		;
	return 0;
}
