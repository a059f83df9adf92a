/* SPDX-License-Identifier: MIT */
kernel void private_array(global const uint *in, global uint *out)
{
	uint i = get_global_id(0), x = in[i], t[96];

	for (uint j = 0; j < 96; j++)
		t[j] = x * (j + 1);
	for (uint j = 0; j < 128; j++) {
		x = x * 1664525 + t[x >> 8 & 63];
		t[x >> 16 & 31] ^= x;
	}
	for (uint j = 0; j < 96; j++)
		x = x * 31 + t[j];
	out[i] = x;
}
