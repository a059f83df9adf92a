/* SPDX-License-Identifier: MIT */
#include "cli/replay_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/driver/driver.h"
#include "cache/file.h"
#include "cli/message.h"
#include "cli/placed_path.h"
#include "cli/placed_refusal.h"
#include "cli/record_view.h"
#include "cli/text.h"

/* What is larger isn't recorded (cache/include_files.h). */
#define FILE_MAX     (UINT64_C(64) << 20)

/* Of one build, and of all that aren't here; databases may be anybody's. */
#define FILES_MAX    8192
#define TRIES_MAX    16384
#define CONTENTS_MAX (UINT64_C(256) << 20)

static const struct occ_digest any_name;

/* ---- what is here ---- */

/*
 * Only a file of bytes is opened: there are devices that do something when they
 * are, and pipes that wake others.
 */
static int open_regular(const char *path, struct stat *ret_status)
{
	int place = open(path, O_PATH | O_CLOEXEC), file = -1;
	char *again;

	if (place >= 0 && !fstat(place, ret_status) &&
	    S_ISREG(ret_status->st_mode)) {
		again = occ_text("/proc/self/fd/%d", place);
		file = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		free(again);
	}
	if (place >= 0)
		close(place);
	return file;
}

static bool read_digest(const char *path, struct occ_digest *ret_name)
{
	struct stat status;
	int file = open_regular(path, &status);
	void *bytes = NULL;
	bool good = file >= 0 && (uint64_t)status.st_size <= FILE_MAX;

	if (good) {
		size_t size = (size_t)status.st_size;

		bytes = occ_message_must(malloc(size + 1));
		good = occ_file_read(file, 0, bytes, size) == (ssize_t)size;
		if (good)
			occ_digest(bytes, size, OCC_SEED_NAME, ret_name);
	}
	free(bytes);
	if (file >= 0)
		close(file);
	return good;
}

/* Each path is read once; a name of zeros is of what can't be. */
static const struct occ_digest *digest_here(struct occ_replay_places *places,
					    const char *path)
{
	struct occ_replay_file *seen;

	for (size_t i = 0; i < places->seen_count; i++)
		if (!strcmp(places->seen[i].path, path))
			return &places->seen[i].name;
	places->seen = occ_message_must(
		realloc(places->seen,
			(places->seen_count + 1) * sizeof(*places->seen)));
	seen = &places->seen[places->seen_count++];
	*seen = (struct occ_replay_file){.path = occ_text("%s", path)};
	if (!read_digest(path, &seen->name))
		seen->name = any_name;
	return &seen->name;
}

static bool is_here(struct occ_replay_places *places, const char *path,
		    const struct occ_recorded_file *file)
{
	return !memcmp(digest_here(places, path)->bytes, file->name.bytes,
		       OCC_DIGEST_SIZE);
}

/* ---- contents ---- */

static bool write_bytes(const char *path, struct occ_span bytes)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t done = 0;

	if (file < 0)
		return errno == EEXIST;
	while (done < bytes.size) {
		ssize_t size =
			write(file, bytes.data + done, bytes.size - done);

		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			break;
		done += (size_t)size;
	}
	close(file);
	return done == bytes.size;
}

/*
 * A file of ours that has it, to be freed. NULL with *ret_fault: it isn't in
 * the databases, or no source.
 */
static char *content_file(struct occ_replay_places *places,
			  const struct occ_digest *name, uint64_t size,
			  const char **ret_fault)
{
	const struct occ_record *record =
		occ_records_find(places->records, OCC_FRAME_CONTENT, name);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	char hex[OCC_DIGEST_HEX_SIZE];
	char *path;

	occ_digest_hex(name, hex);
	path = occ_text("%s/content.%s", places->scratch, hex);
	if (!access(path, R_OK))
		return path;
	*ret_fault = "included files are neither here nor in the database";
	if (record && record->size == size && size <= FILE_MAX &&
	    size <= CONTENTS_MAX - places->written &&
	    occ_records_read(places->records, record, &bytes)) {
		*ret_fault =
			occ_placed_content_refusal(occ_buffer_span(&bytes));
		if (!*ret_fault && !write_bytes(path, occ_buffer_span(&bytes)))
			*ret_fault = "there is no room for included files";
		if (!*ret_fault)
			places->written += size;
	}
	occ_buffer_release(&bytes);
	if (!*ret_fault)
		return path;
	free(path);
	return NULL;
}

static char *empty_file(struct occ_replay_places *places)
{
	char *path = occ_text("%s/content.empty", places->scratch);

	write_bytes(path, (struct occ_span){NULL, 0});
	return path;
}

/* ---- what a step needs ---- */

struct step {
	struct occ_replay_places *places;
	struct occ_replay_place *place;
	char *directory;  /* that was the current one, or NULL */
	bool is_absolute; /* it must be so here: files in it are placed there */
};

/* NULL and *ret_path, to be freed; or why it can't be one. */
static const char *take_path(const struct step *step, struct occ_span path,
			     char **ret_path)
{
	char *text, *whole;
	bool relative;

	if (!path.size || path.size >= PATH_MAX ||
	    memchr(path.data, '\0', path.size))
		return "the path of an included file can't be one";
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
		return "included files aren't here, and can't be placed "
		       "without a namespace";
	for (size_t i = 0; i < places->tried_count; i++)
		if (!strcmp(places->tried[i].path, path))
			return places->tried[i].fault;
	if (places->tried_count == TRIES_MAX)
		return "too many included files aren't here";
	fault = occ_placed_files_try(path, content, places->scratch)
			? NULL
			: "included files can't be placed";
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

/* It isn't here: is it to be had, and may it be placed there? */
static const char *place_file(struct step *step, const char *path,
			      const struct occ_recorded_file *file,
			      bool any_content)
{
	struct occ_replay_places *places = step->places;
	char *normal = occ_placed_path_normal(path), *content = NULL;
	const char *fault = occ_placed_path_refusal(normal);

	if (*path == '/' && is_something(path))
		fault = "another file is where an included one was";
	if (!fault)
		content = any_content ? empty_file(places)
				      : content_file(places, &file->name,
						     file->size, &fault);
	if (content)
		fault = try_place(places, normal, content);
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
			    : is_here(step->places, path, file));
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

static bool any_relative(struct occ_span record)
{
	struct occ_recorded_file file;
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(record.data, record.size, &offset, &field) == 1)
		if ((field.id == OCC_BUILD_INCLUDE_FILE ||
		     field.id == OCC_BUILD_INCLUDE_PRESENT) &&
		    occ_recorded_file_parse(occ_field_span(&field), &file) &&
		    file.path.size && *file.path.data != '/')
			return true;
	return false;
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
	struct stat status;

	if (!value.size || value.size >= PATH_MAX ||
	    memchr(value.data, '\0', value.size) || *value.data != '/')
		return NULL;
	step->directory =
		occ_message_must(strndup((const char *)value.data, value.size));
	step->is_absolute = has_directory(step, record);
	if (step->is_absolute ||
	    (!any_relative(record) && !stat(step->directory, &status) &&
	     S_ISDIR(status.st_mode)))
		step->place->directory = occ_text("%s", step->directory);
	if (step->place->directory && has_switches(step->directory))
		return "a driver's switches are in its current directory";
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
