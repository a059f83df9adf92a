/* SPDX-License-Identifier: MIT */
#include "cli/report_groups.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"

/* One entry in one group. */
struct share {
	const char *name;
	size_t item;
	uint64_t bytes;
};

struct shares {
	struct share *shares;
	size_t count, capacity;
};

static void add_share(struct shares *shares, const char *name, size_t item,
		      uint64_t bytes)
{
	if (shares->count == shares->capacity) {
		shares->capacity = 2 * shares->capacity + 64;
		shares->shares = occ_message_must(
			reallocarray(shares->shares, shares->capacity,
				     sizeof(*shares->shares)));
	}
	shares->shares[shares->count++] = (struct share){name, item, bytes};
}

static int compare_names(const char *one, const char *other)
{
	if (!one || !other)
		return (one != NULL) - (other != NULL);
	return strcmp(one, other);
}

static int compare_shares(const void *one, const void *other)
{
	const struct share *a = one, *b = other;
	int result = compare_names(a->name, b->name);

	return result ? result : (a->item > b->item) - (a->item < b->item);
}

static int compare_groups(const void *one, const void *other)
{
	const struct occ_report_group *a = one, *b = other;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return compare_names(a->name, b->name);
}

/* The same entry in the same group twice counts once. */
static void join(struct shares *shares, struct occ_report_groups *ret_groups)
{
	struct occ_report_group *group;
	const struct share *last = NULL;

	ret_groups->count = 0;
	ret_groups->groups = occ_message_must(
		calloc(shares->count + 1, sizeof(*ret_groups->groups)));
	group = ret_groups->groups;
	if (shares->count)
		qsort(shares->shares, shares->count, sizeof(*shares->shares),
		      compare_shares);
	for (size_t i = 0; i < shares->count; i++) {
		const struct share *share = &shares->shares[i];

		if (last && !compare_shares(last, share))
			continue;
		if (!last || compare_names(last->name, share->name))
			group = &ret_groups->groups[ret_groups->count++];
		group->name = share->name;
		group->entries++;
		group->bytes += share->bytes;
		last = share;
	}
	if (ret_groups->count)
		qsort(ret_groups->groups, ret_groups->count, sizeof(*group),
		      compare_groups);
	free(shares->shares);
}

void occ_report_groups_by_device(const struct occ_catalogue *catalogue,
				 struct occ_report_groups *ret_groups)
{
	struct shares shares = {.count = 0};

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct occ_item *item = &catalogue->items[i];

		add_share(&shares, *item->device ? item->device : NULL, i,
			  item->file->size);
	}
	ret_groups->shared = 0;
	join(&shares, ret_groups);
}

/* Entries by their hashes, of which several may have the same. */
struct index {
	const struct occ_catalogue *catalogue;
	size_t *order;	     /* numbers of items, by rising hash */
	const char **owners; /* of each item the last group; NULL: none */
	bool *shared;	     /* of each item: it is in several */
};

static int compare_hashes(const void *one, const void *other, void *data)
{
	const struct occ_item *items = data;

	return strcmp(items[*(const size_t *)one].hash,
		      items[*(const size_t *)other].hash);
}

/* The first one in the order whose hash isn't less. */
static size_t find(const struct index *index, const char *hash)
{
	const struct occ_catalogue *catalogue = index->catalogue;
	size_t low = 0, high = catalogue->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		size_t item = index->order[middle];

		if (strcmp(catalogue->items[item].hash, hash) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_hash(struct index *index, struct shares *shares,
		     const char *name, const struct occ_digest *digest)
{
	const struct occ_item *items = index->catalogue->items;
	char hash[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(digest, hash);
	for (size_t i = find(index, hash); i < index->catalogue->count; i++) {
		size_t item = index->order[i];

		if (strcmp(items[item].hash, hash) != 0)
			break;
		if (index->owners[item] && strcmp(index->owners[item], name))
			index->shared[item] = true;
		index->owners[item] = name;
		add_share(shares, name, item, items[item].file->size);
	}
}

/*
 * A program is called as in the history (cache/history.h), beside which it is
 * shown: app.py for "/usr/bin/python3 /home/me/app.py", which a set has.
 */
static const char *program_of(const char *name)
{
	const char *space = strchr(name, ' '), *slash;
	bool is_file = false;

	while (space) {
		char *path =
			occ_message_must(strndup(name, (size_t)(space - name)));

		is_file = !access(path, X_OK);
		free(path);
		if (is_file)
			break;
		space = strchr(space + 1, ' ');
	}
	if (space)
		name = space + 1;
	slash = strrchr(name, '/');
	return slash && slash[1] ? slash + 1 : name;
}

static void add_set(struct index *index, struct shares *shares,
		    const struct occ_working_set *set)
{
	const char *program = program_of(set->name);

	for (size_t i = 0; i < set->count; i++)
		for (uint32_t j = 0; j < set->items[i].count; j++)
			add_hash(index, shares, program,
				 &set->items[i].hashes[j]);
}

static void make_index(const struct occ_catalogue *catalogue,
		       struct index *ret_index)
{
	size_t count = catalogue->count;

	*ret_index = (struct index){
		.catalogue = catalogue,
		.order = occ_message_must(calloc(count + 1, sizeof(size_t))),
		.owners = occ_message_must(calloc(count + 1, sizeof(char *))),
		.shared = occ_message_must(calloc(count + 1, sizeof(bool)))};
	for (size_t i = 0; i < count; i++)
		ret_index->order[i] = i;
	if (count)
		qsort_r(ret_index->order, count, sizeof(size_t), compare_hashes,
			catalogue->items);
}

void occ_report_groups_by_application(const struct occ_catalogue *catalogue,
				      const struct occ_entry_users *users,
				      struct occ_report_groups *ret_groups)
{
	struct shares shares = {.count = 0};
	struct index index;

	make_index(catalogue, &index);
	for (size_t i = 0; i < users->count; i++)
		add_set(&index, &shares, &users->sets[i]);
	ret_groups->shared = 0;
	for (size_t i = 0; i < catalogue->count; i++) {
		if (!index.owners[i])
			add_share(&shares, NULL, i,
				  catalogue->items[i].file->size);
		ret_groups->shared += index.shared[i];
	}
	join(&shares, ret_groups);
	free(index.order);
	free(index.owners);
	free(index.shared);
}

void occ_report_groups_release(struct occ_report_groups *groups)
{
	free(groups->groups);
}
