/* SPDX-License-Identifier: MIT */
/*
 * Does something while the layer loads ahead what this builds: `ahead COUNT`
 * builds COUNT programs in a context, runs them, and says what came of it. What
 * it does before that is told by the environment, for with other arguments it
 * would be another run:
 *
 *	AHEAD_DEED=NAME		one of `deeds`, below
 *	AHEAD_AFTER=US		so long after the context was made
 *	AHEAD_FIRST=N		the first program's number; others, that is
 *
 * Prints "right N" of programs that computed what they should, and what
 * deeds say; nothing of it depends on the clock.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

/* A child that hangs is killed. */
#define PATIENCE 20

#define ROUNDS	 1000

static struct world world;
static int count, first;
static volatile bool done;

static const char source[] =
	"__kernel void k(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = N * x + (int)get_global_id(0); }\n";

static int number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

static cl_program make(int number,
		       void(CL_CALLBACK *notify)(cl_program, void *),
		       void *data)
{
	const char *text = source;
	char options[32];
	cl_int code;
	cl_program program =
		clCreateProgramWithSource(world.context, 1, &text, NULL, &code);

	must(code, "clCreateProgramWithSource");
	snprintf(options, sizeof(options), "-DN=%d", number);
	must(clBuildProgram(program, 1, &world.device, options, notify, data),
	     "clBuildProgram");
	return program;
}

/* Does it compute what it should? */
static bool is_right(cl_program program, int number)
{
	int out[RUN_ITEMS];
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	bool right;

	must(code, "clCreateKernel");
	must(run_kernel(&world, kernel, 3, 0, out), "run");
	right = world.stub || world.simulated ||
		out[RUN_ITEMS - 1] == number * 3 + RUN_ITEMS - 1;
	clReleaseKernel(kernel);
	return right;
}

static void build_all(void)
{
	int right = 0;

	for (int i = first; i < first + count; i++) {
		cl_program program = make(i, NULL, NULL);

		right += is_right(program, i);
		clReleaseProgram(program);
	}
	printf("right %d\n", right);
	fflush(stdout);
}

static cl_uint references(void)
{
	cl_uint result = 0;

	must(clGetContextInfo(world.context, CL_CONTEXT_REFERENCE_COUNT,
			      sizeof(result), &result, NULL),
	     "CL_CONTEXT_REFERENCE_COUNT");
	return result;
}

static void start(pthread_t *thread, void *(*run)(void *))
{
	if (pthread_create(thread, NULL, run, NULL))
		die("no thread");
}

/* All that were seen, from the lowest to the highest. */
static void *count_references(void *seen)
{
	cl_uint *range = seen, now;

	while (!done) {
		now = references();
		range[0] = now < range[0] ? now : range[0];
		range[1] = now > range[1] ? now : range[1];
	}
	return NULL;
}

/*
 * A thread asks, while nothing is made that would count. (Of two that ask at
 * the same time rusticl tells one now and then that there is one more.)
 */
static void deed_count(void)
{
	cl_uint range[2] = {UINT32_MAX, 0};
	pthread_t thread;

	if (pthread_create(&thread, NULL, count_references, range))
		die("no thread");
	usleep(50000);
	done = true;
	pthread_join(thread, NULL);
	printf("references %u to %u\n", range[0], range[1]);
}

/* One program of the application's among the hidden ones. */
static void deed_programs(void)
{
	cl_uint before, after, own = 0, wrong = 0;
	const char *text = source;
	cl_program program;
	cl_int code;

	for (int i = 0; i < ROUNDS / 10; i++) {
		before = references();
		program = clCreateProgramWithSource(world.context, 1, &text,
						    NULL, &code);
		must(code, "clCreateProgramWithSource");
		must(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
				      sizeof(own), &own, NULL),
		     "CL_PROGRAM_REFERENCE_COUNT");
		after = references();
		clReleaseProgram(program);
		wrong += own != 1 || after - before > 1 ||
			 references() != before;
	}
	printf("wrong counts %u\n", wrong);
}

static void CL_CALLBACK say_error(const char *text, const void *bytes,
				  size_t size, void *data)
{
	(void)bytes;
	(void)size;
	(void)data;
	printf("error: %s\n", text);
	fflush(stdout);
}

static void CL_CALLBACK say_destroyed(cl_context context, void *data)
{
	(void)context;
	*(volatile bool *)data = true;
}

/* Releases it for the last time; is it gone then? */
static const char *release_context(void)
{
	volatile bool destroyed = false;
	cl_int(CL_API_CALL * set)(cl_context,
				  void(CL_CALLBACK *)(cl_context, void *),
				  void *) = NULL;
	cl_int code = 1;

	*(void **)&set = dlsym(RTLD_DEFAULT, "clSetContextDestructorCallback");
	if (set && world.version >= 300)
		code = set(world.context, say_destroyed, (void *)&destroyed);
	must(clReleaseContext(world.context), "clReleaseContext");
	return code ? "nobody says" : destroyed ? "destroyed" : "alive";
}

/* With the last reference it is gone, whatever is being loaded in it. */
static void deed_release(void)
{
	clReleaseCommandQueue(world.queue);
	printf("released: %s\n", release_context());
	world_open(&world);
}

static void deed_contexts(void)
{
	cl_context context;
	cl_int code;

	for (int i = 0; i < ROUNDS; i++) {
		context = clCreateContext(NULL, 1, &world.device, NULL, NULL,
					  &code);
		must(code, "clCreateContext");
		must(clReleaseContext(context), "clReleaseContext");
	}
	world_close(&world);
	world_open(&world);
}

static void deed_exit(void)
{
	exit(0);
}

static void deed_exit_now(void)
{
	_exit(0);
}

static void deed_quick_exit(void)
{
	quick_exit(0);
}

static void *run_exit(void *unused)
{
	(void)unused;
	exit(0);
}

static void deed_exit_by_thread(void)
{
	pthread_t thread;

	start(&thread, run_exit);
	for (;;)
		pause();
}

static void *run_rest(void *unused)
{
	(void)unused;
	usleep(100000);
	build_all();
	return NULL;
}

/* The process ends with its last thread. */
static void deed_end_thread(void)
{
	pthread_t thread;

	start(&thread, run_rest);
	pthread_exit(NULL);
}

static void await_child(pid_t child)
{
	int status = 0;

	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	printf("child: %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	fflush(stdout);
}

/* fork(), with a child that doesn't wait for ever. */
static pid_t make_child(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		alarm(PATIENCE);
	return child;
}

static void deed_fork_exit(void)
{
	pid_t child = make_child();

	if (!child)
		exit(0);
	await_child(child);
}

static void deed_fork_exit_now(void)
{
	pid_t child = make_child();

	if (!child)
		_exit(0);
	await_child(child);
}

static void deed_fork_exec(void)
{
	pid_t child = make_child();

	if (!child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	await_child(child);
}

/* In a context of its own, what was foreseen for its parent. */
static void deed_fork_build(void)
{
	pid_t child = make_child();
	const char *text = source;
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	if (child) {
		await_child(child);
		return;
	}
	world.context =
		clCreateContext(NULL, 1, &world.device, NULL, NULL, &code);
	must(code, "child's clCreateContext");
	for (int i = first; i < first + count; i++) {
		char options[32];

		snprintf(options, sizeof(options), "-DN=%d", i);
		program = clCreateProgramWithSource(world.context, 1, &text,
						    NULL, &code);
		must(code, "child's clCreateProgramWithSource");
		must(clBuildProgram(program, 1, &world.device, options, NULL,
				    NULL),
		     "child's clBuildProgram");
		kernel = clCreateKernel(program, "k", &code);
		must(code, "child's clCreateKernel");
		clReleaseKernel(kernel);
		clReleaseProgram(program);
	}
	_exit(0);
}

/* The child has a context without what is the layer's, and lets go of it. */
static void deed_fork_release(void)
{
	pid_t child;

	clReleaseCommandQueue(world.queue);
	child = make_child();
	if (!child) {
		printf("child: references %u\n", references());
		printf("child: %s\n", release_context());
		fflush(stdout);
		_exit(0);
	}
	await_child(child);
	world.queue = make_queue(&world);
}

static void deed_unload(void)
{
	for (int i = 0; i < ROUNDS / 10; i++) {
		clUnloadCompiler();
		clUnloadPlatformCompiler(world.platform);
		usleep(100);
	}
}

static void *build_now(void *unused)
{
	(void)unused;
	build_all();
	done = true;
	return NULL;
}

/* The environment grows and shrinks. */
static void deed_setenv(void)
{
	char name[32];

	for (int i = 0; i < ROUNDS * 20; i++) {
		snprintf(name, sizeof(name), "AHEAD_%d", i % ROUNDS);
		setenv(name, i % 2 ? "some value" : "another", 1);
		if (i % 3 == 0)
			unsetenv(name);
	}
}

static pthread_t builder;

static void CL_CALLBACK say_built(cl_program program, void *data)
{
	(void)program;
	(void)data;
	if (pthread_equal(pthread_self(), builder))
		printf("called back on the same thread\n");
	else
		printf("called back on another thread\n");
	fflush(stdout);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
}

static void deed_callback(void)
{
	cl_program program;

	builder = pthread_self();
	program = make(first, say_built, NULL);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		usleep(100);
	printf("right %d\n", is_right(program, first));
	clReleaseProgram(program);
}

/* KB of this process' own. */
static void deed_memory(void)
{
	long pages = 0, resident = 0, shared = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file ||
	    fscanf(file, "%ld %ld %ld", &pages, &resident, &shared) != 3)
		die("statm");
	fclose(file);
	printf("memory %ld\n",
	       (resident - shared) * sysconf(_SC_PAGESIZE) / 1024);
}

static void deed_threads(void)
{
	pthread_t threads[4];

	for (size_t i = 0; i < LENGTH(threads); i++)
		start(&threads[i], build_now);
	for (size_t i = 0; i < LENGTH(threads); i++)
		pthread_join(threads[i], NULL);
}

/* In another context, which has a callback for errors. */
static void deed_notify(void)
{
	cl_int code;

	world_close(&world);
	world.context =
		clCreateContext(NULL, 1, &world.device, say_error, NULL, &code);
	must(code, "clCreateContext");
	world.queue = make_queue(&world);
	usleep(50000);
}

static void deed_return(void)
{
	count = 0;
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{"count", deed_count},
	{"programs", deed_programs},
	{"release", deed_release},
	{"contexts", deed_contexts},
	{"exit", deed_exit},
	{"return", deed_return},
	{"_exit", deed_exit_now},
	{"quick_exit", deed_quick_exit},
	{"exit-by-thread", deed_exit_by_thread},
	{"end-thread", deed_end_thread},
	{"fork-exit", deed_fork_exit},
	{"fork-_exit", deed_fork_exit_now},
	{"fork-exec", deed_fork_exec},
	{"fork-build", deed_fork_build},
	{"fork-release", deed_fork_release},
	{"unload", deed_unload},
	{"setenv", deed_setenv},
	{"callback", deed_callback},
	{"memory", deed_memory},
	{"threads", deed_threads},
	{"notify", deed_notify},
};

static void do_deed(const char *name)
{
	for (size_t i = 0; i < LENGTH(deeds); i++) {
		if (strcmp(deeds[i].name, name) != 0)
			continue;
		deeds[i].run();
		fflush(stdout);
		return;
	}
	die("%s: no such deed", name);
}

int main(int argument_count, char **arguments)
{
	const char *deed = getenv("AHEAD_DEED");

	if (argument_count != 2)
		die("ahead COUNT");
	count = atoi(arguments[1]);
	first = number_of("AHEAD_FIRST");
	world_open(&world);
	usleep((useconds_t)number_of("AHEAD_AFTER"));
	if (deed)
		do_deed(deed);
	if (count)
		build_all();
	world_close(&world);
	return 0;
}
