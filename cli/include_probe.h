/* SPDX-License-Identifier: MIT */
/*
 * Where a driver without a record looks for included files, and whether it
 * looks anew at each build: seen by small programs of our own
 * (cli/include_cases.h). The layer is off, and so is every variable that may be
 * about a cache, for which the layer looks in turn
 * (occ_variable_names_cache()).
 *
 * Drivers' own caches that overlook what is included give programs of files as
 * they were. So each file is changed between builds in one process and in
 * another one; once with the user's home, where the driver's own cache may be
 * on by what is there, and once with an empty one, where it is as by default.
 * In that, and for temporary files, the driver is seen not to find what is
 * beside the sources that it may write.
 */
#ifndef OCC_CLI_INCLUDE_PROBE_H
#define OCC_CLI_INCLUDE_PROBE_H

#include <stddef.h>

#include "cache/traits.h"

/*
 * `device`: its place in a survey (cli/probe.h). `directory`: one of ours, to
 * be removed later with all that is in it. OCC_SEARCH_UNKNOWN: it couldn't be
 * tried; OCC_SEARCH_OTHER: *ret_what says what the driver wasn't right about,
 * to be freed, else it is NULL. Takes seconds.
 */
enum occ_search occ_include_probe(size_t device, const char *directory,
				  char **ret_what);

#endif
