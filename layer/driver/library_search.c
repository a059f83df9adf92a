/* SPDX-License-Identifier: MIT */
#include "layer/driver/library_search.h"

#include <dlfcn.h>
#include <elf.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "hash/digest.h"

#define CACHE	  "/etc/ld.so.cache"

/* Of thousands of libraries: half a megabyte. */
#define CACHE_MAX ((off_t)16 << 20)

/* May it be one of those that are searched last? */
static bool is_system(const char *directory)
{
	return !strncmp(directory, "/lib", 4) ||
	       !strncmp(directory, "/usr/lib", 8);
}

static void add_directory(struct occ_library_search *search, const char *name)
{
	search->unclear |= *name != '/';
	occ_buffer_append(&search->directories, name, strlen(name) + 1);
	if (!is_system(name))
		search->system = search->directories.size;
}

void occ_library_search_take(const char *path,
			     struct occ_library_search *ret_search)
{
	*ret_search = (struct occ_library_search)OCC_LIBRARY_SEARCH_INIT;
	ret_search->unclear = true;
#ifdef __GLIBC__
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	Dl_serinfo size, *all = NULL;

	if (!library)
		return;
	if (!dlinfo(library, RTLD_DI_SERINFOSIZE, &size))
		all = malloc(size.dls_size);
	if (all && !dlinfo(library, RTLD_DI_SERINFOSIZE, all) &&
	    !dlinfo(library, RTLD_DI_SERINFO, all)) {
		ret_search->unclear = false;
		for (unsigned i = 0; i < all->dls_cnt; i++)
			add_directory(ret_search, all->dls_serpath[i].dls_name);
	}
	free(all);
	dlclose(library);
#else
	(void)path;
	(void)add_directory;
#endif
	ret_search->unclear |= ret_search->directories.failed;
}

/* NULL: it isn't there, or no file that can be read. To be freed. */
static char *read_cache(size_t *ret_size)
{
	int file = occ_file_open_path(CACHE);
	struct stat status;
	char *text = NULL;
	size_t size = 0;

	if (file < 0)
		return NULL;
	if (!occ_file_status(file, &status) && S_ISREG(status.st_mode) &&
	    status.st_size < CACHE_MAX)
		size = (size_t)status.st_size;
	if (size)
		text = malloc(size);
	if (text && occ_file_read(file, 0, text, size) != (ssize_t)size) {
		free(text);
		text = NULL;
	}
	occ_file_close(file);
	*ret_size = size;
	return text;
}

/* By its content: machines of one image share what was learnt. */
void occ_library_search_add_state(struct occ_buffer *bytes)
{
	struct occ_library_search search;
	struct occ_digest digest;
	size_t size = 0;
	char *text = read_cache(&size);

	occ_digest(text, text ? size : 0, OCC_SEED_CONTENT, &digest);
	free(text);
	occ_library_search_take(NULL, &search);
	occ_buffer_append(bytes, search.directories.data,
			  search.directories.size);
	occ_buffer_append(bytes, digest.bytes, sizeof(digest.bytes));
	occ_library_search_release(&search);
}

void occ_library_search_release(struct occ_library_search *search)
{
	occ_buffer_release(&search->directories);
}

/* One answer to a pattern, while it is looked for. */
struct finding {
	const struct occ_library_search *search;
	const char *pattern;
	struct occ_stat_snapshot *snapshot;
	struct occ_buffer *paths;
	size_t begin;	/* of its paths */
	size_t certain; /* of them, bytes: what else is found is the same */
	bool is_certain;
};

/* The path with that last part, of those found up to byte `end`; or NULL. */
static const char *find_name(const struct finding *finding, const char *name,
			     size_t end)
{
	const char *data = (const char *)finding->paths->data;

	if (!data)
		return NULL;
	for (const char *path = data + finding->begin; path < data + end;
	     path += strlen(path) + 1)
		if (!strcmp(basename(path), name))
			return path;
	return NULL;
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !occ_file_status_path(one, &a) &&
	       !occ_file_status_path(other, &b) && occ_file_same(&a, &b);
}

static void add_path(struct finding *finding, const char *path)
{
	const char *former =
		find_name(finding, basename(path), finding->paths->size);

	if (!former)
		occ_buffer_append(finding->paths, path, strlen(path) + 1);
	else if ((size_t)(former - (const char *)finding->paths->data) >=
		 finding->certain)
		finding->is_certain &= is_same_file(former, path);
}

/* A name without wildcards matches whether it is there or not. */
static bool is_there(struct occ_stat_snapshot *snapshot, const char *path)
{
	struct stat status;

	occ_stat_snapshot_note(snapshot, path);
	return !occ_file_status_path(path, &status);
}

static void match(struct finding *finding, const char *directory)
{
	struct occ_matches found;

	occ_stat_snapshot_match(finding->snapshot, directory, finding->pattern,
				&found);
	finding->is_certain &= !found.failed;
	for (size_t i = 0; i < found.count; i++)
		if (is_there(finding->snapshot, found.paths[i]))
			add_path(finding, found.paths[i]);
	occ_matches_release(&found);
}

/* Which of a directory's directories for processors is searched isn't known. */
static void match_variants(struct finding *finding, const char *directory)
{
	static const char *const variants[] = {"glibc-hwcaps/*", "tls",
					       "haswell", "avx512_1", "x86_64"};
	char pattern[PATH_MAX];

	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		struct occ_matches found;

		snprintf(pattern, sizeof(pattern), "%s/%s", variants[i],
			 finding->pattern);
		occ_stat_snapshot_match(finding->snapshot, directory, pattern,
					&found);
		finding->is_certain &= !found.failed && !found.count;
		occ_matches_release(&found);
	}
}

/* Of this process's machine, as far as 32 and 64 bits go; or it isn't known. */
static bool is_loadable(const char *path)
{
	unsigned char head[EI_CLASS + 1];
	int file = occ_file_open_path(path);
	ssize_t size =
		file < 0 ? -1 : occ_file_read(file, 0, head, sizeof(head));

	if (file >= 0)
		occ_file_close(file);
	return size != sizeof(head) ||
	       head[EI_CLASS] ==
		       (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
}

/* The strings of its table that are paths with such a name. */
static void match_text(struct finding *finding, const char *text, size_t size)
{
	const char *end = text + size, *zero;

	for (; (zero = memchr(text, '\0', (size_t)(end - text)));
	     text = zero + 1) {
		const char *slash = memrchr(text, '/', (size_t)(zero - text));

		/* Before the first there are numbers. */
		while (slash && *text != '/')
			text++;
		if (slash && !fnmatch(finding->pattern, slash + 1, 0) &&
		    is_loadable(text))
			add_path(finding, text);
	}
}

static void match_cache(struct finding *finding)
{
	struct stat status;
	size_t size = 0;
	char *text = read_cache(&size);

	occ_stat_snapshot_note(finding->snapshot, CACHE);
	if (text)
		match_text(finding, text, size);
	else
		finding->is_certain &=
			occ_file_status_path(CACHE, &status) != 0;
	free(text);
}

bool occ_library_search_find(const struct occ_library_search *search,
			     const char *pattern,
			     struct occ_stat_snapshot *snapshot,
			     struct occ_buffer *paths)
{
	struct finding finding = {search,	   pattern,	snapshot,
				  paths,	   paths->size, paths->size,
				  !search->unclear};
	const char *begin = (const char *)search->directories.data;
	const char *end = begin ? begin + search->directories.size : NULL;

	for (const char *at = begin; at < end; at += strlen(at) + 1) {
		if ((size_t)(at - begin) == search->system) {
			finding.certain = paths->size;
			match_cache(&finding);
		}
		match_variants(&finding, at);
		match(&finding, at);
		if ((size_t)(at - begin) < search->system)
			finding.certain = paths->size;
	}
	if (search->system == search->directories.size)
		match_cache(&finding);
	return finding.is_certain && !paths->failed;
}

bool occ_library_search_is_here(const struct occ_library_search *search,
				const char *pattern)
{
	const char *begin = (const char *)search->directories.data;
	const char *end = begin ? begin + search->directories.size : NULL;
	bool is_here = false;

	for (const char *at = begin; at < end; at += strlen(at) + 1) {
		struct occ_stat_snapshot looked = {0};
		struct occ_matches found;

		if (*at == '/')
			continue;
		occ_stat_snapshot_match(&looked, *at ? at : ".", pattern,
					&found);
		is_here |= found.failed;
		for (size_t i = 0; i < found.count; i++)
			is_here |= is_there(&looked, found.paths[i]);
		occ_matches_release(&found);
		occ_stat_snapshot_release(&looked);
	}
	return is_here;
}
