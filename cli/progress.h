/* SPDX-License-Identifier: MIT */
/*
 * A bar on standard error for what takes longer than half a second; nothing
 * where that is no terminal.
 *
 *	occ_progress_begin("Verifying", "entries", count);
 *	for (...)
 *		occ_progress_step(1);          any thread
 *	occ_progress_end();
 *
 * One at a time.
 */
#ifndef OCC_CLI_PROGRESS_H
#define OCC_CLI_PROGRESS_H

#include <stdint.h>

/*
 * `total` 0: how much there is to do isn't known. `unit` NULL: one thing is
 * waited for, and the seconds are shown; who waits for children (cli/child.h)
 * needs no steps. `what` may be a driver's text; both are borrowed until the
 * end.
 */
void occ_progress_begin(const char *what, const char *unit, uint64_t total);
void occ_progress_step(uint64_t done);

/* How much there is, where that turns out after the beginning. */
void occ_progress_total(uint64_t total);
void occ_progress_end(void);

/* How long it goes on, as it seems, in ns; 0: not known. */
void occ_progress_left(uint64_t ns);

/* Takes it off the screen until the next step. */
void occ_progress_hide(void);

#endif
