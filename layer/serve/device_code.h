/* SPDX-License-Identifier: MIT */
/*
 * The two forms that an entry may have of a program: its binary, as the driver
 * gave it, and device code (cache/entry.h), which some drivers load in its
 * place without compiling. A program loaded from device code answers fewer
 * queries than one loaded from the binary; the entry or the binary answers the
 * others.
 *
 * Any thread, without the lock: all but occ_device_code_is_used() read files.
 */
#ifndef OCC_LAYER_SERVE_DEVICE_CODE_H
#define OCC_LAYER_SERVE_DEVICE_CODE_H

#include "cache/memory.h"
#include "layer/key/build_key.h"

/* Would the driver load the build key's program from device code? */
bool occ_device_code_is_supported(const struct occ_build_key *build_key);

/*
 * Is device code to be loaded? True if the driver takes it and each entry has
 * some that was made for its device.
 */
bool occ_device_code_is_used(const struct occ_build_key *build_key,
			     struct occ_kept *const *entries);

/* The code of an entry for which occ_device_code_is_used() was true. */
struct occ_span occ_device_code_of(const struct occ_kept *entry);

/*
 * Replaces entries that were read without their binaries by entries with them.
 * False if these are gone.
 */
bool occ_device_code_read_binaries(const struct occ_build_key *build_key,
				   struct occ_kept **entries);

/* The binaries of the build key's entries; NULL if they are gone. */
struct occ_binaries *occ_device_code_binaries(
	const struct occ_build_key *build_key);

/*
 * The driver refused the code itself, not for want of a resource: removes it
 * from the entries, and remembers that they stay without.
 */
void occ_device_code_drop(const struct occ_build_key *build_key,
			  struct occ_kept *const *entries);

/* Is it remembered that these entries stay without device code? */
bool occ_device_code_is_ruled_out(const struct occ_build_key *build_key,
				  struct occ_kept *const *entries);

#endif
