/* SPDX-License-Identifier: MIT */
/*
 * The report's sections about what was gained: by day, and by program.
 */
#include <string.h>

#include "cli/html.h"
#include "cli/report_chart.h"
#include "cli/report_page.h"
#include "cli/report_sections.h"
#include "cli/report_table.h"

/* Rows of the table of days. */
#define DAYS 31

static void write_cells(FILE *stream, const uint64_t *numbers)
{
	occ_report_row_cells(stream);
	occ_report_cell_count(stream, occ_history_hits(numbers));
	occ_report_cell_count(stream, numbers[OCC_HISTORY_MISSES]);
	occ_report_cell_count(stream, numbers[OCC_HISTORY_UNCACHEABLE]);
	occ_report_cell_time(stream, numbers[OCC_HISTORY_SAVED_NS]);
	occ_report_row_end(stream);
}

static void write_day(FILE *stream, int64_t day, const uint64_t *numbers)
{
	char date[OCC_REPORT_DATE_SIZE];

	occ_report_row_begin(stream);
	fprintf(stream, "<time datetime=\"%s\">%s</time>",
		occ_report_date(day, date), date);
	write_cells(stream, numbers);
}

/* Days without builds aren't shown. */
static void write_days(FILE *stream, const struct occ_report_history *history)
{
	static const char *const titles[] = {"Day (UTC)",     "Hits",  "Misses",
					     "Not cacheable", "Saved", NULL};
	uint64_t earlier[OCC_HISTORY_NUMBERS];
	size_t shown = 0;

	memcpy(earlier, history->earlier, sizeof(earlier));
	fputs("<details>\n<summary>The numbers by day</summary>\n", stream);
	occ_report_table_begin(stream, "days",
			       "Builds, and compile time saved, by day",
			       titles);
	for (int64_t i = history->last_day - history->first_day; i >= 0; i--) {
		const uint64_t *numbers = history->days[i];

		if (!occ_history_builds(numbers))
			continue;
		if (shown++ < DAYS)
			write_day(stream, history->first_day + i, numbers);
		else
			occ_history_sum(earlier, numbers);
	}
	if (occ_history_builds(earlier)) {
		occ_report_row_begin(stream);
		fputs("earlier", stream);
		write_cells(stream, earlier);
	}
	occ_report_table_end(stream);
	fputs("</details>\n", stream);
}

static void write_key(FILE *stream, const char *class, const char *text)
{
	fprintf(stream,
		"<li><svg width=\"16\" height=\"12\" aria-hidden=\"true\">"
		"<rect class=\"%s\" x=\"1\" y=\"1\" width=\"14\" "
		"height=\"10\"/>"
		"</svg>%s</li>\n",
		class, text);
}

static void write_over_time(FILE *stream,
			    const struct occ_report_history *history)
{
	fputs("<section id=\"over-time\" class=\"long\">\n<h2>Over time</h2>\n"
	      "<h3>Builds by day</h3>\n<ul class=\"legend\">\n",
	      stream);
	write_key(stream, "hit", "Hits");
	write_key(stream, "miss", "Misses");
	write_key(stream, "rest", "Not cacheable");
	fputs("</ul>\n", stream);
	occ_report_chart_builds(stream, history);
	fputs("<h3>Compile time saved by day</h3>\n", stream);
	occ_report_chart_saved(stream, history);
	write_days(stream, history);
	fputs("</section>\n", stream);
}

static void write_program_cells(FILE *stream, const uint64_t *numbers)
{
	uint64_t builds = occ_history_builds(numbers);

	occ_report_cell_count(stream, builds);
	occ_report_cell_share(stream, occ_history_hits(numbers), builds);
	occ_report_cell_time(stream, numbers[OCC_HISTORY_SAVED_NS]);
	occ_report_row_end(stream);
}

static void write_program(FILE *stream, const struct occ_gain *program,
			  uint64_t most)
{
	occ_report_row_begin(stream);
	fputs("<bdi>", stream);
	occ_html_short(stream, program->name, OCC_REPORT_NAME);
	fputs("</bdi>", stream);
	occ_report_chart_bar(stream, program->numbers[OCC_HISTORY_SAVED_NS],
			     most);
	occ_report_row_cells(stream);
	write_program_cells(stream, program->numbers);
}

static void write_programs(FILE *stream, const struct occ_gains *programs)
{
	static const char *const titles[] = {"Program", "Builds", "Hits",
					     "Saved", NULL};
	uint64_t others[OCC_HISTORY_NUMBERS] = {0};

	fputs("<section id=\"gains\">\n<h2>What each program gained</h2>\n",
	      stream);
	occ_report_table_begin(stream, "programs",
			       "Compile time saved by program, most first",
			       titles);
	for (size_t i = 0; i < programs->count; i++) {
		const struct occ_gain *program = &programs->rows[i];

		if (i < OCC_REPORT_ROWS)
			write_program(stream, program,
				      programs->rows[0]
					      .numbers[OCC_HISTORY_SAVED_NS]);
		else
			occ_history_sum(others, program->numbers);
	}
	if (programs->count > OCC_REPORT_ROWS) {
		occ_report_row_others(stream,
				      programs->count - OCC_REPORT_ROWS);
		write_program_cells(stream, others);
	}
	occ_report_table_end(stream);
	fputs("</section>\n", stream);
}

void occ_report_gains_write(FILE *stream,
			    const struct occ_report_history *history)
{
	if (!history->rows.count)
		return;
	write_over_time(stream, history);
	write_programs(stream, &history->programs);
}
