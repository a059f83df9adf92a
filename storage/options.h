/* SPDX-License-Identifier: MIT */
/*
 * What a helper was started with: a URL, attributes (CRSH_... variables of
 * ccache's protocol, or `oclcache-storage --url`), and what they come to.
 * Values of attributes that are secrets come from a file or a variable
 * (NAME-file=PATH, NAME-env=VARIABLE) or as they are; none is ever printed.
 */
#ifndef OCC_STORAGE_OPTIONS_H
#define OCC_STORAGE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct occ_storage_attribute {
	char *key;
	char *value;
};

struct occ_storage_options {
	char *scheme;  /* in lower case */
	char *host;    /* without brackets; "" of redis+unix */
	unsigned port; /* 0: the scheme's */
	char *path;    /* decoded; the prefix; of redis+unix the socket */
	char *query;   /* behind '?', as it is; NULL: none */
	char *user, *password; /* of the URL; NULL: none; secrets */
	struct occ_storage_attribute *attributes;
	size_t attribute_count;
	/* Milliseconds. */
	unsigned connect_ms; /* default 2000; attribute connect-timeout */
	unsigned request_ms; /* default 10000; attribute request-timeout */
	unsigned idle_s;     /* 0: never ends by itself */
};

/* NULL: there is none of that name. */
const char *occ_storage_attribute(const struct occ_storage_options *options,
				  const char *key);

/*
 * A secret by the attributes KEY, KEY-file and KEY-env, to be wiped and freed
 * with occ_storage_secret_free(); NULL: none, or it can't be read, then
 * `problem` (of `size` bytes) says so, else it is "".
 */
char *occ_storage_secret(const struct occ_storage_options *options,
			 const char *key, char *problem, size_t size);
void occ_storage_secret_free(char *secret);

#endif
