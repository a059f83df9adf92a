/* SPDX-License-Identifier: MIT */
#include "cli/trace_builds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/trace_line.h"
#include "hash/reason.h"

/* So far back what belongs to a line is looked for: traces have no end. */
#define LOOK_BACK 10000

/* How each line of a trace begins. */
#define EVENT	  "{\"oclcache\":"

/* What is known of a trace while it is read. */
struct reading {
	struct occ_trace_builds *builds;
	size_t capacity;
	FILE *messages;
};

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static char *or_empty(char *text)
{
	return text ? text : occ_message_must(strdup(""));
}

/* The value, which becomes NULL there. */
static char *take(char **value)
{
	char *taken = *value;

	*value = NULL;
	return taken;
}

static void replace(char **place, char *text)
{
	free(*place);
	*place = text;
}

static void release_build(struct occ_trace_build *build)
{
	free(build->reason);
	free(build->program);
	free(build->device);
	free(build->nearest);
	free(build->differs);
	free(build->process);
	free(build->begin);
	free(build->hash);
}

/* The first build that is looked at. */
static size_t first_of(const struct occ_trace_builds *builds)
{
	return builds->count > LOOK_BACK ? builds->count - LOOK_BACK : 0;
}

/* Lines of one build come near each other: it is looked for from the end. */
static struct occ_trace_build *find_build(const struct reading *reading,
					  const char *process,
					  const char *begin)
{
	size_t first = first_of(reading->builds);

	for (size_t i = reading->builds->count; i-- > first;) {
		struct occ_trace_build *build = &reading->builds->list[i];

		if (same(build->begin, begin) && same(build->process, process))
			return build;
	}
	return NULL;
}

static struct occ_trace_build *add_build(struct reading *reading)
{
	struct occ_trace_builds *builds = reading->builds;

	if (builds->count == reading->capacity) {
		reading->capacity = 2 * reading->capacity + 16;
		builds->list = occ_message_must(
			reallocarray(builds->list, reading->capacity,
				     sizeof(*builds->list)));
	}
	builds->list[builds->count] = (struct occ_trace_build){0};
	return &builds->list[builds->count++];
}

/*
 * A hit has a line for each device; a miss may become a hit when another thread
 * has made the same meanwhile. The last line counts.
 */
static void take_lookup(struct reading *reading, const char *line)
{
	static const struct {
		const char *word;
		enum occ_trace_outcome outcome;
	} results[] = {{"hit", OCC_TRACE_SERVED},
		       {"miss", OCC_TRACE_UNFINISHED},
		       {"uncacheable", OCC_TRACE_UNCACHEABLE}};
	char *process = occ_trace_line_number(line, "pid");
	char *begin = occ_trace_line_value(line, "build");
	char *result = occ_trace_line_value(line, "result");
	struct occ_trace_build *build = NULL;
	size_t i = 0, count = sizeof(results) / sizeof(*results);

	while (i < count && !same(result, results[i].word))
		i++;
	if (i < count) {
		build = find_build(reading, process, begin);
		if (!build)
			build = add_build(reading);
		build->outcome = results[i].outcome;
		replace(&build->process, take(&process));
		replace(&build->begin, take(&begin));
		replace(&build->hash, occ_trace_line_value(line, "hash"));
		replace(&build->reason,
			or_empty(occ_trace_line_text(line, "reason")));
		replace(&build->program,
			or_empty(occ_trace_line_text(line, "program")));
		replace(&build->device,
			or_empty(occ_trace_line_text(line, "device")));
		replace(&build->nearest, occ_trace_line_value(line, "nearest"));
		replace(&build->differs, occ_trace_line_text(line, "differs"));
	}
	free(process);
	free(begin);
	free(result);
}

/*
 * The miss that a line of "store" is about: the last one by its hash, or the
 * first whose key wasn't known when it was looked up.
 */
static struct occ_trace_build *find_miss(const struct reading *reading,
					 const char *process, const char *hash)
{
	struct occ_trace_build *list = reading->builds->list;
	size_t count = reading->builds->count;
	size_t first = first_of(reading->builds);

	for (size_t i = count; i-- > first;)
		if (list[i].outcome != OCC_TRACE_SERVED &&
		    list[i].outcome != OCC_TRACE_UNCACHEABLE &&
		    same(list[i].hash, hash) && same(list[i].process, process))
			return &list[i];
	for (size_t i = first; i < count; i++)
		if (list[i].outcome == OCC_TRACE_UNFINISHED && list[i].hash &&
		    !*list[i].hash && same(list[i].process, process))
			return &list[i];
	return NULL;
}

static void take_store(struct reading *reading, const char *line)
{
	char *process = occ_trace_line_number(line, "pid");
	char *hash = occ_trace_line_value(line, "hash");
	char *result = occ_trace_line_value(line, "result");
	char *reason = occ_trace_line_text(line, "reason");
	struct occ_trace_build *build = find_miss(reading, process, hash);

	if (build) {
		replace(&build->hash, take(&hash));
		/* Somebody else was quicker, and it is there all the same. */
		if (same(result, "stored") ||
		    same(reason, occ_reason_text(OCC_REASON_EXISTS))) {
			build->outcome = OCC_TRACE_STORED;
		} else if (build->outcome != OCC_TRACE_STORED) {
			build->outcome = OCC_TRACE_NOT_STORED;
			replace(&build->reason, or_empty(take(&reason)));
		}
	}
	free(process);
	free(hash);
	free(result);
	free(reason);
}

static void take_line(struct reading *reading, const char *line)
{
	/* Any event of any version. */
	reading->builds->is_trace |= !strncmp(line, EVENT, strlen(EVENT));
	if (occ_trace_line_is(line, "lookup"))
		take_lookup(reading, line);
	else if (occ_trace_line_is(line, "store"))
		take_store(reading, line);
	else if (*line != '{')
		fputs(line, reading->messages);
}

bool occ_trace_builds_read(const char *path,
			   struct occ_trace_builds *ret_builds)
{
	struct occ_trace_builds builds = {0};
	struct reading reading = {.builds = &builds};
	FILE *file = fopen(path, "re");
	size_t size = 0, messages = 0;
	char *line = NULL;
	bool is_empty = true, failed;

	if (!file)
		return false;
	reading.messages =
		occ_message_must(open_memstream(&builds.messages, &messages));
	errno = 0;
	while (getline(&line, &size, file) > 0) {
		is_empty = false;
		take_line(&reading, line);
	}
	builds.is_trace |= is_empty;
	failed = ferror(file);
	free(line);
	if (fclose(reading.messages))
		occ_message_no_memory();
	if (failed) {
		int error = errno;

		occ_trace_builds_release(&builds);
		fclose(file);
		errno = error;
		return false;
	}
	fclose(file);
	*ret_builds = builds;
	return true;
}

void occ_trace_builds_release(struct occ_trace_builds *builds)
{
	for (size_t i = 0; i < builds->count; i++)
		release_build(&builds->list[i]);
	free(builds->list);
	free(builds->messages);
	*builds = (struct occ_trace_builds){0};
}
