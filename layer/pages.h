/* SPDX-License-Identifier: MIT */
/*
 * Pages for the heap. The first touch of a page takes 1 us or more in a virtual
 * machine; to load a small binary, drivers and the layer touch some 150
 * (doc/measured.md). So blocks of the heap are taken when a context is about to
 * be made, a thread has the kernel get their pages meanwhile, and they are
 * given back when there is a context: what is allocated next is made of them.
 *
 * Calling sequence, where filling may come at any time or not at all:
 *
 *	occ_pages_take(&pages);
 *		occ_pages_fill(&pages);		the thread, once
 *	occ_pages_give_back(&pages);		any thread, any number of times
 *
 * Invariant: (G1) Who fills has the memory, or it might be somebody else's
 * mapping of a file by then.
 *
 * Without the layer's lock.
 */
#ifndef OCC_LAYER_PAGES_H
#define OCC_LAYER_PAGES_H

#include <stdbool.h>

#define OCC_PAGES_BLOCKS 2

/* All zero: there are none. */
struct occ_pages {
	void *blocks[OCC_PAGES_BLOCKS]; /* NULL: none, or given back */
	bool filling;
};

void occ_pages_take(struct occ_pages *pages);

/* Does nothing where Linux is older than 5.14. */
void occ_pages_fill(struct occ_pages *pages);

/* Waits for a block that is being filled, which takes 0.05 ms. */
void occ_pages_give_back(struct occ_pages *pages);

/* Under the lock, in a child of fork(). */
void occ_pages_forked(struct occ_pages *pages);

#endif
