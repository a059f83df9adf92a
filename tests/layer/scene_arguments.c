/* SPDX-License-Identifier: MIT */
/* Scenes about what kernels' arguments and attributes say of themselves. */
#include "tests/layer/scene.h"

static void show_all(const struct world *world, const char *source,
		     const char *function, const char *options)
{
	cl_program program = make_built(world, "P1", source, options);
	cl_kernel kernel = make_kernel(program, function, "K1");

	if (kernel) {
		show_arguments(kernel);
		show_kernel(world, kernel);
		release_kernel(kernel);
	}
	release_program(program);
}

static void play_qualifiers(struct world *world)
{
	show_all(world,
		 "__kernel void q(__global const int *a,\n"
		 "	global volatile float *b, __global int *restrict c,\n"
		 "	__global const volatile uint *restrict d,\n"
		 "	__constant int *e, constant uchar4 *f,\n"
		 "	__local int *g, local volatile char *h, const int i,\n"
		 "	const __global long *restrict const j)\n"
		 "{ c[0] = a[0] + i; }\n",
		 "q", "-cl-kernel-arg-info");
}

static void play_types(struct world *world)
{
	show_all(world,
		 "typedef unsigned int number;\n"
		 "typedef number again;\n"
		 "typedef struct pair { int a; float b; } pair;\n"
		 "struct tagged { char c[3]; };\n"
		 "enum colour { RED, GREEN };\n"
		 "union either { int i; float f; };\n"
		 "typedef float row __attribute__((ext_vector_type(4)));\n"
		 "__kernel void t(char a, unsigned char b, short c,\n"
		 "	ushort d, int e, unsigned f, long g, ulong h,\n"
		 "	float i, float2 j, int3 k, uchar16 l, number m,\n"
		 "	again n, pair o, struct tagged p, enum colour q,\n"
		 "	union either r, row s, __global pair *t,\n"
		 "	__global struct tagged *u, __global number *v)\n"
		 "{ v[0] = m; }\n",
		 "t", "-cl-kernel-arg-info");
}

static void play_image_types(struct world *world)
{
	cl_bool images = CL_FALSE;

	clGetDeviceInfo(world->device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images),
			&images, NULL);
	if (!images)
		skip("the device has no images");
	show_all(world,
		 "typedef image2d_t picture;\n"
		 "__kernel void i(read_only image2d_t a,\n"
		 "	write_only image2d_t b, __read_only image3d_t c,\n"
		 "	image2d_t d, read_only image1d_t e,\n"
		 "	read_only image1d_buffer_t f,\n"
		 "	read_only image1d_array_t g,\n"
		 "	read_only image2d_array_t h, sampler_t s,\n"
		 "	read_only picture p, __global int *out)\n"
		 "{ out[0] = get_image_width(a); }\n",
		 "i", "-cl-kernel-arg-info -cl-std=CL1.2");
}

static void play_read_write_image(struct world *world)
{
	if (world->version < 200 || world->rusticl)
		skip("the driver has no images to read and write");
	show_all(world,
		 "__kernel void i(read_write image2d_t a, __global int *out)\n"
		 "{ out[0] = get_image_width(a); }\n",
		 "i", "-cl-kernel-arg-info -cl-std=CL2.0");
}

static void play_no_arguments(struct world *world)
{
	show_all(world, "__kernel void none(void) { }\n", "none",
		 "-cl-kernel-arg-info");
}

static void play_many_arguments(struct world *world)
{
	show_all(world,
		 "__kernel void many(__global int *out, int a, int b, int c,\n"
		 "	int d, int e, int f, int g, int h, int i, int j,\n"
		 "	int k, int l, int m, int n, int o, int p, int q,\n"
		 "	int r, int s, int t, int u, int v, int w, int x)\n"
		 "{ out[0] = a + x; }\n",
		 "many", "-cl-kernel-arg-info");
}

static const char shared[] =
	"__kernel void first(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x; }\n"
	"__attribute__((reqd_work_group_size(2, 1, 1)))\n"
	"__kernel void second(__global const float4 *in, __local int *tile)\n"
	"{ tile[0] = (int)in[0].x; }\n";

/* Asked late: the program is gone, only its kernels are left. */
static void play_info_after_release(struct world *world)
{
	cl_program program =
		make_built(world, "P1", shared, "-cl-kernel-arg-info");
	cl_kernel first = make_kernel(program, "first", "K1");
	cl_kernel second = make_kernel(program, "second", "K2");

	release_program(program);
	show_arguments(first);
	show_arguments(second);
	show_kernel(world, second);
	release_kernel(first);
	show_arguments(second);
	show_kernel(world, second);
	release_kernel(second);
}

/* Two programs, one with and one without: each says its own. */
static void play_info_and_not(struct world *world)
{
	cl_program with =
		make_built(world, "P1", shared, "-cl-kernel-arg-info");
	cl_program without = make_built(world, "P2", shared, "");
	cl_kernel one = make_kernel(with, "second", "K1");
	cl_kernel other = make_kernel(without, "second", "K2");

	show_arguments(one);
	show_arguments(other);
	show_kernel(world, one);
	show_kernel(world, other);
	release_kernel(other);
	release_program(without);
	show_arguments(one);
	release_kernel(one);
	release_program(with);
}

/* PoCL tells no options from empty ones. */
static void play_info_no_options(struct world *world)
{
	cl_program none = make_program(world, "P1", shared);
	cl_program empty = make_built(world, "P2", shared, "");
	cl_kernel one, other;

	build(world, none, NULL);
	one = make_kernel(none, "first", "K1");
	other = make_kernel(empty, "first", "K2");
	show_arguments(one);
	show_arguments(other);
	release_kernel(one);
	release_kernel(other);
	release_program(none);
	release_program(empty);
}

/* Built again: what is said is about the new program. */
static const char typed[] =
	"#ifdef OTHER\n#define TYPE float\n#else\n#define TYPE int\n"
	"#endif\n"
	"__kernel void k(__global TYPE *out, TYPE value)\n"
	"{ out[get_global_id(0)] = value; }\n";

static void play_info_rebuilt(struct world *world)
{
	cl_program program =
		make_built(world, "P1", typed, "-cl-kernel-arg-info");
	cl_kernel kernel = make_kernel(program, "k", "K1");

	show_arguments(kernel);
	release_kernel(kernel);
	build(world, program, "-cl-kernel-arg-info -DOTHER");
	kernel = make_kernel(program, "k", "K2");
	show_arguments(kernel);
	release_kernel(kernel);
	release_program(program);
}

static void show_attributes(const struct world *world, const char *source,
			    const char *options, const char *const *functions,
			    size_t count)
{
	cl_program program = make_built(world, "P1", source, options);
	cl_kernel kernel;
	size_t i;

	for (i = 0; i < count; i++) {
		kernel = make_kernel(program, functions[i], functions[i]);
		if (!kernel)
			continue;
		show_kernel(world, kernel);
		release_kernel(kernel);
	}
	release_program(program);
}

static void play_attribute_forms(struct world *world)
{
	static const char source[] =
		"__attribute__((reqd_work_group_size(2, 2, 1),"
		" vec_type_hint(int)))\n"
		"__kernel void listed(__global int *out, int x) { out[0] = x; "
		"}\n"
		"__kernel __attribute__((work_group_size_hint(4, 2, 1)))\n"
		"void after(__global int *out, int x) { out[0] = x; }\n"
		"__kernel void __attribute__((__reqd_work_group_size__(1,1,1))"
		") late(__global int *out, int x) { out[0] = x; }\n"
		"__attribute__((vec_type_hint(uchar16))) "
		"__attribute__((reqd_work_group_size(8,1,1)))\n"
		"__attribute__((work_group_size_hint(8,1,1)))\n"
		"kernel void several(__global int *out, int x) { out[0] = x; "
		"}\n";
	static const char *const functions[] = {"listed", "after", "late",
						"several"};

	show_attributes(world, source, "", functions, LENGTH(functions));
}

static void play_attribute_macros(struct world *world)
{
	static const char source[] =
		"#define GROUP(n) __attribute__((reqd_work_group_size(n, 1, "
		"1)))\n"
		"#define KERNEL(name) __kernel void name(__global int *out, "
		"int x) { out[0] = x; }\n"
		"GROUP(SIZE) KERNEL(one)\n"
		"GROUP(SIZE * 2) KERNEL(two)\n"
		"KERNEL(three)\n";
	static const char *const functions[] = {"one", "two", "three"};

	show_attributes(world, source, "-DSIZE=4", functions,
			LENGTH(functions));
}

static void play_type_hints(struct world *world)
{
	static const char source[] =
		"#define K(name, t) __attribute__((vec_type_hint(t))) "
		"__kernel void name(__global int *out) { out[0] = 1; }\n"
		"K(a, char) K(b, ushort2) K(c, int3) K(d, ulong4) K(e, "
		"float8)\n"
		"typedef float4 quad;\nK(f, quad)\n";
	static const char *const functions[] = {"a", "b", "c", "d", "e", "f"};

	show_attributes(world, source, "", functions, LENGTH(functions));
}

/* Asked after the context is gone, too. */
static void play_attributes_late(struct world *world)
{
	struct world second;
	cl_program program;
	cl_kernel kernel;

	(void)world;
	world_open(&second);
	name_handle(second.context, "context 2");
	program = make_built(&second, "P1", shared, "-cl-kernel-arg-info");
	kernel = make_kernel(program, "second", "K1");
	release_program(program);
	world_close(&second);
	show_kernel(&second, kernel);
	show_arguments(kernel);
	release_kernel(kernel);
}

static const struct scene scenes[] = {
	SCENE("argument-qualifiers", play_qualifiers, 1, 0, 0),
	SCENE("argument-types", play_types, 1, 0, 0),
	SCENE("image-types", play_image_types, 1, 0, 0,
	      /* It isn't built there. */
	      ON(UNLIKE("nvidia", 0, 1, 0), UNLIKE("pocl-7", 0, 1, 0))),
	SCENE("read-write-image", play_read_write_image, 1, 0, 0,
	      ON(UNLIKE("pocl-7", 0, 1, 0))),
	/* What doesn't compile isn't stored. */
	SCENE("no-arguments", play_no_arguments, 1, 0, 0,
	      ON(UNLIKE("nvidia", 0, 1, 0))),
	SCENE("many-arguments", play_many_arguments, 1, 0, 0),
	SCENE("info-after-release", play_info_after_release, 1, 0, 0),
	SCENE("info-and-not", play_info_and_not, 2, 0, 0),
	SCENE("info-no-options", play_info_no_options, 2, 0, 0),
	SCENE("info-rebuilt", play_info_rebuilt, 1, ANY, ANY,
	      SEED(typed, "-cl-kernel-arg-info")),
	SCENE("attribute-forms", play_attribute_forms, 1, 0, 0),
	SCENE("attribute-macros", play_attribute_macros, 1, 0, 0),
	SCENE("type-hints", play_type_hints, 1, 0, 0),
	SCENE("attributes-late", play_attributes_late, 1, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
