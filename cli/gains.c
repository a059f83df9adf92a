/* SPDX-License-Identifier: MIT */
#include "cli/gains.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

static int compare_names(const void *one, const void *other)
{
	return strcmp(((const struct occ_gain *)one)->name,
		      ((const struct occ_gain *)other)->name);
}

static int compare_days(const void *one, const void *other)
{
	int64_t a = ((const struct occ_gain *)one)->day;
	int64_t b = ((const struct occ_gain *)other)->day;

	return (a > b) - (a < b);
}

static int compare_numbers(uint64_t one, uint64_t other)
{
	return (one < other) - (one > other);
}

/* Whichever gained most comes first. */
static int compare_gains(const void *one, const void *other)
{
	const uint64_t *a = ((const struct occ_gain *)one)->numbers;
	const uint64_t *b = ((const struct occ_gain *)other)->numbers;
	int order = compare_numbers(a[OCC_HISTORY_SAVED_NS],
				    b[OCC_HISTORY_SAVED_NS]);

	if (!order)
		order = compare_numbers(occ_history_builds(a),
					occ_history_builds(b));
	return order ? order : compare_names(one, other);
}

static void take(const struct occ_history *history, int64_t first_day,
		 int64_t now, struct occ_gains *gains)
{
	int64_t last_day = now / OCC_HISTORY_DAY_S + 1;

	gains->rows = occ_message_must(
		calloc(history->count + 1, sizeof(*gains->rows)));
	for (size_t i = 0; i < history->count; i++) {
		const struct occ_history_row *row = &history->rows[i];
		struct occ_gain *gain = &gains->rows[gains->count];

		gains->future += row->day > last_day;
		if (row->day > last_day || row->day < first_day)
			continue;
		gain->day = row->day;
		gain->name = row->name;
		memcpy(gain->numbers, row->numbers, sizeof(gain->numbers));
		occ_history_sum(gains->total, row->numbers);
		gains->count++;
	}
}

/* Neighbours that are equal become one. */
static void join(struct occ_gains *gains,
		 int (*compare)(const void *, const void *))
{
	struct occ_gain *rows = gains->rows;
	size_t count = 0;

	for (size_t i = 0; i < gains->count; i++) {
		if (count && !compare(&rows[count - 1], &rows[i]))
			occ_history_sum(rows[count - 1].numbers,
					rows[i].numbers);
		else
			rows[count++] = rows[i];
	}
	gains->count = count;
}

void occ_gains_by_program(const struct occ_history *history, int64_t first_day,
			  int64_t now, struct occ_gains *ret_gains)
{
	*ret_gains = (struct occ_gains){0};
	take(history, first_day, now, ret_gains);
	qsort(ret_gains->rows, ret_gains->count, sizeof(*ret_gains->rows),
	      compare_names);
	join(ret_gains, compare_names);
	qsort(ret_gains->rows, ret_gains->count, sizeof(*ret_gains->rows),
	      compare_gains);
}

/* A history has its rows by day. */
void occ_gains_by_day(const struct occ_history *history, int64_t first_day,
		      int64_t now, struct occ_gains *ret_gains)
{
	*ret_gains = (struct occ_gains){0};
	take(history, first_day, now, ret_gains);
	join(ret_gains, compare_days);
}

void occ_gains_release(struct occ_gains *gains)
{
	free(gains->rows);
	*gains = (struct occ_gains){0};
}
