/* SPDX-License-Identifier: MIT */
/*
 * What /proc says of another process of this machine, or of a thread: whether
 * it is the same as before, and how much it has computed.
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_CACHE_PROCESS_H
#define OCC_CACHE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct occ_process {
	uint64_t start; /* when it was started, in ticks since the boot */
	uint64_t cpu;	/* ms, of all of its threads, and of children that
			   have ended */
	bool stopped;	/* by a signal or a debugger */
	bool runnable;	/* has, or waits for, a processor */
};

/*
 * False when there is no such process, it has ended or has begun to, or nothing
 * is said. Whose locks are gone because he ended is seen to have.
 */
bool occ_process_look(pid_t pid, struct occ_process *ret_process);

#endif
