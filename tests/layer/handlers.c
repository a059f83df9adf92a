/* SPDX-License-Identifier: MIT */
/*
 * Builds, asks and runs, while a handler of SIGURG makes a child (each time
 *that tests/preload/fault.c sends one). `handlers WAY DEED [TIMES]`: by which
 *way, what the child does, and how often at most.
 *
 *	fork, _Fork, clone, vfork, spawn	spawn has one deed, exec
 *	exit	by exit(), with all that this calls
 *	_exit
 *	exec	another program
 *	build	what nobody else has built, with a context of its own
 *	return	from the handler, and goes on with what was interrupted
 *	nested	a handler of forks makes a child, too; then _exit
 *	nested-build	and builds
 *	none	no child: the thread itself builds, in the handler
 *
 * Prints how the program's own builds went, and at the end "children: N" if
 *none was lost, and at least one was made. A child that hangs is killed after
 *ten seconds.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

#define PATIENCE 10

static const char source[] = "__kernel void k(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = N * x; }\n";

static const char *way, *deed;
static int left = -1;
static struct world world;
static pid_t parent;
static volatile int children, lost;
static volatile sig_atomic_t busy;
static bool failed;

static void build(const char *who, int number, bool run)
{
	const char *text = source;
	int out[RUN_ITEMS] = {0};
	char options[32];
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	snprintf(options, sizeof(options), "-DN=%d", number);
	program =
		clCreateProgramWithSource(world.context, 1, &text, NULL, &code);
	code = program ? clBuildProgram(program, 1, &world.device, options,
					NULL, NULL)
		       : code;
	kernel = code ? NULL : clCreateKernel(program, "k", &code);
	if (!code && run)
		code = run_kernel(&world, kernel, 5, 0, out);
	if (code || (run && !world.stub && out[RUN_ITEMS - 1] != 5 * number)) {
		printf("wrong: %s, build %d: %d, %d\n", who, number, code,
		       out[RUN_ITEMS - 1]);
		failed = true;
	}
	if (kernel)
		clReleaseKernel(kernel);
	if (program)
		clReleaseProgram(program);
}

/* Only what is allowed in a child of vfork(). */
static void leave(void)
{
	char *const arguments[] = {"true", NULL};

	if (!strcmp(deed, "exec"))
		execv("/bin/true", arguments);
	_exit(strcmp(deed, "exec") ? 0 : 1);
}

/* True: it returns. */
static bool do_deed(void)
{
	alarm(PATIENCE);
	if (!strcmp(deed, "return")) {
		signal(SIGURG, SIG_IGN);
		return true;
	}
	if (!strcmp(deed, "exit"))
		exit(0);
	if (!strcmp(deed, "build")) {
		signal(SIGURG, SIG_IGN);
		/* The driver's threads aren't here: nothing is run. */
		build("child", 1000 + children, false);
		fflush(stdout);
		_exit(failed);
	}
	leave();
	return false;
}

static pid_t spawn(void)
{
	char *const arguments[] = {"true", NULL};
	pid_t child = -1;

	if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, NULL))
		return -1;
	return child;
}

static pid_t make_child(void)
{
	if (!strcmp(way, "spawn"))
		return spawn();
	if (!strcmp(way, "_Fork"))
		return _Fork();
	if (!strcmp(way, "clone"))
		return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL,
				      NULL);
	return fork();
}

static void await(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	children++;
	if (!status)
		return;
	lost++;
	printf("child %d: status %#x\n", children, status);
}

/* Who calls vfork() mustn't return. */
static pid_t make_child_of_vfork(void)
{
	/* NOLINTNEXTLINE: it is what is tried. */
	pid_t child = vfork();

	if (!child)
		leave();
	return child;
}

static void on_signal(int number)
{
	int saved = errno;
	pid_t child;

	(void)number;
	/* What builds needs a context. */
	if (busy || getpid() != parent || !left || !world.queue)
		return;
	left--;
	busy = true;
	if (!strcmp(deed, "none")) {
		children++;
		build("handler", 1000 + children, false);
		busy = false;
		errno = saved;
		return;
	}
	child = !strcmp(way, "vfork") ? make_child_of_vfork() : make_child();
	if (child < 0)
		die("no child");
	if (!child && do_deed()) {
		errno = saved;
		return;
	}
	await(child);
	busy = false;
	errno = saved;
}

/* Ours are called with the layer's lock held: they were there first. */
static void nest(void)
{
	pid_t child;

	if (strncmp(deed, "nested", 6) != 0 || getpid() != parent || busy != 1)
		return;
	busy = 2;
	if (!strcmp(deed, "nested-build"))
		build("handler of forks", 2000 + children, false);
	child = fork();
	if (!child)
		_exit(0);
	await(child);
	busy = 1;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: handlers WAY DEED [TIMES]");
	way = argv[1];
	deed = argv[2];
	if (argc > 3)
		left = atoi(argv[3]);
	parent = getpid();
	pthread_atfork(nest, NULL, NULL);
	signal(SIGURG, on_signal);
	world_open(&world);
	for (int i = 0; i < 3; i++)
		build("program", i % 2 + 1, getpid() == parent);
	world_close(&world);
	if (getpid() != parent)
		_exit(failed);
	if (lost || !children)
		printf("lost: %d of %d\n", lost, children);
	else
		printf("children: some\n");
	return failed || lost || !children;
}
