/* SPDX-License-Identifier: MIT */
#include "hash/predefined.h"

#include <stdlib.h>
#include <string.h>

/* Whole families of names. */
static const char *const prefixes[] = {
	"ATOMIC_", "CL",    "DBL_",	  "DECL_",  "FLT_",   "FP_FAST_",
	"GPU_",	   "HALF_", "IMG_",	  "LLVM_",  "M_",     "NVCL_",
	"POCL_",   "SPIR_", "as_",	  "async_", "atom_",  "atomic_",
	"cl_",	   "cles_", "convert_",	  "get_",   "half_",  "intel_",
	"native_", "read_", "sub_group_", "vload",  "vstore", "work_group_",
	"write_",
};

static const char *const suffixes[] = {"_MAX", "_MIN"};

/* All others, in the order of strcmp(). */
static const char *const names[] = {
	"ALIGN4",
	"ALIGN8",
	"CHAR_BIT",
	"FP_ILOGB0",
	"FP_ILOGBNAN",
	"GEN_ADDR",
	"H",
	"HUGE_VAL",
	"HUGE_VALF",
	"INFINITY",
	"INTTYPE",
	"INT_FLOAT_UNION",
	"LONG_DOUBLE_UNION",
	"MAXFLOAT",
	"MAX_KERNEL_ARGS",
	"MAX_KERNEL_NAME_LENGTH",
	"MAX_WORK_DIM",
	"NAN",
	"NULL",
	"abs",
	"abs_diff",
	"acos",
	"acosh",
	"acospi",
	"add_sat",
	"all",
	"amd64",
	"any",
	"arm",
	"asin",
	"asinh",
	"asinpi",
	"atan",
	"atan2",
	"atan2pi",
	"atanh",
	"atanpi",
	"auto",
	"bitselect",
	"bool",
	"cbrt",
	"ceil",
	"clamp",
	"clz",
	"const",
	"copysign",
	"cos",
	"cosh",
	"cospi",
	"cross",
	"ctz",
	"degrees",
	"distance",
	"dot",
	"double",
	"erf",
	"erfc",
	"exp",
	"exp10",
	"exp2",
	"expm1",
	"extern",
	"fabs",
	"false",
	"fast_distance",
	"fast_length",
	"fast_normalize",
	"fdim",
	"floor",
	"fma",
	"fmax",
	"fmin",
	"fmod",
	"fract",
	"frexp",
	"hadd",
	"hypot",
	"i386",
	"ilogb",
	"inline",
	"isequal",
	"isfinite",
	"isgreater",
	"isgreaterequal",
	"isinf",
	"isless",
	"islessequal",
	"islessgreater",
	"isnan",
	"isnormal",
	"isnotequal",
	"isordered",
	"isunordered",
	"kernel_exec",
	"ldexp",
	"length",
	"lgamma",
	"lgamma_r",
	"linux",
	"log",
	"log10",
	"log1p",
	"log2",
	"logb",
	"mad",
	"mad24",
	"mad_hi",
	"mad_sat",
	"max",
	"maxmag",
	"mem_fence",
	"min",
	"minmag",
	"mips",
	"mix",
	"modf",
	"mul24",
	"mul_hi",
	"nan",
	"nextafter",
	"normalize",
	"pixel",
	"popcount",
	"pow",
	"pown",
	"powr",
	"prefetch",
	"radians",
	"register",
	"remainder",
	"remquo",
	"restrict",
	"rhadd",
	"rint",
	"rootn",
	"rotate",
	"round",
	"rsqrt",
	"select",
	"shuffle",
	"shuffle2",
	"sign",
	"signbit",
	"signed",
	"sin",
	"sincos",
	"sinh",
	"sinpi",
	"size_t",
	"smoothstep",
	"sqrt",
	"static",
	"step",
	"sub_sat",
	"tan",
	"tanh",
	"tanpi",
	"tgamma",
	"true",
	"trunc",
	"uintptr_t",
	"unix",
	"upsample",
	"vector",
	"volatile",
	"wait_group_events",
};

static int compare(const void *name, const void *item)
{
	return strcmp(name, *(const char *const *)item);
}

static bool has_suffix(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (length > strlen(suffixes[i]) &&
		    !strcmp(name + length - strlen(suffixes[i]), suffixes[i]))
			return true;
	return false;
}

bool occ_predefined(const char *name)
{
	if (*name == '_' &&
	    (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')))
		return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return has_suffix(name) ||
	       bsearch(name, names, sizeof(names) / sizeof(*names),
		       sizeof(*names), compare);
}
