/* SPDX-License-Identifier: MIT */
/* Looks for included files, written down so that they can be made again. */
#include "cache/include_files_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"

/* A look, as it is written down: this, the path, and what is behind it. */
enum look {
	LOOK_ABSENT,
	LOOK_PRESENT,	/* struct found, but for its directory */
	LOOK_READ,	/* struct found */
	LOOK_DIRECTORY, /* the same, but for its size and times */
	LOOK_COMPARED,	/* struct compared: its times don't tell */
};
#define LOOK_LAST LOOK_COMPARED

struct found {
	uint64_t file[2];
	uint64_t size;
	int64_t modified[2];
	int64_t changed[2];
	uint64_t directory[2];
};

struct compared {
	struct found found; /* first */
	struct occ_digest digests[2];
};

bool occ_include_looks_directory(const char *path, uint64_t ret_directory[2])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;
	char *directory = slash ? strndup(path, length) : strdup(".");
	struct stat status;
	bool found;

	if (!directory)
		return false;
	found = !occ_file_status_path(directory, &status);
	free(directory);
	ret_directory[0] = status.st_dev;
	ret_directory[1] = status.st_ino;
	return found;
}

/*
 * What compilers make of a failed look: a name that can't be reached, for
 * whatever reason, isn't there for them either.
 */
static enum occ_closure_found explain(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case EACCES:
	case ELOOP:
	case ENAMETOOLONG:
		return OCC_CLOSURE_ABSENT;
	default:
		return OCC_CLOSURE_UNKNOWN;
	}
}

/* `directory` is NULL where it doesn't count. */
static void describe(const struct stat *status, const uint64_t *directory,
		     struct found *ret_found)
{
	memset(ret_found, 0, sizeof(*ret_found));
	ret_found->file[0] = status->st_dev;
	ret_found->file[1] = status->st_ino;
	/* Of a directory it counts which one it is. */
	if (S_ISDIR(status->st_mode))
		return;
	ret_found->size = (uint64_t)status->st_size;
	ret_found->modified[0] = status->st_mtim.tv_sec;
	ret_found->modified[1] = status->st_mtim.tv_nsec;
	ret_found->changed[0] = status->st_ctim.tv_sec;
	ret_found->changed[1] = status->st_ctim.tv_nsec;
	if (directory)
		memcpy(ret_found->directory, directory,
		       sizeof(ret_found->directory));
}

enum occ_closure_found occ_include_looks_find(const char *path,
					      struct stat *ret_status)
{
	if (occ_file_status_path(path, ret_status)) {
		int error = errno;

		/* No directory, whatever was left in it. */
		memset(ret_status, 0, sizeof(*ret_status));
		return explain(error);
	}
	if (S_ISDIR(ret_status->st_mode))
		return OCC_CLOSURE_ABSENT;
	return S_ISREG(ret_status->st_mode) ? OCC_CLOSURE_FOUND
					    : OCC_CLOSURE_UNKNOWN;
}

void occ_include_looks_note(struct occ_buffer *looks, const char *path,
			    const struct stat *status,
			    const struct occ_closure_file *read, bool certain)
{
	unsigned char look = LOOK_ABSENT;
	struct found found;

	if (read)
		look = certain ? LOOK_READ : LOOK_COMPARED;
	else if (S_ISDIR(status->st_mode))
		look = LOOK_DIRECTORY;
	else if (S_ISREG(status->st_mode))
		look = LOOK_PRESENT;
	describe(status, read ? read->directory : NULL, &found);
	occ_buffer_append(looks, &look, 1);
	occ_buffer_append(looks, path, strlen(path) + 1);
	if (look != LOOK_ABSENT)
		occ_buffer_append(looks, &found, sizeof(found));
	if (look == LOOK_COMPARED)
		occ_buffer_append(looks, read->digests, sizeof(read->digests));
}

/* A look, as it was written down; `found` is NULL for absent files. */
struct noted {
	enum look look;
	const char *path;
	const unsigned char *found;
};

/* The next look, of bytes that may be anybody's. False: there is none. */
static bool next_look(const unsigned char **at, const unsigned char *end,
		      struct noted *ret_noted)
{
	const unsigned char *nul =
		*at < end ? memchr(*at + 1, 0, (size_t)(end - *at - 1)) : NULL;
	size_t size;

	if (!nul || **at > LOOK_LAST)
		return false;
	ret_noted->look = (enum look) * *at;
	ret_noted->path = (const char *)*at + 1;
	ret_noted->found = NULL;
	*at = nul + 1;
	if (ret_noted->look == LOOK_ABSENT)
		return true;
	size = ret_noted->look == LOOK_COMPARED ? sizeof(struct compared)
						: sizeof(struct found);
	if ((size_t)(end - *at) < size)
		return false;
	ret_noted->found = *at;
	*at += size;
	return true;
}

static const unsigned char *end_of(const struct occ_buffer *looks)
{
	return looks->size ? looks->data + looks->size : looks->data;
}

/* The directory of the path before: most files have it in common. */
struct directory {
	const char *path; /* of a file in it; NULL: none yet */
	size_t length;
	uint64_t place[2];
};

static bool find_same_directory(const char *path, struct directory *directory)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;

	if (directory->path && directory->length == length &&
	    !memcmp(directory->path, path, length))
		return true;
	directory->path = NULL;
	if (!occ_include_looks_directory(path, directory->place))
		return false;
	directory->path = path;
	directory->length = length;
	return true;
}

/* The open file as it was noted; its contents only if they aren't NULL. */
static bool is_as_found(int file, const struct stat *status,
			const struct directory *directory,
			const unsigned char *noted,
			const unsigned char *contents)
{
	struct occ_digest digests[2];
	struct found now;

	describe(status, directory->place, &now);
	if (memcmp(&now, noted, sizeof(now)) != 0)
		return false;
	return !contents ||
	       (occ_include_content_digest(file, status, digests) &&
		!memcmp(digests, contents, sizeof(digests)));
}

static bool is_file_unchanged(const struct noted *noted,
			      struct directory *directory)
{
	bool by_contents = noted->look == LOOK_COMPARED;
	struct stat status;
	int file;
	bool same;

	if (!find_same_directory(noted->path, directory) ||
	    !occ_include_content_open(noted->path, &file, &status))
		return false;
	same = is_as_found(file, &status, directory, noted->found,
			   by_contents ? noted->found + sizeof(struct found)
				       : NULL);
	occ_file_close(file);
	return same;
}

static bool is_unchanged(const struct noted *noted, struct directory *directory)
{
	struct found now;
	struct stat status;
	enum occ_closure_found found =
		occ_include_looks_find(noted->path, &status);

	switch (noted->look) {
	case LOOK_ABSENT:
		return found == OCC_CLOSURE_ABSENT && !S_ISDIR(status.st_mode);
	case LOOK_DIRECTORY:
		if (found != OCC_CLOSURE_ABSENT)
			return false;
		break;
	case LOOK_READ:
	case LOOK_COMPARED:
		/* It isn't a FIFO, which must not be opened. */
		return found == OCC_CLOSURE_FOUND &&
		       is_file_unchanged(noted, directory);
	case LOOK_PRESENT:
		if (found != OCC_CLOSURE_FOUND)
			return false;
		break;
	}
	describe(&status, NULL, &now);
	return !memcmp(&now, noted->found, sizeof(now));
}

bool occ_include_files_unchanged(const struct occ_buffer *looks)
{
	const unsigned char *at = looks->data, *end = end_of(looks);
	struct directory directory = {.path = NULL};
	struct noted noted;

	while (at < end)
		if (!next_look(&at, end, &noted) ||
		    !is_unchanged(&noted, &directory))
			return false;
	return true;
}

bool occ_include_files_lasts(const struct occ_buffer *looks)
{
	const unsigned char *at = looks->data, *end = end_of(looks);
	int64_t latest = occ_file_written_back();
	struct noted noted;

	while (at < end)
		if (!next_look(&at, end, &noted) ||
		    (noted.look == LOOK_READ &&
		     !occ_file_times_tell(noted.path, latest)))
			return false;
	return true;
}

bool occ_include_files_matured(const struct occ_buffer *looks)
{
	const unsigned char *at = looks->data, *end = end_of(looks);
	int64_t latest = INT64_MIN;
	bool compared = false;
	struct noted noted;

	while (at < end && next_look(&at, end, &noted)) {
		if (noted.look != LOOK_COMPARED)
			continue;
		if (!compared)
			latest = occ_file_written_back();
		compared = true;
		if (!occ_file_times_tell(noted.path, latest))
			return false;
	}
	return compared;
}
