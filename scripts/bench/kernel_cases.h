/* SPDX-License-Identifier: MIT */
/*
 * Kernels of many kinds, in scripts/bench/cl/NAME.cl. Each is launched with
 * KERNEL_BASE << scale work-items in groups of KERNEL_GROUP. Arguments, a
 * letter each: o the output, i numbers of 32 random bits, f floats from 0 to 1
 * (both with as many bytes per work-item as `in` says), c constant memory (4
 * KiB), n the number of work-items, l local memory (1 KiB), r an image, s a
 * sampler, S a struct of 144 bytes, v a float4.
 */
#ifndef SCRIPTS_KERNEL_CASES_H
#define SCRIPTS_KERNEL_CASES_H

#include <stddef.h>

#define KERNEL_GROUP 256
#define KERNEL_BASE  ((size_t)16 * KERNEL_GROUP)
/* The largest scale. */
#define KERNEL_SCALE 14

struct kernel_case {
	const char *name;
	const char *arguments;
	size_t in, out;	     /* bytes per work-item */
	const char *needs;   /* an extension, or NULL */
	const char *options; /* NULL: "" */
	const char *source;  /* NULL: as it is called */
};

static const struct kernel_case kernel_cases[] = {
	{"vector_add", "ffo", 4, 4},
	{"vector_types", "io", 16, 16},
	{"matrix_multiply", "ffon", 4, 4},
	{"reduction", "ion", 4, 4},
	{"scan", "io", 4, 4},
	{"histogram", "ion", 4, 4},
	{"global_atomics", "ion", 4, 4},
	{"fourier", "fo", 8, 8},
	{"stencil", "fon", 4, 4},
	{"bodies", "fo", 16, 16},
	{"mandelbrot", "on", 4, 4},
	{"sha256", "ion", 4, 32},
	{"md5", "ion", 4, 16},
	{"bits", "io", 4, 4},
	{"doubles", "fo", 4, 8, "cl_khr_fp64"},
	{"halves", "fo", 4, 2, "cl_khr_fp16"},
	{"half_storage", "io", 8, 8},
	{"image_filter", "rso", 4, 16},
	{"never_printed", "ion", 4, 4},
	{"private_array", "io", 4, 4},
	{"calls", "io", 4, 4},
	{"tables", "ico", 4, 4},
	{"functions", "fo", 4, 4},
	{"division", "io", 4, 4},
	{"structures", "fSvo", 16, 16},
	{"transpose", "fon", 4, 4},
	{"sort", "io", 4, 4},
	{"edges", "ion", 4, 4},
	{"random", "on", 4, 16},
	{"wide_numbers", "io", 8, 8},
	{"async_copy", "ilo", 4, 4},
	{"saturating", "io", 4, 4},
	{"branches", "ion", 4, 4},
	{"bytes", "io", 4, 2},
	{"chain", "fo", 4, 4},
	{"gather", "ion", 4, 4},
	/* The same again, otherwise compiled. */
	{"bodies fast", "fo", 16, 16, NULL, "-cl-fast-relaxed-math", "bodies"},
	{"functions fast", "fo", 4, 4, NULL, "-cl-fast-relaxed-math",
	 "functions"},
	{"sort unoptimised", "io", 4, 4, NULL, "-cl-opt-disable", "sort"},
	{"sha256 spilled", "ion", 4, 32, "cl_nv_compiler_options",
	 "-cl-nv-maxrregcount=24", "sha256"},
	{"scan as 3.0", "io", 4, 4, NULL, "-cl-std=CL3.0", "scan"},
};

#endif
