/* SPDX-License-Identifier: MIT */
/*
 * Puts the binary of one entry into another, whose key and metadata stay: a
 * program that then computes what the other source says was not compiled.
 *
 *	forge DIRECTORY HASH HASH_WITH_THE_BINARY
 */
#include <stdio.h>
#include <stdlib.h>

#include "cache/store.h"
#include "tests/layer/common.h"

struct file {
	struct occ_buffer bytes;
	struct occ_entry entry;
};

static void load(struct occ_store *store, const char *hash, struct file *file)
{
	char name[64];
	int error;

	file->bytes = (struct occ_buffer)OCC_BUFFER_INIT;
	snprintf(name, sizeof(name), "%s.cl_cache", hash);
	error = occ_store_read(store, name, &file->bytes);
	if (error)
		die("%s: %s", name, occ_error_string(error));
	error = occ_entry_decode(file->bytes.data, file->bytes.size,
				 file->bytes.size, &file->entry);
	if (error)
		die("%s: %s", name, occ_error_string(error));
}

static void write_file(const char *directory, const char *hash,
		       const struct occ_buffer *bytes)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.cl_cache", directory, hash);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes->data, 1, bytes->size, file) != bytes->size ||
	    fclose(file) != 0)
		die("%s: can't be written", path);
}

int main(int argc, char **argv)
{
	struct occ_buffer forged = OCC_BUFFER_INIT;
	struct occ_store *store;
	struct file target, source;

	if (argc != 4)
		die("usage: forge DIRECTORY HASH HASH_WITH_THE_BINARY");
	store = occ_store_open(argv[1], 0, false);
	if (!store)
		die("occ_store_open");
	load(store, argv[2], &target);
	load(store, argv[3], &source);
	occ_entry_recode(target.bytes.data, target.entry.metadata,
			 source.entry.binary, &forged);
	if (forged.failed)
		die("out of memory");
	write_file(argv[1], argv[2], &forged);
	occ_buffer_release(&forged);
	occ_buffer_release(&target.bytes);
	occ_buffer_release(&source.bytes);
	occ_store_close(store);
	return 0;
}
