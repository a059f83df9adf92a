/* SPDX-License-Identifier: MIT */
/*
 * Of libsodium only what needs no sodium_init(): that would choose faster code
 * for this CPU, and open a source of random numbers.
 */
#include "cache/signature.h"

#include <sodium.h>
#include <string.h>

_Static_assert(OCC_PUBLIC_KEY_SIZE == crypto_sign_PUBLICKEYBYTES, "ed25519");
_Static_assert(OCC_SECRET_KEY_SIZE == crypto_sign_SECRETKEYBYTES, "ed25519");
_Static_assert(OCC_SIGNATURE_SIZE == crypto_sign_BYTES, "ed25519");
_Static_assert(OCC_SECURE_DIGEST_SIZE == crypto_generichash_BYTES, "BLAKE2b");

#define BASE64_SIZE(bytes)                                                     \
	sodium_base64_ENCODED_LEN(bytes, sodium_base64_VARIANT_ORIGINAL)

static void hash_part(crypto_generichash_state *state, const void *data,
		      size_t size)
{
	unsigned char length[8];

	occ_put_u64(length, size);
	crypto_generichash_update(state, length, sizeof(length));
	if (size)
		crypto_generichash_update(state, data, size);
}

void occ_secure_digest_of(const char *domain, const struct occ_span *parts,
			  size_t count, struct occ_secure_digest *ret_digest)
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, OCC_SECURE_DIGEST_SIZE);
	hash_part(&state, domain, strlen(domain));
	for (size_t i = 0; i < count; i++)
		hash_part(&state, parts[i].data, parts[i].size);
	crypto_generichash_final(&state, ret_digest->bytes,
				 OCC_SECURE_DIGEST_SIZE);
}

bool occ_key_name_is_good(struct occ_span name)
{
	static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789._-";

	if (!name.size || name.size > OCC_KEY_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.size; i++)
		if (!memchr(good, name.data[i], sizeof(good) - 1))
			return false;
	return true;
}

static bool is_blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct occ_span trim(struct occ_span line)
{
	while (line.size && is_blank(*line.data)) {
		line.data++;
		line.size--;
	}
	while (line.size && is_blank(line.data[line.size - 1]))
		line.size--;
	return line;
}

/* "NAME:BASE64" of exactly `size` bytes. */
static bool parse(struct occ_span line, char *ret_name,
		  unsigned char *ret_bytes, size_t size)
{
	const unsigned char *colon;
	struct occ_span name;
	const char *text, *end;
	size_t decoded;

	line = trim(line);
	colon = line.size ? memchr(line.data, ':', line.size) : NULL;
	if (!colon)
		return false;
	name = (struct occ_span){line.data, (size_t)(colon - line.data)};
	text = (const char *)colon + 1;
	if (!occ_key_name_is_good(name) ||
	    sodium_base642bin(ret_bytes, size, text, line.size - name.size - 1,
			      NULL, &decoded, &end,
			      sodium_base64_VARIANT_ORIGINAL) ||
	    decoded != size || end != (const char *)line.data + line.size)
		return false;
	memset(ret_name, 0, OCC_KEY_NAME_MAX + 1);
	memcpy(ret_name, name.data, name.size);
	return true;
}

bool occ_public_key_parse(struct occ_span line, struct occ_public_key *ret_key)
{
	return parse(line, ret_key->name, ret_key->bytes, OCC_PUBLIC_KEY_SIZE);
}

bool occ_signing_key_parse(struct occ_span line,
			   struct occ_signing_key *ret_key)
{
	struct occ_signing_key made;
	struct occ_public_key public;
	bool good =
		parse(line, ret_key->name, ret_key->bytes, OCC_SECRET_KEY_SIZE);

	if (good) {
		crypto_sign_seed_keypair(public.bytes, made.bytes,
					 ret_key->bytes);
		good = !sodium_memcmp(made.bytes, ret_key->bytes,
				      OCC_SECRET_KEY_SIZE);
		occ_signing_key_wipe(&made);
	}
	if (!good)
		occ_signing_key_wipe(ret_key);
	return good;
}

static void print(const char *name, const unsigned char *bytes, size_t size,
		  struct occ_buffer *line)
{
	char text[BASE64_SIZE(OCC_SECRET_KEY_SIZE)];

	sodium_bin2base64(text, sizeof(text), bytes, size,
			  sodium_base64_VARIANT_ORIGINAL);
	occ_buffer_append(line, name, strlen(name));
	occ_buffer_append(line, ":", 1);
	occ_buffer_append(line, text, strlen(text));
	sodium_memzero(text, sizeof(text));
}

void occ_public_key_print(const struct occ_public_key *key,
			  struct occ_buffer *line)
{
	print(key->name, key->bytes, OCC_PUBLIC_KEY_SIZE, line);
}

void occ_signing_key_print(const struct occ_signing_key *key,
			   struct occ_buffer *line)
{
	print(key->name, key->bytes, OCC_SECRET_KEY_SIZE, line);
}

void occ_signing_key_public(const struct occ_signing_key *key,
			    struct occ_public_key *ret_key)
{
	memcpy(ret_key->name, key->name, sizeof(ret_key->name));
	memcpy(ret_key->bytes,
	       key->bytes + OCC_SECRET_KEY_SIZE - OCC_PUBLIC_KEY_SIZE,
	       OCC_PUBLIC_KEY_SIZE);
}

void occ_signing_key_wipe(struct occ_signing_key *key)
{
	sodium_memzero(key, sizeof(*key));
}

void occ_sign(const struct occ_signing_key *key,
	      const struct occ_secure_digest *digest,
	      struct occ_signature *ret_signature)
{
	memcpy(ret_signature->name, key->name, sizeof(ret_signature->name));
	crypto_sign_detached(ret_signature->bytes, NULL, digest->bytes,
			     sizeof(digest->bytes), key->bytes);
}

bool occ_signature_is_good(const struct occ_trusted_keys *keys,
			   const struct occ_secure_digest *digest,
			   const struct occ_signature *signature)
{
	/* Two may have chosen the same name. */
	for (size_t i = 0; i < keys->count; i++)
		if (!strcmp(keys->keys[i].name, signature->name) &&
		    !crypto_sign_verify_detached(signature->bytes,
						 digest->bytes,
						 sizeof(digest->bytes),
						 keys->keys[i].bytes))
			return true;
	return false;
}
