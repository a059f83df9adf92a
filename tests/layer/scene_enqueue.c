/* SPDX-License-Identifier: MIT */
/* Scenes about setting arguments and enqueuing in every way. */
#include "tests/layer/scene.h"

static const char source[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n"
	"__kernel void where(__global int *out, int x)\n"
	"{ out[get_global_id(1) * 4 + get_global_id(0) -\n"
	"	get_global_offset(0)] = get_global_id(0) * 100 +\n"
	"	get_local_id(1) * 10 + get_group_id(0) + x; }\n"
	"__kernel void three(__global int *out, __local int *tile, int x)\n"
	"{\n"
	"	tile[get_local_id(0)] = x;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	out[get_global_id(0)] = tile[(get_local_id(0) + 1) %\n"
	"		get_local_size(0)];\n"
	"}\n";

static cl_mem make_buffer(const struct world *world)
{
	int zeros[RUN_ITEMS] = {0};
	cl_int code;
	cl_mem buffer = clCreateBuffer(world->context,
				       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				       sizeof(zeros), zeros, &code);

	must(code, "clCreateBuffer");
	return buffer;
}

static void show_buffer(const struct world *world, cl_mem buffer)
{
	int got[RUN_ITEMS] = {0};
	cl_int code = clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0,
					  sizeof(got), got, 0, NULL, NULL);

	fprintf(out(), "buffer: %d:", code);
	say_results(world, NULL, got, RUN_ITEMS);
	quiet(world);
}

static void play_argument_errors(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "three", "K1");
	cl_mem buffer = make_buffer(world);
	size_t items = RUN_ITEMS, local = 4;
	int x = 5;
	char byte = 1;

	say("not set: %d",
	    clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &items,
				   &local, 0, NULL, NULL));
	say("index: %d", clSetKernelArg(kernel, 3, sizeof(x), &x));
	say("index: %d", clSetKernelArg(kernel, 1000000, sizeof(x), &x));
	say("small: %d", clSetKernelArg(kernel, 2, sizeof(byte), &byte));
	say("large: %d", clSetKernelArg(kernel, 0, 3, &buffer));
	say("local with a value: %d", clSetKernelArg(kernel, 1, sizeof(x), &x));
	say("local of nothing: %d", clSetKernelArg(kernel, 1, 0, NULL));
	if (!world->pocl && !world->oclgrind)
		say("NULL value: %d",
		    clSetKernelArg(kernel, 2, sizeof(x), NULL));
	say("NULL buffer: %d", clSetKernelArg(kernel, 0, sizeof(void *), NULL));
	say("buffer: %d", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	say("local: %d", clSetKernelArg(kernel, 1, 16, NULL));
	say("value: %d", clSetKernelArg(kernel, 2, sizeof(x), &x));
	say("run: %d", clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					      &items, &local, 0, NULL, NULL));
	show_buffer(world, buffer);
	clReleaseMemObject(buffer);
	release_kernel(kernel);
	release_program(program);
}

static void play_bad_sizes(struct world *world)
{
	static const char required[] =
		"__attribute__((reqd_work_group_size(4, 1, 1)))\n"
		"__kernel void four(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x; }\n";
	cl_program program = make_built(world, "P1", required, "");
	cl_kernel kernel = make_kernel(program, "four", "K1");
	cl_mem buffer = make_buffer(world);
	size_t items = RUN_ITEMS, locals[] = {4, 8, 3, 0};
	int x = 7;
	size_t i;

	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	/* Oclgrind divides by the 0, PoCL crashes without a kernel. */
	for (i = 0; i < LENGTH(locals) - (world->oclgrind ? 1 : 0); i++)
		say("groups of %zu: %d", locals[i],
		    clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					   &items, &locals[i], 0, NULL, NULL));
	say("dimensions 0: %d",
	    clEnqueueNDRangeKernel(world->queue, kernel, 0, NULL, &items, NULL,
				   0, NULL, NULL));
	say("dimensions 9: %d",
	    clEnqueueNDRangeKernel(world->queue, kernel, 9, NULL, &items, NULL,
				   0, NULL, NULL));
	if (!world->pocl && !world->oclgrind)
		say("no kernel: %d",
		    clEnqueueNDRangeKernel(world->queue, NULL, 1, NULL, &items,
					   NULL, 0, NULL, NULL));
	say("no queue: %d",
	    clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, &items, NULL, 0, NULL,
				   NULL));
	quiet(world);
	show_buffer(world, buffer);
	clReleaseMemObject(buffer);
	release_kernel(kernel);
	release_program(program);
}

static void play_dimensions(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "where", "K1");
	cl_mem buffer = make_buffer(world);
	size_t items[] = {4, 4, 1}, local[] = {2, 2, 1}, offset[] = {3, 0, 0};
	int x = 1000;

	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	say("two: %d", clEnqueueNDRangeKernel(world->queue, kernel, 2, NULL,
					      items, local, 0, NULL, NULL));
	show_buffer(world, buffer);
	say("offset: %d",
	    clEnqueueNDRangeKernel(world->queue, kernel, 3, offset, items,
				   local, 0, NULL, NULL));
	show_buffer(world, buffer);
	clReleaseMemObject(buffer);
	release_kernel(kernel);
	release_program(program);
}

static void play_task(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	cl_mem buffer = make_buffer(world);
	cl_event event = NULL;
	cl_command_type type = 0;
	int x = 40;

	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	say("task: %d", clEnqueueTask(world->queue, kernel, 0, NULL, &event));
	if (event) {
		clWaitForEvents(1, &event);
		clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type),
			       &type, NULL);
		say("type: %#x", type);
		clReleaseEvent(event);
	}
	show_buffer(world, buffer);
	clReleaseMemObject(buffer);
	release_kernel(kernel);
	release_program(program);
}

static void CL_CALLBACK native(void *data)
{
	**(int **)data += 1;
}

static void play_native(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_device_exec_capabilities can = 0;
	int count = 41;
	int *arguments[1] = {&count};
	cl_int code;

	clGetDeviceInfo(world->device, CL_DEVICE_EXECUTION_CAPABILITIES,
			sizeof(can), &can, NULL);
	if (!(can & CL_EXEC_NATIVE_KERNEL)) {
		release_program(program);
		skip("the device runs no native kernels");
	}
	code = clEnqueueNativeKernel(world->queue, native, arguments,
				     sizeof(arguments), 0, NULL, NULL, 0, NULL,
				     NULL);
	quiet(world);
	say("native: %d, %d", code, count);
	show_function(world, program, "add", 3);
	release_program(program);
}

/* Released while it waits for an event: it must run all the same. */
static void play_released_while_queued(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	cl_mem buffer = make_buffer(world);
	size_t items = RUN_ITEMS;
	cl_event gate;
	cl_int code;
	int x = 60;

	gate = clCreateUserEvent(world->context, &code);
	say("user event: %d", code);
	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	say("run: %d", clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					      &items, NULL, 1, &gate, NULL));
	clFlush(world->queue);
	release_kernel(kernel);
	release_program(program);
	say("open: %d", clSetUserEventStatus(gate, CL_COMPLETE));
	show_buffer(world, buffer);
	clReleaseEvent(gate);
	clReleaseMemObject(buffer);
}

/* A command that waits counts as an attached kernel, or doesn't. */
static void play_built_while_queued(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	cl_mem buffer = make_buffer(world);
	size_t items = RUN_ITEMS;
	cl_event gate;
	cl_int code;
	int x = 60;

	/* It builds, and crashes or not. */
	if (world->intel && !world->stub)
		skip("what the driver does then is a matter of luck");
	gate = clCreateUserEvent(world->context, &code);
	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	say("run: %d", clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					      &items, NULL, 1, &gate, NULL));
	clFlush(world->queue);
	release_kernel(kernel);
	code = clBuildProgram(program, 1, &world->device, "-DX", NULL, NULL);
	say("build while queued: %d", code);
	clSetUserEventStatus(gate, CL_COMPLETE);
	quiet(world);
	show_buffer(world, buffer);
	clReleaseEvent(gate);
	clReleaseMemObject(buffer);
	show_build(world, program);
	show_function(world, program, "add", 3);
	release_program(program);
}

static void play_events(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	cl_mem buffer = make_buffer(world);
	size_t items = RUN_ITEMS;
	cl_event events[3] = {NULL};
	cl_context owner = NULL;
	int x = 1, i;
	cl_int status = 77;

	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	for (i = 0; i < 3; i++) {
		x += 10;
		clSetKernelArg(kernel, 1, sizeof(x), &x);
		say("run: %d",
		    clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					   &items, NULL, i ? 1 : 0,
					   i ? &events[i - 1] : NULL,
					   &events[i]));
	}
	clWaitForEvents(1, &events[2]);
	clGetEventInfo(events[2], CL_EVENT_CONTEXT, sizeof(owner), &owner,
		       NULL);
	clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS,
		       sizeof(status), &status, NULL);
	say("context %s, status %d", handle_name(owner), status);
	show_buffer(world, buffer);
	for (i = 0; i < 3; i++)
		clReleaseEvent(events[i]);
	show_counts(world, program, kernel);
	clReleaseMemObject(buffer);
	release_kernel(kernel);
	release_program(program);
}

static void play_struct_argument(struct world *world)
{
	static const char text[] =
		"typedef struct { char c; int i[2]; float4 d; short s; } "
		"every;\n"
		"__kernel void use(__global int *out, int x, every a)\n"
		"{ out[get_global_id(0)] = a.c + a.i[0] + a.i[1] + a.s +\n"
		"	(int)a.d.w + x; }\n";
	struct {
		cl_char c;
		cl_int i[2];
		cl_float4 d;
		cl_short s;
	} all = {.c = 1, .i = {20, 300}, .s = 4000};
	cl_program program = make_built(world, "P1", text, "");
	cl_kernel kernel = make_kernel(program, "use", "K1");

	if (kernel) {
		all.d.s[3] = 50000;
		say("struct: %d", clSetKernelArg(kernel, 2, sizeof(all), &all));
		show_run(world, kernel, 600000);
		release_kernel(kernel);
	}
	release_program(program);
}

static void play_two_queues(struct world *world)
{
	struct world second = *world;
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	cl_command_queue_properties properties = 0;

	second.queue = make_queue(world);
	show_run(world, kernel, 1);
	show_run(&second, kernel, 2);
	show_run(world, kernel, 3);
	clGetCommandQueueInfo(second.queue, CL_QUEUE_PROPERTIES,
			      sizeof(properties), &properties, NULL);
	say("properties %llu", (unsigned long long)properties);
	clReleaseCommandQueue(second.queue);
	show_counts(world, program, kernel);
	release_kernel(kernel);
	release_program(program);
}

static void play_svm(struct world *world)
{
	cl_device_svm_capabilities can = 0;
	cl_program program;
	cl_kernel kernel;
	size_t items = RUN_ITEMS;
	int *memory, x = 9, i;
	void *pointers[1];
	cl_bool fine = CL_FALSE;

	if (world->version < 200)
		skip("OpenCL 1.2 has no shared virtual memory");
	clGetDeviceInfo(world->device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can),
			&can, NULL);
	if (!(can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
		skip("the device has no shared virtual memory");
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "add", "K1");
	memory = clSVMAlloc(world->context, CL_MEM_READ_WRITE,
			    RUN_ITEMS * sizeof(int), 0);
	pointers[0] = memory;
	clEnqueueSVMMap(world->queue, CL_TRUE, CL_MAP_WRITE, memory,
			RUN_ITEMS * sizeof(int), 0, NULL, NULL);
	memset(memory, 0, RUN_ITEMS * sizeof(int));
	clEnqueueSVMUnmap(world->queue, memory, 0, NULL, NULL);
	say("pointer: %d", clSetKernelArgSVMPointer(kernel, 0, memory));
	say("wrong index: %d", clSetKernelArgSVMPointer(kernel, 9, memory));
	say("no pointer argument: %d",
	    clSetKernelArgSVMPointer(kernel, 1, memory));
	say("value: %d", clSetKernelArg(kernel, 1, sizeof(x), &x));
	say("pointers: %d",
	    clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS,
				sizeof(pointers), pointers));
	say("fine grain: %d",
	    clSetKernelExecInfo(kernel,
				CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
				sizeof(fine), &fine));
	say("unknown: %d", clSetKernelExecInfo(kernel, 0x1fff, 4, &x));
	say("run: %d", clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					      &items, NULL, 0, NULL, NULL));
	quiet(world);
	clEnqueueSVMMap(world->queue, CL_TRUE, CL_MAP_READ, memory,
			RUN_ITEMS * sizeof(int), 0, NULL, NULL);
	for (i = 0; i < RUN_ITEMS; i++)
		fprintf(out(), "%d ", memory[i]);
	say("in memory");
	clEnqueueSVMUnmap(world->queue, memory, 0, NULL, NULL);
	quiet(world);
	clSVMFree(world->context, memory);
	release_kernel(kernel);
	release_program(program);
}

/* A clone has the arguments that were set, and its own from then on. */
static void play_clone_arguments(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1"), clone;
	cl_mem buffer = make_buffer(world);
	size_t items = RUN_ITEMS;
	cl_int code = 1;
	int x = 70, y = 80;

	if (world->version < 210)
		skip("OpenCL 1.2 has no clCloneKernel");
	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clSetKernelArg(kernel, 1, sizeof(x), &x);
	clone = clCloneKernel(kernel, &code);
	name_handle(clone, "K2");
	say("clone: %s %d", handle_name(clone), code);
	clSetKernelArg(kernel, 1, sizeof(y), &y);
	release_program(program);
	if (clone) {
		say("run: %d",
		    clEnqueueNDRangeKernel(world->queue, clone, 1, NULL, &items,
					   NULL, 0, NULL, NULL));
		show_buffer(world, buffer);
		release_kernel(clone);
	}
	say("run: %d", clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					      &items, NULL, 0, NULL, NULL));
	show_buffer(world, buffer);
	release_kernel(kernel);
	clReleaseMemObject(buffer);
}

static const struct scene scenes[] = {
	SCENE("argument-errors", play_argument_errors, 1, 0, 0),
	SCENE("bad-sizes", play_bad_sizes, 1, 0, 0,
	      ON(ENDS("nvidia", "dies of a division by a size of 0"))),
	SCENE("dimensions", play_dimensions, 1, 0, 0),
	SCENE("task", play_task, 1, 0, 0),
	SCENE("native-kernel", play_native, 1, 0, 0),
	SCENE("released-while-queued", play_released_while_queued, 1, 0, 0,
	      ON(ENDS("pocl", "hangs in clSetUserEventStatus"),
		 UNLIKE("pocl-7", 1, 0, 0),
		 ENDS("oclgrind", "hangs in clFlush"))),
	SCENE("built-while-queued", play_built_while_queued, ANY, ANY, ANY,
	      ON(ENDS("pocl", "hangs in clSetUserEventStatus"),
		 UNLIKE("pocl-7", ANY, ANY, ANY),
		 ENDS("oclgrind", "hangs in clFlush"))),
	SCENE("events", play_events, 1, 0, 0),
	SCENE("struct-argument", play_struct_argument, 1, 0, 0),
	SCENE("two-queues", play_two_queues, 1, 0, 0),
	SCENE("svm", play_svm, 1, 0, 0),
	SCENE("clone-arguments", play_clone_arguments, 1, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
