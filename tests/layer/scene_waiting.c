/* SPDX-License-Identifier: MIT */
/*
 * Scenes that wait for their callbacks before they go on, as applications of
 * drivers that build in threads of their own have to.
 */
#include <pthread.h>
#include <time.h>

#include "tests/layer/scene.h"

#define WAIT_SECONDS 20

static const char good[] = "#ifndef N\n#define N 1\n#endif\n"
			   "__kernel void scale(__global int *out, int x)\n"
			   "{ out[get_global_id(0)] = N * x; }\n";

static const char bad[] = "__kernel void broken(__global int *out, int x)\n"
			  "{ out[0] = undeclared_name + x; }\n";

static const char helper[] = "int helper(int x) { return x * 3; }\n";

static const char user[] =
	"int helper(int x);\n"
	"__kernel void scale(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = helper(x) + (int)get_global_id(0); }\n";

struct waiting {
	const struct world *world;
	pthread_mutex_t lock;
	pthread_cond_t called;
	int calls;
	pthread_t caller; /* of the build */
	bool same_thread;
	cl_program program;
	cl_int status;
	bool release;
};

#define WAITING_INIT(world)                                                    \
	{                                                                      \
		(world), .lock = PTHREAD_MUTEX_INITIALIZER,                    \
			 .called = PTHREAD_COND_INITIALIZER,                   \
			 .caller = pthread_self()                              \
	}

static void CL_CALLBACK on_done(cl_program program, void *data)
{
	struct waiting *waiting = data;
	cl_int status = program ? build_status(waiting->world, program) : 1;

	if (waiting->release)
		clReleaseProgram(program);
	pthread_mutex_lock(&waiting->lock);
	waiting->calls++;
	waiting->program = program;
	waiting->status = status;
	waiting->same_thread = pthread_equal(waiting->caller, pthread_self());
	pthread_cond_signal(&waiting->called);
	pthread_mutex_unlock(&waiting->lock);
}

/* Until it was called, or patience is at its end: then the scene says so. */
static void wait_for(struct waiting *waiting)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += WAIT_SECONDS;
	pthread_mutex_lock(&waiting->lock);
	while (!waiting->calls &&
	       !pthread_cond_timedwait(&waiting->called, &waiting->lock, &end))
		;
	say("called %d times for %s, %s thread, status %d", waiting->calls,
	    handle_name(waiting->program),
	    waiting->same_thread ? "same" : "other", waiting->status);
	waiting->calls = 0;
	pthread_mutex_unlock(&waiting->lock);
}

static void build_and_wait(struct waiting *waiting, cl_program program,
			   const char *options)
{
	cl_int code;

	code = clBuildProgram(program, 1, &waiting->world->device, options,
			      on_done, waiting);
	say("build with %s: %d", options, code);
	wait_for(waiting);
}

static void show_scale(const struct world *world, cl_program program)
{
	cl_kernel kernel = make_kernel(program, "scale", "K");

	if (!kernel)
		return;
	show_run(world, kernel, 6);
	show_kernel(world, kernel);
	release_kernel(kernel);
}

static void play_build(struct world *world)
{
	struct waiting waiting = WAITING_INIT(world);
	cl_program program = make_program(world, "P1", good);

	build_and_wait(&waiting, program, "-DN=3");
	show_program(world, program);
	show_scale(world, program);
	release_program(program);
}

static void play_rebuild(struct world *world)
{
	struct waiting waiting = WAITING_INIT(world);
	cl_program program = make_program(world, "P1", good);

	build_and_wait(&waiting, program, "-DN=3");
	show_scale(world, program);
	build_and_wait(&waiting, program, "-DN=4");
	show_program(world, program);
	show_scale(world, program);
	release_program(program);
}

static void play_failure(struct world *world)
{
	struct waiting waiting = WAITING_INIT(world);
	cl_program program = make_program(world, "P1", bad);

	build_and_wait(&waiting, program, "");
	show_program(world, program);
	release_program(program);
}

/* The application's last reference goes in the callback. */
static void play_release(struct world *world)
{
	struct waiting waiting = WAITING_INIT(world);
	cl_program program = make_program(world, "P1", good);

	waiting.release = true;
	build_and_wait(&waiting, program, "-DN=3");
}

static void compile_and_wait(struct waiting *waiting, cl_program program)
{
	cl_int code;

	code = clCompileProgram(program, 1, &waiting->world->device, "", 0,
				NULL, NULL, on_done, waiting);
	say("compile: %d", code);
	wait_for(waiting);
}

static void play_link(struct world *world)
{
	struct waiting waiting = WAITING_INIT(world);
	cl_program inputs[2], linked;
	cl_int code = 1;

	inputs[0] = make_program(world, "P1", helper);
	inputs[1] = make_program(world, "P2", user);
	compile_and_wait(&waiting, inputs[0]);
	compile_and_wait(&waiting, inputs[1]);
	linked = clLinkProgram(world->context, 1, &world->device, "", 2, inputs,
			       on_done, &waiting, &code);
	name_handle(linked, "P3");
	say("link: %s %d", handle_name(linked), code);
	wait_for(&waiting);
	release_program(inputs[0]);
	release_program(inputs[1]);
	show_program(world, linked);
	show_scale(world, linked);
	release_program(linked);
}

static const char pair[] =
	"__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
	"void first(__global int *out, int x) { out[0] = x; }\n"
	"__kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
	"void second(__global const int *in, __global int *result)\n"
	"{ result[0] = in[0]; }\n";

/* Of a source that was never built: its callback is always the driver's. */
static void build_unseen(struct called *called)
{
	static int count;
	char source[200];
	cl_program program;

	snprintf(source, sizeof(source),
		 "__kernel void unseen(__global int *out)\n"
		 "{ out[0] = %d + %d; }\n",
		 (int)getpid(), count++);
	program = make_program(called->world, "unseen", source);
	build_called(called, program, "");
	release_program(program);
}

struct asking {
	struct called called; /* first */
	struct waiting waiting;
	cl_kernel kernel;
	cl_program another;
};

static void ask_kernel_there(struct called *called, cl_program program)
{
	struct asking *asking = (struct asking *)called;

	(void)program;
	show_kernel(called->world, asking->kernel);
	show_arguments(asking->kernel);
}

/* Of a kernel that wasn't made in the run that compiled. */
static void play_ask(struct world *world)
{
	struct asking asking = {
		.called = {.world = world, .act = ask_kernel_there}};
	cl_program program =
		make_built(world, "P1", pair, "-cl-kernel-arg-info");

	release_kernel(make_kernel(program, "first", "K1"));
	release_program(program);
	program = make_built(world, "P2", pair, "-cl-kernel-arg-info");
	asking.kernel = make_kernel(program, "second", "K2");
	build_unseen(&asking.called);
	show_kernel(world, asking.kernel);
	release_kernel(asking.kernel);
	release_program(program);
}

static void build_there(struct called *called, cl_program program)
{
	struct asking *asking = (struct asking *)called;
	cl_int code;

	(void)program;
	code = clBuildProgram(asking->another, 1, &called->world->device,
			      "-DN=3", on_done, &asking->waiting);
	say("build there: %d", code);
}

static void play_build_there(struct world *world)
{
	struct asking asking = {.called = {.world = world, .act = build_there},
				.waiting = WAITING_INIT(world)};

	asking.another = make_program(world, "P1", good);
	build_unseen(&asking.called);
	wait_for(&asking.waiting);
	show_program(world, asking.another);
	show_scale(world, asking.another);
	release_program(asking.another);
}

static const struct scene scenes[] = {
	SCENE("wait-build", play_build, 1, 0, 0),
	SCENE("wait-rebuild", play_rebuild, ANY, ANY, ANY),
	SCENE("wait-failure", play_failure, 0, 1, 0),
	SCENE("wait-release", play_release, 1, 0, 0),
	SCENE("wait-link", play_link, 3, 0, 0, .links = true),
	SCENE("callback-asks", play_ask, 2, 1, 0),
	SCENE("callback-build-waits", play_build_there, 1, 1, 0,
	      ON(UNLIKE("rusticl-26", 0, 2, 0))),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
