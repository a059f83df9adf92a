/* SPDX-License-Identifier: MIT */
/*
 * A file on its way into the store:
 *
 *	  occ_reservation_make()         under the lock
 *	    |   total raised, temp file made with its final size
 *	  occ_reservation_write()        no lock needed
 *	    |
 *	    +-> occ_reservation_commit()   under the lock: renamed
 *	    +-> occ_reservation_cancel()   under the lock: removed, lowered
 *	    +-> occ_reservation_drop()     when no lock is to be had
 *
 * The lock may be given back between the steps. A process killed anywhere in
 * between leaves at most an orphan and a total that includes it; eviction
 * mends both. The temp file has its final size from the start, so that others'
 * recounts see the whole reservation.
 */
#ifndef OCC_CACHE_RESERVATION_H
#define OCC_CACHE_RESERVATION_H

#include "cache/size_ledger.h"
#include "cache/name.h"

struct occ_reservation {
	int directory; /* borrowed */
	int file;
	uint64_t size;
	/* The config.file that knows of it; open, so that its inode is its. */
	int ledger_file;
	struct stat ledger;
	char name[OCC_NAME_SIZE];
};

/*
 * Reserves `size` bytes, which the caller has made room for. OCC_OK or a
 * failure, after which nothing is reserved.
 */
int occ_reservation_make(struct occ_size_ledger *ledger, uint64_t size,
			 struct occ_reservation *ret_reservation);

/* Writes all the bytes. OCC_OK or OCC_E_IO. */
int occ_reservation_write(struct occ_reservation *reservation,
			  const void *data);

/*
 * Gives the file its name, replacing what has it, or on failure cancels.
 * Either way the reservation is over. OCC_OK or OCC_E_IO, with ENOENT when
 * somebody deleted the temp file.
 */
int occ_reservation_commit(struct occ_reservation *reservation,
			   struct occ_size_ledger *ledger, const char *name);

void occ_reservation_cancel(struct occ_reservation *reservation,
			    struct occ_size_ledger *ledger);

/* Removes the temp file; the total stays too large until the next recount. */
void occ_reservation_drop(struct occ_reservation *reservation);

#endif
