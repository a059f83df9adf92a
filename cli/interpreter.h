/* SPDX-License-Identifier: MIT */
/*
 * Which interpreter runs app.py in `python -m oclcache run app.py`, or
 * explain, or record: the same
 * that runs the Python package, whose virtual environment the program expects,
 * whatever the file's mode and first line. The package names it in
 * OCLCACHE_PYTHON, which is no setting.
 *
 * Threads: as setenv().
 */
#ifndef OCC_CLI_INTERPRETER_H
#define OCC_CLI_INTERPRETER_H

#include <stdbool.h>

/* Is a program of that name, as it is given to us, for that interpreter? */
bool occ_interpreter_runs(const char *program);

/*
 * Can it be started? False after an error was shown for `command`, such as
 * "run": it is a Python script that isn't executable, and Python hasn't started
 * us.
 */
bool occ_interpreter_check(const char *command, const char *program);

/*
 * The command to start, an array to be freed; its strings are borrowed from the
 * given command. Removes the variable, which isn't for the program.
 */
char **occ_interpreter_command(char *const *command);

#endif
