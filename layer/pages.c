/* SPDX-License-Identifier: MIT */
#include "layer/pages.h"

#include <stdlib.h>

#include "cache/file.h"
#include "layer/lock.h"

/*
 * Below the size from which glibc maps blocks of their own (128 KiB): when such
 * a block is freed, it would raise that for the application.
 */
#define BLOCK_SIZE ((size_t)96 << 10)

/* To look up from waiting; the thread wakes who waits. */
#define WAIT_MS	   1000

void occ_pages_take(struct occ_pages *pages)
{
	for (size_t i = 0; i < OCC_PAGES_BLOCKS; i++)
		pages->blocks[i] = malloc(BLOCK_SIZE);
}

/* (G1) NULL: there is none. Otherwise it stays until end(). */
static void *begin(struct occ_pages *pages, size_t i)
{
	void *block;

	occ_lock();
	block = pages->blocks[i];
	pages->filling = block;
	occ_unlock();
	return block;
}

static void end(struct occ_pages *pages)
{
	occ_lock();
	pages->filling = false;
	occ_lock_wake();
	occ_unlock();
}

void occ_pages_fill(struct occ_pages *pages)
{
	for (size_t i = 0; i < OCC_PAGES_BLOCKS; i++) {
		void *block = begin(pages, i);

		if (!block)
			continue;
		occ_file_get_pages(block, BLOCK_SIZE);
		end(pages);
	}
}

void occ_pages_give_back(struct occ_pages *pages)
{
	void *blocks[OCC_PAGES_BLOCKS];

	occ_lock();
	for (size_t i = 0; i < OCC_PAGES_BLOCKS; i++) {
		blocks[i] = pages->blocks[i];
		pages->blocks[i] = NULL;
	}
	while (pages->filling)
		occ_lock_wait(WAIT_MS);
	occ_unlock();
	for (size_t i = 0; i < OCC_PAGES_BLOCKS; i++)
		free(blocks[i]);
}

void occ_pages_forked(struct occ_pages *pages)
{
	/* Who was at it isn't here. */
	pages->filling = false;
}
