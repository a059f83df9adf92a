/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void halves(global const float *in, global half *out)
{
	uint i = get_global_id(0);
	half2 x = (half2)((half)in[i], (half)(in[i] * 0.5f));

	for (int j = 0; j < 64; j++)
		x = fma(x, x * (half)0.5f, (half2)((half)0.25f, (half)0.125f));
	out[i] = x.x + x.y;
}
