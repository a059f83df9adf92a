/* SPDX-License-Identifier: MIT */
/*
 * Compiled with -mavx2 where that means something (Makefile): nothing in here
 * may be called where the CPU has no AVX2 (hash/digest.c).
 */
#include "hash/wide.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void occ_wide_update(void *state, const void *data, size_t size)
{
	XXH3_128bits_update(state, data, size);
}

void occ_wide_digest(const void *data, size_t size, uint64_t seed,
		     unsigned char *ret_bytes)
{
	XXH128_canonical_t bytes;

	XXH128_canonicalFromHash(&bytes,
				 XXH3_128bits_withSeed(data, size, seed));
	memcpy(ret_bytes, bytes.digest, sizeof(bytes.digest));
}
