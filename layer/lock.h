/* SPDX-License-Identifier: MIT */
/*
 * The one lock of the layer's own tables. It is held for look-ups and changes
 * in memory only, never across a call of a driver, a callback or I/O, and
 * never taken twice.
 */
#ifndef OCC_LAYER_LOCK_H
#define OCC_LAYER_LOCK_H

#include <stdbool.h>

void occ_lock(void);
void occ_unlock(void);

/*
 * At initialisation: from then on a child of fork() finds the lock free and
 * the tables whole. False when the process is out of resources.
 */
bool occ_lock_init(void);

#endif
