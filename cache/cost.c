/* SPDX-License-Identifier: MIT */
#include "cache/cost.h"

#include <stdio.h>
#include <string.h>

#include "cache/state.h"

/* Goes up when bytes get another meaning. */
#define VERSION	      1

/* "fetched": a header, then an item for each of the last programs. */
#define AT_VERSION    0
#define AT_ZERO	      4
#define AT_FACTOR     8
#define HEADER_SIZE   16
#define ITEM_SIZE     16
#define HASH_SIZE     8

/* "hits". */
#define AT_COUNT      8
#define AT_LOAD	      16
#define AT_COMPILE    24
#define AT_UNTIL      32
#define HITS_SIZE     40

/* "first": values, so that one isn't too long; a hash is in one of them. */
#define KEY_VALUES    12
#define KEY_HASH_SIZE 8
#define KEY_SIZE      12 /* and u32: microseconds */
#define NS_PER_US     1000

/* A factor is in thousandths. */
#define FACTOR_ONE    UINT64_C(1000)
#define FACTOR_MAX    UINT64_C(1000000)

/* No driver takes longer: what is larger would overflow. */
#define NS_MAX	      (UINT64_C(1) << 40)

static bool is_fetched(struct occ_span value)
{
	return value.size >= HEADER_SIZE &&
	       (value.size - HEADER_SIZE) % ITEM_SIZE == 0 &&
	       occ_get_u32(value.data + AT_VERSION) == VERSION;
}

static uint64_t limit(uint64_t ns)
{
	return ns < NS_MAX ? ns : NS_MAX;
}

static uint64_t factor_of(struct occ_span value)
{
	uint64_t factor = is_fetched(value)
				  ? occ_get_u64(value.data + AT_FACTOR)
				  : FACTOR_ONE;

	/* From less than 5 it would never come up again. */
	if (factor < 5)
		return 5;
	return factor < FACTOR_MAX ? factor : FACTOR_MAX;
}

/* What it would take with a factor of 1. */
static uint64_t plain_time(const struct occ_fetched *program)
{
	uint64_t count = program->count < 65536 ? program->count : 65536;
	uint64_t size = program->size < UINT32_MAX ? program->size : UINT32_MAX;

	return limit(count * OCC_COST_KERNEL_NS + size * OCC_COST_BYTE_NS);
}

/* The program's item, or NULL. */
static const unsigned char *find(struct occ_span value,
				 const struct occ_fetched *program)
{
	if (!is_fetched(value))
		return NULL;
	for (size_t at = HEADER_SIZE; at < value.size; at += ITEM_SIZE)
		if (!memcmp(value.data + at, program->kernels.bytes, HASH_SIZE))
			return value.data + at;
	return NULL;
}

bool occ_cost_expect_fetch(struct occ_store *store,
			   const struct occ_fetched *program, uint64_t *ret_ns)
{
	unsigned char bytes[OCC_STATE_GROWN_MAX];
	struct occ_span value = {bytes, 0};
	const unsigned char *item;
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name("fetched", &program->driver, name);
	if (occ_state_get(store, name, bytes, sizeof(bytes), &value.size))
		value.size = 0;
	item = find(value, program);
	if (item)
		*ret_ns = limit(occ_get_u64(item + HASH_SIZE));
	else
		*ret_ns = limit(plain_time(program) * factor_of(value) /
				FACTOR_ONE);
	return item != NULL;
}

struct fetch {
	const struct occ_fetched *program;
	uint64_t ns;
};

/*
 * A running median: a step up or down with each measurement, so that one of an
 * unusual program doesn't say much of others.
 */
static uint64_t step(uint64_t factor, const struct fetch *fetch)
{
	uint64_t expected = plain_time(fetch->program) * factor / FACTOR_ONE;

	return fetch->ns > expected ? factor + factor / 4 : factor - factor / 5;
}

/* All items but the program's, and, when there are too many, the oldest. */
static void copy_others(struct occ_span value,
			const struct occ_fetched *program,
			struct occ_buffer *new_bytes)
{
	const unsigned char *own = find(value, program);
	size_t at = HEADER_SIZE;

	if (!is_fetched(value))
		return;
	if (!own && value.size + ITEM_SIZE > OCC_STATE_GROWN_MAX)
		at += ITEM_SIZE;
	for (; at < value.size; at += ITEM_SIZE)
		if (value.data + at != own)
			occ_buffer_append(new_bytes, value.data + at,
					  ITEM_SIZE);
}

static bool add_fetch(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		      void *data)
{
	const struct fetch *fetch = data;
	const struct occ_fetched *program = fetch->program;
	unsigned char header[HEADER_SIZE] = {0}, ns[8];
	uint64_t factor = step(factor_of(old_bytes), fetch);

	occ_put_u32(header + AT_VERSION, VERSION);
	occ_put_u64(header + AT_FACTOR, factor);
	occ_put_u64(ns, fetch->ns);
	occ_buffer_append(new_bytes, header, sizeof(header));
	copy_others(old_bytes, program, new_bytes);
	occ_buffer_append(new_bytes, program->kernels.bytes, HASH_SIZE);
	occ_buffer_append(new_bytes, ns, sizeof(ns));
	return true;
}

int occ_cost_note_fetch(struct occ_store *store,
			const struct occ_fetched *program, uint64_t ns)
{
	struct fetch fetch = {program, limit(ns)};
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name("fetched", &program->driver, name);
	return occ_state_update(store, name, add_fetch, &fetch);
}

static void decode_hits(struct occ_span value, struct occ_hits *ret_hits)
{
	memset(ret_hits, 0, sizeof(*ret_hits));
	if (value.size != HITS_SIZE ||
	    occ_get_u32(value.data + AT_VERSION) != VERSION)
		return;
	ret_hits->count = occ_get_u64(value.data + AT_COUNT);
	ret_hits->load_ns = occ_get_u64(value.data + AT_LOAD);
	ret_hits->compile_ns = occ_get_u64(value.data + AT_COMPILE);
	ret_hits->refused_until = occ_get_u64(value.data + AT_UNTIL);
}

void occ_cost_find_hits(const struct occ_buffer *state,
			const struct occ_digest *driver,
			struct occ_hits *ret_hits)
{
	unsigned char bytes[HITS_SIZE];
	struct occ_span value = {bytes, 0};
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name("hits", driver, name);
	if (!occ_state_find(state, name, bytes, sizeof(bytes), &value.size))
		value.size = 0;
	decode_hits(value, ret_hits);
}

void occ_cost_get_hits(struct occ_store *store, const struct occ_digest *driver,
		       struct occ_hits *ret_hits)
{
	struct occ_buffer state;

	occ_state_read(store, &state);
	occ_cost_find_hits(&state, driver, ret_hits);
	occ_buffer_release(&state);
}

struct addition {
	const struct occ_hits *hits;
	uint64_t now;
	struct occ_hits *result;
};

static void judge(struct occ_hits *hits, uint64_t now)
{
	bool slow = hits->load_ns > hits->compile_ns + hits->compile_ns / 2;

	if (hits->count < OCC_COST_HITS)
		return;
	memset(hits, 0, sizeof(*hits));
	if (slow)
		hits->refused_until = now + OCC_COST_REFUSED_S;
}

static bool add_hits(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		     void *data)
{
	const struct addition *addition = data;
	struct occ_hits *result = addition->result;
	unsigned char value[HITS_SIZE] = {0};

	decode_hits(old_bytes, result);
	result->count += addition->hits->count;
	result->load_ns = limit(result->load_ns + addition->hits->load_ns);
	result->compile_ns =
		limit(result->compile_ns + addition->hits->compile_ns);
	judge(result, addition->now);
	occ_put_u32(value + AT_VERSION, VERSION);
	occ_put_u64(value + AT_COUNT, result->count);
	occ_put_u64(value + AT_LOAD, result->load_ns);
	occ_put_u64(value + AT_COMPILE, result->compile_ns);
	occ_put_u64(value + AT_UNTIL, result->refused_until);
	occ_buffer_append(new_bytes, value, sizeof(value));
	return true;
}

int occ_cost_add_hits(struct occ_store *store, const struct occ_digest *driver,
		      const struct occ_hits *hits, uint64_t now,
		      struct occ_hits *ret_hits)
{
	struct addition addition = {hits, now, ret_hits};
	char name[OCC_STATE_DRIVER_NAME_SIZE];

	occ_state_driver_name("hits", driver, name);
	return occ_state_update(store, name, add_hits, &addition);
}

bool occ_cost_is_expensive(uint64_t fetch_ns, uint64_t compile_ns)
{
	/* Below this, or a tenth of the compile, it isn't worth a thought. */
	return fetch_ns > 5000000 && fetch_ns > compile_ns / 10;
}

static void make_group_name(const struct occ_digest *hash, char *ret_name,
			    size_t size)
{
	snprintf(ret_name, size, "first %d",
		 hash->bytes[OCC_DIGEST_SIZE - 1] % KEY_VALUES);
}

/* Where the hash is among the items; `size`: nowhere. */
static size_t find_key(struct occ_span items, const struct occ_digest *hash)
{
	size_t size = items.size - items.size % KEY_SIZE;

	for (size_t at = 0; at < size; at += KEY_SIZE)
		if (!memcmp(items.data + at, hash->bytes, KEY_HASH_SIZE))
			return at;
	return size;
}

bool occ_seen_keys_find(struct occ_store *store, const struct occ_digest *hash,
			uint64_t *ret_ns)
{
	unsigned char value[OCC_STATE_GROWN_MAX];
	struct occ_span items = {value, 0};
	char name[16];
	size_t at;

	make_group_name(hash, name, sizeof(name));
	if (occ_state_get(store, name, value, sizeof(value), &items.size))
		return false;
	at = find_key(items, hash);
	if (at + KEY_SIZE > items.size)
		return false;
	*ret_ns = (uint64_t)occ_get_u32(value + at + KEY_HASH_SIZE) * NS_PER_US;
	return true;
}

struct sighting {
	struct occ_digest hash;
	uint64_t ns;
};

/* The oldest come first, and go first. */
static bool add_key(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		    void *data)
{
	const struct sighting *sighting = data;
	uint64_t us = sighting->ns / NS_PER_US;
	unsigned char number[sizeof(uint32_t)];
	size_t size = old_bytes.size - old_bytes.size % KEY_SIZE;
	size_t from = 0;

	if (find_key(old_bytes, &sighting->hash) < size)
		return false;
	if (size + KEY_SIZE > OCC_STATE_GROWN_MAX)
		from = KEY_SIZE;
	if (size)
		occ_buffer_append(new_bytes, old_bytes.data + from,
				  size - from);
	occ_buffer_append(new_bytes, sighting->hash.bytes, KEY_HASH_SIZE);
	occ_put_u32(number, us > UINT32_MAX ? UINT32_MAX : (uint32_t)us);
	occ_buffer_append(new_bytes, number, sizeof(number));
	return true;
}

int occ_seen_keys_add(struct occ_store *store, const struct occ_digest *hash,
		      uint64_t ns)
{
	struct sighting sighting = {*hash, ns};
	char name[16];

	make_group_name(hash, name, sizeof(name));
	return occ_state_update(store, name, add_key, &sighting);
}
