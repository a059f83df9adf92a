/* SPDX-License-Identifier: MIT */
#include "cache/glance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/code.h"
#include "cache/file.h"

/* Key and metadata of most entries are in it. */
#define FIRST_READ    ((size_t)8 << 10)

/* (S12) Logs are long, but not as long. */
#define SIZE_MAX_SEEN ((uint64_t)64 << 20)

static bool grow(struct occ_glance *glance, size_t size)
{
	unsigned char *memory;

	if (size <= glance->capacity)
		return true;
	memory = realloc(glance->memory, size);
	if (!memory)
		return false;
	glance->memory = memory;
	glance->capacity = size;
	return true;
}

static int check(int file, bool or_roots, struct stat *ret_status)
{
	if (occ_file_status(file, ret_status) < 0)
		return OCC_E_IO;
	if (!S_ISREG(ret_status->st_mode) ||
	    !occ_file_is_trusted(ret_status, or_roots))
		return OCC_E_FORBIDDEN;
	return OCC_OK;
}

static uint64_t end_of(const struct occ_entry_part *part)
{
	return part->offset + part->size;
}

/* Makes sure that `end` bytes of the file are in memory, `have` are. */
static int read_up_to(int file, struct occ_glance *glance, size_t have,
		      uint64_t end)
{
	size_t more;

	if (end <= have)
		return OCC_OK;
	if (end > SIZE_MAX_SEEN)
		return OCC_E_TOO_LARGE;
	if (!grow(glance, (size_t)end))
		return OCC_E_MEMORY;
	more = (size_t)end - have;
	if (occ_file_read(file, have, glance->memory + have, more) !=
	    (ssize_t)more)
		return OCC_E_IO;
	return OCC_OK;
}

/* Not beyond the end: that would be another read, for nothing. */
static size_t first_size(const struct occ_glance *glance)
{
	uint64_t size = (uint64_t)glance->status.st_size;

	return size < FIRST_READ ? (size_t)size : FIRST_READ;
}

/* 0: there is none, or it can't be read. */
static uint32_t code_maker(int file, const struct occ_entry_part *part)
{
	unsigned char head[OCC_CODE_HEAD_SIZE];

	if (part->size <= sizeof(head) ||
	    occ_file_read(file, part->offset, head, sizeof(head)) !=
		    (ssize_t)sizeof(head))
		return 0;
	return occ_get_u32(head);
}

static int look(int file, struct occ_glance *glance)
{
	struct occ_entry_parts parts;
	ssize_t count;
	uint64_t end;
	int error;

	if (!grow(glance, FIRST_READ))
		return OCC_E_MEMORY;
	count = occ_file_read(file, 0, glance->memory, first_size(glance));
	if (count < 0)
		return OCC_E_IO;
	error = occ_entry_find_parts(glance->memory, (size_t)count,
				     (uint64_t)glance->status.st_size, &parts);
	if (error)
		return error;
	end = end_of(&parts.key);
	if (end_of(&parts.metadata) > end)
		end = end_of(&parts.metadata);
	error = read_up_to(file, glance, (size_t)count, end);
	if (error)
		return error;
	glance->entry = (struct occ_entry){
		.hash = parts.hash,
		.key = {glance->memory + parts.key.offset,
			(size_t)parts.key.size},
		.metadata = {glance->memory + parts.metadata.offset,
			     (size_t)parts.metadata.size},
		.binary = {NULL, (size_t)parts.binary.size},
	};
	glance->code_maker = code_maker(file, &parts.code);
	return OCC_OK;
}

static int open_error(void)
{
	if (errno == ENOENT)
		return OCC_E_NOT_FOUND;
	return errno == ELOOP || errno == ENXIO || errno == EACCES ||
			       errno == EPERM
		       ? OCC_E_FORBIDDEN
		       : OCC_E_IO;
}

int occ_glance_read(int directory, const char *name, bool or_roots,
		    struct occ_glance *glance)
{
	int file = occ_file_open(directory, name, O_RDONLY), error;

	memset(&glance->status, 0, sizeof(glance->status));
	if (file < 0)
		return open_error();
	error = check(file, or_roots, &glance->status);
	if (!error)
		error = look(file, glance);
	occ_file_close(file);
	return error;
}

void occ_glance_release(struct occ_glance *glance)
{
	free(glance->memory);
	*glance = (struct occ_glance)OCC_GLANCE_INIT;
}
