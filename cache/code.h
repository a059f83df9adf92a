/* SPDX-License-Identifier: MIT */
/*
 * Device code, as an entry's section has it: bytes that a driver loads in place
 * of the binary, behind what says for which device, and by whom, they were
 * made. The driver and its version are in the entry's key.
 */
#ifndef OCC_CACHE_CODE_H
#define OCC_CACHE_CODE_H

#include <stdbool.h>

#include "cache/entry.h"

/*
 * The number of the maker, which goes up when what it made before isn't to be
 * loaded any more. Code of another one is as if there were none.
 */
#define OCC_CODE_MAKER	   1

/* Before the bytes: u32 maker, u32 capability, u64 zero. */
#define OCC_CODE_HEAD_SIZE 16

struct occ_code {
	uint32_t maker;
	/* Major << 16 | minor, by the device's own count; 0: it has none. */
	uint32_t capability;
	struct occ_span bytes;
};

/* Appends the section's bytes. */
void occ_code_append(const struct occ_code *code, struct occ_buffer *section);

/* False when it is too short. */
bool occ_code_parse(struct occ_span section, struct occ_code *ret_code);

#endif
