/* SPDX-License-Identifier: MIT */
/*
 * An application to run under the layer: builds a source, runs its kernel "k"
 * and prints what that computed.
 *
 *	app [OPTION...] SOURCE		SOURCE: a file, or the text itself when
 *					it starts with "text:"; "il" is il.h's,
 *					"il1.0" that of the oldest version
 *	-o OPTIONS			for clBuildProgram; default none (NULL)
 *	-O OPTIONS			for all but the first, instead of -o's
 *	-k NAME				the kernel's name; default "k"
 *	-c ID=VALUE			sets a specialisation constant
 *	-n COUNT			so many programs, one after another
 *	-b COMMAND			runs COMMAND between two of them
 *	-e NAME=VALUE			changes the environment between two
 *	-d DIRECTORY			and the current directory
 *	-f				does so before the first, too
 *	-l LIBRARY			loads it once there is a context, and
 *					the layer had time to look around
 *	-a				builds with a callback, and waits for it
 *	-i NAME=TEXT			compiles and links, with a header that
 *					is given to clCompileProgram
 *
 * Prints "build CODE STATUS" and "result INT INT ..." for each (what was loaded
 * in their place where nothing is computed); "log ..." where the build failed.
 *Exit status 0, also after a failed build.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/layer/il.h"
#include "tests/layer/scene_show.h"

#define CONSTANTS_MAX 8
#define HEADERS_MAX   4

static struct {
	const char *options;
	const char *later_options;
	const char *kernel;
	const char *between;
	char *variable;
	const char *directory;
	bool before_first;
	const char *library;
	const char *source;
	int count;
	size_t constant_count;
	cl_uint ids[CONSTANTS_MAX];
	int values[CONSTANTS_MAX];
	bool callback;
	cl_uint header_count;
	const char *names[HEADERS_MAX];
	const char *texts[HEADERS_MAX];
} wanted = {.kernel = "k", .count = 1};

static void parse_constant(const char *text)
{
	char *end;

	if (wanted.constant_count == CONSTANTS_MAX)
		die("too many constants");
	wanted.ids[wanted.constant_count] = (cl_uint)strtoul(text, &end, 10);
	if (*end != '=')
		die("-c ID=VALUE");
	wanted.values[wanted.constant_count] = atoi(end + 1);
	wanted.constant_count++;
}

static void parse_header(char *text)
{
	char *equals = strchr(text, '=');

	if (wanted.header_count == HEADERS_MAX || !equals)
		die("-i NAME=TEXT, at most %d", HEADERS_MAX);
	*equals = '\0';
	wanted.names[wanted.header_count] = text;
	wanted.texts[wanted.header_count] = equals + 1;
	wanted.header_count++;
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "o:O:k:c:n:b:e:d:fl:ai:")) != -1) {
		switch (option) {
		case 'o':
			wanted.options = optarg;
			break;
		case 'O':
			wanted.later_options = optarg;
			break;
		case 'k':
			wanted.kernel = optarg;
			break;
		case 'c':
			parse_constant(optarg);
			break;
		case 'n':
			wanted.count = atoi(optarg);
			break;
		case 'b':
			wanted.between = optarg;
			break;
		case 'e':
			wanted.variable = optarg;
			break;
		case 'd':
			wanted.directory = optarg;
			break;
		case 'f':
			wanted.before_first = true;
			break;
		case 'l':
			wanted.library = optarg;
			break;
		case 'a':
			wanted.callback = true;
			break;
		case 'i':
			parse_header(optarg);
			break;
		default:
			exit(2);
		}
	}
	if (optind + 1 != argc)
		die("usage: app [OPTION...] SOURCE");
	wanted.source = argv[optind];
}

static cl_program make_from_il(const struct world *world)
{
	cl_program program;
	cl_int code;
	size_t i;

	program = clCreateProgramWithIL(world->context,
					strcmp(wanted.source, "il") == 0
						? il_for(world->device)
						: il_oldest(),
					sizeof(il_words), &code);
	must(code, "clCreateProgramWithIL");
	for (i = 0; i < wanted.constant_count; i++)
		must(clSetProgramSpecializationConstant(program, wanted.ids[i],
							sizeof(int),
							&wanted.values[i]),
		     "clSetProgramSpecializationConstant");
	return program;
}

static cl_program make_from_text(const struct world *world, const char *text)
{
	cl_program program;
	cl_int code;

	program = clCreateProgramWithSource(world->context, 1, &text, NULL,
					    &code);
	must(code, "clCreateProgramWithSource");
	return program;
}

static cl_program make(const struct world *world)
{
	cl_program program;
	char *text;

	if (!strcmp(wanted.source, "il") || !strcmp(wanted.source, "il1.0"))
		return make_from_il(world);
	if (strncmp(wanted.source, "text:", 5) == 0)
		return make_from_text(world, wanted.source + 5);
	text = read_whole_file(wanted.source, NULL);
	program = make_from_text(world, text);
	free(text);
	return program;
}

static void run(const struct world *world, cl_program program)
{
	int out[RUN_ITEMS];
	cl_kernel kernel;
	cl_int code;

	kernel = clCreateKernel(program, wanted.kernel, &code);
	must(code, "clCreateKernel");
	must(run_kernel(world, kernel, 3, 0, out), "run_kernel");
	fputs("result", stdout);
	say_results(world, kernel, out, 4);
	clReleaseKernel(kernel);
}

static void show_log(const struct world *world, cl_program program)
{
	char log[8192] = "";

	clGetProgramBuildInfo(program, world->device, CL_PROGRAM_BUILD_LOG,
			      sizeof(log), log, NULL);
	fprintf(stderr, "log %s\n", log);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	(void)program;
	(void)data;
	pthread_mutex_lock(&lock);
	calls++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

/* The build number `number`, with a callback. */
static cl_int build_and_wait(const struct world *world, cl_program program,
			     int number)
{
	cl_int code;

	code = clBuildProgram(program, 1, &world->device, wanted.options,
			      on_built, NULL);
	if (code != CL_SUCCESS)
		return code;
	pthread_mutex_lock(&lock);
	while (calls < number)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return code;
}

/* Compiles it with the headers, and links; *program is what came of it. */
static cl_int compile_and_link(const struct world *world, cl_program *program)
{
	cl_program headers[HEADERS_MAX], linked = NULL;
	cl_int code;

	for (cl_uint i = 0; i < wanted.header_count; i++)
		headers[i] = make_from_text(world, wanted.texts[i]);
	code = clCompileProgram(*program, 1, &world->device, wanted.options,
				wanted.header_count, headers, wanted.names,
				NULL, NULL);
	for (cl_uint i = 0; i < wanted.header_count; i++)
		clReleaseProgram(headers[i]);
	if (code == CL_SUCCESS)
		linked = clLinkProgram(world->context, 1, &world->device, NULL,
				       1, program, NULL, NULL, &code);
	if (linked) {
		clReleaseProgram(*program);
		*program = linked;
	}
	return code;
}

static void play(const struct world *world, int number)
{
	cl_program program = make(world);
	cl_int code;

	if (wanted.callback)
		code = build_and_wait(world, program, number);
	else if (wanted.header_count)
		code = compile_and_link(world, &program);
	else
		code = clBuildProgram(program, 1, &world->device,
				      wanted.options, NULL, NULL);
	printf("build %d %d\n", code, build_status(world, program));
	if (build_status(world, program) == CL_BUILD_SUCCESS)
		run(world, program);
	else
		show_log(world, program);
	clReleaseProgram(program);
	fflush(stdout);
}

static void change(void)
{
	if (wanted.between && system(wanted.between) != 0)
		die("%s failed", wanted.between);
	if (wanted.variable)
		putenv(wanted.variable);
	if (wanted.directory && chdir(wanted.directory) != 0)
		die("%s: no such directory", wanted.directory);
}

static void load(void)
{
	if (!wanted.library)
		return;
	usleep(200000);
	if (!dlopen(wanted.library, RTLD_NOW))
		die("%s", dlerror());
}

int main(int argc, char **argv)
{
	struct world world;
	int i;

	parse(argc, argv);
	world_open(&world);
	load();
	for (i = 0; i < wanted.count; i++) {
		if (i > 0 || wanted.before_first)
			change();
		if (i > 0 && wanted.later_options)
			wanted.options = wanted.later_options;
		play(&world, i + 1);
	}
	world_close(&world);
	return 0;
}
