/* SPDX-License-Identifier: MIT */
/*
 * cache/state.h: any bytes as "oclcache.state", as they are and with a right
 * checksum. What is read is found, and a value that is set then is there.
 */
#include "tests/fuzz/directory.h"

#include "cache/state.h"

#define FILE_NAME "oclcache.state"

static void play(struct occ_store *store)
{
	unsigned char value[OCC_STATE_VALUE_MAX];
	struct occ_buffer state = OCC_BUFFER_INIT;
	size_t size = 0;
	bool there;

	occ_state_read(store, &state);
	there = occ_state_find(&state, "a", value, sizeof(value), &size);
	fuzz_expect(!there || size <= sizeof(value), "a value that fits");
	occ_buffer_release(&state);
	fuzz_expect(!occ_state_set(store, "b", "value", 5), "it is set");
	fuzz_expect(!occ_state_get(store, "b", value, sizeof(value), &size) &&
			    size == 5 && !memcmp(value, "value", 5),
		    "and there");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file = fuzz_copy(data, size);
	struct occ_store *store = occ_store_open(fuzz_directory(), 0, false);

	fuzz_expect(store, "a store");
	fuzz_write(FILE_NAME, file, size);
	play(store);
	if (fuzz_mend_checksum(file, size)) {
		fuzz_write(FILE_NAME, file, size);
		play(store);
	}
	occ_store_close(store);
	free(file);
	return 0;
}
