/* SPDX-License-Identifier: MIT */
#include "layer/key/options.h"

#include "layer/base/log.h"

enum occ_reason occ_options_judge(const struct occ_driver *driver,
				  const char *options)
{
	size_t length;
	const char *word = occ_driver_unsafe_option(driver, options, &length);

	if (!word)
		return OCC_REASON_NONE;
	occ_log_debug("not cached because of the option %.*s", (int)length,
		      word);
	return OCC_REASON_OPTION_UNSAFE;
}
