/* SPDX-License-Identifier: MIT */
#include "cache/working_set.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/file_header.h"
#include "cache/name.h"

/* In this order, each once. */
enum field {
	FIELD_EXECUTABLE = 1,
	FIELD_NAME = 2,
	FIELD_RUNS = 3,
	FIELD_ITEMS = 4,
	FIELDS_END = 5,
};

/* Of an executable's digest so many bits are in the name. */
#define NAME_BITS      12

#define RUN_SIZE       ((size_t)32)
#define ITEM_HEAD_SIZE 24

/* So often a run that is killed needn't take what was foreseen. */
#define MISSES_MAX     2

/* Unchanged ones are written anew after that, or else would be the oldest. */
#define RENEW_S	       86400

static const struct occ_file_header envelope = {{0x8f, 'O', 'C', 'W', '\r',
						 '\n', 0x1a, '\n'},
						1};

void occ_working_set_release(struct occ_working_set *set)
{
	free(set->items);
	memset(set, 0, sizeof(*set));
}

static bool take_fields(struct occ_span file, struct occ_span *ret_fields)
{
	struct occ_span fields;
	struct occ_field field;
	size_t offset = 0;

	if (!occ_file_header_open(&envelope, file, &fields))
		return false;
	for (int i = FIELD_EXECUTABLE; i < FIELDS_END; i++) {
		if (occ_field_next(fields.data, fields.size, &offset, &field) !=
			    1 ||
		    field.id != i || field.kind != OCC_FIELD_BYTES)
			return false;
		ret_fields[i] = occ_field_span(&field);
	}
	return offset == fields.size &&
	       ret_fields[FIELD_EXECUTABLE].size == OCC_DIGEST_SIZE &&
	       ret_fields[FIELD_NAME].size < OCC_WORKING_SET_NAME &&
	       ret_fields[FIELD_RUNS].size == OCC_WORKING_SET_RUNS * RUN_SIZE;
}

/* Reads the item at *at. False: there is no good one. */
static bool take_item(const unsigned char **at, const unsigned char *end,
		      struct occ_working_set_item *ret_item)
{
	size_t left = (size_t)(end - *at), hashes, names;

	if (left < ITEM_HEAD_SIZE)
		return false;
	*ret_item = (struct occ_working_set_item){
		.runs = occ_get_u32(*at),
		.context = occ_get_u32(*at + 4),
		.delay = occ_get_u32(*at + 8),
		.count = occ_get_u32(*at + 12),
		.misses = occ_get_u32(*at + 20),
	};
	names = occ_get_u32(*at + 16);
	if (!ret_item->count || ret_item->count > OCC_WORKING_SET_DEVICES ||
	    names >= OCC_WORKING_SET_KERNELS)
		return false;
	hashes = (size_t)ret_item->count * OCC_DIGEST_SIZE;
	if (left - ITEM_HEAD_SIZE < hashes + names)
		return false;
	*at += ITEM_HEAD_SIZE;
	memcpy(ret_item->hashes, *at, hashes);
	memcpy(ret_item->kernels, *at + hashes, names);
	*at += hashes + names;
	/* Each has its NUL. */
	return !names || !ret_item->kernels[names - 1];
}

static bool take_items(struct occ_span bytes, struct occ_working_set *set)
{
	const unsigned char *at = bytes.data, *end = at + bytes.size;

	if (bytes.size)
		set->items = calloc(OCC_WORKING_SET_ITEMS, sizeof(*set->items));
	if (bytes.size && !set->items)
		return false;
	while (at < end)
		if (set->count == OCC_WORKING_SET_ITEMS ||
		    !take_item(&at, end, &set->items[set->count++]))
			return false;
	return true;
}

static void take_runs(const unsigned char *at, struct occ_working_set *set)
{
	for (int i = 0; i < OCC_WORKING_SET_RUNS; i++, at += RUN_SIZE) {
		struct occ_working_set_run *run = &set->runs[i];

		memcpy(run->arguments.bytes, at, OCC_DIGEST_SIZE);
		run->time = (int64_t)occ_get_u64(at + 16);
		run->failures = occ_get_u32(at + 24);
	}
}

bool occ_working_set_decode(struct occ_span file,
			    struct occ_working_set *ret_set)
{
	struct occ_span fields[FIELDS_END];

	memset(ret_set, 0, sizeof(*ret_set));
	if (!take_fields(file, fields))
		return false;
	memcpy(ret_set->executable.bytes, fields[FIELD_EXECUTABLE].data,
	       OCC_DIGEST_SIZE);
	if (fields[FIELD_NAME].size)
		memcpy(ret_set->name, fields[FIELD_NAME].data,
		       fields[FIELD_NAME].size);
	take_runs(fields[FIELD_RUNS].data, ret_set);
	if (take_items(fields[FIELD_ITEMS], ret_set))
		return true;
	occ_working_set_release(ret_set);
	return false;
}

bool occ_working_set_is_good(struct occ_span file)
{
	struct occ_working_set set;
	bool good = occ_working_set_decode(file, &set);

	occ_working_set_release(&set);
	return good;
}

static void encode_run(const struct occ_working_set_run *run,
		       struct occ_buffer *buffer)
{
	unsigned char bytes[RUN_SIZE] = {0};

	memcpy(bytes, run->arguments.bytes, OCC_DIGEST_SIZE);
	occ_put_u64(bytes + 16, (uint64_t)run->time);
	occ_put_u32(bytes + 24, run->failures);
	occ_buffer_append(buffer, bytes, sizeof(bytes));
}

/* The bytes of the names of kernels, without the empty one at the end. */
static size_t size_of_names(const struct occ_working_set_item *item)
{
	size_t size = 0;

	while (item->kernels[size])
		size += strlen(item->kernels + size) + 1;
	return size;
}

static void encode_item(const struct occ_working_set_item *item,
			struct occ_buffer *buffer)
{
	unsigned char head[ITEM_HEAD_SIZE] = {0};

	occ_put_u32(head, item->runs);
	occ_put_u32(head + 4, item->context);
	occ_put_u32(head + 8, item->delay);
	occ_put_u32(head + 12, item->count);
	occ_put_u32(head + 16, (uint32_t)size_of_names(item));
	occ_put_u32(head + 20, item->misses);
	occ_buffer_append(buffer, head, sizeof(head));
	occ_buffer_append(buffer, item->hashes,
			  (size_t)item->count * OCC_DIGEST_SIZE);
	occ_buffer_append(buffer, item->kernels, size_of_names(item));
}

static void encode(const struct occ_working_set *set, struct occ_buffer *file)
{
	struct occ_buffer runs = OCC_BUFFER_INIT, items = OCC_BUFFER_INIT;

	for (int i = 0; i < OCC_WORKING_SET_RUNS; i++)
		encode_run(&set->runs[i], &runs);
	for (size_t i = 0; i < set->count; i++)
		encode_item(&set->items[i], &items);
	occ_file_header_begin(file);
	occ_field_append(file, FIELD_EXECUTABLE, set->executable.bytes,
			 OCC_DIGEST_SIZE);
	occ_field_append(file, FIELD_NAME, set->name, strlen(set->name));
	occ_field_append(file, FIELD_RUNS, runs.data, runs.size);
	occ_field_append(file, FIELD_ITEMS, items.data, items.size);
	file->failed |= runs.failed || items.failed;
	occ_file_header_finish(&envelope, file);
	occ_buffer_release(&runs);
	occ_buffer_release(&items);
}

static bool same_digest(const struct occ_digest *a, const struct occ_digest *b)
{
	return !memcmp(a->bytes, b->bytes, OCC_DIGEST_SIZE);
}

static void make_name(const struct occ_digest *executable,
		      char ret_name[OCC_NAME_SIZE])
{
	struct occ_digest place = {{0}};

	place.bytes[0] = executable->bytes[0];
	place.bytes[1] = executable->bytes[1] & (0xff << (16 - NAME_BITS));
	occ_name_working_set(&place, ret_name);
}

/* Of the bytes, if they are this executable's. */
static bool decode_of(struct occ_span file, const struct occ_digest *executable,
		      struct occ_working_set *ret_set)
{
	if (!occ_working_set_decode(file, ret_set))
		return false;
	if (same_digest(&ret_set->executable, executable))
		return true;
	occ_working_set_release(ret_set);
	return false;
}

bool occ_working_set_read(struct occ_store *store,
			  const struct occ_digest *executable,
			  struct occ_working_set *ret_set)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	char name[OCC_NAME_SIZE];
	bool found;

	memset(ret_set, 0, sizeof(*ret_set));
	make_name(executable, name);
	found = !occ_store_read(store, name, &file) &&
		decode_of(occ_buffer_span(&file), executable, ret_set);
	occ_buffer_release(&file);
	return found;
}

/* -1: no run has had them. */
static int find_run(const struct occ_working_set *set,
		    const struct occ_digest *arguments)
{
	for (int i = 0; i < OCC_WORKING_SET_RUNS; i++)
		if (set->runs[i].time &&
		    same_digest(&set->runs[i].arguments, arguments))
			return i;
	return -1;
}

/* The latest but `except`; -1: there is none. */
static int latest_run(const struct occ_working_set *set, int except)
{
	int latest = -1;

	for (int i = 0; i < OCC_WORKING_SET_RUNS; i++)
		if (i != except && set->runs[i].time &&
		    (latest < 0 || set->runs[i].time > set->runs[latest].time))
			latest = i;
	return latest;
}

static bool took_the_same(const struct occ_working_set *set, int one, int other)
{
	for (size_t i = 0; i < set->count; i++)
		if ((set->items[i].runs >> one & 1) !=
		    (set->items[i].runs >> other & 1))
			return false;
	return true;
}

struct occ_working_set_prediction occ_working_set_predict(
	const struct occ_working_set *set, const struct occ_digest *arguments)
{
	struct occ_working_set_prediction result = {
		.run = find_run(set, arguments)};
	int before;

	result.is_own = result.run >= 0;
	if (result.is_own) {
		result.is_certain = !set->runs[result.run].failures;
		result.is_fresh =
			result.is_certain &&
			occ_file_now() - set->runs[result.run].time < RENEW_S;
		return result;
	}
	result.run = latest_run(set, -1);
	before = result.run < 0 ? -1 : latest_run(set, result.run);
	result.is_certain = before >= 0 && !set->runs[result.run].failures &&
			    took_the_same(set, result.run, before);
	return result;
}

/* The place of a run with these arguments: its own, a free one, the oldest. */
static int choose_run(const struct occ_working_set *set,
		      const struct occ_digest *arguments)
{
	int chosen = find_run(set, arguments);

	for (int i = 0; i < OCC_WORKING_SET_RUNS && chosen < 0; i++)
		if (!set->runs[i].time)
			chosen = i;
	if (chosen >= 0)
		return chosen;
	chosen = 0;
	for (int i = 1; i < OCC_WORKING_SET_RUNS; i++)
		if (set->runs[i].time < set->runs[chosen].time)
			chosen = i;
	return chosen;
}

static bool same_program(const struct occ_working_set_item *a,
			 const struct occ_working_set_item *b)
{
	return a->context == b->context && a->count == b->count &&
	       !memcmp(a->hashes, b->hashes,
		       (size_t)a->count * OCC_DIGEST_SIZE);
}

bool occ_working_set_same(const struct occ_working_set_item *a,
			  const struct occ_working_set_item *b)
{
	return same_program(a, b) &&
	       !memcmp(a->kernels, b->kernels, OCC_WORKING_SET_KERNELS);
}

/* NULL: it isn't among them. */
static const struct occ_working_set_item *find_item(
	const struct occ_working_set_item *items, size_t count,
	const struct occ_working_set_item *item)
{
	for (size_t i = 0; i < count; i++)
		if (same_program(&items[i], item))
			return &items[i];
	return NULL;
}

/* What was taken, and behind it what others took; into `new`. */
static void merge_items(const struct occ_working_set *old,
			const struct occ_working_set_taken *taken, int run,
			struct occ_working_set *new)
{
	uint32_t bit = 1U << run;

	for (size_t i = 0;
	     i < taken->count && new->count < OCC_WORKING_SET_ITEMS; i++) {
		const struct occ_working_set_item *before =
			find_item(old->items, old->count, &taken->items[i]);

		new->items[new->count] = taken->items[i];
		new->items[new->count++].runs =
			(before ? before->runs : 0) | bit;
	}
	for (size_t i = 0; i < old->count && new->count < OCC_WORKING_SET_ITEMS;
	     i++) {
		struct occ_working_set_item item = old->items[i];

		if (taken->first && item.runs & bit)
			item.misses++;
		if (taken->whole || item.misses >= MISSES_MAX) {
			item.runs &= ~bit;
			item.misses = 0;
		}
		if (item.runs && !find_item(taken->items, taken->count, &item))
			new->items[new->count++] = item;
	}
}

/* Does `new` say the same, but for times? */
static bool says_the_same(const struct occ_working_set *old,
			  const struct occ_working_set *new, int run)
{
	if (old->count != new->count || !old->runs[run].time ||
	    old->runs[run].failures != new->runs[run].failures ||
	    new->runs[run].time - old->runs[run].time >= RENEW_S)
		return false;
	for (size_t i = 0; i < new->count; i++)
		if (old->items[i].runs != new->items[i].runs ||
		    old->items[i].misses != new->items[i].misses ||
		    !occ_working_set_same(&old->items[i], &new->items[i]))
			return false;
	return true;
}

/* The latest has the highest, also of two in a second, or if the clock was set
 * back. */
static int64_t time_after(const struct occ_working_set *set)
{
	int latest = latest_run(set, -1);
	int64_t now = occ_file_now();

	if (latest < 0 || set->runs[latest].time < now ||
	    set->runs[latest].time == INT64_MAX)
		return now;
	return set->runs[latest].time + 1;
}

static void note_run(const struct occ_working_set_taken *taken, bool is_another,
		     int64_t time, struct occ_working_set_run *run)
{
	run->arguments = taken->arguments;
	run->time = time;
	if (is_another || (taken->whole && !taken->failed))
		run->failures = 0;
	else if (taken->whole && run->failures < UINT32_MAX)
		run->failures++;
}

/* The store's callback. */
static bool make_file(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		      void *data)
{
	const struct occ_working_set_taken *taken = data;
	struct occ_working_set old, new = {.count = 0};
	bool is_another, changed = false;
	int run;

	decode_of(old_bytes, &taken->executable, &old);
	run = choose_run(&old, &taken->arguments);
	is_another = find_run(&old, &taken->arguments) < 0;
	if (is_another)
		for (size_t i = 0; i < old.count; i++)
			old.items[i].runs &= ~(1U << run);
	new.executable = taken->executable;
	memcpy(new.runs, old.runs, sizeof(new.runs));
	note_run(taken, is_another, time_after(&old), &new.runs[run]);
	strncpy(new.name, taken->name, sizeof(new.name) - 1);
	new.items = calloc(OCC_WORKING_SET_ITEMS, sizeof(*new.items));
	if (new.items) {
		merge_items(&old, taken, run, &new);
		changed = is_another || !says_the_same(&old, &new, run);
	}
	if (changed)
		encode(&new, new_bytes);
	occ_working_set_release(&old);
	occ_working_set_release(&new);
	return changed;
}

int occ_working_set_write(struct occ_store *store,
			  const struct occ_working_set_taken *taken)
{
	char name[OCC_NAME_SIZE];

	make_name(&taken->executable, name);
	return occ_store_replace(store, name, make_file, (void *)taken);
}
