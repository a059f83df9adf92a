/* SPDX-License-Identifier: MIT */
/*
 * The one lock of the layer's own tables. It is held for look-ups and changes
 * in memory only, never across a call of a driver, a callback or I/O, and
 * never taken twice. Who must wait for another thread gives it up meanwhile.
 */
#ifndef OCC_LAYER_LOCK_H
#define OCC_LAYER_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void occ_lock(void);
void occ_unlock(void);

/*
 * Has this thread the lock, or is it about to take it? Applications call exit()
 * in handlers of signals, which may come at such a moment.
 */
bool occ_lock_in_use(void);

/*
 * With the lock held: gives it up until another thread calls occ_lock_wake(),
 * or for so long at most, and takes it again. May return for no reason.
 */
void occ_lock_wait(unsigned milliseconds);
void occ_lock_wake(void);

/* The same for a condition of the caller's. */
void occ_lock_wait_for(pthread_cond_t *condition, unsigned milliseconds);

/*
 * At initialisation: from then on a child of fork() finds the lock free and
 * the tables whole; `in_child` is called there, with the lock held, because
 * what other threads were doing will never end. False when the process is out
 * of resources.
 */
bool occ_lock_init(void (*in_child)(void));

#endif
