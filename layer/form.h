/* SPDX-License-Identifier: MIT */
/*
 * The two forms that an entry may have of a program: its binary, as the driver
 * gave it, and device code (cache/code.h), which some drivers load in its place
 * without compiling. Device code says less of the program than the binary, so
 * that whoever asks is answered by the entry, or by the binary.
 *
 * Any thread, without the lock: all but occ_form_is_code() read files.
 */
#ifndef OCC_LAYER_FORM_H
#define OCC_LAYER_FORM_H

#include "cache/memory.h"
#include "layer/recipe.h"

/* Would the driver load the recipe's program from device code? */
bool occ_form_takes_code(const struct occ_recipe *recipe);

/*
 * Is device code to be loaded: does the driver take it, and do all of the
 * recipe's entries have some that was made for their devices?
 */
bool occ_form_is_code(const struct occ_recipe *recipe,
		      struct occ_kept *const *entries);

/* The code of an entry for which the above was true. */
struct occ_span occ_form_code(const struct occ_kept *entry);

/*
 * Puts entries with their binaries in the place of those that lack them. False
 * when they are gone.
 */
bool occ_form_read_binaries(const struct occ_recipe *recipe,
			    struct occ_kept **entries);

/* The same binaries, for who asks for them; NULL when they are gone. */
struct occ_image *occ_form_image(const struct occ_recipe *recipe);

/*
 * The driver found the code bad, not that it was short of something: the
 * entries go on without, for good.
 */
void occ_form_drop_code(const struct occ_recipe *recipe,
			struct occ_kept *const *entries);

/* Is it remembered that these stay without, so that nobody need try? */
bool occ_form_is_left(const struct occ_recipe *recipe,
		      struct occ_kept *const *entries);

#endif
