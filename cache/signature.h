/* SPDX-License-Identifier: MIT */
/*
 * ed25519 keys with names, as Nix has them, and what they sign. libsodium does
 * the cryptography (linked statically, and hidden in the layer; of it only what
 * needs no initialisation and no random numbers).
 *
 * A *public key* is a line "NAME:BASE64" (32 bytes), a *secret key* one
 * "NAME:BASE64" (64 bytes). A name is 1 to 64 of [A-Za-z0-9._-], such as
 * cache.example.org-1, so that keys can be replaced: several are trusted at
 * once.
 *
 * Trusted keys are the lines of
 *
 *	/etc/oclcache/trusted-keys
 *	$XDG_CONFIG_HOME/oclcache/trusted-keys, else $HOME/.config/oclcache/...
 *
 * or, if OCLCACHE_TRUSTED_KEYS=FILE:FILE is set, of those files, and the public
 * half of the user's own signing key, for whoever has that can sign anyway.
 * Empty lines and such that begin with '#' are comments. A file is heeded by
 * the rules of cache/settings.h: a regular one, the user's or root's, that
 * nobody else can write. The secret key that signs is in
 * $XDG_CONFIG_HOME/oclcache/signing-key (else below $HOME/.config), or in
 * OCLCACHE_SIGNING_KEY=FILE: the user's, and readable by nobody else. What a
 * program has of a secret key it wipes (occ_signing_key_wipe()).
 *
 * Threads: no state; a struct is its caller's. What reads files is as getenv().
 */
#ifndef OCC_CACHE_SIGNATURE_H
#define OCC_CACHE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/error.h"
#include "cache/settings.h"
#include "hash/buffer.h"

#define OCC_SIGNING_KEY_FILE   "signing-key"
#define OCC_TRUSTED_KEYS_FILE  "trusted-keys"

#define OCC_KEY_NAME_MAX       64
#define OCC_PUBLIC_KEY_SIZE    32
#define OCC_SECRET_KEY_SIZE    64
#define OCC_SIGNATURE_SIZE     64
#define OCC_SECURE_DIGEST_SIZE 32
#define OCC_TRUSTED_KEYS_MAX   64

/* BLAKE2b with 32 bytes, of parts one after the other. */
struct occ_secure_digest {
	unsigned char bytes[OCC_SECURE_DIGEST_SIZE];
};
/*
 * `domain` tells what is hashed, so that nothing stands for something else.
 * Each part counts with its length: no two lists of parts give the same bytes.
 */
void occ_secure_digest_of(const char *domain, const struct occ_span *parts,
			  size_t count, struct occ_secure_digest *ret_digest);

struct occ_public_key {
	char name[OCC_KEY_NAME_MAX + 1];
	unsigned char bytes[OCC_PUBLIC_KEY_SIZE];
};

struct occ_trusted_keys {
	struct occ_public_key keys[OCC_TRUSTED_KEYS_MAX];
	size_t count;
};

struct occ_signing_key {
	char name[OCC_KEY_NAME_MAX + 1];
	unsigned char bytes[OCC_SECRET_KEY_SIZE];
};

struct occ_signature {
	char name[OCC_KEY_NAME_MAX + 1]; /* of the key */
	unsigned char bytes[OCC_SIGNATURE_SIZE];
};

/* Is it one of a key? */
bool occ_key_name_is_good(struct occ_span name);

/*
 * Blanks around the line, and a '\r' at its end, don't count. Of a secret key
 * the halves must be of each other, else what it signs would give it away.
 */
bool occ_public_key_parse(struct occ_span line, struct occ_public_key *ret_key);
bool occ_signing_key_parse(struct occ_span line,
			   struct occ_signing_key *ret_key);
void occ_public_key_print(const struct occ_public_key *key,
			  struct occ_buffer *line);
void occ_signing_key_print(const struct occ_signing_key *key,
			   struct occ_buffer *line);
void occ_signing_key_public(const struct occ_signing_key *key,
			    struct occ_public_key *ret_key);
void occ_signing_key_wipe(struct occ_signing_key *key);

/*
 * The directory "oclcache" of the user's configuration, where the files above
 * are, or `name` in it; `name` "" is the directory. False: there is none
 * ($HOME isn't set), or it doesn't fit.
 */
bool occ_signature_path(const char *name, char *path, size_t size);

/*
 * The file of the signing key: what is set, else that above. False as above.
 * `settings` are those that occ_settings_read() has read.
 */
bool occ_signing_key_path(const struct occ_settings *settings, char *path,
			  size_t size);

/*
 * Of files that can't be heeded, or lines that aren't keys, the rest counts;
 * `line` is 0 for a whole file. What is missing is a problem only where it was
 * set. `problem` may be NULL.
 */
typedef void (*occ_signature_problem)(void *data, const char *file,
				      unsigned line, const char *problem);
void occ_trusted_keys_read(const struct occ_settings *settings,
			   struct occ_trusted_keys *ret_keys,
			   occ_signature_problem problem, void *data);

/* The files that would be read, in their order, until `visit` is false. */
typedef bool (*occ_trusted_keys_visit)(void *data, const char *file);
void occ_trusted_keys_files(const struct occ_settings *settings,
			    occ_trusted_keys_visit visit, void *data);

/*
 * The keys of one file, behind those that are there; `must_exist`: if it isn't,
 * that is a problem.
 */
void occ_trusted_keys_add_file(const char *file, bool must_exist,
			       struct occ_trusted_keys *keys,
			       occ_signature_problem problem, void *data);

/* Is a line of such files, or of a signing key's, empty or a comment? */
bool occ_key_line_is_comment(struct occ_span line);

/* False: there are too many. One that is there already isn't added. */
bool occ_trusted_keys_add(struct occ_trusted_keys *keys,
			  const struct occ_public_key *key);

/* Is any of that name? */
bool occ_trusted_keys_have(const struct occ_trusted_keys *keys,
			   const char *name);

/*
 * OCC_OK, OCC_E_NOT_FOUND (there is none), OCC_E_FORBIDDEN (the file can't be
 * heeded) or OCC_E_CORRUPT (it has no key, or several); of failures
 * *ret_problem, unless NULL, is what is wrong, such as "isn't there".
 */
int occ_signing_key_read(const struct occ_settings *settings,
			 struct occ_signing_key *ret_key,
			 const char **ret_problem);
int occ_signing_key_read_file(const char *file, struct occ_signing_key *ret_key,
			      const char **ret_problem);

void occ_sign(const struct occ_signing_key *key,
	      const struct occ_secure_digest *digest,
	      struct occ_signature *ret_signature);

/* Is it by one of these keys, of that name, of this digest? */
bool occ_signature_is_good(const struct occ_trusted_keys *keys,
			   const struct occ_secure_digest *digest,
			   const struct occ_signature *signature);

#endif
