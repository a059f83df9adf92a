/* SPDX-License-Identifier: MIT */
/*
 * Where a program is that this command starts. Threads: as getenv().
 */
#ifndef OCC_CLI_PROGRAM_PATH_H
#define OCC_CLI_PROGRAM_PATH_H

/*
 * The absolute path of an executable file, to be freed: `name` as it is where
 * there is a slash in it, else from the absolute directories of $PATH. NULL:
 * there is none.
 */
char *occ_program_path_find(const char *name);

/* The same, relative to the directory of this command. */
char *occ_program_path_beside(const char *name);

/* The same of a file of any kind that can be read. */
char *occ_program_path_relative(const char *name);

#endif
