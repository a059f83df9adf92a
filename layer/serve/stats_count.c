/* SPDX-License-Identifier: MIT */
#include "layer/serve/stats_count.h"

#include <string.h>

/* All atomic. They are taken to be written, and are 0 again. */
static uint64_t numbers[OCC_COUNTERS];

/* In the order in which they came first, which is that of the store's. */
struct counted {
	enum occ_reason reason; /* none: free, and all that follow */
	uint64_t count;
};
static struct counted counted[OCC_COUNTED_KINDS][OCC_REASON_COUNT];

static bool has_more; /* atomic; than was taken */

void occ_stats_count_add(enum occ_counter counter, uint64_t more)
{
	if (!more)
		return;
	__atomic_add_fetch(&numbers[counter], more, __ATOMIC_RELAXED);
	__atomic_store_n(&has_more, true, __ATOMIC_RELEASE);
}

static uint64_t take_number(enum occ_counter counter)
{
	uint64_t *number = &numbers[counter];

	if (!__atomic_load_n(number, __ATOMIC_RELAXED))
		return 0;
	return __atomic_exchange_n(number, 0, __ATOMIC_RELAXED);
}

/* Has the place that reason, or may it have it from now on? */
static bool is_place_of(struct counted *place, enum occ_reason reason)
{
	enum occ_reason there = OCC_REASON_NONE;

	return __atomic_compare_exchange_n(&place->reason, &there, reason,
					   false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE) ||
	       there == reason;
}

void occ_stats_count_note(enum occ_counted kind, enum occ_reason reason)
{
	struct counted *place = counted[kind];

	/* There is one for each. */
	while (!is_place_of(place, reason))
		place++;
	__atomic_add_fetch(&place->count, 1, __ATOMIC_RELAXED);
}

static void take_reasons(enum occ_counted kind, struct occ_counters *counters)
{
	for (size_t i = 0; i < OCC_REASON_COUNT; i++) {
		struct counted *place = &counted[kind][i];
		enum occ_reason reason =
			__atomic_load_n(&place->reason, __ATOMIC_ACQUIRE);

		if (!reason)
			return;
		if (__atomic_load_n(&place->count, __ATOMIC_RELAXED))
			occ_counters_note(
				counters, kind, occ_reason_text(reason),
				__atomic_exchange_n(&place->count, 0,
						    __ATOMIC_RELAXED));
	}
}

void occ_stats_count_take(struct occ_counters *ret_counters)
{
	__atomic_store_n(&has_more, false, __ATOMIC_RELEASE);
	memset(ret_counters, 0, sizeof(*ret_counters));
	for (unsigned i = 0; i < OCC_COUNTERS; i++)
		ret_counters->numbers[i] = take_number((enum occ_counter)i);
	for (unsigned i = 0; i < OCC_COUNTED_KINDS; i++)
		take_reasons((enum occ_counted)i, ret_counters);
}

bool occ_stats_count_any(void)
{
	return __atomic_load_n(&has_more, __ATOMIC_ACQUIRE);
}

void occ_stats_count_clear(void)
{
	memset(numbers, 0, sizeof(numbers));
	for (unsigned i = 0; i < OCC_COUNTED_KINDS; i++)
		for (size_t j = 0; j < OCC_REASON_COUNT; j++)
			counted[i][j].count = 0;
	has_more = false;
}
