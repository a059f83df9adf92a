/* SPDX-License-Identifier: MIT */
#include "hash/embedded.h"

#include <stdlib.h>
#include <string.h>

#include "hash/buffer.h"

/* Each may be a system call; ordinary programs have a few dozen. */
#define ASKED_MAX  4096

/* A folder or name, a slash, a name, a NUL. */
#define FOLDER_MAX 2048
#define PATH_SIZE  (FOLDER_MAX + 1 + OCC_SOURCE_NAME_MAX + 1)

/* Strings, each once. */
struct list {
	struct occ_buffer bytes; /* each with its NUL, as they were added */
	size_t added;
	const char **items; /* by name; after sort() */
	size_t count;
};

struct scan {
	const struct occ_embedded *headers;
	struct list names;    /* of the headers */
	struct list includes; /* names that were asked for and are known */
	struct list folders;  /* where the compiler may look for them */
};

static void add(struct list *list, const char *string, size_t length)
{
	occ_buffer_append(&list->bytes, string, length);
	occ_buffer_append(&list->bytes, "", 1);
	list->added++;
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* False when memory ran out, then or before. */
static bool sort(struct list *list)
{
	const char *at = (const char *)list->bytes.data;
	const char **items;
	size_t count = 0;

	if (list->bytes.failed)
		return false;
	items = malloc((list->added + 1) * sizeof(*items));
	if (!items)
		return false;
	for (size_t i = 0; i < list->added; i++, at += strlen(at) + 1)
		items[i] = at;
	qsort(items, list->added, sizeof(*items), compare);
	for (size_t i = 0; i < list->added; i++)
		if (!count || strcmp(items[count - 1], items[i]) != 0)
			items[count++] = items[i];
	list->items = items;
	list->count = count;
	return true;
}

static void release(struct list *list)
{
	occ_buffer_release(&list->bytes);
	free(list->items);
}

static bool has(const struct list *list, const char *string)
{
	return bsearch(&string, list->items, list->count, sizeof(*list->items),
		       compare) != NULL;
}

/* Neither outside the folders searched nor too long to be put behind one. */
static bool is_inside(const char *name)
{
	const char *part = name;

	if (!*name || *name == '/' || strlen(name) > OCC_SOURCE_NAME_MAX)
		return false;
	while (part) {
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return false;
		part = strchr(part, '/');
		part = part ? part + 1 : NULL;
	}
	return true;
}

/* Length of the name up to its last slash, 0 when there is none. */
static size_t folder_length(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (size_t)(slash - name) : 0;
}

/* The folder's path of the name; an empty folder is the current one. */
static void join(const char *folder, size_t length, const char *name,
		 char ret_path[PATH_SIZE])
{
	size_t at = 0;

	if (length) {
		memcpy(ret_path, folder, length);
		ret_path[length] = '/';
		at = length + 1;
	}
	memcpy(ret_path + at, name, strlen(name) + 1);
}

/* Text 0 is the main source, the others are the headers in their order. */
static bool is_known(const struct scan *scan, const char *name, bool quoted,
		     size_t text)
{
	const char *includer = text ? scan->headers[text - 1].name : "";
	size_t length = folder_length(includer);
	char path[PATH_SIZE];

	if (has(&scan->names, name))
		return true;
	/* Only quotes mean the includer's folder. */
	if (!length || !quoted)
		return false;
	join(includer, length, name, path);
	return has(&scan->names, path);
}

static bool visit_include(const char *name, size_t length, bool quoted,
			  size_t text, void *data)
{
	struct scan *scan = data;

	if (!is_inside(name) || !is_known(scan, name, quoted, text))
		return false;
	add(&scan->includes, name, length);
	return true;
}

static bool visit_option(enum occ_option_kind kind, const char *argument,
			 size_t length, bool certain, void *data)
{
	struct scan *scan = data;

	(void)certain;
	if (kind != OCC_OPTION_FOLDER)
		return kind != OCC_OPTION_FILE;
	add(&scan->folders, argument, length);
	return length <= FOLDER_MAX;
}

static enum occ_source_kind take_names(struct scan *scan, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = scan->headers[i].name;

		if (!name || !is_inside(name))
			return OCC_SOURCE_INCLUDES;
		add(&scan->names, name, strlen(name));
	}
	return sort(&scan->names) ? OCC_SOURCE_PLAIN : OCC_SOURCE_UNCERTAIN;
}

static enum occ_source_kind scan_texts(struct scan *scan,
				       const struct occ_source_text *source,
				       size_t count, const char *options)
{
	struct occ_source_text *texts = malloc((count + 1) * sizeof(*texts));
	enum occ_source_kind kind;

	if (!texts)
		return OCC_SOURCE_UNCERTAIN;
	texts[0] = *source;
	for (size_t i = 0; i < count; i++)
		texts[i + 1] = scan->headers[i].source;
	kind = occ_source_includes(texts, count + 1, options, visit_include,
				   scan);
	free(texts);
	return kind;
}

/* Where the compiler may look: here, at the headers', and as it was told. */
static enum occ_source_kind take_folders(struct scan *scan, size_t count,
					 const char *options,
					 enum occ_option_driver driver)
{
	add(&scan->folders, "", 0);
	for (size_t i = 0; i < count; i++) {
		const char *name = scan->headers[i].name;

		add(&scan->folders, name, folder_length(name));
	}
	if (!occ_option_walk(options, driver, visit_option, scan))
		return OCC_SOURCE_INCLUDES;
	return sort(&scan->folders) ? OCC_SOURCE_PLAIN : OCC_SOURCE_UNCERTAIN;
}

static enum occ_source_kind ask(struct scan *scan, occ_embedded_absent absent,
				void *data)
{
	const struct list *folders = &scan->folders;
	char path[PATH_SIZE];

	if (!sort(&scan->includes))
		return OCC_SOURCE_UNCERTAIN;
	if ((uint64_t)scan->includes.count * folders->count > ASKED_MAX)
		return OCC_SOURCE_INCLUDES;
	for (size_t i = 0; i < scan->includes.count; i++) {
		for (size_t f = 0; f < folders->count; f++) {
			join(folders->items[f], strlen(folders->items[f]),
			     scan->includes.items[i], path);
			if (!absent(path, data))
				return OCC_SOURCE_INCLUDES;
		}
	}
	return OCC_SOURCE_PLAIN;
}

enum occ_source_kind occ_embedded_scan(const struct occ_source_text *source,
				       const struct occ_embedded *headers,
				       size_t count, const char *options,
				       enum occ_option_driver driver,
				       occ_embedded_absent absent, void *data)
{
	struct scan scan = {.headers = headers};
	enum occ_source_kind kind = take_names(&scan, count);

	if (kind == OCC_SOURCE_PLAIN)
		kind = scan_texts(&scan, source, count, options);
	/* Nothing is searched for without an #include. */
	if (kind == OCC_SOURCE_PLAIN && scan.includes.added) {
		kind = take_folders(&scan, count, options, driver);
		if (kind == OCC_SOURCE_PLAIN)
			kind = ask(&scan, absent, data);
	}
	release(&scan.names);
	release(&scan.includes);
	release(&scan.folders);
	return kind;
}
