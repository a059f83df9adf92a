/* SPDX-License-Identifier: MIT */
#include "hash/closure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Out of memory is a miss, not the end of the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "hash/macro.h"

/* Places to look at, each a system call or so; programs have some dozens. */
#define LOOKS_MAX	16384
#define PATH_MAX_LENGTH 4095

/*
 * Bytes of the paths of all of them, also of those that were looked at before,
 * and what looking them up, or at a folder, counts as.
 */
#define PATHS_MAX	((size_t)64 << 20)
#define PATH_COST	64
#define FOLDER_COST	4096

/* Computed includes expanded, each again when more is known: some dozens. */
#define EXPANSIONS_MAX	4096

/* Work on all of these together (macro.h); some ten thousands. */
#define MACRO_WORK_MAX	((uint64_t)16 << 20)

static const char out_of_memory[] = "out of memory";
static const char too_much[] = "more includes than are worth following";

/* A place that was looked at. */
struct place {
	UT_hash_handle hh;
	bool contents; /* not for its presence alone */
	char path[];
};

/* A file in a folder, by whatever path: its includes are looked for once. */
struct identity {
	UT_hash_handle hh;
	uint64_t folder[2]; /* the key, with what follows */
	char name[];
};

/* A text whose includes are followed. */
struct node {
	const struct occ_scan *scan;
	char *folder;  /* of the file; "" is the current one */
	bool embedded; /* a header: its folder may be within any other */
};

/* A file or a folder, and the first file found that is it or is in it. */
struct first {
	UT_hash_handle hh;
	uint64_t key[3]; /* device, inode, is a folder */
	uint32_t number;
};

/* A name by which a file was found. */
struct name {
	UT_hash_handle hh;
	uint64_t file[2];	     /* the key: device and inode */
	struct name *next;	     /* of the same file */
	const struct occ_scan *scan; /* NULL: only its presence was wanted */
	char path[];
};

struct strings {
	char **items;
	size_t count;
	size_t capacity;
};

struct walk {
	const struct occ_closure_request *request;
	struct occ_closure *closure;
	struct strings folders;
	size_t own_first; /* the driver's own among them, and what is behind */
	size_t own_end;
	bool own_folders_skipped;
	struct node *nodes;
	size_t node_count;
	size_t node_capacity;
	const struct occ_scan **scans; /* of the nodes and options */
	struct occ_scan *options;
	struct occ_option_macro *macros;
	size_t macro_count;
	size_t macro_capacity;
	bool macros_uncertain;	    /* drivers read an option differently */
	struct strings macro_texts; /* that `macros` point into */
	struct strings files;	    /* -include */
	struct place *places;
	struct identity *identities;
	struct first *firsts;
	struct name *names;
	uint32_t found_count; /* fields so far */
	bool out_of_memory;   /* in a hash table */
	const char *reason;   /* why not */
	size_t searching;     /* the node whose computed include is followed */
	const struct occ_directive *directive; /* the computed one */
	size_t expansions;		       /* of computed includes so far */
	uint64_t macro_work; /* that may still be done on them */
	size_t paths;	     /* their bytes so far */
};

#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) (walk->out_of_memory = true)

/* Of the element itself: another may have been left out before. */
#define IS_LEFT_OUT(element)	     (!(element)->hh.tbl)

static void give_up(struct walk *walk, const char *reason)
{
	if (!walk->reason)
		walk->reason = reason;
}

/* Of a path that is looked at; false and given up when there were too many. */
static bool spend(struct walk *walk, size_t size)
{
	walk->paths += size;
	if (walk->paths > PATHS_MAX)
		give_up(walk, too_much);
	return walk->paths <= PATHS_MAX;
}

/* Room for one more item; false and given up when memory ran out. */
static bool grow(struct walk *walk, void *list, size_t count, size_t *capacity,
		 size_t size)
{
	size_t more = *capacity ? *capacity * 2 : 16;
	void **items = list;
	void *memory;

	if (count < *capacity)
		return true;
	memory = realloc(*items, more * size);
	if (!memory) {
		give_up(walk, out_of_memory);
		return false;
	}
	*items = memory;
	*capacity = more;
	return true;
}

static const char *add_string(struct walk *walk, struct strings *strings,
			      const char *text, size_t length)
{
	char *copy;

	if (!grow(walk, (void *)&strings->items, strings->count,
		  &strings->capacity, sizeof(char *)))
		return NULL;
	copy = strndup(text, length);
	if (!copy)
		give_up(walk, out_of_memory);
	else
		strings->items[strings->count++] = copy;
	return copy;
}

static void release_strings(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
}

static void add_node(struct walk *walk, const struct occ_scan *scan,
		     const char *folder, size_t length, bool embedded)
{
	struct node *node;

	if (!grow(walk, (void *)&walk->nodes, walk->node_count,
		  &walk->node_capacity, sizeof(*node)))
		return;
	node = &walk->nodes[walk->node_count];
	*node = (struct node){scan, strndup(folder, length), embedded};
	if (node->folder)
		walk->node_count++;
	else
		give_up(walk, out_of_memory);
}

/* Length of the path's folder, without the slash but for the root. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return 0;
	return slash == path ? 1 : (size_t)(slash - path);
}

/*
 * Were this folder's file's includes looked for already? From one folder, and
 * the same name, they are the same, by whatever path it was found.
 */
static bool is_known(struct walk *walk, const char *path,
		     const struct occ_closure_file *file)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t size = sizeof(file->folder) + strlen(name);
	struct identity *identity = calloc(1, sizeof(*identity) + size + 1);
	struct identity *known;

	if (!identity) {
		give_up(walk, out_of_memory);
		return true;
	}
	memcpy(identity->folder, file->folder, sizeof(file->folder));
	memcpy(identity->name, name, strlen(name));
	HASH_FIND(hh, walk->identities, identity->folder, size, known);
	if (known) {
		free(identity);
		return true;
	}
	HASH_ADD_KEYPTR(hh, walk->identities, identity->folder, size, identity);
	if (!IS_LEFT_OUT(identity))
		return false;
	free(identity);
	return true;
}

/* The number of the first file with that device and inode, or this one's. */
static uint32_t first_of(struct walk *walk, const uint64_t place[2],
			 bool is_folder)
{
	struct first *first = calloc(1, sizeof(*first)), *known;
	uint32_t number = walk->found_count;

	if (!first) {
		give_up(walk, out_of_memory);
		return 0;
	}
	memcpy(first->key, place, 2 * sizeof(*place));
	first->key[2] = is_folder;
	first->number = number;
	HASH_FIND(hh, walk->firsts, first->key, sizeof(first->key), known);
	if (known) {
		free(first);
		return known->number;
	}
	HASH_ADD(hh, walk->firsts, key, sizeof(first->key), first);
	if (IS_LEFT_OUT(first))
		free(first);
	return number;
}

/* One field, of a file that was found: its contents only if it has some. */
static void add_field(struct walk *walk, enum occ_key_field id,
		      const char *path, const struct occ_closure_file *file)
{
	unsigned char head[OCC_KEY_FILE_HEAD] = {0};
	unsigned char *numbers = head + OCC_KEY_FILE_CONTENT;
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	if (id == OCC_KEY_INCLUDE_FILE) {
		occ_put_u64(head, file->size);
		memcpy(head + 8, file->digests[0].bytes, OCC_DIGEST_SIZE);
		memcpy(head + 24, file->digests[1].bytes, OCC_DIGEST_SIZE);
		occ_put_u32(numbers + 4, first_of(walk, file->folder, true));
	}
	occ_put_u32(numbers, first_of(walk, file->file, false));
	occ_buffer_append(&bytes, head, sizeof(head));
	occ_buffer_append(&bytes, path, strlen(path));
	occ_field_append(&walk->closure->fields, id, bytes.data, bytes.size);
	walk->closure->fields.failed |= bytes.failed;
	occ_buffer_release(&bytes);
	walk->found_count++;
}

/*
 * clang takes a file to be in the folder of the name by which it found it
 * first, be it only that it was there: its includes are looked for from there,
 * too.
 */
static void follow_name(struct walk *walk, const struct name *name,
			const struct occ_scan *scan)
{
	add_node(walk, scan, name->path, folder_length(name->path), false);
}

static void add_name(struct walk *walk, const char *path,
		     const struct occ_closure_file *file, bool contents)
{
	struct name *name = calloc(1, sizeof(*name) + strlen(path) + 1);
	const struct occ_scan *scan = contents ? file->scan : NULL;
	struct name *first, *other;

	if (!name) {
		give_up(walk, out_of_memory);
		return;
	}
	memcpy(name->path, path, strlen(path));
	memcpy(name->file, file->file, sizeof(name->file));
	name->scan = scan;
	HASH_FIND(hh, walk->names, name->file, sizeof(name->file), first);
	if (!first) {
		HASH_ADD(hh, walk->names, file, sizeof(name->file), name);
		if (IS_LEFT_OUT(name))
			free(name);
		return;
	}
	for (other = first; other && !other->scan; other = other->next)
		if (scan)
			follow_name(walk, other, scan);
	if (other && !scan)
		follow_name(walk, name, other->scan);
	/* One that was read comes first: those behind it are followed. */
	name->next = first->next;
	first->next = name;
	if (scan && !first->scan)
		first->scan = scan;
}

static void add_file(struct walk *walk, const char *path,
		     const struct occ_closure_file *file)
{
	add_name(walk, path, file, true);
	add_field(walk, OCC_KEY_INCLUDE_FILE, path, file);
	walk->closure->file_count++;
	if (!is_known(walk, path, file))
		add_node(walk, file->scan, path, folder_length(path), false);
}

static void add_present(struct walk *walk, const char *path,
			const struct occ_closure_file *file)
{
	add_name(walk, path, file, false);
	add_field(walk, OCC_KEY_INCLUDE_PRESENT, path, file);
}

static void look(struct walk *walk, const char *path, bool contents)
{
	struct occ_closure_file file;

	switch (walk->request->look(path, contents, &file,
				    walk->request->look_data)) {
	case OCC_CLOSURE_FOUND:
		if (contents)
			add_file(walk, path, &file);
		else
			add_present(walk, path, &file);
		break;
	case OCC_CLOSURE_ABSENT:
		occ_buffer_append(&walk->closure->absent, path,
				  strlen(path) + 1);
		break;
	case OCC_CLOSURE_UNKNOWN:
		give_up(walk, "an included file can't be read");
		break;
	}
}

/* Once, and once more if its contents weren't wanted the first time. */
static void ask(struct walk *walk, const char *path, bool contents)
{
	struct place *place;
	size_t size = strlen(path);

	if (!spend(walk, PATH_COST + size))
		return;
	HASH_FIND_STR(walk->places, path, place);
	if (place && (place->contents || !contents))
		return;
	if (HASH_COUNT(walk->places) == LOOKS_MAX) {
		give_up(walk, too_much);
		return;
	}
	if (!place) {
		place = calloc(1, sizeof(*place) + size + 1);
		if (!place) {
			give_up(walk, out_of_memory);
			return;
		}
		memcpy(place->path, path, size);
		HASH_ADD_KEYPTR(hh, walk->places, place->path, size, place);
		if (IS_LEFT_OUT(place)) {
			free(place);
			return;
		}
	}
	place->contents = contents;
	look(walk, place->path, contents);
}

/* Appends "folder/", or nothing for the current folder; false: too long. */
static bool append_folder(char path[PATH_MAX_LENGTH + 1], size_t *length,
			  const char *folder)
{
	size_t size;

	/* ".//x" is x, and not "/x". */
	while (folder[0] == '.' && folder[1] == '/')
		folder += 1 + strspn(folder + 1, "/");
	size = strlen(folder);
	if (!size || (size == 1 && *folder == '.'))
		return true;
	if (*length + size + 1 > PATH_MAX_LENGTH)
		return false;
	memcpy(path + *length, folder, size);
	*length += size;
	if (path[*length - 1] != '/')
		path[(*length)++] = '/';
	return true;
}

/* The name in a folder, which may be in another; NULL is none. */
static void ask_in(struct walk *walk, const char *folder, const char *inner,
		   const char *name, size_t length, bool contents)
{
	char path[PATH_MAX_LENGTH + 1];
	size_t at = 0;

	if (!append_folder(path, &at, folder) ||
	    (inner && !append_folder(path, &at, inner)) ||
	    at + length > PATH_MAX_LENGTH) {
		give_up(walk, "the path of an include is too long");
		return;
	}
	while (at && length > 2 && name[0] == '.' && name[1] == '/') {
		name += 2;
		length -= 2;
	}
	memcpy(path + at, name, length);
	path[at + length] = '\0';
	ask(walk, path, contents);
}

/* Wherever a compiler could look for what the node includes. */
static void search(struct walk *walk, const struct node *node, const char *name,
		   size_t length, bool own_folder, bool contents)
{
	/* add_node() may move the nodes. */
	const char *folder = node->folder;
	bool embedded = node->embedded && *folder;

	if (*name == '/') {
		ask_in(walk, "", NULL, name, length, contents);
		return;
	}
	if (own_folder)
		ask_in(walk, folder, NULL, name, length, contents);
	for (size_t i = 0; i < walk->folders.count && !walk->reason; i++) {
		const char *other = walk->folders.items[i];

		if (walk->own_folders_skipped && i >= walk->own_first &&
		    i < walk->own_end)
			continue;
		ask_in(walk, other, NULL, name, length, contents);
		if (embedded && own_folder)
			ask_in(walk, other, folder, name, length, contents);
	}
}

static bool is_computed(const struct occ_directive *directive)
{
	return directive->kind == OCC_DIRECTIVE_COMPUTED ||
	       directive->kind == OCC_DIRECTIVE_COMPUTED_HAS;
}

static bool visit_computed(const char *name, size_t length, bool quoted,
			   void *data)
{
	struct walk *walk = data;
	/* A copy: what is found may move the nodes. */
	struct node node = walk->nodes[walk->searching];

	if (!occ_scan_name_certain(name, length))
		return false;
	search(walk, &node, name, length, quoted || walk->directive->next,
	       walk->directive->kind == OCC_DIRECTIVE_COMPUTED);
	return true;
}

static void follow_directives(struct walk *walk, const struct node *node)
{
	const struct occ_scan *scan = node->scan;

	for (size_t i = 0; i < scan->directive_count && !walk->reason; i++) {
		const struct occ_directive *directive = &scan->directives[i];
		const char *name = occ_scan_name(scan, directive);
		bool has = directive->kind == OCC_DIRECTIVE_HAS;

		if (!has && directive->kind != OCC_DIRECTIVE_INCLUDE)
			continue;
		search(walk, node, name, strlen(name),
		       directive->quoted || directive->next, !has);
	}
}

/* Of the nodes from *at on, which finds more of them. */
static void follow_nodes(struct walk *walk, size_t *at)
{
	for (; *at < walk->node_count && !walk->reason; (*at)++) {
		struct node node = walk->nodes[*at];

		follow_directives(walk, &node);
	}
}

/* All texts as an array, and at its end the options. */
static bool list_scans(struct walk *walk)
{
	const struct occ_scan **scans =
		realloc(walk->scans, (walk->node_count + 1) * sizeof(*scans));

	if (!scans) {
		give_up(walk, out_of_memory);
		return false;
	}
	for (size_t i = 0; i < walk->node_count; i++)
		scans[i] = walk->nodes[i].scan;
	scans[walk->node_count] = walk->options;
	walk->scans = scans;
	return true;
}

/* With the definitions that are known by now. */
static void follow_computed(struct walk *walk)
{
	size_t count = walk->node_count;
	struct occ_macros macros = {
		.scan_count = count,
		.options = walk->macros,
		.option_count = walk->macro_count,
		.work_left = &walk->macro_work,
	};

	if (!list_scans(walk))
		return;
	macros.scans = walk->scans;
	for (size_t n = 0; n < count && !walk->reason; n++) {
		const struct occ_scan *scan = walk->nodes[n].scan;

		for (size_t i = 0; i < scan->directive_count; i++) {
			const struct occ_directive *directive =
				&scan->directives[i];
			const char *reason;

			if (!is_computed(directive))
				continue;
			if (walk->expansions++ == EXPANSIONS_MAX) {
				give_up(walk, too_much);
				return;
			}
			walk->searching = n;
			walk->directive = directive;
			reason = occ_macro_includes(&macros, directive->rest,
						    directive->rest_length,
						    visit_computed, walk);
			if (reason)
				give_up(walk, reason);
		}
	}
}

/* Is there a file of that name anywhere? */
static bool is_present(struct walk *walk, const struct node *node,
		       const char *name)
{
	size_t size = walk->closure->fields.size;

	search(walk, node, name, strlen(name), true, false);
	return walk->closure->fields.size != size;
}

/*
 * A quote in front is how drivers that don't know quotes read a quoted name:
 * for them there is no such file, as a rule.
 */
static void follow_odd_file(struct walk *walk, const struct node *node,
			    const char *name)
{
	bool quote = *name == '"' || *name == '\'';

	if (!quote || strlen(name) > OCC_SCAN_NAME_MAX ||
	    is_present(walk, node, name))
		give_up(walk, "an option names an odd file");
}

/*
 * The files that are read before the source. Some compilers take a precompiled
 * one that stands beside it.
 */
static void follow_files(struct walk *walk)
{
	static const char *const precompiled[] = {".pch", ".gch"};

	for (size_t i = 0; i < walk->files.count; i++) {
		const char *name = walk->files.items[i];
		struct node node = walk->nodes[0];

		if (!occ_scan_name_certain(name, strlen(name)))
			follow_odd_file(walk, &node, name);
		else
			search(walk, &node, name, strlen(name), true, true);
		for (size_t p = 0; p < 2 && !walk->reason; p++) {
			char path[OCC_SCAN_NAME_MAX + sizeof(".pch")];

			snprintf(path, sizeof(path), "%s%s", name,
				 precompiled[p]);
			if (is_present(walk, &node, path))
				give_up(walk, "a precompiled header is there");
		}
	}
}

/*
 * Those that the driver includes by itself, unless it finds others first. Its
 * own are part of its identity.
 */
static void follow_implicit(struct walk *walk)
{
	const char *const *names = walk->request->implicit;
	struct node node = walk->nodes[0];

	walk->own_folders_skipped = true;
	for (; names && *names && !walk->reason; names++)
		search(walk, &node, *names, strlen(*names), true, true);
	walk->own_folders_skipped = false;
}

/* Of the options; none of them is NUL-terminated. */
static bool take_macro(struct walk *walk, const char *text, size_t length,
		       bool undefines)
{
	struct occ_option_macro macro = {NULL, NULL, 0};
	const char *end = text + length;
	const char *equals = memchr(text, '=', length);
	const char *head = equals ? equals : end;
	const char *parameters = memchr(text, '(', (size_t)(head - text));
	const char *name_end = parameters ? parameters : head;
	char *rest;

	if (!grow(walk, (void *)&walk->macros, walk->macro_count,
		  &walk->macro_capacity, sizeof(macro)))
		return false;
	macro.name = add_string(walk, &walk->macro_texts, text,
				(size_t)(name_end - text));
	/* "(x)" in front of " body"; a macro without "=" is 1. */
	macro.rest = add_string(walk, &walk->macro_texts, name_end,
				(size_t)(end - name_end));
	if (!macro.name || !macro.rest)
		return false;
	macro.rest_length = (size_t)(end - name_end);
	rest = walk->macro_texts.items[walk->macro_texts.count - 1];
	if (undefines) {
		macro.rest = NULL;
	} else if (equals) {
		rest[equals - name_end] = ' ';
	} else {
		macro.rest = " 1";
		macro.rest_length = 2;
	}
	walk->macros[walk->macro_count++] = macro;
	return true;
}

/* Gives the folder a number, whether there is one or not. */
static void number_folder(struct walk *walk,
			  const struct occ_closure_file *file)
{
	if (file->file[0] || file->file[1])
		first_of(walk, file->file, true);
	walk->found_count++;
}

/* A file in the place of a folder may be a map of headers (Clang's). */
static bool take_folder(struct walk *walk, const char *path, size_t length)
{
	const struct occ_closure_request *request = walk->request;
	const char *folder = add_string(walk, &walk->folders, path, length);
	struct occ_closure_file file = {0};

	if (!folder || !spend(walk, FOLDER_COST))
		return false;
	if (*folder && request->look(folder, false, &file,
				     request->look_data) != OCC_CLOSURE_ABSENT)
		give_up(walk, "an option names a file as a folder");
	number_folder(walk, &file);
	return !walk->reason;
}

static bool visit_option(enum occ_option_kind kind, const char *argument,
			 size_t length, bool certain, void *data)
{
	struct walk *walk = data;

	switch (kind) {
	case OCC_OPTION_FOLDER:
		return take_folder(walk, argument, length);
	case OCC_OPTION_FILE:
		return add_string(walk, &walk->files, argument, length);
	case OCC_OPTION_DEFINE:
	case OCC_OPTION_UNDEFINE:
		/* Matters only to computed includes. */
		if (!certain) {
			walk->macros_uncertain = true;
			return true;
		}
		return take_macro(walk, argument, length,
				  kind == OCC_OPTION_UNDEFINE);
	}
	return false;
}

static bool take_options(struct walk *walk)
{
	const char *const *folders = walk->request->folders;
	const char *options = walk->request->options;

	if (!options)
		options = "";
	walk->options = occ_scan_make_options(options);
	if (!walk->options)
		give_up(walk, out_of_memory);
	add_string(walk, &walk->folders, "", 0);
	walk->own_first = walk->folders.count;
	for (; folders && *folders; folders++)
		add_string(walk, &walk->folders, *folders, strlen(*folders));
	walk->own_end = walk->folders.count;
	if (!occ_option_walk(options, walk->request->driver, visit_option,
			     walk))
		give_up(walk, "options can't be told apart with certainty");
	return !walk->reason;
}

/* Neither outside the folders searched nor odd. */
static bool is_inside(const char *name)
{
	const char *part = name;

	if (*name == '/' || !occ_scan_name_certain(name, strlen(name)))
		return false;
	while (part) {
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return false;
		part = strchr(part, '/');
		part = part ? part + 1 : NULL;
	}
	return true;
}

static void take_texts(struct walk *walk)
{
	const struct occ_closure_request *request = walk->request;

	add_node(walk, request->source, "", 0, false);
	for (size_t i = 0; i < request->header_count; i++) {
		const char *name = request->headers[i].name;

		if (!is_inside(name))
			give_up(walk, "a header's name isn't a plain path");
		add_node(walk, request->headers[i].scan, name,
			 folder_length(name), true);
	}
}

/*
 * Could the result have the name that the driver gives to the source, or to
 * one of its headers? In an included file __FILE__ is that file, but a macro's
 * is that of its user.
 */
static bool names_source(const struct walk *walk)
{
	size_t own = walk->request->header_count + 1;

	for (size_t i = 0; i < walk->node_count; i++) {
		const struct occ_scan *scan = walk->nodes[i].scan;

		if (i < own ? scan->names_file : scan->macro_names_file)
			return true;
	}
	return walk->options->names_file;
}

/* What any text says, or all of them together. */
static void judge(struct walk *walk)
{
	bool clock = false, reads = false, uncertain = false, pasting = false,
	     assembly = false, pragma = false, pieces = false;
	size_t count = walk->node_count + 1;

	if (!list_scans(walk))
		return;
	walk->closure->names_source = names_source(walk);
	for (size_t i = 0; i < count; i++) {
		const struct occ_scan *scan = walk->scans[i];

		clock |= scan->clock;
		reads |= scan->reads;
		uncertain |= scan->uncertain;
		pasting |= scan->pasting;
		assembly |= scan->assembly;
		pragma |= scan->pragma;
		pieces |= scan->assembly_piece;
	}
	walk->closure->assembly = assembly || (pasting && pieces);
	for (size_t i = 0; i < count; i++) {
		const struct occ_scan *scan = walk->scans[i];

		reads |= assembly && occ_scan_assembly_includes(scan);
		reads |= pragma && occ_scan_pragma_includes(scan);
	}
	if (pasting) {
		unsigned words = occ_scan_pastable(walk->scans, count);

		clock |= (words & OCC_WORD_CLOCK) != 0;
		reads |= (words & OCC_WORD_READS) != 0;
		walk->closure->names_source |= (words & OCC_WORD_FILE) != 0;
	}
	if (reads)
		give_up(walk,
			"source reads files in a way that isn't followed");
	if (clock)
		give_up(walk,
			"source uses __DATE__, __TIME__ or __TIMESTAMP__");
	if (uncertain)
		give_up(walk, "source can't be scanned with certainty");
}

static bool computes(const struct walk *walk)
{
	for (size_t n = 0; n < walk->node_count; n++) {
		const struct occ_scan *scan = walk->nodes[n].scan;

		for (size_t i = 0; i < scan->directive_count; i++)
			if (is_computed(&scan->directives[i]))
				return true;
	}
	return false;
}

/* Until nothing new is found: files may define what includes are made of. */
static void follow(struct walk *walk)
{
	size_t at = 0, before;

	follow_implicit(walk);
	follow_files(walk);
	do {
		follow_nodes(walk, &at);
		before = walk->node_count;
		if (walk->reason || !computes(walk))
			return;
		if (walk->macros_uncertain)
			give_up(walk, "a computed include, and an option that "
				      "drivers read differently");
		else
			follow_computed(walk);
	} while (walk->node_count > before && !walk->reason);
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

static void release_names(struct walk *walk)
{
	struct name *first = walk->names;

	HASH_CLEAR(hh, walk->names);
	while (first) {
		struct name *following = first->hh.next;

		while (first) {
			struct name *next = first->next;

			free(first);
			first = next;
		}
		first = following;
	}
}

static void release_walk(struct walk *walk)
{
	void *places = walk->places, *identities = walk->identities;
	void *firsts = walk->firsts;

	HASH_CLEAR(hh, walk->places);
	HASH_CLEAR(hh, walk->identities);
	HASH_CLEAR(hh, walk->firsts);
	release_names(walk);
	free_items(places);
	free_items(identities);
	free_items(firsts);
	for (size_t i = 0; i < walk->node_count; i++)
		free(walk->nodes[i].folder);
	free(walk->nodes);
	free(walk->scans);
	free(walk->macros);
	release_strings(&walk->macro_texts);
	release_strings(&walk->folders);
	release_strings(&walk->files);
	occ_scan_release(walk->options);
}

const char *occ_closure_make(const struct occ_closure_request *request,
			     struct occ_closure *ret_closure)
{
	struct walk walk = {.request = request,
			    .closure = ret_closure,
			    .macro_work = MACRO_WORK_MAX};

	memset(ret_closure, 0, sizeof(*ret_closure));
	take_texts(&walk);
	if (!walk.reason && take_options(&walk))
		follow(&walk);
	if (!walk.reason)
		judge(&walk);
	if (walk.out_of_memory || ret_closure->absent.failed ||
	    ret_closure->fields.failed)
		walk.reason = out_of_memory;
	release_walk(&walk);
	if (walk.reason)
		occ_closure_release(ret_closure);
	return walk.reason;
}

void occ_closure_add(const struct occ_closure *closure, struct occ_key *key)
{
	occ_key_add_fields(key, &closure->fields);
}

bool occ_closure_equal(const struct occ_closure *a, const struct occ_closure *b)
{
	return a->fields.size == b->fields.size &&
	       !(a->fields.size &&
		 memcmp(a->fields.data, b->fields.data, a->fields.size));
}

void occ_closure_release(struct occ_closure *closure)
{
	occ_buffer_release(&closure->fields);
	occ_buffer_release(&closure->absent);
	closure->file_count = 0;
}
