/* SPDX-License-Identifier: MIT */
kernel void mandelbrot(global uint *out, uint n)
{
	uint i = get_global_id(0), count = 0;
	float re = (float)(i % 256) / 100 - 2, im = (float)(i / 256) / n * 256;
	float x = 0, y = 0;

	while (count < 256 && x * x + y * y < 4) {
		float t = x * x - y * y + re;

		y = 2 * x * y + im;
		x = t;
		count++;
	}
	out[i] = count;
}
