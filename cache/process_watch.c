/* SPDX-License-Identifier: MIT */
#include "cache/process_watch.h"

#include "cache/file.h"
#include "cache/process.h"

#define NS_PER_MS UINT64_C(1000000)

/* Between two looks at what a process computes. */
#define LOOK	  (50 * NS_PER_MS)

/*
 * A tick is 10 ms as a rule, and threads that wait for one another compute a
 * little. Who is stopped may be so for a moment (strace).
 */
#define STALL	  (2000 * NS_PER_MS)
#define STOPPED	  (300 * NS_PER_MS)
#define BUSY_MS	  10

/* For one of whom nothing is known. */
#define UNSEEN	  (10000 * NS_PER_MS)

void occ_process_watch_begin(struct occ_process_watch *watch, pid_t pid)
{
	struct occ_process process = {0};

	watch->pid = pid;
	watch->since = watch->looked = occ_file_clock();
	watch->seen = occ_process_look(pid, &process);
	watch->start = process.start;
	watch->cpu = process.cpu;
}

bool occ_process_watch_is_alive(const struct occ_process_watch *watch)
{
	struct occ_process process;

	return !watch->seen || (occ_process_look(watch->pid, &process) &&
				process.start == watch->start);
}

bool occ_process_watch_is_busy(struct occ_process_watch *watch)
{
	struct occ_process process = {0};
	uint64_t time = occ_file_clock();

	if (!watch->seen)
		return time - watch->since < UNSEEN;
	if (time - watch->looked < LOOK)
		return true;
	watch->looked = time;
	if (!occ_process_look(watch->pid, &process) ||
	    process.cpu - watch->cpu >= BUSY_MS) {
		watch->cpu = process.cpu;
		watch->since = time;
	}
	return time - watch->since < (process.stopped ? STOPPED : STALL);
}
