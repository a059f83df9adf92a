/* SPDX-License-Identifier: MIT */
/*
 * Programs that use one thing each that device code could lose. Arguments of
 * kernels, a letter each: o a buffer that is compared, i one to read,
 * u uint 3, f float 1.5, l local memory (4 KiB), L
 * as much as there may be, s sampler, r image to read, w image that is
 * compared, S a struct of 256 bytes, v float4.
 */
#ifndef SCRIPTS_NVIDIA_CASES_H
#define SCRIPTS_NVIDIA_CASES_H

#include <stddef.h>

#define CASE_KERNELS 4

struct nvidia_case {
	const char *name;
	const char *options;
	struct {
		const char *name;
		const char *arguments;
	} kernels[CASE_KERNELS];
	const char *source;
};

#define ID "size_t i = get_global_id(0);\n"

#define PLAIN                                                                  \
	"kernel void k(global uint *o, global const uint *in, uint n) {\n" ID  \
	"uint x = in[i]; for (uint j = 0; j < n + 5; j++) x = x * 1664525u +"  \
	" in[(x + j) & 1023];\no[i] = x; }\n"

#define FLOATS                                                                 \
	"kernel void k(global float *o, global const uint *in) {\n" ID         \
	"float x = (float)(in[i] & 0xffff) / 777.0f + 1e-39f;\n"               \
	"o[i] = x / 3.1f + sqrt(x) * sin(x) + pow(x, 0.3f) + lgamma(x + 1) +"  \
	" fma(x, x, 1.0f) + native_exp(-x) + x * x + 1e-40f; }\n"

static const struct nvidia_case nvidia_cases[] = {
	{"plain", "", {{"k", "oiu"}}, PLAIN},
	{"argument-info", "-cl-kernel-arg-info", {{"k", "oiu"}}, PLAIN},
	{"maxrregcount-16", "-cl-nv-maxrregcount=16", {{"k", "oi"}}, FLOATS},
	{"maxrregcount-32", "-cl-nv-maxrregcount 32", {{"k", "oi"}}, FLOATS},
	{"opt-level-0", "-cl-nv-opt-level=0", {{"k", "oi"}}, FLOATS},
	{"opt-level-1", "-cl-nv-opt-level 1", {{"k", "oi"}}, FLOATS},
	{"verbose", "-cl-nv-verbose", {{"k", "oi"}}, FLOATS},
	{"arch", "-cl-nv-arch sm_80", {{"k", "oi"}}, FLOATS},
	{"nv-cstd", "-cl-nv-cstd=CL1.2", {{"k", "oi"}}, FLOATS},
	{"opt-disable", "-cl-opt-disable", {{"k", "oi"}}, FLOATS},
	{"debug", "-g", {{"k", "oi"}}, FLOATS},
	{"debug-opt-disable", "-g -cl-opt-disable", {{"k", "oi"}}, FLOATS},
	{"fast", "-cl-fast-relaxed-math", {{"k", "oi"}}, FLOATS},
	{"unsafe", "-cl-unsafe-math-optimizations", {{"k", "oi"}}, FLOATS},
	{"mad", "-cl-mad-enable", {{"k", "oi"}}, FLOATS},
	{"denorms", "-cl-denorms-are-zero", {{"k", "oi"}}, FLOATS},
	{"correct-sqrt",
	 "-cl-fp32-correctly-rounded-divide-sqrt",
	 {{"k", "oi"}},
	 FLOATS},
	{"uniform",
	 "-cl-std=CL2.0 -cl-uniform-work-group-size",
	 {{"k", "oi"}},
	 FLOATS},
	{"cl11", "-cl-std=CL1.1", {{"k", "oi"}}, FLOATS},
	{"cl12", "-cl-std=CL1.2", {{"k", "oi"}}, FLOATS},
	{"cl20", "-cl-std=CL2.0", {{"k", "oi"}}, FLOATS},
	{"cl30", "-cl-std=CL3.0", {{"k", "oi"}}, FLOATS},
	{"empty", "", {{NULL, NULL}}, "int nothing(int x) { return x; }\n"},
	{"really-empty", "", {{NULL, NULL}}, " "},
	{"printf",
	 "",
	 {{"k", "ou"}},
	 "kernel void k(global uint *o, uint n) {\n" ID
	 "if (i < 4) printf(\"%d %s %v2d %f\\n\", (int)i, \"text\","
	 " (int2)(1, (int)n), 1.5f);\no[i] = n; }\n"},
	{"samplers",
	 "",
	 {{"k", "orws"}},
	 "constant sampler_t fixed = CLK_NORMALIZED_COORDS_TRUE |"
	 " CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;\n"
	 "constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE |"
	 " CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
	 "kernel void k(global float *o, read_only image2d_t r,\n"
	 "write_only image2d_t w, sampler_t s) {\n" ID
	 "float2 p = (float2)((i & 31) / 29.0f, (i >> 5) / 27.0f);\n"
	 "float4 a = read_imagef(r, fixed, p), b = read_imagef(r, s, p);\n"
	 "float4 c = read_imagef(r, near, (int2)((int)i, 3));\n"
	 "o[i] = a.x + b.y * 3 + c.z * 7 + get_image_width(r);\n"
	 "write_imagef(w, (int2)((int)i & 31, (int)i >> 5), a + b * c); }\n"},
	{"inline-sampler",
	 "",
	 {{"k", "or"}},
	 "kernel void k(global float *o, read_only image2d_t r) {\n" ID
	 "const sampler_t s = CLK_NORMALIZED_COORDS_TRUE |"
	 " CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;\n"
	 "o[i] = read_imagef(r, s, (float2)(i / 31.0f, i / 17.0f)).x; }\n"},
	{"global-variable",
	 "-cl-std=CL3.0",
	 {{"k", "ou"}, {"l", "ou"}},
	 "global uint seed = 1234567u;\nglobal uint table[4] = {1, 2, 3, 5};\n"
	 "global uint zero;\nglobal uint *global place = &seed;\n"
	 "kernel void k(global uint *o, uint n) {\n" ID
	 "if (!i) { seed += n; zero += 7; }\no[i] = table[i & 3] + n; }\n"
	 "kernel void l(global uint *o, uint n) {\n" ID
	 "o[i] = *place + zero + n; }\n"},
	{"constant-tables",
	 "",
	 {{"k", "oi"}},
	 "constant uint small[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
	 "constant float more[4] = {1.5f, 2.5f, 3.5f, 4.5f};\n"
	 "constant uint large[4096] = {[7] = 77, [4000] = 5};\n"
	 "constant struct { char a; double b; uint c[3]; } s = {1, 2.5, {4, 5,"
	 " 6}};\n"
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "o[i] = small[in[i] & 7] + (uint)more[in[i] & 3] + large[in[i] &"
	 " 4095] + s.c[in[i] % 3] + (uint)s.b; }\n"},
	{"constant-argument",
	 "",
	 {{"k", "oi"}},
	 "kernel void k(global uint *o, constant uint *in) {\n" ID
	 "o[i] = in[(i * 7) & 1023]; }\n"},
	{"local-memory",
	 "",
	 {{"k", "oilu"}},
	 "kernel void k(global uint *o, global const uint *in,\n"
	 "local uint *t, uint n) {\n" ID
	 "local uint fixed[64];\nsize_t l = get_local_id(0);\n"
	 "t[l] = in[i]; fixed[l] = in[i] * 3;\nbarrier(1);\n"
	 "o[i] = t[63 - l] + fixed[(l + n) & 63]; }\n"},
	{"local-47k",
	 "",
	 {{"k", "oi"}},
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "local uint t[12000];\nsize_t l = get_local_id(0);\n"
	 "for (size_t j = l; j < 12000; j += get_local_size(0)) t[j] = in[j &"
	 " 1023];\nbarrier(1);\no[i] = t[(i * 97) % 12000]; }\n"},
	{"local-60k",
	 "",
	 {{"k", "oi"}},
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "local uint t[15000];\nsize_t l = get_local_id(0);\n"
	 "for (size_t j = l; j < 15000; j += get_local_size(0)) t[j] = in[j &"
	 " 1023];\nbarrier(1);\no[i] = t[(i * 97) % 15000]; }\n"},
	{"local-argument-most",
	 "",
	 {{"k", "oiL"}},
	 "kernel void k(global uint *o, global const uint *in, local uint *t)"
	 " {\n" ID
	 "size_t l = get_local_id(0);\nt[l] = in[i]; t[4000 + l] = 9;\n"
	 "barrier(1);\no[i] = t[63 - l] + t[4000]; }\n"},
	{"not-inlined",
	 "",
	 {{"k", "oi"}, {"l", "oi"}},
	 "__attribute__((noinline)) uint helper(uint x, global const uint *in)"
	 " { uint y = x; for (int j = 0; j < 9; j++) y = y * 31 + in[y & 1023];"
	 " return y; }\n"
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "o[i] = helper(in[i], in) ^ helper(in[i] + 1, in); }\n"
	 "kernel void l(global uint *o, global const uint *in) {\n" ID
	 "o[i] = helper(in[i] * 3, in); }\n"},
	{"static-helper",
	 "",
	 {{"k", "oi"}, {"l", "oi"}},
	 "static __attribute__((noinline)) uint helper(uint x, uint z)"
	 " { uint y = x; for (uint j = 0; j < (z & 15); j++) y = y * 31 + j;"
	 " return y; }\n"
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "o[i] = helper(in[i], 3) ^ helper(in[i] + 1, in[i]); }\n"
	 "kernel void l(global uint *o, global const uint *in) {\n" ID
	 "o[i] = helper(in[i] * 3, in[i]); }\n"},
	{"kernel-calls-kernel",
	 "",
	 {{"zebra", "oi"}, {"apple", "oi"}, {"k", "oi"}},
	 "kernel void zebra(global uint *o, global const uint *in) {\n" ID
	 "o[i] = in[i] + 1; }\n"
	 "kernel void apple(global uint *o, global const uint *in) {\n"
	 "zebra(o, in);\n" ID "o[i] *= 5; }\n"
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "apple(o, in); o[i] ^= 3; }\n"},
	{"attributes",
	 "-cl-kernel-arg-info",
	 {{"k", "oi"}, {"l", "oi"}},
	 "__attribute__((reqd_work_group_size(64, 1, 1)))\n"
	 "kernel void k(global uint *restrict o, const global uint *in) {\n" ID
	 "o[i] = in[i] + 1; }\n"
	 "__attribute__((work_group_size_hint(32, 1, 1),"
	 " vec_type_hint(float4)))\n"
	 "kernel void l(global volatile uint *o, global const uint *in) {\n" ID
	 "o[i] = in[i] * 2; }\n"},
	{"struct-argument",
	 "-cl-kernel-arg-info",
	 {{"k", "oSvf"}},
	 "struct big { uint a[60]; float4 f; };\n"
	 "kernel void k(global uint *o, struct big s, float4 v, float f) {\n" ID
	 "o[i] = s.a[i % 60] + (uint)(s.f.x + v.y * f); }\n"},
	{"images",
	 "-cl-kernel-arg-info",
	 {{"k", "orw"}},
	 "kernel void k(global float *o, read_only image2d_t r,"
	 " write_only image2d_t w) {\n" ID
	 "int2 p = (int2)((int)i & 31, (int)i >> 5);\n"
	 "float4 a = read_imagef(r, p);\no[i] = a.x;\n"
	 "write_imagef(w, p, a.wzyx); }\n"},
	{"doubles",
	 "",
	 {{"k", "oi"}},
	 "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	 "kernel void k(global double *o, global const uint *in) {\n" ID
	 "if (i < 512) { double x = in[i] / 3.7;\n"
	 "o[i] = sin(x) + exp(-x / 1e9) + sqrt(x) + erf(x); } }\n"},
	{"halves",
	 "",
	 {{"k", "oi"}},
	 "kernel void k(global half *o, global const uint *in) {\n" ID
	 "vstore_half((float)(in[i] & 1023) / 7, i, o);\n"
	 "vstore_half_rte(vload_half(i, o) * 3, i, o); }\n"},
	{"atomics",
	 "",
	 {{"k", "oi"}},
	 "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "local uint s; if (!get_local_id(0)) s = 0;\nbarrier(1);\n"
	 "atomic_add(&s, in[i]); atomic_max(&o[i & 7], in[i]);\nbarrier(1);\n"
	 "if (i > 100) o[i] = s; }\n"},
	{"private-arrays",
	 "",
	 {{"k", "oiu"}},
	 "kernel void k(global uint *o, global const uint *in, uint n) {\n" ID
	 "uint t[300];\nfor (uint j = 0; j < 300; j++) t[j] = in[(i + j) &"
	 " 1023];\nfor (uint j = 0; j < 100; j++) t[t[j] % 300] += t[(j * n) %"
	 " 300];\nuint x = 0;\nfor (uint j = 0; j < 300; j++) x = x * 3 +"
	 " t[j];\no[i] = x; }\n"},
	{"assembly",
	 "",
	 {{"k", "oi"}},
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "uint x;\nasm volatile(\"lop3.b32 %0, %1, %2, %3, 0x96;\" : \"=r\"(x) "
	 ":"
	 " \"r\"(in[i]), \"r\"((uint)i), \"r\"(7u));\no[i] = x; }\n"},
	{"vectors",
	 "",
	 {{"k", "oi"}},
	 "kernel void k(global uint4 *o, global const uint4 *in) {\n" ID
	 "if (i < 256) { uint4 x = in[i]; char16 c = as_char16(x);\n"
	 "o[i] = x.wzyx + as_uint4(c.s1032547698badcfe); } }\n"},
	{"warning",
	 "",
	 {{"k", "oi"}},
	 "#warning something\n"
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "int unused = 3; o[i] = in[i]; }\n"},
	{"generic",
	 "-cl-std=CL3.0",
	 {{"k", "oil"}},
	 "uint get(uint *p) { return *p + 1; }\n"
	 "kernel void k(global uint *o, global uint *in, local uint *t) {\n" ID
	 "size_t l = get_local_id(0);\nt[l] = in[i]; uint x = in[i];\n"
	 "barrier(1);\no[i] = get(&t[l]) + get(&in[i]) + get(&x); }\n"},
	{"work-groups",
	 "-cl-std=CL3.0",
	 {{"k", "oi"}},
	 "kernel void k(global uint *o, global const uint *in) {\n" ID
	 "o[i] = (uint)(get_num_groups(0) * 1000 + get_global_offset(0) +"
	 " get_enqueued_local_size(0) + get_work_dim()) + in[i]; }\n"},
	{"many-kernels",
	 "",
	 {{"z1", "o"}, {"a9", "o"}, {"m5", "o"}, {"b2", "o"}},
	 "kernel void z1(global uint *o) { o[get_global_id(0)] = 1; }\n"
	 "kernel void a9(global uint *o) { o[get_global_id(0)] = 9; }\n"
	 "kernel void m5(global uint *o) { o[get_global_id(0)] = 5; }\n"
	 "kernel void b2(global uint *o) { o[get_global_id(0)] = 2; }\n"},
};

#endif
