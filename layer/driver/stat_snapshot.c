/* SPDX-License-Identifier: MIT */
#include "layer/driver/stat_snapshot.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "layer/driver/fingerprint.h"

void occ_stat_snapshot_release(struct occ_stat_snapshot *snapshot)
{
	occ_buffer_release(&snapshot->paths);
	occ_buffer_release(&snapshot->found);
}

/* False: it can't be told what is there. `status` is zero for no file. */
static bool look(const char *path, struct stat *status)
{
	if (!stat(path, status))
		return true;
	memset(status, 0, sizeof(*status));
	return errno == ENOENT || errno == ENOTDIR;
}

static void append(struct occ_buffer *found, const struct stat *status)
{
	const uint64_t numbers[] = {
		status->st_dev,
		status->st_ino,
		status->st_mode & S_IFMT,
		(uint64_t)status->st_size,
		(uint64_t)status->st_mtim.tv_sec,
		(uint64_t)status->st_mtim.tv_nsec,
		(uint64_t)status->st_ctim.tv_sec,
		(uint64_t)status->st_ctim.tv_nsec,
	};

	/* Only machines that share a store's file system see it: no order. */
	occ_buffer_append(found, numbers, sizeof(numbers));
}

void occ_stat_snapshot_note(struct occ_stat_snapshot *snapshot,
			    const char *path)
{
	struct stat status;

	if (occ_buffer_has_string(&snapshot->paths, path))
		return;
	if (!look(path, &status) ||
	    (status.st_mode && !occ_file_is_settled(&status)))
		snapshot->uncertain = true;
	occ_buffer_append(&snapshot->paths, path, strlen(path) + 1);
	append(&snapshot->found, &status);
}

bool occ_stat_snapshot_finish(const struct occ_stat_snapshot *snapshot,
			      struct occ_digest *ret_digest)
{
	if (snapshot->uncertain || snapshot->paths.failed ||
	    snapshot->found.failed)
		return false;
	occ_digest(snapshot->found.data, snapshot->found.size, OCC_SEED_CONTENT,
		   ret_digest);
	return true;
}

/* Which bytes of a new file the driver has got can't be told. */
static bool look_again(const char *paths, size_t size, struct occ_buffer *found,
		       struct occ_buffer *files)
{
	for (const char *path = paths; path < paths + size;
	     path += strlen(path) + 1) {
		struct stat status;

		if (!look(path, &status))
			return false;
		append(found, &status);
		if (!S_ISREG(status.st_mode))
			continue;
		if (occ_fingerprint_is_young(&status))
			return false;
		occ_buffer_append(files, path, strlen(path) + 1);
	}
	return !found->failed;
}

bool occ_stat_snapshot_holds(const char *paths, size_t size,
			     const struct occ_digest *digest,
			     struct occ_buffer *files)
{
	struct occ_buffer found = OCC_BUFFER_INIT;
	size_t files_size = files->size;
	struct occ_digest now;
	bool holds = look_again(paths, size, &found, files);

	if (holds) {
		occ_digest(found.data, found.size, OCC_SEED_CONTENT, &now);
		holds = !memcmp(now.bytes, digest->bytes, sizeof(now.bytes));
	}
	if (!holds)
		files->size = files_size;
	occ_buffer_release(&found);
	return holds;
}

void occ_matches_release(struct occ_matches *matches)
{
	for (size_t i = 0; i < matches->count; i++)
		free(matches->paths[i]);
	free(matches->paths);
	*matches = (struct occ_matches){0};
}

/* Adds "directory/name". */
static void add(struct occ_matches *matches, const char *directory,
		const char *name, size_t length)
{
	size_t directory_length = strlen(directory);
	char *path = malloc(directory_length + length + 2), **paths = NULL;

	if (path)
		paths = realloc(matches->paths,
				(matches->count + 1) * sizeof(*paths));
	if (!paths) {
		matches->failed = true;
		free(path);
		return;
	}
	memcpy(path, directory, directory_length);
	path[directory_length] = '/';
	memcpy(path + directory_length + 1, name, length);
	path[directory_length + 1 + length] = '\0';
	matches->paths = paths;
	paths[matches->count++] = path;
}

struct listing {
	const char *directory;
	const char *pattern; /* one component */
	struct occ_matches *matches;
};

static bool visit(const char *name, void *data)
{
	const struct listing *listing = data;

	if (!fnmatch(listing->pattern, name, FNM_PERIOD))
		add(listing->matches, listing->directory, name, strlen(name));
	return !listing->matches->failed;
}

/* A directory that can't be read has nothing for the driver either. */
static void list(struct occ_stat_snapshot *snapshot, struct listing *listing)
{
	const char *directory = *listing->directory ? listing->directory : "/";
	int descriptor;

	occ_stat_snapshot_note(snapshot, directory);
	descriptor = occ_file_open_directory(directory);
	if (descriptor < 0)
		return;
	if (occ_file_list(descriptor, visit, listing))
		snapshot->uncertain = true;
	occ_file_close(descriptor);
}

/* From the paths so far to those that are one component longer. */
static void extend(struct occ_stat_snapshot *snapshot,
		   struct occ_matches *matches, const char *component,
		   size_t length)
{
	struct occ_matches longer = {.failed = matches->failed};
	char *pattern = strndup(component, length);

	for (size_t i = 0; pattern && i < matches->count; i++) {
		struct listing listing = {matches->paths[i], pattern, &longer};

		if (strpbrk(pattern, "*?["))
			list(snapshot, &listing);
		else
			add(&longer, matches->paths[i], pattern, length);
	}
	longer.failed |= !pattern;
	free(pattern);
	occ_matches_release(matches);
	*matches = longer;
}

/* Leaves out what isn't there. */
static void sift(struct occ_stat_snapshot *snapshot,
		 struct occ_matches *matches)
{
	size_t kept = 0;
	struct stat status;

	for (size_t i = 0; i < matches->count; i++) {
		char *path = matches->paths[i];

		occ_stat_snapshot_note(snapshot, path);
		if (lstat(path, &status))
			free(path);
		else
			matches->paths[kept++] = path;
	}
	matches->count = kept;
}

static void start(struct occ_matches *matches, const char *directory)
{
	*matches = (struct occ_matches){.paths = calloc(1, sizeof(char *))};
	if (matches->paths)
		matches->paths[0] = strdup(directory);
	matches->failed = !matches->paths || !matches->paths[0];
	matches->count = !matches->failed;
}

void occ_stat_snapshot_match(struct occ_stat_snapshot *snapshot,
			     const char *directory, const char *pattern,
			     struct occ_matches *ret_matches)
{
	const char *last = strrchr(pattern, '/');

	start(ret_matches, directory);
	while (*pattern) {
		size_t length = strcspn(pattern, "/");

		if (length)
			extend(snapshot, ret_matches, pattern, length);
		pattern += length + (pattern[length] == '/');
	}
	/* What was listed is there. */
	if (last && !strpbrk(last, "*?["))
		sift(snapshot, ret_matches);
}
