/* SPDX-License-Identifier: MIT */
#include "cli/replay_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/placed_path.h"
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

static bool read_digest(const char *path, struct occ_digest *ret_name)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *bytes = NULL;
	bool good = file >= 0 && !fstat(file, &status) &&
		    S_ISREG(status.st_mode) &&
		    (uint64_t)status.st_size <= FILE_MAX;

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

/* A file of ours that has it, to be freed; NULL: it isn't in the databases. */
static char *content_file(struct occ_replay_places *places,
			  const struct occ_digest *name, uint64_t size)
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
	if (record && record->size == size && size <= FILE_MAX &&
	    size <= CONTENTS_MAX - places->written &&
	    occ_records_read(places->records, record, &bytes) &&
	    write_bytes(path, occ_buffer_span(&bytes))) {
		occ_buffer_release(&bytes);
		places->written += size;
		return path;
	}
	occ_buffer_release(&bytes);
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

/* It isn't here: is it to be had, and may it be placed there? */
static const char *place_file(struct step *step, const char *path,
			      const struct occ_recorded_file *file,
			      bool any_content)
{
	struct occ_replay_places *places = step->places;
	char *normal, *content;
	const char *fault = occ_placed_path_fault(path);

	if (fault)
		return fault;
	content = any_content ? empty_file(places)
			      : content_file(places, &file->name, file->size);
	if (!content)
		return "included files are neither here nor in the database";
	normal = occ_placed_path_normal(path);
	fault = try_place(places, normal, content);
	if (!fault &&
	    !occ_replay_place_add(step->place, normal, content,
				  any_content ? &any_name : &file->name))
		fault = "included files contradict one another";
	free(normal);
	free(content);
	return fault;
}

static const char *add_file(struct step *step, struct occ_span payload,
			    bool any_content, char **ret_detail)
{
	struct occ_recorded_file file;
	const char *fault;
	char *path = NULL;
	bool here;

	if (!occ_recorded_file_parse(payload, &file))
		return "its record is damaged";
	if (step->place->count == FILES_MAX)
		return "it includes too many files";
	fault = take_path(step, file.path, &path);
	if (fault)
		return fault;
	here = *path == '/' &&
	       (any_content ? !access(path, F_OK)
			    : is_here(step->places, path, &file));
	if (here && !occ_replay_place_add(step->place, path, NULL,
					  any_content ? &any_name : &file.name))
		fault = "included files contradict one another";
	else if (!here)
		fault = place_file(step, path, &file, any_content);
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

/* Where it was matters when the driver may look by that path. */
static void find_directory(struct step *step, struct occ_span record)
{
	struct occ_span value = occ_record_text(record, OCC_BUILD_DIRECTORY);
	struct stat status;

	if (!value.size || value.size >= PATH_MAX ||
	    memchr(value.data, '\0', value.size) || *value.data != '/')
		return;
	step->directory =
		occ_message_must(strndup((const char *)value.data, value.size));
	step->is_absolute = has_directory(step, record);
	if (step->is_absolute ||
	    (!any_relative(record) && !stat(step->directory, &status) &&
	     S_ISDIR(status.st_mode)))
		step->place->directory = occ_text("%s", step->directory);
}

const char *occ_replay_files_add(struct occ_replay_places *places,
				 struct occ_span record,
				 struct occ_replay_place *place,
				 char **ret_detail)
{
	struct step step = {.places = places, .place = place};
	const char *fault = NULL;
	struct occ_field field;
	size_t offset = 0;

	free(place->directory);
	place->directory = NULL;
	find_directory(&step, record);
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
