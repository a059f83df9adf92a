/* SPDX-License-Identifier: MIT */
/*
 * Scenes with more than one device in the context: whichever part of the
 * program was built, each device must answer as without the layer.
 */
#include "tests/layer/scene.h"

#define DEVICES 2

static const char source[] = "#ifndef N\n#define N 1\n#endif\n"
			     "__kernel void scale(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = N * x; }\n";

struct pair {
	struct world world[DEVICES]; /* one context, a queue per device */
	cl_device_id devices[DEVICES];
};

/* Two devices of the platform, or two halves of its only one. */
static void open_pair(struct world *world, struct pair *pair)
{
	const cl_device_partition_property halves[] = {
		CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_uint count = 0;
	cl_int code;
	int i;

	clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, DEVICES,
		       pair->devices, &count);
	if (count < DEVICES) {
		/* Its table has no such call. */
		if (world->rusticl)
			skip("one device, and no sub-devices");
		code = clCreateSubDevices(world->device, halves, 0, NULL,
					  &count);
		if (code != CL_SUCCESS || count < DEVICES)
			skip("one device, and no two halves of it");
		must(clCreateSubDevices(world->device, halves, count,
					pair->devices, NULL),
		     "clCreateSubDevices");
	}
	pair->world[0] = *world;
	pair->world[0].context = clCreateContext(NULL, DEVICES, pair->devices,
						 NULL, NULL, &code);
	must(code, "clCreateContext");
	name_handle(pair->world[0].context, "pair context");
	for (i = 0; i < DEVICES; i++) {
		pair->world[i] = pair->world[0];
		pair->world[i].device = pair->devices[i];
		name_handle(pair->devices[i], i ? "device B" : "device A");
		pair->world[i].queue = clCreateCommandQueueWithProperties(
			pair->world[i].context, pair->devices[i], NULL, &code);
		must(code, "clCreateCommandQueueWithProperties");
	}
}

static void show_pair(const struct pair *pair, cl_program program)
{
	int i;

	show_program(&pair->world[0], program);
	for (i = 1; i < DEVICES; i++)
		show_build(&pair->world[i], program);
}

static void build_pair(const struct pair *pair, cl_program program,
		       cl_uint count, int first, const char *options)
{
	cl_int code = clBuildProgram(program, count,
				     count ? pair->devices + first : NULL,
				     options, NULL, NULL);

	say("build %u devices from %d with %s: %d", count, first, options,
	    code);
}

static void run_pair(const struct pair *pair, cl_program program)
{
	cl_kernel kernel = make_kernel(program, "scale", "K");
	int i;

	if (!kernel)
		return;
	for (i = 0; i < DEVICES; i++)
		show_run(&pair->world[i], kernel, 5 + i);
	release_kernel(kernel);
}

static void run_one(const struct pair *pair, cl_program program, int device)
{
	cl_kernel kernel = make_kernel(program, "scale", "K");

	if (!kernel)
		return;
	show_run(&pair->world[device], kernel, 9);
	release_kernel(kernel);
}

static void play_all_devices(struct world *world)
{
	struct pair pair;
	cl_program program;

	open_pair(world, &pair);
	program = make_program(&pair.world[0], "P1", source);
	build_pair(&pair, program, DEVICES, 0, "-DN=2");
	show_pair(&pair, program);
	run_pair(&pair, program);
	release_program(program);
	program = make_program(&pair.world[0], "P2", source);
	build_pair(&pair, program, 0, 0, "-DN=3");
	show_pair(&pair, program);
	run_pair(&pair, program);
	release_program(program);
}

static void play_one_device(struct world *world)
{
	struct pair pair;
	cl_program program;

	open_pair(world, &pair);
	program = make_program(&pair.world[0], "P1", source);
	build_pair(&pair, program, 1, 1, "-DN=2");
	show_build(&pair.world[1], program);
	run_one(&pair, program, 1);
	release_program(program);
}

static void play_one_then_other(struct world *world)
{
	struct pair pair;
	cl_program program;

	open_pair(world, &pair);
	program = make_program(&pair.world[0], "P1", source);
	build_pair(&pair, program, 1, 0, "-DN=2");
	run_one(&pair, program, 0);
	build_pair(&pair, program, 1, 1, "-DN=4");
	run_one(&pair, program, 1);
	show_build(&pair.world[1], program);
	build_pair(&pair, program, DEVICES, 0, "-DN=6");
	show_pair(&pair, program);
	run_pair(&pair, program);
	release_program(program);
}

static void play_all_then_one(struct world *world)
{
	struct pair pair;
	cl_program program;

	open_pair(world, &pair);
	program = make_program(&pair.world[0], "P1", source);
	build_pair(&pair, program, 0, 0, "-DN=2");
	run_pair(&pair, program);
	build_pair(&pair, program, 1, 1, "-DN=4");
	show_pair(&pair, program);
	run_one(&pair, program, 1);
	release_program(program);
}

static void play_foreign_device(struct world *world)
{
	struct pair pair;
	cl_program program;
	cl_int code;

	open_pair(world, &pair);
	program = make_program(world, "P1", source);
	if (world->device == pair.devices[0]) {
		code = clBuildProgram(program, 1, &pair.devices[1], "", NULL,
				      NULL);
		say("another device: %d", code);
	}
	build(world, program, "-DN=2");
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("all-devices", play_all_devices, 4, 0, 0),
	SCENE("one-device", play_one_device, ANY, ANY, ANY),
	SCENE("one-then-other", play_one_then_other, ANY, ANY, ANY),
	/* Built again before its last release: PoCL's wasn't stored. */
	SCENE("all-then-one", play_all_then_one, 2, 0, 1,
	      ON(UNLIKE("pocl", 0, 1, 1))),
	SCENE("foreign-device", play_foreign_device, ANY, ANY, ANY),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
