/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for the functions with programs that applications fetch by name.
 * They call the function that the driver gave, with the program that answers
 * (the shadow program of one that is served).
 *
 * Each of a driver's functions gets a stand-in of its own, so that nothing has
 * to be found out from arguments which may be garbage: what the application
 * fetched from one platform calls that platform's function, and pointers are
 * equal where the drivers' are.
 */
#ifndef OCC_LAYER_HOOK_WRAPPER_H
#define OCC_LAYER_HOOK_WRAPPER_H

#include <stdbool.h>

#include <CL/cl.h>

/* Is there a stand-in for functions of this name? */
bool occ_wrapper_exists(const char *name);

/* What the application gets in the place of a driver's function. */
typedef void *(*occ_replace)(cl_platform_id platform, const char *name,
			     void *function);

/*
 * The stand-in for a driver's `function` of this name; `function` itself when
 * it is one of the stand-ins already. NULL when too many different functions
 * of the name were fetched. What is fetched by a function that fetches others
 * goes through `replace`, the same at every call. Any thread.
 */
void *occ_wrapper_of(const char *name, void *function, occ_replace replace);

/* At initialisation. */
void occ_wrapper_forget_all(void);

#endif
