/* SPDX-License-Identifier: MIT */
/*
 * Offsets and the section table are in doc/format.md. Everything read here may
 * be hostile: numbers are compared before they are added.
 */
#include "cache/entry_format.h"

#include <string.h>

/*
 * In the spirit of PNG's: no text, and changed by whatever converts line ends,
 * stops at a control character or drops the eighth bit.
 */
const unsigned char occ_entry_magic[OCC_ENTRY_MAGIC_SIZE] = {0x8f, 'O',	 'C',
							     'C',  '\r', '\n',
							     0x1a, '\n'};

void occ_entry_hot_checksum(const unsigned char *hot, size_t hot_size,
			    struct occ_digest *ret_checksum)
{
	unsigned char header[OCC_ENTRY_HEADER_SIZE];
	struct occ_digest rest;

	occ_digest(hot + OCC_ENTRY_HEADER_SIZE,
		   hot_size - OCC_ENTRY_HEADER_SIZE, OCC_SEED_CHECKSUM, &rest);
	memcpy(header, hot, OCC_ENTRY_AT_CHECKSUM);
	memcpy(header + OCC_ENTRY_AT_CHECKSUM, rest.bytes, OCC_DIGEST_SIZE);
	occ_digest(header, sizeof(header), OCC_SEED_CHECKSUM, ret_checksum);
}

static uint32_t version_of(const unsigned char *header)
{
	return occ_get_u32(header + OCC_ENTRY_AT_VERSION);
}

int occ_entry_hot_size(const unsigned char *header, uint64_t file_size,
		       size_t *ret_hot_size)
{
	uint64_t hot_size, count;

	if (file_size < OCC_ENTRY_HEADER_SIZE ||
	    memcmp(header, occ_entry_magic, OCC_ENTRY_MAGIC_SIZE) != 0)
		return OCC_E_CORRUPT;
	if (version_of(header) != OCC_ENTRY_VERSION &&
	    version_of(header) != OCC_ENTRY_VERSION_CODE)
		return OCC_E_VERSION;
	count = occ_get_u32(header + OCC_ENTRY_AT_SECTION_COUNT);
	hot_size = occ_get_u64(header + OCC_ENTRY_AT_HOT_SIZE);
	if (occ_get_u64(header + OCC_ENTRY_AT_FILE_SIZE) != file_size ||
	    hot_size > file_size || file_size > OCC_ENTRY_SIZE_MAX ||
	    hot_size % OCC_ENTRY_ALIGNMENT)
		return OCC_E_CORRUPT;
	if (count > OCC_ENTRY_SECTIONS_MAX ||
	    hot_size < OCC_ENTRY_HEADER_SIZE + count * OCC_ENTRY_SECTION_SIZE)
		return OCC_E_CORRUPT;
	*ret_hot_size = (size_t)hot_size;
	return OCC_OK;
}

uint32_t occ_entry_section_count(const unsigned char *hot)
{
	return occ_get_u32(hot + OCC_ENTRY_AT_SECTION_COUNT);
}

struct occ_entry_section occ_entry_section_at(const unsigned char *hot,
					      uint32_t index)
{
	const unsigned char *line = hot + OCC_ENTRY_HEADER_SIZE +
				    (size_t)index * OCC_ENTRY_SECTION_SIZE;

	return (struct occ_entry_section){
		.type = occ_get_u32(line),
		.flags = occ_get_u32(line + 4),
		.offset = occ_get_u64(line + 8),
		.length = occ_get_u64(line + 16),
		.checksum = line + 24,
	};
}

/* Whether the section lies wholly in its part of the file. */
static bool is_inside(const struct occ_entry_section *section,
		      uint64_t table_end, uint64_t hot_size, uint64_t file_size)
{
	bool cold = section->flags & OCC_ENTRY_COLD;
	uint64_t start = cold ? hot_size : table_end;
	uint64_t end = cold ? file_size : hot_size;

	return section->offset % OCC_ENTRY_ALIGNMENT == 0 &&
	       section->offset >= start && section->offset <= end &&
	       section->length <= end - section->offset;
}

/* Types of later versions may have flags that mean nothing to us. */
static bool has_known_flags(const struct occ_entry_section *section,
			    bool with_code)
{
	switch (section->type) {
	case OCC_ENTRY_KEY:
	case OCC_ENTRY_METADATA:
		return section->flags == 0;
	case OCC_ENTRY_BINARY:
		return section->flags == (with_code ? OCC_ENTRY_COLD : 0);
	case OCC_ENTRY_TEXTS:
		return section->flags == OCC_ENTRY_COLD;
	case OCC_ENTRY_CODE:
		return with_code && section->flags == 0;
	default:
		return true;
	}
}

bool occ_entry_has_code(const unsigned char *hot)
{
	return version_of(hot) == OCC_ENTRY_VERSION_CODE;
}

/* Both are inside the file, so the sums can't overflow. */
static bool overlaps(const struct occ_entry_section *one,
		     const struct occ_entry_section *other)
{
	return one->offset < other->offset + other->length &&
	       other->offset < one->offset + one->length;
}

static bool sections_are_valid(const unsigned char *hot, uint64_t hot_size,
			       uint64_t file_size)
{
	uint32_t count = occ_entry_section_count(hot);
	uint64_t table_end =
		OCC_ENTRY_HEADER_SIZE + count * OCC_ENTRY_SECTION_SIZE;

	for (uint32_t i = 0; i < count; i++) {
		struct occ_entry_section section = occ_entry_section_at(hot, i);

		if (!is_inside(&section, table_end, hot_size, file_size) ||
		    !has_known_flags(&section, occ_entry_has_code(hot)))
			return false;
		for (uint32_t j = 0; j < i; j++) {
			struct occ_entry_section other =
				occ_entry_section_at(hot, j);

			if (other.type == section.type ||
			    overlaps(&other, &section))
				return false;
		}
	}
	return true;
}

static bool find_section(const unsigned char *hot,
			 enum occ_entry_section_type type,
			 struct occ_entry_section *ret_section)
{
	for (uint32_t i = 0; i < occ_entry_section_count(hot); i++) {
		*ret_section = occ_entry_section_at(hot, i);
		if (ret_section->type == type)
			return true;
	}
	return false;
}

static struct occ_span span_of(const unsigned char *file,
			       const struct occ_entry_section *section)
{
	return (struct occ_span){file + section->offset,
				 (size_t)section->length};
}

bool occ_entry_find_bytes(const unsigned char *file,
			  enum occ_entry_section_type type,
			  struct occ_span *ret_bytes)
{
	struct occ_entry_section section;

	if (!find_section(file, type, &section))
		return false;
	*ret_bytes = span_of(file, &section);
	return true;
}

/* The binary, or what there is in its place. */
static bool find_program(const unsigned char *hot, struct occ_entry *entry)
{
	struct occ_entry_section section;

	if (!occ_entry_has_code(hot))
		return occ_entry_find_bytes(hot, OCC_ENTRY_BINARY,
					    &entry->binary);
	return find_section(hot, OCC_ENTRY_BINARY, &section) &&
	       occ_entry_find_bytes(hot, OCC_ENTRY_CODE, &entry->code);
}

int occ_entry_decode(const unsigned char *hot, size_t hot_size,
		     uint64_t file_size, struct occ_entry *ret_entry)
{
	struct occ_digest checksum;
	struct occ_entry entry = {.binary = {NULL, 0}};
	size_t expected;
	int error;

	if (hot_size < OCC_ENTRY_HEADER_SIZE)
		return OCC_E_CORRUPT;
	error = occ_entry_hot_size(hot, file_size, &expected);
	if (error)
		return error;
	if (expected != hot_size)
		return OCC_E_CORRUPT;
	occ_entry_hot_checksum(hot, hot_size, &checksum);
	if (memcmp(checksum.bytes, hot + OCC_ENTRY_AT_CHECKSUM,
		   OCC_DIGEST_SIZE) != 0 ||
	    !sections_are_valid(hot, hot_size, file_size) ||
	    !occ_entry_find_bytes(hot, OCC_ENTRY_KEY, &entry.key) ||
	    !occ_entry_find_bytes(hot, OCC_ENTRY_METADATA, &entry.metadata) ||
	    !find_program(hot, &entry))
		return OCC_E_CORRUPT;
	memcpy(entry.hash.bytes, hot + OCC_ENTRY_AT_HASH, OCC_DIGEST_SIZE);
	*ret_entry = entry;
	return OCC_OK;
}

static struct occ_entry_part part_of(const struct occ_entry_section *section)
{
	return (struct occ_entry_part){section->offset, section->length};
}

int occ_entry_find_parts(const unsigned char *head, size_t head_size,
			 uint64_t file_size, struct occ_entry_parts *ret_parts)
{
	struct occ_entry_section key, metadata, binary, code = {0};
	size_t hot_size;
	int error;

	if (head_size < OCC_ENTRY_HEADER_SIZE)
		return OCC_E_CORRUPT;
	error = occ_entry_hot_size(head, file_size, &hot_size);
	if (error)
		return error;
	if (OCC_ENTRY_HEADER_SIZE + (uint64_t)occ_entry_section_count(head) *
					    OCC_ENTRY_SECTION_SIZE >
		    head_size ||
	    !sections_are_valid(head, hot_size, file_size) ||
	    !find_section(head, OCC_ENTRY_KEY, &key) ||
	    !find_section(head, OCC_ENTRY_METADATA, &metadata) ||
	    !find_section(head, OCC_ENTRY_BINARY, &binary))
		return OCC_E_CORRUPT;
	if (!find_section(head, OCC_ENTRY_CODE, &code))
		code.offset = code.length = 0;
	memcpy(ret_parts->hash.bytes, head + OCC_ENTRY_AT_HASH,
	       OCC_DIGEST_SIZE);
	ret_parts->key = part_of(&key);
	ret_parts->metadata = part_of(&metadata);
	ret_parts->binary = part_of(&binary);
	ret_parts->code = part_of(&code);
	return OCC_OK;
}

static bool is_whole(const unsigned char *file, size_t file_size)
{
	size_t hot_size;

	return file_size >= OCC_ENTRY_HEADER_SIZE &&
	       !occ_entry_hot_size(file, file_size, &hot_size) &&
	       sections_are_valid(file, hot_size, file_size);
}

/* A cold section; a hot one is verified with the others. */
static bool section_is_right(const unsigned char *file,
			     const struct occ_entry_section *section)
{
	struct occ_digest checksum;

	if (!(section->flags & OCC_ENTRY_COLD))
		return true;
	occ_digest(file + section->offset, (size_t)section->length,
		   OCC_SEED_CHECKSUM, &checksum);
	return !memcmp(checksum.bytes, section->checksum, OCC_DIGEST_SIZE);
}

int occ_entry_check_cold(const unsigned char *file, size_t file_size)
{
	if (!is_whole(file, file_size))
		return OCC_E_CORRUPT;
	for (uint32_t i = 0; i < occ_entry_section_count(file); i++) {
		struct occ_entry_section section =
			occ_entry_section_at(file, i);

		if (!section_is_right(file, &section))
			return OCC_E_CORRUPT;
	}
	return OCC_OK;
}

int occ_entry_texts(const unsigned char *file, size_t file_size,
		    struct occ_span *ret_fields)
{
	struct occ_entry_section section;

	if (!is_whole(file, file_size))
		return OCC_E_CORRUPT;
	if (!find_section(file, OCC_ENTRY_TEXTS, &section)) {
		*ret_fields = (struct occ_span){NULL, 0};
		return OCC_OK;
	}
	if (!section_is_right(file, &section))
		return OCC_E_CORRUPT;
	*ret_fields = span_of(file, &section);
	return OCC_OK;
}

int occ_entry_binary(const unsigned char *file, size_t file_size,
		     struct occ_span *ret_binary)
{
	struct occ_entry_section section;

	if (!is_whole(file, file_size) ||
	    !find_section(file, OCC_ENTRY_BINARY, &section) ||
	    !section_is_right(file, &section))
		return OCC_E_CORRUPT;
	*ret_binary = span_of(file, &section);
	return OCC_OK;
}

/* The one that begins first at `at` or behind it; false: there is none. */
static bool next_section(const unsigned char *file, size_t at,
			 struct occ_entry_section *ret_section)
{
	bool found = false;

	for (uint32_t i = 0; i < occ_entry_section_count(file); i++) {
		struct occ_entry_section section =
			occ_entry_section_at(file, i);

		if (!section.length || section.offset < at ||
		    (found && section.offset >= ret_section->offset))
			continue;
		*ret_section = section;
		found = true;
	}
	return found;
}

static bool are_zeros(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_padding(const unsigned char *bytes, size_t size)
{
	return size < OCC_ENTRY_ALIGNMENT && are_zeros(bytes, size);
}

/* Only cold sections have a checksum of their own. */
static bool table_is_tight(const unsigned char *file)
{
	for (uint32_t i = 0; i < occ_entry_section_count(file); i++) {
		struct occ_entry_section section =
			occ_entry_section_at(file, i);

		if (!(section.flags & OCC_ENTRY_COLD) &&
		    !are_zeros(section.checksum, OCC_DIGEST_SIZE))
			return false;
	}
	return true;
}

bool occ_entry_is_tight(const unsigned char *file, size_t file_size)
{
	size_t at =
		OCC_ENTRY_HEADER_SIZE +
		(size_t)occ_entry_section_count(file) * OCC_ENTRY_SECTION_SIZE;
	struct occ_entry_section section;

	while (next_section(file, at, &section)) {
		if (!is_padding(file + at, (size_t)section.offset - at))
			return false;
		at = (size_t)(section.offset + section.length);
	}
	return is_padding(file + at, file_size - at) && table_is_tight(file);
}

bool occ_entry_has_unknown(const unsigned char *file)
{
	for (uint32_t i = 0; i < occ_entry_section_count(file); i++) {
		uint32_t type = occ_entry_section_at(file, i).type;

		if (type < OCC_ENTRY_KEY || type > OCC_ENTRY_CODE)
			return true;
	}
	return false;
}

static bool find_meta(const struct occ_entry *entry, enum occ_meta_field id,
		      struct occ_field *ret_field)
{
	return occ_field_find(entry->metadata.data, entry->metadata.size,
			      (uint16_t)id, ret_field) == 1 &&
	       ret_field->kind == OCC_FIELD_BYTES;
}

uint64_t occ_entry_number(const struct occ_entry *entry, enum occ_meta_field id,
			  uint64_t otherwise)
{
	struct occ_field field;

	if (!find_meta(entry, id, &field) || field.length != 8)
		return otherwise;
	return occ_get_u64(field.payload);
}

struct occ_span occ_entry_bytes(const struct occ_entry *entry,
				enum occ_meta_field id)
{
	struct occ_field field;

	if (!find_meta(entry, id, &field))
		return (struct occ_span){NULL, 0};
	return occ_field_span(&field);
}

void occ_meta_append_number(struct occ_buffer *metadata, enum occ_meta_field id,
			    uint64_t number)
{
	unsigned char bytes[8];

	occ_put_u64(bytes, number);
	occ_field_append(metadata, (uint16_t)id, bytes, sizeof(bytes));
}

void occ_code_append(const struct occ_code *code, struct occ_buffer *section)
{
	unsigned char head[OCC_CODE_HEAD_SIZE];

	memset(head, 0, sizeof(head));
	occ_put_u32(head, code->maker);
	occ_put_u32(head + 4, code->capability);
	occ_buffer_append(section, head, sizeof(head));
	occ_buffer_append(section, code->bytes.data, code->bytes.size);
}

bool occ_code_parse(struct occ_span section, struct occ_code *ret_code)
{
	if (section.size <= OCC_CODE_HEAD_SIZE)
		return false;
	ret_code->maker = occ_get_u32(section.data);
	ret_code->capability = occ_get_u32(section.data + 4);
	ret_code->bytes.data = section.data + OCC_CODE_HEAD_SIZE;
	ret_code->bytes.size = section.size - OCC_CODE_HEAD_SIZE;
	return true;
}
