/* SPDX-License-Identifier: MIT */
#include "layer/serve/uses.h"

#include <stdint.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cache/store.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/stores.h"

/* Between two writings to an entry. */
#define INTERVAL_NS UINT64_C(5000000000)

/* Of entries; what comes when there are so many isn't counted. */
#define ENTRIES_MAX 16384

struct use {
	UT_hash_handle hh;
	struct occ_digest hash;
	uint64_t count;	     /* that the entry doesn't say yet */
	uint64_t next_write; /* not before */
};

/* The lock guards both. */
static struct use *uses;
static size_t uncounted; /* uses whose count isn't 0 */

static struct use *find_or_add_locked(const struct occ_digest *hash)
{
	struct use *use, *added;

	HASH_FIND(hh, uses, hash, sizeof(*hash), use);
	if (use || HASH_COUNT(uses) >= ENTRIES_MAX)
		return use;
	added = calloc(1, sizeof(*added));
	if (!added)
		return NULL;
	added->hash = *hash;
	HASH_ADD(hh, uses, hash, sizeof(added->hash), added);
	HASH_FIND(hh, uses, hash, sizeof(*hash), use);
	if (use != added)
		free(added);
	return use;
}

void occ_uses_note(const struct occ_digest *hash)
{
	struct use *use;

	if (!occ_stores_is_written())
		return;
	occ_lock();
	use = find_or_add_locked(hash);
	if (use)
		uncounted += !use->count++;
	occ_unlock();
}

bool occ_uses_any(void)
{
	bool any;

	occ_lock();
	any = uncounted > 0;
	occ_unlock();
	return any;
}

/* To be freed; NULL: there are none, or no memory. */
static struct occ_entry_use *take(bool at_end, size_t *ret_count)
{
	uint64_t now = occ_log_now();
	struct occ_entry_use *taken = NULL;
	struct use *use;

	*ret_count = 0;
	occ_lock();
	if (uncounted)
		taken = malloc(uncounted * sizeof(*taken));
	for (use = taken ? uses : NULL; use; use = use->hh.next) {
		if (!use->count || (!at_end && now < use->next_write))
			continue;
		taken[(*ret_count)++] =
			(struct occ_entry_use){use->hash, use->count};
		use->count = 0;
		use->next_write = now + INTERVAL_NS;
		uncounted--;
	}
	occ_unlock();
	return taken;
}

void occ_uses_write(bool at_end)
{
	struct occ_entry_use *taken;
	size_t count;

	if (!occ_stores_is_written())
		return;
	taken = take(at_end, &count);
	if (count)
		occ_store_add_uses(occ_stores(), taken, count);
	free(taken);
}

void occ_uses_forked(void)
{
	struct use *use = uses, *next;

	/* Of them it frees its table alone. */
	HASH_CLEAR(hh, uses);
	for (; use; use = next) {
		next = use->hh.next;
		free(use);
	}
	uncounted = 0;
}

void occ_uses_forget(void)
{
	occ_uses_forked();
}
