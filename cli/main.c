/* SPDX-License-Identifier: MIT */
/*
 * oclcache: the command. Finds the subcommand and gives it its line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/version.h"
#include "cli/command.h"
#include "cli/habit.h"
#include "cli/message.h"
#include "cli/suggestion.h"
#include "cli/text.h"
#include "cli/worker.h"

const struct occ_command *const occ_commands[] = {
	&occ_command_run,
	&occ_command_record,
	&occ_command_stats,
	&occ_command_report,
	&occ_command_list,
	&occ_command_inspect,
	&occ_command_explain,
	&occ_command_diff,
	&occ_command_verify,
	&occ_command_clear,
	&occ_command_evict,
	&occ_command_export,
	&occ_command_import,
	&occ_command_push,
	&occ_command_pull,
	&occ_command_replay,
	&occ_command_prewarm,
	&occ_command_database,
	&occ_command_upgrade,
	&occ_command_key,
	&occ_command_doctor,
	&occ_command_config,
	&occ_command_enable,
	&occ_command_disable,
	NULL,
};

static const char tagline[] = "oclcache: a compiler cache for OpenCL";

/* Column of the summaries in the list of commands. */
#define SUMMARY_COLUMN 12

static void print_help(void)
{
	printf("%s\n\nusage: oclcache COMMAND [OPTIONS] ...\n\ncommands:\n",
	       tagline);
	for (size_t i = 0; occ_commands[i]; i++)
		printf("  %-*s%s\n", SUMMARY_COLUMN, occ_commands[i]->name,
		       occ_commands[i]->summary);
	printf("  %-*s%s\n", SUMMARY_COLUMN, "help",
	       "show this list, or the help for a command");
	puts("\n"
	     "To get started: oclcache run PROGRAM");
}

static const struct occ_command *find_command(const char *name)
{
	for (size_t i = 0; occ_commands[i]; i++)
		if (!strcmp(occ_commands[i]->name, name))
			return occ_commands[i];
	return NULL;
}

/* The command that somebody probably means; --stats is meant for one, too. */
static const char *nearest(const char *name)
{
	const char *word = name + strspn(name, "-");
	struct occ_suggestion suggestion;

	occ_suggestion_begin(&suggestion, word);
	for (size_t i = 0; occ_commands[i]; i++)
		occ_suggestion_try(&suggestion, occ_commands[i]->name);
	occ_suggestion_try(&suggestion, "help");
	if (word != name)
		occ_suggestion_try(&suggestion, "version");
	return suggestion.best;
}

static int complain(const char *name)
{
	const char *habit = occ_habit_advice(NULL, name);
	const char *meant = nearest(name);
	char question[OCC_SUGGESTION_QUESTION];
	char *problem =
		*name == '-'
			? occ_text("there is no option %s before the command",
				   name)
			: occ_text("there is no command '%s'", name);

	if (habit)
		occ_message_error("%s; %s", problem, habit);
	else if (meant)
		occ_message_error("%s%s", problem,
				  occ_suggestion_question(
					  !strcmp(meant, "version") ? "--" : "",
					  meant, question));
	else
		occ_message_error("%s; see 'oclcache help'", problem);
	free(problem);
	return OCC_EXIT_USAGE;
}

static int run_command(const char *name, int argc, char **argv)
{
	const struct occ_command *command = find_command(name);
	struct occ_arguments arguments;
	int status = OCC_EXIT_OK;

	if (!command)
		return complain(name);
	if (!occ_arguments_parse(command, argc, argv, &arguments))
		return OCC_EXIT_USAGE;
	if (occ_arguments_has(&arguments, "help"))
		occ_arguments_help(command);
	else
		status = command->run(&arguments);
	occ_arguments_release(&arguments);
	return status;
}

static int help(int argc, char **argv)
{
	const struct occ_command *command;

	if (argc < 2 || *argv[1] == '-' || !strcmp(argv[1], "help")) {
		print_help();
		return OCC_EXIT_OK;
	}
	command = find_command(argv[1]);
	if (!command)
		return complain(argv[1]);
	occ_arguments_help(command);
	return OCC_EXIT_OK;
}

/* What was to be shown and couldn't be written isn't lost in silence. */
static int finish(int status)
{
	int failed = ferror(stdout);

	if (!fclose(stdout) && !failed)
		return status;
	occ_message_error("not all of the output could be written");
	return status == OCC_EXIT_OK ? OCC_EXIT_FAILED : status;
}

/*
 * Of a standard stream that is closed no file takes the number. It can't be
 * written, so that what was to be shown isn't lost in silence, and is closed
 * again in programs that are started.
 */
static void keep_streams(void)
{
	int file;

	do {
		file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} while (file >= 0 && file <= STDERR_FILENO);
	if (file >= 0)
		close(file);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], OCC_WORKER_WORD))
		return occ_worker_main(argc, argv);
	keep_streams();
	if (argc < 2) {
		print_help();
		return finish(OCC_EXIT_USAGE);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("oclcache " OCC_VERSION);
		return finish(OCC_EXIT_OK);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return finish(help(argc - 1, argv + 1));
	return finish(run_command(argv[1], argc - 1, argv + 1));
}
