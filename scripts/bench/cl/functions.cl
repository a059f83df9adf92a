/* SPDX-License-Identifier: MIT */
kernel void functions(global const float *in, global float *out)
{
	uint i = get_global_id(0);
	float x = in[i] * 9 + 0.1f, sum = 0;

	for (int j = 0; j < 4; j++) {
		sum += sin(x * 1000) * cos(x) + exp(-x) * log(x) +
		       pow(x, 0.3f) + tan(x) + atan2(x, sum + 2) + cbrt(x) +
		       erf(x) + tgamma(x * 0.5f + 1) + fmod(x, 0.7f);
		x += 0.37f;
	}
	out[i] = sum;
}
