/* SPDX-License-Identifier: MIT */
#include "cache/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cache/file_header.h"
#include "cache/name.h"

#define FIELD_NAME  1
#define FIELD_VALUE 2

static const struct occ_file_header envelope = {{0x8f, 'O', 'C', 'S', '\r',
						 '\n', 0x1a, '\n'},
						1};

struct pair {
	struct occ_field name;
	struct occ_field value;
};

/* The fields, or no bytes at all when the file is bad in any way. */
static struct occ_span fields_of(struct occ_span file)
{
	struct occ_span fields;

	occ_file_header_open(&envelope, file, &fields);
	return fields;
}

bool occ_state_is_good(struct occ_span file)
{
	return fields_of(file).data != NULL;
}

void occ_state_driver_name(const char *what, const struct occ_digest *driver,
			   char ret_name[OCC_STATE_DRIVER_NAME_SIZE])
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(driver, hex);
	snprintf(ret_name, OCC_STATE_DRIVER_NAME_SIZE, "%s %s", what, hex);
}

static bool next_pair(struct occ_span fields, size_t *offset,
		      struct pair *ret_pair)
{
	return occ_field_next(fields.data, fields.size, offset,
			      &ret_pair->name) == 1 &&
	       occ_field_next(fields.data, fields.size, offset,
			      &ret_pair->value) == 1 &&
	       ret_pair->name.id == FIELD_NAME &&
	       ret_pair->name.kind == OCC_FIELD_BYTES &&
	       ret_pair->value.id == FIELD_VALUE &&
	       ret_pair->value.kind == OCC_FIELD_BYTES;
}

static bool find_pair(struct occ_span fields, struct occ_span name,
		      struct pair *ret_pair)
{
	size_t offset = 0;

	while (next_pair(fields, &offset, ret_pair))
		if (occ_span_equal(occ_field_span(&ret_pair->name), name))
			return true;
	return false;
}

static struct occ_span text_span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static bool take(struct occ_span fields, const char *name,
		 unsigned char *ret_value, size_t capacity, size_t *ret_size)
{
	struct pair pair;

	if (!find_pair(fields, text_span(name), &pair) ||
	    pair.value.length > capacity)
		return false;
	*ret_size = (size_t)pair.value.length;
	memcpy(ret_value, pair.value.payload, *ret_size);
	return true;
}

int occ_state_get(struct occ_store *store, const char *name,
		  unsigned char *ret_value, size_t capacity, size_t *ret_size)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	int error;

	error = occ_store_read(store, OCC_NAME_STATE, &file);
	if (error)
		return error;
	if (!take(fields_of(occ_buffer_span(&file)), name, ret_value, capacity,
		  ret_size))
		error = OCC_E_NOT_FOUND;
	occ_buffer_release(&file);
	return error;
}

void occ_state_read(struct occ_store *store, struct occ_buffer *ret_state)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_span fields = {NULL, 0};

	if (!occ_store_read(store, OCC_NAME_STATE, &file))
		fields = fields_of(occ_buffer_span(&file));
	if (fields.size)
		memmove(file.data, fields.data, fields.size);
	else
		occ_buffer_release(&file);
	file.size = fields.size;
	*ret_state = file;
}

bool occ_state_find(const struct occ_buffer *state, const char *name,
		    unsigned char *ret_value, size_t capacity, size_t *ret_size)
{
	return take(occ_buffer_span(state), name, ret_value, capacity,
		    ret_size);
}

bool occ_state_next(const struct occ_buffer *state, size_t *offset,
		    struct occ_span *ret_name, struct occ_span *ret_value)
{
	struct pair pair;

	if (!next_pair(occ_buffer_span(state), offset, &pair))
		return false;
	*ret_name = occ_field_span(&pair.name);
	*ret_value = occ_field_span(&pair.value);
	return true;
}

static size_t size_of(const struct pair *pair)
{
	return (size_t)(pair->name.length + pair->value.length);
}

/* How many pairs have names that aren't in `news`, and their bytes. */
static size_t count_others(struct occ_span fields, struct occ_span news,
			   size_t *ret_bytes)
{
	size_t offset = 0, count = 0;
	struct pair pair, other;

	*ret_bytes = 0;
	while (next_pair(fields, &offset, &pair)) {
		if (find_pair(news, occ_field_span(&pair.name), &other))
			continue;
		*ret_bytes += size_of(&pair);
		count++;
	}
	return count;
}

/* The file is in the order of writing: the oldest pairs come first. */
static void append_others(struct occ_buffer *file, struct occ_span fields,
			  struct occ_span news)
{
	size_t offset = 0, bytes, more;
	size_t count = count_others(fields, news, &bytes);
	struct pair pair, other;

	count += count_others(news, (struct occ_span){NULL, 0}, &more);
	bytes += more;
	while (next_pair(fields, &offset, &pair)) {
		if (find_pair(news, occ_field_span(&pair.name), &other))
			continue;
		if (count <= OCC_STATE_PAIRS_MAX &&
		    bytes <= OCC_STATE_BYTES_MAX) {
			occ_field_append(file, FIELD_NAME, pair.name.payload,
					 (size_t)pair.name.length);
			occ_field_append(file, FIELD_VALUE, pair.value.payload,
					 (size_t)pair.value.length);
			continue;
		}
		count--;
		bytes -= size_of(&pair);
	}
}

static bool has_all(struct occ_span fields, struct occ_span news)
{
	size_t offset = 0;
	struct pair pair, old;

	while (next_pair(news, &offset, &pair))
		if (!find_pair(fields, occ_field_span(&pair.name), &old) ||
		    !occ_span_equal(occ_field_span(&old.value),
				    occ_field_span(&pair.value)))
			return false;
	return true;
}

static bool make_state(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		       void *data)
{
	struct occ_span fields = fields_of(old_bytes);
	const struct occ_span *news = data;

	if (has_all(fields, *news))
		return false;
	occ_file_header_begin(new_bytes);
	append_others(new_bytes, fields, *news);
	occ_buffer_append(new_bytes, news->data, news->size);
	occ_file_header_finish(&envelope, new_bytes);
	return true;
}

bool occ_state_append(struct occ_buffer *pairs, const char *name,
		      const void *value, size_t size)
{
	if (strlen(name) > OCC_STATE_NAME_MAX || size > OCC_STATE_VALUE_MAX)
		return false;
	occ_field_append(pairs, FIELD_NAME, name, strlen(name));
	occ_field_append(pairs, FIELD_VALUE, value, size);
	return true;
}

/* What occ_state_update() is to do. */
struct update {
	const char *name;
	occ_store_make make;
	void *data;
};

static bool make_updated(struct occ_span old_bytes,
			 struct occ_buffer *new_bytes, void *data)
{
	const struct update *update = data;
	struct occ_buffer value = OCC_BUFFER_INIT, news = OCC_BUFFER_INIT;
	struct occ_span old = {NULL, 0};
	struct pair pair;
	bool changed;

	if (find_pair(fields_of(old_bytes), text_span(update->name), &pair))
		old = occ_field_span(&pair.value);
	changed = update->make(old, &value, update->data) && !value.failed &&
		  occ_state_append(&news, update->name, value.data, value.size);
	if (changed) {
		struct occ_span span = occ_buffer_span(&news);

		changed =
			!news.failed && make_state(old_bytes, new_bytes, &span);
	}
	occ_buffer_release(&news);
	occ_buffer_release(&value);
	return changed;
}

int occ_state_update(struct occ_store *store, const char *name,
		     occ_store_make make, void *data)
{
	struct update update = {name, make, data};

	if (strlen(name) > OCC_STATE_NAME_MAX) {
		errno = EINVAL;
		return OCC_E_IO;
	}
	return occ_store_replace(store, OCC_NAME_STATE, make_updated, &update);
}

int occ_state_set_all(struct occ_store *store, const struct occ_buffer *pairs)
{
	struct occ_span news = occ_buffer_span(pairs);

	if (pairs->failed)
		return OCC_E_MEMORY;
	return occ_store_replace(store, OCC_NAME_STATE, make_state, &news);
}

int occ_state_set(struct occ_store *store, const char *name, const void *value,
		  size_t size)
{
	struct occ_buffer pairs = OCC_BUFFER_INIT;
	int error = OCC_E_IO;

	errno = EINVAL;
	if (occ_state_append(&pairs, name, value, size))
		error = occ_state_set_all(store, &pairs);
	occ_buffer_release(&pairs);
	return error;
}
