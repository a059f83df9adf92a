/* SPDX-License-Identifier: MIT */
#include "cli/nvidia/computecache.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* u32, u64 size of the key, u64 of the data, 8 bytes of a checksum. */
#define HEAD_SIZE     28
#define AT_KEY_SIZE   4
#define AT_DATA_SIZE  12

/* Of an ELF file's header. */
#define ELF_SIZE      64
#define AT_MACHINE    18
#define MACHINE_CUDA  190

#define FILE_SIZE_MAX ((long)256 << 20)

/* nftw() has no place for it. */
static struct {
	struct occ_span ptx;
	struct occ_buffer *code;
	unsigned found;
	bool failed;
} search;

static bool read_file(const char *path, struct occ_buffer *ret_bytes)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = NULL;
	long size = -1;

	if (!file)
		return false;
	if (!fseek(file, 0, SEEK_END))
		size = ftell(file);
	rewind(file);
	if (size > HEAD_SIZE && size <= FILE_SIZE_MAX)
		bytes = malloc((size_t)size);
	if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
		occ_buffer_append(ret_bytes, bytes, (size_t)size);
	free(bytes);
	fclose(file);
	return ret_bytes->size > 0;
}

/* The key's and the data's part of a file. */
static bool split(const struct occ_buffer *file, struct occ_span *ret_key,
		  struct occ_span *ret_data)
{
	uint64_t rest = file->size - HEAD_SIZE;
	uint64_t key_size = occ_get_u64(file->data + AT_KEY_SIZE);

	if (key_size > rest ||
	    occ_get_u64(file->data + AT_DATA_SIZE) != rest - key_size)
		return false;
	*ret_key = (struct occ_span){file->data + HEAD_SIZE, (size_t)key_size};
	*ret_data = (struct occ_span){ret_key->data + key_size,
				      (size_t)(rest - key_size)};
	return true;
}

static void look_at(const char *path)
{
	struct occ_buffer file = OCC_BUFFER_INIT, *code = search.code;
	struct occ_span key, data;

	if (read_file(path, &file) && split(&file, &key, &data) &&
	    data.size > ELF_SIZE && !memcmp(data.data, "\177ELF\2\1", 6) &&
	    data.data[AT_MACHINE] == MACHINE_CUDA &&
	    !data.data[AT_MACHINE + 1] &&
	    memmem(key.data, key.size, search.ptx.data, search.ptx.size)) {
		if (!search.found++)
			occ_buffer_append(code, data.data, data.size);
		else if (!occ_span_equal(occ_buffer_span(code), data))
			search.failed = true;
	}
	occ_buffer_release(&file);
}

static int visit(const char *path, const struct stat *status, int kind,
		 struct FTW *place)
{
	(void)status;
	(void)place;
	if (kind == FTW_F)
		look_at(path);
	return 0;
}

bool occ_computecache_find(const char *directory, struct occ_span ptx,
			   struct occ_buffer *ret_code)
{
	size_t before = ret_code->size;

	memset(&search, 0, sizeof(search));
	/* The text, without the NULs at the end of a binary. */
	while (ptx.size && !ptx.data[ptx.size - 1])
		ptx.size--;
	search.ptx = ptx;
	search.code = ret_code;
	if (before || !search.ptx.size || nftw(directory, visit, 8, FTW_PHYS))
		return false;
	if (search.found && !search.failed && !ret_code->failed)
		return true;
	ret_code->size = before;
	return false;
}
