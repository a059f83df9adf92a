/* SPDX-License-Identifier: MIT */
#include "cli/placed_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/text.h"
#include "hash/buffer.h"

static bool is(const char *component, size_t length, const char *word)
{
	return length == strlen(word) && !memcmp(component, word, length);
}

/* Does it end in a directory that ".." may leave by dropping its name? */
static bool has_name(const char *path, size_t size)
{
	return size &&
	       !(size >= 2 && path[size - 1] == '.' && path[size - 2] == '.' &&
		 (size == 2 || path[size - 3] == '/'));
}

char *occ_placed_path_normal(const char *path)
{
	char *normal = occ_message_must(calloc(1, strlen(path) + 2));
	size_t size = 0, length;

	for (const char *at = path; *at; at += length) {
		length = strcspn(at, "/");
		if (!length) {
			length = 1;
			continue;
		}
		if (is(at, length, "."))
			continue;
		if (is(at, length, "..") &&
		    (*path == '/' || has_name(normal, size))) {
			while (size && normal[--size] != '/')
				;
			normal[size] = '\0';
			continue;
		}
		if (size || *path == '/')
			normal[size++] = '/';
		memcpy(normal + size, at, length);
		size += length;
		normal[size] = '\0';
	}
	return normal;
}

static bool has_long_name(const char *path)
{
	for (size_t length; *path; path += length + (path[length] == '/')) {
		length = strcspn(path, "/");
		if (length > NAME_MAX)
			return true;
	}
	return false;
}

size_t occ_placed_path_rises(const char *path)
{
	long depth = 0, least = 0;
	size_t length;

	for (const char *at = path; *at; at += length) {
		length = strcspn(at, "/");
		if (!length)
			length = 1;
		else if (is(at, length, ".."))
			depth--;
		else if (!is(at, length, "."))
			depth++;
		if (depth < least)
			least = depth;
	}
	return (size_t)-least;
}

/* How long the directories are that both begin with. */
static size_t common_length(const char *one, const char *other)
{
	size_t common = 0, i = 0;

	for (;; i++) {
		bool ends_one = !one[i] || one[i] == '/';
		bool ends_other = !other[i] || other[i] == '/';

		if (ends_one && ends_other)
			common = i;
		if (one[i] != other[i] || !one[i])
			return common;
	}
}

char *occ_placed_path_from(const char *directory, const char *path)
{
	char *whole = occ_text("%s/%s", directory, path);
	char *base = occ_placed_path_normal(directory);
	char *normal = occ_placed_path_normal(whole), *from;
	size_t common = common_length(base, normal);
	const char *rest = normal + common + (normal[common] == '/');
	struct occ_buffer text = OCC_BUFFER_INIT;

	for (const char *at = base + common; *at; at++)
		if (*at == '/' && at[1])
			occ_buffer_append(&text, "../", 3);
	occ_buffer_append(&text, rest, strlen(rest) + 1);
	if (text.failed)
		occ_message_no_memory();
	from = (char *)text.data;
	free(normal);
	free(base);
	free(whole);
	return from;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(path, directory, length) &&
	       (!path[length] || path[length] == '/');
}

const char *occ_placed_path_fault(const char *path)
{
	static const char *const kernels[] = {"/proc", "/dev", "/sys"};
	const char *fault = NULL;
	char *normal;

	if (strlen(path) >= PATH_MAX || has_long_name(path))
		return "the path of an included file is too long";
	if (*path == '/' && occ_placed_path_rises(path))
		return "the path of an included file leads above the root "
		       "directory";
	normal = occ_placed_path_normal(path);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (is_below(normal, kernels[i]))
			fault = "the path of an included file is in /proc, "
				"/dev or /sys";
	if (!*normal || path[strlen(path) - 1] == '/')
		fault = "the path of an included file is that of a directory";
	free(normal);
	return fault;
}

static bool copy(int directory, const char *name, const char *content)
{
	int from = open(content, O_RDONLY | O_CLOEXEC), to = -1;
	struct stat status;
	void *bytes = NULL;
	bool good = false;

	if (from >= 0 && !fstat(from, &status)) {
		size_t size = (size_t)status.st_size;

		bytes = malloc(size + 1);
		to = openat(directory, name,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
				    O_NOFOLLOW,
			    0644);
		good = bytes && to >= 0 &&
		       occ_file_read(from, 0, bytes, size) == (ssize_t)size &&
		       write(to, bytes, size) == (ssize_t)size;
	}
	free(bytes);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return good;
}

bool occ_placed_path_put(int directory, const char *path, const char *content)
{
	int here = dup(directory), next;
	bool good = false;

	while (*path == '/')
		path++;
	while (here >= 0) {
		size_t length = strcspn(path, "/");
		char *name = occ_message_must(strndup(path, length));

		if (!path[length]) {
			good = content ? copy(here, name, content)
				       : is(path, length, ".");
			free(name);
			break;
		}
		next = -1;
		if (!is(path, length, "..") &&
		    (!mkdirat(here, name, 0755) || errno == EEXIST))
			next = openat(here, name,
				      O_RDONLY | O_DIRECTORY | O_CLOEXEC |
					      O_NOFOLLOW);
		free(name);
		close(here);
		here = next;
		path += length + 1;
	}
	if (here >= 0)
		close(here);
	return good;
}
