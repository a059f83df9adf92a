/* SPDX-License-Identifier: MIT */
#include "layer/base/stores.h"

#include <stdlib.h>

#include "cache/error.h"
#include "cache/memory.h"
#include "hash/key.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"

static struct occ_store *store;

/* As many as occ_settings has directories; NULL: none, or not opened yet. */
static struct occ_store **read_only;

/* An enum occ_reason, once that was found out; atomic. */
#define FAULT_UNKNOWN (-1)
static int fault = FAULT_UNKNOWN;

static struct occ_store *open_own(void)
{
	struct occ_store *own;

	if (occ_settings.mode == OCC_MODE_READONLY)
		return occ_store_open_read_only(occ_settings.directory);
	own = occ_store_open(occ_settings.directory, occ_settings.max_size,
			     occ_settings.directory_is_default);
	if (own)
		occ_store_set_max_age(own, occ_settings.max_age);
	if (own && occ_settings_keeps_all)
		occ_store_keep_all(own);
	return own;
}

struct occ_store *occ_stores(void)
{
	struct occ_store *result;

	if (!occ_settings.persistent || !occ_settings.directory)
		return NULL;
	occ_lock();
	if (!store)
		store = open_own();
	result = store;
	occ_unlock();
	return result;
}

bool occ_stores_is_written(void)
{
	struct occ_store *own = occ_stores();

	return own && !occ_store_is_read_only(own);
}

static size_t read_only_count(void)
{
	size_t count = 0;

	if (!occ_settings.persistent || !occ_settings.read_only_directories)
		return 0;
	while (occ_settings.read_only_directories[count])
		count++;
	return count;
}

struct occ_store *occ_stores_read_only(size_t number)
{
	struct occ_store *result = NULL;

	if (number >= read_only_count())
		return NULL;
	occ_lock();
	if (!read_only)
		read_only = calloc(read_only_count(), sizeof(*read_only));
	if (read_only && !read_only[number])
		read_only[number] = occ_store_open_read_only(
			occ_settings.read_only_directories[number]);
	if (read_only)
		result = read_only[number];
	occ_unlock();
	return result;
}

bool occ_stores_any(void)
{
	return occ_stores() || read_only_count();
}

bool occ_stores_or_memory(void)
{
	return occ_stores_any() || occ_memory_capacity();
}

bool occ_stores_has_entries(void)
{
	struct occ_store *further;

	if (occ_stores() && occ_store_has_entries(occ_stores()))
		return true;
	for (size_t i = 0; i < read_only_count(); i++) {
		further = occ_stores_read_only(i);
		if (!further || occ_store_has_entries(further))
			return true;
	}
	return false;
}

static bool is_none(int error)
{
	return error == OCC_E_NOT_FOUND || error == OCC_E_NO_DIRECTORY;
}

static int look_up(struct occ_store *in, const struct occ_key *key,
		   struct occ_loaded *ret_loaded)
{
	int error = occ_store_lookup(in, key, ret_loaded);

	if (error && !is_none(error))
		occ_log_debug("entry not used in %s: %s",
			      occ_store_directory(in), occ_error_string(error));
	return error;
}

int occ_stores_lookup(const struct occ_key *key, struct occ_loaded *ret_loaded,
		      enum occ_tier *ret_tier)
{
	int error = OCC_E_NOT_FOUND, other;

	*ret_tier = OCC_TIER_STORE;
	if (occ_settings.mode == OCC_MODE_RECACHE)
		return OCC_E_NOT_FOUND;
	if (occ_stores())
		error = look_up(occ_stores(), key, ret_loaded);
	for (size_t i = 0; error && i < read_only_count(); i++) {
		*ret_tier = OCC_TIER_READ_ONLY;
		other = OCC_E_MEMORY;
		if (occ_stores_read_only(i))
			other = look_up(occ_stores_read_only(i), key,
					ret_loaded);
		if (!other || is_none(error))
			error = other;
	}
	return error;
}

int occ_stores_lookup_whole(const struct occ_key *key,
			    struct occ_loaded *ret_loaded)
{
	struct occ_store *further;
	int error = OCC_E_NOT_FOUND;

	if (occ_stores())
		error = occ_store_lookup_whole(occ_stores(), key, ret_loaded);
	for (size_t i = 0; error && i < read_only_count(); i++) {
		further = occ_stores_read_only(i);
		if (further)
			error = occ_store_lookup_whole(further, key,
						       ret_loaded);
	}
	return error;
}

static enum occ_reason find_fault(void)
{
	int error =
		occ_stores() ? occ_store_try(occ_stores()) : OCC_E_NO_DIRECTORY;

	if (error == OCC_E_BUSY || error == OCC_E_SIZE_LEDGER ||
	    error == OCC_E_MEMORY)
		return OCC_REASON_NONE;
	return occ_error_reason(error);
}

enum occ_reason occ_stores_fault(void)
{
	int found = __atomic_load_n(&fault, __ATOMIC_RELAXED);

	if (found == FAULT_UNKNOWN) {
		found = (int)find_fault();
		__atomic_store_n(&fault, found, __ATOMIC_RELAXED);
	}
	return (enum occ_reason)found;
}

void occ_stores_close(void)
{
	for (size_t i = 0; read_only && i < read_only_count(); i++)
		occ_store_close(read_only[i]);
	free(read_only);
	read_only = NULL;
	occ_store_close(store);
	store = NULL;
	fault = FAULT_UNKNOWN;
}
