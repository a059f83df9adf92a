/* SPDX-License-Identifier: MIT */
/*
 * Leases of keys in Redis, as its documentation has them ("Distributed locks
 * with Redis", of a single instance): a key beside the value's, set only if it
 * isn't there, with a time after which it goes, and the holder's token, which
 * scripts compare so that nobody renews or removes another's. Whether there is
 * a value doesn't matter: it may be one that nobody admits.
 */
#include "storage/redis_internal.h"

#include <stdio.h>

#define LEASE_ENDING	":lease"
#define TOKEN_TEXT_SIZE (2 * 16 + 1)

static const char renew_script[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] "
	"then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end "
	"return 0";

static const char release_script[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] "
	"then return redis.call('DEL', KEYS[1]) end "
	"return 0";

/*
 * Whose holder made nothing that can be shared (it failed, or its driver's
 * binaries are dear) is open to all for a while: those who have waited for it
 * mustn't make it one after the other. Longer than they take to ask again.
 */
#define OPEN_MS 5000

static const char open_script[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] then "
	"redis.call('SET', KEYS[1], 'open', 'PX', ARGV[2]) return 1 end "
	"return 0";

static const char is_open_script[] =
	"if redis.call('GET', KEYS[1]) == 'open' then return 1 end "
	"return 0";

/* What commands are made of. */
struct terms {
	char name[OCC_REDIS_NAME_SIZE];
	char token[TOKEN_TEXT_SIZE];
	char milliseconds[16];
};

static void make_terms(const struct occ_backend_connection *connection,
		       struct occ_span key, const unsigned char token[16],
		       unsigned milliseconds, struct terms *ret_terms)
{
	occ_redis_name(connection, key, LEASE_ENDING, ret_terms->name);
	for (size_t i = 0; i < 16; i++)
		snprintf(ret_terms->token + 2 * i, 3, "%02x", token[i]);
	snprintf(ret_terms->milliseconds, sizeof(ret_terms->milliseconds), "%u",
		 milliseconds);
}

static enum occ_remote_result run(struct occ_backend_connection *connection,
				  const char *script, struct occ_span key,
				  const unsigned char token[16],
				  unsigned milliseconds,
				  struct occ_backend_error *ret_error)
{
	struct terms terms;
	struct occ_span words[6];

	make_terms(connection, key, token, milliseconds, &terms);
	words[0] = occ_redis_word("EVAL");
	words[1] = occ_redis_word(script);
	words[2] = occ_redis_word("1");
	words[3] = occ_redis_word(terms.name);
	words[4] = occ_redis_word(terms.token);
	words[5] = occ_redis_word(terms.milliseconds);
	return occ_redis_count(connection, words, 6, ret_error);
}

enum occ_remote_result occ_redis_lease(
	struct occ_backend_connection *connection, struct occ_span key,
	const unsigned char token[16], unsigned milliseconds,
	struct occ_backend_error *ret_error)
{
	struct terms terms;
	struct occ_span words[6];
	enum occ_remote_result result;

	make_terms(connection, key, token, milliseconds, &terms);
	words[0] = occ_redis_word("SET");
	words[1] = occ_redis_word(terms.name);
	words[2] = occ_redis_word(terms.token);
	words[3] = occ_redis_word("NX");
	words[4] = occ_redis_word("PX");
	words[5] = occ_redis_word(terms.milliseconds);
	result = occ_redis_set(connection, words, 6, ret_error);
	/* It may be the first of two that took it. */
	if (result == OCC_REMOTE_NOOP &&
	    occ_redis_connection_repeated(connection->redis))
		result = occ_redis_renew(connection, key, token, milliseconds,
					 ret_error);
	/* As if it had it; there is nothing to renew or to release. */
	if (result == OCC_REMOTE_NOOP)
		result = run(connection, is_open_script, key, token, 0,
			     ret_error);
	return result;
}

enum occ_remote_result occ_redis_renew(
	struct occ_backend_connection *connection, struct occ_span key,
	const unsigned char token[16], unsigned milliseconds,
	struct occ_backend_error *ret_error)
{
	return run(connection, renew_script, key, token, milliseconds,
		   ret_error);
}

enum occ_remote_result occ_redis_release(
	struct occ_backend_connection *connection, struct occ_span key,
	const unsigned char token[16], bool gave_nothing,
	struct occ_backend_error *ret_error)
{
	if (gave_nothing)
		return run(connection, open_script, key, token, OPEN_MS,
			   ret_error);
	return run(connection, release_script, key, token, 0, ret_error);
}
