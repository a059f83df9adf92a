/* SPDX-License-Identifier: MIT */
/*
 * The programs that come with probe: OpenCL C, and the same arithmetic on the
 * host to check the results. All kernels read and write uints, so that the
 * results are exact and equal on every device.
 */
#ifndef OCC_SCRIPTS_PROBE_KERNELS_H
#define OCC_SCRIPTS_PROBE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The largest work-group of the kernels with local memory. */
#define PROBE_MAX_LOCAL 256

/* Fills out[0..n) as the kernel does with work-groups of `local` items. */
typedef void probe_expected_fn(const uint32_t *in, uint32_t *out, size_t n,
			       size_t local);

struct probe_kernel {
	const char *name;
	probe_expected_fn *expected;
};

struct probe_program {
	const char *name;
	const char *source;
	struct probe_kernel kernels[2];
	int needs_local; /* a work-group size must be given */
};

static void small_scale(const uint32_t *in, uint32_t *out, size_t n,
			size_t local)
{
	(void)local;
	for (size_t i = 0; i < n; i++)
		out[i] = in[i] * 3 + 1;
}

static void small_mix(const uint32_t *in, uint32_t *out, size_t n, size_t local)
{
	(void)local;
	for (size_t i = 0; i < n; i++) {
		uint32_t x = in[i] + 1;

		for (int round = 0; round < 16; round++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
		}
		out[i] = x;
	}
}

static void barriers_reverse(const uint32_t *in, uint32_t *out, size_t n,
			     size_t local)
{
	for (size_t i = 0; i < n; i++) {
		size_t first = i - i % local;

		out[i] = in[first + local - 1 - i % local] + 1;
	}
}

static void barriers_sum(const uint32_t *in, uint32_t *out, size_t n,
			 size_t local)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum = i % local ? sum + in[i] : in[i];
		out[i] = sum;
	}
}

static const struct probe_program probe_programs[] = {
	{
		"small",
		"kernel void small_scale(global const uint *in,\n"
		"                        global uint *out)\n"
		"{\n"
		"    size_t i = get_global_id(0);\n"
		"    out[i] = in[i] * 3 + 1;\n"
		"}\n"
		"kernel void small_mix(global const uint *in,\n"
		"                      global uint *out)\n"
		"{\n"
		"    size_t i = get_global_id(0);\n"
		"    uint x = in[i] + 1;\n"
		"    for (int round = 0; round < 16; round++) {\n"
		"        x ^= x << 13;\n"
		"        x ^= x >> 17;\n"
		"        x ^= x << 5;\n"
		"    }\n"
		"    out[i] = x;\n"
		"}\n",
		{{"small_scale", small_scale}, {"small_mix", small_mix}},
		0,
	},
	{
		"barriers",
		"#define MAX_LOCAL 256\n"
		"kernel void barriers_reverse(global const uint *in,\n"
		"                             global uint *out)\n"
		"{\n"
		"    local uint tile[MAX_LOCAL];\n"
		"    size_t l = get_local_id(0);\n"
		"    tile[l] = in[get_global_id(0)];\n"
		"    barrier(CLK_LOCAL_MEM_FENCE);\n"
		"    out[get_global_id(0)] =\n"
		"        tile[get_local_size(0) - 1 - l] + 1;\n"
		"}\n"
		"kernel void barriers_sum(global const uint *in,\n"
		"                         global uint *out)\n"
		"{\n"
		"    local uint sums[MAX_LOCAL];\n"
		"    size_t l = get_local_id(0);\n"
		"    sums[l] = in[get_global_id(0)];\n"
		"    barrier(CLK_LOCAL_MEM_FENCE);\n"
		"    for (size_t d = 1; d < get_local_size(0); d *= 2) {\n"
		"        uint left = l >= d ? sums[l - d] : 0;\n"
		"        barrier(CLK_LOCAL_MEM_FENCE);\n"
		"        sums[l] += left;\n"
		"        barrier(CLK_LOCAL_MEM_FENCE);\n"
		"    }\n"
		"    out[get_global_id(0)] = sums[l];\n"
		"}\n",
		{{"barriers_reverse", barriers_reverse},
		 {"barriers_sum", barriers_sum}},
		1,
	},
};

#endif
