/* SPDX-License-Identifier: MIT */
/*
 * Which interpreter runs app.py in `python -m oclcache run app.py`: the same
 * that runs the Python package, whose virtual environment the program expects,
 * whatever the file's mode and first line. The package names it in
 * OCLCACHE_PYTHON, which is no setting.
 *
 * Threads: as setenv().
 */
#ifndef OCC_CLI_INTERPRETER_H
#define OCC_CLI_INTERPRETER_H

/*
 * The command to start, an array to be freed; its strings are borrowed from the
 * given command. Removes the variable, which isn't for the program.
 */
char **occ_interpreter_command(char *const *command);

#endif
