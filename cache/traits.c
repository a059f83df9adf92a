/* SPDX-License-Identifier: MIT */
#include "cache/traits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/name.h"
#include "cache/state.h"

/* Goes up when bytes get another meaning, or learning another method. */
#define VERSION	       2
#define SEARCH_VERSION 2

/* The values' names, before the driver's digest. */
#define TRAITS	       "driver"
#define LIBRARIES      "libraries"
#define SEARCH	       "search"

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

enum {
	AT_SEARCH_VERSION,
	AT_SEARCH,
	AT_HOME,
	SEARCH_SIZE = AT_HOME + OCC_DIGEST_SIZE,
};

/* A driver's values in the state. */
struct names {
	char traits[OCC_STATE_DRIVER_NAME_SIZE];
	char libraries[OCC_STATE_DRIVER_NAME_SIZE];
	char search[OCC_STATE_DRIVER_NAME_SIZE];
};

static bool decode(const unsigned char *value, struct occ_traits *ret_habits)
{
	if (value[AT_VERSION] != VERSION ||
	    value[AT_PROOF] > OCC_PROOF_ELSEWHERE ||
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

/*
 * Of where drivers have their own caches: what one does that is on by a
 * directory there says nothing of who has another home.
 */
static void digest_home(unsigned char ret_digest[OCC_DIGEST_SIZE])
{
	static const char *const names[] = {"HOME", "XDG_CACHE_HOME"};
	struct occ_buffer homes = OCC_BUFFER_INIT;
	struct occ_digest digest;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		occ_buffer_append(&homes, value ? value : "",
				  (value ? strlen(value) : 0) + 1);
	}
	occ_digest(homes.data, homes.size, OCC_SEED_CONTENT, &digest);
	memcpy(ret_digest, digest.bytes, sizeof(digest.bytes));
	occ_buffer_release(&homes);
}

static enum occ_search load_search(struct occ_store *store, const char *name)
{
	unsigned char value[SEARCH_SIZE], home[OCC_DIGEST_SIZE];
	size_t size;

	digest_home(home);
	if (occ_state_get(store, name, value, sizeof(value), &size) ||
	    size != sizeof(value) ||
	    value[AT_SEARCH_VERSION] != SEARCH_VERSION ||
	    value[AT_SEARCH] > OCC_SEARCH_OTHER ||
	    memcmp(value + AT_HOME, home, sizeof(home)) != 0)
		return OCC_SEARCH_UNKNOWN;
	return (enum occ_search)value[AT_SEARCH];
}

static int save_search(struct occ_store *store, const char *name,
		       enum occ_search search)
{
	unsigned char value[SEARCH_SIZE] = {
		[AT_SEARCH_VERSION] = SEARCH_VERSION,
		[AT_SEARCH] = (unsigned char)search,
	};

	digest_home(value + AT_HOME);
	return occ_state_set(store, name, value, sizeof(value));
}

enum occ_search occ_traits_load_search(struct occ_store *store,
				       const struct occ_digest *driver)
{
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name(SEARCH, driver, name);
	return load_search(store, name);
}

/* `name` is "driver HEX": the same with each word, and with NULs. */
static bool take_names(struct occ_span name, struct names *ret_names)
{
	static const char start[] = TRAITS " ";
	size_t length = sizeof(start) - 1;
	const char *digits = (const char *)name.data + length;

	if (name.size != length + OCC_DIGEST_HEX_SIZE - 1 ||
	    memcmp(name.data, start, length) != 0)
		return false;
	snprintf(ret_names->traits, sizeof(ret_names->traits), "%s%.*s", start,
		 OCC_DIGEST_HEX_SIZE - 1, digits);
	snprintf(ret_names->libraries, sizeof(ret_names->libraries), "%s %.*s",
		 LIBRARIES, OCC_DIGEST_HEX_SIZE - 1, digits);
	snprintf(ret_names->search, sizeof(ret_names->search), "%s %.*s",
		 SEARCH, OCC_DIGEST_HEX_SIZE - 1, digits);
	return true;
}

/* The next driver in a store's state; false: no more. */
static bool next_driver(const struct occ_buffer *state, size_t *offset,
			struct names *ret_names)
{
	struct occ_span name, value;

	while (occ_state_next(state, offset, &name, &value))
		if (take_names(name, ret_names))
			return true;
	return false;
}

bool occ_traits_any(struct occ_store *store)
{
	struct occ_buffer state;
	struct names names;
	size_t offset = 0;
	bool any;
	int error;

	occ_state_read(store, &state);
	any = next_driver(&state, &offset, &names);
	occ_buffer_release(&state);
	if (any)
		return true;
	/* A state that can't be read looks as if there were none. */
	error = occ_store_read(store, OCC_NAME_STATE, &state);
	occ_buffer_release(&state);
	return error && error != OCC_E_NOT_FOUND;
}

static bool is_good(struct occ_store *store, const char *name)
{
	struct occ_traits habits;

	return !load(store, name, &habits) && occ_proof_is_good(habits.proof);
}

int occ_traits_save_search(struct occ_store *store, enum occ_search search)
{
	struct occ_buffer state;
	struct names names;
	size_t offset = 0;
	int error = OCC_OK;

	occ_state_read(store, &state);
	while (!error && next_driver(&state, &offset, &names))
		if (is_good(store, names.traits))
			error = save_search(store, names.search, search);
	occ_buffer_release(&state);
	return error;
}

bool occ_traits_lack_search(struct occ_store *store, struct occ_store *from)
{
	struct occ_buffer state;
	struct names names;
	size_t offset = 0;
	bool lack = false;

	occ_state_read(from, &state);
	while (!lack && next_driver(&state, &offset, &names))
		lack = is_good(from, names.traits) &&
		       !load_search(from, names.search) &&
		       !load_search(store, names.search);
	occ_buffer_release(&state);
	return lack;
}

/* OCC_E_EXISTS: nothing is to be done. */
static int take_over_traits(struct occ_store *store, struct occ_store *from,
			    const struct names *names)
{
	struct occ_buffer paths = OCC_BUFFER_INIT;
	struct occ_traits news, known;
	int error = load(from, names->traits, &news);

	if (error || news.proof == OCC_PROOF_NONE)
		return error ? error : OCC_E_EXISTS;
	/*
	 * All zero when it isn't there. What an application's process was seen
	 * to end by counts more than what other processes could do.
	 */
	load(store, names->traits, &known);
	if (known.proof != OCC_PROOF_NONE &&
	    (!occ_proof_is_good(known.proof) ||
	     !load_libraries(store, names->libraries, &paths)))
		error = OCC_E_EXISTS;
	if (known.notify)
		news.notify = known.notify;
	if (!error && occ_proof_is_good(news.proof))
		error = load_libraries(from, names->libraries, &paths);
	if (!error && occ_proof_is_good(news.proof))
		error = occ_state_set(store, names->libraries, paths.data,
				      paths.size);
	if (news.proof == OCC_PROOF_GOOD)
		news.proof = OCC_PROOF_ELSEWHERE;
	if (!error)
		error = save(store, names->traits, &news);
	occ_buffer_release(&paths);
	return error;
}

/* The same. */
static int take_over_search(struct occ_store *store, struct occ_store *from,
			    const struct names *names)
{
	enum occ_search news = load_search(from, names->search);

	if (!news || news == load_search(store, names->search))
		return OCC_E_EXISTS;
	return save_search(store, names->search, news);
}

int occ_traits_take_over(struct occ_store *store, struct occ_store *from,
			 size_t *ret_count)
{
	struct occ_buffer state;
	struct names names;
	size_t offset = 0;
	int error = OCC_OK;

	*ret_count = 0;
	occ_state_read(from, &state);
	while (next_driver(&state, &offset, &names)) {
		int traits = take_over_traits(store, from, &names);
		int search = take_over_search(store, from, &names);

		*ret_count += !traits || !search;
		if (traits && traits != OCC_E_EXISTS)
			error = traits;
		if (search && search != OCC_E_EXISTS)
			error = search;
	}
	occ_buffer_release(&state);
	return error;
}
