/* SPDX-License-Identifier: MIT */
/* Philox 4x32. */
kernel void random(global uint4 *out, uint n)
{
	uint i = get_global_id(0), a = n, b = 0xdecafbad;
	uint4 x = (uint4)(i, i >> 3, n, 7), sum = 0;

	for (uint number = 0; number < 8; number++) {
		for (uint round = 0; round < 10; round++) {
			uint low = x.x * 0xd2511f53u, high = x.z * 0xcd9e8d57u;

			x = (uint4)(mul_hi(x.z, 0xcd9e8d57u) ^ x.y ^ a, high,
				    mul_hi(x.x, 0xd2511f53u) ^ x.w ^ b, low);
			a += 0x9e3779b9;
			b += 0xbb67ae85;
		}
		sum += x;
	}
	out[i] = sum;
}
