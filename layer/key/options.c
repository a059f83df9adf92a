/* SPDX-License-Identifier: MIT */
#include "layer/key/options.h"

#include <string.h>

#include "hash/option.h"
#include "layer/base/log.h"

/* The first of the driver's own that is among them, or NULL. */
static const char *find_refused(const char *const *refused, const char *options)
{
	while (refused && *refused && !strstr(options, *refused))
		refused++;
	return refused ? *refused : NULL;
}

enum occ_reason occ_options_judge(const struct occ_driver *driver,
				  const char *options)
{
	const char *word = find_refused(driver->refused_options, options);
	size_t length = word ? strlen(word) : 0;

	if (!word)
		word = occ_option_unsafe(options, driver->dialect, &length);
	if (!word)
		return OCC_REASON_NONE;
	occ_log_debug("not cached because of the option %.*s", (int)length,
		      word);
	return OCC_REASON_OPTION_UNSAFE;
}
