/* SPDX-License-Identifier: MIT */
#include "cli/report_chart.h"

#include <inttypes.h>
#include <time.h>

#include "cache/counters.h"
#include "cli/units.h"

/* Pixels: of the drawing, and of the area for columns. */
#define HEIGHT	    180
#define TOP	    8
#define BOTTOM	    155
#define AREA	    (BOTTOM - TOP)
#define DATE_LINE   (HEIGHT - 8)

/* Of a day's width. */
#define COLUMN_PART 0.78

struct chart {
	FILE *stream;
	const struct occ_report_history *history;
	size_t days;
	uint64_t top; /* what the upper line stands for */
};

const char *occ_report_date(int64_t day, char ret_text[OCC_REPORT_DATE_SIZE])
{
	time_t time = (time_t)(day * 86400);
	struct tm parts;

	if (!gmtime_r(&time, &parts) ||
	    !strftime(ret_text, OCC_REPORT_DATE_SIZE, "%Y-%m-%d", &parts))
		snprintf(ret_text, OCC_REPORT_DATE_SIZE, "-");
	return ret_text;
}

void occ_report_chart_patterns(FILE *stream)
{
	fputs("<svg class=\"defs\" width=\"0\" height=\"0\" "
	      "aria-hidden=\"true\">"
	      "<defs>\n"
	      "<pattern id=\"miss\" width=\"6\" height=\"6\" "
	      "patternUnits=\"userSpaceOnUse\">"
	      "<rect class=\"miss-ground\" width=\"6\" height=\"6\"/>"
	      "<path class=\"miss-line\" d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\"/>"
	      "</pattern>\n"
	      "<pattern id=\"rest\" width=\"5\" height=\"5\" "
	      "patternUnits=\"userSpaceOnUse\">"
	      "<rect class=\"rest-ground\" width=\"5\" height=\"5\"/>"
	      "<circle class=\"rest-dot\" cx=\"2.5\" cy=\"2.5\" r=\"1.1\"/>"
	      "</pattern>\n"
	      "</defs></svg>\n",
	      stream);
}

static double percent(uint64_t part, uint64_t whole)
{
	if (!whole)
		return 0;
	return part < whole ? 100.0 * (double)part / (double)whole : 100;
}

void occ_report_chart_bar(FILE *stream, uint64_t part, uint64_t whole)
{
	fprintf(stream,
		"<svg class=\"bar\" width=\"100%%\" height=\"8\" "
		"aria-hidden=\"true\"><rect class=\"track\" width=\"100%%\" "
		"height=\"8\"/><rect class=\"hit\" width=\"%.2f%%\" "
		"height=\"8\"/></svg>",
		percent(part, whole));
}

/* The least round and even number of units that isn't less. */
static uint64_t round_up(uint64_t value, uint64_t unit)
{
	static const unsigned steps[] = {2, 4, 6, 8, 10};

	for (uint64_t scale = unit;; scale *= 10)
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
			if (value <= steps[i] * scale ||
			    scale > UINT64_MAX / 100)
				return steps[i] * scale;
}

/* So that half of it has a short text, too. */
static uint64_t round_up_time(uint64_t ns)
{
	static const uint64_t units[] = {86400000000000, 3600000000000,
					 60000000000, 1000000000};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ns >= units[i])
			return round_up(ns, units[i] / 2);
	return round_up(ns, 1000000 / 2);
}

/* Beside the columns, where the style sheet leaves room. */
static void draw_line(const struct chart *chart, int y, const char *label)
{
	fprintf(chart->stream,
		"<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
		"y2=\"%d\"/><text class=\"label\" x=\"-8\" y=\"%d\" "
		"text-anchor=\"end\">%s</text>\n",
		y, y, y + 4, label);
}

/* Of the first and the last day, and one in the middle where there is one. */
static void draw_dates(const struct chart *chart)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	size_t last = chart->days - 1;
	char date[OCC_REPORT_DATE_SIZE];

	for (size_t i = 0; i < 3; i++) {
		size_t day = i * last / 2;
		double at = i == 1 ? ((double)day + 0.5) * 100.0 /
					     (double)chart->days
				   : (double)i * 50;

		fprintf(chart->stream,
			"<text class=\"label\" x=\"%.2f%%\" y=\"%d\" "
			"text-anchor=\"%s\">%s</text>\n",
			at, DATE_LINE, anchors[i],
			occ_report_date(chart->history->first_day +
						(int64_t)day,
					date));
	}
}

/* From `below` of the scale upwards; gives where it ends. */
static uint64_t draw_column(const struct chart *chart, size_t day,
			    uint64_t below, uint64_t value, const char *class)
{
	double width = 100.0 / (double)chart->days;
	double scale = AREA / (double)chart->top;
	double height = (double)value * scale;
	double from = (double)below * scale;

	if (!value)
		return below;
	/* No scale has room for numbers near 2^64. */
	if (from > AREA)
		from = AREA;
	if (height > AREA - from)
		height = AREA - from;
	/* What is there is seen. */
	if (height < 1)
		height = 1;
	fprintf(chart->stream,
		"<rect class=\"%s\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" "
		"height=\"%.1f\"/>",
		class, (double)day * width + width * (1 - COLUMN_PART) / 2,
		BOTTOM - from - height, width * COLUMN_PART, height);
	return occ_counters_plus(below, value);
}

static void begin(struct chart *chart, const char *id, const char *title)
{
	const struct occ_report_history *history = chart->history;
	char first[OCC_REPORT_DATE_SIZE], last[OCC_REPORT_DATE_SIZE];

	chart->days = (size_t)(history->last_day - history->first_day + 1);
	fprintf(chart->stream,
		"<div class=\"plot\"><svg class=\"chart\" role=\"img\" "
		"width=\"100%%\" "
		"height=\"%d\" aria-labelledby=\"%s-title %s-desc\">\n"
		"<title id=\"%s-title\">%s</title>\n"
		"<desc id=\"%s-desc\">One column for each day from %s to %s. "
		"The table below has the numbers.</desc>\n",
		HEIGHT, id, id, id, title, id,
		occ_report_date(history->first_day, first),
		occ_report_date(history->last_day, last));
}

static void end(const struct chart *chart)
{
	draw_line(chart, BOTTOM, "0");
	draw_dates(chart);
	fputs("</svg></div>\n", chart->stream);
}

static void draw_builds(const struct chart *chart, size_t day)
{
	const uint64_t *numbers = chart->history->days[day];
	uint64_t hits = occ_history_hits(numbers);
	uint64_t misses = numbers[OCC_HISTORY_MISSES];
	uint64_t rest = numbers[OCC_HISTORY_UNCACHEABLE];
	char date[OCC_REPORT_DATE_SIZE];
	uint64_t below = 0;

	fprintf(chart->stream,
		"<g><title>%s: %" PRIu64 " hits, %" PRIu64 " misses, %" PRIu64
		" not cacheable</title>",
		occ_report_date(chart->history->first_day + (int64_t)day, date),
		hits, misses, rest);
	below = draw_column(chart, day, below, hits, "hit");
	below = draw_column(chart, day, below, misses, "miss");
	draw_column(chart, day, below, rest, "rest");
	fputs("</g>\n", chart->stream);
}

void occ_report_chart_builds(FILE *stream,
			     const struct occ_report_history *history)
{
	struct chart chart = {.stream = stream, .history = history};
	uint64_t most = 1;
	char label[OCC_UNITS_SIZE];

	begin(&chart, "builds", "Builds by day");
	for (size_t i = 0; i < chart.days; i++)
		if (occ_history_builds(history->days[i]) > most)
			most = occ_history_builds(history->days[i]);
	chart.top = round_up(most, 1);
	for (size_t i = 0; i < chart.days; i++)
		if (occ_history_builds(history->days[i]))
			draw_builds(&chart, i);
	for (unsigned i = 1; i <= 2; i++) {
		snprintf(label, sizeof(label), "%" PRIu64, chart.top * i / 2);
		draw_line(&chart, BOTTOM - AREA * (int)i / 2, label);
	}
	end(&chart);
}

void occ_report_chart_saved(FILE *stream,
			    const struct occ_report_history *history)
{
	struct chart chart = {.stream = stream, .history = history};
	char label[OCC_UNITS_SIZE], date[OCC_REPORT_DATE_SIZE];
	uint64_t most = 1000000;

	begin(&chart, "saved", "Compile time saved by day");
	for (size_t i = 0; i < chart.days; i++)
		if (history->days[i][OCC_HISTORY_SAVED_NS] > most)
			most = history->days[i][OCC_HISTORY_SAVED_NS];
	chart.top = round_up_time(most);
	for (size_t i = 0; i < chart.days; i++) {
		uint64_t saved = history->days[i][OCC_HISTORY_SAVED_NS];

		if (!saved)
			continue;
		fprintf(stream, "<g><title>%s: %s</title>",
			occ_report_date(history->first_day + (int64_t)i, date),
			occ_units_time(saved, label));
		draw_column(&chart, i, 0, saved, "hit");
		fputs("</g>\n", stream);
	}
	for (unsigned i = 1; i <= 2; i++)
		draw_line(&chart, BOTTOM - AREA * (int)i / 2,
			  occ_units_time(chart.top * i / 2, label));
	end(&chart);
}
