/* SPDX-License-Identifier: MIT */
kernel void wide_numbers(global const ulong *in, global ulong *out)
{
	const ulong modulus = 0xffffffff00000001ul;
	uint i = get_global_id(0);
	ulong x = in[i], y = in[i] | 1;

	for (int j = 0; j < 48; j++) {
		ulong high = mul_hi(x, y), low = x * y;
		ulong t = low - (high >> 32);

		if (low < high >> 32)
			t -= 0xffffffff;
		high &= 0xffffffff;
		x = t + (high << 32) - high;
		x = add_sat(x, y) % modulus + (long)x / 3;
		y = rotate(y, x & 63) + x;
	}
	out[i] = x;
}
