/* SPDX-License-Identifier: MIT */
/*
 * Which options of a call, and of the driver's variables behind them, keep a
 * build from being cached. Any thread.
 */
#ifndef OCC_LAYER_KEY_OPTIONS_H
#define OCC_LAYER_KEY_OPTIONS_H

#include "cache/driver/driver.h"
#include "hash/reason.h"

/* None, or why not: then a line of the log says which. */
enum occ_reason occ_options_judge(const struct occ_driver *driver,
				  const char *options);

#endif
