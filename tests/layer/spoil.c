/* SPDX-License-Identifier: MIT */
/*
 * Does to a value of a remote storage what somebody who means harm would, with
 * checksums right again:
 *
 *	spoil HOW VALUE OTHER KEY >RESULT
 *
 * OTHER is the value of another key, signed as well; KEY the file of a signing
 * key that nobody trusts. `spoil list` prints what HOW may be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/signed_entry.h"
#include "tests/layer/common.h"

/* Offsets of doc/format.md. */
#define HEADER_SIZE 32
#define AT_FILE	    16
#define AT_SIGNED   24

struct value {
	struct occ_buffer bytes;
	struct occ_entry_signatures signatures;
	struct occ_entry_file whole;
};

static void load(const char *path, struct value *value)
{
	char part[4096];
	FILE *file = fopen(path, "rb");
	size_t size, signed_size;
	struct occ_buffer alone = OCC_BUFFER_INIT;

	*value = (struct value){.bytes = OCC_BUFFER_INIT};
	if (!file)
		die("%s: can't be read", path);
	while ((size = fread(part, 1, sizeof(part), file)) > 0)
		occ_buffer_append(&value->bytes, part, size);
	fclose(file);
	if (value->bytes.size < HEADER_SIZE)
		die("%s: no value", path);
	signed_size = (size_t)occ_get_u64(value->bytes.data + AT_SIGNED);
	occ_buffer_append(&alone, value->bytes.data, HEADER_SIZE + signed_size);
	occ_put_u64(alone.data + AT_FILE, 0);
	size = value->bytes.size - alone.size;
	if (!occ_entry_signatures_decode(occ_buffer_span(&alone),
					 &value->signatures) ||
	    !occ_entry_file_reserve(&value->whole, size))
		die("%s: no signatures", path);
	memcpy(value->whole.memory, value->bytes.data + alone.size, size);
	value->whole.size = size;
	if (occ_entry_file_verify(&value->whole))
		die("%s: %s", path, value->whole.fault);
	occ_buffer_release(&alone);
}

static void adopt(struct value *value, struct occ_buffer *file)
{
	if (file->failed || !occ_entry_file_reserve(&value->whole, file->size))
		die("no memory");
	memcpy(value->whole.memory, file->data, file->size);
	value->whole.size = file->size;
	if (occ_entry_file_verify(&value->whole))
		die("spoilt too much: %s", value->whole.fault);
	occ_buffer_release(file);
}

/* Another's binary or metadata in its place. */
static void graft(struct value *value, const struct value *other, bool binary,
		  bool metadata)
{
	struct occ_buffer file = OCC_BUFFER_INIT;

	occ_entry_recode(value->whole.memory,
			 metadata ? other->whole.entry.metadata
				  : value->whole.entry.metadata,
			 binary ? other->whole.entry.binary
				: (struct occ_span){NULL, 0},
			 &file);
	adopt(value, &file);
}

static void add_code(struct value *value)
{
	static const unsigned char bytes[64] = "no device code";
	const struct occ_code code = {
		.maker = OCC_CODE_MAKER,
		.bytes = {bytes, sizeof(bytes)},
	};
	struct occ_buffer section = OCC_BUFFER_INIT, file = OCC_BUFFER_INIT;

	occ_code_append(&code, &section);
	occ_entry_recode_code(value->whole.memory, occ_buffer_span(&section),
			      &file);
	adopt(value, &file);
	occ_buffer_release(&section);
}

static void sign_anew(struct value *value, const char *path, const char *name)
{
	struct occ_signing_key key;
	const char *problem;

	if (occ_signing_key_read_file(path, &key, &problem))
		die("%s %s", path, problem);
	if (name)
		strcpy(key.name, name);
	occ_entry_sign(&value->whole, &key, &value->signatures);
}

static const struct occ_entry_signatures nobody;

enum how {
	RAW_SWAP, /* first those that leave the file as it is */
	RAW_HALF,
	RAW_SHORT,
	RAW_LONG,
	RAW_VERSION,
	RAW_OLDER,
	RAW_FLAGS,
	RAW_LENGTHS,
	RAW_NOTHING,
	STRIPPED,
	HALF_STRIPPED,
	OTHERS_SIGNATURES,
	STRANGERS,
	IMPOSTORS,
	BINARY,
	BINARY_STRIPPED,
	BINARY_OTHERS,
	BINARY_STRANGERS,
	BINARY_IMPOSTORS,
	METADATA,
	METADATA_OTHERS,
	CODE,
	CODE_STRANGERS,
	HOWS,
};

static const char *const names[HOWS] = {
	[RAW_SWAP] = "swapped",
	[RAW_HALF] = "cut-in-half",
	[RAW_SHORT] = "a-byte-short",
	[RAW_LONG] = "a-byte-long",
	[RAW_VERSION] = "a-later-version",
	[RAW_OLDER] = "an-older-version",
	[RAW_FLAGS] = "with-flags",
	[RAW_LENGTHS] = "of-other-lengths",
	[RAW_NOTHING] = "nothing",
	[STRIPPED] = "stripped",
	[HALF_STRIPPED] = "half-stripped",
	[OTHERS_SIGNATURES] = "signatures-of-another-entry",
	[STRANGERS] = "signed-by-a-stranger",
	[IMPOSTORS] = "signed-by-a-stranger-of-that-name",
	[BINARY] = "another-binary",
	[BINARY_STRIPPED] = "another-binary-stripped",
	[BINARY_OTHERS] = "another-binary-with-its-signatures",
	[BINARY_STRANGERS] = "another-binary-of-a-stranger",
	[BINARY_IMPOSTORS] = "another-binary-of-a-stranger-of-that-name",
	[METADATA] = "other-metadata",
	[METADATA_OTHERS] = "other-metadata-with-its-signature",
	[CODE] = "device-code",
	[CODE_STRANGERS] = "device-code-of-a-stranger",
};

/* False: it isn't one of those that leave the entry's file as it is. */
static bool spoil_raw(enum how how, struct value *value,
		      const struct value *other)
{
	unsigned char *data = value->bytes.data;

	switch (how) {
	case RAW_SWAP:
		value->bytes = other->bytes;
		return true;
	case RAW_HALF:
		value->bytes.size /= 2;
		return true;
	case RAW_SHORT:
		value->bytes.size--;
		return true;
	case RAW_LONG:
		occ_buffer_append(&value->bytes, "", 1);
		return true;
	case RAW_VERSION:
		data[8] = 2;
		return true;
	case RAW_OLDER:
		data[8] = 0;
		return true;
	case RAW_FLAGS:
		data[12] = 1;
		return true;
	case RAW_LENGTHS:
		occ_put_u64(data + AT_FILE, occ_get_u64(data + AT_FILE) + 96);
		occ_put_u64(data + AT_SIGNED,
			    occ_get_u64(data + AT_SIGNED) - 96);
		return true;
	case RAW_NOTHING:
		value->bytes.size = 0;
		return true;
	default:
		return false;
	}
}

static void spoil(enum how how, struct value *value, const struct value *other,
		  const char *key)
{
	const char *name = value->signatures.program.name;
	char trusted[OCC_KEY_NAME_MAX + 1];

	strcpy(trusted, name);
	if (how >= BINARY && how <= BINARY_IMPOSTORS)
		graft(value, other, true, false);
	if (how == METADATA || how == METADATA_OTHERS)
		graft(value, other, false, true);
	if (how == CODE || how == CODE_STRANGERS)
		add_code(value);
	if (how == STRIPPED || how == BINARY_STRIPPED)
		value->signatures = nobody;
	if (how == HALF_STRIPPED)
		value->signatures.has_metadata = false;
	if (how == OTHERS_SIGNATURES || how == BINARY_OTHERS)
		value->signatures = other->signatures;
	if (how == METADATA_OTHERS)
		value->signatures.metadata = other->signatures.metadata;
	if (how == STRANGERS || how == BINARY_STRANGERS)
		sign_anew(value, key, NULL);
	if (how == IMPOSTORS || how == BINARY_IMPOSTORS)
		sign_anew(value, key, trusted);
	if (how == CODE_STRANGERS) {
		struct occ_entry_signatures good = value->signatures;

		sign_anew(value, key, NULL);
		good.has_code = true;
		good.code = value->signatures.code;
		value->signatures = good;
	}
	value->bytes = (struct occ_buffer)OCC_BUFFER_INIT;
	occ_signed_entry_encode(&value->whole, &value->signatures,
				&value->bytes);
}

int main(int argc, char **argv)
{
	struct value value, other;
	int how;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (how = 0; how < HOWS; how++)
			puts(names[how]);
		return 0;
	}
	if (argc != 5)
		die("usage: spoil list | HOW VALUE OTHER KEY");
	for (how = 0; how < HOWS && strcmp(names[how], argv[1]) != 0; how++)
		;
	if (how == HOWS)
		die("%s: what is that?", argv[1]);
	load(argv[2], &value);
	load(argv[3], &other);
	if (!spoil_raw((enum how)how, &value, &other))
		spoil((enum how)how, &value, &other, argv[4]);
	if (fwrite(value.bytes.data, 1, value.bytes.size, stdout) !=
	    value.bytes.size)
		die("can't be written");
	return 0;
}
