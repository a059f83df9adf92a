/* SPDX-License-Identifier: MIT */
/*
 * Is the application changing its environment? Drivers call getenv(), which
 * before glibc 2.41 may follow what setenv() of another thread has just freed;
 * a thread of ours that calls a driver keeps back meanwhile.
 */
#ifndef OCC_LAYER_BASE_ENVIRONMENT_WATCH_H
#define OCC_LAYER_BASE_ENVIRONMENT_WATCH_H

#include <stdbool.h>

/*
 * Has a variable been added, or taken away, since the last call? The first one
 * says yes. Reads no variable. Any thread, with or without locks.
 */
bool occ_environment_watch(void);

#endif
