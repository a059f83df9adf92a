/* SPDX-License-Identifier: MIT */
uint reverse(uint x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
	return x >> 16 | x << 16;
}

kernel void bits(global const uint *in, global uint *out)
{
	uint i = get_global_id(0), x = in[i];

	for (uint j = 0; j < 32; j++) {
		x += popcount(x) << j | clz(x | 1);
		x = rotate(reverse(x), x & 31) ^ (x >> 5 & ~x << 3);
	}
	out[i] = x;
}
