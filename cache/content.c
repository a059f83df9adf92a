/* SPDX-License-Identifier: MIT */
#include "cache/content.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cache/file.h"

struct place {
	uint64_t device;
	uint64_t inode;
};

/* What was read; constant but for `references` and `table`. */
struct content {
	UT_hash_handle hh;
	struct place place;
	struct timespec modified;
	struct timespec changed;
	unsigned references; /* atomic; one of the table's */
	size_t size;
	char *text;
	struct occ_scan *scan;
	struct occ_digest digests[2];
};

struct occ_content_view {
	struct content **contents;
	size_t count;
	size_t capacity;
	struct occ_buffer stamps;
	struct occ_buffer looks;
	bool unsettled; /* a file may change within its times */
};

/* A look, as it is written down: this, the path, and what is behind it. */
enum look {
	LOOK_ABSENT,
	LOOK_PRESENT, /* struct found, but for its folder */
	LOOK_READ,    /* struct found */
	LOOK_FOLDER,  /* the same, but for its size and times */
};

struct found {
	uint64_t file[2];
	uint64_t size;
	int64_t modified[2];
	int64_t changed[2];
	uint64_t folder[2];
};

/* All that is remembered. */
static struct {
	pthread_mutex_t lock; /* only ever tried */
	struct content *contents;
	uint64_t size;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void release(struct content *content)
{
	if (!content ||
	    __atomic_sub_fetch(&content->references, 1, __ATOMIC_ACQ_REL))
		return;
	occ_scan_release(content->scan);
	free(content->text);
	free(content);
}

static struct content *retain(struct content *content)
{
	__atomic_add_fetch(&content->references, 1, __ATOMIC_RELAXED);
	return content;
}

static struct place place_of(const struct stat *status)
{
	return (struct place){status->st_dev, status->st_ino};
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_current(const struct content *content, const struct stat *status)
{
	return content->size == (uint64_t)status->st_size &&
	       same_time(&content->modified, &status->st_mtim) &&
	       same_time(&content->changed, &status->st_ctim);
}

static struct content *recall(const struct stat *status)
{
	struct place place = place_of(status);
	struct content *content;

	if (pthread_mutex_trylock(&table.lock))
		return NULL;
	/* It doesn't see that what was found has a status, to the last byte. */
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
	HASH_FIND(hh, table.contents, &place, sizeof(place), content);
	content =
		content && is_current(content, status) ? retain(content) : NULL;
	pthread_mutex_unlock(&table.lock);
	return content;
}

static void forget(struct content *content)
{
	HASH_DEL(table.contents, content);
	table.size -= content->size;
	release(content);
}

/* In the order in which they came, until there is room. */
static void make_room(size_t size)
{
	struct content *content, *next;

	HASH_ITER(hh, table.contents, content, next)
	{
		if (table.size + size <= OCC_CONTENT_MEMORY_MAX)
			return;
		forget(content);
	}
}

static void remember(struct content *content, const struct stat *status)
{
	struct content *old;
	bool failed = false;

	if (!occ_file_is_settled(status) ||
	    content->size > OCC_CONTENT_MEMORY_MAX ||
	    pthread_mutex_trylock(&table.lock))
		return;
	HASH_FIND(hh, table.contents, &content->place, sizeof(content->place),
		  old);
	if (old)
		forget(old);
	make_room(content->size);
#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) (failed = true)
	HASH_ADD(hh, table.contents, place, sizeof(content->place), content);
	if (!failed) {
		table.size += content->size;
		retain(content);
	}
	pthread_mutex_unlock(&table.lock);
}

static struct content *new_content(const struct stat *status)
{
	struct content *content = calloc(1, sizeof(*content));

	if (!content)
		return NULL;
	content->references = 1;
	content->place = place_of(status);
	content->modified = status->st_mtim;
	content->changed = status->st_ctim;
	content->size = (size_t)status->st_size;
	content->text = malloc(content->size + 1);
	if (content->text)
		return content;
	release(content);
	return NULL;
}

static struct content *read_open(int file, const struct stat *status)
{
	struct content *content = new_content(status);
	struct stat later;

	if (!content)
		return NULL;
	/* A byte more, for a file that grows. */
	if (occ_file_read(file, 0, content->text, content->size + 1) ==
		    (ssize_t)content->size &&
	    !occ_file_status(file, &later) && is_current(content, &later)) {
		content->scan = occ_scan_make(content->text, content->size);
		occ_digest(content->text, content->size, OCC_SEED_NAME,
			   &content->digests[0]);
		occ_digest(content->text, content->size, OCC_SEED_FIELD,
			   &content->digests[1]);
	}
	if (content->scan)
		return content;
	release(content);
	return NULL;
}

/*
 * Opened, also when its contents are known, for this process may have lost the
 * right to read it. By name again: it is the file that was found, or none.
 */
static bool open_file(const char *path, int *ret_file, struct stat *ret_status)
{
	int file = occ_file_open_path(path);

	if (file < 0)
		return false;
	*ret_file = file;
	if (!occ_file_status(file, ret_status) && S_ISREG(ret_status->st_mode))
		return true;
	occ_file_close(file);
	return false;
}

static struct content *read_file(const char *path, struct stat *status)
{
	struct content *content;
	int file;

	if (!open_file(path, &file, status))
		return NULL;
	content = recall(status);
	if (!content && (uint64_t)status->st_size <= OCC_CONTENT_SIZE_MAX) {
		content = read_open(file, status);
		if (content)
			remember(content, status);
	}
	occ_file_close(file);
	return content;
}

static bool keep(struct occ_content_view *view, struct content *content)
{
	if (view->count == view->capacity) {
		size_t capacity = view->capacity ? view->capacity * 2 : 16;
		struct content **contents =
			realloc(view->contents, capacity * sizeof(*contents));

		if (!contents)
			return false;
		view->contents = contents;
		view->capacity = capacity;
	}
	view->contents[view->count++] = content;
	return true;
}

static void put(struct occ_buffer *stamps, uint64_t number)
{
	unsigned char bytes[8];

	occ_put_u64(bytes, number);
	occ_buffer_append(stamps, bytes, sizeof(bytes));
}

static void stamp(struct occ_content_view *view, const char *path,
		  const struct stat *status)
{
	struct occ_buffer *stamps = &view->stamps;

	occ_buffer_append(stamps, path, strlen(path) + 1);
	put(stamps, status->st_dev);
	put(stamps, status->st_ino);
	put(stamps, (uint64_t)status->st_size);
	put(stamps, (uint64_t)status->st_mtim.tv_sec);
	put(stamps, (uint64_t)status->st_mtim.tv_nsec);
	put(stamps, (uint64_t)status->st_ctim.tv_sec);
	put(stamps, (uint64_t)status->st_ctim.tv_nsec);
}

/* Device and inode of the folder that the path is in. */
static bool find_folder(const char *path, uint64_t ret_folder[2])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;
	char *folder = slash ? strndup(path, length) : strdup(".");
	struct stat status;
	bool found;

	if (!folder)
		return false;
	found = !occ_file_status_path(folder, &status);
	free(folder);
	ret_folder[0] = status.st_dev;
	ret_folder[1] = status.st_ino;
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

static void describe(const struct stat *status, const uint64_t folder[2],
		     struct found *ret_found)
{
	memset(ret_found, 0, sizeof(*ret_found));
	ret_found->file[0] = status->st_dev;
	ret_found->file[1] = status->st_ino;
	ret_found->size = (uint64_t)status->st_size;
	ret_found->modified[0] = status->st_mtim.tv_sec;
	ret_found->modified[1] = status->st_mtim.tv_nsec;
	ret_found->changed[0] = status->st_ctim.tv_sec;
	ret_found->changed[1] = status->st_ctim.tv_nsec;
	ret_found->folder[0] = folder[0];
	ret_found->folder[1] = folder[1];
}

static void note(struct occ_content_view *view, enum look look,
		 const char *path, const struct found *found)
{
	unsigned char kind = (unsigned char)look;

	occ_buffer_append(&view->looks, &kind, 1);
	occ_buffer_append(&view->looks, path, strlen(path) + 1);
	if (found)
		occ_buffer_append(&view->looks, found, sizeof(*found));
}

static const uint64_t nowhere[2];

static enum occ_closure_found get(struct occ_content_view *view,
				  const char *path, struct stat *status,
				  struct occ_closure_file *ret_file)
{
	struct content *content = read_file(path, status);
	struct found found;

	if (!content)
		return OCC_CLOSURE_UNKNOWN;
	if (!keep(view, content)) {
		release(content);
		return OCC_CLOSURE_UNKNOWN;
	}
	stamp(view, path, status);
	ret_file->scan = content->scan;
	ret_file->size = content->size;
	ret_file->digests[0] = content->digests[0];
	ret_file->digests[1] = content->digests[1];
	ret_file->file[0] = status->st_dev;
	ret_file->file[1] = status->st_ino;
	if (!find_folder(path, ret_file->folder))
		return OCC_CLOSURE_UNKNOWN;
	describe(status, ret_file->folder, &found);
	note(view, LOOK_READ, path, &found);
	view->unsettled |= !occ_file_is_settled(status);
	return OCC_CLOSURE_FOUND;
}

/* What is at the path, by its status alone. */
static enum occ_closure_found find(const char *path, struct stat *ret_status)
{
	if (occ_file_status_path(path, ret_status)) {
		int error = errno;

		/* No folder, whatever was left in it. */
		memset(ret_status, 0, sizeof(*ret_status));
		return explain(error);
	}
	if (S_ISDIR(ret_status->st_mode))
		return OCC_CLOSURE_ABSENT;
	return S_ISREG(ret_status->st_mode) ? OCC_CLOSURE_FOUND
					    : OCC_CLOSURE_UNKNOWN;
}

/* Which folder it is instead, if it is one. */
static void describe_folder(const struct stat *status, struct found *ret_found)
{
	memset(ret_found, 0, sizeof(*ret_found));
	if (!S_ISDIR(status->st_mode))
		return;
	ret_found->file[0] = status->st_dev;
	ret_found->file[1] = status->st_ino;
}

static void note_absent(struct occ_content_view *view, const char *path,
			const struct stat *status,
			struct occ_closure_file *ret_file)
{
	struct found found;

	describe_folder(status, &found);
	ret_file->file[0] = found.file[0];
	ret_file->file[1] = found.file[1];
	if (S_ISDIR(status->st_mode))
		note(view, LOOK_FOLDER, path, &found);
	else
		note(view, LOOK_ABSENT, path, NULL);
}

enum occ_closure_found occ_content_look(const char *path, bool contents,
					struct occ_closure_file *ret_file,
					void *data)
{
	struct occ_content_view *view = data;
	struct found present;
	struct stat status;
	enum occ_closure_found found = find(path, &status);

	if (found == OCC_CLOSURE_ABSENT)
		note_absent(view, path, &status, ret_file);
	if (found != OCC_CLOSURE_FOUND)
		return found;
	if (contents)
		return get(view, path, &status, ret_file);
	describe(&status, nowhere, &present);
	note(view, LOOK_PRESENT, path, &present);
	stamp(view, path, &status);
	ret_file->file[0] = status.st_dev;
	ret_file->file[1] = status.st_ino;
	return OCC_CLOSURE_FOUND;
}

bool occ_content_view_looks(struct occ_content_view *view,
			    struct occ_buffer *ret_looks)
{
	static const struct occ_buffer empty = OCC_BUFFER_INIT;

	if (view->unsettled || view->looks.failed)
		return false;
	*ret_looks = view->looks;
	view->looks = empty;
	return true;
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

	if (!nul || **at > LOOK_FOLDER)
		return false;
	ret_noted->look = (enum look) * *at;
	ret_noted->path = (const char *)*at + 1;
	ret_noted->found = NULL;
	*at = nul + 1;
	if (ret_noted->look == LOOK_ABSENT)
		return true;
	if ((size_t)(end - *at) < sizeof(struct found))
		return false;
	ret_noted->found = *at;
	*at += sizeof(struct found);
	return true;
}

static const unsigned char *end_of(const struct occ_buffer *looks)
{
	return looks->size ? looks->data + looks->size : looks->data;
}

/* The folder of the path before: most files have it in common. */
struct folder {
	const char *path; /* of a file in it; NULL: none yet */
	size_t length;
	uint64_t place[2];
};

static bool find_same_folder(const char *path, struct folder *folder)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;

	if (folder->path && folder->length == length &&
	    !memcmp(folder->path, path, length))
		return true;
	folder->path = NULL;
	if (!find_folder(path, folder->place))
		return false;
	folder->path = path;
	folder->length = length;
	return true;
}

static bool is_readable(const char *path, struct folder *folder,
			struct found *ret_found)
{
	struct stat status;
	int file;

	if (!find_same_folder(path, folder) || !open_file(path, &file, &status))
		return false;
	occ_file_close(file);
	describe(&status, folder->place, ret_found);
	return true;
}

static bool is_unchanged(const struct noted *noted, struct folder *folder)
{
	struct found now;
	struct stat status;
	enum occ_closure_found found = find(noted->path, &status);

	switch (noted->look) {
	case LOOK_ABSENT:
		return found == OCC_CLOSURE_ABSENT && !S_ISDIR(status.st_mode);
	case LOOK_FOLDER:
		if (found != OCC_CLOSURE_ABSENT)
			return false;
		describe_folder(&status, &now);
		break;
	case LOOK_READ:
		/* It isn't a FIFO, which must not be opened. */
		if (found != OCC_CLOSURE_FOUND ||
		    !is_readable(noted->path, folder, &now))
			return false;
		break;
	case LOOK_PRESENT:
		if (found != OCC_CLOSURE_FOUND)
			return false;
		describe(&status, nowhere, &now);
		break;
	}
	return !memcmp(&now, noted->found, sizeof(now));
}

bool occ_content_unchanged(const struct occ_buffer *looks)
{
	const unsigned char *at = looks->data, *end = end_of(looks);
	struct folder folder = {.path = NULL};
	struct noted noted;

	while (at < end)
		if (!next_look(&at, end, &noted) ||
		    !is_unchanged(&noted, &folder))
			return false;
	return true;
}

bool occ_content_lasts(const struct occ_buffer *looks)
{
	const unsigned char *at = looks->data, *end = end_of(looks);
	int64_t latest = occ_file_written_back();
	struct noted noted;

	while (at < end) {
		if (!next_look(&at, end, &noted))
			return false;
		if ((noted.look == LOOK_PRESENT || noted.look == LOOK_READ) &&
		    !occ_file_times_tell(noted.path, latest))
			return false;
	}
	return true;
}

struct occ_content_view *occ_content_view_open(void)
{
	return calloc(1, sizeof(struct occ_content_view));
}

void occ_content_view_stamp(struct occ_content_view *view,
			    struct occ_digest *ret_stamp)
{
	/* Zeros are nobody's stamp. */
	memset(ret_stamp, 0, sizeof(*ret_stamp));
	if (!view->stamps.failed)
		occ_digest(view->stamps.data, view->stamps.size,
			   OCC_SEED_CONTENT, ret_stamp);
}

void occ_content_view_close(struct occ_content_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < view->count; i++)
		release(view->contents[i]);
	free(view->contents);
	occ_buffer_release(&view->stamps);
	occ_buffer_release(&view->looks);
	free(view);
}
