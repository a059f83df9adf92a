/* SPDX-License-Identifier: MIT */
/*
 * Sizes, spans of time and moments, as people read and write them.
 *
 * Sizes: 1 kB is 1000 bytes, 1 KiB 1024, as the units are defined (IEC
 * 80000-13) and ccache has them.
 */
#ifndef OCC_CLI_UNITS_H
#define OCC_CLI_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* Room for each of the texts below and its NUL. */
#define OCC_UNITS_SIZE 32

/* "0 B", "999 B", "1.2 kB", "35 MB"; gives `ret_text`. */
const char *occ_units_size(uint64_t bytes, char ret_text[OCC_UNITS_SIZE]);

/* "250 us", "1.5 ms", "12 s", "3.2 min", "5.1 h"; of nanoseconds. */
const char *occ_units_time(uint64_t nanoseconds, char ret_text[OCC_UNITS_SIZE]);

/* How long ago: "now", "5 min", "3 h", "12 d", "2 y"; of seconds. */
const char *occ_units_age(int64_t seconds, char ret_text[OCC_UNITS_SIZE]);

/* "2026-11-22 15:04:05", local time, of seconds since 1970. */
const char *occ_units_moment(int64_t seconds, char ret_text[OCC_UNITS_SIZE]);

/*
 * "500", "500k", "1.5M", "2GB", "2GiB" in bytes; "90s", "15m", "12h", "30d",
 * "2w" in seconds. A number alone is no age, but for 0. False for anything
 * else.
 */
bool occ_units_parse_size(const char *text, uint64_t *ret_bytes);
bool occ_units_parse_age(const char *text, int64_t *ret_seconds);

/*
 * Seconds since 1970 of "7d", which is so long ago; of "2026-11-01", when that
 * day begins in UTC; and of "2026-11-01 15:04" or "2026-11-01T15:04:05", local
 * time. False for anything else.
 */
bool occ_units_parse_moment(const char *text, int64_t *ret_seconds);

#endif
