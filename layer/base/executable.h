/* SPDX-License-Identifier: MIT */
/*
 * Which executable this process runs, for what is remembered of it from one
 * process to the next.
 *
 * It is told by its path and the time and size of its file: another version is
 * another executable. Of an interpreter the path of the script counts as well,
 * or the module; a script that was changed is still the same. (Programs that
 * are given as text are told apart by their arguments alone.) Its arguments are
 * told apart, too, but aren't kept.
 */
#ifndef OCC_LAYER_BASE_EXECUTABLE_H
#define OCC_LAYER_BASE_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "hash/digest.h"

#define OCC_EXECUTABLE_NAME 1024

struct occ_executable {
	struct occ_digest identity;
	struct occ_digest arguments;	/* all of them */
	char name[OCC_EXECUTABLE_NAME]; /* its path, a blank, the script's */
};

/*
 * Reads /proc, some 10 us. False: it isn't known. Any thread, without locks.
 */
bool occ_executable_look(struct occ_executable *ret_executable);

/*
 * What people call this program: the name of its file, without directories, or
 * of the script's, or the module. Empty: it isn't known. It is remembered from
 * the first look, when the script was where the arguments say; reads /proc if
 * there was none. Cut to `size`, with a NUL. Any thread, without locks.
 */
void occ_executable_program(char *ret_name, size_t size);

#endif
