/* SPDX-License-Identifier: MIT */
/* What becomes of a program that the driver just made. */
#ifndef OCC_LAYER_MISS_H
#define OCC_LAYER_MISS_H

#include "layer/program.h"

/* How a program came to be, and what is wanted of its entry. */
struct occ_keep {
	uint64_t compile_time; /* ns that the driver took */
	/*
	 * Somebody waits for the entry: it is fetched and published before
	 * occ_miss_keep() returns, if that is expected to take under 1 s.
	 */
	bool wanted;
};

/*
 * Records what the driver answers about the program's build, compile or link
 * of `recipe`, and makes an entry of it: now, at the program's last release, or
 * not at all. Nothing is done unless the program's generation still is
 * `generation`.
 */
void occ_miss_keep(struct occ_program *program, uint64_t generation,
		   struct occ_recipe *recipe, const struct occ_keep *keep);

#endif
