/* SPDX-License-Identifier: MIT */
#include "layer/pages.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Below the size from which glibc maps blocks of their own (128 KiB): when such
 * a block is freed, it would raise that for the application.
 */
#define BLOCK_SIZE ((size_t)96 << 10)

void occ_pages_take(struct occ_pages *pages)
{
	for (size_t i = 0; i < OCC_PAGES_BLOCKS; i++) {
		pages->blocks[i] = malloc(BLOCK_SIZE);
		pages->addresses[i] = (uintptr_t)pages->blocks[i];
	}
}

/*
 * It changes no byte, whoever may have the memory by now; nor does it fail in a
 * way that matters where there is none any more.
 */
void occ_pages_fill(const struct occ_pages *pages)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < OCC_PAGES_BLOCKS; i++) {
		uintptr_t from = (pages->addresses[i] + page - 1) & ~(page - 1);
		uintptr_t to = (pages->addresses[i] + BLOCK_SIZE) & ~(page - 1);

		if (pages->addresses[i] && to > from)
			madvise((void *)from, to - from, MADV_POPULATE_WRITE);
	}
#else
	(void)pages;
#endif
}

void occ_pages_give_back(struct occ_pages *pages)
{
	for (size_t i = 0; i < OCC_PAGES_BLOCKS; i++)
		free(__atomic_exchange_n(&pages->blocks[i], NULL,
					 __ATOMIC_ACQ_REL));
}
