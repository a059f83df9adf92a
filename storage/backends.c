/* SPDX-License-Identifier: MIT */
#include "storage/backends.h"

#include <stddef.h>
#include <string.h>

static const struct occ_backend *const backends[] = {
	&occ_backend_http,
	&occ_backend_redis,
};

#define BACKENDS (sizeof(backends) / sizeof(*backends))

const struct occ_backend *occ_backend_of(const char *scheme)
{
	for (size_t i = 0; i < BACKENDS; i++)
		for (const char *const *at = backends[i]->schemes; *at; at++)
			if (!strcmp(*at, scheme))
				return backends[i];
	return NULL;
}

const char *occ_backend_scheme(size_t index)
{
	for (size_t i = 0; i < BACKENDS; i++)
		for (const char *const *at = backends[i]->schemes; *at; at++)
			if (!index--)
				return *at;
	return NULL;
}
