/* SPDX-License-Identifier: MIT */
#include "cache/include_files_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cache/file.h"
#include "cache/mutex.h"

/* Where a file lies, whatever its name. */
struct place {
	uint64_t device;
	uint64_t inode;
};

/* What was read; constant but for `references` and, in the table, `certain`. */
struct content {
	UT_hash_handle hh;
	struct place place;
	struct timespec modified;
	struct timespec changed;
	unsigned references; /* atomic; one of the table's */
	bool certain;	     /* as long as the times are the same */
	size_t size;
	char *text;
	struct occ_scan *scan;
	struct occ_digest digests[2];
};

/* All that is remembered. */
static struct {
	struct occ_mutex lock; /* only tried by those who look */
	struct content *contents;
	uint64_t size;
} table = {.lock = OCC_MUTEX_INIT};

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

/*
 * What is remembered of the file, or NULL. *ret_certain: it needn't be read to
 * know that it is still so.
 */
static struct content *recall(const struct stat *status, bool *ret_certain)
{
	struct place place = place_of(status);
	struct content *content;

	*ret_certain = false;
	if (!occ_mutex_try(&table.lock))
		return NULL;
	/* It doesn't see that what was found has a status, to the last byte. */
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
	HASH_FIND(hh, table.contents, &place, sizeof(place), content);
	content =
		content && is_current(content, status) ? retain(content) : NULL;
	if (content)
		*ret_certain = content->certain;
	occ_mutex_unlock(&table.lock);
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
		if (table.size + size <= OCC_INCLUDE_FILES_MEMORY_MAX)
			return;
		forget(content);
	}
}

/* Instead of another one of the same file. */
static void add(struct content *content)
{
	struct content *old;
	bool failed = false;

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
}

static void remember(struct content *content, bool certain)
{
	struct content *known;

	if (content->size > OCC_INCLUDE_FILES_MEMORY_MAX ||
	    !occ_mutex_try(&table.lock))
		return;
	HASH_FIND(hh, table.contents, &content->place, sizeof(content->place),
		  known);
	/* Another one is nobody's but the caller's. */
	if (known != content) {
		content->certain = certain;
		add(content);
	} else {
		content->certain |= certain;
	}
	occ_mutex_unlock(&table.lock);
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

/* The text alone. */
static struct content *read_text(int file, const struct stat *status)
{
	struct content *content = new_content(status);
	struct stat later;

	if (!content)
		return NULL;
	/* A byte more, for a file that grows. */
	if (occ_file_read(file, 0, content->text, content->size + 1) ==
		    (ssize_t)content->size &&
	    !occ_file_status(file, &later) && is_current(content, &later))
		return content;
	release(content);
	return NULL;
}

static void digest(const struct content *content,
		   struct occ_digest ret_digests[2])
{
	occ_digest(content->text, content->size, OCC_SEED_NAME,
		   &ret_digests[0]);
	occ_digest(content->text, content->size, OCC_SEED_FIELD,
		   &ret_digests[1]);
}

/*
 * Reads the open file, and scans it if it isn't what is `known`, which may be
 * NULL. NULL: it can't be read, or is changing.
 */
static struct content *read_content(int file, const struct stat *status,
				    struct content *known)
{
	struct content *content = read_text(file, status);

	if (!content)
		return NULL;
	if (known && known->size == content->size &&
	    !memcmp(known->text, content->text, content->size)) {
		release(content);
		return retain(known);
	}
	content->scan = occ_scan_make(content->text, content->size);
	digest(content, content->digests);
	if (content->scan)
		return content;
	release(content);
	return NULL;
}

bool occ_include_content_open(const char *path, int *ret_file,
			      struct stat *ret_status)
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

/*
 * In pieces that stay in the CPU's caches, into memory that has been written to
 * before: a whole file at once would take five times as long.
 */
static bool digest_pieces(int file, uint64_t size,
			  struct occ_digest_state *states[2])
{
	const size_t most = (size_t)64 * 1024;
	unsigned char *piece = malloc(most);
	uint64_t at = 0;
	ssize_t got = 0;

	/* And once more at the end, for a file that grows. */
	while (piece && at <= size &&
	       (got = occ_file_read(file, at, piece, most)) > 0) {
		occ_digest_update(states[0], piece, (size_t)got);
		occ_digest_update(states[1], piece, (size_t)got);
		at += (uint64_t)got;
	}
	free(piece);
	return piece && got == 0 && at == size;
}

bool occ_include_content_digest(int file, const struct stat *status,
				struct occ_digest ret_digests[2])
{
	struct occ_digest_state *states[2] = {
		occ_digest_new(OCC_SEED_NAME),
		occ_digest_new(OCC_SEED_FIELD),
	};
	uint64_t size = (uint64_t)status->st_size;
	struct stat later;
	bool whole = states[0] && states[1] &&
		     digest_pieces(file, size, states) &&
		     !occ_file_status(file, &later) &&
		     later.st_size == status->st_size &&
		     same_time(&later.st_mtim, &status->st_mtim) &&
		     same_time(&later.st_ctim, &status->st_ctim);

	occ_digest_finish(states[0], &ret_digests[0]);
	occ_digest_finish(states[1], &ret_digests[1]);
	return whole;
}

struct occ_include_files_view {
	struct content **contents;
	size_t count;
	size_t capacity;
	struct occ_buffer stamps;
	struct occ_buffer looks;
	bool anew;
	bool dated;	/* `latest` is known */
	int64_t latest; /* occ_file_written_back() */
};

/* *ret_certain: while its times are the same so is what is in it. */
static struct content *read_file(struct occ_include_files_view *view,
				 const char *path, struct stat *status,
				 bool *ret_certain)
{
	struct content *known, *content = NULL;
	int file;

	if (!occ_include_content_open(path, &file, status))
		return NULL;
	known = recall(status, ret_certain);
	if (known && *ret_certain && !view->anew) {
		occ_file_close(file);
		return known;
	}
	if (!view->dated)
		view->latest = occ_file_written_back();
	view->dated = true;
	/* Before it is read: what is written later shows. */
	*ret_certain = occ_file_will_tell(file, view->latest);
	if ((uint64_t)status->st_size <= OCC_INCLUDE_FILES_SIZE_MAX)
		content = read_content(file, status, known);
	if (content)
		remember(content, *ret_certain);
	occ_file_close(file);
	release(known);
	return content;
}

static bool keep(struct occ_include_files_view *view, struct content *content)
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

static void stamp(struct occ_include_files_view *view, const char *path,
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

static enum occ_closure_found get(struct occ_include_files_view *view,
				  const char *path, struct stat *status,
				  struct occ_closure_file *ret_file)
{
	bool certain;
	struct content *content = read_file(view, path, status, &certain);

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
	if (!occ_include_looks_directory(path, ret_file->directory))
		return OCC_CLOSURE_UNKNOWN;
	occ_include_looks_note(&view->looks, path, status, ret_file, certain);
	return OCC_CLOSURE_FOUND;
}

enum occ_closure_found occ_include_files_look(const char *path, bool contents,
					      struct occ_closure_file *ret_file,
					      void *data)
{
	struct occ_include_files_view *view = data;
	struct stat status;
	enum occ_closure_found found = occ_include_looks_find(path, &status);

	if (found == OCC_CLOSURE_UNKNOWN)
		return found;
	if (found == OCC_CLOSURE_FOUND && contents)
		return get(view, path, &status, ret_file);
	/* Of what isn't there: zeros. */
	ret_file->file[0] = status.st_dev;
	ret_file->file[1] = status.st_ino;
	occ_include_looks_note(&view->looks, path, &status, NULL, false);
	if (found == OCC_CLOSURE_FOUND)
		stamp(view, path, &status);
	return found;
}

bool occ_include_files_view_looks(struct occ_include_files_view *view,
				  struct occ_buffer *ret_looks)
{
	static const struct occ_buffer empty = OCC_BUFFER_INIT;

	if (view->looks.failed)
		return false;
	*ret_looks = view->looks;
	view->looks = empty;
	return true;
}

struct occ_include_files_view *occ_include_files_view_open(bool anew)
{
	struct occ_include_files_view *view = calloc(1, sizeof(*view));

	if (view)
		view->anew = anew;
	return view;
}

void occ_include_files_view_stamp(struct occ_include_files_view *view,
				  struct occ_digest *ret_stamp)
{
	/* Zeros are nobody's stamp. */
	memset(ret_stamp, 0, sizeof(*ret_stamp));
	if (!view->stamps.failed)
		occ_digest(view->stamps.data, view->stamps.size,
			   OCC_SEED_CONTENT, ret_stamp);
}

void occ_include_files_view_close(struct occ_include_files_view *view)
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

void occ_include_files_clear(void)
{
	struct content *content, *next;

	occ_mutex_lock(&table.lock);
	HASH_ITER(hh, table.contents, content, next)
	{
		forget(content);
	}
	occ_mutex_unlock(&table.lock);
}

void occ_include_files_forked(void)
{
	if (occ_mutex_forked(&table.lock))
		return;
	table.contents = NULL;
	table.size = 0;
}
