/* SPDX-License-Identifier: MIT */
#include "cli/command.h"
#include "cli/message.h"
#include "cli/program_run.h"
#include "cli/store_path.h"

/* The options that are variables. OCC_EXIT_OK or why not. */
static int set_variables(const struct occ_arguments *arguments)
{
	bool require = occ_arguments_has(arguments, "require");
	bool recache = occ_arguments_has(arguments, "recache");

	if (require && recache) {
		occ_message_error("run: --require compiles nothing and "
				  "--recache everything: give one of them");
		return OCC_EXIT_USAGE;
	}
	if (require || recache)
		occ_program_run_set("OCLCACHE_MODE",
				    require ? "require" : "recache");
	return occ_program_run_set_directory(arguments) ? OCC_EXIT_OK
							: OCC_EXIT_FAILED;
}

static int run(const struct occ_arguments *arguments)
{
	const struct occ_program_run wanted = {
		.quiet = occ_arguments_has(arguments, "quiet"),
		.json_path = occ_arguments_value(arguments, "stats-json"),
	};
	int status;

	if (!arguments->operand_count) {
		occ_message_error("run: which program? "
				  "oclcache run PROGRAM ARGS");
		return OCC_EXIT_USAGE;
	}
	status = set_variables(arguments);
	return status == OCC_EXIT_OK
		       ? occ_program_run(arguments->operands, &wanted)
		       : status;
}

static const struct occ_option options[] = {
	{"quiet", 'q', NULL, "say nothing at the end"},
	{"stats-json", 0, "FILE", "write what was done to FILE, as JSON"},
	{"require", 0, NULL, "compile nothing: what isn't there fails"},
	{"recache", 0, NULL, "compile everything, and store it anew"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_run = {
	.name = "run",
	.summary = "run a program under the layer, and say what it saved",
	.operands = "[--] PROGRAM ARGS",
	.details =
		"The program, and all that it starts, gets the layer by the\n"
		"variable OPENCL_LAYERS, before any others there. A line on\n"
		"standard error says at the end what was built. Everything\n"
		"else is the program's: its streams, signals and exit status\n"
		"(127: there is no such program; 126: it can't be run).\n"
		"\n"
		"If entries of NVIDIA's driver wait for it then, 'oclcache\n"
		"upgrade' goes on in the background, for ten minutes at most,\n"
		"but for OCLCACHE_UPGRADE=0. There, too, what must be known "
		"of\n"
		"a driver that oclcache has no record of is learnt, once.",
	.options = options,
	.options_first = true,
	.run = run,
};
