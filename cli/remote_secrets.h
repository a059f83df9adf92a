/* SPDX-License-Identifier: MIT */
/*
 * What of OCLCACHE_REMOTE isn't for people to see, or for files that all can
 * read: passwords and queries in its URL, and attributes for the helper that
 * are secrets as they are. Those whose value is a file's or a variable's name
 * (-file, -env) aren't.
 *
 * Threads: no state.
 */
#ifndef OCC_CLI_REMOTE_SECRETS_H
#define OCC_CLI_REMOTE_SECRETS_H

#include <stdbool.h>

/* Is there "user:password@" in the URL, or a web server's "?QUERY"? */
bool occ_remote_secrets_in_url(const char *url);

/* Is the value of an attribute of that name, without '@', one? */
bool occ_remote_secrets_is_one(const char *key);

/* The setting, well-formed or not, with "..." for secrets; to be freed. */
char *occ_remote_secrets_hide(const char *setting);

#endif
