/* SPDX-License-Identifier: MIT */
#include "cache/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file_header.h"
#include "cache/file.h"
#include "cache/name.h"

/* Fields: a number's is its enum occ_counter and this; a reason's its kind. */
#define FIELD_SINCE  1
#define FIELD_NUMBER 16
#define FIELD_REASON 256

#define NUMBER_SIZE  8

/*
 * A record has room for itself, and one page of the kernel's: who is killed has
 * written it whole or not at all.
 */
#define ROOM	     4096

/* (S12) Of processes. */
#define RECORDS_MAX  ((uint64_t)1 << 20)

/* Somebody else's room is made in some microseconds. */
#define PATIENCE_MS  30

static const struct occ_file_header envelope = {{0x8f, 'O', 'C', 'N', '\r',
						 '\n', 0x1a, '\n'},
						1};

/* Writing takes some microseconds. */
#define READS_MAX 3
#define PAUSE_NS  UINT64_C(200000)

static const char other[] = "other";

uint64_t occ_counters_plus(uint64_t one, uint64_t more)
{
	return more > UINT64_MAX - one ? UINT64_MAX : one + more;
}

static struct occ_counted_reason *find(struct occ_counters *counters,
				       enum occ_counted kind, const char *text)
{
	for (size_t i = 0; i < counters->reason_count; i++)
		if (counters->reasons[i].kind == kind &&
		    !strncmp(counters->reasons[i].text, text,
			     OCC_COUNTED_SIZE - 1))
			return &counters->reasons[i];
	return NULL;
}

void occ_counters_note(struct occ_counters *counters, enum occ_counted kind,
		       const char *text, uint64_t count)
{
	struct occ_counted_reason *reason = find(counters, kind, text);

	if (!count)
		return;
	/* Each kind's "other" must have room. */
	if (!reason &&
	    counters->reason_count >= OCC_COUNTED_REASONS - OCC_COUNTED_KINDS) {
		text = other;
		reason = find(counters, kind, text);
	}
	if (!reason && counters->reason_count < OCC_COUNTED_REASONS) {
		reason = &counters->reasons[counters->reason_count++];
		memset(reason, 0, sizeof(*reason));
		reason->kind = kind;
		memcpy(reason->text, text, strnlen(text, OCC_COUNTED_SIZE - 1));
	}
	if (reason)
		reason->count = occ_counters_plus(reason->count, count);
}

void occ_counters_add(struct occ_counters *counters,
		      const struct occ_counters *more)
{
	if (more->since && (!counters->since || more->since < counters->since))
		counters->since = more->since;
	for (size_t i = 0; i < OCC_COUNTERS; i++)
		counters->numbers[i] = occ_counters_plus(counters->numbers[i],
							 more->numbers[i]);
	for (size_t i = 0; i < more->reason_count; i++)
		occ_counters_note(counters, more->reasons[i].kind,
				  more->reasons[i].text,
				  more->reasons[i].count);
}

uint64_t occ_counters_hits(const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;

	return occ_counters_plus(
		occ_counters_plus(numbers[OCC_COUNT_LIVE],
				  numbers[OCC_COUNT_MEMORY]),
		occ_counters_plus(
			numbers[OCC_COUNT_STORE],
			occ_counters_plus(numbers[OCC_COUNT_READ_ONLY],
					  numbers[OCC_COUNT_REMOTE])));
}

uint64_t occ_counters_builds(const struct occ_counters *counters)
{
	return occ_counters_plus(
		occ_counters_hits(counters),
		occ_counters_plus(counters->numbers[OCC_COUNT_MISSES],
				  counters->numbers[OCC_COUNT_UNCACHEABLE]));
}

static void append_number(struct occ_buffer *bytes, unsigned id,
			  uint64_t number)
{
	unsigned char payload[NUMBER_SIZE];

	occ_put_u64(payload, number);
	occ_field_append(bytes, (uint16_t)id, payload, sizeof(payload));
}

static void append_reason(struct occ_buffer *bytes,
			  const struct occ_counted_reason *reason)
{
	unsigned char payload[NUMBER_SIZE + OCC_COUNTED_SIZE];
	size_t length = strlen(reason->text);

	occ_put_u64(payload, reason->count);
	memcpy(payload + NUMBER_SIZE, reason->text, length);
	occ_field_append(bytes, (uint16_t)(FIELD_REASON + reason->kind),
			 payload, NUMBER_SIZE + length);
}

static void encode(const struct occ_counters *counters,
		   struct occ_buffer *ret_bytes)
{
	*ret_bytes = (struct occ_buffer)OCC_BUFFER_INIT;
	occ_file_header_begin(ret_bytes);
	append_number(ret_bytes, FIELD_SINCE, (uint64_t)counters->since);
	for (unsigned i = 0; i < OCC_COUNTERS; i++)
		if (counters->numbers[i])
			append_number(ret_bytes, FIELD_NUMBER + i,
				      counters->numbers[i]);
	for (size_t i = 0; i < counters->reason_count; i++)
		append_reason(ret_bytes, &counters->reasons[i]);
	occ_file_header_finish(&envelope, ret_bytes);
}

static void take_reason(const struct occ_field *field, uint64_t count,
			struct occ_counters *counters)
{
	char text[OCC_COUNTED_SIZE] = {0};
	size_t length = (size_t)field->length - NUMBER_SIZE;

	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	memcpy(text, field->payload + NUMBER_SIZE, length);
	occ_counters_note(counters,
			  (enum occ_counted)(field->id - FIELD_REASON), text,
			  count);
}

/* What isn't known is left out: numbers of a later version are known. */
static void take_field(const struct occ_field *field,
		       struct occ_counters *counters)
{
	uint64_t number;

	if (field->kind != OCC_FIELD_BYTES || field->length < NUMBER_SIZE)
		return;
	number = occ_get_u64(field->payload);
	if (field->id == FIELD_SINCE)
		counters->since = (int64_t)number;
	else if (field->id >= FIELD_NUMBER &&
		 field->id < FIELD_NUMBER + OCC_COUNTERS)
		counters->numbers[field->id - FIELD_NUMBER] = number;
	else if (field->id >= FIELD_REASON &&
		 field->id < FIELD_REASON + OCC_COUNTED_KINDS)
		take_reason(field, number, counters);
}

bool occ_counters_decode(struct occ_span bytes,
			 struct occ_counters *ret_counters)
{
	struct occ_span fields;
	struct occ_field field;
	size_t offset = 0;

	memset(ret_counters, 0, sizeof(*ret_counters));
	if (!occ_file_header_open(&envelope, bytes, &fields))
		return false;
	while (occ_field_next(fields.data, fields.size, &offset, &field) == 1)
		take_field(&field, ret_counters);
	return true;
}

int occ_counters_read(struct occ_store *store,
		      struct occ_counters *ret_counters)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	bool right = false;
	int error;

	memset(ret_counters, 0, sizeof(*ret_counters));
	/* Without the lock: somebody may be writing just then. */
	for (int i = 0; i <= READS_MAX && !right; i++) {
		if (i)
			occ_file_pause(PAUSE_NS);
		error = occ_store_read(store, OCC_NAME_COUNTERS, &file);
		if (error)
			return error;
		right = occ_counters_decode(occ_buffer_span(&file),
					    ret_counters);
		occ_buffer_release(&file);
	}
	return right ? OCC_OK : OCC_E_CORRUPT;
}

/* The store's callback: what is there, and more. */
static bool add_more(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		     void *data)
{
	struct occ_counters counters;

	occ_counters_decode(old_bytes, &counters);
	if (!counters.since)
		counters.since = occ_file_now();
	occ_counters_add(&counters, data);
	encode(&counters, new_bytes);
	return true;
}

int occ_counters_merge_noting(struct occ_store *store,
			      const struct occ_counters *more,
			      unsigned milliseconds,
			      const struct occ_store_noting *noting)
{
	struct occ_counters copy = *more;

	/* That of the file is when it began. */
	copy.since = 0;
	return occ_store_count(store, milliseconds, add_more, &copy, noting);
}

int occ_counters_merge(struct occ_store *store, const struct occ_counters *more,
		       unsigned milliseconds)
{
	return occ_counters_merge_noting(store, more, milliseconds, NULL);
}

static bool begin_anew(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		       void *data)
{
	struct occ_counters counters = {.since = occ_file_now()};

	(void)old_bytes;
	(void)data;
	encode(&counters, new_bytes);
	return true;
}

int occ_counters_reset(struct occ_store *store)
{
	return occ_store_count(store, OCC_STORE_PATIENCE_MS, begin_anew, NULL,
			       NULL);
}

/* The last reason is one of the others from now on; false: all are. */
static bool shorten(struct occ_counters *counters)
{
	size_t i = counters->reason_count;
	struct occ_counted_reason gone;

	while (i && !strcmp(counters->reasons[i - 1].text, other))
		i--;
	if (!i)
		return false;
	gone = counters->reasons[--i];
	counters->reason_count--;
	memmove(&counters->reasons[i], &counters->reasons[i + 1],
		(counters->reason_count - i) * sizeof(gone));
	occ_counters_note(counters, gone.kind, other, gone.count);
	return true;
}

/* Its size and the bytes; shortened until it fits. */
static void encode_record(struct occ_counters *counters,
			  struct occ_buffer *ret_record)
{
	struct occ_buffer bytes;
	unsigned char size[NUMBER_SIZE];

	*ret_record = (struct occ_buffer)OCC_BUFFER_INIT;
	encode(counters, &bytes);
	while (!bytes.failed && bytes.size > ROOM - NUMBER_SIZE &&
	       shorten(counters)) {
		occ_buffer_release(&bytes);
		encode(counters, &bytes);
	}
	occ_put_u64(size, bytes.size);
	occ_buffer_append(ret_record, size, sizeof(size));
	occ_buffer_append(ret_record, bytes.data, bytes.size);
	ret_record->failed |= bytes.failed;
	occ_buffer_release(&bytes);
}

/* At the end of the file, whoever else does that. */
static int make_room(int file, struct occ_counters_record *record)
{
	struct stat status;
	int error = OCC_E_IO;

	if (occ_file_lock(file, PATIENCE_MS) < 0)
		return OCC_E_BUSY;
	if (!occ_file_status(file, &status)) {
		record->offset =
			((uint64_t)status.st_size + ROOM - 1) / ROOM * ROOM;
		if (!occ_file_resize(file, record->offset + ROOM))
			error = OCC_OK;
	}
	occ_file_unlock(file);
	if (!error) {
		record->has_room = true;
		record->device = status.st_dev;
		record->inode = status.st_ino;
	}
	return error;
}

static int write_record(int file, struct occ_counters_record *record,
			const struct occ_buffer *bytes)
{
	struct stat status;
	int error = OCC_OK;

	if (occ_file_status(file, &status) < 0)
		return OCC_E_IO;
	if (!S_ISREG(status.st_mode) || !occ_file_is_mine(&status))
		return OCC_E_FORBIDDEN;
	if (!record->has_room)
		error = make_room(file, record);
	else if (record->device != status.st_dev ||
		 record->inode != status.st_ino ||
		 (uint64_t)status.st_size < record->offset + ROOM)
		return OCC_E_NOT_FOUND;
	if (!error &&
	    occ_file_write(file, record->offset, bytes->data, bytes->size))
		error = OCC_E_IO;
	return error;
}

int occ_counters_put(const char *path, struct occ_counters_record *record,
		     const struct occ_counters *more)
{
	struct occ_buffer bytes;
	int error = OCC_E_MEMORY, file;

	occ_counters_add(&record->counters, more);
	encode_record(&record->counters, &bytes);
	if (!bytes.failed) {
		file = occ_file_open(AT_FDCWD, path, O_WRONLY);
		error = file < 0 ? OCC_E_IO
				 : write_record(file, record, &bytes);
		occ_file_close(file);
	}
	occ_buffer_release(&bytes);
	return error;
}

enum found { NOTHING, WHOLE, TORN, UNREADABLE };

static enum found read_once(int file, uint64_t offset,
			    struct occ_counters *ret_one)
{
	unsigned char bytes[ROOM] = {0};
	ssize_t got = occ_file_read(file, offset, bytes, sizeof(bytes));
	uint64_t size = occ_get_u64(bytes);

	/* There was something. */
	if (got <= 0)
		return UNREADABLE;
	if (!size)
		return NOTHING;
	if (size > ROOM - NUMBER_SIZE ||
	    !occ_counters_decode((struct occ_span){bytes + NUMBER_SIZE,
						   (size_t)size},
				 ret_one))
		return TORN;
	return WHOLE;
}

/* Some process may still be at work, and write just then. */
static enum found read_record(int file, uint64_t offset,
			      struct occ_counters *ret_one)
{
	enum found found = read_once(file, offset, ret_one);

	for (int i = 0; i < READS_MAX && found == TORN; i++) {
		occ_file_pause(PAUSE_NS);
		found = read_once(file, offset, ret_one);
	}
	return found;
}

static int read_records(int file, struct occ_counters *sum)
{
	struct occ_counters one;
	struct stat status;
	uint64_t count;

	if (occ_file_status(file, &status) < 0)
		return OCC_E_IO;
	count = ((uint64_t)status.st_size + ROOM - 1) / ROOM;
	if (count > RECORDS_MAX)
		return OCC_E_TOO_LARGE;
	for (uint64_t i = 0; i < count; i++) {
		enum found found = read_record(file, i * ROOM, &one);

		if (found == UNREADABLE)
			return OCC_E_IO;
		if (found == WHOLE)
			occ_counters_add(sum, &one);
	}
	return OCC_OK;
}

int occ_counters_sum(const char *path, struct occ_counters *ret_sum)
{
	int file = occ_file_open_path(path), error;

	memset(ret_sum, 0, sizeof(*ret_sum));
	if (file < 0)
		return errno == ENOENT ? OCC_E_NOT_FOUND : OCC_E_IO;
	error = read_records(file, ret_sum);
	occ_file_close(file);
	return error;
}
