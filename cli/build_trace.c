/* SPDX-License-Identifier: MIT */
#include "cli/build_trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/text.h"
#include "cli/trace_line.h"

static void replace(char **place, const char *text)
{
	free(*place);
	*place = text ? occ_message_must(strdup(text)) : NULL;
}

static void add_served(struct occ_build_trace *trace)
{
	char *all = trace->served && trace->hash
			    ? occ_text("%s %s", trace->served, trace->hash)
			    : NULL;

	replace(&trace->served, all ? all : trace->hash);
	free(all);
}

/* False: it is no message of that kind. */
static bool take_message(struct occ_build_trace *trace, const char *line,
			 const char *kind)
{
	size_t length = strlen(kind);

	if (strncmp(line, kind, length) != 0)
		return false;
	free(trace->reason);
	trace->reason = occ_message_must(
		strndup(line + length, strcspn(line + length, "\n")));
	return true;
}

static void take_line(struct occ_build_trace *trace, const char *line)
{
	static const struct {
		const char *word;
		enum occ_probe_result result;
	} results[] = {{"hit", OCC_PROBE_HIT},
		       {"miss", OCC_PROBE_MISS},
		       {"uncacheable", OCC_PROBE_UNCACHEABLE}};
	bool is_store = occ_trace_line_is(line, "store");
	char *word;

	if (take_message(trace, line, "oclcache: program not cached: ")) {
		trace->result = OCC_PROBE_UNCACHEABLE;
		replace(&trace->refusal, trace->reason);
		return;
	}
	if (take_message(trace, line, "oclcache: entry not stored in ")) {
		replace(&trace->unstored, trace->reason);
		return;
	}
	if (!is_store && !occ_trace_line_is(line, "lookup"))
		return;
	word = occ_trace_line_value(line, "result");
	/* Why a miss isn't there next time, either. */
	if (!is_store || (word && !strcmp(word, "not stored"))) {
		free(trace->reason);
		trace->reason = occ_trace_line_value(line, "reason");
	}
	if (!is_store) {
		trace->result = OCC_PROBE_NONE;
		for (size_t i = 0;
		     word && i < sizeof(results) / sizeof(*results); i++)
			if (!strcmp(word, results[i].word))
				trace->result = results[i].result;
		free(trace->hash);
		trace->hash = occ_trace_line_value(line, "hash");
		if (trace->result == OCC_PROBE_HIT)
			add_served(trace);
		if (trace->result == OCC_PROBE_UNCACHEABLE)
			replace(&trace->refusal, trace->reason);
	}
	free(word);
}

void occ_build_trace_read(struct occ_build_trace *trace, const char *path,
			  uint64_t *offset)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!file)
		return;
	if (!fseeko(file, (off_t)*offset, SEEK_SET))
		while ((length = getline(&line, &size, file)) > 0 &&
		       line[length - 1] == '\n') {
			take_line(trace, line);
			*offset += (uint64_t)length;
		}
	free(line);
	fclose(file);
}

void occ_build_trace_release(struct occ_build_trace *trace)
{
	free(trace->reason);
	free(trace->hash);
	free(trace->refusal);
	free(trace->unstored);
	free(trace->served);
	*trace = (struct occ_build_trace){.reason = NULL};
}
