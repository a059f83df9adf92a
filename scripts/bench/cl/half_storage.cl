/* SPDX-License-Identifier: MIT */
kernel void half_storage(global const half *in, global half *out)
{
	uint i = get_global_id(0);
	float4 x = vload_half4(i, in);

	x = select((float4)1, x, isfinite(x));
	x = x * (float4)(0.5f, 2, 0.25f, 4) + x.wzyx;
	vstore_half4_rtz(x, i, out);
}
