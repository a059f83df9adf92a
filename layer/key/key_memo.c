/* SPDX-License-Identifier: MIT */
#include "layer/key/key_memo.h"

#include <stdlib.h>
#include <string.h>

#include "cache/lru.h"
#include "cache/memory.h"
#include "hash/digest.h"
#include "layer/base/lock.h"
#include "layer/key/input.h"

/* What a build key costs besides its source: about that. */
#define OVERHEAD      8192

/* The part of the capacity that may be spent on build keys. */
#define SHARE	      2

/* Of longer sources only pieces are hashed: all of them is compared anyway. */
#define WHOLE_MAX     16384
#define PIECES	      64
#define PIECE_SIZE    64

/* Shorter ones are as quickly copied; and how many of the latest count. */
#define LONG_MIN_SIZE 16384
#define RECALL_MAX    64

struct item {
	struct occ_lru_item lru; /* first: the table's are these */
	struct occ_digest hash;
	struct occ_digest text_hash; /* of the source alone */
	struct occ_build_key *build_key;
};

static struct occ_lru table; /* by hash */

/* False when out of memory. */
static bool hash_pieces(const char *text, size_t size,
			struct occ_digest *ret_hash)
{
	struct occ_digest_state *state = occ_digest_new(OCC_SEED_FIELD);
	size_t step = size / PIECES;

	if (!state)
		return false;
	for (size_t i = 0; i < PIECES; i++)
		occ_digest_update(state, text + i * step, PIECE_SIZE);
	occ_digest_update(state, text + size - PIECE_SIZE, PIECE_SIZE);
	occ_digest_finish(state, ret_hash);
	return true;
}

static bool hash_of_text(const char *text, size_t size,
			 struct occ_digest *ret_hash)
{
	if (size > WHOLE_MAX)
		return hash_pieces(text, size, ret_hash);
	occ_digest(text, size, OCC_SEED_FIELD, ret_hash);
	return true;
}

/* Made of the text's. What it is of has no padding. */
static void hash_of(const struct occ_request *request,
		    const struct occ_digest *text_hash,
		    struct occ_digest *ret_hash)
{
	const char *options = request->options ? request->options : "";
	struct {
		uint64_t context, operation, size;
		struct occ_digest options, devices, text;
	} all = {
		.context = (uintptr_t)request->context,
		.operation = request->operation,
		.size = request->input->size,
		.text = *text_hash,
	};

	occ_digest(options, strlen(options), OCC_SEED_FIELD, &all.options);
	occ_digest(request->devices,
		   request->device_count * sizeof(*request->devices),
		   OCC_SEED_FIELD, &all.devices);
	occ_digest(&all, sizeof(all), OCC_SEED_FIELD, ret_hash);
}

static bool same_input(const struct occ_input *a, const struct occ_input *b)
{
	return a == b ||
	       (a->is_il == b->is_il &&
		a->create_with_il == b->create_with_il && a->size == b->size &&
		a->lengths_size == b->lengths_size &&
		!(a->lengths_size &&
		  memcmp(a->lengths, b->lengths, a->lengths_size)) &&
		!memcmp(a->text, b->text, a->size));
}

static bool same_constants(const struct occ_spec_constants *a,
			   const struct occ_spec_constants *b)
{
	static const struct occ_spec_constants none = {.count = 0};

	if (!b)
		b = &none;
	return occ_spec_constants_equal(a, b) &&
	       (!a->count || a->specialize == b->specialize);
}

static bool is_equal(const struct occ_build_key *build_key,
		     const struct occ_request *request)
{
	const char *options = request->options ? request->options : "";

	return build_key->operation == request->operation &&
	       build_key->context == request->context &&
	       build_key->device_count == request->device_count &&
	       !memcmp(build_key->devices, request->devices,
		       request->device_count * sizeof(*request->devices)) &&
	       build_key->none_given == !request->options &&
	       !strcmp(build_key->given, options) &&
	       same_constants(&build_key->constants, request->constants) &&
	       same_input(build_key->input, request->input);
}

/* Compiles have headers, and links no source: rare, and expensive anyway. */
static bool is_simple(enum occ_operation operation)
{
	return operation == OCC_BUILD;
}

struct occ_build_key *occ_key_memo_find(const struct occ_request *request)
{
	struct occ_build_key *build_key = NULL;
	struct occ_digest hash;
	struct item *item;
	bool any;

	occ_lock();
	any = table.items;
	occ_unlock();
	if (!any || !is_simple(request->operation) ||
	    !hash_of_text(request->input->text, request->input->size, &hash))
		return NULL;
	hash_of(request, &hash, &hash);
	occ_lock();
	item = (struct item *)occ_lru_find(&table, &hash, sizeof(hash));
	if (item) {
		occ_lru_use(&table, &item->lru);
		build_key = occ_build_key_retain(item->build_key);
	}
	occ_unlock();
	/* Not under the lock: sources may be long. */
	if (build_key && !is_equal(build_key, request)) {
		occ_build_key_release(build_key);
		build_key = NULL;
	}
	return build_key;
}

/* Retained; what has the hash may still be another text. */
static struct occ_input *recall(const struct occ_digest *hash, size_t size)
{
	struct occ_input *input = NULL;
	unsigned tries = 0;

	occ_lock();
	for (const struct occ_lru_item *lru = table.by_use;
	     lru && tries < RECALL_MAX && !input; lru = lru->next, tries++) {
		const struct item *item = (const struct item *)lru;

		if (item->build_key->input->size == size &&
		    !memcmp(&item->text_hash, hash, sizeof(*hash)))
			input = occ_input_retain(item->build_key->input);
	}
	occ_unlock();
	return input;
}

struct occ_input *occ_key_memo_source(const char *text, size_t size)
{
	struct occ_digest hash;
	struct occ_input *input = NULL;
	bool any;

	occ_lock();
	any = table.items;
	occ_unlock();
	if (any && size >= LONG_MIN_SIZE && hash_of_text(text, size, &hash))
		input = recall(&hash, size);
	if (input && (input->is_il || input->lengths_size != 8 ||
		      memcmp(input->text, text, size) != 0)) {
		occ_input_release(input);
		input = NULL;
	}
	return input;
}

static void free_item(struct occ_lru_item *lru)
{
	struct item *item = (struct item *)lru;

	occ_build_key_release(item->build_key);
	free(item);
}

void occ_key_memo_put(struct occ_build_key *build_key)
{
	uint64_t limit = occ_memory_capacity() / SHARE;
	struct occ_request request = {
		.operation = build_key->operation,
		.context = build_key->context,
		.input = build_key->input,
		.options = build_key->none_given ? NULL : build_key->given,
		.device_count = build_key->device_count,
		.devices = build_key->devices,
	};
	struct occ_lru_item *gone = NULL;
	struct item *item;

	if (!is_simple(build_key->operation) ||
	    OVERHEAD + (uint64_t)build_key->input->size > limit)
		return;
	item = calloc(1, sizeof(*item));
	if (!item)
		return;
	item->lru.key = &item->hash;
	item->lru.key_size = sizeof(item->hash);
	item->lru.size = OVERHEAD + (uint64_t)build_key->input->size;
	if (!hash_of_text(build_key->input->text, build_key->input->size,
			  &item->text_hash)) {
		free(item);
		return;
	}
	hash_of(&request, &item->text_hash, &item->hash);
	item->build_key = occ_build_key_retain(build_key);
	occ_lock();
	if (!occ_lru_put(&table, &item->lru, limit, &gone))
		occ_lru_refuse(&item->lru, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_key_memo_drop_context(cl_context context)
{
	struct occ_lru_item *lru, *next, *gone = NULL;

	occ_lock();
	for (lru = table.by_use; lru; lru = next) {
		next = lru->next;
		if (((struct item *)lru)->build_key->context == context)
			occ_lru_remove(&table, lru, &gone);
	}
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_key_memo_fit(void)
{
	uint64_t limit = occ_memory_capacity() / SHARE;
	struct occ_lru_item *gone = NULL;

	occ_lock();
	occ_lru_make_room(&table, 0, limit, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_key_memo_clear(void)
{
	struct occ_lru_item *gone = NULL;

	occ_lock();
	occ_lru_clear(&table, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}
