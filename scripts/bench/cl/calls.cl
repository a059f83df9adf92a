/* SPDX-License-Identifier: MIT */
__attribute__((noinline)) uint mix(uint x, uint y, global const uint *in)
{
	for (uint j = 0; j < (y & 7) + 1; j++)
		x = x * 31 + in[(x + j) & 1023];
	return x;
}

__attribute__((noinline)) uint twice(uint x, global const uint *in)
{
	return mix(x, x >> 3, in) ^ mix(x + 1, x >> 7, in);
}

kernel void calls(global const uint *in, global uint *out)
{
	uint i = get_global_id(0), x = in[i];

	for (uint j = 0; j < 8; j++)
		x = twice(x, in) + mix(x, j, in);
	out[i] = x;
}
