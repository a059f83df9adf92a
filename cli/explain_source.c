/* SPDX-License-Identifier: MIT */
/*
 * What became of a source file: entries of it, and what of their surroundings
 * is another now, or the entry whose source is most like it.
 */
#include "cli/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "cache/nearest.h"
#include "cli/command.h"
#include "cli/fields.h"
#include "cli/message.h"
#include "cli/screen.h"

/* Entries of one source that are shown, and looked at for a similar one. */
#define SHOWN_MAX  5
#define LOOKS_MAX  OCC_NEAREST_LOOKS

/* (S12) No source is larger. */
#define SOURCE_MAX ((off_t)256 << 20)

/* False after an error was shown. */
static bool read_source(const char *path, struct occ_buffer *ret_text)
{
	int file = occ_file_open_path(path);
	struct stat status;
	bool read = false;

	*ret_text = (struct occ_buffer)OCC_BUFFER_INIT;
	if (file < 0 || occ_file_status(file, &status) < 0) {
		occ_message_error("%s: %s", path, strerror(errno));
	} else if (!S_ISREG(status.st_mode) || status.st_size > SOURCE_MAX) {
		occ_message_error("%s isn't a source file", path);
	} else {
		ret_text->data =
			occ_message_must(malloc((size_t)status.st_size + 1));
		ret_text->capacity = (size_t)status.st_size + 1;
		read = occ_file_read(file, 0, ret_text->data,
				     (size_t)status.st_size) == status.st_size;
		ret_text->size = (size_t)status.st_size;
		if (!read)
			occ_message_error("can't read %s", path);
	}
	occ_file_close(file);
	return read;
}

/* Has a file that was included other bytes now? */
static bool say_included(struct occ_span field)
{
	struct occ_digest digest;
	struct occ_buffer text = OCC_BUFFER_INIT;
	const char *how = NULL;
	char *path;
	int file;

	if (field.size <= OCC_KEY_FILE_HEAD)
		return false;
	path = occ_message_must(
		strndup((const char *)field.data + OCC_KEY_FILE_HEAD,
			field.size - OCC_KEY_FILE_HEAD));
	file = occ_file_open_path(path);
	occ_file_close(file);
	if (file < 0) {
		how = "is gone";
	} else if (read_source(path, &text)) {
		occ_digest(text.data, text.size, OCC_SEED_NAME, &digest);
		if (text.size != occ_get_u64(field.data) ||
		    memcmp(digest.bytes, field.data + 8, OCC_DIGEST_SIZE) != 0)
			how = "changed";
	}
	if (how)
		occ_screen_line("  included file %s:  %s", how, path);
	occ_buffer_release(&text);
	free(path);
	return how != NULL;
}

/* Has a variable that counts another value here? */
static bool say_environment(struct occ_span field)
{
	const char *at = (const char *)field.data, *end = at + field.size;
	bool changed = false;

	while (at < end) {
		size_t length = strnlen(at, (size_t)(end - at));
		const char *equals = memchr(at, '=', length), *now;
		char *name;

		if (!equals)
			break;
		name = occ_message_must(strndup(at, (size_t)(equals - at)));
		now = getenv(name);
		if (!now || strlen(now) != length - strlen(name) - 1 ||
		    memcmp(now, equals + 1, strlen(now)) != 0) {
			printf("  environment was:  ");
			occ_screen_write(stdout, at, length, true);
			putchar('\n');
			changed = true;
		}
		free(name);
		at += length + 1;
	}
	return changed;
}

static bool say_options(struct occ_span options, const char *given)
{
	if (!given || (options.size == strlen(given) &&
		       !memcmp(options.data, given, options.size)))
		return false;
	/* "absent" as hash/difference.h has it. */
	fputs("  options differ:  ", stdout);
	occ_screen_text(*given ? given : "absent");
	fputs(" was ", stdout);
	if (options.size)
		occ_fields_show(options, true);
	else
		fputs("absent", stdout);
	putchar('\n');
	return true;
}

/* What of the surroundings of an entry of this source isn't so any more. */
static void say_surroundings(const struct occ_entry_file *whole,
			     const char *options)
{
	struct occ_entry_file_cursor cursor = {0, 0};
	bool changed =
		say_options(occ_fields_find(whole, OCC_KEY_OPTIONS), options);
	struct occ_span bytes;
	uint16_t id;

	while (occ_entry_file_next(whole, &cursor, &id, &bytes) == 1) {
		if (id == OCC_KEY_INCLUDE_FILE)
			changed |= say_included(bytes);
		else if (id == OCC_KEY_ENVIRONMENT)
			changed |= say_environment(bytes);
	}
	if (changed)
		return;
	fputs("  no difference can be seen from here: if it is built for that "
	      "device by driver\n"
	      "  version ",
	      stdout);
	occ_fields_show(occ_fields_find(whole, OCC_KEY_DRIVER_VERSION), true);
	puts(", with those options, it is served");
}

struct search {
	struct occ_span source;
	const char *options;
	size_t same; /* entries of this very source */
	struct occ_entry_file best;
	struct occ_lines lines; /* of the best, while nothing is the same */
	size_t alike;		/* bytes at both ends that it shares */
};

/* Takes the whole entry over where it is nearer than any before. */
static void consider(struct search *search, struct occ_entry_file *whole)
{
	struct occ_lines lines;
	struct occ_span source;
	size_t alike, longer;

	if (!occ_entry_file_find(whole, OCC_KEY_SOURCE, &source))
		return;
	occ_entry_diff_lines(source, search->source, &lines);
	if (!lines.old_rest.size && !lines.new_rest.size) {
		if (search->same++ < SHOWN_MAX) {
			fputs("entry     ", stdout);
			occ_explain_say_entry(whole);
			say_surroundings(whole, search->options);
		}
		return;
	}
	alike = lines.common + occ_entry_diff_alike(&lines);
	longer = lines.old_rest.size > lines.new_rest.size
			 ? lines.old_rest.size
			 : lines.new_rest.size;
	/*
	 * The first bytes of a text, such as "kernel void", are always the
	 * same: so much of a line must be that it looks like a change of it.
	 */
	if (!search->same && (lines.common || alike > longer / 2) &&
	    alike > search->alike) {
		struct occ_entry_file former = search->best;

		search->best = *whole;
		search->lines = lines;
		search->alike = alike;
		*whole = former;
	}
}

static int tell_search(struct occ_store *store, const struct search *search,
		       const char *path)
{
	if (search->same > SHOWN_MAX)
		printf("and %zu more entries of this source\n",
		       search->same - SHOWN_MAX);
	if (search->same)
		return OCC_EXIT_OK;
	if (!search->alike) {
		occ_explain_say_uncacheable(store);
		occ_message_error(
			"explain: no entry's source matches %s; perhaps a "
			"program built it with other text in front, or it "
			"wasn't stored; " OCC_EXPLAIN_HOW_TO_KNOW,
			path);
		return OCC_EXIT_FAILED;
	}
	fputs("nearest   ", stdout);
	occ_explain_say_entry(&search->best);
	occ_explain_say_lines(&search->lines);
	say_options(occ_fields_find(&search->best, OCC_KEY_OPTIONS),
		    search->options);
	return OCC_EXIT_OK;
}

int occ_explain_source(struct occ_store *store,
		       const struct occ_catalogue *catalogue, const char *path,
		       const char *options)
{
	struct search search = {.options = options};
	struct occ_entry_file whole = {0};
	struct occ_buffer text;
	int status;

	if (!read_source(path, &text))
		return OCC_EXIT_FAILED;
	search.source = occ_buffer_span(&text);
	for (size_t i = 0; i < catalogue->count && i < LOOKS_MAX; i++)
		if (occ_explain_read(store, catalogue->items[i].file->name,
				     &whole))
			consider(&search, &whole);
	status = tell_search(store, &search, path);
	occ_entry_file_release(&whole);
	occ_entry_file_release(&search.best);
	occ_buffer_release(&text);
	return status;
}
