/* SPDX-License-Identifier: MIT */
/*
 * Work in a process of its own, for what may crash or hang: OpenCL drivers.
 *
 *	static int work(void *data)                       in the child
 *	{
 *		occ_child_say("one thing");
 *		occ_child_say("another");
 *		return 0;
 *	}
 *
 *	occ_child_start(&child, work, data);
 *	while (!occ_child_wait_any(&children, 1)) ...
 *	while ((text = occ_child_next(&child))) ...
 *	occ_child_release(&child);
 *
 * What it says comes through a pipe of its own: drivers write what they like to
 * standard output and error, and that is kept apart, in `noise`. Standard input
 * is empty. It is the leader of a process group, and whatever is left of that
 * is killed when it ends, takes too long, or this command is interrupted; it is
 * killed too when this command dies.
 *
 * The command must have one thread. The time limit is for all of a child's life
 * and in seconds of OCLCACHE_CHILD_LIMIT, which is for tests, else
 * OCC_CHILD_LIMIT.
 */
#ifndef OCC_CLI_CHILD_H
#define OCC_CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hash/buffer.h"

/* For children that only look around; builds may take longer. */
#define OCC_CHILD_LIMIT	      30
#define OCC_CHILD_LIMIT_BUILD 1800

enum occ_child_end {
	OCC_CHILD_RUNNING,
	OCC_CHILD_EXITED,      /* `status` is what `work` gave */
	OCC_CHILD_SIGNALLED,   /* `status` is the signal */
	OCC_CHILD_TOO_LONG,    /* killed */
	OCC_CHILD_TOO_LARGE,   /* killed by occ_child_end(); `status` in MB */
	OCC_CHILD_INTERRUPTED, /* killed, because this command was */
	OCC_CHILD_NOT_STARTED, /* `status` is the errno */
};

struct occ_child {
	pid_t pid;
	int words, sounds;   /* what is read from; -1: at its end */
	uint64_t start, end; /* ns of the monotonic clock; end: the limit */
	unsigned limit;	     /* s */
	size_t at;	     /* occ_child_next() */
	enum occ_child_end how;
	int status;
	struct occ_buffer said;	 /* strings, each with its NUL */
	struct occ_buffer noise; /* the end of it */
	uint64_t took;		 /* ns */
};

/*
 * Starts a child. What can't be started has ended: see `how`. `limit` in
 * seconds.
 */
void occ_child_start(struct occ_child *child, int (*work)(void *data),
		     void *data, unsigned limit);

/*
 * Waits until one of the children that ran has ended, and gives it; NULL: none
 * was running.
 */
struct occ_child *occ_child_wait_any(struct occ_child *const *children,
				     size_t count);

/*
 * For children that are told what to do, one thing after the other
 * (cli/worker.h). Looks after all of them, and returns when one has said
 * something that wasn't taken yet or has ended, or after a moment.
 */
void occ_child_watch(struct occ_child *const *children, size_t count);

/* From now on it has so many seconds; 0: any number. */
void occ_child_extend(struct occ_child *child, unsigned limit);

/* Kills one that runs, for that reason. */
void occ_child_end(struct occ_child *child, enum occ_child_end how, int status);

/* How many whole things it has said that weren't taken. */
size_t occ_child_pending(const struct occ_child *child);

/* What was taken is gone. */
void occ_child_forget(struct occ_child *child);

/* Both at once. */
void occ_child_run(struct occ_child *child, int (*work)(void *data), void *data,
		   unsigned limit);

/* The next thing that it said, whole; NULL: that was all. */
const char *occ_child_next(struct occ_child *child);

/*
 * Why it is no good: "it crashed (Segmentation fault)", with the last line that
 * it printed. To be freed.
 */
char *occ_child_reason(const struct occ_child *child);

void occ_child_release(struct occ_child *child);

/*
 * In the child, which may become another program: the number of the descriptor
 * that it speaks through, which is to be kept open; and there, the same.
 */
int occ_child_voice(void);
bool occ_child_resume(int voice);

/* In the child. */
void occ_child_say(const char *text);
void occ_child_say_number(uint64_t number);

/*
 * From here, or the first child, on SIGINT, SIGTERM, SIGHUP and SIGPIPE don't
 * end the command at once: it has to clean up. Did one come? Then, at the end,
 * the last call, which ends the command by that signal, or does nothing.
 */
void occ_child_catch_signals(void);
bool occ_child_interrupted(void);
void occ_child_pass_interrupt(void);

#endif
