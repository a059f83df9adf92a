/* SPDX-License-Identifier: MIT */
/*
 * Scenes with threads. Each writes to a buffer of its own; the buffers are
 * printed in the threads' order.
 */
#include <sys/wait.h>

#include "tests/layer/scene.h"

#define THREADS 4

struct worker {
	const struct world *world;
	void (*work)(struct worker *worker);
	int number;
	cl_program shared;
	pthread_barrier_t *start;
	pthread_t thread;
	char *text;
	size_t size;
};

static const char source[] = "__kernel void scale(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = N * x; }\n"
			     "__kernel void other(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = N + x; }\n";

static void *thread_main(void *data)
{
	struct worker *worker = data;
	FILE *stream = open_memstream(&worker->text, &worker->size);

	if (!stream)
		die("out of memory");
	scene_output(stream);
	pthread_barrier_wait(worker->start);
	worker->work(worker);
	scene_output(NULL);
	fclose(stream);
	return NULL;
}

/* Every thread has a queue of its own: kernels run in turn otherwise. */
static void run_threads(const struct world *world,
			void (*work)(struct worker *worker), cl_program shared)
{
	struct worker workers[THREADS];
	struct world worlds[THREADS];
	pthread_barrier_t start;
	int i;

	if (world->oclgrind)
		skip("the driver is for one thread at a time");
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		worlds[i] = *world;
		worlds[i].queue = make_queue(world);
		workers[i] = (struct worker){
			.world = &worlds[i],
			.work = work,
			.number = i,
			.shared = shared,
			.start = &start,
		};
		if (pthread_create(&workers[i].thread, NULL, thread_main,
				   &workers[i]))
			die("pthread_create");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < THREADS; i++) {
		say("thread %d:", i);
		say_text(workers[i].text);
		free(workers[i].text);
		clReleaseCommandQueue(worlds[i].queue);
	}
	pthread_barrier_destroy(&start);
}

static void build_and_use(struct worker *worker, const char *options)
{
	const struct world *world = worker->world;
	cl_program program = make_built(world, "P", source, options);

	show_build(world, program);
	show_function(world, program, "scale", 5);
	show_function(world, program, "other", 6);
	release_program(program);
}

static void work_same_key(struct worker *worker)
{
	build_and_use(worker, "-DN=3");
}

static void work_own_key(struct worker *worker)
{
	char options[32];

	snprintf(options, sizeof(options), "-DN=%d", 10 + worker->number);
	build_and_use(worker, options);
}

static void work_mixed(struct worker *worker)
{
	work_own_key(worker);
	work_same_key(worker);
}

static void play_same_key(struct world *world)
{
	run_threads(world, work_same_key, NULL);
}

static void play_own_keys(struct world *world)
{
	run_threads(world, work_own_key, NULL);
}

static void play_mixed(struct world *world)
{
	run_threads(world, work_mixed, NULL);
}

/* No counts here: they depend on what the others do at the time. */
static void work_shared(struct worker *worker)
{
	const struct world *world = worker->world;
	cl_program program = worker->shared;
	int i;

	clRetainProgram(program);
	for (i = 0; i < 5; i++) {
		show_function(world, program, i % 2 ? "scale" : "other", i);
		show_build(world, program);
	}
	clReleaseProgram(program);
}

static void play_shared(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "-DN=4");

	run_threads(world, work_shared, program);
	show_counts(world, program, NULL);
	release_program(program);
}

/* The last release of a program comes from one of them, whichever. */
static void work_release(struct worker *worker)
{
	cl_kernel kernel = make_kernel(worker->shared, "scale", "K");

	show_run(worker->world, kernel, worker->number);
	clReleaseProgram(worker->shared);
	show_run(worker->world, kernel, worker->number + 10);
	release_kernel(kernel);
}

static void play_released_by_threads(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "-DN=4");
	int i;

	for (i = 1; i < THREADS; i++)
		clRetainProgram(program);
	run_threads(world, work_release, program);
	show_counts(world, NULL, NULL);
}

static void work_callback(struct worker *worker)
{
	struct called called = {.world = worker->world};
	cl_program program = make_program(worker->world, "P", source);

	build_called(&called, program, worker->number % 2 ? "-DN=5" : "-DN=6");
	show_function(worker->world, program, "scale", 2);
	release_program(program);
}

static void play_callbacks(struct world *world)
{
	run_threads(world, work_callback, NULL);
}

/* Built by one thread, used and released by others. */
static void work_pass_on(struct worker *worker)
{
	const struct world *world = worker->world;

	if (worker->number)
		return;
	build(world, worker->shared, "-DN=8");
}

static void play_passed_on(struct world *world)
{
	cl_program program = make_program(world, "P1", source);

	run_threads(world, work_pass_on, program);
	show_program(world, program);
	clRetainProgram(program);
	clRetainProgram(program);
	clRetainProgram(program);
	run_threads(world, work_release, program);
}

static void work_links(struct worker *worker)
{
	static const char helper[] = "int helper(int x) { return x * N; }\n";
	static const char user[] =
		"int helper(int x);\n"
		"__kernel void use(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = helper(x); }\n";
	const struct world *world = worker->world;
	cl_program one = make_compiled(world, "P1", helper,
				       worker->number % 2 ? "-DN=2" : "-DN=3");
	cl_program two = make_compiled(world, "P2", user, "");
	cl_program linked = link_two(world, "P3", "", one, two);

	release_program(one);
	release_program(two);
	if (!linked)
		return;
	show_function(world, linked, "use", 7);
	release_program(linked);
}

static void play_links(struct world *world)
{
	run_threads(world, work_links, NULL);
}

/* Every other thread has a context of its own. */
static void work_contexts(struct worker *worker)
{
	const struct world *before = worker->world;
	struct world own;

	if (worker->number % 2 == 0) {
		work_same_key(worker);
		return;
	}
	world_open(&own);
	worker->world = &own;
	work_same_key(worker);
	world_close(&own);
	worker->world = before;
}

static void play_contexts(struct world *world)
{
	run_threads(world, work_contexts, NULL);
}

/* Each has to have a log of its own. */
static void work_failing(struct worker *worker)
{
	static const char bad[] = "__kernel void broken(__global int *out)\n"
				  "{ out[0] = undeclared_name; }\n";
	const struct world *world = worker->world;
	cl_program program = make_built(world, "P", bad, "-DN=3");

	show_build(world, program);
	release_program(program);
}

static void play_failing(struct world *world)
{
	run_threads(world, work_failing, NULL);
}

/* What another thread may be building at that moment. */
static void build_the_same(struct called *called, cl_program program)
{
	(void)program;
	build(called->world, called->another, "-DN=5");
}

static void work_build_in_callback(struct worker *worker)
{
	const struct world *world = worker->world;
	struct called called = {.world = world, .act = build_the_same};
	cl_program program = make_program(world, "P", source);

	called.another = make_program(world, "Q", source);
	build_called(&called, program, worker->number % 2 ? "-DN=5" : "-DN=6");
	show_function(world, program, "scale", 2);
	show_function(world, called.another, "scale", 3);
	release_program(program);
	release_program(called.another);
}

static void play_build_in_callbacks(struct world *world)
{
	run_threads(world, work_build_in_callback, NULL);
}

/* The child ends at once: there is nothing that it has to end before. */
static void work_fork(struct worker *worker)
{
	int status = -1;
	pid_t child;

	if (worker->number == 0) {
		child = fork();
		if (!child)
			_exit(7);
		waitpid(child, &status, 0);
		say("child: %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	}
	work_same_key(worker);
}

static void play_fork(struct world *world)
{
	run_threads(world, work_fork, NULL);
}

static const struct scene scenes[] = {
	SCENE("threads-same-key", play_same_key, 4, 0, 0),
	SCENE("threads-own-keys", play_own_keys, 4, 0, 0),
	SCENE("threads-mixed", play_mixed, 8, 0, 0),
	SCENE("threads-shared", play_shared, 1, 0, 0),
	SCENE("threads-release", play_released_by_threads, 1, 0, 0),
	SCENE("threads-callbacks", play_callbacks, 4, 0, 0),
	SCENE("threads-pass-on", play_passed_on, 1, 0, 0),
	SCENE("threads-contexts", play_contexts, 4, 0, 0),
	SCENE("threads-failing", play_failing, 0, 4, 0, .logs = true),
	SCENE("threads-callbacks-build", play_build_in_callbacks, 8, 0, 0,
	      ON(ENDS("rusticl-26", "hangs in a build in a callback"))),
	SCENE("threads-fork", play_fork, 4, 0, 0),
	/* Rusticl links only objects of one SPIR-V version. */
	SCENE("threads-links", play_links, 12, 0, 0, .links = true,
	      ON(UNLIKE("rusticl", 8, 4, 0), UNLIKE("rusticl-26", 12, 0, 0))),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
