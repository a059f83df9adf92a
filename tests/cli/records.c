/* SPDX-License-Identifier: MIT */
/*
 * Makes a database of builds that no application recorded:
 *
 *	records FILE <LINES
 *
 * A line is what it makes, the word by which later lines know it, and
 *NAME=VALUE each; tabs are in between. Values are texts as they are; a file's
 *and a header's is PATH=TEXT, an answer's NUMBER=TEXT:
 *
 *	device	D	name=..	vendor=..	platform=.. version=..	asked=..
 *	build	B	operation=..	source=..	il=..	options=..
 *			header=..	input=B	binary=SIZE	file=..
 *			missing=.. (a file whose content isn't there)
 *			present=PATH	directory=..	environment=..
 *			executable=..	later=..
 *	use	B	device=D	application=..	day=..	kernel=..
 *			time=NANOSECONDS
 *	refusal	-	application=..	reason=..	day=..
 *	frame	TYPE	text=..
 *	commit	-
 *
 * What is left out isn't in the record. Names of builds are printed, as the
 *word and 32 digits. The text of a file may be @FILE, whose bytes it is then.
 *
 *	records --dump FILE
 *
 * writes the bytes of all frames that are there, one after the other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/database_record.h"
#include "hash/key.h"

#define WORDS_MAX 512

static struct {
	struct occ_database *database;
	struct {
		char *word;
		struct occ_digest name;
	} words[WORDS_MAX];
	size_t count;
} made;

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "records: %s\n", what);
	exit(1);
}

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static void remember(const char *word, const struct occ_digest *name)
{
	must(made.count < WORDS_MAX, "too many words");
	made.words[made.count].word = strdup(word);
	made.words[made.count++].name = *name;
}

/* A word of nothing is a name of nothing. */
static struct occ_digest find(const char *word)
{
	struct occ_digest name;

	for (size_t i = made.count; i-- > 0;)
		if (!strcmp(made.words[i].word, word))
			return made.words[i].name;
	occ_database_name(span(word), &name);
	return name;
}

static struct occ_digest add(enum occ_frame_type type, struct occ_span bytes)
{
	struct occ_digest name;

	must(!occ_database_add(made.database, type, bytes, &name),
	     "can't add a frame");
	return name;
}

static void append(struct occ_buffer *record, uint16_t id, struct occ_span text)
{
	occ_field_append(record, id, text.data, text.size);
}

static void append_name(struct occ_buffer *record, uint16_t id,
			const char *word)
{
	struct occ_digest name = find(word);

	occ_field_append(record, id, name.bytes, OCC_DIGEST_SIZE);
}

static void append_lengths(struct occ_buffer *record, uint16_t id,
			   const char *text)
{
	occ_record_append_number(record, id, strlen(text));
}

static struct occ_span content_of(const char *text)
{
	static unsigned char bytes[1 << 20];
	FILE *file = *text == '@' ? fopen(text + 1, "re") : NULL;
	size_t size;

	if (!file)
		return span(text);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return (struct occ_span){bytes, size};
}

/* As keys have it (hash/key.h). */
static void append_file(struct occ_buffer *record, uint16_t id,
			const char *path, const char *text, bool is_there)
{
	struct occ_buffer payload = OCC_BUFFER_INIT;
	unsigned char head[OCC_KEY_FILE_HEAD] = {0};
	struct occ_digest digest;

	if (text) {
		struct occ_span content = content_of(text);

		occ_put_u64(head, content.size);
		occ_database_name(content, &digest);
		memcpy(head + 8, digest.bytes, OCC_DIGEST_SIZE);
		occ_digest(content.data, content.size, OCC_SEED_FIELD, &digest);
		memcpy(head + 24, digest.bytes, OCC_DIGEST_SIZE);
		if (is_there)
			add(OCC_FRAME_CONTENT, content);
	}
	occ_buffer_append(&payload, head, sizeof(head));
	occ_buffer_append(&payload, path, strlen(path));
	append(record, id, occ_buffer_span(&payload));
	occ_buffer_release(&payload);
}

/* "PATH=TEXT" */
static char *cut(char *value)
{
	char *text = strchr(value, '=');

	must(text, "a value needs a '='");
	*text = '\0';
	return text + 1;
}

static bool is(const char *name, const char *other)
{
	return !strcmp(name, other);
}

static void content(struct occ_buffer *record, uint16_t id, const char *text)
{
	must(!occ_database_add_content(made.database, span(text), id, record),
	     "can't add a content");
}

static void build_text(struct occ_buffer *record, const char *name, char *value)
{
	if (is(name, "source")) {
		content(record, OCC_BUILD_SOURCE, value);
		append_lengths(record, OCC_BUILD_SOURCE_LENGTHS, value);
	} else if (is(name, "il")) {
		content(record, OCC_BUILD_IL, value);
	} else if (is(name, "header")) {
		char *text = cut(value);

		append(record, OCC_BUILD_HEADER_NAME, span(value));
		content(record, OCC_BUILD_HEADER_SOURCE, text);
		append_lengths(record, OCC_BUILD_HEADER_LENGTHS, text);
	} else if (is(name, "file") || is(name, "missing")) {
		char *text = cut(value);

		append_file(record, OCC_BUILD_INCLUDE_FILE, value, text,
			    is(name, "file"));
	} else {
		must(false, name);
	}
}

static void build_field(struct occ_buffer *record, const char *name,
			char *value)
{
	if (is(name, "operation"))
		append(record, OCC_BUILD_OPERATION, span(value));
	else if (is(name, "options"))
		append(record, OCC_BUILD_OPTIONS, span(value));
	else if (is(name, "input"))
		append_name(record, OCC_BUILD_LINK_BUILD, value);
	else if (is(name, "binary"))
		occ_record_append_number(record, OCC_BUILD_LINK_BINARY,
					 strtoull(value, NULL, 0));
	else if (is(name, "present"))
		append_file(record, OCC_BUILD_INCLUDE_PRESENT, value, NULL,
			    false);
	else if (is(name, "directory"))
		append(record, OCC_BUILD_DIRECTORY, span(value));
	else if (is(name, "environment"))
		occ_field_append(record, OCC_BUILD_ENVIRONMENT, value,
				 strlen(value) + 1);
	else if (is(name, "executable"))
		append(record, OCC_BUILD_EXECUTABLE, span(value));
	else if (is(name, "later"))
		append(record, 999, span(value));
	else
		build_text(record, name, value);
}

static void device_field(struct occ_buffer *record, const char *name,
			 char *value)
{
	if (is(name, "asked")) {
		char *text = cut(value);
		struct occ_buffer asked = OCC_BUFFER_INIT;
		unsigned char number[4];

		occ_put_u32(number, (uint32_t)strtoul(value, NULL, 0));
		occ_buffer_append(&asked, number, sizeof(number));
		occ_buffer_append(&asked, text, strlen(text) + 1);
		append(record, OCC_DEVICE_ASKED, occ_buffer_span(&asked));
		occ_buffer_release(&asked);
		return;
	}
	if (is(name, "type")) {
		occ_record_append_number(record, OCC_KEY_DEVICE_NUMBERS,
					 strtoull(value, NULL, 0));
		return;
	}
	append(record,
	       is(name, "name")	      ? OCC_KEY_DEVICE_NAME
	       : is(name, "vendor")   ? OCC_KEY_DEVICE_VENDOR
	       : is(name, "platform") ? OCC_KEY_PLATFORM_NAME
				      : OCC_KEY_DRIVER_VERSION,
	       span(value));
}

static void use_field(struct occ_buffer *record, const char *name, char *value)
{
	if (is(name, "device"))
		append_name(record, OCC_USE_DEVICE, value);
	else if (is(name, "application"))
		append(record, OCC_USE_APPLICATION, span(value));
	else if (is(name, "kernel"))
		append(record, OCC_USE_KERNEL, span(value));
	else
		occ_record_append_number(record,
					 is(name, "day") ? OCC_USE_DAY
							 : OCC_USE_COMPILE_TIME,
					 strtoull(value, NULL, 0));
}

static void refusal_field(struct occ_buffer *record, const char *name,
			  char *value)
{
	if (is(name, "day"))
		occ_record_append_number(record, OCC_REFUSAL_DAY,
					 strtoull(value, NULL, 0));
	else
		append(record,
		       is(name, "reason") ? OCC_REFUSAL_REASON
					  : OCC_REFUSAL_APPLICATION,
		       span(value));
}

static const struct kind {
	const char *name;
	enum occ_frame_type type;
	void (*field)(struct occ_buffer *record, const char *name, char *value);
} kinds[] = {
	{"device", OCC_FRAME_DEVICE, device_field},
	{"build", OCC_FRAME_BUILD, build_field},
	{"use", OCC_FRAME_USE, use_field},
	{"refusal", OCC_FRAME_REFUSAL, refusal_field},
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is(kinds[i].name, name))
			return &kinds[i];
	must(false, name);
	return NULL;
}

static void make(const struct kind *kind, const char *word, char *rest)
{
	struct occ_buffer record = OCC_BUFFER_INIT;
	struct occ_digest name;
	char hex[OCC_DIGEST_HEX_SIZE], *field;

	if (kind->type == OCC_FRAME_USE)
		append_name(&record, OCC_USE_BUILD, word);
	while ((field = strsep(&rest, "\t")))
		if (*field) {
			char *value = cut(field);

			kind->field(&record, field, value);
		}
	must(!record.failed, "no memory");
	name = add(kind->type, occ_buffer_span(&record));
	occ_buffer_release(&record);
	occ_digest_hex(&name, hex);
	if (kind->type == OCC_FRAME_BUILD)
		printf("%s %s\n", word, hex);
	if (kind->type != OCC_FRAME_USE)
		remember(word, &name);
}

static void obey(char *line)
{
	char *rest = line, *what = strsep(&rest, "\t");
	char *word = strsep(&rest, "\t");

	must(word, "a line needs two words");
	if (is(what, "commit")) {
		must(!occ_database_commit(made.database), "can't commit");
		must(!occ_database_begin(made.database, 1000), "can't begin");
	} else if (is(what, "frame")) {
		add((enum occ_frame_type)atoi(word), span(cut(rest)));
	} else {
		make(find_kind(what), word, rest);
	}
}

static void dump(const char *path)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	must(!occ_database_open_read(path, &made.database),
	     "can't open the file");
	for (size_t i = 0; i < occ_database_count(made.database); i++) {
		const struct occ_frame *frame =
			occ_database_frame(made.database, i);

		occ_database_read(made.database,
				  (enum occ_frame_type)frame->type,
				  &frame->name, &bytes);
	}
	fwrite(bytes.data, 1, bytes.size, stdout);
	occ_buffer_release(&bytes);
	occ_database_close(made.database);
}

int main(int count, char **arguments)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	if (count == 3 && is(arguments[1], "--dump")) {
		dump(arguments[2]);
		return 0;
	}
	must(count == 2, "records FILE <LINES");
	must(!occ_database_open(arguments[1], 0, &made.database),
	     "can't open the file");
	must(!occ_database_begin(made.database, 1000), "can't lock the file");
	while ((size = getline(&line, &room, stdin)) > 0) {
		if (line[size - 1] == '\n')
			line[size - 1] = '\0';
		if (*line)
			obey(line);
	}
	must(!occ_database_commit(made.database), "can't write");
	occ_database_close(made.database);
	free(line);
	for (size_t i = 0; i < made.count; i++)
		free(made.words[i].word);
	return 0;
}
