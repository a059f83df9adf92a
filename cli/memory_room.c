/* SPDX-License-Identifier: MIT */
#include "cli/memory_room.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"

#define LEAST	  (UINT64_C(512) << 20)
#define AVAILABLE "MemAvailable:"

bool occ_memory_room_for(uint64_t peak)
{
	char text[4096];
	const char *at = NULL;
	uint64_t needed = peak + peak / 2;

	if (occ_file_read_kernel("/proc/meminfo", text, sizeof(text)) >= 0)
		at = strstr(text, AVAILABLE);
	if (!at)
		return true;
	/* In kB, as it says. */
	return strtoull(at + strlen(AVAILABLE), NULL, 10) * 1024 >=
	       (needed > LEAST ? needed : LEAST);
}
