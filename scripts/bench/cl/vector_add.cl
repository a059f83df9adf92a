/* SPDX-License-Identifier: MIT */
kernel void vector_add(global const float *a, global const float *b,
		       global float *out)
{
	size_t i = get_global_id(0);

	out[i] = a[i] + b[i];
}
