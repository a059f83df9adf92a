/* SPDX-License-Identifier: MIT */
#include "cli/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/units.h"

/* Digits that are shown of a name at least, and that must be typed. */
#define PREFIX_MIN 8
#define TYPED_MIN  4

static int compare_names(const struct occ_digest *one,
			 const struct occ_digest *other)
{
	return memcmp(one->bytes, other->bytes, OCC_DIGEST_SIZE);
}

static int compare(const void *one, const void *other)
{
	const struct occ_record *a = one, *b = other;
	int result = (a->type > b->type) - (a->type < b->type);

	if (!result)
		result = compare_names(&a->name, &b->name);
	return result ? result : (a->file > b->file) - (a->file < b->file);
}

static void complain(const char *command, const char *path, int error)
{
	if (error == OCC_E_CORRUPT)
		occ_message_error("%s: %s isn't a database of builds", command,
				  path);
	else if (error == OCC_E_VERSION)
		occ_message_error("%s: %s was written by another version of "
				  "oclcache",
				  command, path);
	else if (error == OCC_E_IO)
		occ_message_error("%s: can't read %s: %s", command, path,
				  strerror(errno));
	else
		occ_message_error("%s: can't read %s: %s", command, path,
				  occ_error_string(error));
}

/* Its frames behind those that are there. */
static void add_frames(struct occ_records *records, size_t file)
{
	struct occ_database *database = records->databases[file];
	size_t count = occ_database_count(database);

	if (!count)
		return;
	records->records = occ_message_must(
		reallocarray(records->records, records->count + count,
			     sizeof(*records->records)));
	for (size_t i = 0; i < count; i++) {
		const struct occ_frame *frame = occ_database_frame(database, i);

		records->records[records->count++] =
			(struct occ_record){.name = frame->name,
					    .type = frame->type,
					    .size = frame->size,
					    .file = file};
	}
}

/* One file's; false after an error was shown. */
static bool open_one(const char *command, const char *path,
		     struct occ_records *records)
{
	size_t file = records->database_count;
	uint64_t bad;
	int error;

	error = occ_database_open_read(path, &records->databases[file]);
	if (error == OCC_E_MEMORY)
		occ_message_no_memory();
	if (error) {
		complain(command, path, error);
		return false;
	}
	records->database_count++;
	add_frames(records, file);
	bad = occ_database_bad(records->databases[file]);
	records->bad += bad;
	records->size += occ_database_size(records->databases[file]);
	if (bad) {
		char size[OCC_UNITS_SIZE];

		occ_message_warning("%s: %s of %s are damaged or incomplete; "
				    "using the rest",
				    command, occ_units_size(bad, size), path);
	}
	return true;
}

/* Equal ones are one. */
static void join(struct occ_records *records)
{
	size_t kept = 0;

	if (records->count)
		qsort(records->records, records->count,
		      sizeof(*records->records), compare);
	for (size_t i = 0; i < records->count; i++) {
		const struct occ_record *record = &records->records[i];

		if (i && record->type == record[-1].type &&
		    !compare_names(&record->name, &record[-1].name))
			continue;
		records->records[kept++] = *record;
	}
	records->count = kept;
}

bool occ_records_read(const struct occ_records *records,
		      const struct occ_record *record,
		      struct occ_buffer *ret_bytes)
{
	/* Where one file is damaged, another may have it. */
	for (size_t i = 0; i < records->database_count; i++) {
		size_t file = (record->file + i) % records->database_count;
		int error = occ_database_read(records->databases[file],
					      (enum occ_frame_type)record->type,
					      &record->name, ret_bytes);

		if (error == OCC_E_MEMORY)
			occ_message_no_memory();
		if (!error)
			return true;
	}
	return false;
}

static void keep(struct occ_records *records, struct occ_record *record)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	if (record->size > OCC_RECORD_MAX ||
	    record->size > OCC_RECORDS_MAX - records->kept) {
		records->too_large++;
	} else if (!occ_records_read(records, record, &bytes)) {
		records->unreadable++;
	} else {
		/* Never NULL, also of no bytes. */
		occ_buffer_append(&bytes, "", 1);
		if (bytes.failed)
			occ_message_no_memory();
		record->bytes = (struct occ_span){bytes.data, bytes.size - 1};
		records->kept += record->size;
		bytes.data = NULL;
	}
	occ_buffer_release(&bytes);
}

static void warn(const char *command, const struct occ_records *records)
{
	if (records->unreadable)
		occ_message_warning(
			"%s: %zu records can't be read; using the rest",
			command, records->unreadable);
	if (records->too_large)
		occ_message_warning("%s: %zu records are too large or too "
				    "many; using the rest",
				    command, records->too_large);
}

bool occ_records_open(const char *command, char *const *paths, size_t count,
		      struct occ_records *ret_records)
{
	struct occ_records *records = ret_records;
	bool opened = true;

	memset(records, 0, sizeof(*records));
	records->databases = occ_message_must(
		calloc(count + 1, sizeof(*records->databases)));
	for (size_t i = 0; i < count && opened; i++)
		opened = open_one(command, paths[i], records);
	if (!opened)
		return false;
	join(records);
	for (size_t i = 0; i < records->count; i++)
		if (records->records[i].type != OCC_FRAME_CONTENT)
			keep(records, &records->records[i]);
	warn(command, records);
	return true;
}

void occ_records_release(struct occ_records *records)
{
	for (size_t i = 0; i < records->count; i++)
		free((void *)records->records[i].bytes.data);
	for (size_t i = 0; i < records->database_count; i++)
		occ_database_close(records->databases[i]);
	free(records->records);
	free(records->databases);
	memset(records, 0, sizeof(*records));
}

/* The number of the first record that isn't before that one. */
static size_t lower_bound(const struct occ_records *records, uint32_t type,
			  const struct occ_digest *name)
{
	const struct occ_record sought = {.type = type, .name = *name};
	size_t low = 0, high = records->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&records->records[middle], &sought) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t occ_records_of(const struct occ_records *records,
		      enum occ_frame_type type,
		      const struct occ_record **ret_first)
{
	const struct occ_digest least = {{0}};
	size_t first = lower_bound(records, type, &least), last = first;

	while (last < records->count && records->records[last].type == type)
		last++;
	*ret_first = records->records + first;
	return last - first;
}

const struct occ_record *occ_records_find(const struct occ_records *records,
					  enum occ_frame_type type,
					  const struct occ_digest *name)
{
	size_t at = lower_bound(records, type, name);
	const struct occ_record *record = records->records + at;

	return at < records->count && record->type == type &&
			       !compare_names(&record->name, name)
		       ? record
		       : NULL;
}

static size_t common(const struct occ_record *one,
		     const struct occ_record *other)
{
	char a[OCC_DIGEST_HEX_SIZE], b[OCC_DIGEST_HEX_SIZE];
	size_t length = 0;

	occ_digest_hex(&one->name, a);
	occ_digest_hex(&other->name, b);
	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

/* Neighbours are most alike. */
size_t occ_records_prefix(const struct occ_records *records)
{
	const struct occ_record *builds;
	size_t count = occ_records_of(records, OCC_FRAME_BUILD, &builds);
	size_t prefix = PREFIX_MIN;

	for (size_t i = 1; i < count; i++) {
		size_t length = common(&builds[i - 1], &builds[i]) + 1;

		prefix = length > prefix ? length : prefix;
	}
	return prefix;
}

const struct occ_record *occ_records_choose(const struct occ_records *records,
					    const char *command,
					    const char *digits)
{
	const struct occ_record *builds, *found = NULL;
	size_t count = occ_records_of(records, OCC_FRAME_BUILD, &builds);
	size_t length = strlen(digits), matches = 0;
	char hex[OCC_DIGEST_HEX_SIZE];

	if (length < TYPED_MIN || strspn(digits, "0123456789abcdef") != length)
		length = 0;
	for (size_t i = 0; i < count && length; i++) {
		occ_digest_hex(&builds[i].name, hex);
		if (strncmp(hex, digits, length) != 0)
			continue;
		found = &builds[i];
		matches++;
	}
	if (!length)
		occ_message_error(
			"%s: '%s' isn't the name of a build; use %d or more "
			"digits of a name that 'oclcache database list' shows",
			command, digits, TYPED_MIN);
	else if (!matches)
		occ_message_error("%s: no build matches '%s'", command, digits);
	else if (matches > 1)
		occ_message_error(
			"%s: %zu builds begin with '%s'; use more digits",
			command, matches, digits);
	return matches == 1 ? found : NULL;
}
