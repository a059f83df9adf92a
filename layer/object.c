/* SPDX-License-Identifier: MIT */
#include "layer/object.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache/state.h"
#include "hash/digest.h"
#include "layer/config.h"
#include "layer/disk.h"
#include "layer/log.h"

#define READ_SIZE ((size_t)1 << 20)

struct search {
	uintptr_t address;
	char path[PATH_MAX];
	unsigned char build_id[64];
	size_t build_id_size;
	bool found;
};

/* Looks for the GNU build-id among the notes at `at`. */
static void read_notes(struct search *search, const unsigned char *at,
		       size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name, description;

		memcpy(&note, at, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		description = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name + description > size - sizeof(note))
			return;
		at += sizeof(note);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(at, "GNU", 4) &&
		    note.n_descsz <= sizeof(search->build_id)) {
			memcpy(search->build_id, at + name, note.n_descsz);
			search->build_id_size = note.n_descsz;
			return;
		}
		at += name + description;
		size -= sizeof(note) + name + description;
	}
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && address >= start &&
		    address - start < segment->p_memsz)
			return true;
	}
	return false;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	if (!contains(info, search->address))
		return 0;
	search->found = true;
	snprintf(search->path, sizeof(search->path), "%s",
		 info->dlpi_name ? info->dlpi_name : "");
	for (int i = 0; i < info->dlpi_phnum && !search->build_id_size; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		/* Other notes are aligned to 8; build-ids never are. */
		if (segment->p_type == PT_NOTE && segment->p_align <= 4)
			read_notes(search,
				   (const unsigned char *)(info->dlpi_addr +
							   segment->p_vaddr),
				   segment->p_memsz);
	}
	return 1;
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

/* A file changed within the clock's granularity could change again unseen. */
static bool settled(const struct stat *status)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - status->st_mtim.tv_sec > 2 &&
	       now.tv_sec - status->st_ctim.tv_sec > 2;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool remembered(const char *name, struct occ_digest *ret_digest)
{
	size_t size;

	return occ_disk() &&
	       occ_state_get(occ_disk(), name, ret_digest->bytes,
			     sizeof(ret_digest->bytes), &size) == OCC_OK &&
	       size == sizeof(ret_digest->bytes);
}

/*
 * A digest that can't be kept would be made again by every process: dearer
 * than most builds save. Worth it only for a read-only store that may have
 * what is wanted.
 */
static bool is_worthwhile(const char *path)
{
	int error = OCC_E_NO_DIRECTORY, reason;
	uint64_t size = 0;

	errno = 0;
	if (occ_disk())
		error = occ_store_prepare(occ_disk());
	if (!error)
		return true;
	reason = errno;
	if (occ_disk() && !occ_store_measure(occ_disk(), &size) && size)
		return true;
	occ_log_debug("%s has no build-id, and a digest of it can't be kept "
		      "in %s: %s%s%s",
		      path, occ_config.directory, occ_error_string(error),
		      error == OCC_E_IO ? ": " : "",
		      error == OCC_E_IO ? strerror(reason) : "");
	return false;
}

static bool content_digest(const char *path, struct occ_digest *ret_digest)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat before, after;
	char name[160];
	bool done = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &before) || !S_ISREG(before.st_mode))
		goto out;
	file_name(&before, name, sizeof(name));
	done = settled(&before) && remembered(name, ret_digest);
	if (done || !is_worthwhile(path))
		goto out;
	done = digest_of_file(fd, ret_digest) && !fstat(fd, &after) &&
	       same_file(&before, &after);
	if (done && settled(&before))
		occ_state_set(occ_disk(), name, ret_digest->bytes,
			      sizeof(ret_digest->bytes));
out:
	close(fd);
	return done;
}

bool occ_object_identity(const void *address, struct occ_buffer *identity)
{
	/* On the heap: the stack may be 64 KB. */
	struct search *search = calloc(1, sizeof(*search));
	struct occ_digest digest;
	bool found;

	if (!search)
		return false;
	search->address = (uintptr_t)address;
	dl_iterate_phdr(look_at_object, search);
	found = search->found;
	if (found && search->build_id_size) {
		occ_buffer_append(identity, "build-id:", 9);
		occ_buffer_append(identity, search->build_id,
				  search->build_id_size);
	} else if (found && *search->path == '/' &&
		   content_digest(search->path, &digest)) {
		occ_buffer_append(identity, "content:", 8);
		occ_buffer_append(identity, digest.bytes, sizeof(digest.bytes));
	} else {
		occ_log_debug("can't tell the identity of %s",
			      found ? search->path : "the driver");
		found = false;
	}
	free(search);
	return found && !identity->failed;
}
