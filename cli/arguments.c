/* SPDX-License-Identifier: MIT */
#include "cli/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/habit.h"
#include "cli/message.h"
#include "cli/suggestion.h"

/* Where descriptions of options begin in --help. */
#define HELP_COLUMN 26

static const struct occ_option help_option = {"help", 'h', NULL,
					      "show this help"};

/* Of getopt_long(): options have their index above all letters. */
#define OPERAND	    1
#define INDEX	    256

/* More than any command has. */
#define OPTIONS_MAX 32

/* The `index`th option of a command; --help comes behind its own. */
static const struct occ_option *option_at(const struct occ_command *command,
					  size_t index)
{
	const struct occ_option *option = command->options;

	for (; option && option->name; option++)
		if (!index--)
			return option;
	return index ? NULL : &help_option;
}

/* By what getopt_long() gives for it; NULL: there is none. */
static const struct occ_option *find(const struct occ_command *command,
				     int code)
{
	const struct occ_option *option = NULL;

	if (code >= INDEX)
		return option_at(command, (size_t)(code - INDEX));
	for (size_t i = 0; (option = option_at(command, i)); i++)
		if (code && option->letter == code)
			break;
	return option;
}

/* `argument` is a long option; its name is no option's, or several begin so. */
static void complain_of_name(const struct occ_command *command,
			     const char *argument)
{
	size_t length = strcspn(argument + 2, "="), begin_so = 0;
	char *name = occ_message_must(strndup(argument + 2, length));
	const char *habit = occ_habit_advice(command->name, argument);
	char question[OCC_SUGGESTION_QUESTION];
	struct occ_suggestion suggestion;
	const struct occ_option *option;

	occ_suggestion_begin(&suggestion, name);
	for (size_t i = 0; (option = option_at(command, i)); i++) {
		begin_so += !strncmp(option->name, name, length);
		occ_suggestion_try(&suggestion, option->name);
	}
	if (begin_so)
		occ_message_error(
			"%s: %s is ambiguous; see 'oclcache %s --help'",
			command->name, argument, command->name);
	else if (habit)
		occ_message_error("%s: there is no option %s; %s",
				  command->name, argument, habit);
	else if (suggestion.best)
		occ_message_error("%s: there is no option %s%s", command->name,
				  argument,
				  occ_suggestion_question("--", suggestion.best,
							  question));
	else
		occ_message_error("%s: there is no option %s; see 'oclcache %s "
				  "--help'",
				  command->name, argument, command->name);
	free(name);
}

static void complain_of_letter(const struct occ_command *command, char letter)
{
	const char argument[] = {'-', letter, '\0'};
	const char *habit = occ_habit_advice(command->name, argument);

	if (habit)
		occ_message_error("%s: there is no option %s; %s",
				  command->name, argument, habit);
	else
		occ_message_error("%s: there is no option %s; see 'oclcache %s "
				  "--help'",
				  command->name, argument, command->name);
}

/* Of what getopt_long() refused as `code`, with optopt. */
static void complain(const struct occ_command *command, char **argv, int code)
{
	const struct occ_option *option = find(command, optopt);

	if (!optopt)
		complain_of_name(command, argv[optind - 1]);
	else if (!option)
		complain_of_letter(command, (char)optopt);
	else if (code == ':')
		occ_message_error("%s: --%s needs a value: --%s %s",
				  command->name, option->name, option->name,
				  option->value);
	else
		occ_message_error("%s: --%s takes no value", command->name,
				  option->name);
}

static bool add(const struct occ_command *command, struct occ_arguments *result,
		const struct occ_option *option, const char *value)
{
	/* No file has an empty name; joined to a directory it would be that. */
	if (option->value && value && !*value &&
	    (!strcmp(option->value, "DIR") || !strcmp(option->value, "FILE"))) {
		occ_message_error("%s: --%s has an empty value: --%s %s",
				  command->name, option->name, option->name,
				  option->value);
		return false;
	}
	result->given = occ_message_must(reallocarray(result->given,
						      result->given_count + 1,
						      sizeof(*result->given)));
	result->given[result->given_count++] =
		(struct occ_given){option, value};
	return true;
}

/* The tables as getopt_long() has them; they are zeros before. */
static void prepare(const struct occ_command *command, struct option *table,
		    char *letter)
{
	const struct occ_option *option;

	/* Operands come in their order, whatever POSIXLY_CORRECT says. */
	*letter++ = command->options_first ? '+' : '-';
	*letter++ = ':';
	for (int i = 0;
	     i < OPTIONS_MAX && (option = option_at(command, (size_t)i)); i++) {
		table[i] = (struct option){option->name,
					   option->value ? required_argument
							 : no_argument,
					   NULL, INDEX + i};
		if (option->letter)
			*letter++ = option->letter;
		if (option->letter && option->value)
			*letter++ = ':';
	}
}

bool occ_arguments_parse(const struct occ_command *command, int argc,
			 char **argv, struct occ_arguments *ret_arguments)
{
	struct occ_arguments result = {.operands = NULL};
	struct option table[OPTIONS_MAX + 1] = {{0}};
	char letters[2 * OPTIONS_MAX + 3] = {0};
	int code;

	result.operands =
		occ_message_must(calloc((size_t)argc + 1, sizeof(char *)));
	prepare(command, table, letters);
	/* From the beginning. */
	optind = 0;
	while ((code = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		const struct occ_option *option = find(command, code);

		if (code == OPERAND) {
			result.operands[result.operand_count++] = optarg;
			if (result.operand_count == 1 &&
			    command->ends_options &&
			    command->ends_options(&result))
				break;
			continue;
		}
		if (!option || code == '?' || code == ':')
			complain(command, argv, code);
		else if (add(command, &result, option, optarg))
			continue;
		occ_arguments_release(&result);
		return false;
	}
	while (optind < argc)
		result.operands[result.operand_count++] = argv[optind++];
	*ret_arguments = result;
	return true;
}

void occ_arguments_release(struct occ_arguments *arguments)
{
	free(arguments->given);
	free(arguments->operands);
	memset(arguments, 0, sizeof(*arguments));
}

bool occ_arguments_has(const struct occ_arguments *arguments, const char *name)
{
	for (size_t i = 0; i < arguments->given_count; i++)
		if (!strcmp(arguments->given[i].option->name, name))
			return true;
	return false;
}

const char *occ_arguments_value(const struct occ_arguments *arguments,
				const char *name)
{
	const char *value, *last = NULL;
	size_t position = 0;

	while ((value = occ_arguments_next(arguments, name, &position)))
		last = value;
	return last;
}

const char *occ_arguments_next(const struct occ_arguments *arguments,
			       const char *name, size_t *position)
{
	while (*position < arguments->given_count) {
		const struct occ_given *given =
			&arguments->given[(*position)++];

		if (!strcmp(given->option->name, name))
			return given->value;
	}
	return NULL;
}

bool occ_arguments_expect(const struct occ_arguments *arguments,
			  const char *command, size_t count, const char *advice)
{
	if (arguments->operand_count > count)
		occ_message_error("%s: unexpected argument '%s'; %s", command,
				  arguments->operands[count], advice);
	else if (arguments->operand_count < count)
		occ_message_error("%s: an argument is missing; %s", command,
				  advice);
	return arguments->operand_count == count;
}

static void print_option(const struct occ_option *option)
{
	char name[64];
	int length;

	length = snprintf(name, sizeof(name), "  %s--%s%s%s",
			  option->letter ? "-x, " : "    ", option->name,
			  option->value ? " " : "",
			  option->value ? option->value : "");
	if (option->letter)
		name[3] = option->letter;
	if (length < HELP_COLUMN - 1)
		printf("%-*s%s\n", HELP_COLUMN, name, option->help);
	else
		printf("%s\n%*s%s\n", name, HELP_COLUMN, "", option->help);
}

void occ_arguments_help(const struct occ_command *command)
{
	const struct occ_option *option;

	printf("usage: oclcache %s%s%s%s\n\n%s\n", command->name,
	       command->options ? " [OPTIONS]" : "",
	       command->operands ? " " : "",
	       command->operands ? command->operands : "", command->summary);
	if (command->details)
		printf("\n%s\n", command->details);
	puts("\noptions:");
	for (size_t i = 0; (option = option_at(command, i)); i++)
		print_option(option);
}
