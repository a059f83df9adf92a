/* SPDX-License-Identifier: MIT */
/*
 * A command's line, taken apart as GNU programs do it: "--name value",
 * "--name=value", "-n value", "-nvalue"; options and operands in any order;
 * "--" ends the options. A name may be cut where only one begins so. The value
 * of an option whose value is called DIR or FILE isn't empty.
 *
 * Calling sequence: occ_arguments_parse(), then any of the rest, from one
 * thread; occ_arguments_release() at the end.
 */
#ifndef OCC_CLI_ARGUMENTS_H
#define OCC_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct occ_command;

struct occ_option {
	const char *name;  /* "older-than"; NULL: there are no more */
	char letter;	   /* 'o', or 0 */
	const char *value; /* what --help calls its value; NULL: it has none */
	const char *help;  /* one line */
};

struct occ_given {
	const struct occ_option *option;
	const char *value; /* NULL where it has none */
};

struct occ_arguments {
	struct occ_given *given; /* in the order of the line */
	size_t given_count;
	char **operands; /* borrowed; NULL at the end */
	size_t operand_count;
};

/*
 * Takes argv[1] and the rest apart; argv[0] is the command's name. Of what
 * can't be understood it says so on standard error, with what to do. --help
 * isn't acted upon: it is given like others. False: end with OCC_EXIT_USAGE.
 */
bool occ_arguments_parse(const struct occ_command *command, int argc,
			 char **argv, struct occ_arguments *ret_arguments);
void occ_arguments_release(struct occ_arguments *arguments);

/* Was --name given? */
bool occ_arguments_has(const struct occ_arguments *arguments, const char *name);

/* The value of the last --name, or NULL. */
const char *occ_arguments_value(const struct occ_arguments *arguments,
				const char *name);

/*
 * The value of the next --name: start with *position 0, until NULL. For
 * options that may come more than once.
 */
const char *occ_arguments_next(const struct occ_arguments *arguments,
			       const char *name, size_t *position);

/*
 * Are there `count` operands? False after an error was shown, which names the
 * first unexpected one, or says that one is missing, and ends with `advice`:
 * end with OCC_EXIT_USAGE.
 */
bool occ_arguments_expect(const struct occ_arguments *arguments,
			  const char *command, size_t count,
			  const char *advice);

/* Writes what --help says of a command to standard output. */
void occ_arguments_help(const struct occ_command *command);

#endif
