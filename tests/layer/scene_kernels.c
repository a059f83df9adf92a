/* SPDX-License-Identifier: MIT */
/* Scenes about what kernels compute and need at run time. */
#include "tests/layer/scene.h"

/* The usual scene: one source, one kernel, what it says and computes. */
static void play_source(struct world *world, const char *source,
			const char *function, size_t local)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, function, "K1");

	show_run_in_groups(world, kernel, 7, local);
	show_kernel(world, kernel);
	show_program(world, program);
	show_run_in_groups(world, kernel, 8, local);
	release_kernel(kernel);
	release_program(program);
}

static void play_local_memory(struct world *world)
{
	play_source(world,
		    "__kernel void reverse(__global int *out, int x)\n"
		    "{\n"
		    "	__local int tile[8];\n"
		    "	size_t i = get_local_id(0), n = get_local_size(0);\n"
		    "	tile[i] = (int)get_global_id(0) * x;\n"
		    "	barrier(CLK_LOCAL_MEM_FENCE);\n"
		    "	int got = tile[n - 1 - i];\n"
		    "	barrier(CLK_LOCAL_MEM_FENCE);\n"
		    "	tile[i] = got;\n"
		    "	barrier(CLK_LOCAL_MEM_FENCE);\n"
		    "	out[get_global_id(0)] = tile[(i + 1) % n];\n"
		    "}\n",
		    "reverse", 8);
}

static void play_constants(struct world *world)
{
	play_source(world,
		    "__constant int table[] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
		    "__constant char text[] = \"quote \\\" and \\\\ here\";\n"
		    "__kernel void look(__global int *out, int x)\n"
		    "{\n"
		    "	int i = get_global_id(0);\n"
		    "	out[i] = table[(i + x) % 8] * 1000 + text[i];\n"
		    "}\n",
		    "look", 0);
}

static void play_private_memory(struct world *world)
{
	play_source(world,
		    "__kernel void sum(__global int *out, int x)\n"
		    "{\n"
		    "	int stack[64];\n"
		    "	int i, total = 0;\n"
		    "	for (i = 0; i < 64; i++)\n"
		    "		stack[(i * 7 + x) % 64] = i;\n"
		    "	for (i = 0; i < (int)get_global_id(0); i++)\n"
		    "		total += stack[i * x % 64];\n"
		    "	out[get_global_id(0)] = total;\n"
		    "}\n",
		    "sum", 0);
}

static void play_mathematics(struct world *world)
{
	play_source(world,
		    "float helper(float f) { return sin(f) + sqrt(f); }\n"
		    "__kernel void bits(__global int *out, int x)\n"
		    "{\n"
		    "	float4 v = (float4)(1, 2, 3, get_global_id(0));\n"
		    "	out[get_global_id(0)] =\n"
		    "		as_int(dot(v, v) + helper(x) + "
		    "native_exp(1.f));\n"
		    "}\n",
		    "bits", 0);
}

static void play_printf(struct world *world)
{
	static const char source[] =
		"__kernel void talk(__global int *out, int x)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	out[i] = x;\n"
		"	if (i == 3)\n"
		"		printf(\"kernel says %d %s %.2f\\n\", x, "
		"\"hello\",\n"
		"			1.5f * x);\n"
		"}\n";

	/* The drivers print past stdio's buffer. */
	setvbuf(stdout, NULL, _IONBF, 0);
	play_source(world, source, "talk", 0);
}

static const char counter_source[] =
	"__global int counter = 5;\n"
	"__kernel void count(__global int *out, int x)\n"
	"{\n"
	"	if (get_global_id(0) == 0) {\n"
	"		counter += x;\n"
	"		out[0] = counter;\n"
	"	}\n"
	"}\n"
	"__kernel void look(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = counter + x; }\n";

/* Shared between programs or not: whatever the driver does without us. */
static void play_program_scope(struct world *world)
{
	cl_program one, two;
	cl_kernel first, second, look;

	one = make_built(world, "P1", counter_source, "-cl-std=CL2.0");
	if (build_status(world, one) != CL_BUILD_SUCCESS) {
		clReleaseProgram(one);
		skip("the driver has no program-scope variables");
	}
	two = make_built(world, "P2", counter_source, "-cl-std=CL2.0");
	show_build(world, one);
	show_build(world, two);
	first = make_kernel(one, "count", "K1");
	look = make_kernel(one, "look", "K2");
	second = make_kernel(two, "count", "K3");
	show_run_in_groups(world, first, 10, 16);
	show_run_in_groups(world, look, 0, 16);
	show_run_in_groups(world, second, 200, 16);
	show_run_in_groups(world, first, 1, 16);
	show_run_in_groups(world, look, 0, 16);
	release_kernel(first);
	release_kernel(look);
	build(world, one, "-cl-std=CL2.0 -DAGAIN");
	look = make_kernel(one, "look", "K4");
	show_run_in_groups(world, look, 0, 16);
	release_kernel(look);
	release_kernel(second);
	release_program(one);
	release_program(two);
}

static cl_mem make_image(const struct world *world)
{
	static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = 4,
			       .image_height = 4};
	unsigned char pixels[64];
	cl_int code;
	cl_mem image;
	int i;

	for (i = 0; i < 64; i++)
		pixels[i] = (unsigned char)(i * 3);
	image = clCreateImage(world->context,
			      CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format,
			      &shape, pixels, &code);
	say("image: %d", code);
	return image;
}

static void play_image(struct world *world)
{
	static const char source[] =
		"__constant sampler_t how = CLK_NORMALIZED_COORDS_FALSE |\n"
		"	CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
		"__kernel void sample(__global int *out, int x,\n"
		"	read_only image2d_t image)\n"
		"{\n"
		"	int i = get_global_id(0);\n"
		"	uint4 p = read_imageui(image, how,\n"
		"		(int2)(i % 4 + x, i / 4));\n"
		"	out[i] = (int)(p.x + 1000 * p.w);\n"
		"}\n";
	cl_bool images = CL_FALSE;
	cl_program program;
	cl_kernel kernel;
	cl_mem image;

	clGetDeviceInfo(world->device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images),
			&images, NULL);
	if (!images)
		skip("the device has no images");
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "sample", "K1");
	image = make_image(world);
	say("argument: %d", clSetKernelArg(kernel, 2, sizeof(image), &image));
	show_run(world, kernel, 0);
	show_run(world, kernel, 2);
	show_kernel(world, kernel);
	clReleaseMemObject(image);
	release_kernel(kernel);
	release_program(program);
}

static void play_subgroups(struct world *world)
{
	static const char source[] =
		"__kernel void groups(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x; }\n";
	static const cl_uint params[] = {
		CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
		CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
		CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
		CL_KERNEL_MAX_NUM_SUB_GROUPS, CL_KERNEL_COMPILE_NUM_SUB_GROUPS};
	cl_program program;
	cl_kernel kernel;
	size_t i, in, value, got;
	cl_int code;

	if (world->version < 210)
		skip("OpenCL 1.2 has no clGetKernelSubGroupInfo");
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "groups", "K1");
	for (i = 0; i < LENGTH(params); i++) {
		in = 8;
		value = got = 0;
		code = clGetKernelSubGroupInfo(kernel, world->device, params[i],
					       sizeof(in), &in, sizeof(value),
					       &value, &got);
		say("sub-group %#x: %d %zu %zu", params[i], code, got, value);
	}
	show_run(world, kernel, 1);
	release_kernel(kernel);
	release_program(program);
}

typedef cl_int (*suggest_function)(cl_command_queue queue, cl_kernel kernel,
				   cl_uint dimensions, const size_t *offset,
				   const size_t *items, size_t *ret_local);

/* Extension calls get the kernel without passing through the layer. */
static void play_suggested_size(struct world *world)
{
	static const char source[] =
		"__kernel void any(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x; }\n";
	suggest_function suggest =
		(suggest_function)clGetExtensionFunctionAddressForPlatform(
			world->platform,
			"clGetKernelSuggestedLocalWorkSizeKHR");
	size_t items = 4096, local = 0;
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	if (!suggest)
		skip("no cl_khr_suggested_local_work_size");
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "any", "K1");
	show_run(world, kernel, 1);
	code = suggest(world->queue, kernel, 1, NULL, &items, &local);
	say("suggested: %d %zu", code, local);
	release_kernel(kernel);
	release_program(program);
}

/* Some drivers give a kernel for it that stands no question. */
static void play_missing_function(struct world *world)
{
	static const char source[] =
		"int nowhere(int x);\n"
		"__kernel void call(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = nowhere(x); }\n"
		"__kernel void fill(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x; }\n";
	cl_kernel kernels[4] = {NULL};
	cl_program program;
	cl_uint count = 0;
	cl_int code;

	program = make_built(world, "P1", source, "");
	code = clCreateKernelsInProgram(program, LENGTH(kernels), kernels,
					&count);
	say("kernels: %d %u", code, count);
	for (cl_uint i = 0; !code && i < count && i < LENGTH(kernels); i++)
		say("release: %d", clReleaseKernel(kernels[i]));
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("local-memory", play_local_memory, 1, 0, 0),
	SCENE("constants", play_constants, 1, 0, 0),
	SCENE("private-memory", play_private_memory, 1, 0, 0),
	SCENE("mathematics", play_mathematics, 1, 0, 0,
	      ON(ENDS("rusticl-26", "dies after a build that fails"))),
	SCENE("printf", play_printf, 1, 0, 0),
	SCENE("program-scope", play_program_scope, 2, 1, 0,
	      SEED(counter_source, "-cl-std=CL2.0"),
	      ON(ENDS("rusticl", "dies of kernels with such variables"))),
	SCENE("image", play_image, 1, 0, 0),
	SCENE("missing-function", play_missing_function, 0, 1, 0,
	      ON(UNLIKE("oclgrind", 1, 0, 0))),
	SCENE("subgroups", play_subgroups, 1, 0, 0),
	SCENE("suggested-size", play_suggested_size, 1, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
