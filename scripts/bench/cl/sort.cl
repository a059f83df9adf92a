/* SPDX-License-Identifier: MIT */
/* 256 numbers in each work-group. */
kernel void sort(global const uint *in, global uint *out)
{
	local uint a[256];
	uint i = get_global_id(0), l = get_local_id(0);

	a[l] = in[i];
	for (uint size = 2; size <= 256; size *= 2)
		for (uint distance = size / 2; distance; distance /= 2) {
			uint other = l ^ distance, x, y;

			barrier(CLK_LOCAL_MEM_FENCE);
			x = a[l];
			y = a[other];
			barrier(CLK_LOCAL_MEM_FENCE);
			if ((x > y) == ((l & size) == 0) && other > l) {
				a[l] = y;
				a[other] = x;
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = a[l];
}
