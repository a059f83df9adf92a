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
 *	call	by SIGKILL, but don't release the context: they create a program
 *		20 ms after the builds
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

static void build_one(const struct world *world, int number)
{
	if (clBuildProgram(create_one(world, number), 0, NULL, NULL, NULL,
			   NULL))
		die("no build");
}

static int count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	if (!folder)
		die("no /proc");
	while ((entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

static void leave(const char *how)
{
	pid_t child;

	if (!strcmp(how, "exit") || !strcmp(how, "threads"))
		exit(0);
	if (!strcmp(how, "kill") || !strcmp(how, "call"))
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

	world_open(&world);
	for (int i = 0; i < count; i++)
		build_one(&world, i);
	if (!strcmp(how, "threads"))
		printf("%d\n", count_threads());
	if (!strcmp(how, "call")) {
		usleep(20000);
		create_one(&world, 0);
	} else {
		clReleaseContext(world.context);
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
