/* SPDX-License-Identifier: MIT */
#include "layer/object/program_pool.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "cache/lru.h"
#include "hash/buffer.h"
#include "hash/digest.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/key/program_binaries.h"
#include "layer/object/contexts.h"

/* By what programs are found, before keys are compared in full. */
struct pool_key {
	cl_context context;
	struct occ_digest hash; /* of the first device's key */
};

struct item {
	struct occ_lru_item lru; /* first: the table's are these */
	struct pool_key key;
	struct occ_pooled *pooled;
};

static struct occ_lru table; /* by key */
static bool closed;	     /* the drivers may be gone */
static bool is_recording;    /* commands may be recorded */

/* Without its program. */
static void free_pooled(struct occ_pooled *pooled)
{
	occ_kernels_ahead_forget(&pooled->kernels_ahead);
	occ_binaries_release(pooled->binaries);
	occ_binaries_release(pooled->fetched);
	free(pooled->answers);
	free(pooled->memory);
	occ_build_key_release(pooled->build_key);
	free(pooled);
}

/* Gives back a reference. */
static void unreference(struct occ_pooled *pooled)
{
	if (__atomic_sub_fetch(&pooled->references, 1, __ATOMIC_ACQ_REL))
		return;
	if (!pooled->is_handle)
		occ_context_release_hidden(pooled->build_key->context,
					   pooled->program);
	free_pooled(pooled);
}

void occ_pool_release(struct occ_pooled *pooled)
{
	if (!pooled)
		return;
	/* The next user's count of kernels begins at 0. */
	occ_kernels_ahead_drop(&pooled->kernels_ahead);
	occ_lock();
	pooled->used = false;
	occ_unlock();
	unreference(pooled);
}

static void pool_key_of(const struct occ_build_key *build_key,
			struct pool_key *ret_key)
{
	memset(ret_key, 0, sizeof(*ret_key));
	ret_key->context = build_key->context;
	ret_key->hash = build_key->keys[0].hash;
}

/* Lock held. */
static struct item *find_item_locked(const struct occ_build_key *build_key)
{
	struct pool_key key;
	struct item *item;

	pool_key_of(build_key, &key);
	item = (struct item *)occ_lru_find(&table, &key, sizeof(key));
	/* (L2) */
	return item && occ_build_key_equal(item->pooled->build_key, build_key)
		       ? item
		       : NULL;
}

/* Without the lock: calls the driver. */
static void free_item(struct occ_lru_item *lru)
{
	struct item *item = (struct item *)lru;

	unreference(item->pooled);
	free(item);
}

/* May its programs be used again, and again be told from others? Lock held. */
static bool is_reusable_locked(const struct occ_build_key *build_key)
{
	const struct occ_driver *driver = occ_build_key_driver(build_key);

	return driver->live_again && (driver->counts_kernels || !is_recording);
}

struct occ_pooled *occ_pool_find(const struct occ_build_key *build_key)
{
	struct occ_pooled *pooled = NULL;
	struct item *item;

	occ_lock();
	item = is_reusable_locked(build_key) ? find_item_locked(build_key)
					     : NULL;
	if (item && !item->pooled->used) {
		occ_lru_use(&table, &item->lru);
		pooled = item->pooled;
		pooled->used = true;
		__atomic_add_fetch(&pooled->references, 1, __ATOMIC_RELAXED);
	}
	occ_unlock();
	return pooled;
}

void occ_pool_note_reuse(struct occ_pooled *pooled)
{
	occ_lock();
	pooled->used_before = true;
	occ_unlock();
}

bool occ_pool_build_shows_use(const struct occ_pooled *pooled)
{
	bool result;

	occ_lock();
	/* Queued ones don't count, as far as is known: recorded ones do. */
	result = !pooled || !pooled->used_before || is_recording;
	occ_unlock();
	return result;
}

void occ_pool_note_recording(void)
{
	occ_lock();
	is_recording = true;
	occ_unlock();
}

/* (L4). Lock held. */
static bool is_closed_locked(void)
{
	return closed || occ_exit_begun();
}

/* False when it wasn't put into the table. Lock held. */
static bool insert_locked(struct item *item, uint64_t capacity,
			  struct occ_lru_item **gone)
{
	struct occ_lru_item *old =
		occ_lru_find(&table, &item->key, sizeof(item->key));

	/* (L4) */
	if (is_closed_locked())
		return false;
	if (old)
		occ_lru_remove(&table, old, gone);
	/* (L1) */
	if (!is_reusable_locked(item->pooled->build_key) ||
	    !occ_context_is_known_locked(item->key.context))
		return false;
	return occ_lru_put(&table, &item->lru, capacity, gone);
}

void occ_pool_put(struct occ_pooled *pooled)
{
	uint64_t capacity = occ_memory_capacity();
	struct occ_lru_item *gone = NULL;
	struct item *item;

	if (pooled->size > capacity)
		return;
	item = calloc(1, sizeof(*item));
	if (!item)
		return;
	pool_key_of(pooled->build_key, &item->key);
	item->pooled = pooled;
	item->lru.key = &item->key;
	item->lru.key_size = sizeof(item->key);
	item->lru.size = pooled->size;
	__atomic_add_fetch(&pooled->references, 1, __ATOMIC_RELAXED);
	occ_lock();
	if (!insert_locked(item, capacity, &gone))
		occ_lru_refuse(&item->lru, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_pool_forget(const struct occ_build_key *build_key)
{
	struct occ_lru_item *gone = NULL;
	struct item *item;

	occ_lock();
	item = is_closed_locked() ? NULL : find_item_locked(build_key);
	if (item)
		occ_lru_remove(&table, &item->lru, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_pool_drop_context(cl_context context)
{
	struct occ_lru_item *lru, *next, *gone = NULL;

	occ_lock();
	for (lru = table.by_use; lru; lru = next) {
		next = lru->next;
		if (((struct item *)lru)->key.context == context)
			occ_lru_remove(&table, lru, &gone);
	}
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_pool_shrink(uint64_t capacity)
{
	struct occ_lru_item *gone = NULL;

	occ_lock();
	if (!is_closed_locked())
		occ_lru_make_room(&table, 0, capacity, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

/* Frees only memory: the driver may be gone, and the program with it. */
static void forget_item(struct occ_lru_item *lru)
{
	struct item *item = (struct item *)lru;

	if (!__atomic_sub_fetch(&item->pooled->references, 1, __ATOMIC_ACQ_REL))
		free_pooled(item->pooled);
	free(item);
}

static bool may_be_released_at_exit(const struct occ_lru_item *lru)
{
	const struct occ_build_key *build_key =
		((const struct item *)lru)->pooled->build_key;

	for (cl_uint i = 0; i < build_key->device_count; i++)
		if (!build_key->identities[i]->driver->releases_at_exit)
			return false;
	return true;
}

void occ_pool_release_at_exit(void)
{
	struct occ_lru_item *lru, *next, *gone = NULL, *left = NULL;

	occ_lock();
	for (lru = is_closed_locked() ? NULL : table.by_use; lru; lru = next) {
		next = lru->next;
		occ_lru_remove(&table, lru,
			       may_be_released_at_exit(lru) ? &gone : &left);
	}
	occ_unlock();
	occ_lru_free(gone, free_item);
	occ_lru_free(left, forget_item);
}

void occ_pool_close(void)
{
	occ_lock();
	closed = true;
	occ_unlock();
}

void occ_pool_forget_all(void)
{
	struct occ_lru_item *gone = NULL;

	occ_lru_clear(&table, &gone);
	closed = false;
	is_recording = false;
	occ_lru_free(gone, forget_item);
}
