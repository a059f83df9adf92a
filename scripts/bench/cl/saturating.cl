/* SPDX-License-Identifier: MIT */
kernel void saturating(global const uint *in, global uint *out)
{
	uint i = get_global_id(0);
	char4 a = as_char4(in[i]);
	short2 b = as_short2(in[i] * 3);
	int c = as_int(in[i]);

	for (int j = 0; j < 24; j++) {
		a = mad_sat(a, (char4)3, hadd(a, a.wzyx));
		b = sub_sat(b, (short2)(a.x, a.y)) + rhadd(b, b.yx);
		c = mad_hi(c, 77777, upsample(b.x, as_ushort(b.y)));
		c += abs_diff(c, j) + mul24(c & 0xffff, (int)a.z);
		a += convert_char4_sat((int4)(c >> 16, c >> 8, b.x, b.y));
	}
	out[i] = as_uint(a) + as_uint(b) + c;
}
