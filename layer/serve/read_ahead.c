/* SPDX-License-Identifier: MIT */
#include "layer/serve/read_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/log.h"
#include "layer/base/stores.h"
#include "layer/serve/stats.h"
#include "layer/serve/uses.h"
#include "layer/serve/working_set.h"

/* More builds than that that weren't foreseen, besides as many that were. */
#define WRONG_MAX 2

/* Bytes of entries that may never be asked for, and that nobody lets go. */
#define READ_MAX  (UINT64_C(1) << 20)

struct occ_ahead occ_ahead;

void occ_ahead_release_entries_locked(struct occ_ahead_item *item)
{
	for (uint32_t i = 0; i < item->what.count; i++) {
		occ_kept_release(item->entries[i]);
		item->entries[i] = NULL;
	}
}

/* What is loaded stays, for whoever may call the driver. */
void occ_ahead_stop_locked(void)
{
	occ_ahead.stopped = true;
	for (size_t i = 0; i < occ_ahead.count; i++) {
		if (occ_ahead.items[i].stage == OCC_AHEAD_LOADING ||
		    occ_ahead.items[i].stage == OCC_AHEAD_LOADED)
			continue;
		occ_ahead_release_entries_locked(&occ_ahead.items[i]);
		occ_ahead.items[i].stage = OCC_AHEAD_OVER;
	}
	occ_lock_wake_for(&occ_ahead.changed);
}

/* Their entries, from one store. False, and none: one isn't there. */
static bool read_entries(const struct occ_working_set_item *what,
			 struct occ_store *store, struct occ_kept **ret_entries)
{
	struct occ_loaded loaded;
	uint32_t i = 0;

	for (; i < what->count; i++) {
		if (occ_store_read_ahead(store, &what->hashes[i], &loaded))
			break;
		occ_stats_read(loaded.entry.metadata.size +
			       loaded.entry.binary.size);
		ret_entries[i] = occ_kept_take(&loaded);
		if (!ret_entries[i]) {
			occ_loaded_release(&loaded);
			break;
		}
	}
	if (i == what->count)
		return true;
	while (i--) {
		occ_kept_release(ret_entries[i]);
		ret_entries[i] = NULL;
	}
	return false;
}

static bool read_anywhere(const struct occ_working_set_item *what,
			  struct occ_kept **ret_entries,
			  enum occ_tier *ret_tier)
{
	struct occ_store *further;

	*ret_tier = OCC_TIER_STORE;
	if (read_entries(what, occ_stores(), ret_entries))
		return true;
	*ret_tier = OCC_TIER_READ_ONLY;
	for (size_t i = 0; (further = occ_stores_read_only(i)); i++)
		if (read_entries(what, further, ret_entries))
			return true;
	return false;
}

/* False: it isn't taken over, because a build was faster, or nobody wants it.
 */
static bool put_entries(struct occ_ahead_item *item,
			struct occ_kept *const *entries, enum occ_tier tier,
			uint64_t size)
{
	bool taken;

	occ_lock();
	taken = !occ_ahead.stopped && item->stage == OCC_AHEAD_UNREAD;
	if (taken) {
		memcpy(item->entries, entries, sizeof(item->entries));
		item->tier = tier;
		item->size = size;
		item->stage = OCC_AHEAD_READ;
	}
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
	return taken;
}

/* The bytes that were read. */
static uint64_t read_item(struct occ_ahead_item *item)
{
	struct occ_kept *entries[OCC_WORKING_SET_DEVICES] = {NULL};
	enum occ_tier tier;
	uint64_t size = 0;

	if (!read_anywhere(&item->what, entries, &tier))
		return 0;
	for (uint32_t i = 0; i < item->what.count; i++)
		size += occ_kept_size(entries[i]);
	occ_stats_ahead(OCC_COUNT_READ_AHEAD, item->what.count);
	if (put_entries(item, entries, tier, size))
		return size;
	for (uint32_t i = 0; i < item->what.count; i++)
		occ_kept_release(entries[i]);
	return size;
}

static bool is_wanted(const struct occ_ahead_item *item)
{
	bool wanted;

	occ_lock();
	wanted = !occ_ahead.stopped && item->stage == OCC_AHEAD_UNREAD;
	occ_unlock();
	return wanted;
}

static struct occ_ahead_item *make_items(
	const struct occ_working_set_item *what, size_t count)
{
	struct occ_ahead_item *items = calloc(count, sizeof(*items));

	for (size_t i = 0; items && i < count; i++)
		items[i].what = what[i];
	return items;
}

static void read_items(struct occ_ahead_item *items, size_t count, bool certain,
		       uint64_t most)
{
	uint64_t size = 0, start = occ_log_now();

	for (size_t i = 0; i < count && size < most; i++)
		if (is_wanted(&items[i]))
			size += read_item(&items[i]);
	occ_log_trace(&(struct occ_trace){
		.event = "prefetch",
		.result = "read",
		.reason = certain ? "certain" : "uncertain",
		.bytes = size,
		.since = start,
	});
}

static bool begin_asking(void)
{
	bool first;

	occ_lock();
	first = !occ_ahead.asked;
	occ_ahead.asked = true;
	occ_unlock();
	return first;
}

static bool was_early_locked(const struct occ_ahead_item *item)
{
	for (size_t i = 0; i < occ_ahead.early_count; i++)
		if (!memcmp(&occ_ahead.early[i], &item->what.hashes[0],
			    sizeof(occ_ahead.early[i])))
			return true;
	return false;
}

bool occ_ahead_read(const char *platform_name, bool is_loaded)
{
	uint64_t most = occ_memory_capacity() / 2;
	struct occ_working_set_item *what;
	struct occ_ahead_item *items;
	size_t count;
	bool certain;

	if (!begin_asking())
		return false;
	what = occ_working_set_foresee(platform_name, &count, &certain);
	items = what ? make_items(what, count) : NULL;
	free(what);
	if (!items)
		return true;
	occ_lock();
	occ_ahead.items = items;
	occ_ahead.count = count;
	occ_ahead.certain = certain;
	for (size_t i = 0; i < count; i++)
		if (was_early_locked(&items[i]))
			items[i].stage = OCC_AHEAD_OVER;
	occ_unlock();
	if (!(certain && is_loaded) && most > READ_MAX)
		most = READ_MAX;
	read_items(items, count, certain, most);
	return true;
}

static bool is_of(const struct occ_ahead_item *item,
		  const struct occ_build_key *build_key)
{
	if (item->what.count != build_key->device_count)
		return false;
	for (uint32_t i = 0; i < item->what.count; i++)
		if (memcmp(&item->what.hashes[i], &build_key->keys[i].hash,
			   sizeof(item->what.hashes[i])) != 0)
			return false;
	return true;
}

void occ_ahead_note_early_locked(const struct occ_build_key *build_key)
{
	if (occ_ahead.count || occ_ahead.stopped)
		return;
	if (occ_ahead.early_count == OCC_AHEAD_EARLY_MAX)
		occ_ahead_stop_locked();
	else
		occ_ahead.early[occ_ahead.early_count++] =
			build_key->keys[0].hash;
}

void occ_ahead_judge_locked(const struct occ_ahead_item *item)
{
	if (!occ_ahead.count || occ_ahead.stopped)
		return;
	if (item) {
		occ_ahead.right++;
		occ_ahead.certain = true;
	} else if (++occ_ahead.wrong > occ_ahead.right + WRONG_MAX ||
		   !occ_ahead.certain) {
		occ_ahead_stop_locked();
	}
}

struct occ_ahead_item *occ_ahead_find_locked(
	const struct occ_build_key *build_key, uint32_t number)
{
	struct occ_ahead_item *items = occ_ahead.items;

	for (size_t i = 0; i < occ_ahead.count; i++)
		if (items[i].what.context == number &&
		    is_of(&items[i], build_key))
			return &items[i];
	return NULL;
}

/* Moves the entry out of an item, if it is for that key in full. */
static struct occ_kept *take_entry_locked(struct occ_ahead_item *item,
					  const struct occ_key *key)
{
	if (item->stage != OCC_AHEAD_READ && item->stage != OCC_AHEAD_WANTED)
		return NULL;
	for (uint32_t i = 0; i < item->what.count; i++) {
		struct occ_kept *kept = item->entries[i];

		if (!kept ||
		    memcmp(&item->what.hashes[i], &key->hash,
			   sizeof(key->hash)) != 0 ||
		    !occ_span_equal(kept->entry.key,
				    occ_buffer_span(&key->stored)))
			continue;
		item->entries[i] = NULL;
		item->stage = OCC_AHEAD_WANTED;
		return kept;
	}
	return NULL;
}

struct occ_kept *occ_ahead_entry(const struct occ_key *key,
				 enum occ_tier *ret_tier)
{
	struct occ_kept *kept = NULL;

	occ_lock();
	for (size_t i = 0; i < occ_ahead.count && !kept; i++) {
		kept = take_entry_locked(&occ_ahead.items[i], key);
		if (kept)
			*ret_tier = occ_ahead.items[i].tier;
	}
	occ_unlock();
	if (!kept)
		return NULL;
	occ_uses_note(&key->hash);
	occ_stats_ahead(OCC_COUNT_READ_AHEAD_USED, 1);
	return kept;
}
