/* SPDX-License-Identifier: MIT */
#include "cli/report_table.h"

#include <inttypes.h>

#include "cli/html.h"
#include "cli/units.h"

void occ_report_table_begin(FILE *stream, const char *id, const char *caption,
			    const char *const *titles)
{
	fprintf(stream, "<table id=\"%s\">\n<caption>", id);
	occ_html_text(stream, caption);
	fputs("</caption>\n<thead><tr>", stream);
	for (; *titles; titles++) {
		fputs("<th scope=\"col\">", stream);
		occ_html_text(stream, *titles);
		fputs("</th>", stream);
	}
	fputs("</tr></thead>\n<tbody>\n", stream);
}

void occ_report_table_end(FILE *stream)
{
	fputs("</tbody>\n</table>\n", stream);
}

void occ_report_row_begin(FILE *stream)
{
	fputs("<tr><th scope=\"row\">", stream);
}

void occ_report_row_cells(FILE *stream)
{
	fputs("</th>", stream);
}

void occ_report_row_end(FILE *stream)
{
	fputs("</tr>\n", stream);
}

void occ_report_row_others(FILE *stream, uint64_t count)
{
	fputs("<tr class=\"others\"><th scope=\"row\">and ", stream);
	occ_report_counted(stream, count, "other", "others");
	fputs("</th>", stream);
}

static void number(FILE *stream, uint64_t value, const char *text)
{
	fprintf(stream, "<data value=\"%" PRIu64 "\">%s</data>", value, text);
}

void occ_report_count(FILE *stream, uint64_t count)
{
	char text[OCC_UNITS_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	number(stream, count, text);
}

void occ_report_counted(FILE *stream, uint64_t count, const char *one,
			const char *many)
{
	occ_report_count(stream, count);
	fprintf(stream, " %s", count == 1 ? one : many);
}

void occ_report_size(FILE *stream, uint64_t bytes)
{
	char text[OCC_UNITS_SIZE];

	number(stream, bytes, occ_units_size(bytes, text));
}

void occ_report_time(FILE *stream, uint64_t ns)
{
	char text[OCC_UNITS_SIZE];

	number(stream, ns, occ_units_time(ns, text));
}

void occ_report_cell_count(FILE *stream, uint64_t count)
{
	fputs("<td>", stream);
	occ_report_count(stream, count);
	fputs("</td>", stream);
}

void occ_report_cell_size(FILE *stream, uint64_t bytes)
{
	fputs("<td>", stream);
	occ_report_size(stream, bytes);
	fputs("</td>", stream);
}

void occ_report_cell_time(FILE *stream, uint64_t ns)
{
	fputs("<td>", stream);
	occ_report_time(stream, ns);
	fputs("</td>", stream);
}

void occ_report_cell_share(FILE *stream, uint64_t part, uint64_t whole)
{
	if (whole)
		fprintf(stream, "<td>%.0f&nbsp;%%</td>",
			100.0 * (double)part / (double)whole);
	else
		fputs("<td>-</td>", stream);
}

void occ_report_cell_text(FILE *stream, const char *text)
{
	fputs("<td>", stream);
	occ_html_text(stream, text);
	fputs("</td>", stream);
}
