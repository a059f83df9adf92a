/* SPDX-License-Identifier: MIT */
kernel void division(global const uint *in, global uint *out)
{
	uint i = get_global_id(0), x = in[i], y = i | 1;
	long z = (long)x << 21 | y;

	for (int j = 0; j < 16; j++) {
		x = x / (y & 0xffff | 1) * 1664525 + x % (y >> 3 | 1) + j;
		y = y * 69069 + (x / 7) + (x % 1000);
		z = z / (long)(y | 1) + (long)x * y - z % 1000003;
	}
	out[i] = x + y + (uint)z;
}
