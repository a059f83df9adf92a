/* SPDX-License-Identifier: MIT */
#include "cli/private_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Shown of a path at most. */
#define SHOWN_MAX 200

static bool is_of_word(unsigned char byte)
{
	return isalnum(byte) || byte == '_' || byte >= 0x80;
}

static bool is_of_path(unsigned char byte)
{
	return is_of_word(byte) || strchr("./-+~@%", byte);
}

/* Is `root`, at `at` of the text, the beginning of a path below it? */
typedef bool is_root(struct occ_span text, size_t at, size_t length);

static bool is_in_options(struct occ_span text, size_t at, size_t length)
{
	size_t end = at + length;

	return end == text.size || !is_of_path(text.data[end]) ||
	       text.data[end] == '/';
}

static bool is_in_content(struct occ_span text, size_t at, size_t length)
{
	size_t end = at + length;

	return end + 1 < text.size && text.data[end] == '/' &&
	       is_of_path(text.data[end + 1]) && text.data[end + 1] != '/' &&
	       (!at || (!is_of_path(text.data[at - 1]) &&
			!strchr(")]", text.data[at - 1])));
}

static bool find_root(struct occ_span text, const char *root, is_root *is_one,
		      struct occ_span *ret_path)
{
	size_t length = strlen(root), from = 0;

	/* A trailing '/' isn't the root's. */
	while (length && root[length - 1] == '/')
		length--;
	while (length > 1 && from < text.size) {
		const unsigned char *found =
			memmem(text.data + from, text.size - from, root,
			       length);
		size_t at;

		if (!found)
			return false;
		at = (size_t)(found - text.data);
		from = at + 1;
		if (!is_one(text, at, length))
			continue;
		if (ret_path) {
			ret_path->data = found;
			ret_path->size = length;
			while (at + ret_path->size < text.size &&
			       ret_path->size < SHOWN_MAX &&
			       is_of_path(found[ret_path->size]))
				ret_path->size++;
		}
		return true;
	}
	return false;
}

static bool find(struct occ_span text, bool temporary_too, is_root *is_one,
		 struct occ_span *ret_path)
{
	static const char *const roots[] = {"/home", "/root", "/run/user",
					    "/tmp", "/var/tmp"};
	size_t count = temporary_too ? 5 : 3;
	const char *home = getenv("HOME");

	for (size_t i = 0; i < count; i++)
		if (find_root(text, roots[i], is_one, ret_path))
			return true;
	return home && find_root(text, home, is_one, ret_path);
}

bool occ_private_path_in_options(struct occ_span text,
				 struct occ_span *ret_path)
{
	return find(text, true, is_in_options, ret_path);
}

bool occ_private_path_in_content(struct occ_span text,
				 struct occ_span *ret_path)
{
	return find(text, false, is_in_content, ret_path);
}

/* What is behind the last '/'. */
static void append_base(struct occ_span path, struct occ_buffer *text)
{
	size_t start = path.size;

	while (start && path.data[start - 1] != '/')
		start--;
	occ_buffer_append(text, path.data + start, path.size - start);
}

void occ_private_path_base(struct occ_span application,
			   struct occ_buffer *ret_text)
{
	const unsigned char *script =
		application.size
			? memmem(application.data, application.size, " /", 2)
			: NULL;
	size_t size;

	if (script) {
		size = (size_t)(script - application.data);
		append_base((struct occ_span){application.data, size},
			    ret_text);
		occ_buffer_append(ret_text, " ", 1);
		application.data += size + 1;
		application.size -= size + 1;
	}
	append_base(application, ret_text);
}
