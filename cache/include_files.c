/* SPDX-License-Identifier: MIT */
#include "cache/include_files_internal.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"

struct occ_include_files_view {
	struct occ_include_content **contents;
	size_t count;
	size_t capacity;
	struct occ_buffer stamps;
	struct occ_buffer looks;
	bool anew;
	bool dated;	/* `latest` is known */
	int64_t latest; /* occ_file_written_back() */
};

static int64_t latest_of(struct occ_include_files_view *view)
{
	if (!view->dated)
		view->latest = occ_file_written_back();
	view->dated = true;
	return view->latest;
}

/* *ret_certain: while its times are the same so is what is in it. */
static struct occ_include_content *read_file(
	struct occ_include_files_view *view, const char *path,
	struct stat *status, bool *ret_certain)
{
	struct occ_include_content *known, *content = NULL;
	int file;

	if (!occ_include_content_open(path, &file, status))
		return NULL;
	known = occ_include_content_recall(status, ret_certain);
	if (known && *ret_certain && !view->anew) {
		occ_file_close(file);
		return known;
	}
	/* Before it is read: what is written later shows. */
	*ret_certain = occ_file_will_tell(file, latest_of(view));
	if ((uint64_t)status->st_size <= OCC_INCLUDE_FILES_SIZE_MAX)
		content = occ_include_content_read(file, status, known);
	if (content)
		occ_include_content_remember(content, *ret_certain);
	occ_file_close(file);
	occ_include_content_release(known);
	return content;
}

static bool keep(struct occ_include_files_view *view,
		 struct occ_include_content *content)
{
	if (view->count == view->capacity) {
		size_t capacity = view->capacity ? view->capacity * 2 : 16;
		struct occ_include_content **contents =
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
	struct occ_include_content *content =
		read_file(view, path, status, &certain);

	if (!content)
		return OCC_CLOSURE_UNKNOWN;
	if (!keep(view, content)) {
		occ_include_content_release(content);
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
	occ_include_looks_note_read(&view->looks, path, status, certain,
				    ret_file);
	return OCC_CLOSURE_FOUND;
}

enum occ_closure_found occ_include_files_look(const char *path, bool contents,
					      struct occ_closure_file *ret_file,
					      void *data)
{
	struct occ_include_files_view *view = data;
	struct stat status;
	enum occ_closure_found found = occ_include_looks_find(path, &status);

	if (found == OCC_CLOSURE_ABSENT)
		occ_include_looks_note_absent(&view->looks, path, &status,
					      ret_file);
	if (found != OCC_CLOSURE_FOUND)
		return found;
	if (contents)
		return get(view, path, &status, ret_file);
	occ_include_looks_note_present(&view->looks, path, &status);
	stamp(view, path, &status);
	ret_file->file[0] = status.st_dev;
	ret_file->file[1] = status.st_ino;
	return OCC_CLOSURE_FOUND;
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

struct occ_include_files_view *occ_include_files_view_open(void)
{
	return calloc(1, sizeof(struct occ_include_files_view));
}

struct occ_include_files_view *occ_include_files_view_open_anew(void)
{
	struct occ_include_files_view *view = occ_include_files_view_open();

	if (view)
		view->anew = true;
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
		occ_include_content_release(view->contents[i]);
	free(view->contents);
	occ_buffer_release(&view->stamps);
	occ_buffer_release(&view->looks);
	free(view);
}
