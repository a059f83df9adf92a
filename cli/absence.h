/* SPDX-License-Identifier: MIT */
/*
 * Why a program that was run under the layer didn't have it, or didn't store
 * anything.
 */
#ifndef OCC_CLI_ABSENCE_H
#define OCC_CLI_ABSENCE_H

/*
 * Says so on standard error, as far as the settings of this process, which were
 * the program's, tell. `program` is what was started, with or without a
 * directory.
 */
void occ_absence_note(const char *program);

/*
 * What is wrong with the directory where such a program would store, to be
 * freed; NULL: nothing, or nothing is to be stored.
 */
char *occ_absence_of_store(void);

#endif
