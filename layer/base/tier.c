/* SPDX-License-Identifier: MIT */
#include "layer/base/tier.h"

const char *occ_tier_text(enum occ_tier tier)
{
	static const char *const texts[] = {
#define TEXT(name, text) [OCC_TIER_##name] = (text),
		OCC_TIERS(TEXT)
#undef TEXT
	};

	return texts[tier];
}
