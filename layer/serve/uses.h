/* SPDX-License-Identifier: MIT */
/*
 * How often this process used the entries of the store, as far as the entries
 * don't say so yet: `oclcache list` shows it as hits. A hit only adds to a
 * number in memory; the writer's thread writes these numbers
 * (occ_store_add_uses()), of each entry at most every 5 s, and the rest at the
 * end of the process. One that is killed loses what wasn't written.
 *
 * Any thread, without the layer's lock.
 */
#ifndef OCC_LAYER_SERVE_USES_H
#define OCC_LAYER_SERVE_USES_H

#include <stdbool.h>

#include "hash/digest.h"

/* The entry of that hash was of use once more. */
void occ_uses_note(const struct occ_digest *hash);

/* Is there anything to be written? */
bool occ_uses_any(void);

/* For the writer's thread. */
void occ_uses_write(bool at_end);

/* Under the lock, in a child of fork(): its parent writes them. */
void occ_uses_forked(void);

/* At initialisation. */
void occ_uses_forget(void);

#endif
