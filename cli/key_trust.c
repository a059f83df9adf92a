/* SPDX-License-Identifier: MIT */
/*
 * Which keys are trusted is lines of text files: a line is added or taken away,
 * and all others, comments too, stay as they are.
 */
#include "cli/key.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/heeded_file.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/replace_file.h"
#include "cli/text.h"

static struct occ_span span_of(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

/* The next line of a text, without its end; false: there is none. */
static bool next_line(const struct occ_buffer *text, size_t *offset,
		      struct occ_span *ret_line)
{
	const unsigned char *start = text->data + *offset, *end;
	size_t left = text->size - *offset;

	if (!left)
		return false;
	end = memchr(start, '\n', left);
	ret_line->data = start;
	ret_line->size = end ? (size_t)(end - start) : left;
	*offset += ret_line->size + (end ? 1 : 0);
	return true;
}

/* The text of a file of trusted keys; false after an error was shown. */
static bool read_file(const char *path, struct occ_buffer *ret_text)
{
	const char *problem;
	size_t size;
	char *text;

	*ret_text = (struct occ_buffer)OCC_BUFFER_INIT;
	problem = occ_heeded_file_read(path, OCC_HEEDED_PUBLIC, &text, &size);
	if (problem) {
		occ_message_error("%s %s", path, problem);
		return false;
	}
	occ_buffer_append(ret_text, text, size);
	free(text);
	if (ret_text->failed)
		occ_message_no_memory();
	return true;
}

static bool keep_last(void *data, const char *file)
{
	snprintf(data, PATH_MAX, "%s", file);
	return true;
}

/* The user's own, or the last that is set. */
static bool find_file(const struct occ_settings *settings,
		      char ret_path[PATH_MAX])
{
	*ret_path = '\0';
	if (settings->values[OCC_SETTING_TRUSTED_KEYS].text)
		occ_trusted_keys_files(settings, keep_last, ret_path);
	else if (!occ_signature_path(OCC_TRUSTED_KEYS_FILE, ret_path, PATH_MAX))
		*ret_path = '\0';
	if (!*ret_path)
		occ_message_error("key trust: there is no place to store the "
				  "key; set HOME, or set OCLCACHE_TRUSTED_KEYS "
				  "to an absolute path");
	return *ret_path;
}

/* Of a line only its name is shown: it might be half of a secret. */
static bool refuse(const char *where, unsigned line)
{
	size_t length = line ? strlen(where) : strcspn(where, ":");
	char at[16] = ":...";

	if (line)
		snprintf(at, sizeof(at), ":%u", line);
	occ_message_error("%.*s%s isn't a public key (NAME:BASE64, as "
			  "'oclcache key public' prints it)",
			  (int)length, where, at);
	return false;
}

static bool is_secret(struct occ_span line)
{
	struct occ_signing_key key;
	bool is = occ_signing_key_parse(line, &key);

	occ_signing_key_wipe(&key);
	return is;
}

static bool add(struct occ_trusted_keys *keys, const char *where, unsigned line,
		struct occ_span text)
{
	struct occ_public_key key;

	if (is_secret(text)) {
		occ_message_error("key trust: that is a signing key, which "
				  "must stay secret; run 'oclcache key public' "
				  "on its machine to get the line for others");
		return false;
	}
	if (!occ_public_key_parse(text, &key))
		return refuse(where, line);
	if (occ_trusted_keys_add(keys, &key))
		return true;
	occ_message_error("key trust: too many keys: at most %d can be trusted",
			  OCC_TRUSTED_KEYS_MAX);
	return false;
}

/* Any file: it is who runs this that says so. */
static bool add_file(struct occ_trusted_keys *keys, const char *path,
		     FILE *stream)
{
	struct occ_span line;
	size_t capacity = 0;
	unsigned number = 0;
	char *text = NULL;
	ssize_t length;
	bool good = true;

	while (good && number < OCC_HEEDED_FILE_MAX &&
	       (length = getline(&text, &capacity, stream)) >= 0) {
		number++;
		line = (struct occ_span){(unsigned char *)text, (size_t)length};
		if (line.size && line.data[line.size - 1] == '\n')
			line.size--;
		good = occ_key_line_is_comment(line) ||
		       add(keys, path, number, line);
	}
	if (ferror(stream)) {
		occ_message_error("%s: %s", path, strerror(errno));
		good = false;
	}
	if (text)
		explicit_bzero(text, capacity);
	free(text);
	return good;
}

static bool add_operand(struct occ_trusted_keys *keys, const char *operand)
{
	struct occ_public_key key;
	bool good = false;
	FILE *stream;

	if (occ_public_key_parse(span_of(operand), &key) ||
	    is_secret(span_of(operand)))
		return add(keys, operand, 0, span_of(operand));
	stream = strcmp(operand, "-") != 0 ? fopen(operand, "re") : stdin;
	if (stream)
		good = add_file(keys, operand, stream);
	else if (strchr(operand, ':'))
		refuse(operand, 0);
	else
		occ_message_error("%s: %s", operand, strerror(errno));
	if (stream && stream != stdin)
		fclose(stream);
	return good;
}

/* Is another one of that name in the text? `ret_there`: or the same one? */
static bool is_free(const struct occ_buffer *text, const char *path,
		    const struct occ_public_key *key, bool *ret_there)
{
	struct occ_public_key other;
	struct occ_span line;
	size_t offset = 0;

	*ret_there = false;
	while (next_line(text, &offset, &line)) {
		if (!occ_public_key_parse(line, &other) ||
		    strcmp(other.name, key->name) != 0)
			continue;
		if (memcmp(other.bytes, key->bytes, OCC_PUBLIC_KEY_SIZE) != 0) {
			occ_message_error("%s contains a different key named "
					  "%s; to replace it, first run: "
					  "oclcache key distrust %s",
					  path, key->name, key->name);
			return false;
		}
		*ret_there = true;
	}
	return true;
}

static bool append(struct occ_buffer *text, const char *path,
		   const struct occ_trusted_keys *keys, size_t *ret_added)
{
	bool there;

	*ret_added = 0;
	for (size_t i = 0; i < keys->count; i++) {
		if (!is_free(text, path, &keys->keys[i], &there))
			return false;
		if (there)
			continue;
		if (text->size && text->data[text->size - 1] != '\n')
			occ_buffer_append(text, "\n", 1);
		occ_public_key_print(&keys->keys[i], text);
		occ_buffer_append(text, "\n", 1);
		if (text->failed)
			occ_message_no_memory();
		++*ret_added;
	}
	return true;
}

static bool write_file(const char *path, const struct occ_buffer *text)
{
	if (text->size > OCC_HEEDED_FILE_MAX)
		occ_message_error("%s would be larger than 64 KiB", path);
	else if (occ_replace_file(path, text->data, text->size))
		occ_message_error("%s: %s", path, strerror(errno));
	else
		return true;
	return false;
}

int occ_key_trust(const struct occ_settings *settings, char *const *operands,
		  size_t count)
{
	struct occ_trusted_keys keys = {.count = 0};
	struct occ_buffer text;
	char path[PATH_MAX];
	size_t added;
	bool done;

	for (size_t i = 0; i < count; i++)
		if (!add_operand(&keys, operands[i]))
			return OCC_EXIT_FAILED;
	if (!find_file(settings, path) || !read_file(path, &text))
		return OCC_EXIT_FAILED;
	done = append(&text, path, &keys, &added) &&
	       (!added || write_file(path, &text));
	occ_buffer_release(&text);
	if (!done)
		return OCC_EXIT_FAILED;
	occ_message_note("%zu %s added to %s; %zu already there", added,
			 added == 1 ? "key" : "keys", path, keys.count - added);
	return OCC_EXIT_OK;
}

/* Names that are to go, and where they were found. */
struct distrust {
	char *const *names;
	size_t count;
	bool *found;
	bool failed;
};

static bool is_to_go(struct distrust *distrust, struct occ_span line)
{
	struct occ_public_key key;

	if (!occ_public_key_parse(line, &key))
		return false;
	for (size_t i = 0; i < distrust->count; i++)
		if (!strcmp(distrust->names[i], key.name)) {
			distrust->found[i] = true;
			return true;
		}
	return false;
}

static bool take_out(void *data, const char *path)
{
	struct occ_buffer text, kept = OCC_BUFFER_INIT;
	struct distrust *distrust = data;
	struct occ_span line;
	size_t offset = 0, gone = 0;

	if (!read_file(path, &text)) {
		distrust->failed = true;
		return true;
	}
	while (next_line(&text, &offset, &line)) {
		if (is_to_go(distrust, line)) {
			gone++;
			continue;
		}
		occ_buffer_append(&kept, line.data, line.size);
		occ_buffer_append(&kept, "\n", 1);
	}
	if (kept.failed)
		occ_message_no_memory();
	if (gone && write_file(path, &kept))
		occ_message_note("%zu %s removed from %s", gone,
				 gone == 1 ? "key" : "keys", path);
	else if (gone)
		distrust->failed = true;
	occ_buffer_release(&kept);
	occ_buffer_release(&text);
	return true;
}

static void tell_own(const struct occ_settings *settings, const char *name)
{
	struct occ_signing_key own;
	char path[PATH_MAX];

	if (occ_signing_key_read(settings, &own, NULL) ||
	    !occ_signing_key_path(settings, path, sizeof(path)))
		return;
	if (!strcmp(own.name, name))
		occ_message_note("%s is your own key: it is trusted as long as "
				 "%s exists",
				 name, path);
	occ_signing_key_wipe(&own);
}

int occ_key_distrust(const struct occ_settings *settings, char *const *operands,
		     size_t count)
{
	struct distrust distrust = {.names = operands, .count = count};

	distrust.found =
		occ_message_must(calloc(count, sizeof(*distrust.found)));
	occ_trusted_keys_files(settings, take_out, &distrust);
	for (size_t i = 0; i < count; i++) {
		if (!distrust.found[i]) {
			occ_message_error("no trusted key is named '%s'; see "
					  "'oclcache key list'",
					  operands[i]);
			distrust.failed = true;
		}
		tell_own(settings, operands[i]);
	}
	free(distrust.found);
	return distrust.failed ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}
