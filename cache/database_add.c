/* SPDX-License-Identifier: MIT */
#include "cache/database_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/compression.h"
#include "cache/file.h"

/*
 * Differences smaller than this part of the bytes are taken at once. Others
 * have to be smaller than this part, in percent, of what zstd makes of the
 * bytes alone; else these are the base of what comes.
 */
#define DIFFERENCE_DIVISOR 12
#define DIFFERENCE_PERCENT 60

int occ_database_begin(struct occ_database *database, unsigned milliseconds)
{
	int error = occ_database_lock(database, milliseconds);

	if (error)
		return error;
	error = occ_database_catch_up(database);
	if (error)
		occ_file_unlock(database->file);
	return error;
}

/*
 * Makes a frame's bytes as small as they get. Returns how they are encoded, or
 * -1 when out of memory; in *ret_coded nothing where they are plain.
 */
static int encode(const struct occ_database_base *base, struct occ_span bytes,
		  struct occ_buffer *ret_coded)
{
	static const struct occ_span none = {NULL, 0};
	struct occ_buffer alone = OCC_BUFFER_INIT;

	if (base->offset) {
		if (!occ_compress(bytes, occ_buffer_span(&base->bytes),
				  ret_coded))
			return -1;
		if (ret_coded->size <= bytes.size / DIFFERENCE_DIVISOR)
			return OCC_ENCODED_DIFFERENCE;
	}
	if (!occ_compress(bytes, none, &alone)) {
		occ_buffer_release(&alone);
		return -1;
	}
	if (base->offset &&
	    ret_coded->size * 100 < alone.size * DIFFERENCE_PERCENT) {
		occ_buffer_release(&alone);
		return OCC_ENCODED_DIFFERENCE;
	}
	occ_buffer_release(ret_coded);
	if (alone.size < bytes.size) {
		*ret_coded = alone;
		return OCC_ENCODED_ZSTD;
	}
	occ_buffer_release(&alone);
	return OCC_ENCODED_PLAIN;
}

/* Whatever comes next is likely to be like these bytes. */
static void set_base(struct occ_database_base *base, struct occ_span bytes,
		     uint64_t offset)
{
	occ_database_forget_base(base);
	if (!bytes.size || bytes.size > OCC_DATABASE_BASE_MAX)
		return;
	occ_buffer_append(&base->bytes, bytes.data, bytes.size);
	if (base->bytes.failed)
		occ_buffer_release(&base->bytes);
	else
		base->offset = offset;
}

/*
 * What an earlier process was adding to: the last frame of that type that
 * stands alone.
 */
static void find_base(struct occ_database *database, enum occ_frame_type type,
		      struct occ_database_base *base)
{
	for (size_t i = database->written; i > 0; i--) {
		const struct occ_database_place *place =
			database->places[i - 1];

		/* Of two of one name the one that is found is the good one. */
		if (place->frame.type != (uint32_t)type ||
		    place->encoding == OCC_ENCODED_DIFFERENCE ||
		    place->frame.size > OCC_DATABASE_BASE_MAX ||
		    place != occ_database_find(database, place->frame.type,
					       &place->frame.name))
			continue;
		if (!occ_database_read(database, type, &place->frame.name,
				       &base->bytes))
			base->offset = place->offset;
		return;
	}
}

/* Behind what is pending: the head, and the bytes as they are encoded. */
static bool append(struct occ_database *database,
		   const struct occ_frame_head *head, struct occ_span coded)
{
	unsigned char bytes[OCC_FRAME_HEAD_SIZE];
	size_t before = database->pending.size;
	uint64_t offset = database->end + before;

	occ_frame_head_put(head, bytes);
	occ_buffer_append(&database->pending, bytes, sizeof(bytes));
	occ_buffer_append(&database->pending, coded.data, coded.size);
	occ_buffer_align(&database->pending, OCC_FRAME_ALIGNMENT);
	if (!database->pending.failed &&
	    occ_database_add_place(database, head, offset)) {
		database->places[database->count - 1]->is_good = true;
		return true;
	}
	if (!database->pending.failed)
		database->pending.size = before;
	return false;
}

/*
 * Is it there, and not damaged? What this process has seen is good; else it is
 * looked at once: what rotted, or never got to the disk, comes anew.
 */
static bool is_there(struct occ_database *database, enum occ_frame_type type,
		     const struct occ_digest *name)
{
	const struct occ_database_place *place =
		occ_database_find(database, (uint32_t)type, name);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error = OCC_OK;

	if (place && !place->is_good)
		error = occ_database_read(database, type, name, &bytes);
	occ_buffer_release(&bytes);
	return place && error != OCC_E_CORRUPT;
}

int occ_database_add(struct occ_database *database, enum occ_frame_type type,
		     struct occ_span bytes, struct occ_digest *ret_name)
{
	struct occ_database_base *base =
		&database->written_bases[(size_t)type < OCC_DATABASE_TYPES
						 ? type
						 : 0];
	struct occ_frame_head head = {.type = (uint32_t)type,
				      .size = bytes.size};
	uint64_t offset = database->end + database->pending.size;
	struct occ_buffer coded = OCC_BUFFER_INIT;
	struct occ_span payload;
	int encoding, error = OCC_E_MEMORY;

	occ_database_name(bytes, ret_name);
	if (is_there(database, type, ret_name))
		return OCC_OK;
	if (bytes.size > OCC_DATABASE_FRAME_MAX)
		return OCC_E_TOO_LARGE;
	if (!base->offset)
		find_base(database, type, base);
	encoding = database->pending.failed ? -1 : encode(base, bytes, &coded);
	if (encoding >= 0) {
		payload = encoding ? occ_buffer_span(&coded) : bytes;
		head.encoding = (uint32_t)encoding;
		head.length = payload.size;
		head.name = *ret_name;
		head.base =
			encoding == OCC_ENCODED_DIFFERENCE ? base->offset : 0;
		if (database->max_size &&
		    offset + occ_frame_stored(head.length) > database->max_size)
			error = OCC_E_TOO_LARGE;
		else if (append(database, &head, payload))
			error = OCC_OK;
		if (!error && encoding != OCC_ENCODED_DIFFERENCE)
			set_base(base, bytes, offset);
	}
	occ_buffer_release(&coded);
	return error;
}

/* (D2) The frames first; then the head says that they are there. */
static int write_pending(struct occ_database *database)
{
	unsigned char bytes[OCC_DATABASE_HEAD_SIZE];
	uint64_t end = database->end + database->pending.size;

	if (database->pending.failed)
		return OCC_E_MEMORY;
	occ_database_head_put(end, bytes);
	if (occ_file_write(database->file, database->end,
			   database->pending.data, database->pending.size) ||
	    occ_file_write(database->file, 0, bytes, sizeof(bytes)))
		return OCC_E_IO;
	database->end = database->scanned = end;
	database->written = database->count;
	return OCC_OK;
}

int occ_database_commit(struct occ_database *database)
{
	int saved, error = OCC_OK;

	if (database->count > database->written)
		error = write_pending(database);
	saved = errno;
	if (error == OCC_E_IO)
		occ_file_resize(database->file, database->end);
	occ_database_drop_pending(database);
	occ_file_unlock(database->file);
	errno = saved;
	return error;
}

void occ_database_abandon(struct occ_database *database)
{
	occ_database_drop_pending(database);
	occ_file_unlock(database->file);
}
