/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of `oclcache`, one file each: cli/NAME.c defines
 * occ_command_NAME, and cli/main.c lists it.
 *
 * A command writes its results to standard output and everything else to
 * standard error. What it returns is the exit status: OCC_EXIT_OK;
 * OCC_EXIT_FAILED when it couldn't do what was asked, or what it looked for is
 * bad; OCC_EXIT_USAGE when it wasn't understood; OCC_EXIT_HITS when a program
 * succeeded, and too few of its builds were hits (run --require-hits).
 */
#ifndef OCC_CLI_COMMAND_H
#define OCC_CLI_COMMAND_H

#include "cli/arguments.h"

enum occ_exit {
	OCC_EXIT_OK = 0,
	OCC_EXIT_FAILED = 1,
	OCC_EXIT_USAGE = 2,
	OCC_EXIT_HITS = 3,
};

struct occ_command {
	const char *name;
	const char *summary;  /* one line, for `oclcache help` */
	const char *operands; /* as usage shows them: "[--] PROGRAM ARGS" */
	const char *details;  /* paragraphs for --help, below the summary */
	/* Ends with one without a name. --help is everybody's. */
	const struct occ_option *options;
	/* The first operand ends the options: what follows is another's. */
	bool options_first;
	/* The same where this says so of what came up to it; or NULL. */
	bool (*ends_options)(const struct occ_arguments *arguments);
	int (*run)(const struct occ_arguments *arguments);
};

extern const struct occ_command occ_command_run;
extern const struct occ_command occ_command_record;
extern const struct occ_command occ_command_stats;
extern const struct occ_command occ_command_report;
extern const struct occ_command occ_command_list;
extern const struct occ_command occ_command_inspect;
extern const struct occ_command occ_command_explain;
extern const struct occ_command occ_command_diff;
extern const struct occ_command occ_command_verify;
extern const struct occ_command occ_command_clear;
extern const struct occ_command occ_command_evict;
extern const struct occ_command occ_command_export;
extern const struct occ_command occ_command_import;
extern const struct occ_command occ_command_push;
extern const struct occ_command occ_command_pull;
extern const struct occ_command occ_command_replay;
extern const struct occ_command occ_command_prewarm;
extern const struct occ_command occ_command_upgrade;
extern const struct occ_command occ_command_database;
extern const struct occ_command occ_command_doctor;
extern const struct occ_command occ_command_key;
extern const struct occ_command occ_command_config;
extern const struct occ_command occ_command_enable;
extern const struct occ_command occ_command_disable;

/* All of them, NULL at the end, in the order of `oclcache help`. */
extern const struct occ_command *const occ_commands[];

#endif
