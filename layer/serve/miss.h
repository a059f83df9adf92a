/* SPDX-License-Identifier: MIT */
/* Decides whether, and when, what the driver just made becomes an entry. */
#ifndef OCC_LAYER_SERVE_MISS_H
#define OCC_LAYER_SERVE_MISS_H

#include "layer/object/program.h"

/* What is known of the build. */
struct occ_build_facts {
	uint64_t compile_time; /* ns that the driver took */
	/*
	 * Another thread or process waits for the entry: it is published before
	 * occ_miss_record() returns, unless fetching the binaries is expected
	 * to take a second or more on a driver where that is expensive.
	 */
	bool wanted;
	bool loaded; /* shared objects were, meanwhile */
};

/*
 * Asks the driver about the program's build, compile or link, which the build
 * key describes, and stores an entry: now, at the program's last release, or
 * not at all. Does nothing unless the program's generation still is
 * `generation` (P4).
 */
void occ_miss_record(struct occ_program *program, uint64_t generation,
		     struct occ_build_key *build_key,
		     const struct occ_build_facts *facts);

#endif
