/* SPDX-License-Identifier: MIT */
/*
 * Are hits faster than compiles? What is measured here is remembered in the
 * store (cache/cost.h), written by the writer (layer/base/writer.h). Any
 * thread, but not under the lock: most calls read a file.
 */
#ifndef OCC_LAYER_DRIVER_LOAD_COST_H
#define OCC_LAYER_DRIVER_LOAD_COST_H

#include "hash/reason.h"
#include "layer/driver/identity.h"

/*
 * Why nothing of the device is cached, if so: its driver has loaded binaries
 * for more than 1.5 times the time that it compiled in.
 */
enum occ_reason occ_load_cost_refusal(const struct occ_identity *identity);

/*
 * A hit took `load_ns`, where the driver had taken `compile_ns` (0: it isn't
 * known).
 */
void occ_load_cost_note(const struct occ_identity *identity, uint64_t load_ns,
			uint64_t compile_ns);

/* Forgets what is known of identities; no other call may be under way. */
void occ_load_cost_release_all(void);

#endif
