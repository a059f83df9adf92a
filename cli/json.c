/* SPDX-License-Identifier: MIT */
#include "cli/json.h"

#include <inttypes.h>
#include <string.h>

#include "hash/utf8.h"

static void indent(const struct occ_json *json)
{
	putc('\n', json->stream);
	for (unsigned i = 0; i < json->depth; i++)
		fputs("  ", json->stream);
}

/* Parsers have what it was; a terminal doesn't do what it says. */
static void escape(FILE *stream, const char *text, size_t length)
{
	char escaped[OCC_UTF8_ESCAPE_SIZE];
	size_t size = occ_utf8_escape(text, length, escaped);

	if (*text == '\n')
		fputs("\\n", stream);
	else if (*text == '\t')
		fputs("\\t", stream);
	else
		fwrite(escaped, 1, size, stream);
}

static void quote(FILE *stream, const char *text, size_t size)
{
	putc('"', stream);
	for (size_t i = 0; i < size;) {
		size_t length = occ_utf8_length(text + i, size - i);

		if (text[i] == '"' || text[i] == '\\')
			fprintf(stream, "\\%c", text[i]);
		else if (!length)
			fputs("\\ufffd", stream);
		else if (occ_utf8_is_hidden(text + i, length))
			escape(stream, text + i, length);
		else
			fwrite(text + i, 1, length, stream);
		i += length ? length : 1;
	}
	putc('"', stream);
}

static void item(struct occ_json *json, const char *name)
{
	if (json->has_items)
		putc(',', json->stream);
	if (json->depth)
		indent(json);
	json->has_items = true;
	if (!name)
		return;
	quote(json->stream, name, strlen(name));
	fputs(": ", json->stream);
}

void occ_json_begin(struct occ_json *json, const char *name, char bracket)
{
	item(json, name);
	putc(bracket, json->stream);
	json->depth++;
	json->has_items = false;
}

void occ_json_end(struct occ_json *json, char bracket)
{
	json->depth--;
	if (json->has_items)
		indent(json);
	putc(bracket, json->stream);
	json->has_items = true;
	if (!json->depth)
		putc('\n', json->stream);
}

void occ_json_number(struct occ_json *json, const char *name, uint64_t number)
{
	item(json, name);
	fprintf(json->stream, "%" PRIu64, number);
}

void occ_json_signed(struct occ_json *json, const char *name, int64_t number)
{
	item(json, name);
	fprintf(json->stream, "%" PRId64, number);
}

void occ_json_seconds(struct occ_json *json, const char *name,
		      uint64_t nanoseconds)
{
	if (nanoseconds == UINT64_MAX) {
		occ_json_null(json, name);
		return;
	}
	item(json, name);
	fprintf(json->stream, "%.6g", (double)nanoseconds / 1e9);
}

void occ_json_bool(struct occ_json *json, const char *name, bool value)
{
	item(json, name);
	fputs(value ? "true" : "false", json->stream);
}

void occ_json_null(struct occ_json *json, const char *name)
{
	item(json, name);
	fputs("null", json->stream);
}

void occ_json_text(struct occ_json *json, const char *name, const char *text,
		   size_t size)
{
	item(json, name);
	quote(json->stream, text, size);
}

void occ_json_string(struct occ_json *json, const char *name,
		     const char *string)
{
	occ_json_text(json, name, string, strlen(string));
}
