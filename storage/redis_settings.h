/* SPDX-License-Identifier: MIT */
/*
 * What a Redis storage's URL and attributes say. URLs are as ccache has them:
 *
 *	redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE]
 *	rediss://...				the same with TLS
 *	redis+unix://[[USER:]PASSWORD@localhost]/SOCKET[?db=DATABASE]
 *
 * Attributes: prefix (of the names of keys; default "ccache"), ttl (seconds
 * until what is put is forgotten; default: never), db, user, password (also
 * password-file, password-env), ca-file, client-cert, client-key.
 *
 * Memory only. Any thread.
 */
#ifndef OCC_STORAGE_REDIS_SETTINGS_H
#define OCC_STORAGE_REDIS_SETTINGS_H

#include "storage/redis_transport.h"

struct occ_storage_options; /* storage/options.h */

struct occ_redis_settings {
	const struct occ_storage_options *options;
	struct occ_redis_address address;
	const char *prefix;
	const char *user; /* NULL: the server's default user */
	/* NULL: the attribute's, if there is one, is read when it is needed. */
	const char *password;
	unsigned database;
	unsigned ttl_s; /* 0: for ever */
};

/*
 * False: *ret_error says what is wrong. All of *ret_settings points into
 * `options`, which have to outlive it.
 */
bool occ_redis_settings_read(const struct occ_storage_options *options,
			     struct occ_redis_settings *ret_settings,
			     struct occ_backend_error *ret_error);

#endif
