/* SPDX-License-Identifier: MIT */
/*
 * The writer: a thread that does what the store needs, so that the application
 * needn't wait for it: hashing, encoding, writing.
 *
 * The thread is started when there is something to do and ends when there is
 * nothing more: it doesn't wait for more to come, as a thread that waits may
 * slow down others that the application starts (ARCHITECTURE.md). It has all
 * signals blocked, a small stack, and never calls a driver. What is given to it
 * is done in the order of coming; by the caller himself when no thread can be
 * had, when too much is waiting (for a task with bytes), and once the process
 * is ending. Each task has a thread with descriptors of its own
 * (layer/thread.h), as applications close or take over what numbers they like.
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
 * The same for what can wait and may be left out: the thread does it when it
 * has nothing else to do at `from` or later (occ_log_now()), but isn't started
 * for it; occ_writer_do_later() does that, from `due` on. One at a time. False,
 * and it is the caller's: there is one, or the process is ending, which also
 * drops one that waits. Nothing waits for it, and it waits for nothing.
 */
bool occ_writer_add_later(struct occ_task *task, uint64_t from, uint64_t due);

/* When such a thing is due; 0: there is none. */
uint64_t occ_writer_due(void);

/*
 * Starts the thread for that, if there is none; if there is, it does what there
 * is of the kind when it has nothing else to do, whenever that is from. Where
 * no thread can be had it is due again when `otherwise` says.
 */
void occ_writer_do_later(uint64_t otherwise);

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

/*
 * At initialisation, when no other call is under way. What was added for later
 * is its caller's again.
 */
void occ_writer_start(void);

/* In the child of a fork(), with the lock held. */
void occ_writer_forked(void);

#endif
