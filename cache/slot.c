/* SPDX-License-Identifier: MIT */
#include "cache/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"

/* Closer together, uses needn't be told apart; a write per hit is dear. */
#define TOUCH_INTERVAL 5

/* Files up to this size are read whole. */
#define AT_ONCE_MAX    ((uint64_t)64 << 10)

static int open_error(void)
{
	switch (errno) {
	case ENOENT:
		return OCC_E_NOT_FOUND;
	case ELOOP:
	case ENXIO:
	case EACCES:
	case EPERM:
		return OCC_E_FORBIDDEN;
	default:
		return OCC_E_IO;
	}
}

/* Once it is open, or isn't. */
static int check(struct occ_slot *slot, bool or_roots)
{
	bool trusted;

	if (slot->file < 0)
		return open_error();
	if (occ_file_status(slot->file, &slot->status) < 0)
		return OCC_E_IO;
	trusted = occ_file_is_trusted(&slot->status, or_roots);
	return S_ISREG(slot->status.st_mode) && trusted ? OCC_OK
							: OCC_E_FORBIDDEN;
}

static int read_all(int file, uint64_t offset, void *data, size_t size)
{
	ssize_t count = occ_file_read(file, offset, data, size);

	/* (S10) Nobody cuts files: one that ends early hasn't been read. */
	return count == (ssize_t)size ? OCC_OK : OCC_E_IO;
}

/* Of a small file all is read at once: the cold part is no burden. */
static size_t first_size(const struct occ_slot *slot)
{
	uint64_t size = (uint64_t)slot->status.st_size;

	return size > AT_ONCE_MAX ? OCC_ENTRY_HEADER_SIZE : (size_t)size;
}

static int read_hot(struct occ_slot *slot, size_t *ret_hot_size)
{
	size_t first = first_size(slot), hot_size;
	unsigned char *memory;
	int error;

	if (slot->status.st_size < OCC_ENTRY_HEADER_SIZE)
		return OCC_E_CORRUPT;
	memory = malloc(first);
	slot->memory = memory;
	if (!memory)
		return OCC_E_MEMORY;
	error = read_all(slot->file, 0, memory, first);
	if (!error)
		error = occ_entry_hot_size(memory,
					   (uint64_t)slot->status.st_size,
					   &hot_size);
	if (error)
		return error;
	*ret_hot_size = hot_size;
	if (hot_size <= first)
		return OCC_OK;
	slot->memory = occ_file_memory(hot_size);
	if (slot->memory)
		memcpy(slot->memory, memory, first);
	free(memory);
	if (!slot->memory)
		return OCC_E_MEMORY;
	return read_all(slot->file, first, slot->memory + first,
			hot_size - first);
}

/* (S6) */
static int verify(struct occ_slot *slot, const struct occ_key *key,
		  size_t hot_size)
{
	int error;

	error = occ_entry_decode(slot->memory, hot_size,
				 (uint64_t)slot->status.st_size, &slot->entry);
	if (error)
		return error;
	/* An intact entry of another hash has the wrong name: not ours. */
	if (memcmp(slot->entry.hash.bytes, key->hash.bytes, OCC_DIGEST_SIZE) !=
	    0)
		return OCC_E_CORRUPT;
	if (slot->entry.key.size != key->stored.size ||
	    memcmp(slot->entry.key.data, key->stored.data, key->stored.size) !=
		    0)
		return OCC_E_KEY_DIFFERS;
	return OCC_OK;
}

/* Whatever the answer, the slot is released by the caller. */
static int read_slot(struct occ_slot *slot, const struct occ_key *key,
		     bool or_roots)
{
	size_t hot_size = 0;
	int error = check(slot, or_roots);

	if (!error)
		error = read_hot(slot, &hot_size);
	if (!error)
		error = verify(slot, key, hot_size);
	return error;
}

int occ_slot_read(int directory, const struct occ_key *key, int number,
		  struct occ_slot *ret_slot)
{
	memset(ret_slot, 0, sizeof(*ret_slot));
	occ_name_entry(&key->hash, number, ret_slot->name);
	ret_slot->file = occ_file_open(directory, ret_slot->name, O_RDONLY);
	return read_slot(ret_slot, key, false);
}

int occ_slot_read_in(const char *directory, const struct occ_key *key,
		     int number, bool or_roots, struct occ_slot *ret_slot)
{
	memset(ret_slot, 0, sizeof(*ret_slot));
	occ_name_entry(&key->hash, number, ret_slot->name);
	ret_slot->file = occ_file_open_in(directory, ret_slot->name, O_RDONLY);
	return read_slot(ret_slot, key, or_roots);
}

int occ_slot_read_cold(struct occ_slot *slot)
{
	uint64_t file_size = (uint64_t)slot->status.st_size;
	unsigned char *memory;
	size_t hot_size;
	int error;

	error = occ_entry_hot_size(slot->memory, file_size, &hot_size);
	if (error)
		return error;
	if (file_size > SIZE_MAX)
		return OCC_E_MEMORY;
	memory = realloc(slot->memory, (size_t)file_size);
	if (!memory)
		return OCC_E_MEMORY;
	slot->memory = memory;
	error = read_all(slot->file, hot_size, memory + hot_size,
			 (size_t)file_size - hot_size);
	if (error)
		return error;
	return occ_entry_decode(memory, hot_size, file_size, &slot->entry);
}

void occ_slot_release(struct occ_slot *slot)
{
	free(slot->memory);
	slot->memory = NULL;
	occ_file_close(slot->file);
	slot->file = -1;
}

void occ_slot_remove(struct occ_slot *slot, struct occ_config *config)
{
	struct stat named;

	if (occ_file_status_at(config->directory, slot->name, &named) < 0 ||
	    !occ_file_same(&named, &slot->status))
		return;
	if (occ_file_remove(config->directory, slot->name) < 0)
		return;
	/* (S7) An intact one is known to have been counted with this size. */
	if (slot->entry.key.data)
		occ_config_subtract(config, (uint64_t)named.st_size);
	else
		occ_config_recount(config);
}

void occ_slot_touch(struct occ_slot *slot)
{
	int64_t age = occ_file_now() - slot->status.st_mtim.tv_sec;

	/* In the future: the clock was set back, or the file copied. */
	if (age > TOUCH_INTERVAL || age < 0)
		occ_file_touch(slot->file, occ_file_uses(&slot->status) + 1);
}

static bool is_there(const struct occ_config *config, const char *name)
{
	struct stat status;

	return !occ_file_status_at(config->directory, name, &status);
}

int occ_slot_choose(struct occ_config *config, const struct occ_key *key,
		    char ret_name[OCC_NAME_SIZE])
{
	struct occ_slot slot;
	int error = OCC_OK;

	for (int number = 0; number < OCC_SLOTS_MAX; number++) {
		error = occ_slot_read(config->directory, key, number, &slot);
		if (error == OCC_E_CORRUPT)
			occ_slot_remove(&slot, config);
		occ_slot_release(&slot);
		if (error == OCC_OK)
			return OCC_E_EXISTS;
		if (error == OCC_E_IO || error == OCC_E_MEMORY)
			return error;
		/* (S9) Behind one that isn't there nobody looks. */
		if (error == OCC_E_FORBIDDEN && !is_there(config, slot.name))
			return OCC_E_IO;
		if (error == OCC_E_CORRUPT || error == OCC_E_NOT_FOUND) {
			memcpy(ret_name, slot.name, sizeof(slot.name));
			return OCC_OK;
		}
	}
	return OCC_E_KEY_DIFFERS;
}
