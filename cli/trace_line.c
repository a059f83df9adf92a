/* SPDX-License-Identifier: MIT */
#include "cli/trace_line.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/text.h"

static const char *find(const char *line, const char *name, const char *behind)
{
	char *label = occ_text("\"%s\":%s", name, behind);
	const char *found = strstr(line, label);

	if (found)
		found += strlen(label);
	free(label);
	return found;
}

static char *copy(const char *start, size_t length)
{
	return occ_message_must(strndup(start, length));
}

bool occ_trace_line_is(const char *line, const char *event)
{
	char *begin = occ_text("{\"oclcache\":\"%s\"", event);
	bool is = !strncmp(line, begin, strlen(begin));

	free(begin);
	return is;
}

char *occ_trace_line_value(const char *line, const char *name)
{
	const char *start = find(line, name, "\""), *end;

	if (!start)
		return NULL;
	for (end = start; *end && *end != '"'; end++)
		if (*end == '\\' && end[1])
			end++;
	return copy(start, (size_t)(end - start));
}

/* Of "\u" and four digits; false: it isn't that. */
static bool read_unit(const char *text, uint32_t *ret_unit)
{
	char digits[5] = "";

	if (text[0] != '\\' || text[1] != 'u' ||
	    strspn(text + 2, "0123456789abcdefABCDEF") < 4)
		return false;
	memcpy(digits, text + 2, 4);
	*ret_unit = (uint32_t)strtoul(digits, NULL, 16);
	return true;
}

static char *put_character(char *to, uint32_t character)
{
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	unsigned length = character < 0x80	? 1
			  : character < 0x800	? 2
			  : character < 0x10000 ? 3
						: 4;

	if (length == 1) {
		*to = (char)character;
		return to + 1;
	}
	for (unsigned i = length; --i;) {
		to[i] = (char)(0x80 | (character & 0x3f));
		character >>= 6;
	}
	*to = (char)(first[length] | character);
	return to + length;
}

/* The escape's length; 0: it is none that can be shown otherwise. */
static size_t read_escape(const char *text, uint32_t *ret_character)
{
	uint32_t high, low;

	if (text[0] == '\\' && (text[1] == '"' || text[1] == '\\')) {
		*ret_character = (unsigned char)text[1];
		return 2;
	}
	if (!read_unit(text, &high) || !high || (high & 0xfc00) == 0xdc00)
		return 0;
	*ret_character = high;
	if ((high & 0xfc00) != 0xd800)
		return 6;
	if (!read_unit(text + 6, &low) || (low & 0xfc00) != 0xdc00)
		return 0;
	*ret_character = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
	return 12;
}

char *occ_trace_line_text(const char *line, const char *name)
{
	char *text = occ_trace_line_value(line, name), *to = text;
	const char *from = text;
	uint32_t character;

	/* What is written is never longer than its escape. */
	while (from && *from) {
		size_t length = read_escape(from, &character);

		if (length) {
			to = put_character(to, character);
			from += length;
		} else {
			*to++ = *from++;
		}
	}
	if (text)
		*to = '\0';
	return text;
}

char *occ_trace_line_number(const char *line, const char *name)
{
	const char *start = find(line, name, "");
	size_t length = start ? strspn(start, "0123456789") : 0;

	return length ? copy(start, length) : NULL;
}
