/* SPDX-License-Identifier: MIT */
/*
 * oclcache explain: why a build wasn't served. The layer knows when it happens,
 * and writes it down with BinaryCacheTrace=1; without that, what is in the
 * store is compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/counters.h"
#include "cache/file.h"
#include "cache/nearest.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/failure.h"
#include "cli/fields.h"
#include "cli/lines.h"
#include "cli/message.h"
#include "cli/place.h"
#include "cli/screen.h"
#include "cli/target.h"
#include "cli/text.h"
#include "cli/units.h"

/* Entries of one source that are shown, and looked at for a similar one. */
#define SHOWN_MAX   5
#define LOOKS_MAX   OCC_NEAREST_LOOKS

/* Lines of a source that differ. */
#define LINES_SHOWN 4

/* (S12) No source is larger. */
#define SOURCE_MAX  ((off_t)256 << 20)

/* A build that isn't looked up, or fails, is no miss. */
#define HOW_TO_KNOW                                                            \
	"with BinaryCacheTrace=1 each miss leaves a trace for 'oclcache "      \
	"explain --last'; of builds that can't be cached "                     \
	"PrintDebugMessages=1 says why"

static const char nearest_label[] = "nearest when it missed: ";
static const char differs_label[] = "differs: ";

static void say_span(struct occ_span text)
{
	occ_screen_write(stdout, (const char *)text.data, text.size, true);
}

static void say_hash(const struct occ_digest *hash)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(hash, hex);
	fputs(hex, stdout);
}

static void say_age(int64_t seconds)
{
	char age[OCC_UNITS_SIZE];

	occ_units_age(occ_file_now() - seconds, age);
	printf("%s%s", age, strcmp(age, "now") != 0 ? " ago" : "");
}

static struct occ_span text_of(const struct occ_whole *whole,
			       enum occ_key_field id)
{
	struct occ_span bytes = {NULL, 0};

	occ_whole_find(whole, id, &bytes);
	return occ_fields_text(bytes);
}

/* "HASH: kernels, for device, options" */
static void say_entry(const struct occ_whole *whole)
{
	struct occ_span kernels = occ_fields_text(
		occ_entry_bytes(&whole->entry, OCC_META_KERNEL_NAMES));
	struct occ_span options = text_of(whole, OCC_KEY_OPTIONS);

	say_hash(&whole->entry.hash);
	if (kernels.size)
		fputs(": ", stdout);
	say_span(kernels);
	fputs(", for ", stdout);
	say_span(text_of(whole, OCC_KEY_DEVICE_NAME));
	if (options.size)
		fputs(", options ", stdout);
	say_span(options);
	putchar('\n');
}

static void say_source(const struct occ_whole *now,
		       const struct occ_whole *then)
{
	struct occ_span one, other;
	struct occ_lines lines;

	if (!occ_whole_find(now, OCC_KEY_SOURCE, &one) ||
	    !occ_whole_find(then, OCC_KEY_SOURCE, &other))
		return;
	occ_lines_compare(other, one, &lines);
	if (!lines.old_rest.size && !lines.new_rest.size)
		return;
	printf("  the source differs from line %zu on:\n", lines.line);
	occ_lines_show(&lines, LINES_SHOWN);
}

static void say_difference(const struct occ_whole *now,
			   const struct occ_whole *then)
{
	struct occ_stored_key one = {now->entry.key.data, now->entry.key.size};
	struct occ_stored_key other = {then->entry.key.data,
				       then->entry.key.size};
	struct occ_buffer text = OCC_BUFFER_INIT;

	occ_difference_describe(&one, &other, &text);
	if (text.failed)
		occ_message_no_memory();
	fputs("  differs:  ", stdout);
	say_span((struct occ_span){text.data, text.size});
	putchar('\n');
	occ_buffer_release(&text);
	say_source(now, then);
}

/* Reads an entry of the store; false: it is gone or bad. */
static bool read_entry(struct occ_store *store, const char *name,
		       struct occ_whole *whole)
{
	char *path;
	bool read;

	path = occ_text("%s/%s", occ_store_directory(store), name);
	read = !occ_whole_read_path(path, whole);
	free(path);
	return read;
}

struct other {
	struct occ_store *store;
	struct occ_whole whole; /* the last that is good: the nearest so far */
};

/* One that is damaged, or went meanwhile, is passed over. */
static bool is_good(const char *name, void *data)
{
	struct other *other = data;
	struct occ_whole whole = OCC_WHOLE_INIT;
	bool read = read_entry(other->store, name, &whole);

	if (read) {
		struct occ_whole former = other->whole;

		other->whole = whole;
		whole = former;
	}
	occ_whole_release(&whole);
	return read;
}

static int explain_entry(struct occ_store *store, const struct occ_whole *whole)
{
	struct occ_stored_key key = {whole->entry.key.data,
				     whole->entry.key.size};
	struct other other = {store, OCC_WHOLE_INIT};
	struct occ_nearest nearest;

	fputs("entry     ", stdout);
	say_entry(whole);
	if (occ_nearest_find_good(store, &key, is_good, &other, &nearest)) {
		puts("  There is no other good entry: nothing could have "
		     "served it.");
		return OCC_EXIT_OK;
	}
	fputs("  nearest:  ", stdout);
	say_entry(&other.whole);
	say_difference(whole, &other.whole);
	occ_whole_release(&other.whole);
	occ_nearest_release(&nearest);
	return OCC_EXIT_OK;
}

/* What is behind a label at a line's beginning; empty: it isn't there. */
static struct occ_span line_of(const struct occ_buffer *text, const char *label)
{
	size_t length = strlen(label);
	const char *at = (const char *)text->data, *end = at + text->size;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		if ((size_t)(stop - at) > length && !memcmp(at, label, length))
			return (struct occ_span){(const unsigned char *)at +
							 length,
						 (size_t)(stop - at) - length};
		at = stop + 1;
	}
	return (struct occ_span){NULL, 0};
}

/* False: there is no such trace, or it is none of a miss. */
static bool explain_trace(struct occ_store *store,
			  const struct occ_listing_file *file)
{
	struct occ_buffer text = OCC_BUFFER_INIT;
	struct occ_span nearest, differs;

	if (occ_store_read(store, file->name, &text))
		return false;
	nearest = line_of(&text, nearest_label);
	differs = line_of(&text, differs_label);
	if (differs.size) {
		printf("build     %.*s, missed ", OCC_DIGEST_HEX_SIZE - 1,
		       file->name);
		say_age(file->used.tv_sec);
		fputs("\n  nearest:  ", stdout);
		say_span(nearest);
		fputs("\n  differs:  ", stdout);
		say_span(differs);
		putchar('\n');
	}
	occ_buffer_release(&text);
	return differs.size > 0;
}

/* Of those whose names begin so, the newest; false: none says anything. */
static bool explain_traces(struct occ_store *store,
			   const struct occ_catalogue *catalogue,
			   const char *prefix)
{
	const struct occ_listing *listing = &catalogue->listing;

	for (size_t i = listing->count; i-- > 0;) {
		const struct occ_listing_file *file = listing->files[i];

		if (file->kind == OCC_NAME_TRACE &&
		    !strncmp(file->name, prefix, strlen(prefix)) &&
		    explain_trace(store, file))
			return true;
	}
	return false;
}

static const struct occ_item *newest(const struct occ_catalogue *catalogue)
{
	const struct occ_item *newest = NULL;

	for (size_t i = 0; i < catalogue->count; i++)
		if (!catalogue->items[i].fault &&
		    (!newest || catalogue->items[i].created > newest->created))
			newest = &catalogue->items[i];
	return newest;
}

/* Builds that were never looked up have no trace, but were counted. */
static void say_uncacheable(struct occ_store *store)
{
	struct occ_counters counters;
	uint64_t count;
	char moment[OCC_UNITS_SIZE];

	if (occ_counters_read(store, &counters))
		return;
	count = counters.numbers[OCC_COUNT_UNCACHEABLE];
	if (!count)
		return;
	printf("%" PRIu64 " %s not cacheable", count,
	       count == 1 ? "build was" : "builds were");
	if (counters.since)
		printf(" since %s", occ_units_moment(counters.since, moment));
	puts(", and left no trace:");
	for (size_t i = 0; i < counters.reason_count; i++) {
		const struct occ_counted_reason *reason = &counters.reasons[i];

		if (reason->kind != OCC_COUNTED_UNCACHEABLE)
			continue;
		printf("  %" PRIu64 "  ", reason->count);
		occ_screen_write(stdout, reason->text, strlen(reason->text),
				 true);
		putchar('\n');
	}
}

static int explain_last(struct occ_store *store,
			const struct occ_catalogue *catalogue)
{
	struct occ_whole whole = OCC_WHOLE_INIT;
	const struct occ_item *item;
	int status = OCC_EXIT_FAILED;

	if (explain_traces(store, catalogue, "")) {
		say_uncacheable(store);
		return OCC_EXIT_OK;
	}
	item = newest(catalogue);
	if (item && read_entry(store, item->file->name, &whole)) {
		status = explain_entry(store, &whole);
		say_uncacheable(store);
		occ_message_note("this was the last build that was "
				 "stored; " HOW_TO_KNOW);
	} else {
		say_uncacheable(store);
		occ_message_error("explain: %s has no entry and no trace, so "
				  "that nothing can be said; " HOW_TO_KNOW,
				  occ_store_directory(store));
	}
	occ_whole_release(&whole);
	return status;
}

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
		occ_message_error("%s: that is no source file", path);
	} else {
		ret_text->data =
			occ_message_must(malloc((size_t)status.st_size + 1));
		ret_text->capacity = (size_t)status.st_size + 1;
		read = occ_file_read(file, 0, ret_text->data,
				     (size_t)status.st_size) == status.st_size;
		ret_text->size = (size_t)status.st_size;
		if (!read)
			occ_message_error("%s: it can't be read", path);
	}
	occ_file_close(file);
	return read;
}

/* Has a file that was included other bytes now? */
static bool say_included(struct occ_span field)
{
	struct occ_digest digest;
	struct occ_buffer text = OCC_BUFFER_INIT;
	bool changed = false;
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
		changed = true;
		printf("  included file is gone:  ");
	} else if (read_source(path, &text)) {
		occ_digest(text.data, text.size, OCC_SEED_NAME, &digest);
		changed = text.size != occ_get_u64(field.data) ||
			  memcmp(digest.bytes, field.data + 8,
				 OCC_DIGEST_SIZE) != 0;
		if (changed)
			printf("  included file changed:  ");
	}
	if (changed) {
		occ_screen_write(stdout, path, strlen(path), true);
		putchar('\n');
	}
	occ_buffer_release(&text);
	free(path);
	return changed;
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

/* As hash/difference.h has it. */
static void say_or_absent(struct occ_span text)
{
	if (text.size)
		say_span(text);
	else
		fputs("absent", stdout);
}

static bool say_options(struct occ_span options, const char *given)
{
	if (!given || (options.size == strlen(given) &&
		       !memcmp(options.data, given, options.size)))
		return false;
	fputs("  options differ:  ", stdout);
	say_or_absent(
		(struct occ_span){(const unsigned char *)given, strlen(given)});
	fputs(" was ", stdout);
	say_or_absent(options);
	putchar('\n');
	return true;
}

/* What of the surroundings of an entry of this source isn't so any more. */
static void say_surroundings(const struct occ_whole *whole, const char *options)
{
	struct occ_whole_cursor cursor = {0, 0};
	bool changed = say_options(text_of(whole, OCC_KEY_OPTIONS), options);
	struct occ_span bytes;
	uint16_t id;

	while (occ_whole_next(whole, &cursor, &id, &bytes) == 1) {
		if (id == OCC_KEY_INCLUDE_FILE)
			changed |= say_included(bytes);
		else if (id == OCC_KEY_ENVIRONMENT)
			changed |= say_environment(bytes);
	}
	if (changed)
		return;
	fputs("  nothing that can be seen from here differs: built for that "
	      "device by driver\n  version ",
	      stdout);
	say_span(text_of(whole, OCC_KEY_DRIVER_VERSION));
	puts(", with those options, it is served");
}

struct search {
	struct occ_span source;
	const char *options;
	size_t same; /* entries of this very source */
	struct occ_whole best;
	struct occ_lines lines; /* of the best, while nothing is the same */
	size_t alike;		/* bytes at both ends that it shares */
};

/*
 * Of some text the first bytes, such as "kernel void", are always the same: so
 * much of a line must be that it looks like a change of it.
 */
static bool is_like(const struct occ_lines *lines, size_t alike)
{
	size_t longer = lines->old_rest.size > lines->new_rest.size
				? lines->old_rest.size
				: lines->new_rest.size;

	return lines->common || alike > longer / 2;
}

/* Takes the whole entry over where it is nearer than any before. */
static void consider(struct search *search, struct occ_whole *whole)
{
	struct occ_lines lines;
	struct occ_span source;
	size_t alike;

	if (!occ_whole_find(whole, OCC_KEY_SOURCE, &source))
		return;
	occ_lines_compare(source, search->source, &lines);
	if (!lines.old_rest.size && !lines.new_rest.size) {
		if (search->same++ < SHOWN_MAX) {
			fputs("entry     ", stdout);
			say_entry(whole);
			say_surroundings(whole, search->options);
		}
		return;
	}
	alike = lines.common + occ_lines_alike(&lines);
	if (!search->same && is_like(&lines, alike) && alike > search->alike) {
		struct occ_whole former = search->best;

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
		say_uncacheable(store);
		occ_message_error("explain: no entry's source is like %s; if a "
				  "program built it, then with something in "
				  "front, or it wasn't stored; " HOW_TO_KNOW,
				  path);
		return OCC_EXIT_FAILED;
	}
	fputs("nearest   ", stdout);
	say_entry(&search->best);
	printf("  the source differs from line %zu on:\n", search->lines.line);
	occ_lines_show(&search->lines, LINES_SHOWN);
	say_options(text_of(&search->best, OCC_KEY_OPTIONS), search->options);
	return OCC_EXIT_OK;
}

static int explain_source(struct occ_store *store,
			  const struct occ_catalogue *catalogue,
			  const char *path, const char *options)
{
	struct search search = {.options = options};
	struct occ_whole whole = OCC_WHOLE_INIT;
	struct occ_buffer text;
	int status;

	if (!read_source(path, &text))
		return OCC_EXIT_FAILED;
	search.source = (struct occ_span){text.data, text.size};
	for (size_t i = 0; i < catalogue->count && i < LOOKS_MAX; i++)
		if (read_entry(store, catalogue->items[i].file->name, &whole))
			consider(&search, &whole);
	status = tell_search(store, &search, path);
	occ_whole_release(&whole);
	occ_whole_release(&search.best);
	occ_buffer_release(&text);
	return status;
}

static bool is_entry_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return occ_name_kind(slash ? slash + 1 : path) == OCC_NAME_ENTRY;
}

static int explain_target(struct occ_store *store, const char *text)
{
	struct occ_target target;
	int status = occ_target_read(occ_store_directory(store), "explain",
				     text, &target);

	if (status != OCC_EXIT_OK)
		return status;
	if (!target.error) {
		status = explain_entry(store, &target.whole);
	} else {
		occ_target_complain(&target);
		status = OCC_EXIT_FAILED;
	}
	occ_target_release(&target);
	return status;
}

static int explain(struct occ_store *store,
		   const struct occ_catalogue *catalogue,
		   const struct occ_arguments *arguments)
{
	const char *operand = arguments->operands[0];
	size_t digits;

	if (!operand)
		return explain_last(store, catalogue);
	digits = strspn(operand, "0123456789abcdef");
	if (!access(operand, F_OK) && !is_entry_name(operand))
		return explain_source(store, catalogue, operand,
				      occ_arguments_value(arguments,
							  "options"));
	/* What the layer said at the time is worth more. */
	if (digits >= 4 && !operand[digits] &&
	    explain_traces(store, catalogue, operand))
		return OCC_EXIT_OK;
	return explain_target(store, operand);
}

static int run(const struct occ_arguments *arguments)
{
	bool last = occ_arguments_has(arguments, "last");
	int status = OCC_EXIT_FAILED;
	struct occ_catalogue catalogue;
	struct occ_store *store;

	if (arguments->operand_count + last != 1) {
		occ_message_error("explain: which build? A source file, an "
				  "entry's hash, or --last");
		return OCC_EXIT_USAGE;
	}
	store = occ_place_open(arguments, false);
	if (!store)
		return OCC_EXIT_FAILED;
	if (occ_catalogue_read(store, NULL, &catalogue)) {
		status = explain(store, &catalogue, arguments);
		occ_catalogue_release(&catalogue);
	}
	occ_store_close(store);
	return status;
}

static const struct occ_option options[] = {
	{"last", 0, NULL, "the last build that missed"},
	{"options", 0, "OPTIONS", "FILE.cl is built with these"},
	OCC_PLACE_OPTION,
	{NULL},
};

const struct occ_command occ_command_explain = {
	.name = "explain",
	.summary = "why a program wasn't served",
	.operands = "FILE.cl|HASH",
	.details = "The nearest entry, and what differs from it. Programs that "
		   "run with\nBinaryCacheTrace=1 leave a trace of each miss, "
		   "which says it for sure;\nwithout, what is in the store is "
		   "compared.",
	.options = options,
	.run = run,
};
