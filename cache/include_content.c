/* SPDX-License-Identifier: MIT */
/* The contents of included files, and what is remembered of them. */
#include "cache/include_files_internal.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/mutex.h"

/* All that is remembered. */
static struct {
	struct occ_mutex lock; /* only tried by those who look */
	struct occ_include_content *contents;
	uint64_t size;
} table = {.lock = OCC_MUTEX_INIT};

void occ_include_content_release(struct occ_include_content *content)
{
	if (!content ||
	    __atomic_sub_fetch(&content->references, 1, __ATOMIC_ACQ_REL))
		return;
	occ_scan_release(content->scan);
	free(content->text);
	free(content);
}

static struct occ_include_content *retain(struct occ_include_content *content)
{
	__atomic_add_fetch(&content->references, 1, __ATOMIC_RELAXED);
	return content;
}

static struct occ_include_place place_of(const struct stat *status)
{
	return (struct occ_include_place){status->st_dev, status->st_ino};
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_current(const struct occ_include_content *content,
		       const struct stat *status)
{
	return content->size == (uint64_t)status->st_size &&
	       same_time(&content->modified, &status->st_mtim) &&
	       same_time(&content->changed, &status->st_ctim);
}

struct occ_include_content *occ_include_content_recall(
	const struct stat *status, bool *ret_certain)
{
	struct occ_include_place place = place_of(status);
	struct occ_include_content *content;

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

static void forget(struct occ_include_content *content)
{
	HASH_DEL(table.contents, content);
	table.size -= content->size;
	occ_include_content_release(content);
}

/* In the order in which they came, until there is room. */
static void make_room(size_t size)
{
	struct occ_include_content *content, *next;

	HASH_ITER(hh, table.contents, content, next)
	{
		if (table.size + size <= OCC_INCLUDE_FILES_MEMORY_MAX)
			return;
		forget(content);
	}
}

/* Instead of another one of the same file. */
static void add(struct occ_include_content *content)
{
	struct occ_include_content *old;
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

void occ_include_content_remember(struct occ_include_content *content,
				  bool certain)
{
	struct occ_include_content *known;

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

static struct occ_include_content *new_content(const struct stat *status)
{
	struct occ_include_content *content = calloc(1, sizeof(*content));

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
	occ_include_content_release(content);
	return NULL;
}

/* The text alone. */
static struct occ_include_content *read_text(int file,
					     const struct stat *status)
{
	struct occ_include_content *content = new_content(status);
	struct stat later;

	if (!content)
		return NULL;
	/* A byte more, for a file that grows. */
	if (occ_file_read(file, 0, content->text, content->size + 1) ==
		    (ssize_t)content->size &&
	    !occ_file_status(file, &later) && is_current(content, &later))
		return content;
	occ_include_content_release(content);
	return NULL;
}

static void digest(const struct occ_include_content *content,
		   struct occ_digest ret_digests[2])
{
	occ_digest(content->text, content->size, OCC_SEED_NAME,
		   &ret_digests[0]);
	occ_digest(content->text, content->size, OCC_SEED_FIELD,
		   &ret_digests[1]);
}

struct occ_include_content *occ_include_content_read(
	int file, const struct stat *status, struct occ_include_content *known)
{
	struct occ_include_content *content = read_text(file, status);

	if (!content)
		return NULL;
	if (known && known->size == content->size &&
	    !memcmp(known->text, content->text, content->size)) {
		occ_include_content_release(content);
		return retain(known);
	}
	content->scan = occ_scan_make(content->text, content->size);
	digest(content, content->digests);
	if (content->scan)
		return content;
	occ_include_content_release(content);
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

bool occ_include_content_digest(int file, const struct stat *status,
				struct occ_digest ret_digests[2])
{
	struct occ_include_content *content = read_text(file, status);

	if (!content)
		return false;
	digest(content, ret_digests);
	occ_include_content_release(content);
	return true;
}

void occ_include_files_clear(void)
{
	struct occ_include_content *content, *next;

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
