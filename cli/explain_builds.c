/* SPDX-License-Identifier: MIT */
#include "cli/explain_builds.h"

#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/message.h"
#include "cli/reason_words.h"
#include "cli/screen.h"
#include "hash/difference.h"

/* Builds of a group that are named. */
#define SHOWN_MAX  5

/* Digits of an entry's hash: as many as 'oclcache list' shows. */
#define HASH_SHOWN 8

/* What is said of an outcome: of all its builds, and of a group. */
static const struct {
	const char *name;    /* in JSON */
	const char *summary; /* "2 ..." */
	const char *title;   /* "2 ...: REASON" */
} outcomes[] = {
	[OCC_TRACE_SERVED] = {"served", "served", "served"},
	[OCC_TRACE_STORED] = {"stored",
			      "compiled and now stored (will be served next "
			      "time)",
			      "compiled and now stored"},
	[OCC_TRACE_NOT_STORED] = {"not_stored", "compiled but not stored",
				  "compiled but not stored"},
	[OCC_TRACE_UNFINISHED] = {"unfinished",
				  "compiled but lost when the program ended",
				  "compiled but lost when the program ended"},
	[OCC_TRACE_UNCACHEABLE] = {"not_cacheable", "not cacheable",
				   "not cacheable"},
};

/* In the place of a reason's words: that of the miss isn't what matters. */
static const struct occ_reason_words unfinished = {
	"The program was killed, ended by _exit(), or kept its OpenCL programs "
	"until the end, when the driver can't be asked any more.",
	"Let the program release its OpenCL objects and return from main().",
};

/* Builds with one outcome, for one reason. */
struct group {
	enum occ_trace_outcome outcome;
	const char *text; /* of the reason; borrowed */
	size_t count;
};

struct groups {
	struct group *list;
	size_t count;
	size_t totals[OCC_TRACE_OUTCOMES];
};

static bool has(const struct group *group, const struct occ_trace_build *build)
{
	/* Where a hit came from is no reason. */
	return build->outcome == group->outcome &&
	       (group->outcome == OCC_TRACE_SERVED ||
		!strcmp(build->reason, group->text));
}

static void add(struct groups *groups, const struct occ_trace_build *build)
{
	size_t i = 0;

	groups->totals[build->outcome]++;
	while (i < groups->count && !has(&groups->list[i], build))
		i++;
	if (i == groups->count) {
		groups->list = occ_message_must(
			reallocarray(groups->list, groups->count + 1,
				     sizeof(*groups->list)));
		groups->list[groups->count++] =
			(struct group){.outcome = build->outcome,
				       .text = build->reason};
	}
	groups->list[i].count++;
}

/* By outcome; the most frequent reason first. */
static int compare(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->outcome != b->outcome)
		return a->outcome < b->outcome ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->text, b->text);
}

static struct groups make_groups(const struct occ_trace_builds *builds)
{
	struct groups groups = {0};

	for (size_t i = 0; i < builds->count; i++)
		add(&groups, &builds->list[i]);
	if (groups.count)
		qsort(groups.list, groups.count, sizeof(*groups.list), compare);
	return groups;
}

static void show_string(FILE *stream, const char *text)
{
	occ_screen_write(stream, text, strlen(text), true);
}

static void show_summary(FILE *stream, const struct groups *groups,
			 size_t count)
{
	const char *before = ": ";

	fprintf(stream, "%zu %s", count, count == 1 ? "build" : "builds");
	for (size_t i = 0; i < OCC_TRACE_OUTCOMES; i++) {
		if (!groups->totals[i])
			continue;
		fprintf(stream, "%s%zu %s", before, groups->totals[i],
			outcomes[i].summary);
		before = ", ";
	}
	putc('\n', stream);
}

static void show_build(FILE *stream, const struct occ_trace_build *build)
{
	fputs("    ", stream);
	show_string(stream, *build->program ? build->program
					    : "(no source: a link, or "
					      "binaries)");
	putc('\n', stream);
	/* A comparison with another program's entry would explain nothing. */
	if (!build->differs || strstr(build->differs, OCC_DIFFERENCE_MOSTLY))
		return;
	fputs("      compared with ", stream);
	if (build->nearest)
		occ_screen_write(stream, build->nearest,
				 strnlen(build->nearest, HASH_SHOWN), true);
	fputs(build->nearest ? ", the nearest entry: " : "the nearest entry: ",
	      stream);
	show_string(stream, build->differs);
	putc('\n', stream);
}

static void show_builds(FILE *stream, const struct group *group,
			const struct occ_trace_builds *builds)
{
	size_t shown = 0;

	for (size_t i = 0; i < builds->count && shown < SHOWN_MAX; i++) {
		if (!has(group, &builds->list[i]))
			continue;
		show_build(stream, &builds->list[i]);
		shown++;
	}
	if (group->count > shown)
		fprintf(stream, "    and %zu more\n", group->count - shown);
}

static void show_words(FILE *stream, const struct occ_reason_words *words)
{
	fprintf(stream, "  %s\n  %s\n", words->meaning, words->remedy);
}

void occ_explain_builds_show_reason(FILE *stream, enum occ_reason reason)
{
	char *place = occ_reason_words_place(reason);

	show_words(stream, occ_reason_words(reason));
	if (place)
		fprintf(stream, "  See %s\n", place);
	free(place);
}

static void show_group(FILE *stream, const struct group *group,
		       const struct occ_trace_builds *builds)
{
	enum occ_reason reason = occ_reason_of_text(group->text);

	fprintf(stream, "\n%zu %s: ", group->count,
		outcomes[group->outcome].title);
	show_string(stream, reason ? occ_reason_name(reason) : group->text);
	putc('\n', stream);
	if (group->outcome == OCC_TRACE_UNFINISHED)
		show_words(stream, &unfinished);
	else if (reason)
		occ_explain_builds_show_reason(stream, reason);
	show_builds(stream, group, builds);
}

void occ_explain_builds_show(FILE *stream,
			     const struct occ_trace_builds *builds)
{
	struct groups groups = make_groups(builds);

	show_summary(stream, &groups, builds->count);
	for (size_t i = 0; i < groups.count; i++)
		if (groups.list[i].outcome != OCC_TRACE_SERVED)
			show_group(stream, &groups.list[i], builds);
	free(groups.list);
}

static void write_reason(struct occ_json *json, const struct group *group)
{
	enum occ_reason reason = occ_reason_of_text(group->text);
	const struct occ_reason_words *words;
	char *place;

	occ_json_string(json, "text", group->text);
	if (!reason)
		return;
	words = group->outcome == OCC_TRACE_UNFINISHED
			? &unfinished
			: occ_reason_words(reason);
	place = occ_reason_words_place(reason);
	occ_json_string(json, "reason", occ_reason_name(reason));
	occ_json_string(json, "meaning", words->meaning);
	occ_json_string(json, "remedy", words->remedy);
	if (place)
		occ_json_string(json, "documentation", place);
	free(place);
}

static void write_build(struct occ_json *json,
			const struct occ_trace_build *build)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "program", build->program);
	occ_json_string(json, "device", build->device);
	if (build->outcome == OCC_TRACE_SERVED)
		occ_json_string(json, "from", build->reason);
	if (build->hash && *build->hash)
		occ_json_string(json, "hash", build->hash);
	if (build->differs)
		occ_json_string(json, "differs", build->differs);
	occ_json_end(json, '}');
}

static void write_group(struct occ_json *json, const struct group *group,
			const struct occ_trace_builds *builds)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "outcome", outcomes[group->outcome].name);
	if (group->outcome != OCC_TRACE_SERVED)
		write_reason(json, group);
	occ_json_number(json, "count", group->count);
	occ_json_begin(json, "builds", '[');
	for (size_t i = 0; i < builds->count; i++)
		if (has(group, &builds->list[i]))
			write_build(json, &builds->list[i]);
	occ_json_end(json, ']');
	occ_json_end(json, '}');
}

void occ_explain_builds_write_json(FILE *stream,
				   const struct occ_trace_builds *builds)
{
	struct groups groups = make_groups(builds);
	struct occ_json json = OCC_JSON_INIT(stream);

	occ_json_begin(&json, NULL, '{');
	occ_json_number(&json, "builds", builds->count);
	for (size_t i = 0; i < OCC_TRACE_OUTCOMES; i++)
		occ_json_number(&json, outcomes[i].name, groups.totals[i]);
	occ_json_begin(&json, "groups", '[');
	for (size_t i = 0; i < groups.count; i++)
		write_group(&json, &groups.list[i], builds);
	occ_json_end(&json, ']');
	occ_json_end(&json, '}');
	free(groups.list);
}
