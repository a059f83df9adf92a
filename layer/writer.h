/* SPDX-License-Identifier: MIT */
/*
 * The writer: a thread that does what the store needs, so that the application
 * needn't wait for it: hashing, encoding, writing.
 *
 * The thread is started when there is something to do, or will be soon, and
 * ends when there is nothing more, nor within 100 ms: an idle process has none.
 * It has all signals blocked, a small stack, and never calls a driver. What is
 * given to it is done in the order of coming; by the caller himself when no
 * thread can be had, when too much is waiting (for a task with bytes), and once
 * the process is ending.
 * Each task has a thread with descriptors of its own (layer/thread.h), as
 * applications close or take over what numbers they like.
 *
 * In a forked child what waits is gone: the parent does it.
 *
 * Threads: any. The layer's lock (layer/lock.h) guards the queue and must not
 * be held by callers.
 */
#ifndef OCC_LAYER_WRITER_H
#define OCC_LAYER_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash/digest.h"

/* Something to do, a part of a larger structure that `run` frees. */
struct occ_task {
	struct occ_task *next;
	void (*run)(struct occ_task *task);
	/* Does another process wait for it? NULL: no. With the lock held. */
	bool (*wanted)(const struct occ_task *task);
	bool shared; /* needs descriptors that the process has open */
	struct occ_digest hash; /* of the entry; all zero: of none */
	size_t bytes;		/* that are kept for it */
};

/* Takes the task over. */
void occ_writer_add(struct occ_task *task);

/*
 * The same for what can wait until `due` (occ_log_now()) and may be left out:
 * the thread waits so long for it, and for what else comes. One at a time.
 * False, and it is the caller's: there is one, there is no thread to be had, or
 * the process is ending, which also drops one that waits. Nothing waits for it,
 * and it waits for nothing.
 */
bool occ_writer_add_later(struct occ_task *task, uint64_t due);

/*
 * Starts the thread, so that who has something to do within 30 ms needn't: that
 * takes longer than most of what a first hit does. What can wait is then done
 * at the end of that time, if it is due before.
 */
void occ_writer_stand_by(void);

/* Is there something to be done before what is added now? */
bool occ_writer_busy(void);

/*
 * Returns when nothing is left to be done for the entry of that hash: to be
 * called before it is looked up.
 */
void occ_writer_await(const struct occ_digest *hash);

/* Returns when nothing is left to be done. */
void occ_writer_await_all(void);

/*
 * The process is ending, or the layer is: waits until everything is done, but
 * for 50 ms at most while the thread waits for a disk or a lock (2 s when
 * another process waits for what is to be done, 10 s where everything is to be
 * stored). From then on every task is done by its caller.
 */
void occ_writer_end(void);

/* Was that called? */
bool occ_writer_has_ended(void);

/* At initialisation, when no other call is under way. */
void occ_writer_start(void);

/* In the child of a fork(), with the lock held. */
void occ_writer_forked(void);

#endif
