/* SPDX-License-Identifier: MIT */
#include "cli/clear_forecast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/entry_users.h"
#include "cli/message.h"
#include "cli/units.h"

/* The entries that go. */
struct going {
	const char **hashes; /* sorted */
	size_t count;
	uint64_t bytes;
};

static int compare(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void choose(const struct occ_clear_forecast *forecast,
		   struct going *ret_going)
{
	const struct occ_catalogue *catalogue = forecast->catalogue;

	*ret_going = (struct going){
		.hashes = occ_message_must(calloc(catalogue->count + 1,
						  sizeof(*ret_going->hashes))),
	};
	for (size_t i = 0; i < catalogue->count; i++) {
		if (forecast->whys && forecast->whys[i] == OCC_STALE_NOT)
			continue;
		ret_going->hashes[ret_going->count++] =
			catalogue->items[i].hash;
		ret_going->bytes += catalogue->items[i].file->size;
	}
	qsort(ret_going->hashes, ret_going->count, sizeof(*ret_going->hashes),
	      compare);
}

static bool uses_any(const struct occ_working_set *set,
		     const struct going *going)
{
	char hex[OCC_DIGEST_HEX_SIZE];
	const char *hash = hex;

	for (size_t i = 0; i < set->count; i++)
		for (uint32_t j = 0; j < set->items[i].count; j++) {
			occ_digest_hex(&set->items[i].hashes[j], hex);
			if (bsearch(&hash, going->hashes, going->count,
				    sizeof(hash), compare))
				return true;
		}
	return false;
}

/* By name: versions of a program are one. */
static size_t count_programs(const struct occ_clear_forecast *forecast,
			     const struct going *going)
{
	struct occ_entry_users users;
	const char **names;
	size_t count = 0, programs = 0;

	occ_entry_users_read(forecast->store, &forecast->catalogue->listing,
			     &users);
	names = occ_message_must(calloc(users.count + 1, sizeof(*names)));
	for (size_t i = 0; i < users.count; i++)
		if (uses_any(&users.sets[i], going))
			names[count++] = users.sets[i].name;
	qsort(names, count, sizeof(*names), compare);
	for (size_t i = 0; i < count; i++)
		programs += !i || strcmp(names[i - 1], names[i]) != 0;
	free(names);
	occ_entry_users_release(&users);
	return programs;
}

bool occ_clear_forecast_show(const struct occ_clear_forecast *forecast,
			     const char *whose)
{
	char size[OCC_UNITS_SIZE];
	struct going going;
	size_t programs;

	choose(forecast, &going);
	if (going.count) {
		programs = count_programs(forecast, &going);
		printf("%s %s: %zu %s",
		       forecast->dry_run ? "Would free" : "Freeing",
		       occ_units_size(going.bytes, size), going.count,
		       going.count == 1 ? "entry" : "entries");
		if (programs)
			printf(" of %zu program%s", programs,
			       programs == 1 ? "" : "s");
		printf(" %s\n", whose);
		/* Removing may take long. */
		fflush(stdout);
	}
	free(going.hashes);
	return going.count;
}
