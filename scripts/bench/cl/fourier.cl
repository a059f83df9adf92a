/* SPDX-License-Identifier: MIT */
/* 256 complex numbers in each work-group. */
kernel void fourier(global const float2 *in, global float2 *out)
{
	local float2 a[256];
	uint i = get_global_id(0), l = get_local_id(0), from = 0;

	for (uint bit = 0; bit < 8; bit++)
		from |= (l >> bit & 1) << (7 - bit);
	a[from] = in[i];
	for (uint size = 1; size < 256; size *= 2) {
		uint place = l % (size * 2);
		uint low = l - place + place % size;
		float angle = -3.14159265f * (float)(place % size) / size;
		float2 w = (float2)(cos(angle), sin(angle));
		float2 x, y, t;

		barrier(CLK_LOCAL_MEM_FENCE);
		x = a[low];
		y = a[low + size];
		t = (float2)(w.x * y.x - w.y * y.y, w.x * y.y + w.y * y.x);
		barrier(CLK_LOCAL_MEM_FENCE);
		a[l] = place < size ? x + t : x - t;
	}
	out[i] = a[l];
}
