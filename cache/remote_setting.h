/* SPDX-License-Identifier: MIT */
/*
 * OCLCACHE_REMOTE: where the remote storage is, as ccache writes it: a URL,
 * and behind it, with blanks between, attributes.
 *
 *	https://cache.example.org/kernels read-only
 *@bearer-token-file=/run/token crsh:/run/user/1000/storage.socket
 *
 * "crsh:PATH" is the socket of a helper that somebody else runs. Of any other
 * URL the socket follows from the setting: occ_remote_setting_socket().
 *
 * Attributes without '@' are for who asks the helper: read-only[=BOOL] (nothing
 * is put), unsigned=accept (entries that nobody has signed are taken from this
 * server; cache/signed_entry.h), helper=PATH (the program that `oclcache run`
 * starts; else oclcache-storage beside the command, then in $PATH). Those with
 * '@' are handed to the helper, which knows what they mean (CRSH_ATTR_KEY_...).
 * Blanks, '%' and '@' in values are written %20, %25, %40. An attribute that
 * isn't known is an error: a credential that isn't used must not go unnoticed.
 *
 * Memory only, no I/O, but for a look whether /run/user/<uid> exists. Any
 * thread.
 */
#ifndef OCC_CACHE_REMOTE_SETTING_H
#define OCC_CACHE_REMOTE_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#define OCC_REMOTE_ATTRIBUTES_MAX 32

struct occ_remote_attribute {
	const char *key;   /* without '@' */
	const char *value; /* decoded; "" where there is none */
};

struct occ_remote_setting {
	const char *url;
	bool read_only;
	bool accepts_unsigned;
	const char *helper; /* NULL: the usual one */
	/* Those for the helper. */
	struct occ_remote_attribute attributes[OCC_REMOTE_ATTRIBUTES_MAX];
	size_t attribute_count;
	char *text;	  /* what all of it points into */
	char problem[96]; /* occ_remote_setting_parse()'s */
};

/*
 * Understands the text of the setting. NULL: it is well-formed, and
 * *ret_setting is to be released; else what is wrong, such as "unknown
 * attribute \"read-onyl\"", valid as long as *ret_setting. Of values, which may
 * be secret, nothing is in it.
 */
const char *occ_remote_setting_parse(const char *text,
				     struct occ_remote_setting *ret_setting);
void occ_remote_setting_release(struct occ_remote_setting *setting);

/*
 * The absolute path of the helper's socket into `path`: of crsh: what it says,
 * else DIRECTORY/oclcache-<16 hex digits of the digest of url and the helper's
 * attributes>.socket, where DIRECTORY is $XDG_RUNTIME_DIR, or
 * /run/user/<uid> where that is unset and it exists, or else
 * /tmp/oclcache-<uid>. False: it doesn't fit in `size` or in a sockaddr_un, or
 * there is no memory.
 */
bool occ_remote_setting_socket(const struct occ_remote_setting *setting,
			       char *path, size_t size);

#endif
