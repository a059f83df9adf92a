/* SPDX-License-Identifier: MIT */
/*
 * Makes a store's entries those of another driver, or machine:
 *
 *	rekey DIRECTORY FIELD FROM TO
 *
 * In the key's field of that number FROM becomes TO, wherever it is, and each
 * entry that has it gets the name that goes with that. Prints how many did.
 * FROM "": the first byte becomes another.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "cache/entry_file.h"
#include "cache/name.h"
#include "cache/store.h"

struct change {
	uint16_t field;
	struct occ_span from, to;
};

static void *must(void *memory)
{
	if (memory)
		return memory;
	fputs("rekey: no memory\n", stderr);
	exit(1);
}

/* False: there is nothing to change. */
static bool replace(const struct change *change, struct occ_span bytes,
		    struct occ_buffer *ret_bytes)
{
	size_t at = 0;
	bool any = false;

	if (!change->from.size && bytes.size) {
		unsigned char first = bytes.data[0] ^ 1;

		occ_buffer_append(ret_bytes, &first, 1);
		occ_buffer_append(ret_bytes, bytes.data + 1, bytes.size - 1);
		return true;
	}
	while (at < bytes.size) {
		bool here = bytes.size - at >= change->from.size &&
			    !memcmp(bytes.data + at, change->from.data,
				    change->from.size);

		occ_buffer_append(ret_bytes,
				  here ? change->to.data : bytes.data + at,
				  here ? change->to.size : 1);
		at += here ? change->from.size : 1;
		any |= here;
	}
	return any;
}

/* Its times stay: when it was used matters. */
static bool rekey(struct occ_store *store, int directory, const char *name,
		  const struct change *change)
{
	struct occ_entry_file_cursor cursor = {0};
	struct occ_entry_file file = {0};
	struct occ_buffer texts[64] = {{NULL}};
	struct occ_key key, old_key;
	struct occ_span bytes, binary;
	size_t count = 0;
	bool changed = false;
	struct stat status;
	uint16_t id;

	if (occ_file_status_at(directory, name, &status) ||
	    occ_entry_file_read(directory, name, false, OCC_ENTRY_FILE_WHOLE,
				&file) ||
	    occ_entry_file_key(&file, &old_key) ||
	    occ_entry_binary(file.memory, file.size, &binary))
		return false;
	occ_key_init(&key);
	while (occ_entry_file_next(&file, &cursor, &id, &bytes) == 1) {
		struct occ_buffer *text = &texts[count];

		if (id == change->field && count < 64 &&
		    replace(change, bytes, text)) {
			bytes = occ_buffer_span(text);
			changed = true;
			count++;
		}
		occ_key_add(&key, id, bytes.data, bytes.size);
	}
	changed = changed && !occ_key_finish(&key) &&
		  !occ_store_publish(store, &key, file.entry.metadata, binary);
	if (changed) {
		char new_name[OCC_NAME_SIZE];
		int new_file;

		occ_store_discard(store, &old_key);
		occ_name_entry(&key.hash, 0, new_name);
		new_file = occ_file_open(directory, new_name, 0);
		occ_file_set_times(new_file, &status);
		occ_file_close(new_file);
	}
	for (size_t i = 0; i < 64; i++)
		occ_buffer_release(&texts[i]);
	occ_key_release(&key);
	occ_key_release(&old_key);
	occ_entry_file_release(&file);
	return changed;
}

static int is_entry(const struct dirent *file)
{
	return occ_name_kind(file->d_name) == OCC_NAME_ENTRY;
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	struct change change;
	struct occ_store *store;
	int count, done = 0, directory;

	if (argc != 5) {
		fputs("usage: rekey DIRECTORY FIELD FROM TO\n", stderr);
		return 2;
	}
	change.field = (uint16_t)strtoul(argv[2], NULL, 10);
	change.from =
		(struct occ_span){(unsigned char *)argv[3], strlen(argv[3])};
	change.to =
		(struct occ_span){(unsigned char *)argv[4], strlen(argv[4])};
	store = must(occ_store_open(argv[1], 0, false));
	directory = occ_file_open_directory(argv[1]);
	count = scandir(argv[1], &names, is_entry, alphasort);
	for (int i = 0; i < count; i++) {
		done += rekey(store, directory, names[i]->d_name, &change);
		free(names[i]);
	}
	free(names);
	occ_file_close(directory);
	occ_store_close(store);
	printf("%d\n", done);
	return 0;
}
