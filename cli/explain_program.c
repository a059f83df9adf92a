/* SPDX-License-Identifier: MIT */
#include "cli/explain_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/explain_builds.h"
#include "cli/interpreter.h"
#include "cli/message.h"
#include "cli/program_path.h"
#include "cli/program_run.h"
#include "cli/scratch.h"
#include "cli/store_path.h"
#include "cli/target.h"
#include "cli/text.h"
#include "cli/trace_builds.h"

/* Does the store have such a hash? A file of that name comes first. */
static bool is_hash(const struct occ_arguments *arguments, const char *operand)
{
	size_t digits = strspn(operand, "0123456789abcdef");
	char *directory, *why;
	bool by_default, found;

	if (operand[digits] || digits < 4 || !access(operand, F_OK))
		return false;
	directory = occ_store_path_find(arguments, &by_default, &why);
	found = directory && occ_target_has(directory, operand);
	free(directory);
	free(why);
	return found;
}

bool occ_explain_program_is(const struct occ_arguments *arguments)
{
	/* File systems without modes make every file executable. */
	static const char *const sources[] = {".cl", ".clcpp", ".h", ".spv",
					      ".cl_cache"};
	const char *operand = arguments->operands[0];
	char *path;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (occ_text_ends_with(operand, sources[i]))
			return false;
	/* occ_interpreter_check() says how to start it. */
	if (occ_interpreter_runs(operand) ||
	    (occ_text_ends_with(operand, ".py") && !access(operand, F_OK)))
		return true;
	if (is_hash(arguments, operand))
		return false;
	if (!strchr(operand, '/') && !access(operand, F_OK))
		return !access(operand, X_OK);
	path = occ_program_path_find(operand);
	free(path);
	return path != NULL;
}

/* Where a report goes. */
struct output {
	const char *path; /* NULL: to the stream that is there */
	FILE *stream;
};

/* What `ended` needs. */
struct explanation {
	char *scratch;
	char *trace;
	bool json;
	struct output output;
};

/* Otherwise to `stream`. False after an error was shown. */
static bool open_output(const struct occ_arguments *arguments, FILE *stream,
			struct output *ret_output)
{
	const char *path = occ_arguments_value(arguments, "output");

	*ret_output = (struct output){NULL, stream};
	if (path && !strcmp(path, "-")) {
		ret_output->stream = stdout;
	} else if (path) {
		ret_output->path = path;
		ret_output->stream = fopen(path, "we");
	}
	if (!ret_output->stream)
		occ_message_error("explain: %s can't be written: %s", path,
				  strerror(errno));
	return ret_output->stream != NULL;
}

/* False after an error was shown. How standard output ends, main() says. */
static bool close_output(struct output *output)
{
	bool failed = output->path && ferror(output->stream);

	if (!output->path)
		fflush(output->stream);
	else if (fclose(output->stream) || failed)
		failed = true;
	if (failed)
		occ_message_error("explain: %s couldn't be written",
				  output->path);
	output->stream = NULL;
	return !failed;
}

/* Of a program that didn't build, occ_program_run() has said why. */
static void ended(const struct occ_counters *counters, void *data)
{
	struct explanation *explanation = data;
	FILE *stream = explanation->output.stream;
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
		occ_explain_builds_write_json(stream, &builds);
	} else if (builds.count) {
		if (stream == stderr)
			fputs("oclcache: ", stream);
		occ_explain_builds_show(stream, &builds);
	}
	occ_trace_builds_release(&builds);
}

/* As if it hadn't been there. */
static void finish(struct explanation *explanation)
{
	if (explanation->output.stream)
		close_output(&explanation->output);
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
	if (!open_output(arguments, explanation.json ? stdout : stderr,
			 &explanation.output) ||
	    !occ_program_run_set_directory(arguments)) {
		finish(&explanation);
		return OCC_EXIT_FAILED;
	}
	occ_program_run_set_trace(explanation.trace);
	status = occ_program_run(arguments->operands, &wanted);
	/* If it wasn't started. */
	finish(&explanation);
	return status;
}

int occ_explain_program_trace(const char *path,
			      const struct occ_arguments *arguments)
{
	bool is_standard = !strcmp(path, "-");
	struct occ_trace_builds builds;
	struct output output;
	int status = OCC_EXIT_FAILED;

	if (!occ_trace_builds_read(is_standard ? "/dev/stdin" : path,
				   &builds)) {
		occ_message_error("explain: can't read %s: %s", path,
				  strerror(errno));
		return status;
	}
	if (!builds.is_trace) {
		occ_message_error("explain: %s isn't a trace; 'oclcache run "
				  "--trace FILE PROGRAM' writes one",
				  path);
	} else if (open_output(arguments, stdout, &output)) {
		if (occ_arguments_has(arguments, "json"))
			occ_explain_builds_write_json(output.stream, &builds);
		else if (builds.count)
			occ_explain_builds_show(output.stream, &builds);
		else
			occ_message_note("%s contains no builds", path);
		if (close_output(&output))
			status = OCC_EXIT_OK;
	}
	occ_trace_builds_release(&builds);
	return status;
}
