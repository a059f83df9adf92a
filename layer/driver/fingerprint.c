/* SPDX-License-Identifier: MIT */
#include "layer/driver/fingerprint.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache/error.h"
#include "cache/file.h"
#include "cache/state.h"
#include "cache/store.h"
#include "hash/digest.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"

/* Fits in a core's cache. */
#define READ_SIZE      ((size_t)128 << 10)

/* Files up to this size are digested each time if need be. */
#define SMALL_SIZE     ((off_t)1 << 20)

/* Above these an object isn't one that a linker made. */
#define SEGMENTS_MAX   256
#define NOTES_SIZE_MAX 65536

static struct timespec start;

void occ_recall_release(struct occ_recall *memory)
{
	occ_buffer_release(&memory->state);
	occ_buffer_release(&memory->news);
	memory->read = false;
}

void occ_fingerprint_start(void)
{
	/* The clock that file systems use, which is behind the exact one. */
	clock_gettime(CLOCK_REALTIME_COARSE, &start);
}

/* Changed in the tick of our start: that may have been after it. */
bool occ_fingerprint_is_young(const struct stat *status)
{
	return status->st_ctim.tv_sec > start.tv_sec ||
	       (status->st_ctim.tv_sec == start.tv_sec &&
		status->st_ctim.tv_nsec >= start.tv_nsec);
}

bool occ_fingerprint_is_new(const char *path)
{
	struct stat status;

	return stat(path, &status) || occ_fingerprint_is_young(&status);
}

static void append_hex(struct occ_buffer *text, const void *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = data;
	char hex[64];

	while (size) {
		size_t part = size < sizeof(hex) / 2 ? size : sizeof(hex) / 2;

		for (size_t i = 0; i < part; i++) {
			hex[2 * i] = digits[bytes[i] >> 4];
			hex[2 * i + 1] = digits[bytes[i] & 15];
		}
		occ_buffer_append(text, hex, 2 * part);
		bytes += part;
		size -= part;
	}
}

void occ_fingerprint_append_id(struct occ_buffer *text, const void *id,
			       size_t size)
{
	occ_buffer_append(text, "build-id:", 9);
	append_hex(text, id, size);
}

const unsigned char *occ_fingerprint_id(const unsigned char *notes, size_t size,
					size_t *ret_size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name, description;

		memcpy(&note, notes, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		description = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name + description > size - sizeof(note))
			return NULL;
		notes += sizeof(note);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz && !memcmp(notes, "GNU", 4)) {
			*ret_size = note.n_descsz;
			return notes + name;
		}
		notes += name + description;
		size -= sizeof(note) + name + description;
	}
	return NULL;
}

static bool read_at(int fd, void *data, size_t size, uint64_t offset)
{
	return pread(fd, data, size, (off_t)offset) == (ssize_t)size;
}

/* Appends the build-id if it is in this segment. */
static bool append_id_of_segment(int fd, const ElfW(Phdr) * segment,
				 struct occ_buffer *text)
{
	unsigned char *notes;
	const unsigned char *id = NULL;
	size_t size;

	/* Other notes are aligned to 8; build-ids never are. */
	if (segment->p_type != PT_NOTE || segment->p_align > 4 ||
	    segment->p_filesz > NOTES_SIZE_MAX)
		return false;
	notes = malloc(segment->p_filesz + 1);
	if (notes && read_at(fd, notes, segment->p_filesz, segment->p_offset))
		id = occ_fingerprint_id(notes, segment->p_filesz, &size);
	if (id)
		occ_fingerprint_append_id(text, id, size);
	free(notes);
	return id;
}

/* Of an object of this machine's kind; false: it has none, or is no object. */
static bool append_id_of_file(int fd, struct occ_buffer *text)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) * segments;
	bool found = false;
	size_t size;

	if (!read_at(fd, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_phentsize != sizeof(*segments) ||
	    header.e_phnum > SEGMENTS_MAX)
		return false;
	size = header.e_phnum * sizeof(*segments);
	segments = malloc(size + 1);
	if (segments && read_at(fd, segments, size, header.e_phoff))
		for (unsigned i = 0; i < header.e_phnum && !found; i++)
			found = append_id_of_segment(fd, &segments[i], text);
	free(segments);
	return found;
}

static bool digest_of_file(int fd, struct occ_digest *ret_digest)
{
	struct occ_digest_state *state = occ_digest_new(OCC_SEED_CONTENT);
	unsigned char *chunk = malloc(READ_SIZE);
	ssize_t size = -1;

	while (state && chunk && (size = read(fd, chunk, READ_SIZE)) > 0)
		occ_digest_update(state, chunk, (size_t)size);
	occ_digest_finish(state, ret_digest);
	free(chunk);
	return size == 0;
}

/* What must not have changed for a remembered digest to be true. */
static void file_name(const struct stat *status, char *ret_name, size_t size)
{
	snprintf(ret_name, size, "file %llu %llu %lld %lld.%09ld %lld.%09ld",
		 (unsigned long long)status->st_dev,
		 (unsigned long long)status->st_ino, (long long)status->st_size,
		 (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec,
		 (long long)status->st_ctim.tv_sec, status->st_ctim.tv_nsec);
}

bool occ_fingerprint_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

bool occ_recall_find(struct occ_recall *memory, const char *name,
		     unsigned char *ret_value, size_t capacity,
		     size_t *ret_size)
{
	if (!memory->read && occ_stores())
		occ_state_read(occ_stores(), &memory->state);
	memory->read = true;
	return occ_state_find(&memory->state, name, ret_value, capacity,
			      ret_size);
}

void occ_recall_note(struct occ_recall *memory, const char *name,
		     const void *value, size_t size)
{
	occ_state_append(&memory->news, name, value, size);
}

void occ_recall_save(struct occ_recall *memory)
{
	int error = OCC_OK;

	if (memory->news.size && occ_stores_is_written())
		error = occ_state_set_all(occ_stores(), &memory->news);
	if (error)
		occ_log_debug("can't remember the driver's parts in %s: %s",
			      occ_settings.directory, occ_error_string(error));
	occ_buffer_release(&memory->news);
}

static bool remembered(struct occ_recall *memory, const char *name,
		       struct occ_digest *ret_digest)
{
	size_t size;

	return occ_recall_find(memory, name, ret_digest->bytes,
			       sizeof(ret_digest->bytes), &size) &&
	       size == sizeof(ret_digest->bytes);
}

/*
 * A digest that can't be kept would be made again by every process: dearer
 * than most builds save. Worth it for what is small, or only for a read-only
 * store that may have what is wanted.
 */
static bool is_worthwhile(const char *path, const struct stat *status)
{
	uint64_t size = 0;
	int error, reason;

	/* First: the next may have to count all of them. */
	if (status->st_size <= SMALL_SIZE || !occ_stores() ||
	    occ_stores_has_entries())
		return true;
	errno = 0;
	error = occ_store_prepare(occ_stores());
	if (!error)
		return true;
	reason = errno;
	if (!occ_store_measure(occ_stores(), &size) && size)
		return true;
	occ_log_debug("%s has no build-id, and its digest can't be stored in "
		      "%s: %s%s%s",
		      path, occ_settings.directory, occ_error_string(error),
		      error == OCC_E_IO ? ": " : "",
		      error == OCC_E_IO ? strerror(reason) : "");
	return false;
}

/* Digests an open file, and sees to it that nobody changed it meanwhile. */
static bool make_digest(struct occ_recall *memory, int fd, const char *path,
			struct occ_digest *ret_digest)
{
	struct stat before, after;
	char name[160];

	if (fstat(fd, &before) || !S_ISREG(before.st_mode) ||
	    occ_fingerprint_is_young(&before))
		return false;
	file_name(&before, name, sizeof(name));
	/* For a process's own memory, which file it is tells enough. */
	if (!occ_stores_any() || !is_worthwhile(path, &before)) {
		occ_digest(name, strlen(name), OCC_SEED_CONTENT, ret_digest);
		return true;
	}
	if (!digest_of_file(fd, ret_digest) || fstat(fd, &after) ||
	    !occ_fingerprint_is_same(&before, &after))
		return false;
	if (occ_file_is_settled(&before))
		occ_recall_note(memory, name, ret_digest->bytes,
				sizeof(ret_digest->bytes));
	return true;
}

static bool find_digest(struct occ_recall *memory, int fd, const char *path,
			struct occ_digest *ret_digest)
{
	struct stat status;
	char name[160];

	if (fstat(fd, &status))
		return false;
	file_name(&status, name, sizeof(name));
	if (!occ_fingerprint_is_young(&status) &&
	    occ_file_is_settled(&status) &&
	    remembered(memory, name, ret_digest))
		return true;
	return make_digest(memory, fd, path, ret_digest);
}

static enum occ_fingerprint find(struct occ_recall *memory, const char *path,
				 bool is_object, struct occ_buffer *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct occ_digest digest;
	bool found;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return OCC_FINGERPRINT_ABSENT;
	if (fd < 0)
		return OCC_FINGERPRINT_UNKNOWN;
	found = is_object && append_id_of_file(fd, text);
	if (!found && find_digest(memory, fd, path, &digest)) {
		occ_buffer_append(text, "content:", 8);
		append_hex(text, digest.bytes, sizeof(digest.bytes));
		found = true;
	}
	close(fd);
	return found && !text->failed ? OCC_FINGERPRINT_FOUND
				      : OCC_FINGERPRINT_UNKNOWN;
}

enum occ_fingerprint occ_fingerprint_content(struct occ_recall *memory,
					     const char *path,
					     struct occ_buffer *text)
{
	return find(memory, path, false, text);
}

enum occ_fingerprint occ_fingerprint_object(struct occ_recall *memory,
					    const char *path,
					    struct occ_buffer *text)
{
	return find(memory, path, true, text);
}
