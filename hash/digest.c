/* SPDX-License-Identifier: MIT */
#include "hash/digest.h"

#include <stdlib.h>
#include <string.h>

#include "hash/wide.h"

/* Inline, so that no xxHash symbol can bind to the host program's copy. */
#define XXH_INLINE_ALL
#include <xxhash.h>

struct occ_digest_state {
	XXH3_state_t xxh;
};

/*
 * The dynamic linker knows; the compiler's own way asks the CPU again whenever
 * the library is loaded, which takes 50 us in virtual machines.
 */
#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

static bool is_wide_available(void)
{
#if defined(CPU_FEATURE_ACTIVE)
	return CPU_FEATURE_ACTIVE(AVX2);
#elif defined(__x86_64__) && defined(__GNUC__)
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

static void update(XXH3_state_t *state, const void *data, size_t size)
{
	if (size >= OCC_WIDE_MIN && is_wide_available())
		occ_wide_update(state, data, size);
	else
		XXH3_128bits_update(state, data, size);
}

static void canonical(XXH128_hash_t hash, struct occ_digest *ret_digest)
{
	XXH128_canonical_t bytes;

	XXH128_canonicalFromHash(&bytes, hash);
	memcpy(ret_digest->bytes, bytes.digest, OCC_DIGEST_SIZE);
}

void occ_digest(const void *data, size_t size, enum occ_digest_seed seed,
		struct occ_digest *ret_digest)
{
	if (size >= OCC_WIDE_MIN && is_wide_available())
		occ_wide_digest(data, size, seed, ret_digest->bytes);
	else
		canonical(XXH3_128bits_withSeed(size ? data : "", size,
						(XXH64_hash_t)seed),
			  ret_digest);
}

void occ_digest_hex(const struct occ_digest *digest,
		    char ret_hex[OCC_DIGEST_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < OCC_DIGEST_SIZE; i++) {
		ret_hex[2 * i] = digits[digest->bytes[i] >> 4];
		ret_hex[2 * i + 1] = digits[digest->bytes[i] & 15];
	}
	ret_hex[OCC_DIGEST_HEX_SIZE - 1] = '\0';
}

struct occ_digest_state *occ_digest_new(enum occ_digest_seed seed)
{
	/* XXH3_state_t asks for 64-byte alignment, more than malloc gives. */
	struct occ_digest_state *state =
		aligned_alloc(64, (sizeof(*state) + 63) & ~(size_t)63);

	if (!state)
		return NULL;
	/* Else what the memory had before may pass for this seed's secret. */
	XXH3_INITSTATE(&state->xxh);
	XXH3_128bits_reset_withSeed(&state->xxh, (XXH64_hash_t)seed);
	return state;
}

void occ_digest_update(struct occ_digest_state *state, const void *data,
		       size_t size)
{
	if (state && size)
		update(&state->xxh, data, size);
}

void occ_digest_update_both(struct occ_digest_state *state, const void *data,
			    size_t size, enum occ_digest_seed seed,
			    struct occ_digest *ret_digest)
{
	/* Small enough to be still in the CPU's nearest caches. */
	const size_t block = (size_t)32 * 1024;
	const unsigned char *at = data;
	XXH3_state_t own;

	XXH3_INITSTATE(&own);
	XXH3_128bits_reset_withSeed(&own, (XXH64_hash_t)seed);
	while (size) {
		size_t part = size < block ? size : block;

		occ_digest_update(state, at, part);
		update(&own, at, part);
		at += part;
		size -= part;
	}
	canonical(XXH3_128bits_digest(&own), ret_digest);
}

void occ_digest_finish(struct occ_digest_state *state,
		       struct occ_digest *ret_digest)
{
	memset(ret_digest, 0, sizeof(*ret_digest));
	if (!state)
		return;
	canonical(XXH3_128bits_digest(&state->xxh), ret_digest);
	free(state);
}
