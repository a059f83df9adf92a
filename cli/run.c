/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/follow.h"
#include "cli/hit_rate.h"
#include "cli/interpreter.h"
#include "cli/message.h"
#include "cli/program_path.h"
#include "cli/program_run.h"
#include "cli/store_path.h"

/* The options that are variables. OCC_EXIT_OK or why not. */
static int set_variables(const struct occ_arguments *arguments)
{
	bool require = occ_arguments_has(arguments, "require");
	bool recache = occ_arguments_has(arguments, "recache");

	if (require && recache) {
		occ_message_error(
			"run: --require and --recache can't be used together");
		return OCC_EXIT_USAGE;
	}
	if (require || recache)
		occ_program_run_set("OCLCACHE_MODE",
				    require ? "require" : "recache");
	return occ_program_run_set_directory(arguments) ? OCC_EXIT_OK
							: OCC_EXIT_FAILED;
}

/* What --require-hits and --trace need. */
struct ending {
	const char *trace; /* NULL: none, or nothing is to be said of it */
	bool known;
	struct occ_counters counters;
};

/* Of a program that built nothing there is nothing to be looked up. */
static void note_trace(const char *path, const struct occ_counters *counters)
{
	struct stat status;

	if (counters && !occ_counters_builds(counters))
		return;
	if (stat(path, &status) || !status.st_size)
		occ_message_warning("%s is empty: the trace couldn't be "
				    "written; is the disk full?",
				    path);
	else
		occ_message_note("for what became of each build, see "
				 "'oclcache explain --trace %s'",
				 path);
}

static void ended(const struct occ_counters *counters, void *data)
{
	struct ending *ending = data;

	ending->known = counters;
	if (counters)
		ending->counters = *counters;
	if (ending->trace)
		note_trace(ending->trace, counters);
}

/* Of a program that isn't there no trace is begun: it loses nobody's file. */
static bool is_there(const char *program)
{
	char *found = occ_program_path_find(program);
	bool is = found || !access(program, F_OK);

	free(found);
	return is;
}

/* The error, or 0. Processes open it by its name: no pipe would do. */
static int make_trace_file(const char *path, bool anew)
{
	struct stat status;
	int file, error = 0;

	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
	file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
	if (file < 0 || (anew && ftruncate(file, 0)))
		error = errno;
	if (file >= 0)
		close(file);
	return error;
}

/* Of --trace, or NULL. False after an error was shown. */
static bool begin_trace(const char *path, const char *program)
{
	char *whole = NULL;
	int error;

	if (!path)
		return true;
	error = strcmp(path, "-") != 0
			? make_trace_file(path, is_there(program))
			: EINVAL;
	if (!error && !(whole = realpath(path, NULL)))
		error = errno;
	if (!error)
		occ_program_run_set_trace(whole);
	else
		occ_message_error("run: --trace=%s can't be written: %s", path,
				  error == EINVAL ? "it isn't a regular file"
						  : strerror(error));
	free(whole);
	return !error;
}

/* Of a program that failed nothing else is said. */
static int run_program(const struct occ_arguments *arguments,
		       unsigned required_rate)
{
	bool quiet = occ_arguments_has(arguments, "quiet");
	const char *trace = occ_arguments_value(arguments, "trace");
	struct ending ending = {.trace = quiet ? NULL : trace};
	const struct occ_program_run wanted = {
		.quiet = quiet,
		.json_path = occ_arguments_value(arguments, "stats-json"),
		.needs_counters = required_rate,
		.ended = required_rate || ending.trace ? ended : NULL,
		.data = &ending,
	};
	int status = OCC_EXIT_FAILED;

	if (!begin_trace(trace, arguments->operands[0]))
		return status;
	status = occ_program_run(arguments->operands, &wanted);
	if (status == OCC_EXIT_OK &&
	    !occ_hit_rate_check(required_rate,
				ending.known ? &ending.counters : NULL))
		return OCC_EXIT_HITS;
	return status;
}

static int run(const struct occ_arguments *arguments)
{
	const char *rate = occ_arguments_value(arguments, "require-hits");
	unsigned required = 0;
	int status;

	if (!arguments->operand_count) {
		occ_message_error(
			"run: name a program: oclcache run PROGRAM ARGS");
		return OCC_EXIT_USAGE;
	}
	if (rate && !occ_hit_rate_parse(rate, &required)) {
		occ_message_error("run: --require-hits=%s: use a number from 0 "
				  "to 100, such as 95 or 99.5",
				  rate);
		return OCC_EXIT_USAGE;
	}
	if (!occ_interpreter_check("run", arguments->operands[0]))
		return OCC_FOLLOW_NOT_RUN;
	status = set_variables(arguments);
	return status == OCC_EXIT_OK ? run_program(arguments, required)
				     : status;
}

static const struct occ_option options[] = {
	{"quiet", 'q', NULL, "print no summary"},
	{"stats-json", 0, "FILE",
	 "write statistics to FILE, as JSON; -: standard output"},
	{"trace", 0, "FILE",
	 "write a trace to FILE, for 'oclcache explain --trace'"},
	{"require", 0, NULL,
	 "compile nothing; builds that are not stored fail"},
	{"require-hits", 0, "PERCENT",
	 "exit with status 3 if fewer of the builds are hits"},
	{"recache", 0, NULL, "compile and store everything again"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_run = {
	.name = "run",
	.summary = "run a program with the cache, and show what that saved",
	.operands = "[--] PROGRAM ARGS",
	.details =
		"Sets OPENCL_LAYERS for the program and everything that it\n"
		"starts, with oclcache's layer in front of any others. When\n"
		"the program ends, a line on standard error sums up what was\n"
		"built. Streams, signals and the exit status are those of the\n"
		"program (127: no such program; 126: it can't be run).\n"
		"\n"
		"Afterwards, if entries for NVIDIA's driver still lack device\n"
		"code, 'oclcache upgrade' runs in the background for at most\n"
		"ten minutes, unless OCLCACHE_UPGRADE=0. If oclcache has no\n"
		"record of a driver, it also examines that driver in the\n"
		"background, once.",
	.options = options,
	.options_first = true,
	.run = run,
};
