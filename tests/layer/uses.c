/* SPDX-License-Identifier: MIT */
/*
 * One use of a program, in ways that differ in when its binaries could be
 * fetched:
 *
 *	uses [WORD...]
 *
 * once		the default: builds, launches both kernels, releases all
 * leave	releases nothing
 * flee		and ends in another thread, which calls exit()
 * fork		and a child, which was forked at the end, ends first
 * compile	and another thread goes on compiling other programs; says when
 *		the driver's own end is to begin
 * quick	launches nothing, creates no kernel
 * ask		asks for the binaries itself
 * large	has many kernels
 * handler	releases all in an exit handler that it registers at the end
 *
 * Prints what the kernels computed. Exit status 0.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

#define KERNELS 2
#define LARGE	20

static struct {
	bool leave, flee, fork, compile, quick, ask, large, handler;
} wanted;

static struct world world;
static cl_program program;
static cl_kernel kernels[KERNELS];

static void parse(const char *word)
{
	const struct {
		const char *word;
		bool *flag;
	} words[] = {
		{"leave", &wanted.leave}, {"flee", &wanted.flee},
		{"fork", &wanted.fork},	  {"compile", &wanted.compile},
		{"quick", &wanted.quick}, {"ask", &wanted.ask},
		{"large", &wanted.large}, {"handler", &wanted.handler},
		{"once", &(bool){false}},
	};

	for (size_t i = 0; i < LENGTH(words); i++)
		if (!strcmp(word, words[i].word)) {
			*words[i].flag = true;
			return;
		}
	die("uses: %s isn't understood", word);
}

static char *make_source(void)
{
	int count = wanted.large ? LARGE : KERNELS;
	char *source = NULL, *longer;

	for (int i = 0; i < count; i++) {
		if (asprintf(&longer,
			     "%s__kernel void k%d(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] += x + %d; }\n",
			     source ? source : "", i, i) < 0)
			die("out of memory");
		free(source);
		source = longer;
	}
	return source;
}

static cl_program build(const char *source)
{
	cl_program result;
	cl_int code;

	result = clCreateProgramWithSource(world.context, 1, &source, NULL,
					   &code);
	must(code, "clCreateProgramWithSource");
	must(clBuildProgram(result, 1, &world.device, "", NULL, NULL),
	     "clBuildProgram");
	return result;
}

static void ask(void)
{
	unsigned char *bytes;
	size_t size = 0;

	must(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
			      &size, NULL),
	     "CL_PROGRAM_BINARY_SIZES");
	bytes = malloc(size);
	if (!bytes)
		die("out of memory");
	must(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes),
			      &bytes, NULL),
	     "CL_PROGRAM_BINARIES");
	free(bytes);
}

static void use_kernels(void)
{
	int out[RUN_ITEMS];
	char name[16];
	cl_int code;

	for (int i = 0; i < KERNELS; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		kernels[i] = clCreateKernel(program, name, &code);
		must(code, "clCreateKernel");
		must(run_kernel(&world, kernels[i], 3, 4, out), "launch");
		printf("%s %d %d\n", name, out[0], out[RUN_ITEMS - 1]);
	}
}

static void release(void)
{
	for (int i = 0; i < KERNELS; i++)
		if (kernels[i])
			clReleaseKernel(kernels[i]);
	clReleaseProgram(program);
	world_close(&world);
}

static void *go_on_compiling(void *data)
{
	char source[256];

	for (unsigned i = 0;; i++) {
		snprintf(source, sizeof(source),
			 "__kernel void other(__global int *out)\n"
			 "{ out[get_global_id(0)] = %u; }\n",
			 i + 1000);
		clReleaseProgram(build(source));
	}
	return data;
}

static void say_leaving(void)
{
	puts("leaving");
	fflush(stdout);
}

static void *flee(void *data)
{
	(void)data;
	exit(0);
}

static void start(void *(*run)(void *data))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		die("no thread");
}

static void end_child(void)
{
	pid_t child;
	int status = -1;

	fflush(stdout);
	child = fork();
	if (child < 0)
		die("no child");
	if (!child)
		exit(0);
	waitpid(child, &status, 0);
	printf("child %d\n", status);
}

int main(int argc, char **argv)
{
	char *source;

	for (int i = 1; i < argc; i++)
		parse(argv[i]);
	world_open(&world);
	source = make_source();
	program = build(source);
	free(source);
	if (wanted.ask)
		ask();
	if (!wanted.quick)
		use_kernels();
	fflush(stdout);
	if (wanted.fork)
		end_child();
	if (wanted.compile) {
		/* Before what the driver has registered, as it was later. */
		atexit(say_leaving);
		start(go_on_compiling);
		usleep(200000);
	}
	if (wanted.flee) {
		start(flee);
		pause();
	}
	if (wanted.handler)
		atexit(release);
	else if (!wanted.leave)
		release();
	return 0;
}
