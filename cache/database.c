/* SPDX-License-Identifier: MIT */
#include "cache/database_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/compression.h"
#include "cache/file.h"

/* What others may take to add something. */
#define OPEN_WAIT_MS 1000

/* Read at once where a frame is looked for among bad bytes. */
#define SEARCH_SIZE  ((size_t)64 << 10)

/* The offset of the next bytes from `from` on that may be a frame's, or the
 * end. */
static int search(struct occ_database *database, uint64_t from,
		  uint64_t *ret_next)
{
	unsigned char *bytes = malloc(SEARCH_SIZE);
	int error = bytes ? OCC_OK : OCC_E_MEMORY;
	struct occ_frame_head head;
	bool found = false;

	*ret_next = database->end;
	while (!error && !found && from < database->end &&
	       database->end - from >= OCC_FRAME_HEAD_SIZE) {
		uint64_t left = database->end - from;
		size_t size = left < SEARCH_SIZE ? (size_t)left : SEARCH_SIZE;
		size_t at = 0;

		if (occ_file_read(database->file, from, bytes, size) !=
		    (ssize_t)size)
			error = OCC_E_IO;
		while (!error && !found && size - at >= OCC_FRAME_HEAD_SIZE) {
			found = occ_frame_head_parse(bytes + at, &head);
			if (found)
				*ret_next = from + at;
			at += OCC_FRAME_ALIGNMENT;
		}
		from += at;
	}
	free(bytes);
	return error;
}

/* What is at an offset. */
enum found {
	FRAME,	 /* taken in; `scanned` is behind it */
	NOTHING, /* no frame's head */
	TORN,	 /* one whose bytes are cut by the end */
};

static int scan_frame(struct occ_database *database, uint64_t offset,
		      enum found *ret_found)
{
	unsigned char bytes[OCC_FRAME_HEAD_SIZE];
	uint64_t left = database->end - offset;
	struct occ_frame_head head;

	*ret_found = NOTHING;
	if (left < sizeof(bytes))
		return OCC_OK;
	if (occ_file_read(database->file, offset, bytes, sizeof(bytes)) !=
	    sizeof(bytes))
		return OCC_E_IO;
	if (!occ_frame_head_parse(bytes, &head))
		return OCC_OK;
	*ret_found = occ_frame_stored(head.length) > left ? TORN : FRAME;
	if (*ret_found == TORN)
		return OCC_OK;
	if (!occ_database_add_place(database, &head, offset))
		return OCC_E_MEMORY;
	database->scanned = offset + occ_frame_stored(head.length);
	return OCC_OK;
}

/* What is in the file between what was seen and its end. */
static int scan(struct occ_database *database)
{
	enum found found;
	int error = OCC_OK;

	while (!error && database->scanned < database->end) {
		uint64_t offset = database->scanned, next = database->end;

		error = scan_frame(database, offset, &found);
		if (!error && found == NOTHING)
			error = search(database, offset + OCC_FRAME_ALIGNMENT,
				       &next);
		if (error || found == FRAME)
			continue;
		/*
		 * Behind the last frame that is whole: whoever adds writes over
		 * it. One whose bytes end too early would else have those that
		 * are added behind it.
		 */
		if (database->adds && next == database->end)
			database->end = next = offset;
		database->bad += next - offset;
		database->scanned = next;
	}
	if (!error)
		database->written = database->count;
	return error;
}

/* Gives a file its head. */
static int write_head(struct occ_database *database)
{
	unsigned char bytes[OCC_DATABASE_HEAD_SIZE];

	occ_database_head_put(sizeof(bytes), bytes);
	if (!occ_file_write(database->file, 0, bytes, sizeof(bytes)))
		return OCC_OK;
	occ_file_resize(database->file, 0);
	return OCC_E_IO;
}

/* Are these, less than a head, the beginning of that of a new file? */
static bool is_new(const unsigned char *bytes, size_t size)
{
	unsigned char head[OCC_DATABASE_HEAD_SIZE];

	occ_database_head_put(sizeof(head), head);
	return !memcmp(bytes, head, size);
}

/* Of a database: where its frames end. A new file is given its head. */
static int read_head(struct occ_database *database)
{
	unsigned char bytes[OCC_DATABASE_HEAD_SIZE];
	struct stat status;
	uint64_t size, end;
	ssize_t read;
	int error;

	if (occ_file_status(database->file, &status))
		return OCC_E_IO;
	if (!S_ISREG(status.st_mode))
		return OCC_E_CORRUPT;
	read = occ_file_read(database->file, 0, bytes, sizeof(bytes));
	size = (uint64_t)status.st_size;
	if (read < 0 || ((size_t)read < sizeof(bytes) && (size_t)read != size))
		return OCC_E_IO;
	if ((size_t)read < sizeof(bytes)) {
		if (!is_new(bytes, (size_t)read))
			return OCC_E_CORRUPT;
		database->end = sizeof(bytes);
		return database->adds ? write_head(database) : OCC_OK;
	}
	error = occ_database_head_parse(bytes, &end);
	size -= size % OCC_FRAME_ALIGNMENT;
	/* It came when the size had been asked for. */
	if (size < sizeof(bytes))
		size = sizeof(bytes);
	if (!error)
		database->end = end && end <= size ? end : size;
	return error;
}

int occ_database_lock(const struct occ_database *database,
		      unsigned milliseconds)
{
	if (!occ_file_lock(database->file, milliseconds))
		return OCC_OK;
	return errno == EWOULDBLOCK ? OCC_E_BUSY : OCC_E_IO;
}

int occ_database_catch_up(struct occ_database *database)
{
	int error = read_head(database);

	/* The file was cut: what was known of it isn't so any more. */
	if (!error && database->end < database->scanned)
		error = OCC_E_CORRUPT;
	return error ? error : scan(database);
}

static int open_file(struct occ_database *database)
{
	int error = database->adds ? occ_database_lock(database, OPEN_WAIT_MS)
				   : OCC_OK;

	if (error)
		return error;
	error = occ_database_catch_up(database);
	if (database->adds)
		occ_file_unlock(database->file);
	return error;
}

static int open_database(const char *path, bool adds, uint64_t max_size,
			 struct occ_database **ret_database)
{
	struct occ_database *database = calloc(1, sizeof(*database));
	int error;

	if (!database)
		return OCC_E_MEMORY;
	database->adds = adds;
	database->max_size = max_size;
	database->scanned = OCC_DATABASE_HEAD_SIZE;
	database->file = adds ? occ_file_open_path_to_add(path)
			      : occ_file_open_path(path);
	error = database->file < 0 ? OCC_E_IO : open_file(database);
	if (error) {
		occ_database_close(database);
		return error;
	}
	*ret_database = database;
	return OCC_OK;
}

int occ_database_open(const char *path, uint64_t max_size,
		      struct occ_database **ret_database)
{
	return open_database(path, true, max_size, ret_database);
}

int occ_database_open_read(const char *path, struct occ_database **ret_database)
{
	return open_database(path, false, 0, ret_database);
}

void occ_database_close(struct occ_database *database)
{
	int saved = errno;

	if (!database)
		return;
	database->written = 0;
	occ_database_drop_pending(database);
	for (size_t i = 0; i < OCC_DATABASE_TYPES; i++)
		occ_database_forget_base(&database->written_bases[i]);
	occ_database_forget_base(&database->read_base);
	free(database->places);
	if (database->file >= 0)
		occ_file_close(database->file);
	free(database);
	errno = saved;
}

size_t occ_database_count(const struct occ_database *database)
{
	return database->count;
}

const struct occ_frame *occ_database_frame(const struct occ_database *database,
					   size_t number)
{
	return &database->places[number]->frame;
}

uint64_t occ_database_size(const struct occ_database *database)
{
	return database->end + database->pending.size;
}

uint64_t occ_database_bad(const struct occ_database *database)
{
	return database->bad;
}

bool occ_database_has(const struct occ_database *database,
		      enum occ_frame_type type, const struct occ_digest *name)
{
	return occ_database_find(database, (uint32_t)type, name);
}

void occ_database_name(struct occ_span bytes, struct occ_digest *ret_name)
{
	occ_digest(bytes.data, bytes.size, OCC_SEED_NAME, ret_name);
}

/* The bytes as they are in the file, or will be. */
static int read_stored(const struct occ_database *database,
		       const struct occ_database_place *place,
		       struct occ_buffer *ret_stored,
		       struct occ_frame_head *ret_head)
{
	size_t size = (size_t)place->frame.stored;

	if (place->offset >= database->end) {
		occ_buffer_append(ret_stored,
				  database->pending.data +
					  (place->offset - database->end),
				  size);
	} else {
		ret_stored->data = occ_file_memory(size);
		if (!ret_stored->data)
			return OCC_E_MEMORY;
		ret_stored->size = ret_stored->capacity = size;
		if (occ_file_read(database->file, place->offset,
				  ret_stored->data, size) != (ssize_t)size)
			return OCC_E_IO;
	}
	if (ret_stored->failed)
		return OCC_E_MEMORY;
	/* Once more: it may have rotted since. */
	if (!occ_frame_head_parse(ret_stored->data, ret_head) ||
	    occ_frame_stored(ret_head->length) != size)
		return OCC_E_CORRUPT;
	return OCC_OK;
}

static int read_place(struct occ_database *database,
		      const struct occ_database_place *place,
		      struct occ_span base, struct occ_buffer *ret_bytes)
{
	struct occ_buffer stored = OCC_BUFFER_INIT;
	size_t before = ret_bytes->size;
	struct occ_frame_head head;
	struct occ_digest name;
	struct occ_span coded, got = {NULL, 0};
	int error = ret_bytes->failed ? OCC_E_MEMORY : OCC_OK;

	if (error)
		return error;
	error = read_stored(database, place, &stored, &head);
	if (!error) {
		coded.data = stored.data + OCC_FRAME_HEAD_SIZE;
		coded.size = (size_t)head.length;
		if (head.encoding == OCC_ENCODED_PLAIN)
			occ_buffer_append(ret_bytes, coded.data, coded.size);
		else if (!occ_decompress(coded, base, (size_t)head.size,
					 ret_bytes))
			error = OCC_E_CORRUPT;
		if (ret_bytes->failed)
			error = OCC_E_MEMORY;
	}
	occ_buffer_release(&stored);
	if (!error) {
		/* Of no bytes there may be no memory. */
		if (ret_bytes->size > before)
			got = (struct occ_span){ret_bytes->data + before,
						ret_bytes->size - before};
		occ_database_name(got, &name);
		if (memcmp(&name, &place->frame.name, sizeof(name)) != 0)
			error = OCC_E_CORRUPT;
	}
	if (error)
		ret_bytes->size = before;
	ret_bytes->failed = false;
	return error;
}

/* Has the bytes of that frame in `read_base`. */
static int read_base(struct occ_database *database,
		     const struct occ_database_place *place)
{
	const struct occ_database_place *base =
		occ_database_place_at(database, place->base);
	int error;

	if (database->read_base.offset == place->base && place->base)
		return OCC_OK;
	occ_database_forget_base(&database->read_base);
	/* One alone: a row of them would be read in quadratic time. */
	if (!base || base->encoding == OCC_ENCODED_DIFFERENCE ||
	    base->offset >= place->offset ||
	    base->frame.size > OCC_DATABASE_BASE_MAX)
		return OCC_E_CORRUPT;
	error = read_place(database, base, (struct occ_span){NULL, 0},
			   &database->read_base.bytes);
	if (!error)
		database->read_base.offset = place->base;
	return error;
}

int occ_database_read(struct occ_database *database, enum occ_frame_type type,
		      const struct occ_digest *name,
		      struct occ_buffer *ret_bytes)
{
	struct occ_database_place *place =
		occ_database_find(database, (uint32_t)type, name);
	struct occ_span base = {NULL, 0};
	int error;

	if (!place)
		return OCC_E_NOT_FOUND;
	if (place->encoding == OCC_ENCODED_DIFFERENCE) {
		error = read_base(database, place);
		if (error)
			return error;
		base = occ_buffer_span(&database->read_base.bytes);
	}
	error = read_place(database, place, base, ret_bytes);
	place->is_good |= !error;
	return error;
}
