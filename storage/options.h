/* SPDX-License-Identifier: MIT */
/*
 * What a helper was started with: a URL, attributes (CRSH_... variables of
 * ccache's protocol, or OCLCACHE_REMOTE), and what they come to. Values of
 * attributes that are secrets come from a file or a variable (NAME-file=PATH,
 * NAME-env=VARIABLE) or as they are; none is ever printed.
 *
 * Attributes of every server: connect-timeout, request-timeout (seconds, or
 * with "ms" or "s"), queue-size (bytes, or with k, M, G), queue-count,
 * connections, compress (BOOL). Others are the backend's.
 *
 * Once it is made it isn't changed: any thread may read it.
 */
#ifndef OCC_STORAGE_OPTIONS_H
#define OCC_STORAGE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct occ_storage_attribute {
	char *key;
	char *value;
};

struct occ_storage_options {
	char *scheme;  /* in lower case */
	char *host;    /* without brackets; "" of redis+unix */
	unsigned port; /* 0: the scheme's */
	char *path;    /* decoded; the prefix; of redis+unix the socket */
	char *query; /* as it was written, without '?'; NULL: none; a secret */
	char *user, *password; /* of the URL; NULL: none; secrets */
	char *shown;	       /* the URL without what is secret, for people */
	struct occ_storage_attribute *attributes;
	size_t attribute_count;
	/* Milliseconds. */
	unsigned connect_ms;  /* default 2000; attribute connect-timeout */
	unsigned request_ms;  /* default 10000; attribute request-timeout */
	unsigned idle_s;      /* 0: never ends by itself */
	uint64_t queue_bytes; /* default 256 MiB; attribute queue-size */
	unsigned queue_count; /* default 1024; attribute queue-count */
	unsigned connections; /* default 16, at most; attribute connections */
	bool compresses;      /* default true; attribute compress */
};

/*
 * Understands the URL, and makes an empty list of attributes. False: `problem`
 * (of `size` bytes) says what is wrong, without what could be a secret. In both
 * cases *ret_options is to be released.
 */
bool occ_storage_options_begin(struct occ_storage_options *ret_options,
			       const char *url, char *problem, size_t size);
/* False: out of memory. */
bool occ_storage_options_add(struct occ_storage_options *options,
			     const char *key, const char *value);
/* Understands the attributes of every server. */
bool occ_storage_options_end(struct occ_storage_options *options, char *problem,
			     size_t size);
void occ_storage_options_release(struct occ_storage_options *options);

/* All of that from the variables CRSH_URL, CRSH_NUM_ATTR, ... */
bool occ_storage_options_from_crsh(struct occ_storage_options *ret_options,
				   char *problem, size_t size);

/* NULL: there is none of that name; of several the last. */
const char *occ_storage_attribute(const struct occ_storage_options *options,
				  const char *key);

/* "": the default. False: it is neither yes nor no. */
bool occ_storage_bool(const struct occ_storage_options *options,
		      const char *key, bool otherwise, bool *ret_value);

/*
 * For a backend's check(): is each attribute one of every server, or of `known`
 * (a NULL at the end)? A name in `secrets` stands for NAME, NAME-file and
 * NAME-env, of which files must be absolute: a helper changes its directory.
 */
bool occ_storage_attributes_check(const struct occ_storage_options *options,
				  const char *const *known,
				  const char *const *secrets, char *problem,
				  size_t size);

/*
 * A secret by the attributes KEY, KEY-file and KEY-env, to be wiped and freed
 * with occ_storage_secret_free(); NULL: none, or it can't be read, then
 * `problem` (of `size` bytes) says so, else it is "". Blanks and line ends
 * behind it aren't part of it.
 */
char *occ_storage_secret(const struct occ_storage_options *options,
			 const char *key, char *problem, size_t size);
void occ_storage_secret_free(char *secret);

#endif
