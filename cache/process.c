/* SPDX-License-Identifier: MIT */
#include "cache/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"

/* The names of processes are short. */
#define TEXT_SIZE  1024

/*
 * Of the kernel's flags: it ends (PF_EXITING, include/linux/sched.h). Set
 * before its files are closed, while it becomes a zombie only after that.
 */
#define IS_EXITING 4

/*
 * The numbers of proc(5) behind the state, which is the third: the fourth is
 * fields[4]. Some are negative, none that is used here.
 */
#define FIELDS	   23

bool occ_process_look(pid_t pid, struct occ_process *ret_process)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK), fields[FIELDS];
	char path[64], text[TEXT_SIZE], *rest, *end, state;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if (pid <= 0 || occ_file_read_kernel(path, text, sizeof(text)) < 0)
		return false;
	/* The name may have anything in it. */
	rest = strrchr(text, ')');
	if (!rest || strlen(rest) < 4)
		return false;
	state = rest[2];
	rest += 3;
	for (int i = 4; i < FIELDS; i++, rest = end) {
		fields[i] = strtoull(rest, &end, 10);
		if (end == rest)
			return false;
	}
	ret_process->start = fields[22];
	/* utime, stime, cutime, cstime */
	ret_process->cpu = (fields[14] + fields[15] + fields[16] + fields[17]) *
			   1000 / ticks;
	ret_process->stopped = state == 'T' || state == 't';
	ret_process->runnable = state == 'R';
	return state != 'Z' && state != 'X' && !(fields[9] & IS_EXITING);
}
