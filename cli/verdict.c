/* SPDX-License-Identifier: MIT */
#include "cli/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "cache/code.h"
#include "cache/state.h"
#include "cli/text.h"

/* u32 the maker's number; if it isn't good u8: again?, and the reason. */
#define MAKER_SIZE  4
#define AT_AGAIN    4
#define AT_REASON   5

#define NAME_BEGINS "code "

static char *name_of(const struct occ_nvidia_device *device)
{
	return occ_text(NAME_BEGINS "%s, %s, %s", device->driver_version,
			device->platform_version, device->name);
}

enum occ_verdict occ_verdict_find(const struct occ_buffer *state,
				  const struct occ_nvidia_device *device,
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
	return value[AT_AGAIN] ? OCC_VERDICT_AGAIN : OCC_VERDICT_BAD;
}

void occ_verdict_note(struct occ_store *store,
		      const struct occ_nvidia_device *device,
		      enum occ_verdict verdict, const char *reason)
{
	unsigned char value[AT_REASON + OCC_VERDICT_SIZE];
	size_t size = MAKER_SIZE, length;
	char *name = name_of(device);

	occ_put_u32(value, OCC_CODE_MAKER);
	if (verdict != OCC_VERDICT_GOOD && reason) {
		length = strnlen(reason, OCC_VERDICT_SIZE - 1);
		value[AT_AGAIN] = verdict == OCC_VERDICT_AGAIN;
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
