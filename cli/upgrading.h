/* SPDX-License-Identifier: MIT */
/*
 * Giving entries of NVIDIA's driver device code, one after the other, in
 * processes of their own; by one process per store at a time. What can't be
 * done, and couldn't be the next time, is remembered in the store's state.
 *
 * From one thread.
 */
#ifndef OCC_CLI_UPGRADING_H
#define OCC_CLI_UPGRADING_H

#include "cache/store.h"

struct occ_upgrading {
	/* Before it; borrowed. */
	struct occ_store *store;
	bool quiet;	/* only what couldn't be done is shown, if it is news */
	bool retry;	/* also what is remembered */
	bool impatient; /* while another one is at work in the store, isn't */
	unsigned limit; /* s, from which on no other is begun, and that one
			 * takes at most; 0: as builds have it */
	const char *const *hashes; /* as entries are named; NULL: all */
	size_t hash_count;
	/* Of it: */
	size_t done, failed;
	size_t left;  /* not tried, by what is remembered or known of them */
	bool is_late; /* the limit came first */
	bool is_busy; /* another one was at work in the store all the time */
};

/*
 * Shows each entry, and how far it is. False after an error was shown, also
 * when occ_child_interrupted().
 */
bool occ_upgrading_run(struct occ_upgrading *upgrading);

#endif
