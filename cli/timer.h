/* SPDX-License-Identifier: MIT */
/*
 * The units by which systemd starts `oclcache replay --stale` and `oclcache
 * upgrade`, in the sessions of users: every day, and when the package says that
 * a driver was installed. cli/activation.h says where they are.
 */
#ifndef OCC_CLI_TIMER_H
#define OCC_CLI_TIMER_H

#include <stdbool.h>

/* What the package's trigger touches (packaging/debian). */
#define OCC_TIMER_STAMP "/var/lib/oclcache/drivers-changed"

/*
 * Can a unit start this command by its path? systemd takes none with quotes,
 * backslashes or control characters in it, quoted or not, and no line that
 * isn't UTF-8. False after an error was shown.
 */
bool occ_timer_is_possible(void);

/* The same of another program's. */
bool occ_timer_is_possible_path(const char *path);

/* The path as a unit has it, to be freed. */
char *occ_timer_escape(const char *path);

/*
 * The texts of the service, which starts this command, of the timer, and of
 * what waits for drivers; to be freed.
 */
char *occ_timer_service(void);
char *occ_timer_text(void);
char *occ_timer_path(void);

#endif
