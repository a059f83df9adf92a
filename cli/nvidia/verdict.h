/* SPDX-License-Identifier: MIT */
/*
 * Is the device code good that NVIDIA's driver makes for a device? As it is
 * remembered in a store's state.
 */
#ifndef OCC_CLI_NVIDIA_VERDICT_H
#define OCC_CLI_NVIDIA_VERDICT_H

#include <stdbool.h>

#include "cache/store.h"
#include "cli/nvidia/driver.h"

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
enum occ_verdict occ_verdict_find(const struct occ_buffer *state,
				  const struct occ_driver_device *device,
				  char ret_reason[OCC_VERDICT_SIZE]);

/* Remembers one. Longer reasons are cut. */
void occ_verdict_note(struct occ_store *store,
		      const struct occ_driver_device *device,
		      enum occ_verdict verdict, const char *reason);

/* Is any device's remembered? */
bool occ_verdict_is_any(const struct occ_buffer *state);

#endif
