/* SPDX-License-Identifier: MIT */
/*
 * What can't be a scene: threads and processes that meet at certain points of a
 * build, with the stub driver, whose compiles run a command of ours that waits
 * (71-flights). Files in the directory DIRECTORY are how they tell each other:
 * "inside" gets a line for each compile that has begun, compiles go on when
 * "go" is there, and "trace" is the layer's.
 *
 *	flights fork DIRECTORY	forks while another thread builds; the child
 *				builds the same, and then a third thread does
 *	flights cancel DIRECTORY	cancels a thread that builds while
 *another waits for it flights leave DIRECTORY	cancels a thread that waits for
 *another one's build, at any time; then a third thread builds flights stall
 *DIRECTORY	a thread builds for ever, and another one that waits for it
 *gives up flights locks DIRECTORY	two threads that take a lock, and build
 *the same with it, called back or not
 *
 * Prints a line for each build.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

static const char source[] = "__kernel void k(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = x; }\n";

static struct world world;
static const char *directory;

static void path_of(const char *name, char path[512])
{
	snprintf(path, 512, "%s/%s", directory, name);
}

/* How many lines with that word a file of the directory has. */
static int lines(const char *name, const char *word)
{
	char path[512], line[4096];
	int count = 0;
	FILE *file;

	path_of(name, path);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, word) != NULL;
	if (file)
		fclose(file);
	return count;
}

static void allow(void)
{
	char path[512];
	FILE *file;

	path_of("go", path);
	file = fopen(path, "w");
	if (!file)
		die("%s can't be written", path);
	fclose(file);
}

static void await_lines(const char *name, const char *word, int wanted)
{
	for (int i = 0; lines(name, word) < wanted; i++) {
		if (i == 30000) {
			allow();
			die("%s hasn't %d lines", name, wanted);
		}
		usleep(1000);
	}
}

static void await_inside(int wanted)
{
	await_lines("inside", "inside", wanted);
}

/* The last of so many is about to join then. */
static void await_misses(int wanted)
{
	await_lines("trace", "\"miss\"", wanted);
	usleep(200000);
}

typedef void(CL_CALLBACK *notify_function)(cl_program, void *);

/* Builds, and says how it went. */
static void build(const char *name, notify_function notify)
{
	const char *source_text = source;
	cl_program program;
	cl_int code;

	program = clCreateProgramWithSource(world.context, 1, &source_text,
					    NULL, &code);
	must(code, "clCreateProgramWithSource");
	code = clBuildProgram(program, 1, &world.device, NULL, notify, NULL);
	printf("%s: %d, status %d\n", name, code,
	       build_status(&world, program));
	fflush(stdout);
	clReleaseProgram(program);
}

static void *build_alone(void *data)
{
	build(data, NULL);
	return NULL;
}

static pthread_t start_with(void *(*run)(void *data), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, (void *)(uintptr_t)name))
		die("pthread_create");
	return thread;
}

static pthread_t start(const char *name)
{
	return start_with(build_alone, name);
}

static void play_fork(void)
{
	pthread_t first = start("first"), third;
	int status = -1;
	pid_t child;

	await_inside(1);
	child = fork();
	if (!child) {
		build("child", NULL);
		_exit(0);
	}
	/* It doesn't wait for what there isn't in its process. */
	await_inside(2);
	third = start("third");
	/* Misses of the first, of the child and of the third. */
	await_misses(3);
	allow();
	pthread_join(first, NULL);
	pthread_join(third, NULL);
	waitpid(child, &status, 0);
	printf("child ended: %d\n", status);
}

static void play_cancel(void)
{
	pthread_t first = start("first"), second;

	await_inside(1);
	second = start("second");
	await_misses(2);
	pthread_cancel(first);
	pthread_join(first, NULL);
	await_inside(2);
	allow();
	pthread_join(second, NULL);
}

static void *build_cancelled_anywhere(void *data)
{
	int type;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	build(data, NULL);
	return NULL;
}

static void play_leave(void)
{
	pthread_t first = start("first");
	pthread_t second, third;

	await_inside(1);
	second = start_with(build_cancelled_anywhere, "second");
	await_misses(2);
	pthread_cancel(second);
	usleep(200000);
	third = start("third");
	await_misses(3);
	allow();
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	pthread_join(third, NULL);
}

static void play_stall(void)
{
	pthread_t first = start("first"), second;

	await_inside(1);
	second = start("second");
	/* Without leave for the first. */
	await_inside(2);
	allow();
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK take_lock(cl_program program, void *data)
{
	(void)program;
	(void)data;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

/* Its callback needs a lock with which another thread waits for it. */
static void *build_with_callback(void *data)
{
	build(data, take_lock);
	return NULL;
}

static void play_locks(void)
{
	pthread_t first = start_with(build_with_callback, "first"), second;

	await_inside(1);
	pthread_mutex_lock(&lock);
	second = start("second");
	await_misses(2);
	allow();
	pthread_join(second, NULL);
	pthread_mutex_unlock(&lock);
	pthread_join(first, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		die("usage: flights fork|cancel|leave|stall|locks DIRECTORY");
	directory = argv[2];
	world_open(&world);
	if (strcmp(argv[1], "fork") == 0)
		play_fork();
	else if (strcmp(argv[1], "cancel") == 0)
		play_cancel();
	else if (strcmp(argv[1], "leave") == 0)
		play_leave();
	else if (strcmp(argv[1], "stall") == 0)
		play_stall();
	else
		play_locks();
	world_close(&world);
	return 0;
}
