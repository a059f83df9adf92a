/* SPDX-License-Identifier: MIT */
kernel void scan(global const uint *in, global uint *out)
{
	local uint sums[256];
	uint i = get_global_id(0), l = get_local_id(0);

	sums[l] = in[i];
	for (uint distance = 1; distance < 256; distance *= 2) {
		uint left;

		barrier(CLK_LOCAL_MEM_FENCE);
		left = l >= distance ? sums[l - distance] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sums[l] += left;
	}
	out[i] = sums[l];
}
