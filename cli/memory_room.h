/* SPDX-License-Identifier: MIT */
/*
 * Is there memory for one more process that compiles?
 */
#ifndef OCC_CLI_MEMORY_ROOM_H
#define OCC_CLI_MEMORY_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One that takes as much as `peak`, the most that one like it had, and half as
 * much again, but at least 512 MB. True where it isn't known.
 */
bool occ_memory_room_for(uint64_t peak);

#endif
