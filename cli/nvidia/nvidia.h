/* SPDX-License-Identifier: MIT */
/*
 * Device code for entries of NVIDIA's driver: which could have some and have
 * none, and making it. All that the rest of cli/ knows of cli/nvidia/.
 *
 * From one thread.
 */
#ifndef OCC_CLI_NVIDIA_H
#define OCC_CLI_NVIDIA_H

#include "cache/driver/driver.h"
#include "cache/store.h"
#include "cli/json.h"

/* Does the kernel have the driver? Nothing is loaded to tell. */
bool occ_nvidia_is_here(void);

/* ---- which entries wait for it ---- */

enum occ_nvidia_waiting {
	OCC_NVIDIA_WAITING_NOT, /* of another driver, or nothing that is loaded
				 */
	OCC_NVIDIA_WAITING_DONE,
	OCC_NVIDIA_WAITING_YES,
	OCC_NVIDIA_WAITING_AGAIN, /* the last time it failed, or its device, or
				   * driver, wasn't there */
	OCC_NVIDIA_WAITING_LEFT,  /* that is remembered; it isn't tried */
	OCC_NVIDIA_WAITING_NEVER, /* it isn't made, whatever is remembered */
};

struct occ_nvidia_reason {
	char *text;
	size_t count;
	enum occ_nvidia_waiting kind;
};

struct occ_nvidia_counts {
	size_t done, waiting;
	size_t left;			   /* what is to be tried again, too */
	size_t again;			   /* of them */
	struct occ_nvidia_reason *reasons; /* why they are left */
	size_t reason_count;
};

/*
 * Looks through a store; `retry`: as if nothing were remembered. False after an
 * error was shown; a store that isn't there is empty. To be released, whatever
 * came of it.
 */
bool occ_nvidia_count(struct occ_store *store, bool retry,
		      struct occ_nvidia_counts *ret_counts);
void occ_nvidia_release(struct occ_nvidia_counts *counts);

/*
 * Need it be looked through? False, for little work, where nothing shows that
 * NVIDIA's driver was ever here.
 */
bool occ_nvidia_may_wait(struct occ_store *store);

/* An object "device_code"; nothing where there are no such entries. */
void occ_nvidia_write_json(struct occ_json *json,
			   const struct occ_nvidia_counts *counts);

/* ---- making it ---- */

/*
 * One entry after the other, in processes of their own; by one process per
 * store at a time. What can't be done, and couldn't be the next time, is
 * remembered in the store's state.
 */
struct occ_nvidia_upgrade {
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
bool occ_nvidia_upgrade(struct occ_nvidia_upgrade *upgrading);

#endif
