/* SPDX-License-Identifier: MIT */
#include "cli/explain_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/explain_builds.h"
#include "cli/message.h"
#include "cli/program_path.h"
#include "cli/program_run.h"
#include "cli/scratch.h"
#include "cli/text.h"
#include "cli/trace_builds.h"

bool occ_explain_program_is(const char *operand)
{
	/* File systems without modes make every file executable. */
	static const char *const sources[] = {".cl", ".clcpp", ".h", ".spv",
					      ".cl_cache"};
	size_t digits = strspn(operand, "0123456789abcdef");
	char *path;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (occ_text_ends_with(operand, sources[i]))
			return false;
	if (!operand[digits] && digits >= 4 && access(operand, F_OK))
		return false;
	if (!strchr(operand, '/') && !access(operand, F_OK))
		return !access(operand, X_OK);
	path = occ_program_path_find(operand);
	free(path);
	return path != NULL;
}

/* What `ended` needs. */
struct explanation {
	char *scratch;
	char *trace;
	bool json;
};

/* Of a program that didn't build, occ_program_run() has said why. */
static void ended(const struct occ_counters *counters, void *data)
{
	const struct explanation *explanation = data;
	struct occ_trace_builds builds = {0};

	(void)counters;
	if (!occ_trace_builds_read(explanation->trace, &builds) &&
	    errno != ENOENT)
		occ_message_error("%s: %s", explanation->trace,
				  strerror(errno));
	/* Warnings of the layer would have been there. */
	if (builds.messages)
		fputs(builds.messages, stderr);
	if (explanation->json) {
		occ_explain_builds_write_json(stdout, &builds);
		fflush(stdout);
	} else if (builds.count) {
		fputs("oclcache: ", stderr);
		occ_explain_builds_show(stderr, &builds);
	}
	occ_trace_builds_release(&builds);
}

/* As if it hadn't been there. */
static void finish(struct explanation *explanation)
{
	free(explanation->trace);
	occ_scratch_remove(explanation->scratch);
	*explanation = (struct explanation){0};
}

static void ended_and_finished(const struct occ_counters *counters, void *data)
{
	ended(counters, data);
	finish(data);
}

int occ_explain_program(const struct occ_arguments *arguments)
{
	struct explanation explanation = {
		.scratch = occ_scratch_make(),
		.json = occ_arguments_has(arguments, "json"),
	};
	const struct occ_program_run wanted = {
		.needs_counters = true,
		.tells_builds = true,
		.ended = ended_and_finished,
		.data = &explanation,
	};
	int status;

	if (!explanation.scratch)
		return OCC_EXIT_FAILED;
	explanation.trace = occ_text("%s/trace", explanation.scratch);
	if (!occ_program_run_set_directory(arguments)) {
		finish(&explanation);
		return OCC_EXIT_FAILED;
	}
	occ_program_run_set_trace(explanation.trace);
	status = occ_program_run(arguments->operands, &wanted);
	/* If it wasn't started. */
	finish(&explanation);
	return status;
}

int occ_explain_program_trace(const char *path, bool json)
{
	struct occ_trace_builds builds;

	if (!occ_trace_builds_read(path, &builds)) {
		occ_message_error("explain: can't read %s: %s", path,
				  strerror(errno));
		return OCC_EXIT_FAILED;
	}
	if (json)
		occ_explain_builds_write_json(stdout, &builds);
	else if (builds.count)
		occ_explain_builds_show(stdout, &builds);
	else
		occ_message_note("%s contains no builds; 'oclcache run --trace "
				 "FILE PROGRAM' writes a trace",
				 path);
	occ_trace_builds_release(&builds);
	return OCC_EXIT_OK;
}
