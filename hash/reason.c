/* SPDX-License-Identifier: MIT */
#include "hash/reason.h"

#include <stddef.h>

const char *occ_reason_text(enum occ_reason reason)
{
	static const char *const texts[] = {[OCC_REASON_NONE] = NULL,
#define TEXT(name, text) [OCC_REASON_##name] = (text),
					    OCC_REASONS(TEXT)
#undef TEXT
	};

	return texts[reason];
}
