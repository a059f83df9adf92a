/* SPDX-License-Identifier: MIT */
#include "hash/reason.h"

#include <stddef.h>
#include <string.h>

static const char *const texts[] = {[OCC_REASON_NONE] = NULL,
#define TEXT(identifier, name, text) [OCC_REASON_##identifier] = (text),
				    OCC_REASONS(TEXT)
#undef TEXT
};

static const char *const names[] = {[OCC_REASON_NONE] = NULL,
#define NAME(identifier, name, text) [OCC_REASON_##identifier] = (name),
				    OCC_REASONS(NAME)
#undef NAME
};

static enum occ_reason find(const char *const *strings, const char *string)
{
	for (int i = OCC_REASON_NONE + 1; i < OCC_REASON_COUNT; i++)
		if (!strcmp(strings[i], string))
			return (enum occ_reason)i;
	return OCC_REASON_NONE;
}

const char *occ_reason_text(enum occ_reason reason)
{
	return texts[reason];
}

const char *occ_reason_name(enum occ_reason reason)
{
	return names[reason];
}

enum occ_reason occ_reason_of_text(const char *text)
{
	return find(texts, text);
}

enum occ_reason occ_reason_of_name(const char *name)
{
	return find(names, name);
}
