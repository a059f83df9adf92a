/* SPDX-License-Identifier: MIT */
/*
 * Which entries of NVIDIA's driver could have device code (cache/code.h) and
 * have none: those that wait for `oclcache upgrade`, and those that stay as
 * they are, and why.
 *
 * From one thread.
 */
#ifndef OCC_CLI_WAITING_H
#define OCC_CLI_WAITING_H

#include "cache/entry.h"
#include "cache/store.h"
#include "cli/json.h"

enum occ_waiting {
	OCC_WAITING_NOT, /* of another driver, or nothing that is loaded */
	OCC_WAITING_DONE,
	OCC_WAITING_YES,
	OCC_WAITING_AGAIN, /* the last time it failed, or its device, or driver,
			    * wasn't there */
	OCC_WAITING_LEFT,  /* that is remembered; it isn't tried */
	OCC_WAITING_NEVER, /* it isn't made, whatever is remembered */
};

#define OCC_WAITING_REASON 128

/*
 * Of an entry, of which the binary needn't be there. `code_maker`: of its
 * device code, 0 for none; `state`: what occ_state_read() gave, NULL: what is
 * remembered doesn't count. `ret_reason`: why, of the last three.
 */
enum occ_waiting occ_waiting_judge(const struct occ_entry *entry,
				   uint32_t code_maker,
				   const struct occ_buffer *state,
				   char ret_reason[OCC_WAITING_REASON]);

struct occ_waiting_reason {
	char *text;
	size_t count;
	enum occ_waiting kind;
};

struct occ_waiting_counts {
	size_t done, waiting;
	size_t left;			    /* what is to be tried again, too */
	size_t again;			    /* of them */
	struct occ_waiting_reason *reasons; /* why they are left */
	size_t reason_count;
};

/*
 * Looks through a store; `retry`: as if nothing were remembered. False after an
 * error was shown; a store that isn't there is empty. To be released, whatever
 * came of it.
 */
bool occ_waiting_count(struct occ_store *store, bool retry,
		       struct occ_waiting_counts *ret_counts);
void occ_waiting_release(struct occ_waiting_counts *counts);

/*
 * Need it be looked through? False, for little work, where nothing shows that
 * NVIDIA's driver was ever here.
 */
bool occ_waiting_may_be(struct occ_store *store);

/*
 * How many bytes may come to a store before something would have to go. An
 * entry that gets device code needs more than its own size: for a moment there
 * are two of it.
 */
uint64_t occ_waiting_room(struct occ_store *store);
extern const char occ_waiting_no_room[];

/* An object "device_code"; nothing where there are no such entries. */
void occ_waiting_write_json(struct occ_json *json,
			    const struct occ_waiting_counts *counts);

#endif
