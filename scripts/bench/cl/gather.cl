/* SPDX-License-Identifier: MIT */
kernel void gather(global const uint *in, global uint *out, uint n)
{
	uint i = get_global_id(0), x = in[i];

	for (uint j = 0; j < 8; j++)
		x = in[(x + j) & (n - 1)];
	out[i] = x;
}
