/* SPDX-License-Identifier: MIT */
/*
 * Writing without the signals that a failed write brings: SIGXFSZ beyond
 * RLIMIT_FSIZE, SIGPIPE where nobody reads. Either ends a process that doesn't
 * handle it, and calls the handler of one that does, for what it didn't write.
 *
 *	occ_silence_begin(&silence);
 *	result = write(...);
 *	occ_silence_end(&silence, result < 0 ? errno : 0);
 *
 * In between the thread has both blocked; what comes of the write is taken
 * back, and one that was pending before stays. Both keep errno. Any thread.
 */
#ifndef OCC_CACHE_SILENCE_H
#define OCC_CACHE_SILENCE_H

#include <signal.h>

struct occ_silence {
	sigset_t before;  /* what the thread had blocked */
	sigset_t pending; /* of that, what waits for it */
};

void occ_silence_begin(struct occ_silence *silence);

/* `error`: of the last call in between, 0 when it worked. */
void occ_silence_end(const struct occ_silence *silence, int error);

#endif
