/* SPDX-License-Identifier: MIT */
/*
 * Where programs are that a driver starts by name, as execvp(3) finds them. Any
 * thread; looks at files.
 */
#ifndef OCC_LAYER_DRIVER_PROGRAM_SEARCH_H
#define OCC_LAYER_DRIVER_PROGRAM_SEARCH_H

/*
 * The path of the first of that name, in the directories between colons, that
 * may be executed; the caller frees it. NULL: none, or out of memory.
 */
char *occ_program_search_find(const char *name, const char *search_path);

#endif
