/* SPDX-License-Identifier: MIT */
/*
 * oclcache explain: why a build wasn't served. The layer knows when it happens,
 * and writes it down with BinaryCacheTrace=1; without that, what is in the
 * store is compared. Programs are run with a trace (cli/explain_program.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/counters.h"
#include "cache/file.h"
#include "cache/nearest.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/entry_diff.h"
#include "cli/explain.h"
#include "cli/explain_builds.h"
#include "cli/explain_program.h"
#include "cli/fields.h"
#include "cli/follow.h"
#include "cli/interpreter.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/store_path.h"
#include "cli/target.h"
#include "cli/text.h"
#include "cli/units.h"

/* Lines of a source that differ. */
#define LINES_SHOWN 4

static const char nearest_label[] = "nearest when it missed: ";
static const char differs_label[] = "differs: ";

void occ_explain_say_entry(const struct occ_entry_file *whole)
{
	struct occ_span kernels = occ_fields_text(
		occ_entry_bytes(&whole->entry, OCC_META_KERNEL_NAMES));
	struct occ_span options = occ_fields_find(whole, OCC_KEY_OPTIONS);
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&whole->entry.hash, hex);
	printf("%s%s", hex, kernels.size ? ": " : "");
	occ_fields_show(kernels, true);
	fputs(", for ", stdout);
	occ_fields_show(occ_fields_find(whole, OCC_KEY_DEVICE_NAME), true);
	if (options.size)
		fputs(", options ", stdout);
	occ_fields_show(options, true);
	putchar('\n');
}

void occ_explain_say_lines(const struct occ_lines *lines)
{
	printf("  the source differs from line %zu on:\n", lines->line);
	occ_entry_diff_show_lines(lines, LINES_SHOWN);
}

static void say_difference(const struct occ_entry_file *now,
			   const struct occ_entry_file *then)
{
	struct occ_entry_diff diff;
	const struct occ_part *source;
	struct occ_buffer text;
	struct occ_lines lines;

	occ_entry_diff_make(then, now, &diff);
	occ_entry_diff_describe(&diff, &text);
	fputs("  differs:  ", stdout);
	occ_fields_show(occ_buffer_span(&text), true);
	putchar('\n');
	occ_buffer_release(&text);
	source = occ_entry_diff_find(&diff, OCC_KEY_SOURCE);
	if (source && source->is_there[OCC_OLD] && source->is_there[OCC_NEW]) {
		occ_entry_diff_lines(source->bytes[OCC_OLD],
				     source->bytes[OCC_NEW], &lines);
		occ_explain_say_lines(&lines);
	}
	occ_entry_diff_release(&diff);
}

bool occ_explain_read(struct occ_store *store, const char *name,
		      struct occ_entry_file *whole)
{
	char *path = occ_text("%s/%s", occ_store_directory(store), name);
	bool read = !occ_entry_file_read_path(path, whole);

	free(path);
	return read;
}

struct other {
	struct occ_store *store;
	struct occ_entry_file
		whole; /* the last that is good: the nearest so far */
};

/* One that is damaged, or went meanwhile, is passed over. */
static bool is_good(const char *name, void *data)
{
	struct other *other = data;
	struct occ_entry_file whole = {0};

	if (!occ_explain_read(other->store, name, &whole)) {
		occ_entry_file_release(&whole);
		return false;
	}
	occ_entry_file_release(&other->whole);
	other->whole = whole;
	return true;
}

static void explain_entry(struct occ_store *store,
			  const struct occ_entry_file *whole)
{
	struct other other = {store, {0}};
	struct occ_nearest_limits limits = {.is_good = is_good, .data = &other};
	struct occ_nearest nearest;

	fputs("entry     ", stdout);
	occ_explain_say_entry(whole);
	if (occ_nearest_find(store, &whole->entry.key, &limits, &nearest)) {
		puts("  The store has no other entry to compare it with.");
		return;
	}
	fputs("  nearest:  ", stdout);
	occ_explain_say_entry(&other.whole);
	say_difference(whole, &other.whole);
	occ_entry_file_release(&other.whole);
	occ_nearest_release(&nearest);
}

/* What is behind a label at a line's beginning; empty: it isn't there. */
static struct occ_span line_of(const struct occ_buffer *text, const char *label)
{
	size_t length = strlen(label);
	const char *at = (const char *)text->data, *end = at + text->size;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		if ((size_t)(stop - at) > length && !memcmp(at, label, length))
			return (struct occ_span){(const unsigned char *)at +
							 length,
						 (size_t)(stop - at) - length};
		at = stop + 1;
	}
	return (struct occ_span){NULL, 0};
}

/* False: there is no such trace, or it is none of a miss. */
static bool explain_trace(struct occ_store *store,
			  const struct occ_listing_file *file)
{
	struct occ_buffer text = OCC_BUFFER_INIT;
	struct occ_span nearest, differs;
	char age[OCC_UNITS_SIZE];

	if (occ_store_read(store, file->name, &text))
		return false;
	nearest = line_of(&text, nearest_label);
	differs = line_of(&text, differs_label);
	if (differs.size) {
		occ_units_age(occ_file_now() - file->used.tv_sec, age);
		printf("build     %.*s, missed %s%s\n  nearest:  ",
		       OCC_DIGEST_HEX_SIZE - 1, file->name, age,
		       strcmp(age, "now") != 0 ? " ago" : "");
		occ_fields_show(nearest, true);
		fputs("\n  differs:  ", stdout);
		occ_fields_show(differs, true);
		putchar('\n');
	}
	occ_buffer_release(&text);
	return differs.size > 0;
}

/* Of those whose names begin so, the newest; false: none says anything. */
static bool explain_traces(struct occ_store *store,
			   const struct occ_catalogue *catalogue,
			   const char *prefix)
{
	const struct occ_listing *listing = &catalogue->listing;

	for (size_t i = listing->count; i-- > 0;) {
		const struct occ_listing_file *file = listing->files[i];

		if (file->kind == OCC_NAME_TRACE &&
		    !strncmp(file->name, prefix, strlen(prefix)) &&
		    explain_trace(store, file))
			return true;
	}
	return false;
}

void occ_explain_say_uncacheable(struct occ_store *store)
{
	struct occ_counters counters;
	uint64_t count;
	char moment[OCC_UNITS_SIZE];

	if (occ_counters_read(store, &counters))
		return;
	count = counters.numbers[OCC_COUNT_UNCACHEABLE];
	if (!count)
		return;
	printf("%" PRIu64 " %s not cacheable", count,
	       count == 1 ? "build was" : "builds were");
	if (counters.since)
		printf(" since %s", occ_units_moment(counters.since, moment));
	puts(", and left no trace:");
	for (size_t i = 0; i < counters.reason_count; i++) {
		const struct occ_counted_reason *reason = &counters.reasons[i];

		if (reason->kind != OCC_COUNTED_UNCACHEABLE)
			continue;
		printf("  %" PRIu64 "  ", reason->count);
		occ_screen_text(reason->text);
		putchar('\n');
	}
}

/* When the last miss that left a trace was, or 0. */
static int64_t time_of_trace(const struct occ_catalogue *catalogue)
{
	const struct occ_listing *listing = &catalogue->listing;
	int64_t last = 0;

	for (size_t i = 0; i < listing->count; i++)
		if (listing->files[i]->kind == OCC_NAME_TRACE &&
		    listing->files[i]->used.tv_sec > last)
			last = listing->files[i]->used.tv_sec;
	return last;
}

/*
 * If the last build of all was a hit, that is said before the last miss. True:
 * it was.
 */
static bool say_last_hit(struct occ_store *store,
			 const struct occ_catalogue *catalogue)
{
	const struct occ_item *last = catalogue->items;
	struct occ_entry_file whole = {0};
	char age[OCC_UNITS_SIZE];
	bool said;

	if (!catalogue->count || last->fault || !last->file->uses ||
	    last->file->uses == OCC_FILE_USES_UNKNOWN ||
	    last->file->used.tv_sec < time_of_trace(catalogue))
		return false;
	said = occ_explain_read(store, last->file->name, &whole);
	if (said) {
		occ_units_age(catalogue->listing.now - last->file->used.tv_sec,
			      age);
		printf("The last build that was looked up was served (%s%s): ",
		       age, strcmp(age, "now") != 0 ? " ago" : "");
		occ_explain_say_entry(&whole);
	}
	occ_entry_file_release(&whole);
	return said;
}

static int explain_last(struct occ_store *store,
			const struct occ_catalogue *catalogue)
{
	struct occ_entry_file whole = {0};
	const struct occ_item *newest = NULL;
	int status = OCC_EXIT_OK;
	bool was_hit = say_last_hit(store, catalogue);

	if (explain_traces(store, catalogue, "")) {
		occ_explain_say_uncacheable(store);
		return OCC_EXIT_OK;
	}
	for (size_t i = 0; i < catalogue->count; i++)
		if (!catalogue->items[i].fault &&
		    (!newest || catalogue->items[i].created > newest->created))
			newest = &catalogue->items[i];
	if (newest && occ_explain_read(store, newest->file->name, &whole)) {
		/* It may be the very one that was served. */
		if (was_hit)
			puts("The last build that was stored:");
		explain_entry(store, &whole);
		occ_explain_say_uncacheable(store);
		occ_message_note("this was the last build that was "
				 "stored; " OCC_EXPLAIN_HOW_TO_KNOW);
	} else {
		occ_explain_say_uncacheable(store);
		occ_message_error(
			"explain: %s has no entry and no trace, so there is "
			"nothing to explain; " OCC_EXPLAIN_HOW_TO_KNOW,
			occ_store_directory(store));
		status = OCC_EXIT_FAILED;
	}
	occ_entry_file_release(&whole);
	return status;
}

static int explain_target(struct occ_store *store, const char *text)
{
	struct occ_target target;
	int status = occ_target_read(occ_store_directory(store), "explain",
				     text, &target);

	if (status != OCC_EXIT_OK)
		return status;
	if (target.error) {
		occ_target_complain(&target);
		status = OCC_EXIT_FAILED;
	} else {
		explain_entry(store, &target.whole);
	}
	occ_target_release(&target);
	return status;
}

static int explain(struct occ_store *store,
		   const struct occ_catalogue *catalogue,
		   const struct occ_arguments *arguments)
{
	const char *operand = arguments->operands[0];
	size_t digits;

	if (!operand)
		return explain_last(store, catalogue);
	digits = strspn(operand, "0123456789abcdef");
	if (!access(operand, F_OK) &&
	    occ_name_kind(basename(operand)) != OCC_NAME_ENTRY)
		return occ_explain_source(store, catalogue, operand,
					  occ_arguments_value(arguments,
							      "options"));
	/* What the layer said at the time is worth more. */
	if (digits >= 4 && !operand[digits] &&
	    explain_traces(store, catalogue, operand))
		return OCC_EXIT_OK;
	return explain_target(store, operand);
}

static int explain_reason(enum occ_reason reason)
{
	printf("%s: %s\n", occ_reason_name(reason), occ_reason_text(reason));
	occ_explain_builds_show_reason(stdout, reason);
	return OCC_EXIT_OK;
}

/* All of them. */
static int list_reasons(void)
{
	for (int i = 1; i < OCC_REASON_COUNT; i++)
		printf("%-28s %s\n", occ_reason_name((enum occ_reason)i),
		       occ_reason_text((enum occ_reason)i));
	return OCC_EXIT_OK;
}

static int explain_in_store(const struct occ_arguments *arguments)
{
	int status = OCC_EXIT_FAILED;
	struct occ_catalogue catalogue;
	struct occ_store *store;

	store = occ_store_path_open(arguments, false);
	if (!store)
		return OCC_EXIT_FAILED;
	if (occ_catalogue_read(store, NULL, &catalogue)) {
		status = explain(store, &catalogue, arguments);
		occ_catalogue_release(&catalogue);
	}
	occ_store_close(store);
	return status;
}

/* Could it name a file or an entry? What has a slash is a path. */
static bool is_in_store(const char *operand)
{
	size_t digits = strspn(operand, "0123456789abcdef");

	return strchr(operand, '/') || !access(operand, F_OK) ||
	       (digits >= 4 && !operand[digits]) ||
	       occ_name_kind(operand) == OCC_NAME_ENTRY;
}

/* Each kind of question excludes the others. */
static int run(const struct occ_arguments *arguments)
{
	const char *trace = occ_arguments_value(arguments, "trace");
	const char *operand = arguments->operands[0];
	bool last = occ_arguments_has(arguments, "last");
	bool reasons = occ_arguments_has(arguments, "reasons");
	bool json = occ_arguments_has(arguments, "json");
	bool output = occ_arguments_has(arguments, "output");
	bool is_program = operand && occ_explain_program_is(arguments);
	enum occ_reason reason =
		operand ? occ_reason_of_name(operand) : OCC_REASON_NONE;

	if ((operand != NULL) + (trace != NULL) + last + reasons != 1 ||
	    (arguments->operand_count > 1 && !is_program)) {
		occ_message_error(
			"explain: use one of: a program and its arguments, a "
			"source file, an entry's hash, the name of a reason, "
			"--last, --reasons, or --trace FILE");
		return OCC_EXIT_USAGE;
	}
	if ((json || output) && !trace && !is_program) {
		occ_message_error("explain: --%s needs a program or "
				  "--trace FILE",
				  json ? "json" : "output");
		return OCC_EXIT_USAGE;
	}
	if (occ_arguments_has(arguments, "options") &&
	    (!operand || is_program)) {
		occ_message_error("explain: --options needs a source file: "
				  "oclcache explain FILE.cl --options OPTIONS");
		return OCC_EXIT_USAGE;
	}
	if (trace)
		return occ_explain_program_trace(trace, arguments);
	if (operand && !is_program && !reason && !is_in_store(operand)) {
		occ_message_error(
			"explain: '%s' is neither a program in PATH, nor a "
			"file, nor the name of a reason, nor an entry's hash "
			"(at least 4 hex digits of it)",
			operand);
		return OCC_EXIT_FAILED;
	}
	if (is_program)
		return occ_interpreter_check("explain", operand)
			       ? occ_explain_program(arguments)
			       : OCC_FOLLOW_NOT_RUN;
	if (reasons)
		return list_reasons();
	if (reason && access(operand, F_OK))
		return explain_reason(reason);
	return explain_in_store(arguments);
}

static const struct occ_option options[] = {
	{"last", 0, NULL, "explain the last miss"},
	{"trace", 0, "FILE",
	 "explain the builds in a trace; -: standard input"},
	{"reasons", 0, NULL, "list all reasons by name"},
	{"options", 0, "OPTIONS", "the build options of FILE.cl"},
	{"json", 0, NULL, "with a program or a trace: print JSON"},
	{"output", 'o', "FILE", "with a program or a trace: write to FILE"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_explain = {
	.name = "explain",
	.summary = "say why builds weren't served from the cache",
	.operands = "PROGRAM ARGS|FILE.cl|HASH|REASON",
	.details =
		"With a program: runs it as 'oclcache run' does, and "
		"afterwards\n"
		"reports on standard error what happened to each build,\n"
		"grouped by reason, with what you can do about it. The "
		"program\n"
		"keeps its streams and its exit status. Options come before\n"
		"it. --json writes the report to standard output, after what\n"
		"the program has printed; --output FILE keeps the two apart.\n"
		"\n"
		"With --trace: reports the same from a file that 'oclcache\n"
		"run --trace FILE PROGRAM' has written.\n"
		"\n"
		"With a source file, a hash or --last: shows the most similar\n"
		"entry and how it differs. Programs that run with\n"
		"BinaryCacheTrace=1 leave an exact trace of each miss in the\n"
		"store; without one, entries are compared.\n"
		"\n"
		"With the name of a reason, such as uses-date: explains it.",
	.options = options,
	.ends_options = occ_explain_program_is,
	.run = run,
};
