/* SPDX-License-Identifier: MIT */
#include "cache/traits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/state.h"

/* Goes up when bytes get another meaning, or learning another method. */
#define VERSION	  2

/* The values' names, before the driver's digest. */
#define TRAITS	  "driver"
#define LIBRARIES "libraries"

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

static int load(struct occ_store *store, const char *name,
		struct occ_traits *ret_habits)
{
	unsigned char value[VALUE_SIZE];
	size_t size;
	int error;

	memset(ret_habits, 0, sizeof(*ret_habits));
	error = occ_state_get(store, name, value, sizeof(value), &size);
	if (error)
		return error;
	if (size != sizeof(value) || !decode(value, ret_habits))
		return OCC_E_NOT_FOUND;
	return OCC_OK;
}

static int save(struct occ_store *store, const char *name,
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

	return occ_state_set(store, name, value, sizeof(value));
}

static int load_libraries(struct occ_store *store, const char *name,
			  struct occ_buffer *ret_paths)
{
	unsigned char *value = malloc(OCC_STATE_VALUE_MAX);
	int error = OCC_E_MEMORY;
	size_t size;

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

int occ_traits_load(struct occ_store *store, const struct occ_digest *driver,
		    struct occ_traits *ret_habits)
{
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name(TRAITS, driver, name);
	return load(store, name, ret_habits);
}

int occ_traits_save(struct occ_store *store, const struct occ_digest *driver,
		    const struct occ_traits *habits)
{
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name(TRAITS, driver, name);
	return save(store, name, habits);
}

int occ_traits_load_libraries(struct occ_store *store,
			      const struct occ_digest *driver,
			      struct occ_buffer *ret_paths)
{
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name(LIBRARIES, driver, name);
	return load_libraries(store, name, ret_paths);
}

int occ_traits_save_libraries(struct occ_store *store,
			      const struct occ_digest *driver,
			      const struct occ_buffer *paths)
{
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name(LIBRARIES, driver, name);
	return occ_state_set(store, name, paths->data, paths->size);
}

/* `name` is "driver HEX": the same with the other word, and with NULs. */
static bool take_names(struct occ_span name,
		       char ret_traits[OCC_STATE_DRIVER_NAME_SIZE],
		       char ret_libraries[OCC_STATE_DRIVER_NAME_SIZE])
{
	static const char start[] = TRAITS " ";
	size_t length = sizeof(start) - 1;

	if (name.size != length + OCC_DIGEST_HEX_SIZE - 1 ||
	    memcmp(name.data, start, length) != 0)
		return false;
	snprintf(ret_traits, OCC_STATE_DRIVER_NAME_SIZE, "%.*s", (int)name.size,
		 (const char *)name.data);
	snprintf(ret_libraries, OCC_STATE_DRIVER_NAME_SIZE, "%s %.*s",
		 LIBRARIES, OCC_DIGEST_HEX_SIZE - 1, ret_traits + length);
	return true;
}

bool occ_traits_any(const struct occ_buffer *state)
{
	char traits[OCC_STATE_DRIVER_NAME_SIZE];
	char libraries[OCC_STATE_DRIVER_NAME_SIZE];
	struct occ_span name, value;
	size_t offset = 0;

	while (occ_state_next(state, &offset, &name, &value))
		if (take_names(name, traits, libraries))
			return true;
	return false;
}

/* OCC_E_EXISTS: nothing is to be done. */
static int take_over(struct occ_store *store, struct occ_store *from,
		     const char *name, const char *libraries)
{
	struct occ_buffer paths = OCC_BUFFER_INIT;
	struct occ_traits news, known;
	int error = load(from, name, &news);

	if (error || news.proof == OCC_PROOF_NONE)
		return error ? error : OCC_E_EXISTS;
	/* All zero when it isn't there. */
	load(store, name, &known);
	if (known.proof == OCC_PROOF_GOOD &&
	    !load_libraries(store, libraries, &paths))
		error = OCC_E_EXISTS;
	if (known.notify)
		news.notify = known.notify;
	if (!error && news.proof == OCC_PROOF_GOOD)
		error = load_libraries(from, libraries, &paths);
	if (!error && news.proof == OCC_PROOF_GOOD)
		error = occ_state_set(store, libraries, paths.data, paths.size);
	if (!error)
		error = save(store, name, &news);
	occ_buffer_release(&paths);
	return error;
}

int occ_traits_take_over(struct occ_store *store, struct occ_store *from,
			 size_t *ret_count)
{
	char traits[OCC_STATE_DRIVER_NAME_SIZE];
	char libraries[OCC_STATE_DRIVER_NAME_SIZE];
	struct occ_span name, value;
	struct occ_buffer state;
	size_t offset = 0;
	int error = OCC_OK, one;

	*ret_count = 0;
	occ_state_read(from, &state);
	while (occ_state_next(&state, &offset, &name, &value)) {
		if (!take_names(name, traits, libraries))
			continue;
		one = take_over(store, from, traits, libraries);
		*ret_count += !one;
		if (one && one != OCC_E_EXISTS)
			error = one;
	}
	occ_buffer_release(&state);
	return error;
}
