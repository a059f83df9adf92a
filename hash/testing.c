/* SPDX-License-Identifier: MIT */
#include "hash/testing.h"

#ifdef OCC_TEST_KEY

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is behind the field's name or number in `text`; NULL if it isn't it. */
static const char *behind(const char *text, enum occ_key_field id)
{
	const char *name = occ_key_field_name((uint16_t)id);
	char number[12];

	if (!text)
		return NULL;
	snprintf(number, sizeof(number), "%d", (int)id);
	if (!strncmp(text, name, strlen(name)))
		return text + strlen(name);
	if (!strncmp(text, number, strlen(number)))
		return text + strlen(number);
	return NULL;
}

bool occ_testing_field(enum occ_key_field id, const void **data, size_t *size)
{
	const char *rest = behind(getenv("OCLCACHE_TEST_WITHOUT"), id);

	if (rest && !*rest)
		return true;
	rest = behind(getenv("OCLCACHE_TEST_FIELD"), id);
	if (rest && *rest == '=') {
		*data = rest + 1;
		*size = strlen(rest + 1);
	}
	return false;
}

void occ_testing_hash(struct occ_digest *hash)
{
	const char *weak = getenv("OCLCACHE_TEST_WEAK_HASH");

	if (weak && !strcmp(weak, "1"))
		memset(hash, 0, sizeof(*hash));
}

bool occ_testing_unlisted(void)
{
	const char *unlisted = getenv("OCLCACHE_TEST_UNLISTED");

	return unlisted && !strcmp(unlisted, "1");
}

int64_t occ_testing_quiet(int64_t seconds)
{
	const char *quiet = getenv("OCLCACHE_TEST_QUIET");

	return quiet ? strtol(quiet, NULL, 10) : seconds;
}

#endif
