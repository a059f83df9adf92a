/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/follow.h"
#include "cli/interpreter.h"
#include "cli/message.h"
#include "cli/program_run.h"
#include "cli/record_file.h"
#include "cli/record_store.h"
#include "cli/store_path.h"
#include "cli/text.h"

/* Where it was wanted, or named after the program, here. To be freed. */
static char *name_file(const struct occ_arguments *arguments)
{
	const char *wanted = occ_arguments_value(arguments, "output");
	char *here, *path;

	if (wanted && *wanted == '/')
		return occ_message_must(strdup(wanted));
	here = getcwd(NULL, 0);
	if (!here) {
		occ_message_error("the current directory no longer exists; use "
				  "an absolute path with -o");
		return NULL;
	}
	if (wanted)
		path = occ_text("%s/%s", here, wanted);
	else
		path = occ_text("%s/%s.ocldb", here,
				basename(arguments->operands[0]));
	free(here);
	return path;
}

struct recording {
	struct occ_record_file file;
	bool quiet;
};

static void ended(const struct occ_counters *counters, void *data)
{
	const struct recording *recording = data;

	if (!recording->quiet)
		occ_record_file_say(&recording->file, counters);
	occ_record_file_end(&recording->file);
}

static int record_program(const struct occ_arguments *arguments)
{
	struct recording recording = {
		.file.path = name_file(arguments),
		.quiet = occ_arguments_has(arguments, "quiet"),
	};
	struct occ_record_file *file = &recording.file;
	const struct occ_program_run wanted = {
		.quiet = recording.quiet,
		.json_path = occ_arguments_value(arguments, "stats-json"),
		.ended = ended,
		.data = &recording,
	};
	int status = OCC_EXIT_FAILED;

	if (file->path && occ_record_file_begin(file)) {
		occ_program_run_set("OCLCACHE_RECORD", file->path);
		if (occ_program_run_set_directory(arguments))
			status = occ_program_run(arguments->operands, &wanted);
		/* If it wasn't started. */
		occ_record_file_end(file);
	}
	free(file->path);
	return status;
}

static int run(const struct occ_arguments *arguments)
{
	const char *output = occ_arguments_value(arguments, "output");
	bool from_store = occ_arguments_has(arguments, "from-store");

	if (from_store && arguments->operand_count) {
		occ_message_error(
			"record: use either --from-store or a program");
		return OCC_EXIT_USAGE;
	}
	if (from_store)
		return occ_record_store(arguments,
					output ? output : "oclcache.ocldb");
	if (arguments->operand_count)
		return occ_interpreter_check("record", arguments->operands[0])
			       ? record_program(arguments)
			       : OCC_FOLLOW_NOT_RUN;
	occ_message_error(
		"record: name a program: oclcache record -o FILE PROGRAM ARGS");
	return OCC_EXIT_USAGE;
}

static const struct occ_option options[] = {
	{"output", 'o', "FILE", "add to FILE (default: PROGRAM.ocldb)"},
	{"from-store", 0, NULL,
	 "record what the store's entries were built from"},
	{"quiet", 'q', NULL, "print no summary"},
	{"stats-json", 0, "FILE", "write the run's statistics to FILE as JSON"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_record = {
	.name = "record",
	.summary = "run a program and record what it builds, for 'replay'",
	.operands = "[--] PROGRAM ARGS",
	.details =
		"Runs the program as 'oclcache run' does, and adds everything\n"
		"that it builds, whether served or compiled, to a database:\n"
		"sources, options, included files and whatever else 'oclcache\n"
		"replay' needs to compile it again for another version of the\n"
		"driver or on another machine. If FILE exists, new builds are\n"
		"added to it. A line on standard error sums up what the\n"
		"database contains.\n"
		"\n"
		"With --from-store, no program runs: the database is made "
		"from\n"
		"the entries in the store, as far as they say what they were\n"
		"built from. FILE is then oclcache.ocldb by default.\n"
		"\n"
		"To record a program that you don't start here, set\n"
		"OCLCACHE_RECORD=FILE in its environment; see\n"
		"oclcache-layer(7).",
	.options = options,
	.options_first = true,
	.run = run,
};
