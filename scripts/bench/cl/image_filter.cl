/* SPDX-License-Identifier: MIT */
kernel void image_filter(read_only image2d_t image, sampler_t how,
			 global float4 *out)
{
	uint i = get_global_id(0);
	float2 at = (float2)(i % 1024, i / 1024 % 1024) / 1023.0f;
	float4 sum = 0;

	for (int y = -2; y <= 2; y++)
		for (int x = -2; x <= 2; x++)
			sum += read_imagef(image, how,
					   at + (float2)(x, y) / 300.0f);
	out[i] = sum / 25;
}
