/* SPDX-License-Identifier: MIT */
kernel void vector_types(global const uint4 *in, global uint4 *out)
{
	size_t i = get_global_id(0);
	uint4 x = in[i];

	for (int round = 0; round < 24; round++) {
		uchar16 bytes = as_uchar16(x);

		x = as_uint4(bytes.s3a05f1c8427d6e9b) + x.wzyx;
		x ^= (uint4)(x.lo, x.hi) << (uint4)(1, 3, 5, 7);
		x = select(x, x.yxwz, as_int4(x) < 0);
	}
	out[i] = x;
}
