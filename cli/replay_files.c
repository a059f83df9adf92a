/* SPDX-License-Identifier: MIT */
#include "cli/replay_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/driver/driver.h"
#include "cli/message.h"
#include "cli/placed_path.h"
#include "cli/placed_refusal.h"
#include "cli/record_view.h"
#include "cli/replay_contents.h"
#include "cli/text.h"

/* Of one build, and of all that aren't here; databases may be anybody's. */
#define FILES_MAX 8192
#define TRIES_MAX 16384

static const struct occ_digest any_name;

/* ---- what a step needs ---- */

struct step {
	struct occ_replay_places *places;
	struct occ_replay_place *place;
	char *directory;  /* that was the current one, or NULL */
	bool is_absolute; /* it is so here: files in it are there, or placed */
};

/* NULL and *ret_path, to be freed; or why it can't be one. */
static const char *take_path(const struct step *step, struct occ_span path,
			     char **ret_path)
{
	char *text, *whole;
	bool relative;

	if (!path.size || path.size >= PATH_MAX ||
	    memchr(path.data, '\0', path.size))
		return "the path of an included file is not a valid path";
	text = occ_message_must(strndup((const char *)path.data, path.size));
	relative = *text != '/';
	whole = relative && step->is_absolute
			? occ_text("%s/%s", step->directory, text)
			: occ_text("%s", text);
	free(text);
	*ret_path = whole;
	return NULL;
}

/* Tried alone, once: others that share the process mustn't fail for it. */
static const char *try_place(struct occ_replay_places *places, const char *path,
			     const char *content)
{
	const char *fault;

	if (*path != '/')
		return NULL;
	if (places->possible < 0)
		places->possible = occ_placed_files_possible(places->scratch);
	if (!places->possible)
		return "included files are missing here, and can't be provided "
		       "without a namespace";
	for (size_t i = 0; i < places->tried_count; i++)
		if (!strcmp(places->tried[i].path, path))
			return places->tried[i].fault;
	if (places->tried_count == TRIES_MAX)
		return "too many included files are missing here";
	fault = occ_placed_files_try(path, content, places->scratch)
			? NULL
			: "included files can't be provided";
	places->tried = occ_message_must(
		realloc(places->tried,
			(places->tried_count + 1) * sizeof(*places->tried)));
	places->tried[places->tried_count++] =
		(struct occ_replay_try){occ_text("%s", path), fault};
	return fault;
}

static bool is_there(const char *path)
{
	struct stat status;

	return !stat(path, &status) &&
	       (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

static bool is_something(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

/* Nothing but ".."? Of a path that is as short as can be. */
static bool is_rise(const char *path)
{
	size_t length = strlen(path);

	return length >= 2 && !strcmp(path + length - 2, "..") &&
	       (length == 2 || path[length - 3] == '/');
}

/* A directory that a path leaves again must be there, too. */
static const char *add_way(struct step *step, const char *part)
{
	char *normal, *way;
	struct stat status;
	const char *fault = NULL;

	if (*part == '/' && !lstat(part, &status))
		return S_ISDIR(status.st_mode) ? NULL
					       : "included files are found "
						 "through a symbolic link";
	normal = *part == '/' || !step->directory
			 ? occ_placed_path_normal(part)
			 : occ_placed_path_from(step->directory, part);
	way = occ_text("%s/.", normal);
	/* What is risen to is there. */
	if (*normal && !is_rise(normal)) {
		fault = try_place(step->places, way, "");
		if (!fault &&
		    !occ_replay_place_add(step->place, way, "", &any_name))
			fault = "included files contradict one another";
	}
	free(way);
	free(normal);
	return fault;
}

static const char *add_ways(struct step *step, const char *path)
{
	char *part = occ_text("%s", path);
	const char *fault = NULL;

	for (char *at = part; (at = strstr(at, "/..")) && !fault; at += 3) {
		if (at == part || (at[3] && at[3] != '/'))
			continue;
		*at = '\0';
		fault = add_way(step, part);
		*at = '/';
	}
	free(part);
	return fault;
}

/* Where it was to be put, from the directory; NULL with a fault: nowhere. */
static char *path_from(struct step *step, const char *path,
		       const char **ret_fault)
{
	size_t rises = occ_placed_path_rises(path), levels = 0;
	char *around, *from;

	*ret_fault = NULL;
	if (!step->directory) {
		if (!rises)
			return occ_placed_path_normal(path);
		*ret_fault = "an included file is above the current directory, "
			     "which was not recorded";
		return NULL;
	}
	around = occ_placed_path_normal(step->directory);
	for (const char *at = around; *at; at++)
		levels += *at == '/';
	from = occ_placed_path_from(around, path);
	if (rises > levels)
		*ret_fault = "the path of an included file leads above the "
			     "root directory";
	else if (!*from || from[strlen(from) - 1] == '/')
		*ret_fault =
			"the path of an included file is that of a directory";
	if (rises && !*ret_fault) {
		free(step->place->around);
		step->place->around = around;
		around = NULL;
		if (step->place->rises < rises)
			step->place->rises = rises;
	}
	free(around);
	if (!*ret_fault)
		return from;
	free(from);
	return NULL;
}

/* It isn't here: is it to be had, and may it be placed there? */
static const char *place_file(struct step *step, const char *path,
			      const struct occ_recorded_file *file,
			      bool any_content)
{
	struct occ_replay_places *places = step->places;
	char *normal, *content = NULL;
	const char *fault = NULL;

	normal = *path == '/' ? occ_placed_path_normal(path)
			      : path_from(step, path, &fault);
	if (!fault)
		fault = occ_placed_path_refusal(normal);

	if (*path == '/' && is_something(path))
		fault = "a different file is in the place of an included one";
	if (!fault)
		content =
			any_content
				? occ_replay_contents_none(places)
				: occ_replay_contents_file(places, &file->name,
							   file->size, &fault);
	if (content)
		fault = try_place(places, normal, content);
	if (!fault)
		fault = add_ways(step, path);
	if (!fault &&
	    !occ_replay_place_add(step->place, normal, content,
				  any_content ? &any_name : &file->name))
		fault = "included files contradict one another";
	free(normal);
	free(content);
	return fault;
}

/* NULL; or why not: nothing is looked at before its path is known to be good.
 */
static const char *find_file(struct step *step, const char *path,
			     const struct occ_recorded_file *file,
			     bool any_content)
{
	const char *fault = occ_placed_path_fault(path);
	bool here;

	if (fault)
		return fault;
	here = *path == '/' &&
	       (any_content ? is_there(path)
			    : occ_replay_contents_are_here(step->places, path,
							   file));
	if (!here)
		return place_file(step, path, file, any_content);
	return occ_replay_place_add(step->place, path, NULL,
				    any_content ? &any_name : &file->name)
		       ? NULL
		       : "included files contradict one another";
}

static const char *add_file(struct step *step, struct occ_span payload,
			    bool any_content, char **ret_detail)
{
	struct occ_recorded_file file;
	const char *fault;
	char *path = NULL;

	if (!occ_recorded_file_parse(payload, &file))
		return "its record is damaged";
	if (step->place->count == FILES_MAX)
		return "it includes too many files";
	fault = take_path(step, file.path, &path);
	if (fault)
		return fault;
	fault = find_file(step, path, &file, any_content);
	if (fault)
		*ret_detail = path;
	else
		free(path);
	return fault;
}

static bool has_path(struct occ_span payload, const char *path)
{
	struct occ_recorded_file file;

	return occ_recorded_file_parse(payload, &file) &&
	       file.path.size == strlen(path) &&
	       !memcmp(file.path.data, path, file.path.size);
}

/* Is the current directory's own path among the files? */
static bool has_directory(const struct step *step, struct occ_span record)
{
	struct occ_span value;
	size_t offset = 0;

	while (occ_record_next(record, OCC_BUILD_INCLUDE_PRESENT, &offset,
			       &value))
		if (has_path(value, step->directory))
			return true;
	return false;
}

/*
 * Of those by relative paths: are there any, and are all in the directory as
 * they were recorded?
 */
static bool any_relative(struct step *step, struct occ_span record,
			 bool *ret_here)
{
	struct occ_recorded_file file;
	struct occ_field field;
	size_t offset = 0, count = 0;

	*ret_here = true;
	while (occ_field_next(record.data, record.size, &offset, &field) == 1) {
		bool any_content = field.id == OCC_BUILD_INCLUDE_PRESENT;
		char *path;

		if ((field.id != OCC_BUILD_INCLUDE_FILE && !any_content) ||
		    !occ_recorded_file_parse(occ_field_span(&field), &file) ||
		    !file.path.size || *file.path.data == '/')
			continue;
		if (++count > FILES_MAX || !*ret_here) {
			*ret_here = false;
			continue;
		}
		path = occ_text("%s/%.*s", step->directory, (int)file.path.size,
				(const char *)file.path.data);
		*ret_here =
			!occ_placed_path_fault(path) &&
			(any_content
				 ? is_there(path)
				 : occ_replay_contents_are_here(step->places,
								path, &file));
		free(path);
	}
	return count > 0;
}

/* A driver may read its switches there: nobody built so, then. */
static bool has_switches(const char *directory)
{
	const struct occ_driver *driver;
	bool has = false;

	for (size_t i = 0; !has && (driver = occ_driver_at(i)); i++)
		for (const char *const *name = driver->switches_files;
		     name && *name && !has; name++) {
			char *path = occ_text("%s/%s", directory, *name);

			has = is_something(path);
			free(path);
		}
	return has;
}

/*
 * Where it was matters when the driver may look by that path. NULL, or why that
 * can't be the current one.
 */
static const char *find_directory(struct step *step, struct occ_span record)
{
	struct occ_span value = occ_record_text(record, OCC_BUILD_DIRECTORY);
	bool any, here, is_there_still;
	struct stat status;

	if (!value.size || value.size >= PATH_MAX ||
	    memchr(value.data, '\0', value.size) || *value.data != '/')
		return NULL;
	step->directory =
		occ_message_must(strndup((const char *)value.data, value.size));
	any = any_relative(step, record, &here);
	is_there_still = here && !stat(step->directory, &status) &&
			 S_ISDIR(status.st_mode);
	step->is_absolute =
		has_directory(step, record) ||
		(any && is_there_still && !has_switches(step->directory));
	step->place->is_bound = step->is_absolute;
	if (step->is_absolute || (!any && is_there_still))
		step->place->directory = occ_text("%s", step->directory);
	if (step->place->directory && has_switches(step->directory))
		return "its current directory contains a driver's settings";
	return NULL;
}

const char *occ_replay_files_add(struct occ_replay_places *places,
				 struct occ_span record,
				 struct occ_replay_place *place,
				 char **ret_detail)
{
	struct step step = {.places = places, .place = place};
	const char *fault;
	struct occ_field field;
	size_t offset = 0;

	free(place->directory);
	place->directory = NULL;
	fault = find_directory(&step, record);
	while (!fault &&
	       occ_field_next(record.data, record.size, &offset, &field) == 1)
		if (field.id == OCC_BUILD_INCLUDE_FILE)
			fault = add_file(&step, occ_field_span(&field), false,
					 ret_detail);
		else if (field.id == OCC_BUILD_INCLUDE_PRESENT &&
			 !(step.is_absolute &&
			   has_path(occ_field_span(&field), step.directory)))
			fault = add_file(&step, occ_field_span(&field), true,
					 ret_detail);
	free(step.directory);
	return fault;
}
