/* SPDX-License-Identifier: MIT */
#include "hash/resolver.h"

#include <stdlib.h>
#include <string.h>

/* Out of memory is a miss, not the end of the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Paths to look at, each a system call or so; programs have some dozens. */
#define LOOKS_MAX	16384
#define PATH_MAX_LENGTH 4095

/*
 * Bytes of the paths that are looked up, also of those that were before, and
 * what each counts besides.
 */
#define PATHS_MAX	((size_t)64 << 20)
#define PATH_COST	64

/* A path that was looked at. */
struct occ_resolver_place {
	UT_hash_handle hh;
	bool contents; /* not for its presence alone */
	bool found;
	char path[];
};

/* A file in a directory, by whatever path: its includes are followed once. */
struct occ_resolver_identity {
	UT_hash_handle hh;
	uint64_t directory[2]; /* the key, with what follows */
	char name[];
};

/* A file or a directory, and the first file found that is it or is in it. */
struct occ_resolver_number {
	UT_hash_handle hh;
	uint64_t key[3]; /* device, inode, is a directory */
	uint32_t number;
};

/* A name by which a file was found. */
struct occ_resolver_name {
	UT_hash_handle hh;
	uint64_t file[2];		/* the key: device and inode */
	struct occ_resolver_name *next; /* of the same file */
	const struct occ_scan *scan;	/* NULL: only its presence was wanted */
	char path[];
};

#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) (resolver->out_of_memory = true)

/* Of the element itself: another may have been left out before. */
#define IS_LEFT_OUT(element)	     (!(element)->hh.tbl)

void occ_resolver_fail(struct occ_resolver *resolver, enum occ_reason reason)
{
	if (!resolver->reason)
		resolver->reason = reason;
}

bool occ_resolver_spend(struct occ_resolver *resolver, size_t size)
{
	resolver->path_bytes += size;
	if (resolver->path_bytes > PATHS_MAX)
		occ_resolver_fail(resolver, OCC_REASON_INCLUDES_MANY);
	return resolver->path_bytes <= PATHS_MAX;
}

/* Zeros; NULL: failed. */
static void *allocate(struct occ_resolver *resolver, size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		occ_resolver_fail(resolver, OCC_REASON_OUT_OF_MEMORY);
	return memory;
}

bool occ_resolver_grow(struct occ_resolver *resolver, void *list, size_t count,
		       size_t *capacity, size_t size)
{
	size_t more = *capacity ? *capacity * 2 : 16;
	void **items = list;
	void *memory;

	if (count < *capacity)
		return true;
	memory = realloc(*items, more * size);
	if (!memory) {
		occ_resolver_fail(resolver, OCC_REASON_OUT_OF_MEMORY);
		return false;
	}
	*items = memory;
	*capacity = more;
	return true;
}

const char *occ_resolver_add_string(struct occ_resolver *resolver,
				    struct occ_resolver_strings *strings,
				    const char *text, size_t length)
{
	char *copy;

	if (!occ_resolver_grow(resolver, (void *)&strings->items,
			       strings->count, &strings->capacity,
			       sizeof(char *)))
		return NULL;
	copy = strndup(text, length);
	if (!copy)
		occ_resolver_fail(resolver, OCC_REASON_OUT_OF_MEMORY);
	else
		strings->items[strings->count++] = copy;
	return copy;
}

/* Length of the path's directory, without the slash but for the root. */
static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return 0;
	return slash == path ? 1 : (size_t)(slash - path);
}

void occ_resolver_add_text(struct occ_resolver *resolver,
			   const struct occ_scan *scan, const char *path,
			   bool embedded)
{
	struct occ_resolver_text *text;

	if (!occ_resolver_grow(resolver, (void *)&resolver->texts,
			       resolver->text_count, &resolver->text_capacity,
			       sizeof(*text)))
		return;
	text = &resolver->texts[resolver->text_count];
	*text = (struct occ_resolver_text){
		scan, strndup(path, directory_length(path)), embedded};
	if (text->directory)
		resolver->text_count++;
	else
		occ_resolver_fail(resolver, OCC_REASON_OUT_OF_MEMORY);
}

bool occ_resolver_list_scans(struct occ_resolver *resolver)
{
	size_t count = resolver->text_count;
	const struct occ_scan **scans =
		realloc(resolver->scans, (count + 1) * sizeof(*scans));

	if (!scans) {
		occ_resolver_fail(resolver, OCC_REASON_OUT_OF_MEMORY);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		scans[i] = resolver->texts[i].scan;
	scans[count] = resolver->options;
	resolver->scans = scans;
	return true;
}

/*
 * Are this file's includes being followed already? From one directory, and with
 * the same name, they are the same, by whatever path the file was found.
 */
static bool is_known(struct occ_resolver *resolver, const char *path,
		     const struct occ_closure_file *file)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t size = sizeof(file->directory) + strlen(name);
	struct occ_resolver_identity *known;
	struct occ_resolver_identity *identity =
		allocate(resolver, sizeof(*identity) + size + 1);

	if (!identity)
		return true;
	memcpy(identity->directory, file->directory, sizeof(file->directory));
	memcpy(identity->name, name, strlen(name));
	HASH_FIND(hh, resolver->identities, identity->directory, size, known);
	if (!known) {
		HASH_ADD_KEYPTR(hh, resolver->identities, identity->directory,
				size, identity);
		if (!IS_LEFT_OUT(identity))
			return false;
	}
	free(identity);
	return true;
}

/* The number of the first file with that device and inode, or this one's. */
static uint32_t number_of(struct occ_resolver *resolver,
			  const uint64_t place[2], bool is_directory)
{
	struct occ_resolver_number *first = allocate(resolver, sizeof(*first));
	struct occ_resolver_number *known;
	uint32_t number = resolver->number;

	if (!first)
		return 0;
	memcpy(first->key, place, 2 * sizeof(*place));
	first->key[2] = is_directory;
	first->number = number;
	HASH_FIND(hh, resolver->numbers, first->key, sizeof(first->key), known);
	if (known) {
		free(first);
		return known->number;
	}
	HASH_ADD(hh, resolver->numbers, key, sizeof(first->key), first);
	if (IS_LEFT_OUT(first))
		free(first);
	return number;
}

void occ_resolver_number_directory(struct occ_resolver *resolver,
				   const struct occ_closure_file *directory)
{
	/* One that isn't there has a number, too. */
	if (directory->file[0] || directory->file[1])
		number_of(resolver, directory->file, true);
	resolver->number++;
}

/* Adds a field: OCC_KEY_INCLUDE_FILE, or ..._PRESENT without contents. */
static void add_field(struct occ_resolver *resolver, const char *path,
		      const struct occ_closure_file *file, bool contents)
{
	unsigned char head[OCC_KEY_FILE_HEAD] = {0};
	unsigned char *numbers = head + OCC_KEY_FILE_CONTENT;
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	if (contents) {
		occ_put_u64(head, file->size);
		memcpy(head + 8, file->digests[0].bytes, OCC_DIGEST_SIZE);
		memcpy(head + 24, file->digests[1].bytes, OCC_DIGEST_SIZE);
		occ_put_u32(numbers + 4,
			    number_of(resolver, file->directory, true));
	}
	occ_put_u32(numbers, number_of(resolver, file->file, false));
	occ_buffer_append(&bytes, head, sizeof(head));
	occ_buffer_append(&bytes, path, strlen(path));
	occ_field_append(&resolver->closure->fields,
			 contents ? OCC_KEY_INCLUDE_FILE
				  : OCC_KEY_INCLUDE_PRESENT,
			 bytes.data, bytes.size);
	resolver->closure->fields.failed |= bytes.failed;
	resolver->is_relative |= *path != '/';
	occ_buffer_release(&bytes);
	resolver->number++;
}

/*
 * Clang takes a file to be in the directory of the name by which it found it
 * first, be it only that it was there: its includes are searched for from
 * there, too.
 */
static void add_name(struct occ_resolver *resolver, const char *path,
		     const struct occ_closure_file *file, bool contents)
{
	size_t length = strlen(path);
	struct occ_resolver_name *name =
		allocate(resolver, sizeof(*name) + length + 1);
	const struct occ_scan *scan = contents ? file->scan : NULL;
	struct occ_resolver_name *first, *other;

	if (!name)
		return;
	memcpy(name->path, path, length);
	memcpy(name->file, file->file, sizeof(name->file));
	name->scan = scan;
	HASH_FIND(hh, resolver->names, name->file, sizeof(name->file), first);
	if (!first) {
		HASH_ADD(hh, resolver->names, file, sizeof(name->file), name);
		if (IS_LEFT_OUT(name))
			free(name);
		return;
	}
	for (other = first; other && !other->scan; other = other->next)
		if (scan)
			occ_resolver_add_text(resolver, scan, other->path,
					      false);
	if (other && !scan)
		occ_resolver_add_text(resolver, other->scan, name->path, false);
	/* One that was read comes first: those behind it are followed. */
	name->next = first->next;
	first->next = name;
	if (scan && !first->scan)
		first->scan = scan;
}

/* Asks the request for the file; true if it is there. */
static bool look(struct occ_resolver *resolver, const char *path, bool contents)
{
	struct occ_closure_file file;

	switch (resolver->request->look(path, contents, &file,
					resolver->request->look_data)) {
	case OCC_CLOSURE_FOUND:
		add_name(resolver, path, &file, contents);
		add_field(resolver, path, &file, contents);
		if (!contents)
			return true;
		resolver->closure->file_count++;
		if (!is_known(resolver, path, &file))
			occ_resolver_add_text(resolver, file.scan, path, false);
		return true;
	case OCC_CLOSURE_ABSENT:
		occ_buffer_append(&resolver->closure->absent, path,
				  strlen(path) + 1);
		break;
	case OCC_CLOSURE_UNKNOWN:
		occ_resolver_fail(resolver, OCC_REASON_INCLUDE_UNREADABLE);
		break;
	}
	return false;
}

/*
 * Is it there? Looks once, and once more if its contents weren't wanted the
 * first time.
 */
static bool find_path(struct occ_resolver *resolver, const char *path,
		      bool contents)
{
	struct occ_resolver_place *place;
	size_t size = strlen(path);

	if (!occ_resolver_spend(resolver, PATH_COST + size))
		return false;
	HASH_FIND_STR(resolver->places, path, place);
	if (place && (place->contents || !contents))
		return place->found;
	if (HASH_COUNT(resolver->places) == LOOKS_MAX) {
		occ_resolver_fail(resolver, OCC_REASON_INCLUDES_MANY);
		return false;
	}
	if (!place) {
		place = allocate(resolver, sizeof(*place) + size + 1);
		if (!place)
			return false;
		memcpy(place->path, path, size);
		HASH_ADD_KEYPTR(hh, resolver->places, place->path, size, place);
		if (IS_LEFT_OUT(place)) {
			free(place);
			return false;
		}
	}
	place->contents = contents;
	place->found = look(resolver, place->path, contents);
	return place->found;
}

/* Appends "directory/", or nothing for the current one; false: too long. */
static bool append_directory(char path[PATH_MAX_LENGTH + 1], size_t *length,
			     const char *directory)
{
	size_t size;

	/* ".//x" is x, and not "/x". */
	while (directory[0] == '.' && directory[1] == '/')
		directory += 1 + strspn(directory + 1, "/");
	size = strlen(directory);
	if (!size || (size == 1 && *directory == '.'))
		return true;
	if (*length + size + 1 > PATH_MAX_LENGTH)
		return false;
	memcpy(path + *length, directory, size);
	*length += size;
	if (path[*length - 1] != '/')
		path[(*length)++] = '/';
	return true;
}

/* Is the name in the directory, or in `inner` in it, unless that is NULL? */
static bool find_in(struct occ_resolver *resolver, const char *directory,
		    const char *inner, const char *name, size_t length,
		    bool contents)
{
	char path[PATH_MAX_LENGTH + 1];
	size_t at = 0;

	if (!append_directory(path, &at, directory) ||
	    (inner && !append_directory(path, &at, inner)) ||
	    at + length > PATH_MAX_LENGTH) {
		occ_resolver_fail(resolver, OCC_REASON_INCLUDE_PATH);
		return false;
	}
	while (at && length > 2 && name[0] == '.' && name[1] == '/') {
		name += 2;
		length -= 2;
	}
	memcpy(path + at, name, length);
	path[at + length] = '\0';
	return find_path(resolver, path, contents);
}

bool occ_resolver_search(struct occ_resolver *resolver,
			 const struct occ_resolver_text *text, const char *name,
			 size_t length, enum occ_resolver_form form,
			 bool contents)
{
	/* A copy: what is found may move the texts. */
	struct occ_resolver_text from = text ? *text : resolver->texts[0];
	bool embedded = from.embedded && *from.directory;
	bool first = false;

	if (*name == '/')
		return find_in(resolver, "", NULL, name, length, contents);
	if (form != OCC_RESOLVER_ANGLED &&
	    find_in(resolver, from.directory, NULL, name, length, contents))
		first = form == OCC_RESOLVER_QUOTED && !from.embedded;
	for (size_t i = 0; i < resolver->directories.count && !resolver->reason;
	     i++) {
		const char *directory = resolver->directories.items[i];

		if (resolver->own_skipped && i >= resolver->own_first &&
		    i < resolver->own_end)
			continue;
		if (find_in(resolver, directory, NULL, name, length,
			    contents) &&
		    i >= resolver->own_end && form != OCC_RESOLVER_NEXT &&
		    !resolver->directories_uncertain)
			first = true;
		if (embedded && form != OCC_RESOLVER_ANGLED)
			find_in(resolver, directory, from.directory, name,
				length, contents);
	}
	/* Searched last: drivers that have it find other files first. */
	if (resolver->request->here && !first && !resolver->reason)
		find_in(resolver, resolver->request->here, NULL, name, length,
			contents);
	return first;
}

/* Of a table that is gone; each begins with its handle. */
static void free_items(void *item)
{
	while (item) {
		void *next = ((UT_hash_handle *)item)->next;

		free(item);
		item = next;
	}
}

static void release_names(struct occ_resolver *resolver)
{
	struct occ_resolver_name *first = resolver->names;

	HASH_CLEAR(hh, resolver->names);
	while (first) {
		struct occ_resolver_name *following = first->hh.next;

		while (first) {
			struct occ_resolver_name *next = first->next;

			free(first);
			first = next;
		}
		first = following;
	}
}

static void release_strings(struct occ_resolver_strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
}

void occ_resolver_release(struct occ_resolver *resolver)
{
	void *places = resolver->places, *identities = resolver->identities;
	void *numbers = resolver->numbers;

	HASH_CLEAR(hh, resolver->places);
	HASH_CLEAR(hh, resolver->identities);
	HASH_CLEAR(hh, resolver->numbers);
	release_names(resolver);
	free_items(places);
	free_items(identities);
	free_items(numbers);
	for (size_t i = 0; i < resolver->text_count; i++)
		free(resolver->texts[i].directory);
	free(resolver->texts);
	free(resolver->scans);
	free(resolver->macros);
	release_strings(&resolver->macro_texts);
	release_strings(&resolver->directories);
	release_strings(&resolver->files);
	occ_scan_release(resolver->options);
}
