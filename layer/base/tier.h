/* SPDX-License-Identifier: MIT */
/* Where what was served came from, the fastest first. */
#ifndef OCC_LAYER_BASE_TIER_H
#define OCC_LAYER_BASE_TIER_H

/* TIER(name, what the trace calls it) */
#define OCC_TIERS(TIER)                                                        \
	TIER(PROGRAM, "live program")                                          \
	TIER(MEMORY, "memory")                                                 \
	TIER(STORE, "user store")                                              \
	TIER(READ_ONLY, "read-only store")                                     \
	TIER(REMOTE, "remote")

enum occ_tier {
#define OCC_TIER_VALUE(name, text) OCC_TIER_##name,
	OCC_TIERS(OCC_TIER_VALUE)
#undef OCC_TIER_VALUE
};

/* What the trace calls it. */
const char *occ_tier_text(enum occ_tier tier);

#endif
