/* SPDX-License-Identifier: MIT */
kernel void histogram(global const uint *in, global uint *out, uint n)
{
	local uint bins[256];
	uint i = get_global_id(0), l = get_local_id(0);

	bins[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint j = 0; j < 16; j++)
		atomic_inc(&bins[in[(i + j * 4099) & (n - 1)] >> 24]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = bins[l];
}
