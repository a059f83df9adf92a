/* SPDX-License-Identifier: MIT */
#include "layer/driver/late_libraries.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "layer/driver/fingerprint.h"
#include "layer/driver/library.h"

/* The objects that were loaded before anything was built. */
static _Atomic(struct occ_buffer *) first_libraries;

void occ_late_libraries_watch(void)
{
	struct occ_buffer *paths, *none = NULL;

	if (first_libraries)
		return;
	paths = calloc(1, sizeof(*paths));
	if (paths)
		occ_libraries_list(paths);
	if (!atomic_compare_exchange_strong(&first_libraries, &none, paths) &&
	    paths) {
		occ_buffer_release(paths);
		free(paths);
	}
}

bool occ_late_libraries_list(struct occ_buffer *paths)
{
	const struct occ_buffer *before = first_libraries;
	struct occ_buffer now = OCC_BUFFER_INIT;
	bool failed;

	if (!before || before->failed)
		return false;
	occ_libraries_list(&now);
	for (size_t at = 0; at < now.size;) {
		const char *path = (const char *)now.data + at;

		if (*path == '/' && !occ_buffer_has_string(before, path) &&
		    !occ_buffer_has_string(paths, path) &&
		    !occ_fingerprint_is_new(path))
			occ_buffer_append(paths, path, strlen(path) + 1);
		at += strlen(path) + 1;
	}
	failed = now.failed;
	occ_buffer_release(&now);
	return !failed && !paths->failed;
}

void occ_late_libraries_release(void)
{
	if (first_libraries)
		occ_buffer_release(first_libraries);
	free(first_libraries);
	first_libraries = NULL;
}
