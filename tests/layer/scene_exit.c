/* SPDX-License-Identifier: MIT */
/* Scenes about the process: its end, its loaders, its children. */
#include <dlfcn.h>
#include <sys/wait.h>

#include "tests/layer/scene.h"

static const char source[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n";

/* What handlers and destructors find. */
static struct {
	struct world world;
	cl_program program;
	cl_kernel kernel;
	bool in_destructor;
	bool build_late;
} kept;

/* main() closes its own world: this one stays. */
static void keep(const struct world *world)
{
	/* They use what their own handlers have freed by then, with luck. */
	if (world->oclgrind || world->rusticl)
		skip("the driver is gone at exit");
	clRetainContext(world->context);
	clRetainCommandQueue(world->queue);
	kept.world = *world;
}

/* Two plays register a handler twice: the second finds nothing to use. */
static void close_kept(void)
{
	world_close(&kept.world);
	kept.world.context = NULL;
}

static void use_kept(void)
{
	if (kept.kernel) {
		show_run(&kept.world, kept.kernel, 2);
		show_kernel(&kept.world, kept.kernel);
		release_kernel(kept.kernel);
	}
	if (kept.program) {
		show_program(&kept.world, kept.program);
		release_program(kept.program);
	}
	kept.kernel = NULL;
	kept.program = NULL;
	close_kept();
}

static void at_exit(void)
{
	if (!kept.world.context)
		return;
	say("at exit:");
	use_kept();
}

static void build_at_exit(void)
{
	cl_program program;

	if (!kept.world.context)
		return;
	say("at exit:");
	program = make_built(&kept.world, "P2", source, "-DLATE");
	show_function(&kept.world, program, "add", 5);
	release_program(program);
	close_kept();
}

__attribute__((destructor)) static void destroy(void)
{
	if (!kept.in_destructor || !kept.world.context)
		return;
	say("in a destructor:");
	use_kept();
}

/* Registered before anything of OpenCL: called last. */
static void play_handler_first(struct world *world)
{
	atexit(at_exit);
	keep(world);
	kept.program = make_built(world, "P1", source, "");
	kept.kernel = make_kernel(kept.program, "add", "K1");
	show_run(world, kept.kernel, 1);
}

static void play_handler_last(struct world *world)
{
	keep(world);
	kept.program = make_built(world, "P1", source, "");
	kept.kernel = make_kernel(kept.program, "add", "K1");
	show_run(world, kept.kernel, 1);
	atexit(at_exit);
}

static void play_build_at_exit(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");

	show_function(world, program, "add", 1);
	release_program(program);
	keep(world);
	atexit(build_at_exit);
}

static void play_destructor(struct world *world)
{
	keep(world);
	kept.program = make_built(world, "P1", source, "");
	kept.kernel = make_kernel(kept.program, "add", "K1");
	show_run(world, kept.kernel, 1);
	kept.in_destructor = true;
}

/* Programs are released, and their context never is. */
static void play_keeps_context(struct world *world)
{
	static const char *const options[] = {"", "-DN=1", "-DN=2"};

	clRetainContext(world->context);
	for (size_t i = 0; i < LENGTH(options); i++) {
		cl_program program = make_built(world, "P", source, options[i]);

		show_function(world, program, "add", 1);
		release_program(program);
	}
}

/* The process ends at once, and nothing is released. */
static void play_quick_end(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");

	show_run(world, kernel, 1);
	release_kernel(kernel);
	release_program(program);
	say("end without handlers");
	_exit(0);
}

/* The layer as the loader opened it; NULL in a bare run. */
static void *layer_symbol(const char *name)
{
	const char *path = getenv("OPENCL_LAYERS");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;

	return library ? dlsym(library, name) : NULL;
}

/* Loaders may go before the last call comes. */
static void play_after_deinit(struct world *world)
{
	cl_program program = make_built(world, "P1", source, ""), late;
	cl_kernel kernel = make_kernel(program, "add", "K1");
	void *symbol = layer_symbol("clDeinitLayer");
	cl_int (*deinit)(void);

	if (symbol) {
		memcpy(&deinit, &symbol, sizeof(deinit));
		if (deinit() != CL_SUCCESS)
			say("clDeinitLayer fails");
	}
	show_run(world, kernel, 2);
	show_kernel(world, kernel);
	show_program(world, program);
	late = make_built(world, "P2", source, "");
	show_function(world, late, "add", 3);
	release_program(late);
	release_kernel(kernel);
	release_program(program);
}

/* A second loader wants the same layer: it is refused, the first unharmed. */
static void play_init_twice(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	void *symbol = layer_symbol("clInitLayer");
	cl_int (*init)(cl_uint, const void *, cl_uint *, const void **);
	/* Slots that can't be called. */
	static const void *slots[160];
	const void *table = NULL;
	cl_uint count = 0;
	size_t i;

	if (symbol) {
		for (i = 0; i < LENGTH(slots); i++)
			slots[i] = (const void *)kept.world.context;
		memcpy(slots, &symbol, sizeof(symbol));
		memcpy(&init, &symbol, sizeof(init));
		if (init(149, slots, &count, &table) == CL_SUCCESS)
			say("a second loader is let in");
	}
	show_program(world, program);
	show_function(world, program, "add", 3);
	release_program(program);
	program = make_built(world, "P2", source, "");
	show_function(world, program, "add", 4);
	release_program(program);
}

/* The other loader's functions that a small program needs. */
struct loader {
	cl_int(CL_API_CALL *get_platforms)(cl_uint, cl_platform_id *,
					   cl_uint *);
	cl_int(CL_API_CALL *get_devices)(cl_platform_id, cl_device_type,
					 cl_uint, cl_device_id *, cl_uint *);
	cl_context(CL_API_CALL *create_context)(
		const cl_context_properties *, cl_uint, const cl_device_id *,
		void(CL_CALLBACK *)(const char *, const void *, size_t, void *),
		void *, cl_int *);
	cl_program(CL_API_CALL *create_program)(cl_context, cl_uint,
						const char **, const size_t *,
						cl_int *);
	cl_int(CL_API_CALL *build)(cl_program, cl_uint, const cl_device_id *,
				   const char *,
				   void(CL_CALLBACK *)(cl_program, void *),
				   void *);
	cl_kernel(CL_API_CALL *create_kernel)(cl_program, const char *,
					      cl_int *);
	cl_int(CL_API_CALL *kernel_info)(cl_kernel, cl_kernel_info, size_t,
					 void *, size_t *);
	cl_int(CL_API_CALL *release_kernel)(cl_kernel);
	cl_int(CL_API_CALL *release_program)(cl_program);
	cl_int(CL_API_CALL *release_context)(cl_context);
};

static void find(void *library, const char *name, void *place)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		die("the other loader has no %s", name);
	memcpy(place, &symbol, sizeof(symbol));
}

/* Opens the loader that isn't ours, by its path. */
static bool open_other(struct loader *loader)
{
	static const char *const paths[] = {
		"build/icd/loader-khronos/libOpenCL.so.1",
		"build/icd/loader-ocl-icd/libOpenCL.so.1"};
	/* What Khronos' needs, and no directory in the environment has. */
	static const char *const needed[] = {
		"build/icd/loader-khronos/libintlc.so.5",
		"build/icd/loader-khronos/libimf.so",
		"build/icd/loader-khronos/libirng.so",
		"build/icd/loader-khronos/libsvml.so",
	};
	Dl_info ours, theirs;
	void *library;
	size_t i;

	for (i = 0; i < LENGTH(needed); i++)
		dlopen(needed[i], RTLD_NOW | RTLD_LOCAL);
	if (!dladdr(dlsym(RTLD_DEFAULT, "clGetPlatformIDs"), &ours))
		die("dladdr");
	for (i = 0; i < LENGTH(paths); i++) {
		library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
		if (!library ||
		    !dladdr(dlsym(library, "clGetPlatformIDs"), &theirs) ||
		    theirs.dli_fbase == ours.dli_fbase)
			continue;
		find(library, "clGetPlatformIDs", &loader->get_platforms);
		find(library, "clGetDeviceIDs", &loader->get_devices);
		find(library, "clCreateContext", &loader->create_context);
		find(library, "clCreateProgramWithSource",
		     &loader->create_program);
		find(library, "clBuildProgram", &loader->build);
		find(library, "clCreateKernel", &loader->create_kernel);
		find(library, "clGetKernelInfo", &loader->kernel_info);
		find(library, "clReleaseKernel", &loader->release_kernel);
		find(library, "clReleaseProgram", &loader->release_program);
		find(library, "clReleaseContext", &loader->release_context);
		return true;
	}
	return false;
}

static void play_other_loader(const struct loader *loader)
{
	const char *text = source;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program, owner = NULL;
	cl_kernel kernel;
	cl_int code = 1;

	say("platform: %d", loader->get_platforms(1, &platform, NULL));
	say("device: %d", loader->get_devices(platform, CL_DEVICE_TYPE_ALL, 1,
					      &device, NULL));
	context = loader->create_context(NULL, 1, &device, NULL, NULL, &code);
	say("context: %d", code);
	program = loader->create_program(context, 1, &text, NULL, &code);
	say("program: %d", code);
	say("build: %d",
	    loader->build(program, 1, &device, "-DOTHER", NULL, NULL));
	kernel = loader->create_kernel(program, "add", &code);
	say("kernel: %d", code);
	code = loader->kernel_info(kernel, CL_KERNEL_PROGRAM, sizeof(owner),
				   &owner, NULL);
	say("program of it: %d %s", code, owner == program ? "good" : "wrong");
	say("release: %d %d %d", loader->release_kernel(kernel),
	    loader->release_program(program), loader->release_context(context));
}

static void play_two_loaders(struct world *world)
{
	struct loader loader;
	cl_program program = make_built(world, "P1", source, "");

	if (!open_other(&loader))
		skip("there is no other loader");
	show_function(world, program, "add", 1);
	play_other_loader(&loader);
	show_program(world, program);
	show_function(world, program, "add", 2);
	release_program(program);
	program = make_built(world, "P2", source, "");
	show_function(world, program, "add", 3);
	release_program(program);
}

/* A child that only ends must not disturb its parent's programs. */
static void play_fork(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(7);
	waitpid(child, &status, 0);
	say("child: %d", WEXITSTATUS(status));
	show_run(world, kernel, 1);
	show_program(world, program);
	release_kernel(kernel);
	release_program(program);
	program = make_built(world, "P2", source, "");
	show_function(world, program, "add", 3);
	release_program(program);
}

static const struct scene scenes[] = {
	/* Fetched at the last release, PoCL's binaries come too late. */
	SCENE("handler-first", play_handler_first, 1, 0, 0, SEED(source, "")),
	SCENE("handler-last", play_handler_last, 1, 0, 0, SEED(source, "")),
	SCENE("build-at-exit", play_build_at_exit, ANY, ANY, ANY),
	SCENE("destructor", play_destructor, 1, 0, 0, SEED(source, ""),
	      ON(ENDS("intel", "dies of any call after exit handlers"))),
	SCENE("keeps-context", play_keeps_context, 3, 0, 0),
	/* _exit() may be faster than the thread that writes entries. */
	SCENE("quick-end", play_quick_end, ANY, ANY, ANY),
	SCENE("after-deinit", play_after_deinit, ANY, ANY, ANY),
	SCENE("init-twice", play_init_twice, 2, 0, 0),
	SCENE("two-loaders", play_two_loaders, ANY, ANY, ANY),
	SCENE("fork", play_fork, 2, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
