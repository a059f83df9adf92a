/* SPDX-License-Identifier: MIT */
/*
 * The report's sections about builds that weren't hits: why, and what helps.
 */
#include "cli/html.h"
#include "cli/reason_words.h"
#include "cli/report_chart.h"
#include "cli/report_page.h"
#include "cli/report_sections.h"
#include "cli/report_table.h"

/* The kinds of reasons that are about builds, and what each is called. */
struct kind {
	enum occ_counted kind;
	const char *id, *heading, *column, *explanation;
};

static const struct kind kinds[] = {
	{OCC_COUNTED_MISS, "misses", "Misses", "Builds",
	 "Builds that were looked up and not found, so that the driver "
	 "compiled them."},
	{OCC_COUNTED_UNCACHEABLE, "not-cacheable", "Not cacheable", "Builds",
	 "Builds that weren't looked up, because a cached binary might not "
	 "have been the right one."},
	{OCC_COUNTED_NOT_STORED, "not-stored", "Not stored", "Programs",
	 "Programs that were compiled, and left out of the store on "
	 "purpose."},
	{OCC_COUNTED_ERROR, "errors", "Errors", "Entries",
	 "Entries that couldn't be stored."},
	{OCC_COUNTED_REMOTE, "remote-failures", "Remote failures", "Requests",
	 "Requests to the remote storage that failed, and entries from it that "
	 "were refused."},
};

/* What is counted has no more than a text; of a later version none is known. */
static void write_words(FILE *stream, const char *text)
{
	enum occ_reason reason = occ_reason_of_text(text);
	const struct occ_reason_words *words;

	if (reason == OCC_REASON_NONE) {
		fputs("<bdi>", stream);
		occ_html_text(stream, text);
		fputs("</bdi>", stream);
		return;
	}
	words = occ_reason_words(reason);
	occ_html_text(stream, words->meaning);
	fputs("<small>", stream);
	occ_html_text(stream, words->remedy);
	fprintf(stream, "</small><small><code>%s</code></small>",
		occ_reason_name(reason));
}

static void write_reason(FILE *stream, const struct occ_counted_reason *reason,
			 uint64_t most)
{
	occ_report_row_begin(stream);
	write_words(stream, reason->text);
	occ_report_chart_bar(stream, reason->count, most);
	occ_report_row_cells(stream);
	occ_report_cell_count(stream, reason->count);
	occ_report_row_end(stream);
}

/* From the first of that kind on, all of it. */
static void write_kind(FILE *stream, const struct kind *kind,
		       const struct occ_counted_reason *reasons, size_t count)
{
	const char *const titles[] = {"Reason", kind->column, NULL};
	uint64_t rest = 0;

	fprintf(stream, "<h3>%s</h3>\n", kind->heading);
	occ_report_table_begin(stream, kind->id, kind->explanation, titles);
	for (size_t i = 0; i < count; i++)
		if (i < OCC_REPORT_ROWS)
			write_reason(stream, &reasons[i], reasons->count);
		else
			rest += reasons[i].count;
	if (count > OCC_REPORT_ROWS) {
		occ_report_row_others(stream, count - OCC_REPORT_ROWS);
		occ_report_cell_count(stream, rest);
		occ_report_row_end(stream);
	}
	occ_report_table_end(stream);
}

void occ_report_reasons_write(FILE *stream, const struct occ_counters *counters)
{
	const struct occ_counted_reason *reasons = counters->reasons;

	if (!counters->reason_count)
		return;
	fputs("<section id=\"reasons\" class=\"long\">\n"
	      "<h2>Why builds weren't hits</h2>\n",
	      stream);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t first = 0, end;

		while (first < counters->reason_count &&
		       reasons[first].kind != kinds[i].kind)
			first++;
		end = first;
		while (end < counters->reason_count &&
		       reasons[end].kind == kinds[i].kind)
			end++;
		if (end > first)
			write_kind(stream, &kinds[i], reasons + first,
				   end - first);
	}
	fputs("<p><code>oclcache explain</code> says more about a single "
	      "program.</p>\n</section>\n",
	      stream);
}
