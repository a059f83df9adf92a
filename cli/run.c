/* SPDX-License-Identifier: MIT */
#include "cli/command.h"
#include "cli/hit_rate.h"
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

/* What --require-hits needs. */
struct hits {
	bool known;
	struct occ_counters counters;
};

static void keep_counters(const struct occ_counters *counters, void *data)
{
	struct hits *hits = data;

	hits->known = counters;
	if (counters)
		hits->counters = *counters;
}

/* Of a program that failed nothing else is said. */
static int run_program(const struct occ_arguments *arguments,
		       unsigned required_rate)
{
	struct hits hits = {.known = false};
	const struct occ_program_run wanted = {
		.quiet = occ_arguments_has(arguments, "quiet"),
		.json_path = occ_arguments_value(arguments, "stats-json"),
		.needs_counters = required_rate,
		.ended = required_rate ? keep_counters : NULL,
		.data = &hits,
	};
	int status = occ_program_run(arguments->operands, &wanted);

	if (status == OCC_EXIT_OK &&
	    !occ_hit_rate_check(required_rate,
				hits.known ? &hits.counters : NULL))
		return OCC_EXIT_HITS;
	return status;
}

static int run(const struct occ_arguments *arguments)
{
	const char *rate = occ_arguments_value(arguments, "require-hits");
	unsigned required = 0;
	int status;

	if (!arguments->operand_count) {
		occ_message_error("run: which program? "
				  "oclcache run PROGRAM ARGS");
		return OCC_EXIT_USAGE;
	}
	if (rate && !occ_hit_rate_parse(rate, &required)) {
		occ_message_error("run: --require-hits=%s: a number from 0 to "
				  "100 is needed, such as 95 or 99.5",
				  rate);
		return OCC_EXIT_USAGE;
	}
	status = set_variables(arguments);
	return status == OCC_EXIT_OK ? run_program(arguments, required)
				     : status;
}

static const struct occ_option options[] = {
	{"quiet", 'q', NULL, "say nothing at the end"},
	{"stats-json", 0, "FILE", "write what was done to FILE, as JSON"},
	{"require", 0, NULL, "compile nothing: what isn't there fails"},
	{"require-hits", 0, "PERCENT",
	 "exit status 3 if fewer of the builds are hits"},
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
