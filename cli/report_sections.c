/* SPDX-License-Identifier: MIT */
/*
 * The report's sections about what the store has.
 */
#include "cli/report_sections.h"

#include <stdlib.h>
#include <string.h>

#include "cli/fields.h"
#include "cli/html.h"
#include "cli/message.h"
#include "cli/report_chart.h"
#include "cli/report_page.h"
#include "cli/report_table.h"
#include "cli/units.h"

static void write_name(FILE *stream, const char *name)
{
	fputs("<bdi>", stream);
	occ_html_short(stream, name, OCC_REPORT_NAME);
	fputs("</bdi>", stream);
}

static void write_command(FILE *stream, const char *command, const char *suffix)
{
	fputs("<p class=\"command\"><code>", stream);
	occ_html_print(stream, "oclcache %s%s", command, suffix);
	fputs("</code></p>\n", stream);
}

static void write_group_cells(FILE *stream, size_t entries, uint64_t bytes)
{
	occ_report_cell_count(stream, entries);
	occ_report_cell_size(stream, bytes);
	occ_report_row_end(stream);
}

/* `unknown`: what the group without a name is called. */
static void write_groups(FILE *stream, const struct occ_report_groups *groups,
			 const char *unknown)
{
	uint64_t most = groups->count ? groups->groups[0].bytes : 0;
	size_t entries = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct occ_report_group *group = &groups->groups[i];

		if (i >= OCC_REPORT_ROWS) {
			entries += group->entries;
			bytes += group->bytes;
			continue;
		}
		occ_report_row_begin(stream);
		if (group->name)
			write_name(stream, group->name);
		else
			fputs(unknown, stream);
		occ_report_chart_bar(stream, group->bytes, most);
		occ_report_row_cells(stream);
		write_group_cells(stream, group->entries, group->bytes);
	}
	if (groups->count > OCC_REPORT_ROWS) {
		occ_report_row_others(stream, groups->count - OCC_REPORT_ROWS);
		write_group_cells(stream, entries, bytes);
	}
}

static void write_size(FILE *stream, const struct occ_report *report)
{
	static const char *const devices[] = {"Device", "Entries", "Size",
					      NULL};
	static const char *const programs[] = {"Program", "Entries", "Size",
					       NULL};

	fputs("<section id=\"what-is-stored\">\n<h2>What is stored</h2>\n"
	      "<h3>By device</h3>\n",
	      stream);
	occ_report_table_begin(stream, "devices",
			       "Entries by device, largest first", devices);
	write_groups(stream, &report->devices, "not known");
	occ_report_table_end(stream);
	fputs("<h3>By program</h3>\n", stream);
	occ_report_table_begin(
		stream, "users",
		"Entries by the program that used them, largest first",
		programs);
	write_groups(stream, &report->applications,
		     "not known: no recent run used them");
	occ_report_table_end(stream);
	if (report->applications.shared) {
		fputs("<p>", stream);
		occ_report_counted(stream, report->applications.shared,
				   "entry was used by several programs and "
				   "counts for each of them",
				   "entries were used by several programs and "
				   "count for each of them");
		fputs(".</p>\n", stream);
	}
	fputs("</section>\n", stream);
}

/* Without a creation date, the last use is what is known of its age. */
static int64_t age_of(const struct occ_report *report,
		      const struct occ_item *item)
{
	return report->now - (item->created ? (int64_t)item->created
					    : item->file->used.tv_sec);
}

static void write_kernels(FILE *stream, const char *kernels)
{
	struct occ_span names = {(const unsigned char *)kernels,
				 strlen(kernels)};
	char *text = NULL;
	size_t size;
	FILE *joined = occ_message_must(open_memstream(&text, &size));

	while (names.size) {
		struct occ_span name = occ_fields_next_kernel(&names);

		fwrite(name.data, 1, name.size, joined);
		if (names.size)
			fputs(", ", joined);
	}
	if (fclose(joined))
		occ_message_no_memory();
	write_name(stream, text);
	free(text);
}

static void write_entry(FILE *stream, const struct occ_report *report,
			const struct occ_item *item)
{
	char age[OCC_UNITS_SIZE];

	occ_report_row_begin(stream);
	if (*item->kernels)
		write_kernels(stream, item->kernels);
	else
		fputs("no kernels", stream);
	fprintf(stream, "<small><code>%.*s</code> ",
		(int)occ_report_catalogue(report)->prefix, item->hash);
	write_name(stream, item->device);
	fputs("</small>", stream);
	occ_report_row_cells(stream);
	occ_report_cell_size(stream, item->file->size);
	occ_report_cell_text(stream, occ_units_age(age_of(report, item), age));
	occ_report_row_end(stream);
}

static void write_never_hit_table(FILE *stream, const struct occ_report *report)
{
	static const char *const titles[] = {"Entry", "Size", "Age", NULL};
	size_t count = report->never_hit_count;
	uint64_t bytes = report->never_hit_bytes;

	occ_report_table_begin(stream, "never-hit-entries",
			       "Entries without a hit, largest first", titles);
	for (size_t i = 0; i < count && i < OCC_REPORT_ROWS; i++) {
		write_entry(stream, report, report->never_hit[i]);
		bytes -= report->never_hit[i]->file->size;
	}
	if (count > OCC_REPORT_ROWS) {
		occ_report_row_others(stream, count - OCC_REPORT_ROWS);
		occ_report_cell_size(stream, bytes);
		occ_report_cell_text(stream, "");
		occ_report_row_end(stream);
	}
	occ_report_table_end(stream);
}

static void write_unused(FILE *stream, const struct occ_report *report,
			 const char *suffix)
{
	if (!report->unused_count) {
		fprintf(stream,
			"<p>Every entry was stored or used in the last %d "
			"days.</p>\n",
			OCC_REPORT_UNUSED_DAYS);
		return;
	}
	fputs("<p id=\"unused\">", stream);
	occ_report_counted(stream, report->unused_count, "entry", "entries");
	fputs(" (", stream);
	occ_report_size(stream, report->unused_bytes);
	fprintf(stream,
		"), with or without hits, %s not been used for %d days. To "
		"remove %s:</p>\n",
		report->unused_count == 1 ? "has" : "have",
		OCC_REPORT_UNUSED_DAYS,
		report->unused_count == 1 ? "it" : "them");
	write_command(stream, "clear --unused-for 90d", suffix);
}

/* Nobody is to remove what may have been hit often. */
static void write_unknown_hits(FILE *stream, const struct occ_report *report)
{
	fputs("<p id=\"hits-unknown\">How often ", stream);
	occ_report_counted(stream, report->unknown_count, "entry", "entries");
	fputs(" (", stream);
	occ_report_size(stream, report->unknown_bytes);
	fprintf(stream,
		") %s hit isn't known: an older version stored %s, another "
		"program has read %s since, or the file system doesn't keep "
		"the number.</p>\n",
		report->unknown_count == 1 ? "was" : "were",
		report->unknown_count == 1 ? "it" : "them",
		report->unknown_count == 1 ? "it" : "them");
}

static void write_never_hit(FILE *stream, const struct occ_report *report,
			    const char *suffix)
{
	fputs("<section id=\"never-hit\">\n<h2>Never hit</h2>\n<p>", stream);
	if (report->never_hit_count) {
		occ_report_counted(stream, report->never_hit_count, "entry",
				   "entries");
		fputs(" (", stream);
		occ_report_size(stream, report->never_hit_bytes);
		fprintf(stream, ") %s never been used since %s stored.</p>\n",
			report->never_hit_count == 1 ? "has" : "have",
			report->never_hit_count == 1 ? "it was" : "they were");
		write_never_hit_table(stream, report);
	} else if (report->unknown_count) {
		fputs("No entry is known to have gone without a hit.</p>\n",
		      stream);
	} else {
		fputs("Every entry has been hit.</p>\n", stream);
	}
	if (report->unknown_count)
		write_unknown_hits(stream, report);
	write_unused(stream, report, suffix);
	fputs("</section>\n", stream);
}

static void write_stale_table(FILE *stream, const struct occ_stale *stale)
{
	static const char *const titles[] = {"Driver", "Entries", "Size", NULL};
	uint64_t bytes = stale->bytes;
	size_t entries = stale->count;

	occ_report_table_begin(stream, "stale-drivers",
			       "Stale entries by driver", titles);
	for (size_t i = 0; i < stale->driver_count && i < OCC_REPORT_ROWS;
	     i++) {
		const struct occ_stale_driver *driver = &stale->drivers[i];

		occ_report_row_begin(stream);
		write_name(stream, driver->platform);
		fputs(" ", stream);
		write_name(stream, driver->version);
		fprintf(stream, "<small>%s</small>",
			occ_stale_why_text(driver->why));
		occ_report_row_cells(stream);
		write_group_cells(stream, driver->count, driver->bytes);
		entries -= driver->count;
		bytes -= driver->bytes;
	}
	if (stale->driver_count > OCC_REPORT_ROWS) {
		occ_report_row_others(stream,
				      stale->driver_count - OCC_REPORT_ROWS);
		write_group_cells(stream, entries, bytes);
	}
	occ_report_table_end(stream);
}

static void write_stale_entries(FILE *stream, const struct occ_stale *stale,
				const char *suffix)
{
	if (!stale->count) {
		fputs("<p>No entry is known to be stale.</p>\n", stream);
		return;
	}
	fputs("<p>No driver on this machine can load ", stream);
	occ_report_counted(stream, stale->count, "entry", "entries");
	fputs(" (", stream);
	occ_report_size(stream, stale->bytes);
	fputs(").</p>\n", stream);
	write_stale_table(stream, stale);
	fputs("<p>To compile these programs again for the drivers on this "
	      "machine:</p>\n",
	      stream);
	write_command(stream, "replay --stale", suffix);
	if (stale->lately)
		fprintf(stream,
			"<p>%zu of the stale entries %s " OCC_STALE_ELSEWHERE
			".</p>\n",
			stale->lately, stale->lately == 1 ? "was" : "were");
	fputs(stale->lately
		      ? "<p>To remove the stale entries all the same:</p>\n"
		      : "<p>Then remove the stale entries:</p>\n",
	      stream);
	write_command(stream, "clear --stale", suffix);
}

/* Entries of which it can't be said whether a driver here can load them. */
static void write_not_judged(FILE *stream, const struct occ_report *report)
{
	size_t machines = report->stale.machines;

	if (machines) {
		fputs("<p id=\"other-machines\">", stream);
		occ_report_counted(stream, machines, "entry is", "entries are");
		fputs(" for a CPU that no driver on this machine has, perhaps "
		      "another machine's, and not counted as stale.</p>\n",
		      stream);
	}
	if (report->damaged) {
		fputs("<p id=\"unreadable\">", stream);
		occ_report_counted(stream, report->damaged, "entry", "entries");
		fputs(" can't be read: see <code>oclcache verify</code>.</p>\n",
		      stream);
	}
}

static void write_stale(FILE *stream, const struct occ_report *report,
			const char *suffix)
{
	fputs("<section id=\"stale\">\n<h2>Stale</h2>\n", stream);
	switch (report->stale_state) {
	case OCC_REPORT_STALE_KNOWN:
		write_stale_entries(stream, &report->stale, suffix);
		write_not_judged(stream, report);
		break;
	case OCC_REPORT_STALE_UNKNOWN:
		fputs("<p>Whether entries are stale isn't known, because the "
		      "drivers on this machine can't be asked: ",
		      stream);
		occ_html_text(stream, report->stale_why_not);
		fputs(". <code>oclcache doctor</code> says more.</p>\n",
		      stream);
		break;
	default:
		fputs("<p>Not checked (<code>--no-stale</code>).</p>\n",
		      stream);
	}
	fputs("</section>\n", stream);
}

void occ_report_sections_write(FILE *stream, const struct occ_report *report,
			       const char *suffix)
{
	occ_report_gains_write(stream, &report->history);
	if (occ_report_catalogue(report)->count) {
		write_size(stream, report);
		write_never_hit(stream, report, suffix);
		write_stale(stream, report, suffix);
	}
	occ_report_reasons_write(stream, &report->counters);
}
