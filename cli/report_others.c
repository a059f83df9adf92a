/* SPDX-License-Identifier: MIT */
/*
 * The report's sections about other places that entries come from.
 */
#include "cli/html.h"
#include "cli/report_page.h"
#include "cli/report_sections.h"
#include "cli/report_table.h"

static void write_store(FILE *stream, const struct occ_report_store *store)
{
	occ_report_row_begin(stream);
	fputs("<code>", stream);
	occ_html_short(stream, store->path, OCC_REPORT_NAME);
	fputs("</code>", stream);
	if (store->fault) {
		fputs("<small>", stream);
		occ_html_text(stream, store->fault);
		fputs("</small>", stream);
	}
	occ_report_row_cells(stream);
	if (store->fault) {
		occ_report_cell_text(stream, "-");
		occ_report_cell_text(stream, "-");
	} else {
		occ_report_cell_count(stream, store->entries);
		occ_report_cell_size(stream, store->bytes);
	}
	occ_report_row_end(stream);
}

static void write_read_only(FILE *stream, const struct occ_report *report)
{
	static const char *const titles[] = {"Directory", "Entries", "Size",
					     NULL};

	fputs("<section id=\"read-only\">\n<h2>Read-only stores</h2>\n"
	      "<p>Programs look here for what this store doesn't have. ",
	      stream);
	occ_report_counted(stream,
			   report->counters.numbers[OCC_COUNT_READ_ONLY], "hit",
			   "hits");
	fputs(" came from them.</p>\n", stream);
	occ_report_table_begin(stream, "read-only-stores",
			       "Stores that OCLCACHE_READONLY_DIRS names",
			       titles);
	for (size_t i = 0; i < report->read_only_count; i++)
		write_store(stream, &report->read_only[i]);
	occ_report_table_end(stream);
	fputs("</section>\n", stream);
}

static bool was_asked(const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;

	return numbers[OCC_COUNT_REMOTE_LOOKUPS] ||
	       numbers[OCC_COUNT_REMOTE_PUTS] ||
	       numbers[OCC_COUNT_REMOTE_ERRORS];
}

static void write_remote_counts(FILE *stream, const uint64_t *numbers)
{
	static const char *const titles[] = {"What", "Value", NULL};
	static const struct {
		const char *name;
		enum occ_counter counter;
		void (*write)(FILE *, uint64_t);
	} rows[] = {
		{"Entries asked for", OCC_COUNT_REMOTE_LOOKUPS,
		 occ_report_cell_count},
		{"Hits", OCC_COUNT_REMOTE, occ_report_cell_count},
		{"Entries refused", OCC_COUNT_REMOTE_REFUSED,
		 occ_report_cell_count},
		{"Requests that failed", OCC_COUNT_REMOTE_ERRORS,
		 occ_report_cell_count},
		{"Received", OCC_COUNT_REMOTE_BYTES, occ_report_cell_size},
		{"Time spent asking", OCC_COUNT_REMOTE_NS,
		 occ_report_cell_time},
		{"Entries sent", OCC_COUNT_REMOTE_PUTS, occ_report_cell_count},
		{"Sent", OCC_COUNT_REMOTE_PUT_BYTES, occ_report_cell_size},
	};

	occ_report_table_begin(stream, "remote-counts",
			       "What the remote storage has done", titles);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		occ_report_row_begin(stream);
		fputs(rows[i].name, stream);
		occ_report_row_cells(stream);
		rows[i].write(stream, numbers[rows[i].counter]);
		occ_report_row_end(stream);
	}
	occ_report_table_end(stream);
}

static void write_remote(FILE *stream, const struct occ_report *report)
{
	fputs("<section id=\"remote\">\n<h2>Remote storage</h2>\n<p>", stream);
	if (report->remote) {
		fputs("OCLCACHE_REMOTE is <code>", stream);
		occ_html_text(stream, report->remote);
		fputs("</code>.</p>\n", stream);
	} else {
		fputs("OCLCACHE_REMOTE isn't set now.</p>\n", stream);
	}
	if (was_asked(&report->counters))
		write_remote_counts(stream, report->counters.numbers);
	else
		fputs("<p>No program that uses this store has asked it for "
		      "anything yet.</p>\n",
		      stream);
	fputs("</section>\n", stream);
}

void occ_report_others_write(FILE *stream, const struct occ_report *report)
{
	if (report->read_only_count)
		write_read_only(stream, report);
	if (report->remote || was_asked(&report->counters))
		write_remote(stream, report);
}
