/* SPDX-License-Identifier: MIT */
#include "cli/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/text.h"

static const char *const words[] = {
	[OCC_DIAGNOSTIC_OK] = "ok",
	[OCC_DIAGNOSTIC_WARNING] = "warning",
	[OCC_DIAGNOSTIC_PROBLEM] = "problem",
};

static const enum occ_colour colours[] = {
	[OCC_DIAGNOSTIC_OK] = OCC_COLOUR_GREEN,
	[OCC_DIAGNOSTIC_WARNING] = OCC_COLOUR_YELLOW,
	[OCC_DIAGNOSTIC_PROBLEM] = OCC_COLOUR_RED,
};

/* Width of the words, and where what they are about begins. */
#define WORD_COLUMNS 7
#define TEXT_COLUMN  11

static const char *colour(enum occ_colour which)
{
	return occ_screen_colour(STDOUT_FILENO, which);
}

void occ_diagnostic_begin(struct occ_diagnostics *findings, bool json)
{
	*findings = (struct occ_diagnostics){.json = json,
					     .writer = OCC_JSON_INIT(stdout)};
	if (!json)
		return;
	occ_json_begin(&findings->writer, NULL, '{');
	occ_json_begin(&findings->writer, "findings", '[');
}

void occ_diagnostic_group(struct occ_diagnostics *findings, const char *group)
{
	findings->group = group;
	if (!findings->json)
		printf("%s%s%s\n", colour(OCC_COLOUR_BOLD), group,
		       colour(OCC_COLOUR_NONE));
}

/* Words of a text in lines that fit, from the column on. */
static void write_wrapped(const char *text, size_t column)
{
	size_t width = occ_screen_width(STDOUT_FILENO), at = column;

	while (*text) {
		size_t length = strcspn(text, " ");
		size_t columns = occ_screen_columns(text, length);

		if (at > column && at + 1 + columns > width) {
			printf("\n%*s", (int)column, "");
			at = column;
		} else if (at > column) {
			putchar(' ');
			at++;
		}
		occ_screen_write(stdout, text, length, true);
		at += columns;
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void show(enum occ_diagnostic kind, const char *text,
		 const char *what_to_do)
{
	printf("  %s%-*s%s  ", colour(colours[kind]), WORD_COLUMNS, words[kind],
	       colour(OCC_COLOUR_NONE));
	write_wrapped(text, TEXT_COLUMN);
	if (what_to_do) {
		printf("%*s", TEXT_COLUMN, "");
		fputs("-> ", stdout);
		write_wrapped(what_to_do, TEXT_COLUMN + 3);
	}
	/* The next may take a while. */
	fflush(stdout);
}

static void write_json(struct occ_diagnostics *findings,
		       enum occ_diagnostic kind, const char *text,
		       const char *what_to_do)
{
	struct occ_json *json = &findings->writer;

	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "group", findings->group);
	occ_json_string(json, "status", words[kind]);
	occ_json_string(json, "finding", text);
	if (what_to_do)
		occ_json_string(json, "what_to_do", what_to_do);
	else
		occ_json_null(json, "what_to_do");
	occ_json_end(json, '}');
}

void occ_diagnostic_add(struct occ_diagnostics *findings,
			enum occ_diagnostic kind, const char *what_to_do,
			const char *format, ...)
{
	va_list arguments;
	char *text;

	/* What children say then isn't their own fault. */
	if (occ_child_interrupted())
		return;
	va_start(arguments, format);
	text = occ_text_of(format, arguments);
	va_end(arguments);
	occ_progress_hide();
	findings->count[kind]++;
	if (findings->json)
		write_json(findings, kind, text, what_to_do);
	else
		show(kind, text, what_to_do);
	free(text);
}

static void summarise(const struct occ_diagnostics *findings)
{
	size_t warnings = findings->count[OCC_DIAGNOSTIC_WARNING];
	size_t problems = findings->count[OCC_DIAGNOSTIC_PROBLEM];

	if (problems)
		printf("\n%zu problem%s", problems, problems == 1 ? "" : "s");
	else
		printf("\nNo problem");
	printf(", %zu warning%s.\n", warnings, warnings == 1 ? "" : "s");
}

int occ_diagnostic_end(struct occ_diagnostics *findings)
{
	struct occ_json *json = &findings->writer;

	if (findings->json) {
		occ_json_end(json, ']');
		occ_json_number(json, "ok", findings->count[OCC_DIAGNOSTIC_OK]);
		occ_json_number(json, "warnings",
				findings->count[OCC_DIAGNOSTIC_WARNING]);
		occ_json_number(json, "problems",
				findings->count[OCC_DIAGNOSTIC_PROBLEM]);
		occ_json_end(json, '}');
	} else {
		summarise(findings);
	}
	return findings->count[OCC_DIAGNOSTIC_PROBLEM] ? OCC_EXIT_FAILED
						       : OCC_EXIT_OK;
}
