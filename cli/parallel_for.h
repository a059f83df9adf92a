/* SPDX-License-Identifier: MIT */
/*
 * Work on many things by several threads, as many as there are processors:
 *
 *	static void look(size_t index, unsigned worker, void *data) ...
 *	occ_parallel_for(count, look, &state);
 *
 * `index` is each of 0 to count-1 once, in no order. `worker` is below
 * OCC_PARALLEL_MAX, and no other thread's at the time: for what each keeps for
 * itself. Returns when all is done.
 */
#ifndef OCC_CLI_PARALLEL_FOR_H
#define OCC_CLI_PARALLEL_FOR_H

#include <stddef.h>

#define OCC_PARALLEL_MAX 8

typedef void (*occ_parallel_work)(size_t index, unsigned worker, void *data);
void occ_parallel_for(size_t count, occ_parallel_work work, void *data);

#endif
