/* SPDX-License-Identifier: MIT */
kernel void chain(global const float *in, global float *out)
{
	uint i = get_global_id(0);
	float4 x = in[i] + (float4)(0, 0.1f, 0.2f, 0.3f);

	for (int j = 0; j < 512; j++)
		x = fma(x, (float4)0.99f, (float4)(0.01f, 0.02f, 0.03f, 0.04f));
	out[i] = x.x + x.y + x.z + x.w;
}
