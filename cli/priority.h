/* SPDX-License-Identifier: MIT */
/*
 * Work that nobody waits for: it gets the processors and disks when nobody else
 * wants them.
 */
#ifndef OCC_CLI_PRIORITY_H
#define OCC_CLI_PRIORITY_H

/*
 * This process, and what it starts, from now on: nice 19, SCHED_IDLE and the
 * idle class of input and output. What the system doesn't allow stays.
 */
void occ_priority_lower(void);

#endif
