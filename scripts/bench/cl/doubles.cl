/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void doubles(global const float *in, global double *out)
{
	uint i = get_global_id(0);
	double x = in[i], sum = 0;

	for (int j = 0; j < 8; j++) {
		x = fma(x, 0.75, 0.125);
		sum += sqrt(x) * exp(-x) + log(1 + x) / (x + j);
	}
	out[i] = sum;
}
