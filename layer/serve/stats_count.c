/* SPDX-License-Identifier: MIT */
#include "layer/serve/stats_count.h"

#include <string.h>

/* More than there are; what doesn't fit has no reason. */
#define REASONS_MAX 128

/* All atomic. They are taken to be written, and are 0 again. */
static uint64_t numbers[OCC_COUNTERS];

struct reason {
	const char *text; /* NULL: free, and all that follow */
	uint64_t count;
};
static struct reason reasons[OCC_COUNTED_KINDS][REASONS_MAX];

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
static bool is_place_of(struct reason *place, const char *text)
{
	const char *there = __atomic_load_n(&place->text, __ATOMIC_ACQUIRE);

	if (!there &&
	    __atomic_compare_exchange_n(&place->text, &there, text, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return true;
	return there == text || !strcmp(there, text);
}

void occ_stats_count_note(enum occ_counted kind, const char *text)
{
	for (size_t i = 0; i < REASONS_MAX; i++)
		if (is_place_of(&reasons[kind][i], text)) {
			__atomic_add_fetch(&reasons[kind][i].count, 1,
					   __ATOMIC_RELAXED);
			return;
		}
}

static void take_reasons(enum occ_counted kind, struct occ_counters *counters)
{
	for (size_t i = 0; i < REASONS_MAX; i++) {
		struct reason *place = &reasons[kind][i];
		const char *text =
			__atomic_load_n(&place->text, __ATOMIC_ACQUIRE);

		if (!text)
			return;
		if (__atomic_load_n(&place->count, __ATOMIC_RELAXED))
			occ_counters_note(
				counters, kind, text,
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
		for (size_t j = 0; j < REASONS_MAX; j++)
			reasons[i][j].count = 0;
	has_more = false;
}
