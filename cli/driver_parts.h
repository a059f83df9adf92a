/* SPDX-License-Identifier: MIT */
/*
 * What a key says of its driver: platform and version, what it consists of, and
 * the CPU that it compiles for.
 *
 * No state; what is taken is borrowed from the entry.
 */
#ifndef OCC_CLI_DRIVER_PARTS_H
#define OCC_CLI_DRIVER_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/entry_file.h"

/* Lists of a key: installed, and loaded for compiling. */
#define OCC_DRIVER_PARTS_LISTS 2

struct occ_driver_parts {
	struct occ_span platform, vendor, platform_version, version;
	struct occ_span cpu; /* empty: it isn't in the key */
	struct occ_span lists[OCC_DRIVER_PARTS_LISTS];
};

/*
 * Of a file that was read so deep. False: it must be OCC_ENTRY_FILE_WHOLE, or
 * it isn't there.
 */
bool occ_driver_parts_take(const struct occ_entry_file *file,
			   enum occ_entry_file_depth depth,
			   struct occ_driver_parts *ret_parts);

/* The same platform, of the same version, and of the driver's? */
bool occ_driver_parts_same_version(const struct occ_driver_parts *one,
				   const struct occ_driver_parts *other);

/*
 * The next part of `one`, by its name, that `other` has by that name, and only
 * with other contents. Starts with a cursor of zeros.
 */
struct occ_driver_parts_cursor {
	size_t list, at;
};
bool occ_driver_parts_next_difference(const struct occ_driver_parts *one,
				      const struct occ_driver_parts *other,
				      struct occ_driver_parts_cursor *cursor,
				      struct occ_span *ret_name);

/*
 * Is one of these libraries among the parts? Names of files, with NULs;
 * versions behind ".so" don't count.
 */
bool occ_driver_parts_has_any(const struct occ_driver_parts *parts,
			      const struct occ_buffer *libraries);

#endif
