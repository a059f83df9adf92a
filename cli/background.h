/* SPDX-License-Identifier: MIT */
/*
 * `oclcache upgrade` in the background, after what this command did.
 */
#ifndef OCC_CLI_BACKGROUND_H
#define OCC_CLI_BACKGROUND_H

#include <stdbool.h>

/* s, of the time limit of one that is started so. */
#define OCC_BACKGROUND_LIMIT 600

/*
 * Do the settings allow it: OCLCACHE_UPGRADE isn't 0, and programs write to
 * their store?
 */
bool occ_background_is_wanted(void);

/*
 * Starts it for the store that programs use by default, if anything waits there
 * and it can be written to: in a session of its own, with nothing of ours open,
 * and doesn't wait. What goes wrong is nobody's
 * trouble: the entries wait on. The command has one thread, and its child
 * isn't waited for by others.
 */
void occ_background_upgrade(void);

#endif
