/* SPDX-License-Identifier: MIT */
#include "cli/replay_contents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/placed_path.h"
#include "cli/placed_refusal.h"
#include "cli/text.h"

/* What is larger isn't recorded (cache/include_files.h). */
#define FILE_MAX     (UINT64_C(64) << 20)

/* Of all that aren't here; databases may be anybody's. */
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

bool occ_replay_contents_are_here(struct occ_replay_places *places,
				  const char *path,
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

char *occ_replay_contents_file(struct occ_replay_places *places,
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
			*ret_fault = "there is no space in TMPDIR for included "
				     "files";
		if (!*ret_fault)
			places->written += size;
	}
	occ_buffer_release(&bytes);
	if (!*ret_fault)
		return path;
	free(path);
	return NULL;
}

char *occ_replay_contents_none(struct occ_replay_places *places)
{
	char *path = occ_text("%s/content.empty", places->scratch);

	write_bytes(path, (struct occ_span){NULL, 0});
	return path;
}
