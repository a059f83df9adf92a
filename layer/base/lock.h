/* SPDX-License-Identifier: MIT */
/*
 * The lock that guards the layer's tables. It is held only for look-ups and
 * changes in memory: never across a call of a driver, a callback or I/O, and
 * never taken twice. A thread that must wait for another gives it up meanwhile.
 */
#ifndef OCC_LAYER_BASE_LOCK_H
#define OCC_LAYER_BASE_LOCK_H

#include <stdbool.h>

void occ_lock(void);
void occ_unlock(void);

/*
 * For functions that are to be called with the lock, whose names end in
 * "_locked", where they are called from other files: in builds for tests
 * (OCC_DEBUG) ends the process where the thread doesn't hold it.
 */
#ifdef OCC_DEBUG
void occ_assert_locked(void);
#else
static inline void occ_assert_locked(void)
{
}
#endif

/*
 * For exit handlers: returns true if the tables can't be used. A signal handler
 * may call exit() in a thread that has the lock, or another of the layer's
 * mutexes; and a child made by clone() or _Fork(), which run no fork handlers,
 * may have been made while a thread of its parent had the lock.
 */
bool occ_lock_in_use(void);

/*
 * For a child made by clone() or _Fork() that uses the layer: if no thread had
 * the lock, it may use the tables from now on.
 */
void occ_lock_see_process(void);

/* Something to wait for. All 0 at first; guarded by the lock. */
struct occ_event {
	unsigned changes;
	unsigned waiting;
};

/*
 * With the lock held: gives it up until another thread calls occ_lock_wake(),
 * or for that long at most, and takes it again. May return early.
 */
void occ_lock_wait(unsigned milliseconds);
void occ_lock_wake(void);

/* The same for an event of the caller's. */
void occ_lock_wait_for(struct occ_event *event, unsigned milliseconds);
void occ_lock_wake_for(struct occ_event *event);

/*
 * Called with the lock held, the first two in the process that forks, unless a
 * signal handler does so in a thread that has the lock. `before` may wait, and
 * gives up the lock meanwhile.
 */
struct occ_fork_handlers {
	void (*before)(void);
	void (*after)(void);
	void (*in_child)(void);
};

/*
 * At initialisation; the handlers stay the caller's. From then on a child of
 * fork() finds the lock free and the tables consistent; `in_child` is called
 * there, because what other threads were doing will never end. If a signal
 * handler forks in a thread that has the lock, the child calls `in_child` when
 * that thread gives the lock back. Fork handlers may call the layer. False when
 * the process is out of resources.
 */
bool occ_lock_init(const struct occ_fork_handlers *handlers);

#endif
