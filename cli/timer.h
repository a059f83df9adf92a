/* SPDX-License-Identifier: MIT */
/*
 * The units by which systemd starts `oclcache upgrade` every day, in the
 * sessions of users. cli/activation.h says where they are.
 */
#ifndef OCC_CLI_TIMER_H
#define OCC_CLI_TIMER_H

#include <stdbool.h>

/*
 * Can a unit start this command by its path? systemd takes none with quotes,
 * backslashes or control characters in it, quoted or not, and no line that
 * isn't UTF-8. False after an error was shown.
 */
bool occ_timer_is_possible(void);

/*
 * The texts of the service, which starts this command, and of the timer; to be
 * freed.
 */
char *occ_timer_service(void);
char *occ_timer_text(void);

#endif
