/* SPDX-License-Identifier: MIT */
/*
 * Where a helper finds what it is for: the variables of ccache's protocol, if
 * CRSH_IPC_ENDPOINT is set and it has no arguments, else a URL on its command
 * line, or the setting OCLCACHE_REMOTE of the environment or a configuration
 * file (cache/settings.h).
 */
#ifndef OCC_STORAGE_CONFIGURATION_H
#define OCC_STORAGE_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "storage/options.h"

#define OCC_STORAGE_IDLE_S 600

struct occ_storage_configuration {
	struct occ_storage_options options;
	char socket[108];
};

/* True: ccache's variables, or those that `oclcache run` sets, are there. */
bool occ_configuration_has_crsh(void);

/* False: `problem` says why. To be released in both cases. */
bool occ_configuration_from_crsh(struct occ_storage_configuration *ret,
				 char *problem, size_t size);

/* `url`: NULL, or one without what is secret, of the command line. */
bool occ_configuration_from_setting(const char *url,
				    struct occ_storage_configuration *ret,
				    char *problem, size_t size);

/* The socket alone, for who only wants to talk to a helper. */
bool occ_configuration_socket(const char *url, char *socket, size_t socket_size,
			      char *problem, size_t size);

void occ_configuration_release(struct occ_storage_configuration *configuration);

#endif
