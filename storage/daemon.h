/* SPDX-License-Identifier: MIT */
/* A helper from its start to its end. */
#ifndef OCC_STORAGE_DAEMON_H
#define OCC_STORAGE_DAEMON_H

#include <stdbool.h>

#include "storage/configuration.h"

/*
 * Closes what was inherited, but for the standard streams and a service
 * manager's socket: to be called before anything is opened.
 */
void occ_daemon_close_inherited(void);

/*
 * Checks the options, listens and serves. `in_background`: it is done by a
 * child in a session of its own, and this returns when that listens, or
 * doesn't. What is wrong is said on standard error. Else it doesn't return: the
 * process ends.
 *
 * The exit status: 0, also in the background where another helper listens
 * already, or 1.
 */
int occ_daemon_run(const struct occ_storage_configuration *configuration,
		   bool in_background);

#endif
