/* SPDX-License-Identifier: MIT */
/*
 * The included files of a build, for its record (layer/serve/record_frames.h).
 * They are read again, by their paths: what isn't any more what the build key
 * says is left out.
 *
 * Threads: no state. Reads files.
 */
#ifndef OCC_LAYER_SERVE_RECORD_INCLUDES_H
#define OCC_LAYER_SERVE_RECORD_INCLUDES_H

#include "cache/database_record.h"
#include "layer/key/build_key.h"

/*
 * Appends the key's fields about them, which the record has alike, and adds the
 * contents that the database doesn't have. Paths are relative to `directory`;
 * NULL: such files are left out. OCC_OK, or as occ_database_add().
 */
int occ_record_includes_add(struct occ_database *database,
			    const struct occ_build_key *build_key,
			    const char *directory, struct occ_buffer *record);

/* Is the path of any relative? */
bool occ_record_includes_relative(const struct occ_build_key *build_key);

#endif
