/* SPDX-License-Identifier: MIT */
#include "cache/traits.h"

#include <stdlib.h>
#include <string.h>

#include "cache/state.h"

/* Goes up when bytes get another meaning, or learning another method. */
#define VERSION 2

enum {
	AT_VERSION,
	AT_PROOF,
	AT_NOTIFY,
	AT_COUNTS_KERNELS,
	AT_COUNTS_PROGRAMS,
	AT_EXPENSIVE,
	AT_LATE,
	VALUE_SIZE,
};

static bool decode(const unsigned char *value, struct occ_traits *ret_habits)
{
	if (value[AT_VERSION] != VERSION || value[AT_PROOF] > OCC_PROOF_VAIN ||
	    value[AT_NOTIFY] > OCC_NOTIFY_WAITED ||
	    value[AT_COUNTS_KERNELS] > 1 || value[AT_COUNTS_PROGRAMS] > 1 ||
	    value[AT_EXPENSIVE] > 1 || value[AT_LATE] > 1)
		return false;
	ret_habits->proof = (enum occ_proof)value[AT_PROOF];
	ret_habits->notify = (enum occ_notify_thread)value[AT_NOTIFY];
	ret_habits->counts_kernels = value[AT_COUNTS_KERNELS];
	ret_habits->counts_programs = value[AT_COUNTS_PROGRAMS];
	ret_habits->expensive = value[AT_EXPENSIVE];
	ret_habits->late = value[AT_LATE];
	return true;
}

int occ_traits_load(struct occ_store *store, const struct occ_digest *driver,
		    struct occ_traits *ret_habits)
{
	unsigned char value[VALUE_SIZE];
	char name[OCC_STATE_DRIVER_NAME_SIZE];
	size_t size;
	int error;

	memset(ret_habits, 0, sizeof(*ret_habits));
	occ_state_driver_name("driver", driver, name);
	error = occ_state_get(store, name, value, sizeof(value), &size);
	if (error)
		return error;
	if (size != sizeof(value) || !decode(value, ret_habits))
		return OCC_E_NOT_FOUND;
	return OCC_OK;
}

int occ_traits_save(struct occ_store *store, const struct occ_digest *driver,
		    const struct occ_traits *habits)
{
	unsigned char value[VALUE_SIZE] = {
		[AT_VERSION] = VERSION,
		[AT_PROOF] = (unsigned char)habits->proof,
		[AT_NOTIFY] = (unsigned char)habits->notify,
		[AT_COUNTS_KERNELS] = habits->counts_kernels,
		[AT_COUNTS_PROGRAMS] = habits->counts_programs,
		[AT_EXPENSIVE] = habits->expensive,
		[AT_LATE] = habits->late,
	};
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name("driver", driver, name);
	return occ_state_set(store, name, value, sizeof(value));
}

int occ_traits_load_libraries(struct occ_store *store,
			      const struct occ_digest *driver,
			      struct occ_buffer *ret_paths)
{
	unsigned char *value = malloc(OCC_STATE_VALUE_MAX);
	int error = OCC_E_MEMORY;
	char name[OCC_STATE_DRIVER_NAME_SIZE];
	size_t size;

	occ_state_driver_name("libraries", driver, name);
	if (value)
		error = occ_state_get(store, name, value, OCC_STATE_VALUE_MAX,
				      &size);
	if (!error && size && value[size - 1])
		error = OCC_E_NOT_FOUND;
	if (!error)
		occ_buffer_append(ret_paths, value, size);
	free(value);
	return error;
}

int occ_traits_save_libraries(struct occ_store *store,
			      const struct occ_digest *driver,
			      const struct occ_buffer *paths)
{
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name("libraries", driver, name);
	return occ_state_set(store, name, paths->data, paths->size);
}
