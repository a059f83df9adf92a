/* SPDX-License-Identifier: MIT */
#include "cli/record_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/database_record.h"
#include "cache/settings.h"
#include "cli/message.h"
#include "cli/text.h"
#include "cli/units.h"

static size_t count_builds(const struct occ_database *database)
{
	size_t count = 0;

	for (size_t i = 0; i < occ_database_count(database); i++)
		count += occ_database_frame(database, i)->type ==
			 OCC_FRAME_BUILD;
	return count;
}

static void complain(const char *path, int error)
{
	if (error == OCC_E_CORRUPT)
		occ_message_error("%s isn't a database of builds and was left "
				  "unchanged; choose another file with -o",
				  path);
	else if (error == OCC_E_VERSION)
		occ_message_error("%s was made by another version of oclcache; "
				  "choose another file with -o",
				  path);
	else if (error == OCC_E_IO)
		occ_message_error(
			"can't write %s: %s; choose another file with -o", path,
			strerror(errno));
	else if (error == OCC_E_BUSY)
		occ_message_error("%s is locked by another process; try again",
				  path);
	else
		occ_message_error("%s: %s", path, occ_error_string(error));
}

static uint64_t max_size(void)
{
	struct occ_settings settings;
	uint64_t size;

	occ_settings_read(&settings);
	size = settings.record_max_size;
	occ_settings_release(&settings);
	return size;
}

bool occ_record_file_begin(struct occ_record_file *file)
{
	struct occ_database *database;
	int error;

	file->made = access(file->path, F_OK) && errno == ENOENT;
	error = occ_database_open(file->path, max_size(), &database);
	if (error) {
		complain(file->path, error);
		return false;
	}
	file->builds = count_builds(database);
	file->frames = occ_database_count(database);
	occ_database_close(database);
	return true;
}

/* Of this run: "2 builds can't be replayed: REASON"; NULL: there is none. */
static char *describe_refused(const struct occ_counters *counters)
{
	uint64_t count = counters->numbers[OCC_COUNT_UNCACHEABLE];
	const struct occ_counted_reason *most = NULL;

	for (size_t i = 0; i < counters->reason_count; i++)
		if (counters->reasons[i].kind == OCC_COUNTED_UNCACHEABLE &&
		    (!most || counters->reasons[i].count > most->count))
			most = &counters->reasons[i];
	if (!count || !most)
		return NULL;
	return occ_text("%" PRIu64 " build%s can't be replayed: %s%s", count,
			count == 1 ? "" : "s",
			most->count < count ? "mostly, " : "", most->text);
}

static void say_what_is_there(const struct occ_record_file *file,
			      const struct occ_database *database,
			      const char *refused)
{
	size_t builds = count_builds(database);
	char size[OCC_UNITS_SIZE];

	if (!occ_database_count(database)) {
		occ_message_note("nothing was recorded");
		return;
	}
	occ_message_note("%s: %zu build%s, %zu of them new, %s%s%s", file->path,
			 builds, builds == 1 ? "" : "s", builds - file->builds,
			 occ_units_size(occ_database_size(database), size),
			 refused ? "; " : "", refused ? refused : "");
}

static bool says_too_large(struct occ_database *database,
			   const struct occ_digest *name)
{
	const char *text = occ_reason_text(OCC_REASON_TOO_LARGE);
	struct occ_buffer record = OCC_BUFFER_INIT;
	struct occ_field field;
	bool found;

	found = !occ_database_read(database, OCC_FRAME_REFUSAL, name,
				   &record) &&
		occ_field_find(record.data, record.size, OCC_REFUSAL_REASON,
			       &field) == 1 &&
		field.length == strlen(text) &&
		!memcmp(field.payload, text, strlen(text));
	occ_buffer_release(&record);
	return found;
}

/* Was there more than fits? */
static bool is_full(const struct occ_record_file *file,
		    struct occ_database *database)
{
	bool full = false;

	for (size_t i = file->frames; i < occ_database_count(database) && !full;
	     i++) {
		const struct occ_frame frame = *occ_database_frame(database, i);

		full = frame.type == OCC_FRAME_REFUSAL &&
		       says_too_large(database, &frame.name);
	}
	return full;
}

void occ_record_file_say(const struct occ_record_file *file,
			 const struct occ_counters *counters)
{
	struct occ_database *database;
	char *refused = counters ? describe_refused(counters) : NULL;
	int error = occ_database_open_read(file->path, &database);

	if (error) {
		complain(file->path, error);
	} else {
		say_what_is_there(file, database, refused);
		if (is_full(file, database))
			occ_message_warning(
				"%s: some builds didn't fit; raise "
				"OCLCACHE_RECORD_MAX_SIZE, now %" PRIu64,
				file->path, max_size());
		occ_database_close(database);
	}
	free(refused);
}

void occ_record_file_end(const struct occ_record_file *file)
{
	struct occ_database *database;
	bool empty;

	if (!file->made || occ_database_open_read(file->path, &database))
		return;
	empty = !occ_database_count(database);
	occ_database_close(database);
	if (empty)
		unlink(file->path);
}
