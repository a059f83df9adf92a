/* SPDX-License-Identifier: MIT */
kernel void branches(global const uint *in, global uint *out, uint n)
{
	uint i = get_global_id(0), x = in[i];

	for (uint j = 0; j < 32; j++) {
		switch (x >> 29) {
		case 0:
			x = x * 5 + j;
			break;
		case 1:
			x ^= in[x & (n - 1)];
			break;
		case 2:
			x = x / 3 + 0x9e3779b9;
			break;
		case 3:
			for (uint k = x & 7; k; k--)
				x = rotate(x, 3u) + k;
			break;
		case 4:
			x = popcount(x) * 0x01234567 + x;
			break;
		case 5:
			if (x & 1)
				x = x >> 1 ^ 0xedb88320;
			else
				x += 0x33333333;
			break;
		case 6:
			x = ~x + in[(x >> 5) & (n - 1)];
			break;
		default:
			x = mul_hi(x, 0xcafebabeu);
		}
	}
	out[i] = x;
}
