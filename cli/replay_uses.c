/* SPDX-License-Identifier: MIT */
#include "cli/replay_uses.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/selection.h"

static int compare_builds(const struct occ_replay_use *use,
			  const struct occ_digest *build)
{
	return memcmp(use->view.build.bytes, build->bytes, OCC_DIGEST_SIZE);
}

static int compare(const void *one, const void *other)
{
	const struct occ_replay_use *a = one, *b = other;
	int result = compare_builds(a, &b->view.build);

	return result ? result
		      : (a->view.day < b->view.day) -
				(a->view.day > b->view.day);
}

void occ_replay_uses_make(const struct occ_records *records,
			  const char *application,
			  struct occ_replay_uses *ret_uses)
{
	const struct occ_record *first;
	size_t count = occ_records_of(records, OCC_FRAME_USE, &first);

	ret_uses->count = 0;
	ret_uses->items =
		occ_message_must(calloc(count + 1, sizeof(*ret_uses->items)));
	for (size_t i = 0; i < count; i++) {
		struct occ_replay_use *use = &ret_uses->items[ret_uses->count];

		use->record = first[i].bytes;
		if (!use->record.data ||
		    !occ_use_view(use->record, &use->view) ||
		    (application &&
		     !occ_selection_has_text(use->view.application,
					     application)))
			continue;
		ret_uses->count++;
	}
	if (ret_uses->count)
		qsort(ret_uses->items, ret_uses->count,
		      sizeof(*ret_uses->items), compare);
}

void occ_replay_uses_release(struct occ_replay_uses *uses)
{
	free(uses->items);
	*uses = (struct occ_replay_uses){.items = NULL};
}

size_t occ_replay_uses_of(const struct occ_replay_uses *uses,
			  const struct occ_digest *build,
			  const struct occ_replay_use **ret_first)
{
	size_t low = 0, high = uses->count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_builds(&uses->items[middle], build) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low;
	     end < uses->count && !compare_builds(&uses->items[end], build);)
		end++;
	*ret_first = uses->items + low;
	return end - low;
}
