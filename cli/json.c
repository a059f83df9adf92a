/* SPDX-License-Identifier: MIT */
#include "cli/json.h"

#include <inttypes.h>
#include <string.h>

static void indent(const struct occ_json *json)
{
	putc('\n', json->stream);
	for (unsigned i = 0; i < json->depth; i++)
		fputs("  ", json->stream);
}

/*
 * How long the UTF-8 character at `text` is; 0: it isn't one (RFC 3629: no
 * longer form than needed, no surrogates, nothing above U+10FFFF).
 */
static size_t utf8_length(const unsigned char *text, size_t size)
{
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) ||
	    (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) ||
	    (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

static void quote(FILE *stream, const char *string, size_t size)
{
	const unsigned char *text = (const unsigned char *)string;

	putc('"', stream);
	for (size_t i = 0; i < size;) {
		size_t length = utf8_length(text + i, size - i);

		if (text[i] == '"' || text[i] == '\\')
			fprintf(stream, "\\%c", text[i]);
		else if (text[i] == '\n')
			fputs("\\n", stream);
		else if (text[i] == '\t')
			fputs("\\t", stream);
		else if (text[i] < 0x20 || text[i] == 0x7f)
			fprintf(stream, "\\u%04x", text[i]);
		else if (length)
			fwrite(text + i, 1, length, stream);
		else
			fputs("\\ufffd", stream);
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

void occ_json_real(struct occ_json *json, const char *name, double number)
{
	item(json, name);
	fprintf(json->stream, "%.6g", number);
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
