/* SPDX-License-Identifier: MIT */
/*
 * The units by which systemd listens in the place of the remote storage's
 * helper in the sessions of users, and starts it when somebody asks.
 * cli/activation.h says where they are.
 */
#ifndef OCC_CLI_REMOTE_UNITS_H
#define OCC_CLI_REMOTE_UNITS_H

/* `name`: the socket's in $XDG_RUNTIME_DIR. To be freed. */
char *occ_remote_units_socket(const char *name);

/* `program`: the helper's path, such as systemd takes. To be freed. */
char *occ_remote_units_service(const char *program);

#endif
