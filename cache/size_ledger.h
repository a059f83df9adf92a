/* SPDX-License-Identifier: MIT */
/*
 * config.file: the lock that guards every change of the directory, and the
 * total size, which is its first 8 bytes, little-endian. Intel's NEO driver
 * keeps the same file in the same way, but where it makes it, it has 8 bytes,
 * and neither itself nor what isn't *.cl_cache in the total: that is counted
 * anew.
 *
 * The 8 bytes behind them are the total as we last wrote it; NEO leaves them
 * alone. A total that is less than that was damaged, torn, or lowered by NEO
 * after an eviction, and is counted anew, as is one that not even this file
 * fits into: after a power cut it may be zeros. One that is more is believed,
 * because NEO has stored something, and one that is too large does no harm.
 *
 * Calling sequence: occ_size_ledger_lock(), look at and set `size`,
 * occ_size_ledger_unlock(). `size` may be more than what is there (a process
 * was killed, a user deleted files), never less by our doing (S7).
 *
 * Threads: the lock also excludes other threads of this process.
 */
#ifndef OCC_CACHE_SIZE_LEDGER_H
#define OCC_CACHE_SIZE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "cache/error.h"

/* Of the file, in bytes. */
#define OCC_SIZE_LEDGER_SIZE 16

struct occ_size_ledger {
	int directory; /* borrowed */
	int file;
	uint64_t size;
	struct stat status; /* which config.file this is */
	bool rebuilt;	    /* it was corrupt, and has been counted anew */
};

/* How long the lock is waited for, unless it is said. */
#define OCC_SIZE_LEDGER_WAIT_MS 1000

/*
 * Takes the lock, waiting at most a second, creating config.file by counting
 * the directory when there is none. OCC_OK, OCC_E_NO_DIRECTORY when the
 * directory was deleted, OCC_E_NOT_A_STORE, OCC_E_NO_LOCK, OCC_E_BUSY or
 * OCC_E_IO.
 */
int occ_size_ledger_lock(int directory, struct occ_size_ledger *ret_ledger);

/* The same, waiting at most so many milliseconds. */
int occ_size_ledger_lock_within(int directory, unsigned milliseconds,
				struct occ_size_ledger *ret_ledger);
void occ_size_ledger_unlock(struct occ_size_ledger *ledger);

/* Writes the total size. OCC_OK or OCC_E_IO. */
int occ_size_ledger_set_size(struct occ_size_ledger *ledger, uint64_t size);

/* The same by difference; stays within 0 and 2^64-1. */
int occ_size_ledger_add(struct occ_size_ledger *ledger, uint64_t more);
int occ_size_ledger_subtract(struct occ_size_ledger *ledger, uint64_t less);

/* Counts the directory and writes what it finds. OCC_OK or OCC_E_IO. */
int occ_size_ledger_recount(struct occ_size_ledger *ledger);

#endif
