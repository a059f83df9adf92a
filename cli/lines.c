/* SPDX-License-Identifier: MIT */
#include "cli/lines.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/screen.h"

/* Bytes at the beginning that are the same and are whole lines. */
static size_t common_begin(struct occ_span one, struct occ_span other,
			   size_t *ret_line)
{
	size_t size = one.size < other.size ? one.size : other.size;
	size_t begin = 0, at = 0;

	*ret_line = 1;
	for (; at < size && one.data[at] == other.data[at]; at++)
		if (one.data[at] == '\n') {
			begin = at + 1;
			++*ret_line;
		}
	return at == one.size && at == other.size ? at : begin;
}

/* Of what is left, from the end. */
static size_t common_end(struct occ_span one, struct occ_span other)
{
	size_t size = one.size < other.size ? one.size : other.size;
	size_t end = 0;

	for (size_t at = 1; at <= size; at++) {
		if (one.data[one.size - at] != other.data[other.size - at])
			return end;
		/* A line begins behind another's end, or where the text does.
		 */
		if ((at == one.size || one.data[one.size - at - 1] == '\n') &&
		    (at == other.size ||
		     other.data[other.size - at - 1] == '\n'))
			end = at;
	}
	return end;
}

static struct occ_span middle(struct occ_span text, size_t begin, size_t end)
{
	return (struct occ_span){text.data ? text.data + begin : NULL,
				 text.size - begin - end};
}

void occ_lines_compare(struct occ_span old_text, struct occ_span new_text,
		       struct occ_lines *ret_lines)
{
	size_t begin = common_begin(old_text, new_text, &ret_lines->line);
	size_t end = common_end(middle(old_text, begin, 0),
				middle(new_text, begin, 0));

	ret_lines->old_rest = middle(old_text, begin, end);
	ret_lines->new_rest = middle(new_text, begin, end);
	ret_lines->common = begin + end;
}

size_t occ_lines_alike(const struct occ_lines *lines)
{
	struct occ_span one = lines->old_rest, other = lines->new_rest;
	size_t size = one.size < other.size ? one.size : other.size;
	size_t begin = 0, end = 0;

	while (begin < size && one.data[begin] == other.data[begin])
		begin++;
	while (end < size - begin &&
	       one.data[one.size - 1 - end] == other.data[other.size - 1 - end])
		end++;
	return begin + end;
}

static void show(char sign, enum occ_colour colour, struct occ_span text,
		 size_t most)
{
	size_t shown = 0, more = 0;

	for (; text.size; shown++) {
		const unsigned char *end = memchr(text.data, '\n', text.size);
		size_t length = end ? (size_t)(end - text.data) + 1 : text.size;
		size_t without = length - (text.data[length - 1] == '\n');

		if (shown < most) {
			printf("%s  %c ",
			       occ_screen_colour(STDOUT_FILENO, colour), sign);
			occ_screen_write(stdout, (const char *)text.data,
					 without, false);
			printf("%s\n", occ_screen_colour(STDOUT_FILENO,
							 OCC_COLOUR_NONE));
		} else {
			more++;
		}
		text.data += length;
		text.size -= length;
	}
	if (more)
		printf("  %c ... and %zu more line%s\n", sign, more,
		       more == 1 ? "" : "s");
}

void occ_lines_show(const struct occ_lines *lines, size_t most)
{
	show('-', OCC_COLOUR_RED, lines->old_rest, most);
	show('+', OCC_COLOUR_GREEN, lines->new_rest, most);
}
