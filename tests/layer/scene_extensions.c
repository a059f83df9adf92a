/* SPDX-License-Identifier: MIT */
/* Scenes with functions that applications fetch by name. */
#include <dlfcn.h>

#include "tests/layer/il.h"
#include "tests/layer/scene.h"

typedef void (*any_function)(void);

static const char source[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n";

static const char counter[] = "__global int counter = 5;\n"
			      "__kernel void add(__global int *out, int x)\n"
			      "{ out[get_global_id(0)] = counter + x; }\n";

static void *fetch(const struct world *world, const char *name)
{
	void *function =
		clGetExtensionFunctionAddressForPlatform(world->platform, name);

	say("%s: %s", name, function ? "there" : "none");
	return function;
}

static void *need(const struct world *world, const char *name)
{
	void *function =
		clGetExtensionFunctionAddressForPlatform(world->platform, name);

	if (!function)
		skip("the driver has no %s", name);
	return function;
}

/* Whether a driver gives a function or not is not for us to change. */
static void play_names(struct world *world)
{
	static const char *const names[] = {
		"clCreateProgramWithILKHR",
		"clSetProgramSpecializationConstant",
		"clGetKernelSubGroupInfoKHR",
		"clGetKernelSuggestedLocalWorkSizeKHR",
		"clGetKernelSuggestedLocalWorkSizeINTEL",
		"clGetKernelMaxConcurrentWorkGroupCountINTEL",
		"clEnqueueNDCountKernelINTEL",
		"clSetKernelArgMemPointerINTEL",
		"clSetKernelArgSVMPointerARM",
		"clSetKernelArgDevicePointerEXT",
		"clSetKernelExecInfoARM",
		"clCreateCommandBufferKHR",
		"clCommandNDRangeKernelKHR",
		"clUpdateMutableCommandsKHR",
		"clGetMutableCommandInfoKHR",
		"clRemapCommandBufferKHR",
		"clIcdGetPlatformIDsKHR",
		"clBuildProgram",
		"clCreateKernel",
		"clSetKernelArg",
		"clLinkProgramX",
		"clNoSuchThing",
		"",
	};
	cl_program program;
	size_t i;

	for (i = 0; i < LENGTH(names); i++) {
		fetch(world, names[i]);
		say("without a platform: %s",
		    clGetExtensionFunctionAddress(names[i]) ? "there" : "none");
	}
	say("no platform, no name: %s",
	    clGetExtensionFunctionAddressForPlatform(NULL, "clNoSuchThing")
		    ? "there"
		    : "none");
	program = make_built(world, "P1", source, "");
	show_function(world, program, "add", 4);
	release_program(program);
}

static cl_program try_il(const struct world *world, void *function,
			 const void *words, size_t size, const char *what)
{
	clCreateProgramWithILKHR_fn create;
	cl_program program;
	cl_int code = 1;

	memcpy(&create, &function, sizeof(create));
	program = create(world->context, words, size, &code);
	name_handle(program, "P1");
	say("%s: %s %d", what, handle_name(program), code);
	return program;
}

static void play_il_khr(struct world *world)
{
	void *function = need(world, "clCreateProgramWithILKHR");
	cl_program program;

	try_il(world, function, NULL, 8, "no words");
	try_il(world, function, il_words, 0, "no bytes");
	program = try_il(world, function, il_words, sizeof(il_words), "good");
	if (!program)
		skip("it takes no SPIR-V");
	build(world, program, "");
	show_program(world, program);
	show_function(world, program, "plain", 5);
	show_counts(world, program, NULL);
	say("retain: %d", clRetainProgram(program));
	release_program(program);
	release_program(program);
	show_counts(world, NULL, NULL);
}

static void play_constant_by_name(struct world *world)
{
	cl_int(CL_API_CALL * set)(cl_program, cl_uint, size_t, const void *);
	void *function = need(world, "clSetProgramSpecializationConstant");
	void *create = need(world, "clCreateProgramWithILKHR");
	cl_program program =
		try_il(world, create, il_words, sizeof(il_words), "good");
	int value = 33;

	if (!program)
		skip("it takes no SPIR-V");
	memcpy(&set, &function, sizeof(set));
	say("set: %d", set(program, IL_SCALE_ID, sizeof(value), &value));
	build(world, program, "");
	show_function(world, program, "scale", 2);
	release_program(program);
	program = try_il(world, create, il_words, sizeof(il_words), "good");
	build(world, program, "");
	show_function(world, program, "scale", 2);
	release_program(program);
}

static void play_subgroups_by_name(struct world *world)
{
	cl_int(CL_API_CALL * ask)(cl_kernel, cl_device_id, cl_uint, size_t,
				  const void *, size_t, void *, size_t *);
	void *function = need(world, "clGetKernelSubGroupInfoKHR");
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	size_t in = 16, value = 0, size = 0;
	cl_int code;

	memcpy(&ask, &function, sizeof(ask));
	code = ask(kernel, world->device,
		   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR, sizeof(in),
		   &in, sizeof(value), &value, &size);
	say("largest: %d %zu %zu", code, value, size);
	code = ask(kernel, world->device,
		   CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, sizeof(in), &in,
		   sizeof(value), &value, &size);
	say("count: %d %zu %zu", code, value, size);
	show_run(world, kernel, 2);
	release_kernel(kernel);
	release_program(program);
}

/* Device pointers differ from run to run: only whether there is one. */
static void play_variable_pointer(struct world *world)
{
	cl_int(CL_API_CALL * ask)(cl_device_id, cl_program, const char *,
				  size_t *, void **);
	void *function = need(world, "clGetDeviceGlobalVariablePointerINTEL");
	cl_program program = make_program(world, "P1", counter);
	void *pointer = NULL;
	size_t size = 77;
	cl_int code;

	memcpy(&ask, &function, sizeof(ask));
	code = ask(world->device, program, "counter", &size, &pointer);
	say("unbuilt: %d", code);
	build(world, program, "-cl-std=CL2.0");
	size = 77;
	code = ask(world->device, program, "counter", &size, &pointer);
	say("counter: %d %zu %s", code, size, pointer ? "some" : "none");
	code = ask(world->device, program, "nothing", &size, &pointer);
	say("nothing: %d", code);
	code = ask(world->device, NULL, "counter", &size, &pointer);
	say("no program: %d", code);
	show_function(world, program, "add", 1);
	release_program(program);
}

static void play_function_pointer(struct world *world)
{
	cl_int(CL_API_CALL * ask)(cl_device_id, cl_program, const char *,
				  cl_ulong *);
	void *function = need(world, "clGetDeviceFunctionPointerINTEL");
	cl_program program = make_program(world, "P1", source);
	cl_ulong pointer = 0;
	cl_int code;

	memcpy(&ask, &function, sizeof(ask));
	code = ask(world->device, program, "add", &pointer);
	say("unbuilt: %d", code);
	build(world, program, "");
	code = ask(world->device, program, "add", &pointer);
	say("add: %d %s", code, pointer ? "some" : "none");
	code = ask(world->device, program, "nothing", &pointer);
	say("nothing: %d", code);
	show_function(world, program, "add", 1);
	release_program(program);
}

typedef cl_int(CL_API_CALL *variable_function)(cl_command_queue, cl_program,
					       const char *, cl_bool, size_t,
					       size_t, void *, cl_uint,
					       const cl_event *, cl_event *);

static void play_variables(struct world *world)
{
	void *read = need(world, "clEnqueueReadGlobalVariableINTEL");
	void *write = need(world, "clEnqueueWriteGlobalVariableINTEL");
	variable_function get, set;
	cl_program program = make_built(world, "P1", counter, "-cl-std=CL2.0");
	int value = 0;
	cl_int code;

	memcpy(&get, &read, sizeof(get));
	memcpy(&set, &write, sizeof(set));
	code = get(world->queue, program, "counter", CL_TRUE, sizeof(value), 0,
		   &value, 0, NULL, NULL);
	say("read: %d %d", code, value);
	value = 200;
	code = set(world->queue, program, "counter", CL_TRUE, sizeof(value), 0,
		   &value, 0, NULL, NULL);
	say("write: %d", code);
	show_function(world, program, "add", 1);
	code = get(world->queue, program, "nothing", CL_TRUE, sizeof(value), 0,
		   &value, 0, NULL, NULL);
	say("nothing: %d", code);
	release_program(program);
}

static void play_host_pipes(struct world *world)
{
	typedef cl_int(CL_API_CALL *
		       pipe_function)(cl_command_queue, cl_program,
				      const char *, cl_bool, void *, size_t,
				      cl_uint, const cl_event *, cl_event *);
	void *read = need(world, "clEnqueueReadHostPipeINTEL");
	cl_program program = make_built(world, "P1", source, "");
	pipe_function get;
	int value = 0;

	need(world, "clEnqueueWriteHostPipeINTEL");
	memcpy(&get, &read, sizeof(get));
	say("no such pipe: %d", get(world->queue, program, "nothing", CL_FALSE,
				    &value, sizeof(value), 0, NULL, NULL));
	show_function(world, program, "add", 1);
	release_program(program);
}

static void play_suggested_core(struct world *world)
{
	typedef cl_int(CL_API_CALL *
		       suggest_function)(cl_command_queue, cl_kernel, cl_uint,
					 const size_t *, const size_t *,
					 size_t *);
	void *function = need(world, "clGetKernelSuggestedLocalWorkSizeKHR");
	suggest_function suggest;
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	size_t items[] = {64, 32, 2}, local[3] = {0};
	cl_int code;

	memcpy(&suggest, &function, sizeof(suggest));
	show_run(world, kernel, 2);
	code = suggest(world->queue, kernel, 3, NULL, items, local);
	say("three: %d %zu %zu %zu", code, local[0], local[1], local[2]);
	say("no kernel: %d",
	    suggest(world->queue, NULL, 1, NULL, items, local));
	say("no sizes: %d",
	    suggest(world->queue, kernel, 1, NULL, NULL, local));
	release_kernel(kernel);
	release_program(program);
}

static void play_concurrent_groups(struct world *world)
{
	cl_int(CL_API_CALL * ask)(cl_command_queue, cl_kernel, cl_uint,
				  const size_t *, const size_t *, size_t *);
	void *function =
		need(world, "clGetKernelMaxConcurrentWorkGroupCountINTEL");
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	size_t local = 8, count = 0;
	cl_int code;

	memcpy(&ask, &function, sizeof(ask));
	code = ask(world->queue, kernel, 1, NULL, &local, &count);
	say("groups: %d %zu", code, count);
	release_kernel(kernel);
	release_program(program);
}

static void play_memory_pointer(struct world *world)
{
	void *allocate = need(world, "clHostMemAllocINTEL");
	void *set = need(world, "clSetKernelArgMemPointerINTEL");
	void *end = need(world, "clMemFreeINTEL");
	void *(CL_API_CALL * host_alloc)(cl_context, const cl_ulong *, size_t,
					 cl_uint, cl_int *);
	cl_int(CL_API_CALL * set_pointer)(cl_kernel, cl_uint, const void *);
	cl_int(CL_API_CALL * free_memory)(cl_context, void *);
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	size_t items = RUN_ITEMS;
	cl_int code = 1;
	int *memory, x = 5;

	memcpy(&host_alloc, &allocate, sizeof(host_alloc));
	memcpy(&set_pointer, &set, sizeof(set_pointer));
	memcpy(&free_memory, &end, sizeof(free_memory));
	memory = host_alloc(world->context, NULL, RUN_ITEMS * sizeof(int), 0,
			    &code);
	say("memory: %d", code);
	say("pointer: %d", set_pointer(kernel, 0, memory));
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	code = clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &items,
				      NULL, 0, NULL, NULL);
	clFinish(world->queue);
	fprintf(out(), "run: %d:", code);
	say_results(world, kernel, memory, memory ? RUN_ITEMS : 0);
	free_memory(world->context, memory);
	release_kernel(kernel);
	release_program(program);
}

/* The functions of cl_khr_command_buffer that a recorded kernel needs. */
struct recorder {
	clCreateCommandBufferKHR_fn create;
	clCommandNDRangeKernelKHR_fn record;
	clFinalizeCommandBufferKHR_fn finalize;
	clEnqueueCommandBufferKHR_fn enqueue;
	clReleaseCommandBufferKHR_fn release;
};

static void need_recorder(const struct world *world, struct recorder *recorder)
{
	void *function = need(world, "clCreateCommandBufferKHR");

	memcpy(&recorder->create, &function, sizeof(function));
	function = need(world, "clCommandNDRangeKernelKHR");
	memcpy(&recorder->record, &function, sizeof(function));
	function = need(world, "clFinalizeCommandBufferKHR");
	memcpy(&recorder->finalize, &function, sizeof(function));
	function = need(world, "clEnqueueCommandBufferKHR");
	memcpy(&recorder->enqueue, &function, sizeof(function));
	function = need(world, "clReleaseCommandBufferKHR");
	memcpy(&recorder->release, &function, sizeof(function));
}

/* The command buffer holds the kernel, and so the program. */
static void play_command_buffer(struct world *world)
{
	struct recorder recorder;
	cl_command_buffer_khr commands;
	cl_program program;
	cl_kernel kernel;
	size_t items = RUN_ITEMS;
	int got[RUN_ITEMS] = {0}, x = 30, i;
	cl_int code = 1;
	cl_mem buffer;

	need_recorder(world, &recorder);
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "add", "K1");
	buffer = clCreateBuffer(world->context, 0, sizeof(got), NULL, &code);
	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	commands = recorder.create(1, &world->queue, NULL, &code);
	say("command buffer: %d", code);
	say("record: %d", recorder.record(commands, NULL, NULL, kernel, 1, NULL,
					  &items, NULL, 0, NULL, NULL, NULL));
	if (!world->pocl)
		say("no kernel: %d",
		    recorder.record(commands, NULL, NULL, NULL, 1, NULL, &items,
				    NULL, 0, NULL, NULL, NULL));
	say("finalize: %d", recorder.finalize(commands));
	show_counts(world, program, kernel);
	release_kernel(kernel);
	release_program(program);
	code = recorder.enqueue(0, NULL, commands, 0, NULL, NULL);
	clFinish(world->queue);
	clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0, sizeof(got), got,
			    0, NULL, NULL);
	fprintf(out(), "run: %d:", code);
	for (i = 0; i < RUN_ITEMS; i++)
		fprintf(out(), " %d", got[i]);
	say(" ");
	say("release: %d", recorder.release(commands));
	clReleaseMemObject(buffer);
}

/* A program may not be built again while a command buffer has its kernel. */
static void play_command_buffer_rebuild(struct world *world)
{
	struct recorder recorder;
	cl_command_buffer_khr commands;
	cl_program program;
	cl_kernel kernel;
	size_t items = RUN_ITEMS;
	cl_int code = 1;
	cl_mem buffer;
	int x = 30;

	need_recorder(world, &recorder);
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "add", "K1");
	buffer = clCreateBuffer(world->context, 0, 64, NULL, &code);
	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	commands = recorder.create(1, &world->queue, NULL, &code);
	recorder.record(commands, NULL, NULL, kernel, 1, NULL, &items, NULL, 0,
			NULL, NULL, NULL);
	say("finalize: %d", recorder.finalize(commands));
	release_kernel(kernel);
	show_counts(world, program, NULL);
	build(world, program, "-DX");
	say("release: %d", recorder.release(commands));
	show_build(world, program);
	show_function(world, program, "add", 3);
	release_program(program);
	clReleaseMemObject(buffer);
}

/* Core in OpenCL 3.1: only newer loaders export it. */
static void play_suggested_by_core(struct world *world)
{
	typedef cl_int(CL_API_CALL *
		       suggest_function)(cl_command_queue, cl_kernel, cl_uint,
					 const size_t *, const size_t *,
					 size_t *);
	void *function =
		dlsym(RTLD_DEFAULT, "clGetKernelSuggestedLocalWorkSize");
	suggest_function suggest;
	cl_program program;
	cl_kernel kernel;
	size_t items = 4096, local = 0;
	cl_int code;

	if (!function || world->version < 310)
		skip("the driver or the loader is older than OpenCL 3.1");
	memcpy(&suggest, &function, sizeof(suggest));
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "add", "K1");
	show_run(world, kernel, 2);
	code = suggest(world->queue, kernel, 1, NULL, &items, &local);
	say("suggested: %d %zu", code, local);
	release_kernel(kernel);
	release_program(program);
}

/*
 * A function that might take a program and isn't known: from then on nothing
 * of that platform can be cached, for what it does to a handle that the driver
 * has never built nobody knows.
 */
static void play_unknown_function(struct world *world)
{
	static const char *const names[] = {
		"clRequestProgramSnapshotCODEPLAY",
		"clGetProfileDataDeviceIntelFPGA",
		"clCreateProgramWithAssemblyAMD",
		"clCreateProgramWithDefinedBuiltInKernelsEXP",
		"clSomethingWithProgramKHR",
	};
	cl_program program;
	size_t i;

	for (i = 0; i < LENGTH(names); i++)
		fetch(world, names[i]);
	program = make_built(world, "P1", source, "");
	show_program(world, program);
	show_function(world, program, "add", 4);
	release_program(program);
}

static void play_builtin_kernels(struct world *world)
{
	char names[4096] = "";
	cl_program program;
	cl_kernel kernel;
	cl_int code = 1;

	clGetDeviceInfo(world->device, CL_DEVICE_BUILT_IN_KERNELS,
			sizeof(names), names, NULL);
	program = clCreateProgramWithBuiltInKernels(world->context, 1,
						    &world->device,
						    "no.such.kernel", &code);
	say("no such: %s %d", program ? "a program" : "NULL", code);
	if (!*names)
		return;
	*strchrnul(names, ';') = '\0';
	program =
		clCreateProgramWithBuiltInKernels(world->context, 1,
						  &world->device, names, &code);
	name_handle(program, "P1");
	say("%s: %s %d", names, handle_name(program), code);
	if (!program)
		return;
	build(world, program, "");
	show_program(world, program);
	kernel = make_kernel(program, names, "K1");
	if (kernel) {
		show_kernel(world, kernel);
		release_kernel(kernel);
	}
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("extension-names", play_names, 1, 0, 0),
	SCENE("il-khr", play_il_khr, 1, 0, 0),
	SCENE("constant-by-name", play_constant_by_name, 2, 0, 0,
	      ON(UNLIKE("rusticl", 1, 0, 1))),
	SCENE("subgroups-by-name", play_subgroups_by_name, 1, 0, 0,
	      ON(ENDS("pocl", "dies under ocl-icd: it gives what is lacking"),
		 UNLIKE("pocl-7", 1, 0, 0),
		 ENDS("oclgrind",
		      "dies under ocl-icd: it gives what is lacking"),
		 ENDS("nvidia",
		      "dies under ocl-icd: it gives what is lacking"))),
	SCENE("variable-pointer", play_variable_pointer, 1, 0, 0),
	SCENE("function-pointer", play_function_pointer, 1, 0, 0),
	SCENE("read-write-variables", play_variables, 1, 0, 0),
	SCENE("host-pipes", play_host_pipes, 1, 0, 0),
	SCENE("suggested-three", play_suggested_core, 1, 0, 0),
	SCENE("concurrent-groups", play_concurrent_groups, 1, 0, 0),
	SCENE("memory-pointer", play_memory_pointer, 1, 0, 0),
	SCENE("command-buffer", play_command_buffer, 1, 0, 0),
	SCENE("command-buffer-rebuild", play_command_buffer_rebuild, ANY, ANY,
	      ANY),
	SCENE("suggested-by-core", play_suggested_by_core, 1, 0, 0,
	      ON(ENDS("intel", "dies in the call, which it lacks"))),
	SCENE("unknown-function", play_unknown_function, ANY, ANY, ANY,
	      .uncacheable = "a function that may take programs is out"),
	SCENE("builtin-kernels", play_builtin_kernels, 0, 0, 0,
	      .uncacheable = "the kernels are the driver's own",
	      ON(ENDS("intel", "dies at exit"),
		 ENDS("rusticl", "dies in the call, which it lacks"),
		 UNLIKE("rusticl-26", 0, 0, 0))),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
