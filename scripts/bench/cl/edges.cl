/* SPDX-License-Identifier: MIT */
kernel void edges(global const uchar4 *in, global uchar4 *out, uint n)
{
	uint i = get_global_id(0);
	int4 across = 0, down = 0;

	for (int d = -1; d <= 1; d++) {
		int weight = 2 - abs(d);

		across += weight *
			  (convert_int4(in[(i + d * 256 + 1) & (n - 1)]) -
			   convert_int4(in[(i + d * 256 - 1) & (n - 1)]));
		down += weight * (convert_int4(in[(i + 256 + d) & (n - 1)]) -
				  convert_int4(in[(i - 256 + d) & (n - 1)]));
	}
	out[i] = convert_uchar4_sat((abs(across) + abs(down)) / 4u);
}
