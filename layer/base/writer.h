/* SPDX-License-Identifier: MIT */
/*
 * The writer: a queue of tasks for the store (hashing, encoding, writing) and a
 * thread that runs them, so that the application needn't wait.
 *
 * The thread is started when there is a task and ends when the queue is empty:
 * a thread that waits for tasks may slow down others that the application
 * starts (doc/decisions/writer-thread.md). It has all signals blocked, a small
 * stack, and never calls a driver. Tasks run in the order in which they were
 * added. The caller runs a task itself if no thread can be started, if too many
 * bytes are queued already, or once the process is ending. Each task runs in a
 * thread with descriptors of its own (layer/base/thread.h), because
 * applications close or reuse any number.
 *
 * In a forked child the queue is empty: the parent runs what was in it.
 *
 * Threads: any. The layer's lock (layer/base/lock.h) guards the queue and must
 * not be held by callers.
 */
#ifndef OCC_LAYER_BASE_WRITER_H
#define OCC_LAYER_BASE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash/digest.h"

/* A task; the first member of a larger structure that `run` frees. */
struct occ_task {
	struct occ_task *next;
	void (*run)(struct occ_task *task);
	/* Does another process wait for it? NULL: no. Called with the lock. */
	bool (*wanted)(const struct occ_task *task);
	bool shared;		/* needs the process's own descriptors */
	struct occ_digest hash; /* of its entry; all zero: it has none */
	size_t bytes;		/* of memory that it keeps */
};

/* Takes the task over. */
void occ_writer_add(struct occ_task *task);

/*
 * Adds a copy of what begins with `task` and has `size` bytes; `run` frees it.
 * Out of memory: nothing happens.
 */
void occ_writer_add_copy(const struct occ_task *task, size_t size);

/*
 * Adds a task that can wait and may be dropped. The thread runs it when it has
 * nothing else to do, at `from` (occ_log_now()) or later, but isn't started for
 * it; from `due` on occ_writer_do_later() starts it. There is at most one such
 * task. Returns false, and the task stays the caller's, if there is one or the
 * process is ending; the end of the process also drops a task that waits.
 */
bool occ_writer_add_later(struct occ_task *task, uint64_t from, uint64_t due);

/* When that task is due; 0: there is none. */
uint64_t occ_writer_due(void);

/*
 * Starts the thread for that task. If the thread runs already, it runs the task
 * when it has nothing else to do, whatever its `from`. If no thread can be
 * started, the task is due again at `otherwise`.
 */
void occ_writer_do_later(uint64_t otherwise);

/* Would a task that is added now have to wait for others? */
bool occ_writer_busy(void);

/* For a task: do others follow it? */
bool occ_writer_has_next(void);

/*
 * For a long task that may end early: is another one queued, or does somebody
 * wait for the thread?
 */
bool occ_writer_is_awaited(void);

/*
 * Returns when no task for the entry of that hash is left. To be called before
 * the entry is looked up.
 */
void occ_writer_await(const struct occ_digest *hash);

/*
 * At the end of the process or of the layer: waits until no task is left, but
 * at most 50 ms while the thread waits for a disk or a lock (2 s if another
 * process waits for a task, 10 s with OCLCACHE_STORE=eager or OCLCACHE_RECORD).
 * From then on every
 * task is run by its caller.
 */
void occ_writer_end(void);

/* Was occ_writer_end() called? */
bool occ_writer_has_ended(void);

/*
 * At initialisation, when no other call is under way. A task that was added for
 * later is its caller's again.
 */
void occ_writer_start(void);

/* In the child of a fork(), with the lock held. */
void occ_writer_forked(void);

#endif
