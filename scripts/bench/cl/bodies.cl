/* SPDX-License-Identifier: MIT */
kernel void bodies(global const float4 *in, global float4 *out)
{
	local float4 tile[256];
	uint i = get_global_id(0), l = get_local_id(0);
	float4 me = in[i];
	float3 force = 0;

	for (uint first = 0; first < 1024; first += 256) {
		tile[l] = in[first + l];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = 0; j < 256; j++) {
			float3 d = tile[j].xyz - me.xyz;
			float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z +
					0.01f);

			force += d * (tile[j].w * r * r * r);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = (float4)(force, me.w);
}
