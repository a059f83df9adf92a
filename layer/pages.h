/* SPDX-License-Identifier: MIT */
/*
 * Pages for the heap. The first touch of a page takes 1 us or more in a virtual
 * machine; to load a small binary, drivers and the layer touch some 150
 * (doc/measured.md). So blocks of the heap are taken when a context is about to
 * be made, a thread has the kernel get their pages meanwhile, and they are
 *given back when there is a context: what is allocated next is made of them.
 *
 * Calling sequence, where filling may come at any time or not at all:
 *
 *	occ_pages_take(&pages);
 *		occ_pages_fill(&pages);		the thread
 *	occ_pages_give_back(&pages);		any thread, and any number
 */
#ifndef OCC_LAYER_PAGES_H
#define OCC_LAYER_PAGES_H

#include <stdint.h>

#define OCC_PAGES_BLOCKS 2

struct occ_pages {
	void *blocks[OCC_PAGES_BLOCKS];	       /* atomic; NULL: given back */
	uintptr_t addresses[OCC_PAGES_BLOCKS]; /* constant */
};

void occ_pages_take(struct occ_pages *pages);

/* Does nothing where Linux is older than 5.14. */
void occ_pages_fill(const struct occ_pages *pages);

void occ_pages_give_back(struct occ_pages *pages);

#endif
