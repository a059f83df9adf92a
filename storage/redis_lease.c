/* SPDX-License-Identifier: MIT */
/*
 * Leases of keys in Redis, as its documentation has them ("Distributed locks
 * with Redis", of a single instance): a key beside the value's, set only if it
 * isn't there, with a time after which it goes, and the holder's token, which
 * scripts compare so that nobody renews or removes another's.
 */
#include "storage/redis_internal.h"

#include <stdio.h>

#define LEASE_ENDING	":lease"
#define TOKEN_TEXT_SIZE (2 * 16 + 1)

/*
 * Not where the value is there by now: who missed it before it was put, and
 * asks for the lease when that was released, is to look again.
 */
static const char take_script[] =
	"if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end "
	"if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) "
	"then return 1 end "
	"return 0";

static const char renew_script[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] "
	"then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end "
	"return 0";

static const char release_script[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] "
	"then return redis.call('DEL', KEYS[1]) end "
	"return 0";

static void format_token(const unsigned char token[16],
			 char ret_text[TOKEN_TEXT_SIZE])
{
	for (size_t i = 0; i < 16; i++)
		snprintf(ret_text + 2 * i, 3, "%02x", token[i]);
}

/* EVAL SCRIPT 2 LEASE VALUE TOKEN TIME: for each script, which takes its own.
 */
static enum occ_remote_result run(struct occ_backend_connection *connection,
				  const char *script, struct occ_span key,
				  const unsigned char token[16],
				  unsigned milliseconds,
				  struct occ_backend_error *ret_error)
{
	char lease[OCC_REDIS_NAME_SIZE], value[OCC_REDIS_NAME_SIZE];
	char text[TOKEN_TEXT_SIZE], time[16];
	struct occ_span words[7];

	occ_redis_name(connection, key, LEASE_ENDING, lease);
	occ_redis_name(connection, key, "", value);
	format_token(token, text);
	snprintf(time, sizeof(time), "%u", milliseconds);
	words[0] = occ_redis_word("EVAL");
	words[1] = occ_redis_word(script);
	words[2] = occ_redis_word("2");
	words[3] = occ_redis_word(lease);
	words[4] = occ_redis_word(value);
	words[5] = occ_redis_word(text);
	words[6] = occ_redis_word(time);
	return occ_redis_count(connection, words, 7, ret_error);
}

enum occ_remote_result occ_redis_lease(
	struct occ_backend_connection *connection, struct occ_span key,
	const unsigned char token[16], unsigned milliseconds,
	struct occ_backend_error *ret_error)
{
	enum occ_remote_result result = run(connection, take_script, key, token,
					    milliseconds, ret_error);

	/* It may be the first of two that took it. */
	if (result == OCC_REMOTE_NOOP &&
	    occ_redis_connection_repeated(connection->redis))
		return occ_redis_renew(connection, key, token, milliseconds,
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
	const unsigned char token[16], struct occ_backend_error *ret_error)
{
	return run(connection, release_script, key, token, 0, ret_error);
}
