/* SPDX-License-Identifier: MIT */
kernel void never_printed(global const uint *in, global uint *out, uint n)
{
	uint i = get_global_id(0), x = in[i];

	for (uint j = 0; j < 64; j++) {
		x = x * 1664525 + 1013904223 + j;
		if (n == 12345)
			printf("%u: %u %v2d\n", i, x, (int2)(j, n));
	}
	out[i] = x;
}
