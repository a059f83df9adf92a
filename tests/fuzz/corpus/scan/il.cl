/* SPDX-License-Identifier: MIT */
/* il.h has what becomes of this; see there. */
int __attribute__((overloadable)) __spirv_SpecConstant(int, int);

__kernel void scale(__global int *out, int x)
{
	out[get_global_id(0)] =
		__spirv_SpecConstant(7, 3) * x + __spirv_SpecConstant(9, 100);
}

__kernel void plain(__global int *out, int x)
{
	out[get_global_id(0)] = (int)get_global_id(0) + x;
}
