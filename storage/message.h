/* SPDX-License-Identifier: MIT */
/* What the helper says to who starts it, on standard error. */
#ifndef OCC_STORAGE_MESSAGE_H
#define OCC_STORAGE_MESSAGE_H

/* "oclcache-storage: ...", a line. */
__attribute__((format(printf, 1, 2))) void occ_storage_say(const char *format,
							   ...);

#endif
