/* SPDX-License-Identifier: MIT */
#include "cache/remote_breaker.h"

#include <stdio.h>
#include <string.h>

#include "cache/state.h"
#include "hash/digest.h"

/* The end and the pause. */
#define VALUE_SIZE 16

#define NAME_SIZE  (sizeof("remote ") + OCC_DIGEST_HEX_SIZE)

static void print_name(const char *socket, char ret_name[NAME_SIZE])
{
	char hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest digest;

	occ_digest(socket, strlen(socket), OCC_SEED_CONTENT, &digest);
	occ_digest_hex(&digest, hex);
	snprintf(ret_name, NAME_SIZE, "remote %s", hex);
}

static struct occ_remote_breaker decode(struct occ_span value)
{
	struct occ_remote_breaker breaker = {0};

	if (value.size != VALUE_SIZE)
		return breaker;
	breaker.until = (int64_t)occ_get_u64(value.data);
	breaker.pause = occ_get_u64(value.data + 8);
	if (breaker.until < 0 || breaker.pause > OCC_REMOTE_PAUSE_MOST_S)
		breaker = (struct occ_remote_breaker){0};
	return breaker;
}

struct occ_remote_breaker occ_remote_breaker_read(struct occ_store *store,
						  const char *socket)
{
	unsigned char value[VALUE_SIZE];
	char name[NAME_SIZE];
	size_t size;

	print_name(socket, name);
	if (occ_state_get(store, name, value, sizeof(value), &size))
		return (struct occ_remote_breaker){0};
	return decode((struct occ_span){value, size});
}

bool occ_remote_breaker_is_open(const struct occ_remote_breaker *breaker,
				time_t now)
{
	return breaker->pause && now < breaker->until &&
	       breaker->until - now <= OCC_REMOTE_PAUSE_MOST_S;
}

static void append(struct occ_buffer *value,
		   const struct occ_remote_breaker *breaker)
{
	unsigned char bytes[VALUE_SIZE];

	occ_put_u64(bytes, (uint64_t)breaker->until);
	occ_put_u64(bytes + 8, breaker->pause);
	occ_buffer_append(value, bytes, sizeof(bytes));
}

/* Several processes may find out at once: that is one time, not several. */
static bool make_open(struct occ_span old_value, struct occ_buffer *new_value,
		      void *data)
{
	struct occ_remote_breaker breaker = decode(old_value);
	time_t now = *(const time_t *)data;

	if (occ_remote_breaker_is_open(&breaker, now))
		return false;
	breaker.pause *= 2;
	if (!breaker.pause)
		breaker.pause = OCC_REMOTE_PAUSE_FIRST_S;
	if (breaker.pause > OCC_REMOTE_PAUSE_MOST_S)
		breaker.pause = OCC_REMOTE_PAUSE_MOST_S;
	breaker.until = now + (int64_t)breaker.pause;
	append(new_value, &breaker);
	return true;
}

/* What several see within this time is one thing. */
#define SAME_S 2

static bool make_suspected(struct occ_span old_value,
			   struct occ_buffer *new_value, void *data)
{
	struct occ_remote_breaker breaker = decode(old_value);
	time_t now = *(const time_t *)data;
	int64_t left = breaker.until - now;

	if (breaker.pause)
		return make_open(old_value, new_value, data);
	if (left > OCC_REMOTE_SUSPECT_S - SAME_S &&
	    left <= OCC_REMOTE_SUSPECT_S)
		return false;
	if (left > 0 && left <= OCC_REMOTE_SUSPECT_S)
		return make_open(old_value, new_value, data);
	breaker.until = now + OCC_REMOTE_SUSPECT_S;
	append(new_value, &breaker);
	return true;
}

int occ_remote_breaker_open(struct occ_store *store, const char *socket,
			    time_t now)
{
	char name[NAME_SIZE];

	print_name(socket, name);
	return occ_state_update(store, name, make_open, &now);
}

int occ_remote_breaker_suspect(struct occ_store *store, const char *socket,
			       time_t now)
{
	char name[NAME_SIZE];

	print_name(socket, name);
	return occ_state_update(store, name, make_suspected, &now);
}

static bool make_closed(struct occ_span old_value, struct occ_buffer *new_value,
			void *data)
{
	static const struct occ_remote_breaker closed = {0, 0};
	struct occ_remote_breaker breaker = decode(old_value);

	(void)data;
	if (!breaker.pause && !breaker.until)
		return false;
	append(new_value, &closed);
	return true;
}

int occ_remote_breaker_close(struct occ_store *store, const char *socket)
{
	char name[NAME_SIZE];

	print_name(socket, name);
	return occ_state_update(store, name, make_closed, NULL);
}
