/* SPDX-License-Identifier: MIT */
#include "cli/entry_users.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

void occ_entry_users_read(struct occ_store *store,
			  const struct occ_listing *listing,
			  struct occ_entry_users *ret_users)
{
	struct occ_entry_users users = {.count = 0};

	for (size_t i = 0; i < listing->count; i++)
		users.count += listing->files[i]->kind == OCC_NAME_WORKING_SET;
	users.sets =
		occ_message_must(calloc(users.count + 1, sizeof(*users.sets)));
	users.count = 0;
	for (size_t i = 0; i < listing->count; i++) {
		struct occ_buffer file = OCC_BUFFER_INIT;

		if (listing->files[i]->kind != OCC_NAME_WORKING_SET)
			continue;
		if (!occ_store_read(store, listing->files[i]->name, &file) &&
		    occ_working_set_decode(occ_buffer_span(&file),
					   &users.sets[users.count]))
			users.count++;
		occ_buffer_release(&file);
	}
	*ret_users = users;
}

void occ_entry_users_release(struct occ_entry_users *users)
{
	for (size_t i = 0; i < users->count; i++)
		occ_working_set_release(&users->sets[i]);
	free(users->sets);
}

/* NULL: it isn't in the set. */
static const struct occ_working_set_item *find_item(
	const struct occ_working_set *set, const struct occ_digest *hash)
{
	for (size_t i = 0; i < set->count; i++)
		for (uint32_t j = 0; j < set->items[i].count; j++)
			if (!memcmp(&set->items[i].hashes[j], hash,
				    sizeof(*hash)))
				return &set->items[i];
	return NULL;
}

bool occ_entry_users_next(const struct occ_entry_users *users,
			  const struct occ_digest *hash, size_t *set,
			  const char **ret_name, const char **ret_kernels)
{
	while (*set < users->count) {
		const struct occ_working_set *one = &users->sets[(*set)++];
		const struct occ_working_set_item *item = find_item(one, hash);

		if (!item)
			continue;
		*ret_name = one->name;
		*ret_kernels = item->kernels;
		return true;
	}
	return false;
}
