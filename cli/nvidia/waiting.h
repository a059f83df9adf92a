/* SPDX-License-Identifier: MIT */
/*
 * Does an entry of NVIDIA's driver wait for device code (cache/entry.h), or
 * stay as it is, and why?
 *
 * From one thread.
 */
#ifndef OCC_CLI_NVIDIA_WAITING_H
#define OCC_CLI_NVIDIA_WAITING_H

#include "cache/entry.h"
#include "cache/store.h"
#include "cli/nvidia/driver.h"
#include "cli/nvidia/nvidia.h"

#define OCC_WAITING_REASON 128

/*
 * Of an entry, of which the binary needn't be there. `code_maker`: of its
 * device code, 0 for none; `state`: what occ_state_read() gave, NULL: what is
 * remembered doesn't count. `ret_reason`: why, of the last three.
 */
enum occ_nvidia_waiting occ_waiting_judge(const struct occ_entry *entry,
					  uint32_t code_maker,
					  const struct occ_buffer *state,
					  char ret_reason[OCC_WAITING_REASON]);

/*
 * How many bytes may come to a store before something would have to go. An
 * entry that gets device code needs more than its own size: for a moment there
 * are two of it.
 */
uint64_t occ_waiting_room(struct occ_store *store);
extern const char occ_waiting_no_room[];

/*
 * Is the device code good that NVIDIA's driver makes for a device? As it is
 * remembered in a store's state.
 */
enum occ_verdict {
	OCC_VERDICT_NONE,   /* nobody has tried */
	OCC_VERDICT_GOOD,   /* the maker of this number has found it so */
	OCC_VERDICT_ABSENT, /* it isn't here: not this time */
	OCC_VERDICT_AGAIN, /* something went wrong that may not the next time */
	OCC_VERDICT_BAD,
};

#define OCC_VERDICT_SIZE  128

/* So many that are to be tried again, one after the other, are a bad one. */
#define OCC_VERDICT_TRIES 5

/*
 * In what occ_state_read() (cache/state.h) gave. `ret_reason`: why not, of the
 * last three.
 */
enum occ_verdict occ_waiting_verdict(const struct occ_buffer *state,
				     const struct occ_driver_device *device,
				     char ret_reason[OCC_VERDICT_SIZE]);

/* Remembers one. Longer reasons are cut. */
void occ_waiting_note_verdict(struct occ_store *store,
			      const struct occ_driver_device *device,
			      enum occ_verdict verdict, const char *reason);

#endif
