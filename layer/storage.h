/* SPDX-License-Identifier: MIT */
/*
 * Program-scope storage: variables of a program, not of a launch, that keep
 * their values as long as the program lives. Each of the application's programs
 * must have its own.
 */
#ifndef OCC_LAYER_STORAGE_H
#define OCC_LAYER_STORAGE_H

#include "layer/live.h"

/*
 * Has what the recipe makes surely no such variables? By what the driver
 * answered about their size, where it is known to tell the truth; or because
 * the source is in a version of OpenCL C that has none, where the driver is
 * known to refuse them. `answers` has one element per device.
 */
bool occ_storage_is_absent(const struct occ_recipe *recipe,
			   const struct occ_answers *answers);

#endif
