/* SPDX-License-Identifier: MIT */
/* Rows of 256 become rows of n / 256; tiles of 16 x 16. */
kernel void transpose(global const float *in, global float *out, uint n)
{
	local float tile[16][17];
	uint x = get_local_id(0) % 16, y = get_local_id(0) / 16;
	uint left = get_group_id(0) % 16 * 16, top = get_group_id(0) / 16 * 16;

	tile[y][x] = in[(top + y) * 256 + left + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(left + y) * (n / 256) + top + x] = tile[x][y];
}
