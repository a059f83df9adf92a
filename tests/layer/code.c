/* SPDX-License-Identifier: MIT */
/*
 * Gives entries of a store, of programs that the stub driver built, device
 * code: what the stub takes for that (STUB_DEVICE_CODE), or a file's bytes.
 *
 *	code [OPTION...] DIRECTORY HASH...
 *	-c CAPABILITY	that it says it is for; default 0
 *	-m MAKER	its maker's number; default that of the layer
 *	-f FILE		the code; default the entry's binary in the other form
 *	-h HASH		... that entry's
 *	-n		none: takes it away
 *	-g DEVICE	only remembers that the driver's code for it is good:
 *			driver's and platform's version and its name, ", "
 *			between them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/entry.h"
#include "cache/state.h"
#include "cache/store.h"
#include "tests/layer/common.h"

struct file {
	struct occ_buffer bytes;
	struct occ_entry entry;
	struct occ_span binary;
};

static void load(struct occ_store *store, const char *hash, struct file *file)
{
	char name[64];
	size_t hot_size;
	int error;

	file->bytes = (struct occ_buffer)OCC_BUFFER_INIT;
	snprintf(name, sizeof(name), "%s.cl_cache", hash);
	error = occ_store_read(store, name, &file->bytes);
	if (!error)
		error = occ_entry_hot_size(file->bytes.data, file->bytes.size,
					   &hot_size);
	if (!error)
		error = occ_entry_decode(file->bytes.data, hot_size,
					 file->bytes.size, &file->entry);
	if (!error)
		error = occ_entry_binary(file->bytes.data, file->bytes.size,
					 &file->binary);
	if (error)
		die("%s: %s", name, occ_error_string(error));
}

static void read_bytes(const char *path, struct occ_buffer *ret_bytes)
{
	unsigned char part[4096];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file)
		die("%s: can't be read", path);
	while ((size = fread(part, 1, sizeof(part), file)) > 0)
		occ_buffer_append(ret_bytes, part, size);
	fclose(file);
}

/* The stub's other form has another magic, and is else the same. */
static void other_form(struct occ_store *store, const char *hash,
		       struct occ_buffer *ret_bytes)
{
	struct file file;

	load(store, hash, &file);
	occ_buffer_append(ret_bytes, file.binary.data, file.binary.size);
	if (ret_bytes->failed || ret_bytes->size < 8)
		die("%s: no binary of the stub's", hash);
	memcpy(ret_bytes->data, "STUBDEV1", 8);
	occ_buffer_release(&file.bytes);
}

static void put(struct occ_store *store, const char *hash,
		const struct occ_code *code)
{
	struct occ_buffer section = OCC_BUFFER_INIT;
	struct occ_key key = {.failed = false};
	struct file file;
	int error;

	load(store, hash, &file);
	if (code)
		occ_code_append(code, &section);
	key.hash = file.entry.hash;
	occ_buffer_append(&key.stored, file.entry.key.data,
			  file.entry.key.size);
	error = occ_store_set_code(store, &key, file.binary,
				   occ_buffer_span(&section));
	if (error)
		die("%s: %s", hash, occ_error_string(error));
	occ_buffer_release(&key.stored);
	occ_buffer_release(&section);
	occ_buffer_release(&file.bytes);
}

static void note_good(struct occ_store *store, const char *device)
{
	unsigned char value[4];
	char name[OCC_STATE_NAME_MAX];
	int error;

	snprintf(name, sizeof(name), "code %s", device);
	occ_put_u32(value, OCC_CODE_MAKER);
	error = occ_state_set(store, name, value, sizeof(value));
	if (error)
		die("%s: %s", name, occ_error_string(error));
}

int main(int argc, char **argv)
{
	struct occ_code code = {.maker = OCC_CODE_MAKER};
	const char *path = NULL, *hash = NULL, *good = NULL;
	struct occ_store *store;
	bool none = false;
	int option;

	while ((option = getopt(argc, argv, "c:m:f:h:ng:")) != -1) {
		switch (option) {
		case 'c':
			code.capability = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'm':
			code.maker = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'f':
			path = optarg;
			break;
		case 'h':
			hash = optarg;
			break;
		case 'n':
			none = true;
			break;
		case 'g':
			good = optarg;
			break;
		default:
			return 2;
		}
	}
	if (argc - optind < (good ? 1 : 2))
		die("usage: code [OPTION...] DIRECTORY HASH...");
	store = occ_store_open(argv[optind], 0, false);
	if (!store)
		die("occ_store_open");
	if (good)
		note_good(store, good);
	for (int i = optind + 1; i < argc; i++) {
		struct occ_buffer bytes = OCC_BUFFER_INIT;

		if (path)
			read_bytes(path, &bytes);
		else
			other_form(store, hash ? hash : argv[i], &bytes);
		code.bytes = occ_buffer_span(&bytes);
		put(store, argv[i], none ? NULL : &code);
		occ_buffer_release(&bytes);
	}
	occ_store_close(store);
	return 0;
}
