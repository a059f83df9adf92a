/* SPDX-License-Identifier: MIT */
#include "layer/driver/driver_files.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"
#include "hash/digest.h"
#include "layer/base/log.h"
#include "layer/driver/current_directory.h"
#include "layer/driver/driver_components.h"
#include "layer/driver/fingerprint.h"
#include "layer/driver/library_place.h"
#include "layer/driver/library_search.h"
#include "layer/driver/program_search.h"
#include "layer/driver/refused_files.h"
#include "layer/driver/stat_snapshot.h"

/* A library that components mean, and where it is. */
struct place {
	const struct occ_library *library;
	struct occ_library_place at;
};

/* What a driver's parts follow from. */
struct occ_driver_files {
	char *platform;
	bool is_listed; /* its traits needn't be learnt */
	/* Without a record: none. */
	const struct occ_component *components;
	struct occ_libraries *libraries;
	struct place *places;
	size_t place_count;
	/* Where what it loads by name is looked for; empty: nothing is. */
	struct occ_library_search search;
	/* Where PATH leads to, by component; NULL: nowhere. */
	char **programs;
	struct occ_digest premises;
};

static void add_object(const char *path, const struct occ_libraries *libraries,
		       struct occ_driver_components *components)
{
	const char *file = basename(path);
	const struct occ_library *loaded = occ_libraries_find(libraries, file);

	/* What is loaded may have been replaced on the disk since. */
	if (loaded && loaded->id.size)
		occ_driver_components_add_id(components, file, loaded->id);
	else
		occ_driver_components_add_object(components, file, path);
}

static int by_file(const void *a, const void *b)
{
	const char *first = *(char *const *)a, *second = *(char *const *)b;
	int order = strcmp(basename(first), basename(second));

	return order ? order : strcmp(first, second);
}

/* Adds what matches from there; is there something? */
static bool add_matches(const struct occ_component *component,
			const char *directory,
			const struct occ_libraries *libraries,
			struct occ_driver_components *components)
{
	struct occ_matches found;
	bool any;

	occ_stat_snapshot_match(&components->snapshot, directory,
				component->pattern, &found);
	components->failed |= found.failed;
	any = found.count && !found.failed;
	if (any)
		qsort(found.paths, found.count, sizeof(char *), by_file);
	if (any && component->kind == OCC_COMPONENT_GROUP)
		occ_driver_components_add_group(components, component->pattern,
						found.paths, found.count);
	for (size_t i = 0; any && i < found.count; i++) {
		const char *path = found.paths[i];

		if (component->kind == OCC_COMPONENT_FILES)
			occ_driver_components_add_content(components,
							  basename(path), path);
		else if (component->kind != OCC_COMPONENT_GROUP)
			add_object(path, libraries, components);
	}
	occ_matches_release(&found);
	return any;
}

static bool is_meant(const struct occ_component *component,
		     const struct occ_library *library)
{
	return library->chosen && component->library &&
	       !strncmp(library->file, component->library,
			strlen(component->library));
}

static bool find_places(struct occ_driver_files *files)
{
	const struct occ_libraries *libraries = files->libraries;

	files->places =
		calloc(libraries->count + (size_t)1, sizeof(struct place));
	if (!files->places)
		return false;
	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];
		const struct occ_component *component = files->components;
		struct place *place = &files->places[files->place_count];

		while (component->pattern && !is_meant(component, library))
			component++;
		if (!component->pattern)
			continue;
		place->library = library;
		occ_library_place_find(library->path, &place->at);
		files->place_count++;
	}
	return true;
}

/* False: out of memory. */
static bool find_search(struct occ_driver_files *files)
{
	const struct occ_component *component = files->components;

	while (component->pattern && component->kind < OCC_COMPONENT_NAMED)
		component++;
	if (component->pattern && files->place_count)
		occ_library_search_take(files->places[0].library->path,
					&files->search);
	return !files->search.directories.failed;
}

static bool find_programs(struct occ_driver_files *files,
			  const char *search_path)
{
	size_t count = 0;

	while (files->components[count].pattern)
		count++;
	files->programs = calloc(count + 1, sizeof(*files->programs));
	for (size_t i = 0; files->programs && i < count; i++)
		if (files->components[i].kind == OCC_COMPONENT_PROGRAM)
			files->programs[i] = occ_program_search_find(
				files->components[i].pattern, search_path);
	return files->programs;
}

static void add_program(const char *name, const char *path,
			struct occ_driver_components *components)
{
	if (path)
		occ_driver_components_add_object(components, name, path);
	else
		occ_driver_components_add_absent(components, name);
}

/* Adds what is beside the libraries; false: nothing is. */
static bool add_beside(const struct occ_component *component,
		       const struct occ_driver_files *files,
		       struct occ_driver_components *components,
		       bool *ret_has_libraries)
{
	bool any = false;

	*ret_has_libraries = false;
	for (size_t i = 0; i < files->place_count; i++) {
		const struct place *place = &files->places[i];
		const char *directory = place->at.directory;
		const char *real = place->at.real_directory;

		if (!is_meant(component, place->library))
			continue;
		*ret_has_libraries = true;
		if (*component->pattern == '/')
			continue;
		if (directory)
			any |= add_matches(component, directory,
					   files->libraries, components);
		if (real && (!directory || strcmp(directory, real) != 0))
			any |= add_matches(component, real, files->libraries,
					   components);
	}
	if (*component->pattern == '/')
		any = add_matches(component, "", files->libraries, components);
	return any;
}

/* As fnmatch(3), which takes its time. */
static bool matches(const char *pattern, const char *name)
{
	return !strncmp(pattern, name, strcspn(pattern, "*?[\\")) &&
	       !fnmatch(pattern, name, 0);
}

/* Is it one that would otherwise be looked for on the disk? */
static bool is_object_of(const struct occ_component *component,
			 const struct occ_library *library)
{
	const char *pattern = basename(component->pattern);

	return (component->kind == OCC_COMPONENT_OBJECTS ||
		component->kind >= OCC_COMPONENT_NAMED) &&
	       (matches(pattern, library->file) ||
		matches(pattern, library->name));
}

/* Adds what is loaded by such names, or would be; is there something? */
static bool add_by_name(const struct occ_component *component,
			const struct occ_driver_files *files,
			struct occ_driver_components *components)
{
	const struct occ_libraries *libraries = files->libraries;
	struct occ_buffer paths = OCC_BUFFER_INIT;
	bool strict = component->kind != OCC_COMPONENT_NAMED_OR_BESIDE;
	bool any = false;

	for (size_t i = 0; i < libraries->count; i++)
		if (is_object_of(component, &libraries->list[i])) {
			add_object(libraries->list[i].path, libraries,
				   components);
			any = true;
		}
	if (!occ_library_search_find(&files->search, component->pattern,
				     &components->snapshot, &paths) &&
	    strict) {
		occ_log_debug("can't tell which %s is loaded",
			      component->pattern);
		components->failed = true;
	}
	occ_driver_files_add_paths((const char *)paths.data, paths.size,
				   libraries, components);
	any |= paths.size > 0;
	occ_buffer_release(&paths);
	components->failed |=
		any && component->kind == OCC_COMPONENT_NAMED_REFUSED;
	if (component->required && !any && strict) {
		occ_log_debug("can't find %s, which %s uses to compile",
			      component->pattern, files->platform);
		components->failed = true;
	}
	return any;
}

static void add_all(const struct occ_driver_files *files,
		    struct occ_driver_components *components)
{
	bool required = false, found = false;

	for (size_t i = 0; files->components[i].pattern; i++) {
		const struct occ_component *component = &files->components[i];
		bool has_libraries, any = false;

		if (component->kind == OCC_COMPONENT_PROGRAM)
			add_program(component->pattern, files->programs[i],
				    components);
		if (component->kind == OCC_COMPONENT_PROGRAM ||
		    component->kind == OCC_COMPONENT_HERE ||
		    component->kind == OCC_COMPONENT_REFUSED)
			continue;
		if (component->kind >= OCC_COMPONENT_NAMED &&
		    files->place_count)
			any = add_by_name(component, files, components);
		if (component->kind == OCC_COMPONENT_NAMED ||
		    component->kind == OCC_COMPONENT_NAMED_REFUSED)
			continue;
		any |= add_beside(component, files, components, &has_libraries);
		required |= component->required && has_libraries;
		found |= component->required && any;
	}
	if (required && !found) {
		occ_log_debug("can't find the compiler of %s", files->platform);
		components->failed = true;
	}
}

static void append(struct occ_buffer *text, const char *string)
{
	occ_buffer_append(text, string ? string : "",
			  string ? strlen(string) + 1 : 1);
}

static void append_component(struct occ_buffer *text, size_t number,
			     const struct occ_driver_files *files)
{
	const struct occ_component *component = &files->components[number];
	const struct occ_libraries *libraries = files->libraries;
	const unsigned char kind = (unsigned char)component->kind;

	append(text, component->library);
	append(text, component->pattern);
	occ_buffer_append(text, &kind, sizeof(kind));
	append(text, files->programs[number]);
	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (!is_object_of(component, library))
			continue;
		append(text, library->path);
		append(text, library->name);
		occ_fingerprint_append_id(text, library->id.data,
					  library->id.size);
	}
}

/*
 * All that decides which files are looked at, and what isn't looked at because
 * it is loaded. False: out of memory.
 */
static bool digest_premises(struct occ_driver_files *files)
{
	const struct occ_libraries *libraries = files->libraries;
	struct occ_buffer text = OCC_BUFFER_INIT;
	bool done;

	append(&text, files->platform);
	for (size_t i = 0; files->components[i].pattern; i++)
		append_component(&text, i, files);
	for (size_t i = 0; i < files->place_count; i++) {
		append(&text, files->places[i].library->file);
		append(&text, files->places[i].at.directory);
		append(&text, files->places[i].at.real_directory);
	}
	append(&text, "");
	occ_buffer_append(&text, files->search.directories.data,
			  files->search.directories.size);
	append(&text, files->search.unclear ? "unclear" : "");
	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (!library->chosen || library->id.size)
			continue;
		append(&text, library->name);
		append(&text, library->path);
	}
	done = !text.failed;
	if (done)
		occ_digest(text.data, text.size, OCC_SEED_CONTENT,
			   &files->premises);
	occ_buffer_release(&text);
	return done;
}

/* Every process has current directories of its own: never remembered. */
void occ_driver_files_add_here(const struct occ_driver_files *files,
			       struct occ_driver_components *components)
{
	occ_current_directory_add(files->components, components);
	components->failed |= occ_refused_files_seen(files->components);
	for (const struct occ_component *component = files->components;
	     component->pattern; component++)
		components->failed |=
			component->kind == OCC_COMPONENT_NAMED_OR_BESIDE &&
			occ_library_search_is_here(&files->search,
						   component->pattern);
}

bool occ_driver_files_is_here(const struct occ_driver_files *files)
{
	struct occ_driver_components components = OCC_DRIVER_COMPONENTS_INIT;
	bool is_here;

	occ_driver_files_add_here(files, &components);
	is_here = components.parts.size || components.failed;
	occ_driver_components_release(&components);
	return is_here;
}

struct occ_driver_files *occ_driver_files_ask(const char *platform_name,
					      struct occ_libraries *libraries,
					      const char *search_path)
{
	static const struct occ_component none[1];
	const struct occ_driver *driver = occ_driver_of_platform(platform_name);
	struct occ_driver_files *files = calloc(1, sizeof(*files));

	if (!files) {
		occ_libraries_release(libraries);
		return NULL;
	}
	files->libraries = libraries;
	files->is_listed = driver && !driver->learnt;
	files->components =
		driver && driver->components ? driver->components : none;
	files->platform = strdup(platform_name);
	if (files->platform && find_places(files) && find_search(files) &&
	    find_programs(files, search_path) && digest_premises(files))
		return files;
	occ_driver_files_release(files);
	return NULL;
}

bool occ_driver_files_is_current(const struct occ_driver_files *files,
				 const struct occ_driver_components *components)
{
	const struct occ_buffer *missing = &files->libraries->missing;
	struct occ_libraries *newer = occ_libraries_newer(files->libraries);
	bool current = newer;

	for (size_t i = 0; newer && i < newer->count; i++) {
		const struct occ_library *library = &newer->list[i];
		const struct occ_component *one = files->components;

		while (one->pattern && !is_object_of(one, library))
			one++;
		/* Without an id its file's content counts, loaded or not. */
		if (library->id.size && one->pattern)
			current &= occ_driver_components_has_id(components,
								library->file,
								library->id);
		current &= !occ_buffer_has_string(missing, library->file) &&
			   !occ_buffer_has_string(missing, library->name) &&
			   !occ_buffer_has_string(missing, library->path);
	}
	occ_libraries_release(newer);
	return current;
}

void occ_driver_files_release(struct occ_driver_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->place_count; i++)
		occ_library_place_release(&files->places[i].at);
	for (size_t i = 0; files->programs && files->components[i].pattern; i++)
		free(files->programs[i]);
	free(files->programs);
	free(files->places);
	occ_library_search_release(&files->search);
	occ_libraries_release(files->libraries);
	free(files->platform);
	free(files);
}

const struct occ_digest *occ_driver_files_premises(
	const struct occ_driver_files *files)
{
	return &files->premises;
}

const struct occ_libraries *occ_driver_files_libraries(
	const struct occ_driver_files *files)
{
	return files->libraries;
}

bool occ_driver_files_recall(const struct occ_driver_files *files,
			     struct occ_driver_components *components)
{
	return occ_driver_components_recall(components, &files->premises);
}

void occ_driver_files_read(const struct occ_driver_files *files,
			   struct occ_driver_components *components)
{
	const struct occ_libraries *libraries = files->libraries;
	size_t from = components->parts.size;

	/* Of libraries without an id the content counts. */
	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (library->chosen && !library->id.size &&
		    occ_driver_components_add_content(components, library->name,
						      library->path) !=
			    OCC_FINGERPRINT_FOUND)
			components->failed = true;
	}
	add_all(files, components);
	/* Of others also that there is nothing: they aren't new any more. */
	if (components->snapshot.paths.size || !files->is_listed)
		occ_driver_components_remember(components, &files->premises,
					       from);
}

void occ_driver_files_add_paths(const char *paths, size_t size,
				const struct occ_libraries *libraries,
				struct occ_driver_components *components)
{
	for (const char *path = paths; path < paths + size;
	     path += strlen(path) + 1)
		add_object(path, libraries, components);
}
