/* SPDX-License-Identifier: MIT */
/*
 * Scenes with what kernels can have beside plain code, in forms that a program
 * loaded from other bytes could lose: samplers, pointers between variables,
 * functions that aren't inlined, what is printed, kernels that launch kernels.
 */
#include "tests/layer/scene.h"

/* Both kernels, each two times, and all that can be asked. */
static void play_two(struct world *world, const char *source,
		     const char *options, const char *const functions[2])
{
	cl_program program = make_built(world, "P1", source, options);
	cl_kernel first = make_kernel(program, functions[0], "K1");
	cl_kernel second = make_kernel(program, functions[1], "K2");

	show_run_in_groups(world, first, 7, 8);
	show_run_in_groups(world, second, 8, 8);
	show_kernel(world, first);
	show_kernel(world, second);
	show_program(world, program);
	release_program(program);
	show_run_in_groups(world, second, 9, 8);
	show_run_in_groups(world, first, 10, 8);
	release_kernel(first);
	release_kernel(second);
}

static void play_helpers(struct world *world)
{
	static const char source[] =
		"__attribute__((noinline)) int inner(int x, int n)\n"
		"{\n"
		"	for (int i = 0; i < n; i++)\n"
		"		x = x * 31 + i;\n"
		"	return x;\n"
		"}\n"
		"__attribute__((noinline)) int outer(int x)\n"
		"{ return inner(x, x & 7) ^ inner(x + 1, 5); }\n"
		"static __attribute__((noinline)) int4 wide(int4 v, char c)\n"
		"{ return v.wzyx * (int)c + v; }\n"
		"__kernel void one(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = outer(x + get_global_id(0)); }\n"
		"__kernel void two(__global int *out, int x)\n"
		"{\n"
		"	int4 v = wide((int4)(x, 1, 2, get_global_id(0)), 3);\n"
		"	out[get_global_id(0)] = outer(v.x) + inner(v.w, x);\n"
		"}\n";

	play_two(world, source, "", (const char *const[]){"one", "two"});
}

/* One kernel is called by the other one. */
static void play_kernel_called(struct world *world)
{
	static const char source[] =
		"__kernel void plain(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x * 3; }\n"
		"__kernel void calling(__global int *out, int x)\n"
		"{ plain(out, x + 1); out[get_global_id(0)] += x; }\n";

	play_two(world, source, "", (const char *const[]){"plain", "calling"});
}

static void play_atomics(struct world *world)
{
	static const char source[] =
		"__kernel void add(__global int *out, int x)\n"
		"{\n"
		"	__local int sum;\n"
		"	if (get_local_id(0) == 0)\n"
		"		sum = x;\n"
		"	barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	atomic_add(&sum, (int)get_global_id(0));\n"
		"	barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	out[get_global_id(0)] = sum;\n"
		"}\n"
		"__kernel void most(__global int *out, int x)\n"
		"{\n"
		"	atomic_max(&out[0], (int)get_global_id(0) + x);\n"
		"	atomic_xor(&out[1], 1 << get_global_id(0));\n"
		"	if (get_global_id(0) > 1)\n"
		"		out[get_global_id(0)] = x;\n"
		"}\n";

	play_two(world, source, "", (const char *const[]){"add", "most"});
}

/* Tables that are too large for registers, of several types. */
static void play_tables(struct world *world)
{
	static const char source[] =
		"__constant uchar small[16] = {9, 8, 7, 6, 5, 4, 3, 2, 1};\n"
		"__constant float floats[4] = {1.5f, -2.5f, 3.25f, 1e10f};\n"
		"__constant int large[4096] = {[7] = 77, [4000] = 5};\n"
		"__constant struct { char c; long l; short s[3]; } mixed =\n"
		"	{1, 1000000000000l, {4, 5, 6}};\n"
		"__kernel void look(__global int *out, int x)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	out[i] = small[i] + large[(i * 571 + x) & 4095] +\n"
		"		(int)floats[i & 1] + mixed.s[i % 3] +\n"
		"		(int)(mixed.l >> x);\n"
		"}\n"
		"__kernel void again(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = large[x] + small[x] + mixed.c; }\n";

	play_two(world, source, "", (const char *const[]){"look", "again"});
}

static bool has_extension(const struct world *world, const char *name)
{
	static char text[65536];

	clGetDeviceInfo(world->device, CL_DEVICE_EXTENSIONS, sizeof(text) - 1,
			text, NULL);
	return strstr(text, name) != NULL;
}

static void play_other_floats(struct world *world)
{
	static const char source[] =
		"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
		"__kernel void doubles(__global int *out, int x)\n"
		"{\n"
		"	double d = (get_global_id(0) + x) / 3.7;\n"
		"	d = sqrt(d) + exp(-d) * fma(d, d, 1.0);\n"
		"	out[get_global_id(0)] = (int)as_long(d);\n"
		"}\n"
		"__kernel void halves(__global int *out, int x)\n"
		"{\n"
		"	ushort bits[2];\n"
		"	__private half *h = (__private half *)bits;\n"
		"	vstore_half_rtz(get_global_id(0) / 3.0f, 0, h);\n"
		"	vstore_half((float)x / 7, 1, h);\n"
		"	out[get_global_id(0)] =\n"
		"		as_int(vload_half(0, h) * vload_half(1, h));\n"
		"}\n";

	if (!has_extension(world, "cl_khr_fp64"))
		skip("the device has no doubles");
	play_two(world, source, "", (const char *const[]){"doubles", "halves"});
}

/* Only one work-item of each prints: the order is certain. */
static void play_printf_forms(struct world *world)
{
	static const char source[] =
		"__kernel void much(__global int *out, int x)\n"
		"{\n"
		"	out[get_global_id(0)] = x;\n"
		"	if (get_global_id(0) != 5)\n"
		"		return;\n"
		"	printf(\"%5d|%-5d|%05d|%x|%o|%u\\n\", x, x, x, x, x,\n"
		"		x);\n"
		"	printf(\"%s and %c, 100%%\\n\", \"a text\", 'c');\n"
		"	printf(\"%v4d %v2f\\n\", (int4)(1, 2, 3, x),\n"
		"		(float2)(1.5f, 2.5f));\n"
		"	for (int i = 0; i < 3; i++)\n"
		"		printf(\"%d: %e %g\\n\", i, i * 0.1f, 1e10f);\n"
		"}\n"
		"__kernel void little(__global int *out, int x)\n"
		"{\n"
		"	out[get_global_id(0)] = x;\n"
		"	if (get_global_id(0) == (size_t)x)\n"
		"		printf(\"here\\n\");\n"
		"}\n";

	/* The drivers print past stdio's buffer. */
	setvbuf(stdout, NULL, _IONBF, 0);
	play_two(world, source, "", (const char *const[]){"much", "little"});
}

static void play_scope_pointers(struct world *world)
{
	static const char source[] =
		"__global int seed = 1234567;\n"
		"__global int table[4] = {1, 2, 3, 5};\n"
		"__global int zero;\n"
		"__global int *__global place = &seed;\n"
		"__global int *__global middle = table + 2;\n"
		"__kernel void change(__global int *out, int x)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	if (i == 0) { seed += x; zero += 7; }\n"
		"	out[i] = table[i & 3] + x;\n"
		"}\n"
		"__kernel void follow(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = *place + *middle + zero + x; }\n";

	if (world->rusticl || world->oclgrind)
		skip("the driver ends the process, or refuses");
	if (world->version < 200)
		skip("OpenCL 1.2 has no program-scope variables");
	play_two(world, source, "-cl-std=CL2.0",
		 (const char *const[]){"change", "follow"});
}

static void play_group_functions(struct world *world)
{
	static const char source[] =
		"__kernel void sum(__global int *out, int x)\n"
		"{ out[get_global_id(0)] =\n"
		"	work_group_reduce_add(x + (int)get_local_id(0)); }\n"
		"__kernel void scan(__global int *out, int x)\n"
		"{ out[get_global_id(0)] =\n"
		"	work_group_scan_inclusive_max(x ^\n"
		"		(int)get_local_id(0)) + work_group_all(x); }\n";
	cl_bool can = CL_FALSE;

	if (world->version >= 300)
		clGetDeviceInfo(
			world->device,
			CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
			sizeof(can), &can, NULL);
	if (!can)
		skip("the device has no work-group functions");
	play_two(world, source, "-cl-std=CL3.0",
		 (const char *const[]){"sum", "scan"});
}

/* ---- kernels that launch kernels ---- */

static cl_command_queue make_device_queue(const struct world *world)
{
	cl_queue_properties properties[] = {
		CL_QUEUE_PROPERTIES,
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE |
			CL_QUEUE_ON_DEVICE_DEFAULT,
		0};
	cl_command_queue queue;
	cl_int code = 1;

	queue = clCreateCommandQueueWithProperties(world->context,
						   world->device, properties,
						   &code);
	say("device queue: %d", code);
	return queue;
}

static bool has_device_queues(const struct world *world)
{
	cl_uint most = 0;

	if (world->version < 200)
		return false;
	clGetDeviceInfo(world->device, CL_DEVICE_MAX_ON_DEVICE_QUEUES,
			sizeof(most), &most, NULL);
	return most > 0;
}

static void play_device_enqueue(struct world *world)
{
	static const char source[] =
		"__kernel void launch(__global int *out, int x)\n"
		"{\n"
		"	void (^child)(void) = ^{\n"
		"		out[get_global_id(0)] = x + get_global_id(0);\n"
		"	};\n"
		"	if (get_global_id(0) == 0)\n"
		"		enqueue_kernel(get_default_queue(),\n"
		"			CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
		"			ndrange_1D(16), child);\n"
		"}\n";
	cl_command_queue queue;
	cl_program program;

	if (!has_device_queues(world))
		skip("the device can't launch kernels");
	queue = make_device_queue(world);
	if (!queue)
		skip("no queue on the device");
	program = make_built(world, "P1", source, "-cl-std=CL2.0");
	show_function(world, program, "launch", 5);
	show_function(world, program, "launch", 6);
	show_program(world, program);
	release_program(program);
	clReleaseCommandQueue(queue);
}

/* ---- images and samplers ---- */

static cl_mem make_image(const struct world *world, cl_mem_flags flags)
{
	static const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = 4,
			       .image_height = 4};
	unsigned char pixels[64];
	cl_int code;
	cl_mem image;

	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = (unsigned char)(i * 7);
	image = clCreateImage(world->context, flags | CL_MEM_COPY_HOST_PTR,
			      &format, &shape, pixels, &code);
	say("image: %d", code);
	return image;
}

static void show_image(const struct world *world, cl_mem image)
{
	const size_t origin[3] = {0}, region[3] = {4, 4, 1};
	unsigned char pixels[64] = {0};
	cl_int code = clEnqueueReadImage(world->queue, image, CL_TRUE, origin,
					 region, 0, 0, pixels, 0, NULL, NULL);

	fprintf(out(), "image: %d:", code);
	for (size_t i = 0; i < sizeof(pixels); i++)
		fprintf(out(), " %02x", pixels[i]);
	say(" ");
}

static void show_sampled(const struct world *world, cl_kernel kernel,
			 cl_addressing_mode addressing, cl_filter_mode filter)
{
	cl_int code = 1;
	cl_sampler sampler = clCreateSampler(world->context, CL_TRUE,
					     addressing, filter, &code);

	say("sampler: %d", code);
	if (!sampler)
		return;
	say("argument: %d",
	    clSetKernelArg(kernel, 4, sizeof(sampler), &sampler));
	show_run(world, kernel, 3);
	clReleaseSampler(sampler);
}

static void play_samplers(struct world *world)
{
	static const char source[] =
		"__constant sampler_t fixed = CLK_NORMALIZED_COORDS_TRUE |\n"
		"	CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;\n"
		"__kernel void sample(__global int *out, int x,\n"
		"	read_only image2d_t from, write_only image2d_t to,\n"
		"	sampler_t given)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	float2 at = (float2)(i % 5 + x, i / 3) / 3.5f;\n"
		"	const sampler_t here = CLK_NORMALIZED_COORDS_FALSE |\n"
		"		CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
		"	float4 a = read_imagef(from, given, at);\n"
		"	float4 b = read_imagef(from, fixed, at);\n"
		"	float4 c = read_imagef(from, here, (int2)(i - 1, x));\n"
		"	out[i] = as_int(a.x + b.y * 3 + c.z * 7);\n"
		"	write_imagef(to, (int2)(i & 3, i >> 2), a.wzyx);\n"
		"}\n";
	cl_bool images = CL_FALSE;
	cl_program program;
	cl_kernel kernel;
	cl_mem from, to;

	clGetDeviceInfo(world->device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images),
			&images, NULL);
	if (!images)
		skip("the device has no images");
	program = make_built(world, "P1", source, "-cl-kernel-arg-info");
	kernel = make_kernel(program, "sample", "K1");
	from = make_image(world, CL_MEM_READ_ONLY);
	to = make_image(world, CL_MEM_WRITE_ONLY);
	clSetKernelArg(kernel, 2, sizeof(from), &from);
	clSetKernelArg(kernel, 3, sizeof(to), &to);
	show_sampled(world, kernel, CL_ADDRESS_CLAMP_TO_EDGE,
		     CL_FILTER_NEAREST);
	show_image(world, to);
	show_sampled(world, kernel, CL_ADDRESS_MIRRORED_REPEAT,
		     world->pocl ? CL_FILTER_NEAREST : CL_FILTER_LINEAR);
	show_image(world, to);
	show_arguments(kernel);
	show_kernel(world, kernel);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
	release_kernel(kernel);
	release_program(program);
}

/* ---- shared virtual memory with pointers in it ---- */

struct node {
	struct node *next;
	cl_long value;
};

#define NODES 8

static struct node *make_nodes(const struct world *world)
{
	struct node *nodes = clSVMAlloc(world->context, CL_MEM_READ_WRITE,
					NODES * sizeof(*nodes), 0);

	if (!nodes)
		die("clSVMAlloc");
	say("map: %d",
	    clEnqueueSVMMap(world->queue, CL_TRUE, CL_MAP_WRITE, nodes,
			    NODES * sizeof(*nodes), 0, NULL, NULL));
	for (int i = 0; i < NODES; i++) {
		nodes[i].next = i ? &nodes[i * 5 % NODES] : NULL;
		nodes[i].value = i * 100;
	}
	nodes[5].next = &nodes[2];
	nodes[2].next = &nodes[0];
	say("unmap: %d", clEnqueueSVMUnmap(world->queue, nodes, 0, NULL, NULL));
	return nodes;
}

static void play_svm_pointers(struct world *world)
{
	static const char source[] =
		"struct node { __global struct node *next; long value; };\n"
		"__kernel void follow(__global int *out, int x,\n"
		"	__global struct node *first)\n"
		"{\n"
		"	__global struct node *node = first;\n"
		"	int sum = x;\n"
		"	for (int i = 0; node && i < 8; i++, node = "
		"node->next)\n"
		"		sum = sum * 3 + (int)node->value;\n"
		"	out[get_global_id(0)] = sum;\n"
		"}\n";
	cl_device_svm_capabilities can = 0;
	cl_program program;
	cl_kernel kernel;
	struct node *nodes;
	void *pointers[1];

	if (world->version < 200)
		skip("OpenCL 1.2 has no shared virtual memory");
	clGetDeviceInfo(world->device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can),
			&can, NULL);
	if (!(can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
		skip("the device has no shared virtual memory");
	nodes = make_nodes(world);
	pointers[0] = nodes;
	program = make_built(world, "P1", source, "-cl-std=CL2.0");
	kernel = make_kernel(program, "follow", "K1");
	say("pointer: %d", clSetKernelArgSVMPointer(kernel, 2, &nodes[1]));
	say("pointers: %d",
	    clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS,
				sizeof(pointers), pointers));
	show_run(world, kernel, 1);
	release_program(program);
	say("pointer: %d", clSetKernelArgSVMPointer(kernel, 2, &nodes[2]));
	show_run(world, kernel, 2);
	release_kernel(kernel);
	quiet(world);
	clSVMFree(world->context, nodes);
}

static const struct scene scenes[] = {
	SCENE("same-helpers", play_helpers, 1, 0, 0),
	SCENE("kernel-called", play_kernel_called, 1, 0, 0),
	SCENE("atomics", play_atomics, 1, 0, 0),
	SCENE("tables", play_tables, 1, 0, 0),
	SCENE("other-floats", play_other_floats, 1, 0, 0),
	SCENE("printf-forms", play_printf_forms, 1, 0, 0),
	SCENE("scope-pointers", play_scope_pointers, 1, 0, 0,
	      ON(UNLIKE("pocl-7", 0, 1, 0))),
	SCENE("group-functions", play_group_functions, 1, 0, 0),
	SCENE("device-enqueue", play_device_enqueue, 1, 0, 0),
	SCENE("samplers", play_samplers, 1, 0, 0),
	SCENE("svm-pointers", play_svm_pointers, 1, 0, 0,
	      ON(UNLIKE("pocl-7", 0, 1, 0))),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
