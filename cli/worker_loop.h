/* SPDX-License-Identifier: MIT */
/*
 * The worker's own side of cli/worker.h.
 */
#ifndef OCC_CLI_WORKER_LOOP_H
#define OCC_CLI_WORKER_LOOP_H

#include "cli/worker.h"

/* What comes through the socket, a byte each. */
enum {
	OCC_WORKER_ORDER_BUILD = 'b', /* what is in its request file */
	OCC_WORKER_ORDER_LEAVE = 'l',
};

struct occ_worker_side {
	const struct occ_worker *worker;
	int orders; /* the socket's other end */
};

/*
 * Of occ_child_start(). Says "" or why it can't begin, and whether that is the
 * place's fault, 0 or 1; then for each program its error and its build log.
 */
int occ_worker_loop(void *side);

#endif
