/* SPDX-License-Identifier: MIT */
/*
 * Room in a store for what is compiled ahead. Programs that come to need room
 * take what was used longest ago; nobody has asked for what is compiled here,
 * so it takes less: never what was used later.
 */
#ifndef OCC_CLI_REPLAY_ROOM_H
#define OCC_CLI_REPLAY_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Removes the least recently used entries from the store in that directory, of
 * those alone whose last use is before a time, s since 1970, until that is an
 * eighth of the maximum, in bytes. False: none were removed.
 */
bool occ_replay_room_make(const char *directory, uint64_t max_size,
			  int64_t before);

#endif
