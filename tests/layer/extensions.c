/* SPDX-License-Identifier: MIT */
/*
 * Calls functions that are fetched by name, and writes down what an
 * application can see of it.
 *
 *	extensions names	which of the names the driver has
 *	extensions unbuilt	calls each with a program before its build
 *	extensions built	and after it
 *	extensions wrong	and with handles that aren't programs
 *	extensions variable	writes a variable, runs a kernel, reads it
 *	extensions il		makes and specializes an IL program by name
 *	extensions snapshot	asks for a snapshot, then builds
 *	extensions fetch NAME	fetches NAME, then builds
 *
 * Exit status 77 with a line "SKIP why" where the driver can't play it.
 */
#include "tests/layer/common.h"
#include "tests/layer/il.h"
#include "tests/layer/scene.h"

static const char variable_source[] =
	"__global int variable = 5;\n"
	"int helper(int a) { return a + 1; }\n"
	"__kernel void k(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = 10 * variable + helper(x); }\n";

static const char *source = variable_source;

/* For drivers without variables in programs (PoCL 3.1). */
static const char plain_source[] = "__kernel void k(__global int *out, int x)\n"
				   "{ out[get_global_id(0)] = 10 + x; }\n";

static const char *options = "-cl-std=CL3.0";

static void *fetch(const struct world *world, const char *name)
{
	return clGetExtensionFunctionAddressForPlatform(world->platform, name);
}

/* A void * is no function pointer in ISO C. */
#define FETCH(world, function, name)                                           \
	do {                                                                   \
		void *address = fetch((world), (name));                        \
                                                                               \
		memcpy(&(function), &address, sizeof(function));               \
	} while (0)

typedef cl_int(CL_API_CALL *variable_pointer_fn)(cl_device_id, cl_program,
						 const char *, size_t *,
						 void **);
typedef cl_int(CL_API_CALL *function_pointer_fn)(cl_device_id, cl_program,
						 const char *, cl_ulong *);
typedef cl_int(CL_API_CALL *variable_fn)(cl_command_queue, cl_program,
					 const char *, cl_bool, size_t, size_t,
					 void *, cl_uint, const cl_event *,
					 cl_event *);
typedef cl_int(CL_API_CALL *pipe_fn)(cl_command_queue, cl_program, const char *,
				     cl_bool, void *, size_t, cl_uint,
				     const cl_event *, cl_event *);
typedef cl_int(CL_API_CALL *profile_fn)(cl_device_id, cl_program, cl_bool,
					cl_bool, cl_bool, size_t, void *,
					size_t *, cl_int *);
typedef cl_int(CL_API_CALL *list_fn)(cl_program, cl_device_id, const char **,
				     cl_uint *);
typedef void (*snapshot_callback)(size_t, const char *, void *, void *);
typedef cl_int(CL_API_CALL *snapshot_fn)(cl_program, cl_device_id, const char *,
					 cl_uint, snapshot_callback, void *);
typedef cl_program(CL_API_CALL *il_fn)(cl_context, const void *, size_t,
				       cl_int *);
typedef cl_int(CL_API_CALL *specialize_fn)(cl_program, cl_uint, size_t,
					   const void *);

static void names(struct world *world)
{
	static const char *const list[] = {
		"clGetDeviceGlobalVariablePointerINTEL",
		"clGetDeviceFunctionPointerINTEL",
		"clEnqueueReadGlobalVariableINTEL",
		"clEnqueueWriteGlobalVariableINTEL",
		"clEnqueueReadHostPipeINTEL",
		"clEnqueueWriteHostPipeINTEL",
		"clGetProfileDataDeviceIntelFPGA",
		"clRequestProgramSnapshotListCODEPLAY",
		"clRequestProgramSnapshotCODEPLAY",
		"clCreateProgramWithILKHR",
		"clCreateProgramWithIL",
		"clSetProgramSpecializationConstant",
		"clGetExtensionFunctionAddress",
		"clGetExtensionFunctionAddressForPlatform",
		"clBuildProgram",
		"clCloneKernel",
		"clGetKernelSubGroupInfoKHR",
		"clGetKernelSuggestedLocalWorkSizeKHR",
		"clCommandNDRangeKernelKHR",
		"clCreateProgramWithAssemblyAMD",
		"clCreateProgramWithDefinedBuiltInKernelsEXP",
		"clNobodyKnowsProgramEXAMPLE",
		"",
		NULL,
	};
	size_t i;

	for (i = 0; i < LENGTH(list); i++) {
		void *first = fetch(world, list[i]);
		void *any =
			clGetExtensionFunctionAddressForPlatform(NULL, list[i]);

		say("%s: %s, again %s, without a platform %s",
		    list[i] ? list[i] : "NULL", first ? "some" : "none",
		    fetch(world, list[i]) == first ? "the same" : "another",
		    !any	   ? "none"
		    : any == first ? "the same"
				   : "another");
	}
}

/* Every function once, with a handle that may be anything. */
static void call_all(struct world *world, cl_program program)
{
	variable_pointer_fn variable_pointer;
	function_pointer_fn function_pointer;
	variable_fn read_variable, write_variable;
	pipe_fn read_pipe, write_pipe;
	profile_fn profile;
	size_t size = 99;
	void *pointer = NULL;
	cl_ulong number = 0;
	int value = 0;

	FETCH(world, variable_pointer, "clGetDeviceGlobalVariablePointerINTEL");
	FETCH(world, function_pointer, "clGetDeviceFunctionPointerINTEL");
	FETCH(world, read_variable, "clEnqueueReadGlobalVariableINTEL");
	FETCH(world, write_variable, "clEnqueueWriteGlobalVariableINTEL");
	FETCH(world, read_pipe, "clEnqueueReadHostPipeINTEL");
	FETCH(world, write_pipe, "clEnqueueWriteHostPipeINTEL");
	FETCH(world, profile, "clGetProfileDataDeviceIntelFPGA");
	if (variable_pointer) {
		say("variable pointer: %d",
		    variable_pointer(world->device, program, "variable", &size,
				     &pointer));
		say("size %zu, %s", size, pointer ? "some" : "none");
		say("no such variable: %d",
		    variable_pointer(world->device, program, "nothing", &size,
				     &pointer));
	}
	if (function_pointer) {
		say("function pointer: %d",
		    function_pointer(world->device, program, "helper",
				     &number));
		say("%s", number ? "some" : "none");
	}
	if (read_variable)
		say("read variable: %d",
		    read_variable(world->queue, program, "variable", CL_TRUE,
				  sizeof(value), 0, &value, 0, NULL, NULL));
	say("value %d", value);
	if (write_variable)
		say("write variable: %d",
		    write_variable(world->queue, program, "variable", CL_TRUE,
				   sizeof(value), 0, &value, 0, NULL, NULL));
	if (read_pipe)
		say("read pipe: %d",
		    read_pipe(world->queue, program, "pipe", CL_TRUE, &value,
			      sizeof(value), 0, NULL, NULL));
	if (write_pipe)
		say("write pipe: %d",
		    write_pipe(world->queue, program, "pipe", CL_TRUE, &value,
			       sizeof(value), 0, NULL, NULL));
	if (profile) {
		cl_int code = 99;
		cl_int result =
			profile(world->device, program, CL_TRUE, CL_TRUE,
				CL_FALSE, 0, NULL, NULL, &code);

		say("profile: %d %d", result, code);
	}
}

static void unbuilt(struct world *world)
{
	cl_program program = make_program(world, "program", source);

	call_all(world, program);
	build(world, program, options);
	release_program(program);
}

static void built(struct world *world)
{
	cl_program program = make_built(world, "program", source, options);
	cl_kernel kernel;

	call_all(world, program);
	kernel = make_kernel(program, "k", "kernel");
	if (kernel) {
		show_run(world, kernel, 3);
		release_kernel(kernel);
	}
	release_program(program);
}

/* NULL is what every driver looks for; other garbage may crash the bare one. */
static void wrong(struct world *world)
{
	cl_program program = make_built(world, "program", source, options);

	call_all(world, NULL);
	release_program(program);
}

static void variable(struct world *world)
{
	cl_program first = make_built(world, "first", source, options);
	cl_program second = make_built(world, "second", source, options);
	variable_fn read_variable, write_variable;
	cl_kernel kernels[2];
	int value = 70;

	FETCH(world, read_variable, "clEnqueueReadGlobalVariableINTEL");
	FETCH(world, write_variable, "clEnqueueWriteGlobalVariableINTEL");
	if (!read_variable || !write_variable)
		skip("no clEnqueueReadGlobalVariableINTEL");
	kernels[0] = make_kernel(first, "k", "first's");
	kernels[1] = make_kernel(second, "k", "second's");
	say("write: %d",
	    write_variable(world->queue, first, "variable", CL_TRUE,
			   sizeof(value), 0, &value, 0, NULL, NULL));
	value = -1;
	say("read: %d", read_variable(world->queue, first, "variable", CL_TRUE,
				      sizeof(value), 0, &value, 0, NULL, NULL));
	say("value %d", value);
	value = -1;
	say("read: %d", read_variable(world->queue, second, "variable", CL_TRUE,
				      sizeof(value), 0, &value, 0, NULL, NULL));
	say("value %d", value);
	show_run(world, kernels[0], 1);
	show_run(world, kernels[1], 1);
	release_kernel(kernels[0]);
	release_kernel(kernels[1]);
	release_program(first);
	release_program(second);
}

static void il(struct world *world)
{
	il_fn create;
	specialize_fn specialize;
	cl_int code = 99;
	int value = 1000;
	cl_program program;
	cl_kernel kernel;

	FETCH(world, create, "clCreateProgramWithILKHR");
	FETCH(world, specialize, "clSetProgramSpecializationConstant");
	if (!specialize)
		FETCH(world, specialize,
		      "clSetProgramSpecializationConstantKHR");
	if (!create)
		skip("no clCreateProgramWithILKHR");
	program = create(world->context, il_words, sizeof(il_words), &code);
	name_handle(program, "program");
	say("create: %d %s", code, handle_name(program));
	if (!program)
		skip("no SPIR-V");
	if (specialize)
		say("specialize: %d",
		    specialize(program, 7, sizeof(value), &value));
	build(world, program, NULL);
	kernel = make_kernel(program, "scale", "kernel");
	if (kernel) {
		show_kernel(world, kernel);
		show_run(world, kernel, 3);
		release_kernel(kernel);
	}
	show_program(world, program);
	release_program(program);
}

static void on_snapshot(size_t size, const char *bytes, void *callback_data,
			void *data)
{
	(void)bytes;
	(void)callback_data;
	say("snapshot %s of %s", (const char *)data, size ? "some" : "none");
}

static void snapshot(struct world *world)
{
	cl_program program = make_program(world, "program", source);
	const char *stages[4] = {NULL};
	cl_uint count = 4;
	list_fn list;
	snapshot_fn request;

	FETCH(world, list, "clRequestProgramSnapshotListCODEPLAY");
	FETCH(world, request, "clRequestProgramSnapshotCODEPLAY");
	if (!list || !request)
		skip("no clRequestProgramSnapshotCODEPLAY");
	say("list: %d", list(program, world->device, stages, &count));
	say("count %u, first %s", count, stages[0] ? stages[0] : "none");
	say("request: %d",
	    request(program, world->device, stages[0] ? stages[0] : "stage", 0,
		    on_snapshot, (void *)(uintptr_t) "data"));
	build(world, program, options);
	say("request: %d",
	    request(program, world->device, stages[0] ? stages[0] : "stage", 0,
		    on_snapshot, (void *)(uintptr_t) "data"));
	release_program(program);
	program = make_built(world, "other", source, options);
	say("request: %d",
	    request(program, world->device, stages[0] ? stages[0] : "stage", 0,
		    on_snapshot, (void *)(uintptr_t) "data"));
	build(world, program, options);
	release_program(program);
}

#define PLATFORMS 2

/* Each platform's function takes its own programs only. */
static void platforms(struct world *world)
{
	variable_pointer_fn functions[PLATFORMS];
	struct world worlds[PLATFORMS];
	cl_program programs[PLATFORMS];
	cl_platform_id list[PLATFORMS];
	cl_uint count = 0;
	cl_int code;
	size_t size;
	void *pointer;

	must(clGetPlatformIDs(PLATFORMS, list, &count), "clGetPlatformIDs");
	if (count < PLATFORMS)
		skip("one platform only");
	for (int i = 0; i < PLATFORMS; i++) {
		worlds[i] = *world;
		worlds[i].platform = list[i];
		must(clGetDeviceIDs(list[i], CL_DEVICE_TYPE_ALL, 1,
				    &worlds[i].device, NULL),
		     "clGetDeviceIDs");
		worlds[i].context = clCreateContext(NULL, 1, &worlds[i].device,
						    NULL, NULL, &code);
		must(code, "clCreateContext");
		name_handle(worlds[i].context, i ? "second" : "first");
		FETCH(&worlds[i], functions[i],
		      "clGetDeviceGlobalVariablePointerINTEL");
		programs[i] = make_built(&worlds[i], i ? "other" : "program",
					 source, options);
	}
	say("functions: %s", !functions[0] || !functions[1] ? "none"
			     : functions[0] == functions[1] ? "one"
							    : "two");
	for (int i = 0; functions[0] && functions[1] && i < 4; i++)
		say("function %d, program %d: %d", i / 2, i % 2,
		    functions[i / 2](worlds[i % 2].device, programs[i % 2],
				     "variable", &size, &pointer));
	for (int i = 0; i < PLATFORMS; i++) {
		release_program(programs[i]);
		clReleaseContext(worlds[i].context);
	}
}

static void fetch_and_build(struct world *world, const char *name)
{
	cl_program program;
	cl_kernel kernel;

	say("%s: %s", name, fetch(world, name) ? "some" : "none");
	program = make_built(world, "program", source, options);
	kernel = make_kernel(program, "k", "kernel");
	if (kernel) {
		show_run(world, kernel, 3);
		release_kernel(kernel);
	}
	release_program(program);
}

static const struct {
	const char *name;
	void (*play)(struct world *world);
} plays[] = {
	{"names", names},	{"unbuilt", unbuilt},	  {"built", built},
	{"wrong", wrong},	{"variable", variable},	  {"il", il},
	{"snapshot", snapshot}, {"platforms", platforms},
};

int main(int argc, char **argv)
{
	struct world world;
	size_t i;

	if (argc < 2)
		die("usage: %s PLAY [NAME]", argv[0]);
	world_open(&world);
	if (world.pocl) {
		source = plain_source;
		options = NULL;
	}
	name_handle(world.context, "context");
	name_handle(world.device, "device");
	for (i = 0; i < LENGTH(plays); i++)
		if (strcmp(argv[1], plays[i].name) == 0)
			plays[i].play(&world);
	if (strcmp(argv[1], "fetch") == 0 && argc > 2)
		fetch_and_build(&world, argv[2]);
	show_counts(&world, NULL, NULL);
	world_close(&world);
	say("end");
	return 0;
}
