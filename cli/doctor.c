/* SPDX-License-Identifier: MIT */
/*
 * oclcache doctor: shows what cli/checkup.h's parts find, as they find it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/checkup.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "cli/screen.h"
#include "cli/store_path.h"
#include "cli/text.h"

static const char *const words[] = {
	[OCC_CHECKUP_OK] = "ok",
	[OCC_CHECKUP_WARNING] = "warning",
	[OCC_CHECKUP_PROBLEM] = "problem",
};

static const enum occ_colour colours[] = {
	[OCC_CHECKUP_OK] = OCC_COLOUR_GREEN,
	[OCC_CHECKUP_WARNING] = OCC_COLOUR_YELLOW,
	[OCC_CHECKUP_PROBLEM] = OCC_COLOUR_RED,
};

/* Width of the words, and where what they are about begins. */
#define WORD_COLUMNS 7
#define TEXT_COLUMN  11

static const char *colour(enum occ_colour which)
{
	return occ_screen_colour(STDOUT_FILENO, which);
}

void occ_checkup_group(struct occ_checkup *checkup, const char *group)
{
	checkup->group = group;
	if (!checkup->as_json)
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

static void show(enum occ_checkup_kind kind, const char *text,
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

static void write_json(struct occ_checkup *checkup, enum occ_checkup_kind kind,
		       const char *text, const char *what_to_do)
{
	struct occ_json *json = &checkup->json;

	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "group", checkup->group);
	occ_json_string(json, "status", words[kind]);
	occ_json_string(json, "finding", text);
	if (what_to_do)
		occ_json_string(json, "what_to_do", what_to_do);
	else
		occ_json_null(json, "what_to_do");
	occ_json_end(json, '}');
}

void occ_checkup_add(struct occ_checkup *checkup, enum occ_checkup_kind kind,
		     const char *what_to_do, const char *format, ...)
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
	checkup->count[kind]++;
	if (checkup->as_json)
		write_json(checkup, kind, text, what_to_do);
	else
		show(kind, text, what_to_do);
	free(text);
}

static void summarise(struct occ_checkup *checkup)
{
	struct occ_json *json = &checkup->json;
	size_t warnings = checkup->count[OCC_CHECKUP_WARNING];
	size_t problems = checkup->count[OCC_CHECKUP_PROBLEM];

	if (checkup->as_json) {
		occ_json_end(json, ']');
		occ_json_number(json, "ok", checkup->count[OCC_CHECKUP_OK]);
		occ_json_number(json, "warnings", warnings);
		occ_json_number(json, "problems", problems);
		occ_json_end(json, '}');
		return;
	}
	if (problems)
		printf("\n%zu problem%s", problems, problems == 1 ? "" : "s");
	else
		printf("\n"
		       "No problems");
	printf(", %zu warning%s.\n", warnings, warnings == 1 ? "" : "s");
}

static void look_at_all(struct occ_checkup *checkup)
{
	static void (*const parts[])(struct occ_checkup *) = {
		occ_checkup_layer,   occ_checkup_loaders,
		occ_checkup_enabled, occ_checkup_drivers,
		occ_checkup_store,   occ_checkup_read_only,
		occ_checkup_remote,  occ_checkup_settings,
		occ_checkup_caches,
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!occ_child_interrupted())
			parts[i](checkup);
}

static int run(const struct occ_arguments *arguments)
{
	/* Tests bring a machine of their own. */
	const char *root = getenv("OCLCACHE_DOCTOR_ROOT");
	struct occ_checkup checkup = {
		.as_json = occ_arguments_has(arguments, "json"),
		.json = OCC_JSON_INIT(stdout),
		.arguments = arguments,
		.root = root ? root : "",
	};
	char *scratch;

	if (!occ_arguments_expect(arguments, "doctor", 0,
				  "it checks everything; see 'oclcache doctor "
				  "--help'"))
		return OCC_EXIT_USAGE;
	occ_child_catch_signals();
	scratch = occ_scratch_make();
	if (!scratch)
		return OCC_EXIT_FAILED;
	checkup.scratch = scratch;
	if (checkup.as_json) {
		occ_json_begin(&checkup.json, NULL, '{');
		occ_json_begin(&checkup.json, "findings", '[');
	}
	look_at_all(&checkup);
	occ_scratch_remove(scratch);
	if (checkup.has_here)
		occ_drivers_here_release(&checkup.here);
	occ_child_pass_interrupt();
	summarise(&checkup);
	return checkup.count[OCC_CHECKUP_PROBLEM] ? OCC_EXIT_FAILED
						  : OCC_EXIT_OK;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "print the findings as JSON"},
	{"learn", 0, NULL, "keep what is learnt about unknown drivers"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_doctor = {
	.name = "doctor",
	.summary = "check that everything works, and say what to do if not",
	.details = "Checks the layer, the OpenCL loaders, the drivers, the "
		   "store and the settings.\n"
		   "On each device, it builds a program of two lines in two "
		   "processes; the second\n"
		   "one must be served. It does so in a directory of its own: "
		   "only --learn changes\n"
		   "the store.\n"
		   "If there is a remote storage, it starts the helper unless "
		   "one is running, and\n"
		   "writes, reads and removes a value.\n"
		   "\n"
		   "A problem keeps all programs from being served, a warning "
		   "some of them. The\n"
		   "exit status is 1 if there is a problem.",
	.options = options,
	.run = run,
};
