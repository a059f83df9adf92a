/* SPDX-License-Identifier: MIT */
#include "cache/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/nested.h"

/* A total in config.file, and how much of it a disk could have. */
#define TOTAL_SIZE     8
#define PLAUSIBLE_SIZE 6

/*
 * Contents of included files are a few per cent of what is compiled with them;
 * more than this are of entries that have gone.
 */
#define LAST_PART      8

/* s; clocks of several machines may differ that much. */
#define AHEAD	       60

struct scan {
	int directory;
	struct occ_listing *listing; /* NULL when only measuring */
	size_t capacity;
	uint64_t total;
	int error;
};

static bool is_newer(const struct timespec *one, const struct timespec *other)
{
	if (one->tv_sec != other->tv_sec)
		return one->tv_sec > other->tv_sec;
	return one->tv_nsec > other->tv_nsec;
}

int occ_listing_look(int directory, const char *name,
		     struct occ_listing_file *ret_file)
{
	struct stat status;

	/* Readers of other stores and users delete files at any moment. */
	if (occ_file_status_at(directory, name, &status) < 0)
		return errno == ENOENT ? OCC_E_NOT_FOUND : OCC_E_IO;
	if (!S_ISREG(status.st_mode))
		return OCC_E_NOT_FOUND;
	ret_file->kind = occ_name_kind(name);
	ret_file->size = (uint64_t)status.st_size;
	/*
	 * Our own hits set mtime. NEO's files are read without that, so their
	 * atime counts too, as far as the mount keeps it.
	 */
	ret_file->used = status.st_mtim;
	if (ret_file->kind == OCC_NAME_NEO &&
	    is_newer(&status.st_atim, &status.st_mtim))
		ret_file->used = status.st_atim;
	ret_file->uses = occ_file_uses(&status);
	return OCC_OK;
}

static bool grow(struct scan *scan)
{
	size_t capacity = scan->capacity ? 2 * scan->capacity : 64;
	struct occ_listing_file **files;

	if (scan->listing->count < scan->capacity)
		return true;
	files = realloc(scan->listing->files, capacity * sizeof(*files));
	if (!files)
		return false;
	scan->listing->files = files;
	scan->capacity = capacity;
	return true;
}

static bool add(struct scan *scan, const char *name,
		const struct occ_listing_file *found)
{
	struct occ_listing_file *file;
	size_t length = strlen(name) + 1;

	if (!grow(scan))
		return false;
	file = malloc(sizeof(*file) + length);
	if (!file)
		return false;
	*file = *found;
	memcpy(file->name, name, length);
	scan->listing->files[scan->listing->count++] = file;
	return true;
}

static bool visit_file(const char *name, void *data)
{
	struct occ_listing_file found;
	struct scan *scan = data;
	int error;

	if (occ_name_kind(name) == OCC_NAME_FOREIGN)
		return true;
	error = occ_listing_look(scan->directory, name, &found);
	if (error == OCC_E_NOT_FOUND)
		return true;
	/* (S7) A sum without it would be too small. */
	if (!error) {
		scan->total += found.size;
		if (scan->listing && !add(scan, name, &found))
			error = OCC_E_MEMORY;
	}
	scan->error = error;
	return !error;
}

static bool visit(const char *name, void *data)
{
	struct scan *scan = data;

	if (!occ_nested_is_name(name))
		return visit_file(name, scan);
	if (occ_nested_list(scan->directory, name, visit_file, scan) < 0)
		scan->error = OCC_E_IO;
	return !scan->error;
}

static int list(struct scan *scan)
{
	if (occ_file_list(scan->directory, visit, scan) < 0)
		return OCC_E_IO;
	return scan->error;
}

int occ_listing_scan(int directory, struct occ_listing *ret_listing)
{
	struct occ_listing listing = {0};
	struct scan scan = {directory, &listing};
	int error = list(&scan);

	if (error) {
		occ_listing_release(&listing);
		return error;
	}
	listing.total = scan.total;
	listing.now = occ_file_now();
	*ret_listing = listing;
	return OCC_OK;
}

void occ_listing_release(struct occ_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->files[i]);
	free(listing->files);
	*listing = (struct occ_listing){0};
}

static int compare(const void *one, const void *other)
{
	const struct occ_listing_file *a = *(struct occ_listing_file **)one;
	const struct occ_listing_file *b = *(struct occ_listing_file **)other;

	if (a->is_last != b->is_last)
		return a->is_last ? 1 : -1;
	if (a->is_ahead != b->is_ahead)
		return a->is_ahead ? -1 : 1;
	if (is_newer(&a->used, &b->used))
		return 1;
	if (is_newer(&b->used, &a->used))
		return -1;
	return strcmp(a->name, b->name);
}

static void sort(struct occ_listing *listing)
{
	if (listing->count)
		qsort(listing->files, listing->count, sizeof(*listing->files),
		      compare);
}

/* Of a sorted one. Are there any? */
static bool choose_last(struct occ_listing *listing)
{
	uint64_t left = listing->total / LAST_PART;
	bool any = false;

	for (size_t i = listing->count; i-- > 0;) {
		struct occ_listing_file *file = listing->files[i];

		if (file->kind != OCC_NAME_INCLUDED)
			continue;
		if (file->is_ahead || file->size > left)
			break;
		left -= file->size;
		file->is_last = any = true;
	}
	return any;
}

void occ_listing_sort(struct occ_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		struct occ_listing_file *file = listing->files[i];

		file->is_ahead = file->used.tv_sec - AHEAD > listing->now;
		file->is_last = false;
	}
	sort(listing);
	if (choose_last(listing))
		sort(listing);
}

int occ_listing_measure(int directory, uint64_t *ret_size)
{
	struct scan scan = {directory, NULL};
	int error = list(&scan);

	if (!error)
		*ret_size = scan.total;
	return error;
}

/* What the names in a directory say of it. */
struct verdict {
	int directory;
	bool is_store;
	bool has_others;
	bool has_nested; /* directories as NEO's, with nothing in them */
};

static bool judge_file(const char *name, void *data)
{
	struct verdict *verdict = data;

	switch (occ_name_kind(name)) {
	case OCC_NAME_FOREIGN:
		/* File systems make some by themselves. */
		verdict->has_others |=
			strcmp(name, ".") && strcmp(name, "..") &&
			strcmp(name, "lost+found") && strncmp(name, ".nfs", 4);
		break;
	case OCC_NAME_FIXED:
		verdict->is_store |= !strcmp(name, OCC_NAME_STATE) ||
				     !strcmp(name, OCC_NAME_COUNTERS) ||
				     !strcmp(name, OCC_NAME_HISTORY) ||
				     !strcmp(name, OCC_NAME_LOCK);
		break;
	case OCC_NAME_TEMP:
		break;
	case OCC_NAME_ENTRY:
	case OCC_NAME_NEO:
	case OCC_NAME_TRACE:
	case OCC_NAME_INCLUDES:
	case OCC_NAME_WORKING_SET:
	case OCC_NAME_INCLUDED:
		verdict->is_store = true;
		break;
	}
	return !verdict->is_store;
}

static bool judge_name(const char *name, void *data)
{
	struct verdict *verdict = data;
	int listed = OCC_NESTED_NONE;

	if (occ_nested_is_name(name))
		listed = occ_nested_list(verdict->directory, name, judge_file,
					 verdict);
	if (listed == OCC_NESTED_LISTED)
		verdict->has_nested = true;
	else
		return judge_file(name, verdict);
	return !verdict->is_store;
}

/* Bytes of a small file; -1 when there is none, or it can't be read. */
static ssize_t read_start(int directory, const char *name, void *data,
			  size_t size)
{
	int file = occ_file_open(directory, name, O_RDONLY);
	struct stat status;
	ssize_t count = -1;

	if (file < 0)
		return -1;
	if (!occ_file_status(file, &status) && S_ISREG(status.st_mode))
		count = occ_file_read(file, 0, data, size);
	occ_file_close(file);
	return count;
}

static bool has_our_tag(int directory)
{
	char text[sizeof(OCC_NAME_TAG_TEXT)];
	const size_t length = sizeof(text) - 1;

	return read_start(directory, OCC_NAME_TAG, text, length) ==
		       (ssize_t)length &&
	       !memcmp(text, OCC_NAME_TAG_TEXT, length);
}

/*
 * Totals of a size that a disk could have, which no text is; or zeros, which a
 * power cut leaves. `missing`: what it is without any.
 */
static bool has_plausible_total(int directory, bool missing)
{
	unsigned char bytes[2 * TOTAL_SIZE + 1];
	ssize_t count = read_start(directory, OCC_NAME_SIZE_LEDGER, bytes,
				   sizeof(bytes));

	if (count < 0)
		return errno == ENOENT && missing;
	if (count == sizeof(bytes))
		return false;
	for (ssize_t i = 0; i < count; i++)
		if (bytes[i] &&
		    (count % TOTAL_SIZE || i % TOTAL_SIZE >= PLAUSIBLE_SIZE))
			return false;
	return true;
}

int occ_listing_judge(int directory)
{
	struct verdict verdict = {.directory = directory};

	if (has_our_tag(directory))
		return OCC_OK;
	if (occ_file_list(directory, judge_name, &verdict) < 0)
		return OCC_E_IO;
	if (verdict.is_store)
		return OCC_OK;
	/* Where NEO made directories, it has made that file first. */
	return verdict.has_others || !has_plausible_total(directory,
							  !verdict.has_nested)
		       ? OCC_E_NOT_A_STORE
		       : OCC_OK;
}
