/* SPDX-License-Identifier: MIT */
#include "layer/explain.h"

#include <string.h>

#include "cache/nearest.h"
#include "hash/print.h"
#include "layer/config.h"
#include "layer/disk.h"
#include "layer/log.h"

struct text {
	struct occ_buffer bytes;
	bool even_if_there; /* a trace that is there is replaced */
};

/* The store's callback: the new trace, unless the old one will do. */
static bool make_trace(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		       void *data)
{
	const struct text *text = data;

	if (old_bytes.size &&
	    (!text->even_if_there ||
	     (old_bytes.size == text->bytes.size &&
	      !memcmp(old_bytes.data, text->bytes.data, old_bytes.size))))
		return false;
	occ_buffer_append(new_bytes, text->bytes.data, text->bytes.size);
	return true;
}

static void add_string(struct occ_buffer *bytes, const char *string)
{
	occ_buffer_append(bytes, string, strlen(string));
}

/* `nearest` and `differs` are NULL for a hit, or when there is no entry. */
static void write_trace(const struct occ_key *key, bool even_if_there,
			const char *nearest, const char *differs)
{
	struct text text = {.even_if_there = even_if_there};
	struct occ_stored_key stored = {key->stored.data, key->stored.size};
	char hex[OCC_DIGEST_HEX_SIZE], name[OCC_NAME_SIZE];

	if (occ_config.store_policy == OCC_STORE_NEVER ||
	    !occ_disk_is_written())
		return;
	occ_digest_hex(&key->hash, hex);
	add_string(&text.bytes, "hash: ");
	add_string(&text.bytes, hex);
	if (nearest && differs) {
		add_string(&text.bytes, "\nnearest when it missed: ");
		add_string(&text.bytes, nearest);
		add_string(&text.bytes, "\ndiffers: ");
		add_string(&text.bytes, differs);
	}
	add_string(&text.bytes, "\n");
	occ_key_print(&stored, &text.bytes);
	occ_name_trace(&key->hash, name);
	/* Without room, or a store, there is no trace. */
	if (!text.bytes.failed)
		occ_store_replace(occ_disk(), name, make_trace, &text);
	occ_buffer_release(&text.bytes);
}

/* The text, with a NUL; false when there is no entry to compare with. */
static bool find_nearest(const struct occ_key *key, struct occ_digest *ret_hash,
			 struct occ_buffer *ret_text)
{
	struct occ_stored_key now = {key->stored.data, key->stored.size}, then;
	struct occ_nearest nearest;

	if (!occ_disk() || occ_nearest_find(occ_disk(), &now, &nearest))
		return false;
	then = (struct occ_stored_key){nearest.key.data, nearest.key.size};
	occ_difference_describe(&now, &then, ret_text);
	occ_buffer_append(ret_text, "", 1);
	*ret_hash = nearest.hash;
	occ_nearest_release(&nearest);
	return !ret_text->failed;
}

void occ_explain_miss(const struct occ_recipe *recipe, cl_uint device,
		      const char *reason, uint64_t start)
{
	const struct occ_key *key = &recipe->keys[device];
	struct occ_buffer text = OCC_BUFFER_INIT;
	struct occ_trace trace = {
		.event = "lookup",
		.hash = &key->hash,
		.device = recipe->identities[device]->name,
		.result = "miss",
		.reason = reason,
		.since = start,
	};
	char hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest hash;

	if (!occ_config.trace)
		return;
	/* How long the lookup took is known before it is explained. */
	trace.until = occ_log_now();
	if (recipe->identities[device]->unread) {
		trace.hash = NULL;
		occ_log_trace(&trace);
		return;
	}
	if (find_nearest(key, &hash, &text)) {
		trace.nearest = &hash;
		trace.differs = (const char *)text.data;
		occ_digest_hex(&hash, hex);
	}
	occ_log_trace(&trace);
	write_trace(key, true, trace.nearest ? hex : NULL, trace.differs);
	occ_buffer_release(&text);
}

/* Without the lock, so that hits don't wait for anybody. */
static bool has_trace(const struct occ_key *key)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	char name[OCC_NAME_SIZE];
	bool found;

	occ_name_trace(&key->hash, name);
	found = occ_disk() && !occ_store_read(occ_disk(), name, &bytes) &&
		bytes.size;
	occ_buffer_release(&bytes);
	return found;
}

void occ_explain_key(const struct occ_recipe *recipe, cl_uint device)
{
	const struct occ_key *key = &recipe->keys[device];

	if (occ_config.trace && !has_trace(key))
		write_trace(key, false, NULL, NULL);
}
