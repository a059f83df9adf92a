/* SPDX-License-Identifier: MIT */
/* Making the file of an entry, anew or from another one. */
#include "cache/entry_format.h"

#include <string.h>

/* Room for the header and the section table. */
static void append_head(struct occ_buffer *file, uint32_t section_count)
{
	static const unsigned char line[OCC_ENTRY_SECTION_SIZE];
	static const unsigned char header[OCC_ENTRY_HEADER_SIZE];

	occ_buffer_append(file, header, sizeof(header));
	for (uint32_t i = 0; i < section_count; i++)
		occ_buffer_append(file, line, sizeof(line));
	occ_buffer_align(file, OCC_ENTRY_ALIGNMENT);
}

/* Appends a section's bytes and writes its line of the table. */
static void append_section(struct occ_buffer *file, uint32_t index,
			   const struct occ_entry_section *section,
			   struct occ_span bytes)
{
	bool cold = section->flags & OCC_ENTRY_COLD;
	size_t offset;
	unsigned char *line;

	occ_buffer_align(file, OCC_ENTRY_ALIGNMENT);
	offset = file->size;
	occ_buffer_append(file, bytes.data, bytes.size);
	if (!cold)
		occ_buffer_align(file, OCC_ENTRY_ALIGNMENT);
	if (file->failed)
		return;
	line = file->data + OCC_ENTRY_HEADER_SIZE +
	       (size_t)index * OCC_ENTRY_SECTION_SIZE;
	occ_put_u32(line, section->type);
	occ_put_u32(line + 4, section->flags);
	occ_put_u64(line + 8, offset);
	occ_put_u64(line + 16, bytes.size);
	memcpy(line + 24, section->checksum, OCC_DIGEST_SIZE);
}

static void append_hot(struct occ_buffer *file, uint32_t index,
		       enum occ_entry_section_type type, struct occ_span bytes)
{
	static const unsigned char zeros[OCC_DIGEST_SIZE];
	struct occ_entry_section section = {.type = type, .checksum = zeros};

	append_section(file, index, &section, bytes);
}

static void append_cold(struct occ_buffer *file, uint32_t index,
			enum occ_entry_section_type type, struct occ_span bytes)
{
	struct occ_digest checksum;
	struct occ_entry_section section = {.type = type,
					    .flags = OCC_ENTRY_COLD,
					    .checksum = checksum.bytes};

	occ_digest(bytes.data, bytes.size, OCC_SEED_CHECKSUM, &checksum);
	append_section(file, index, &section, bytes);
}

static void write_header(const unsigned char *hash, uint32_t version,
			 uint32_t section_count, size_t hot_size,
			 struct occ_buffer *file)
{
	struct occ_digest checksum;

	if (file->failed)
		return;
	memcpy(file->data, occ_entry_magic, OCC_ENTRY_MAGIC_SIZE);
	occ_put_u32(file->data + OCC_ENTRY_AT_VERSION, version);
	occ_put_u32(file->data + OCC_ENTRY_AT_SECTION_COUNT, section_count);
	occ_put_u64(file->data + OCC_ENTRY_AT_FILE_SIZE, file->size);
	occ_put_u64(file->data + OCC_ENTRY_AT_HOT_SIZE, hot_size);
	/* It lies in a file or a key. */
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
	memcpy(file->data + OCC_ENTRY_AT_HASH, hash, OCC_DIGEST_SIZE);
	occ_entry_hot_checksum(file->data, hot_size, &checksum);
	memcpy(file->data + OCC_ENTRY_AT_CHECKSUM, checksum.bytes,
	       OCC_DIGEST_SIZE);
}

void occ_entry_encode(const struct occ_key *key, struct occ_span metadata,
		      struct occ_span binary, struct occ_buffer *ret_file)
{
	struct occ_span stored = occ_buffer_span(&key->stored);
	struct occ_buffer texts = OCC_BUFFER_INIT;
	uint32_t count;
	size_t hot_size;

	for (size_t i = 0; i < key->text_count; i++)
		occ_field_append(&texts, key->texts[i].id, key->texts[i].data,
				 key->texts[i].size);
	count = texts.size ? 4 : 3;
	append_head(ret_file, count);
	append_hot(ret_file, 0, OCC_ENTRY_KEY, stored);
	append_hot(ret_file, 1, OCC_ENTRY_METADATA, metadata);
	append_hot(ret_file, 2, OCC_ENTRY_BINARY, binary);
	hot_size = ret_file->size;
	if (texts.size)
		append_cold(ret_file, 3, OCC_ENTRY_TEXTS,
			    occ_buffer_span(&texts));
	if (texts.failed)
		ret_file->failed = true;
	write_header(key->hash.bytes, OCC_ENTRY_VERSION, count, hot_size,
		     ret_file);
	occ_buffer_release(&texts);
}

/* What an entry is to have. */
struct changes {
	const struct occ_span *metadata; /* NULL: what it has */
	struct occ_span binary;		 /* NULL data: the same */
	struct occ_span code;		 /* NULL data: none, whatever it has */
};

/* The section's bytes as they are to be; false: it goes. */
static bool changed(const unsigned char *file,
		    const struct occ_entry_section *section,
		    const struct changes *changes, struct occ_span *ret_bytes)
{
	*ret_bytes = (struct occ_span){file + section->offset,
				       (size_t)section->length};
	switch (section->type) {
	case OCC_ENTRY_METADATA:
		if (changes->metadata)
			*ret_bytes = *changes->metadata;
		return true;
	case OCC_ENTRY_BINARY:
		if (changes->binary.data)
			*ret_bytes = changes->binary;
		return true;
	case OCC_ENTRY_CODE:
		*ret_bytes = changes->code;
		return changes->code.data;
	default:
		return true;
	}
}

/* The hot sections, or the cold ones; returns how many there are by now. */
static uint32_t copy_sections(const unsigned char *file, uint32_t index,
			      bool cold, const struct changes *changes,
			      struct occ_buffer *ret_file)
{
	for (uint32_t i = 0; i < occ_entry_section_count(file); i++) {
		struct occ_entry_section section =
			occ_entry_section_at(file, i);
		bool is_binary = section.type == OCC_ENTRY_BINARY;
		bool was_cold = section.flags & OCC_ENTRY_COLD;
		struct occ_span bytes;

		/* Where the binary is to be depends on the code. */
		if ((is_binary ? changes->code.data != NULL : was_cold) !=
			    cold ||
		    !changed(file, &section, changes, &bytes))
			continue;
		/* What stays cold keeps its checksum, right or wrong. */
		if (!is_binary || (was_cold && cold && !changes->binary.data))
			append_section(ret_file, index++, &section, bytes);
		else if (cold)
			append_cold(ret_file, index++, OCC_ENTRY_BINARY, bytes);
		else
			append_hot(ret_file, index++, OCC_ENTRY_BINARY, bytes);
	}
	return index;
}

static void recode(const unsigned char *file, const struct changes *changes,
		   struct occ_buffer *ret_file)
{
	bool adds = changes->code.data && !occ_entry_has_code(file);
	bool drops = !changes->code.data && occ_entry_has_code(file);
	uint32_t count = occ_entry_section_count(file) + adds - drops, index;
	size_t hot_size;

	append_head(ret_file, count);
	index = copy_sections(file, 0, false, changes, ret_file);
	if (adds)
		append_hot(ret_file, index++, OCC_ENTRY_CODE, changes->code);
	hot_size = ret_file->size;
	copy_sections(file, index, true, changes, ret_file);
	write_header(file + OCC_ENTRY_AT_HASH,
		     changes->code.data ? OCC_ENTRY_VERSION_CODE
					: OCC_ENTRY_VERSION,
		     count, hot_size, ret_file);
}

void occ_entry_recode(const unsigned char *file, struct occ_span metadata,
		      struct occ_span binary, struct occ_buffer *ret_file)
{
	struct changes changes = {.metadata = &metadata, .binary = binary};

	/* Code of another binary would be wrong. */
	if (occ_entry_has_code(file) && !binary.data)
		occ_entry_find_bytes(file, OCC_ENTRY_CODE, &changes.code);
	recode(file, &changes, ret_file);
}

void occ_entry_recode_code(const unsigned char *file, struct occ_span code,
			   struct occ_buffer *ret_file)
{
	struct changes changes = {.code = {NULL, 0}};

	if (code.size)
		changes.code = code;
	recode(file, &changes, ret_file);
}
