/* SPDX-License-Identifier: MIT */
/*
 * Whether a process that is making something still does: it is the same
 * process, and computes. One that computes less than 10 ms in 2 s waits
 * itself, or hangs; one that is stopped may be so for 0.3 s (a debugger). Of
 * one that can't be seen (another machine's, another container's) 10 s are
 * taken for granted: longer than most compiles.
 *
 * Threads: none of this is shared; one thread at a time per object.
 */
#ifndef OCC_CACHE_PROCESS_WATCH_H
#define OCC_CACHE_PROCESS_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct occ_process_watch {
	pid_t pid;
	bool seen; /* in /proc; then the rest */
	uint64_t start;
	uint64_t cpu;	/* when it was last seen to compute */
	uint64_t since; /* when that was, in ns of occ_file_clock() */
	uint64_t looked;
};

void occ_process_watch_begin(struct occ_process_watch *watch, pid_t pid);

/* It hasn't ended. One that was never seen may be anything. */
bool occ_process_watch_is_alive(const struct occ_process_watch *watch);

/*
 * It computes, as far as can be seen. To be asked again and again: it looks
 * every 50 ms at most. One that has ended is said to, too.
 */
bool occ_process_watch_is_busy(struct occ_process_watch *watch);

#endif
