/* SPDX-License-Identifier: MIT */
kernel void reduction(global const uint *in, global uint *out, uint n)
{
	local uint sums[256];
	uint i = get_global_id(0), l = get_local_id(0), sum = 0;

	for (uint j = 0; j < 16; j++)
		sum += in[(i + j * (n / 16)) & (n - 1)];
	sums[l] = sum;
	for (uint half_size = 128; half_size; half_size /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < half_size)
			sums[l] += sums[l + half_size];
	}
	if (!l)
		out[get_group_id(0)] = sums[0];
}
