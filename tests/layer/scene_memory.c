/* SPDX-License-Identifier: MIT */
/*
 * Scenes about building the same again in one process, which the layer serves
 * from memory: every program must be as new, whatever was done to the one
 * before, and nothing may be held longer than by the bare driver.
 */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/layer/scene.h"

#include "layer/oclcache.h"

static const char source[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n"
	"__kernel void other(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x; }\n";

static void *control(const struct world *world, const char *name)
{
	return clGetExtensionFunctionAddressForPlatform(world->platform, name);
}

/* Nothing is said: without the layer there are no such functions. */
static void set_capacity(const struct world *world, size_t capacity)
{
	oclcacheSetMemoryCapacity_fn set =
		(oclcacheSetMemoryCapacity_fn)(uintptr_t)
			control(world, "oclcacheSetMemoryCapacity");
	oclcacheGetMemoryCapacity_fn get =
		(oclcacheGetMemoryCapacity_fn)(uintptr_t)
			control(world, "oclcacheGetMemoryCapacity");
	size_t now = 0;

	if (set && (set(capacity) || get(&now) || now != capacity))
		say("the capacity can't be set");
}

static void clear_memory(const struct world *world)
{
	oclcacheClearMemory_fn clear = (oclcacheClearMemory_fn)(uintptr_t)
		control(world, "oclcacheClearMemory");

	if (clear && clear())
		say("the memory can't be cleared");
}

static cl_program build_and_run(struct world *world, const char *name, int x)
{
	cl_program program = make_built(world, name, source, "");

	show_function(world, program, "add", x);
	return program;
}

/* Each is gone when the next one comes. */
static void play_repeats(struct world *world)
{
	for (int i = 0; i < 4; i++) {
		cl_program program = build_and_run(world, "P", i);
		cl_kernel kernel = make_kernel(program, "other", "K");

		show_counts(world, program, kernel);
		show_program(world, program);
		show_kernel(world, kernel);
		release_kernel(kernel);
		release_program(program);
		show_counts(world, NULL, NULL);
	}
}

/* And here they all stay, and their kernels. */
static void play_together(struct world *world)
{
	static const char *const names[] = {"P1", "P2", "P3", "P4"};
	cl_program programs[4];
	cl_kernel kernels[4];

	for (int i = 0; i < 4; i++) {
		programs[i] = build_and_run(world, names[i], i);
		kernels[i] = make_kernel(programs[i], "add", "K");
		show_counts(world, programs[i], kernels[i]);
	}
	for (int i = 0; i < 4; i += 2)
		release_program(programs[i]);
	for (int i = 3; i >= 0; i--) {
		show_run(world, kernels[i], 10 + i);
		release_kernel(kernels[i]);
	}
	release_program(build_and_run(world, "P5", 5));
	show_program(world, programs[1]);
	show_program(world, programs[3]);
	release_program(programs[3]);
	release_program(programs[1]);
	show_counts(world, NULL, NULL);
}

/* A kernel outlives its program, and the next program comes meanwhile. */
static void play_kernel_across(struct world *world)
{
	cl_program one = build_and_run(world, "P1", 1), two;
	cl_kernel first, second;

	release_program(one);
	one = make_built(world, "P2", source, "");
	first = make_kernel(one, "add", "K1");
	release_program(one);
	two = make_built(world, "P3", source, "");
	second = make_kernel(two, "add", "K2");
	show_run(world, first, 2);
	show_run(world, second, 3);
	release_kernel(first);
	build(world, two, "");
	release_kernel(second);
	build(world, two, "");
	show_function(world, two, "add", 4);
	release_program(two);
	show_counts(world, NULL, NULL);
}

/* What is built twice is as new for the next one. */
static void play_built_again(struct world *world)
{
	for (int i = 0; i < 3; i++) {
		cl_program program = build_and_run(world, "P", i);

		build(world, program, "");
		show_function(world, program, "add", i);
		show_program(world, program);
		build(world, program, "-DX");
		show_build(world, program);
		show_function(world, program, "other", i);
		release_program(program);
	}
}

static void play_two_contexts(struct world *world)
{
	struct world second;
	cl_program one, two;

	world_open(&second);
	name_handle(second.context, "context 2");
	one = build_and_run(world, "P1", 1);
	two = build_and_run(&second, "P2", 2);
	release_program(one);
	release_program(two);
	one = build_and_run(world, "P3", 3);
	two = build_and_run(&second, "P4", 4);
	show_counts(world, one, NULL);
	show_counts(&second, two, NULL);
	release_program(two);
	world_close(&second);
	release_program(one);
	release_program(build_and_run(world, "P5", 5));
	show_counts(world, NULL, NULL);
}

/* Handles of contexts are used again. */
static void play_context_after_context(struct world *world)
{
	(void)world;
	for (int i = 0; i < 3; i++) {
		struct world second;

		world_open(&second);
		name_handle(second.context, "context 2");
		release_program(build_and_run(&second, "P1", i));
		release_program(build_and_run(&second, "P2", i));
		show_counts(&second, NULL, NULL);
		world_close(&second);
	}
}

static void play_context_retained(struct world *world)
{
	struct world second;
	cl_program program;

	(void)world;
	world_open(&second);
	name_handle(second.context, "context 2");
	say("retain: %d", clRetainContext(second.context));
	release_program(build_and_run(&second, "P1", 1));
	show_counts(&second, NULL, NULL);
	say("release: %d", clReleaseContext(second.context));
	show_counts(&second, NULL, NULL);
	release_program(build_and_run(&second, "P2", 2));
	program = build_and_run(&second, "P3", 3);
	show_counts(&second, program, NULL);
	release_program(program);
	world_close(&second);
}

static void play_context_from_type(struct world *world)
{
	cl_context_properties properties[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)world->platform, 0};
	struct world second = *world;
	cl_int code = 1;

	second.context = clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL,
						 NULL, NULL, &code);
	name_handle(second.context, "context 2");
	say("context from type: %d", code);
	second.queue = make_queue(&second);
	for (int i = 0; i < 3; i++) {
		release_program(build_and_run(&second, "P", i));
		show_counts(&second, NULL, NULL);
	}
	world_close(&second);
}

static int destructor_calls;

static void CL_CALLBACK on_context_end(cl_context context, void *data)
{
	(void)context;
	(void)data;
	destructor_calls++;
}

/* `last`: the program goes after the context. */
static void end_context(struct world *second, bool last)
{
	cl_program program;
	cl_int code;

	world_open(second);
	name_handle(second->context, "context 2");
	destructor_calls = 0;
	code = clSetContextDestructorCallback(second->context, on_context_end,
					      NULL);
	say("destructor callback: %d", code);
	/* The bare driver must have nothing of it any more, too. */
	release_program(make_built(second, "P1", source, ""));
	release_program(make_built(second, "P2", source, ""));
	program = make_built(second, "P3", source, "");
	say("release queue: %d", clReleaseCommandQueue(second->queue));
	if (!last)
		release_program(program);
	settle();
	say("called %d times", destructor_calls);
	say("release context: %d", clReleaseContext(second->context));
	settle();
	say("called %d times", destructor_calls);
	if (!last)
		return;
	release_program(program);
	say("called %d times", destructor_calls);
}

static void play_context_end(struct world *world)
{
	struct world second;

	if (world->version < 300)
		skip("OpenCL 1.2 has no clSetContextDestructorCallback");
	end_context(&second, false);
	end_context(&second, true);
	end_context(&second, false);
}

static void CL_CALLBACK on_release(cl_program program, void *data)
{
	say("release callback %s for %s", (const char *)data,
	    handle_name(program));
}

static void play_release_callbacks(struct world *world)
{
	static char first[] = "1", second[] = "2";

	if (world->version < 220)
		skip("OpenCL 1.2 has no release callbacks");
	for (int i = 0; i < 3; i++) {
		cl_program program = make_built(world, "P", source, "");
		cl_int code = clSetProgramReleaseCallback(program, on_release,
							  i ? first : second);

		say("release callback: %d", code);
		release_program(program);
	}
}

/* Each program has its own variables, or not, as the driver has it. */
static void play_storage_of(struct world *world, const char *variables)
{
	if (world->rusticl || world->oclgrind)
		skip("the driver ends the process, or refuses");
	for (int i = 0; i < 3; i++) {
		cl_program one =
			make_built(world, "P1", variables, "-cl-std=CL2.0");
		cl_program two;

		show_function(world, one, "count", 100);
		show_function(world, one, "count", 200);
		two = make_built(world, "P2", variables, "-cl-std=CL2.0");
		show_function(world, two, "count", 300);
		show_function(world, one, "count", 400);
		release_program(one);
		show_function(world, two, "count", 500);
		release_program(two);
	}
}

static void play_storage(struct world *world)
{
	play_storage_of(world, "__global int counter = 7;\n"
			       "__kernel void count(__global int *out, int x)\n"
			       "{ size_t i = get_global_id(0);\n"
			       "  if (i == 0) out[i] = counter++ + x;\n"
			       "  else out[i] = x; }\n");
}

static void play_storage_in_function(struct world *world)
{
	play_storage_of(world, "int next(void)\n"
			       "{ static int counter = 7; return counter++; }\n"
			       "__kernel void count(__global int *out, int x)\n"
			       "{ size_t i = get_global_id(0);\n"
			       "  if (i == 0) out[i] = next() + x;\n"
			       "  else out[i] = x; }\n");
}

static void play_capacity(struct world *world)
{
	cl_program kept = build_and_run(world, "P1", 1);

	set_capacity(world, 0);
	release_program(build_and_run(world, "P2", 2));
	release_program(build_and_run(world, "P3", 3));
	show_counts(world, kept, NULL);
	set_capacity(world, (size_t)64 << 20);
	release_program(build_and_run(world, "P4", 4));
	release_program(build_and_run(world, "P5", 5));
	release_program(kept);
	set_capacity(world, 1);
	release_program(build_and_run(world, "P6", 6));
	set_capacity(world, (size_t)64 << 20);
	show_counts(world, NULL, NULL);
}

static void play_clear(struct world *world)
{
	cl_program program;
	cl_kernel kernel;

	release_program(build_and_run(world, "P1", 1));
	clear_memory(world);
	program = build_and_run(world, "P2", 2);
	kernel = make_kernel(program, "add", "K");
	clear_memory(world);
	show_run(world, kernel, 3);
	show_counts(world, program, kernel);
	release_program(program);
	clear_memory(world);
	show_run(world, kernel, 4);
	release_kernel(kernel);
	release_program(build_and_run(world, "P3", 5));
	release_program(build_and_run(world, "P4", 6));
	clear_memory(world);
	show_counts(world, NULL, NULL);
}

static void play_unload(struct world *world)
{
	for (int i = 0; i < 3; i++) {
		release_program(build_and_run(world, "P", i));
		say("unload: %d", clUnloadPlatformCompiler(world->platform));
	}
}

#define THREADS 3
#define TURNS	6

struct worker {
	struct world world;
	pthread_t thread;
	bool right;
};

/* One builds and runs, and says at the end whether all was right. */
static void *work(void *data)
{
	struct worker *worker = data;
	const char *strings = source;
	int got[RUN_ITEMS];

	worker->right = true;
	for (int i = 0; i < TURNS; i++) {
		cl_program program =
			clCreateProgramWithSource(worker->world.context, 1,
						  &strings, NULL, NULL);
		cl_kernel kernel;

		worker->right &=
			!clBuildProgram(program, 0, NULL, "", NULL, NULL);
		kernel = clCreateKernel(program, "add", NULL);
		if (i % 2)
			clReleaseProgram(program);
		if (i % 3 == 0)
			clear_memory(&worker->world);
		worker->right &=
			!run_kernel(&worker->world, kernel, i, 0, got) &&
			got[3] == 3 + i;
		clReleaseKernel(kernel);
		if (i % 2 == 0)
			clReleaseProgram(program);
	}
	return NULL;
}

static void play_threads(struct world *world)
{
	struct worker workers[THREADS];

	if (world->oclgrind)
		skip("the driver is for one thread at a time");
	for (int i = 0; i < THREADS; i++) {
		workers[i].world = *world;
		workers[i].world.queue = make_queue(world);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("pthread_create");
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		clReleaseCommandQueue(workers[i].world.queue);
		say("thread %d: %s", i, workers[i].right ? "right" : "wrong");
	}
	release_program(build_and_run(world, "P", 1));
	show_counts(world, NULL, NULL);
}

static const struct scene scenes[] = {
	SCENE("memory-repeats", play_repeats, 4, 0, 0),
	SCENE("memory-together", play_together, 5, 0, 0),
	SCENE("memory-kernel-across", play_kernel_across, ANY, ANY, ANY),
	SCENE("memory-built-again", play_built_again, ANY, ANY, ANY),
	SCENE("memory-two-contexts", play_two_contexts, 5, 0, 0),
	SCENE("memory-context-after", play_context_after_context, 6, 0, 0),
	SCENE("memory-context-retained", play_context_retained, 3, 0, 0),
	SCENE("memory-context-from-type", play_context_from_type, 3, 0, 0,
	      ON(UNSERVED("pocl", 0, 0, 3,
			  "the context has two devices, the build one"))),
	SCENE("memory-context-end", play_context_end, 9, 0, 0),
	SCENE("memory-release-callbacks", play_release_callbacks, 3, 0, 0),
	SCENE("memory-storage", play_storage, ANY, ANY, ANY),
	SCENE("memory-static", play_storage_in_function, ANY, ANY, ANY),
	SCENE("memory-capacity", play_capacity, 6, 0, 0),
	SCENE("memory-clear", play_clear, 4, 0, 0),
	SCENE("memory-unload", play_unload, 3, 0, 0),
	SCENE("memory-threads", play_threads, ANY, ANY, ANY),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
