/* SPDX-License-Identifier: MIT */
#include "cli/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/suggestion.h"

/* Where descriptions of options begin in --help. */
#define HELP_COLUMN 26

static const struct occ_option help_option = {"help", 'h', NULL, "show this"};

struct parser {
	const struct occ_command *command;
	char **argv;
	int argc;
	int at; /* the argument to look at next */
	struct occ_arguments *result;
};

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

/* NULL: none, or, with *ret_ambiguous, several of which it is a beginning. */
static const struct occ_option *find_name(const struct occ_command *command,
					  const char *name, size_t length,
					  bool *ret_ambiguous)
{
	const struct occ_option *found = NULL, *option;

	*ret_ambiguous = false;
	for (size_t i = 0; (option = option_at(command, i)); i++) {
		if (strncmp(option->name, name, length) != 0)
			continue;
		if (!option->name[length])
			return option;
		*ret_ambiguous = found != NULL;
		found = option;
		if (*ret_ambiguous)
			break;
	}
	return *ret_ambiguous ? NULL : found;
}

static const struct occ_option *find_letter(const struct occ_command *command,
					    char letter)
{
	const struct occ_option *option;

	for (size_t i = 0; (option = option_at(command, i)); i++)
		if (option->letter == letter)
			return option;
	return NULL;
}

static void suggest(const struct occ_command *command, const char *argument,
		    const char *name)
{
	struct occ_suggestion suggestion;
	const struct occ_option *option;

	occ_suggestion_begin(&suggestion, name);
	for (size_t i = 0; (option = option_at(command, i)); i++)
		occ_suggestion_try(&suggestion, option->name);
	if (suggestion.best)
		occ_message_error("%s: there is no option %s; did you mean "
				  "--%s?",
				  command->name, argument, suggestion.best);
	else
		occ_message_error("%s: there is no option %s; see 'oclcache %s "
				  "--help'",
				  command->name, argument, command->name);
}

/* No file has an empty name; joined to a folder it would be the folder. */
static bool is_path(const struct occ_option *option)
{
	return !strcmp(option->value, "DIR") || !strcmp(option->value, "FILE");
}

static bool add(struct parser *parser, const struct occ_option *option,
		const char *value)
{
	struct occ_arguments *result = parser->result;

	if (option->value && !value) {
		if (parser->at >= parser->argc) {
			occ_message_error("%s: --%s needs a value: --%s %s",
					  parser->command->name, option->name,
					  option->name, option->value);
			return false;
		}
		value = parser->argv[parser->at++];
	}
	if (value && !*value && is_path(option)) {
		occ_message_error("%s: --%s has an empty value: --%s %s",
				  parser->command->name, option->name,
				  option->name, option->value);
		return false;
	}
	result->given[result->given_count].option = option;
	result->given[result->given_count++].value = value;
	return true;
}

static bool parse_long(struct parser *parser, const char *argument)
{
	const char *name = argument + 2;
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	bool ambiguous;
	const struct occ_option *option =
		find_name(parser->command, name, length, &ambiguous);

	if (ambiguous) {
		occ_message_error("%s: %s could be several options; see "
				  "'oclcache %s --help'",
				  parser->command->name, argument,
				  parser->command->name);
		return false;
	}
	if (!option) {
		char *cut = strndup(name, length);

		suggest(parser->command, argument, cut ? cut : name);
		free(cut);
		return false;
	}
	if (equals && !option->value) {
		occ_message_error("%s: --%s takes no value",
				  parser->command->name, option->name);
		return false;
	}
	return add(parser, option, equals ? equals + 1 : NULL);
}

static bool parse_letters(struct parser *parser, const char *argument)
{
	for (const char *letter = argument + 1; *letter; letter++) {
		const struct occ_option *option =
			find_letter(parser->command, *letter);

		if (!option) {
			occ_message_error("%s: there is no option -%c; see "
					  "'oclcache %s --help'",
					  parser->command->name, *letter,
					  parser->command->name);
			return false;
		}
		if (option->value)
			return add(parser, option,
				   letter[1] ? letter + 1 : NULL);
		if (!add(parser, option, NULL))
			return false;
	}
	return true;
}

static void add_operand(struct parser *parser, char *operand)
{
	parser->result->operands[parser->result->operand_count++] = operand;
}

static bool parse_argument(struct parser *parser, bool *options_end)
{
	char *argument = parser->argv[parser->at++];

	if (*options_end || argument[0] != '-' || !argument[1]) {
		add_operand(parser, argument);
		*options_end |= parser->command->options_first;
		return true;
	}
	if (!strcmp(argument, "--")) {
		*options_end = true;
		return true;
	}
	return argument[1] == '-' ? parse_long(parser, argument)
				  : parse_letters(parser, argument);
}

/* As many letters of flags may be in one argument as it is long. */
static size_t most_given(int argc, char **argv)
{
	size_t most = 1;

	for (int i = 1; i < argc; i++)
		most += strlen(argv[i]) + 1;
	return most;
}

bool occ_arguments_parse(const struct occ_command *command, int argc,
			 char **argv, struct occ_arguments *ret_arguments)
{
	struct parser parser = {command, argv, argc, 1, ret_arguments};
	bool options_end = false;

	memset(ret_arguments, 0, sizeof(*ret_arguments));
	ret_arguments->given = occ_message_must(
		calloc(most_given(argc, argv), sizeof(struct occ_given)));
	ret_arguments->operands =
		occ_message_must(calloc((size_t)argc + 1, sizeof(char *)));
	while (parser.at < argc) {
		if (parse_argument(&parser, &options_end))
			continue;
		occ_arguments_release(ret_arguments);
		return false;
	}
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
