/* SPDX-License-Identifier: MIT */
kernel void global_atomics(global const uint *in, global uint *out, uint n)
{
	uint i = get_global_id(0);

	/* Each word has one operation: in any order they come to the same. */
	for (uint j = 0; j < 4; j++) {
		uint x = in[(i + j * 1021) & (n - 1)];

		atomic_add(&out[(x & (n - 1)) & ~1u], x >> 16);
		atomic_max(&out[((x >> 7) & (n - 1)) | 1], x);
	}
}
