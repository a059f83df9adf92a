/* SPDX-License-Identifier: MIT */
/*
 * Names that may be macros although no text of the application defines them:
 * compilers and the headers that drivers include by themselves do.
 *
 * From `clang -x cl -dM -E` with and without the default header (Clang 14 and
 * 15, CL1.0 to CL3.0, clc++), the same for C as gcc has it (linux, unix), and
 * all that PoCL 3.1's headers define (it renames built-in functions by macros,
 * and `inline` is nothing there), and NVIDIA's 580.159. Of other keywords those
 * that are defined away now and then. Threads: no state.
 */
#ifndef OCC_HASH_PREDEFINED_H
#define OCC_HASH_PREDEFINED_H

#include <stdbool.h>

bool occ_predefined(const char *name);

#endif
