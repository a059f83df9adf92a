/* SPDX-License-Identifier: MIT */
#include "layer/disk.h"

#include "cache/memory.h"
#include "layer/config.h"
#include "layer/lock.h"

static struct occ_store *store;

struct occ_store *occ_disk(void)
{
	struct occ_store *result;

	if (!occ_config.persistent || !occ_config.directory)
		return NULL;
	occ_lock();
	if (!store)
		store = occ_store_open(occ_config.directory,
				       occ_config.max_size,
				       occ_config.create_parent);
	result = store;
	occ_unlock();
	return result;
}

bool occ_disk_or_memory(void)
{
	return occ_disk() || occ_memory_capacity();
}

void occ_disk_close(void)
{
	occ_store_close(store);
	store = NULL;
}
