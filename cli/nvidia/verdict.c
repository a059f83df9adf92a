/* SPDX-License-Identifier: MIT */
#include "cli/nvidia/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "cache/code.h"
#include "cache/state.h"
#include "cli/text.h"

/*
 * u32 the maker's number; if it isn't good u8: how often it is tried, 0 for
 * never again, and the reason.
 */
#define MAKER_SIZE   4
#define AT_TRIES     4
#define AT_REASON    5

#define TRIES_ABSENT 255

#define NAME_BEGINS  "code "

static char *name_of(const struct occ_driver_device *device)
{
	return occ_text(NAME_BEGINS "%s, %s, %s", device->driver_version,
			device->platform_version, device->name);
}

static enum occ_verdict verdict_of(unsigned char tries)
{
	if (tries == TRIES_ABSENT)
		return OCC_VERDICT_ABSENT;
	return tries ? OCC_VERDICT_AGAIN : OCC_VERDICT_BAD;
}

enum occ_verdict occ_verdict_find(const struct occ_buffer *state,
				  const struct occ_driver_device *device,
				  char ret_reason[OCC_VERDICT_SIZE])
{
	unsigned char value[AT_REASON + OCC_VERDICT_SIZE];
	char *name = name_of(device);
	size_t size = 0;
	bool found =
		occ_state_find(state, name, value, sizeof(value) - 1, &size);

	free(name);
	*ret_reason = '\0';
	if (!found || size < MAKER_SIZE || occ_get_u32(value) != OCC_CODE_MAKER)
		return OCC_VERDICT_NONE;
	if (size == MAKER_SIZE)
		return OCC_VERDICT_GOOD;
	memcpy(ret_reason, value + AT_REASON, size - AT_REASON);
	ret_reason[size - AT_REASON] = '\0';
	return verdict_of(value[AT_TRIES]);
}

/* Of the state as it is now; 0: none, or none that counts. */
static unsigned tries_before(struct occ_store *store, const char *name)
{
	unsigned char value[AT_REASON + OCC_VERDICT_SIZE];
	size_t size;

	if (occ_state_get(store, name, value, sizeof(value), &size) ||
	    size <= AT_TRIES || occ_get_u32(value) != OCC_CODE_MAKER ||
	    value[AT_TRIES] == TRIES_ABSENT)
		return 0;
	return value[AT_TRIES];
}

static unsigned char tries_of(struct occ_store *store, const char *name,
			      enum occ_verdict verdict)
{
	unsigned tries;

	if (verdict == OCC_VERDICT_ABSENT)
		return TRIES_ABSENT;
	if (verdict != OCC_VERDICT_AGAIN)
		return 0;
	tries = tries_before(store, name) + 1;
	return tries < OCC_VERDICT_TRIES ? (unsigned char)tries : 0;
}

void occ_verdict_note(struct occ_store *store,
		      const struct occ_driver_device *device,
		      enum occ_verdict verdict, const char *reason)
{
	unsigned char value[AT_REASON + OCC_VERDICT_SIZE];
	size_t size = MAKER_SIZE, length;
	char *name = name_of(device);

	occ_put_u32(value, OCC_CODE_MAKER);
	if (verdict != OCC_VERDICT_GOOD && reason) {
		length = strnlen(reason, OCC_VERDICT_SIZE - 1);
		value[AT_TRIES] = tries_of(store, name, verdict);
		memcpy(value + AT_REASON, reason, length);
		size = AT_REASON + length;
	}
	occ_state_set(store, name, value, size);
	free(name);
}

bool occ_verdict_is_any(const struct occ_buffer *state)
{
	return state->size && memmem(state->data, state->size, NAME_BEGINS,
				     strlen(NAME_BEGINS));
}
