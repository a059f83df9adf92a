/* SPDX-License-Identifier: MIT */
#include "layer/disk.h"

#include <stdlib.h>

#include "cache/memory.h"
#include "layer/config.h"
#include "layer/lock.h"
#include "layer/log.h"

static struct occ_store *store;

/* As many as occ_config has directories; NULL: none, or not opened yet. */
static struct occ_store **read_only;

static struct occ_store *open_own(void)
{
	struct occ_store *own;

	if (occ_config.mode == OCC_MODE_READONLY)
		return occ_store_open_read_only(occ_config.directory);
	own = occ_store_open(occ_config.directory, occ_config.max_size,
			     occ_config.create_parent);
	if (own)
		occ_store_set_max_age(own, occ_config.max_age);
	return own;
}

struct occ_store *occ_disk(void)
{
	struct occ_store *result;

	if (!occ_config.persistent || !occ_config.directory)
		return NULL;
	occ_lock();
	if (!store)
		store = open_own();
	result = store;
	occ_unlock();
	return result;
}

bool occ_disk_is_written(void)
{
	struct occ_store *own = occ_disk();

	return own && !occ_store_is_read_only(own);
}

static size_t read_only_count(void)
{
	size_t count = 0;

	if (!occ_config.persistent || !occ_config.read_only_directories)
		return 0;
	while (occ_config.read_only_directories[count])
		count++;
	return count;
}

struct occ_store *occ_disk_read_only(size_t number)
{
	struct occ_store *result = NULL;

	if (number >= read_only_count())
		return NULL;
	occ_lock();
	if (!read_only)
		read_only = calloc(read_only_count(), sizeof(*read_only));
	if (read_only && !read_only[number])
		read_only[number] = occ_store_open_read_only(
			occ_config.read_only_directories[number]);
	if (read_only)
		result = read_only[number];
	occ_unlock();
	return result;
}

bool occ_disk_any(void)
{
	return occ_disk() || read_only_count();
}

bool occ_disk_or_memory(void)
{
	return occ_disk_any() || occ_memory_capacity();
}

bool occ_disk_has_entries(void)
{
	struct occ_store *further;

	if (occ_disk() && occ_store_has_entries(occ_disk()))
		return true;
	for (size_t i = 0; i < read_only_count(); i++) {
		further = occ_disk_read_only(i);
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

int occ_disk_lookup(const struct occ_key *key, struct occ_loaded *ret_loaded,
		    const char **ret_found_in)
{
	int error = OCC_E_NOT_FOUND, other;

	*ret_found_in = "user store";
	if (occ_config.mode == OCC_MODE_RECACHE)
		return OCC_E_NOT_FOUND;
	if (occ_disk())
		error = look_up(occ_disk(), key, ret_loaded);
	for (size_t i = 0; error && i < read_only_count(); i++) {
		*ret_found_in = "read-only store";
		other = OCC_E_MEMORY;
		if (occ_disk_read_only(i))
			other = look_up(occ_disk_read_only(i), key, ret_loaded);
		if (!other || is_none(error))
			error = other;
	}
	return error;
}

int occ_disk_lookup_whole(const struct occ_key *key,
			  struct occ_loaded *ret_loaded)
{
	struct occ_store *further;
	int error = OCC_E_NOT_FOUND;

	if (occ_disk())
		error = occ_store_lookup_whole(occ_disk(), key, ret_loaded);
	for (size_t i = 0; error && i < read_only_count(); i++) {
		further = occ_disk_read_only(i);
		if (further)
			error = occ_store_lookup_whole(further, key,
						       ret_loaded);
	}
	return error;
}

void occ_disk_close(void)
{
	for (size_t i = 0; read_only && i < read_only_count(); i++)
		occ_store_close(read_only[i]);
	free(read_only);
	read_only = NULL;
	occ_store_close(store);
	store = NULL;
}
