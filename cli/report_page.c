/* SPDX-License-Identifier: MIT */
#include "cli/report_page.h"

#include <time.h>

#include "cache/version.h"
#include "cli/html.h"
#include "cli/report_chart.h"
#include "cli/report_sections.h"
#include "cli/report_style.h"
#include "cli/report_table.h"
#include "cli/units.h"

/* What comes from elsewhere could load nothing even if it got through. */
static void write_head(FILE *stream, const struct occ_report *report)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
	      stream);
	occ_html_print(stream, "oclcache report%s%s", *report->host ? ": " : "",
		       report->host);
	fprintf(stream, "</title>\n<style>\n%s</style>\n</head>\n<body>\n",
		occ_report_style);
}

static void write_about(FILE *stream, const struct occ_report *report)
{
	char moment[OCC_UNITS_SIZE], machine[OCC_UNITS_SIZE] = "";
	time_t now = (time_t)report->now;
	struct tm parts;

	if (gmtime_r(&now, &parts))
		strftime(machine, sizeof(machine), "%Y-%m-%dT%H:%M:%SZ",
			 &parts);
	fputs("<header>\n<h1>oclcache report</h1>\n<dl class=\"about\">\n"
	      "<dt>Store</dt><dd><code id=\"store\">",
	      stream);
	occ_html_text(stream, report->directory);
	fputs("</code></dd>\n<dt>Host</dt><dd>", stream);
	occ_html_text(stream, *report->host ? report->host : "not known");
	fprintf(stream,
		"</dd>\n<dt>Date</dt><dd><time datetime=\"%s\">%s</time></dd>"
		"\n</dl>\n</header>\n",
		machine, occ_units_moment(report->now, moment));
}

static void write_size_figure(FILE *stream, const struct occ_report *report)
{
	uint64_t bytes = occ_report_catalogue(report)->listing.total;

	fputs("<div id=\"size\"><dt>Size</dt><dd>", stream);
	occ_report_size(stream, bytes);
	fputs("</dd><dd class=\"more\">", stream);
	if (report->max_bytes) {
		fputs("of at most ", stream);
		occ_report_size(stream, report->max_bytes);
		occ_report_chart_bar(stream, bytes, report->max_bytes);
	} else {
		fputs("no maximum is set", stream);
	}
	fputs("</dd></div>\n", stream);
}

static void write_hits_figure(FILE *stream, const struct occ_report *report)
{
	uint64_t builds = occ_counters_builds(&report->counters);
	uint64_t hits = occ_counters_hits(&report->counters);

	fputs("<div id=\"hits\"><dt>Hits</dt><dd>", stream);
	occ_report_count(stream, hits);
	fputs("</dd><dd class=\"more\">of ", stream);
	occ_report_counted(stream, builds, "build", "builds");
	if (builds)
		fprintf(stream, ", %.0f&nbsp;%%",
			100.0 * (double)hits / (double)builds);
	occ_report_chart_bar(stream, hits, builds);
	fputs("</dd></div>\n", stream);
}

/* The numbers that most people come for. */
static void write_figures(FILE *stream, const struct occ_report *report)
{
	const struct occ_catalogue *catalogue = occ_report_catalogue(report);
	const uint64_t *numbers = report->counters.numbers;
	char moment[OCC_UNITS_SIZE];

	fputs("<dl class=\"figures\">\n<div id=\"entries\"><dt>Entries</dt>"
	      "<dd>",
	      stream);
	occ_report_count(stream, catalogue->count);
	fputs("</dd><dd class=\"more\">", stream);
	if (report->damaged) {
		occ_report_count(stream, report->damaged);
		fputs(" can't be read: see 'oclcache verify'", stream);
	} else {
		fputs("compiled programs", stream);
	}
	fputs("</dd></div>\n", stream);
	write_size_figure(stream, report);
	write_hits_figure(stream, report);
	fputs("<div id=\"saved\"><dt>Compile time saved</dt><dd>", stream);
	occ_report_time(stream, numbers[OCC_COUNT_SAVED_NS]);
	fputs("</dd><dd class=\"more\">", stream);
	occ_report_time(stream, numbers[OCC_COUNT_COMPILED_NS]);
	fputs(" spent compiling</dd></div>\n</dl>\n", stream);
	if (report->counters.since)
		fprintf(stream,
			"<p><small>Builds are counted since %s.</small>"
			"</p>\n",
			occ_units_moment(report->counters.since, moment));
	if (report->counters_fault) {
		fputs("<p>The counters (<code>oclcache.counters</code>) can't "
		      "be read: ",
		      stream);
		occ_html_text(stream, report->counters_fault);
		fputs(".</p>\n", stream);
	}
}

static void write_empty(FILE *stream)
{
	fputs("<section id=\"empty\">\n<h2>This store is empty</h2>\n"
	      "<p>No program has used it yet. Start one under the cache:</p>\n"
	      "<p class=\"command\"><code>oclcache run PROGRAM</code></p>\n"
	      "<p>Its kernels are compiled and stored the first time, and come "
	      "from the store after that. To have all programs use the cache, "
	      "run <code>oclcache enable</code>.</p>\n</section>\n",
	      stream);
}

void occ_report_page_write(FILE *stream, const struct occ_report *report,
			   const char *suffix)
{
	bool is_empty =
		!occ_report_catalogue(report)->count && !report->counters.since;

	write_head(stream, report);
	write_about(stream, report);
	fputs("<main>\n", stream);
	write_figures(stream, report);
	occ_report_chart_patterns(stream);
	if (is_empty)
		write_empty(stream);
	else
		occ_report_sections_write(stream, report, suffix);
	occ_report_others_write(stream, report);
	fprintf(stream,
		"</main>\n<footer>Written by <code>oclcache report</code>, "
		"version %s. This page loads nothing and runs no script."
		"</footer>\n</body>\n</html>\n",
		OCC_VERSION);
}
