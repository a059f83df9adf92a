/* SPDX-License-Identifier: MIT */
#define WIDTH 256

/* Of rows of WIDTH; a work-group makes a tile of 16 x 16. */
kernel void matrix_multiply(global const float *a, global const float *b,
			    global float *out, uint n)
{
	local float left[16][16], right[16][16];
	uint x = get_local_id(0) % 16, y = get_local_id(0) / 16;
	uint row = get_group_id(0) / 16 * 16 + y;
	uint column = get_group_id(0) % 16 * 16 + x;
	float sum = 0;

	for (uint tile = 0; tile < WIDTH; tile += 16) {
		left[y][x] = a[row * WIDTH + tile + x];
		right[y][x] = b[((tile + y) * WIDTH + column) & (n - 1)];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = 0; j < 16; j++)
			sum += left[y][j] * right[j][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[row * WIDTH + column] = sum;
}
