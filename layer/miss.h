/* SPDX-License-Identifier: MIT */
/* What becomes of a program that the driver just made. */
#ifndef OCC_LAYER_MISS_H
#define OCC_LAYER_MISS_H

#include "layer/program.h"

/*
 * Records what the driver answers about the program's build, compile or link
 * of `recipe`, and makes an entry of it: now, at the program's last release, or
 * not at all. Nothing is done unless the program's generation still is
 * `generation`. `compile_time` in ns.
 */
void occ_miss_keep(struct occ_program *program, uint64_t generation,
		   struct occ_recipe *recipe, uint64_t compile_time);

#endif
