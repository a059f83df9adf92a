/* SPDX-License-Identifier: MIT */
#include "cli/priority.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NICEST	    19

/* Of linux/ioprio.h, which older headers haven't. */
#define WHO_PROCESS 1
#define CLASS_IDLE  3
#define CLASS_SHIFT 13

void occ_priority_lower(void)
{
	struct sched_param param = {.sched_priority = 0};

	/* Each is worth having without the others. */
	(void)!setpriority(PRIO_PROCESS, 0, NICEST);
	(void)!sched_setscheduler(0, SCHED_IDLE, &param);
	(void)!syscall(SYS_ioprio_set, WHO_PROCESS, 0,
		       CLASS_IDLE << CLASS_SHIFT);
}
