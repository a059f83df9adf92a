/* SPDX-License-Identifier: MIT */
/*
 * Offsets and the section table are in doc/format.md. Everything read here may
 * be hostile: numbers are compared before they are added.
 */
#include "cache/entry.h"

#include <string.h>

#define MAGIC_SIZE	 8
#define AT_VERSION	 8
#define AT_SECTION_COUNT 12
#define AT_FILE_SIZE	 16
#define AT_HOT_SIZE	 24
#define AT_HASH		 32
#define AT_CHECKSUM	 48

#define SECTION_SIZE	 OCC_ENTRY_SECTION_SIZE
#define SECTION_COLD	 1
#define ALIGNMENT	 64

enum section_type {
	SECTION_KEY = 1,
	SECTION_METADATA = 2,
	SECTION_BINARY = 3,
	SECTION_TEXTS = 4,
	SECTION_CODE = 5,
};

struct section {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t length;
	const unsigned char *checksum; /* of cold sections */
};

/*
 * In the spirit of PNG's: no text, and changed by whatever converts line ends,
 * stops at a control character or drops the eighth bit.
 */
static const unsigned char magic[MAGIC_SIZE] = {0x8f, 'O',  'C',  'C',
						'\r', '\n', 0x1a, '\n'};

/*
 * Of the hot part but for the checksum field, in two steps, so that it needs
 * neither memory nor a copy: the digest of what is behind the header, put in
 * the place of the checksum field, and then the digest of that header.
 */
static void hot_checksum(const unsigned char *hot, size_t hot_size,
			 struct occ_digest *ret_checksum)
{
	unsigned char header[OCC_ENTRY_HEADER_SIZE];
	struct occ_digest rest;

	occ_digest(hot + OCC_ENTRY_HEADER_SIZE,
		   hot_size - OCC_ENTRY_HEADER_SIZE, OCC_SEED_CHECKSUM, &rest);
	memcpy(header, hot, AT_CHECKSUM);
	memcpy(header + AT_CHECKSUM, rest.bytes, OCC_DIGEST_SIZE);
	occ_digest(header, sizeof(header), OCC_SEED_CHECKSUM, ret_checksum);
}

static void collect_texts(const struct occ_key *key, struct occ_buffer *texts)
{
	for (size_t i = 0; i < key->text_count; i++)
		occ_field_append(texts, key->texts[i].id, key->texts[i].data,
				 key->texts[i].size);
}

/* Room for the header and the section table. */
static void append_head(struct occ_buffer *file, uint32_t section_count)
{
	static const unsigned char line[SECTION_SIZE];
	static const unsigned char header[OCC_ENTRY_HEADER_SIZE];

	occ_buffer_append(file, header, sizeof(header));
	for (uint32_t i = 0; i < section_count; i++)
		occ_buffer_append(file, line, sizeof(line));
	occ_buffer_align(file, ALIGNMENT);
}

/* Appends a section's bytes and writes its line of the table. */
static void append_section(struct occ_buffer *file, uint32_t index,
			   const struct section *section, struct occ_span bytes)
{
	bool cold = section->flags & SECTION_COLD;
	size_t offset;
	unsigned char *line;

	occ_buffer_align(file, ALIGNMENT);
	offset = file->size;
	occ_buffer_append(file, bytes.data, bytes.size);
	if (!cold)
		occ_buffer_align(file, ALIGNMENT);
	if (file->failed)
		return;
	line = file->data + OCC_ENTRY_HEADER_SIZE +
	       (size_t)index * SECTION_SIZE;
	occ_put_u32(line, section->type);
	occ_put_u32(line + 4, section->flags);
	occ_put_u64(line + 8, offset);
	occ_put_u64(line + 16, bytes.size);
	memcpy(line + 24, section->checksum, OCC_DIGEST_SIZE);
}

static void append_hot(struct occ_buffer *file, uint32_t index,
		       enum section_type type, struct occ_span bytes)
{
	static const unsigned char zeros[OCC_DIGEST_SIZE];
	struct section section = {.type = type, .checksum = zeros};

	append_section(file, index, &section, bytes);
}

static void append_cold(struct occ_buffer *file, uint32_t index,
			enum section_type type, struct occ_span bytes)
{
	struct occ_digest checksum;
	struct section section = {.type = type,
				  .flags = SECTION_COLD,
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
	memcpy(file->data, magic, MAGIC_SIZE);
	occ_put_u32(file->data + AT_VERSION, version);
	occ_put_u32(file->data + AT_SECTION_COUNT, section_count);
	occ_put_u64(file->data + AT_FILE_SIZE, file->size);
	occ_put_u64(file->data + AT_HOT_SIZE, hot_size);
	/* It lies in a file or a key. */
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
	memcpy(file->data + AT_HASH, hash, OCC_DIGEST_SIZE);
	hot_checksum(file->data, hot_size, &checksum);
	memcpy(file->data + AT_CHECKSUM, checksum.bytes, OCC_DIGEST_SIZE);
}

void occ_entry_encode(const struct occ_key *key, struct occ_span metadata,
		      struct occ_span binary, struct occ_buffer *ret_file)
{
	struct occ_span stored = {key->stored.data, key->stored.size};
	struct occ_buffer texts = OCC_BUFFER_INIT;
	uint32_t count;
	size_t hot_size;

	collect_texts(key, &texts);
	count = texts.size ? 4 : 3;
	append_head(ret_file, count);
	append_hot(ret_file, 0, SECTION_KEY, stored);
	append_hot(ret_file, 1, SECTION_METADATA, metadata);
	append_hot(ret_file, 2, SECTION_BINARY, binary);
	hot_size = ret_file->size;
	if (texts.size)
		append_cold(ret_file, 3, SECTION_TEXTS,
			    (struct occ_span){texts.data, texts.size});
	if (texts.failed)
		ret_file->failed = true;
	write_header(key->hash.bytes, OCC_ENTRY_VERSION, count, hot_size,
		     ret_file);
	occ_buffer_release(&texts);
}

static uint32_t version_of(const unsigned char *header)
{
	return occ_get_u32(header + AT_VERSION);
}

int occ_entry_hot_size(const unsigned char *header, uint64_t file_size,
		       size_t *ret_hot_size)
{
	uint64_t hot_size, count;

	if (file_size < OCC_ENTRY_HEADER_SIZE ||
	    memcmp(header, magic, MAGIC_SIZE) != 0)
		return OCC_E_CORRUPT;
	if (version_of(header) != OCC_ENTRY_VERSION &&
	    version_of(header) != OCC_ENTRY_VERSION_CODE)
		return OCC_E_VERSION;
	count = occ_get_u32(header + AT_SECTION_COUNT);
	hot_size = occ_get_u64(header + AT_HOT_SIZE);
	if (occ_get_u64(header + AT_FILE_SIZE) != file_size ||
	    hot_size > file_size || file_size > OCC_ENTRY_SIZE_MAX ||
	    hot_size % ALIGNMENT)
		return OCC_E_CORRUPT;
	if (count > OCC_ENTRY_SECTIONS_MAX ||
	    hot_size < OCC_ENTRY_HEADER_SIZE + count * SECTION_SIZE)
		return OCC_E_CORRUPT;
	*ret_hot_size = (size_t)hot_size;
	return OCC_OK;
}

static uint32_t section_count(const unsigned char *hot)
{
	return occ_get_u32(hot + AT_SECTION_COUNT);
}

static struct section section_at(const unsigned char *hot, uint32_t index)
{
	const unsigned char *line =
		hot + OCC_ENTRY_HEADER_SIZE + (size_t)index * SECTION_SIZE;

	return (struct section){
		.type = occ_get_u32(line),
		.flags = occ_get_u32(line + 4),
		.offset = occ_get_u64(line + 8),
		.length = occ_get_u64(line + 16),
		.checksum = line + 24,
	};
}

/* Whether the section lies wholly in its part of the file. */
static bool is_inside(const struct section *section, uint64_t table_end,
		      uint64_t hot_size, uint64_t file_size)
{
	bool cold = section->flags & SECTION_COLD;
	uint64_t start = cold ? hot_size : table_end;
	uint64_t end = cold ? file_size : hot_size;

	return section->offset % ALIGNMENT == 0 && section->offset >= start &&
	       section->offset <= end &&
	       section->length <= end - section->offset;
}

/* Types of later versions may have flags that mean nothing to us. */
static bool has_known_flags(const struct section *section, bool with_code)
{
	switch (section->type) {
	case SECTION_KEY:
	case SECTION_METADATA:
		return section->flags == 0;
	case SECTION_BINARY:
		return section->flags == (with_code ? SECTION_COLD : 0);
	case SECTION_TEXTS:
		return section->flags == SECTION_COLD;
	case SECTION_CODE:
		return with_code && section->flags == 0;
	default:
		return true;
	}
}

static bool has_code(const unsigned char *hot)
{
	return version_of(hot) == OCC_ENTRY_VERSION_CODE;
}

/* Both are inside the file, so the sums can't overflow. */
static bool overlaps(const struct section *one, const struct section *other)
{
	return one->offset < other->offset + other->length &&
	       other->offset < one->offset + one->length;
}

static bool sections_are_valid(const unsigned char *hot, uint64_t hot_size,
			       uint64_t file_size)
{
	uint32_t count = section_count(hot);
	uint64_t table_end = OCC_ENTRY_HEADER_SIZE + count * SECTION_SIZE;

	for (uint32_t i = 0; i < count; i++) {
		struct section section = section_at(hot, i);

		if (!is_inside(&section, table_end, hot_size, file_size) ||
		    !has_known_flags(&section, has_code(hot)))
			return false;
		for (uint32_t j = 0; j < i; j++) {
			struct section other = section_at(hot, j);

			if (other.type == section.type ||
			    overlaps(&other, &section))
				return false;
		}
	}
	return true;
}

static bool find_section(const unsigned char *hot, enum section_type type,
			 struct section *ret_section)
{
	for (uint32_t i = 0; i < section_count(hot); i++) {
		*ret_section = section_at(hot, i);
		if (ret_section->type == type)
			return true;
	}
	return false;
}

static bool find_span(const unsigned char *hot, enum section_type type,
		      struct occ_span *ret_span)
{
	struct section section;

	if (!find_section(hot, type, &section))
		return false;
	ret_span->data = hot + section.offset;
	ret_span->size = (size_t)section.length;
	return true;
}

/* The binary, or what there is in its place. */
static bool find_program(const unsigned char *hot, struct occ_entry *entry)
{
	struct section section;

	if (!has_code(hot))
		return find_span(hot, SECTION_BINARY, &entry->binary);
	return find_section(hot, SECTION_BINARY, &section) &&
	       find_span(hot, SECTION_CODE, &entry->code);
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
	hot_checksum(hot, hot_size, &checksum);
	if (memcmp(checksum.bytes, hot + AT_CHECKSUM, OCC_DIGEST_SIZE) != 0 ||
	    !sections_are_valid(hot, hot_size, file_size) ||
	    !find_span(hot, SECTION_KEY, &entry.key) ||
	    !find_span(hot, SECTION_METADATA, &entry.metadata) ||
	    !find_program(hot, &entry))
		return OCC_E_CORRUPT;
	memcpy(entry.hash.bytes, hot + AT_HASH, OCC_DIGEST_SIZE);
	*ret_entry = entry;
	return OCC_OK;
}

/* Of a file's first bytes: do they have the whole table? */
static int check_head(const unsigned char *head, size_t head_size,
		      uint64_t file_size, uint64_t *ret_table_end,
		      size_t *ret_hot_size)
{
	int error;

	if (head_size < OCC_ENTRY_HEADER_SIZE)
		return OCC_E_CORRUPT;
	error = occ_entry_hot_size(head, file_size, ret_hot_size);
	if (error)
		return error;
	*ret_table_end = OCC_ENTRY_HEADER_SIZE +
			 (uint64_t)section_count(head) * SECTION_SIZE;
	return *ret_table_end > head_size ? OCC_E_CORRUPT : OCC_OK;
}

int occ_entry_find_key(const unsigned char *head, size_t head_size,
		       uint64_t file_size, struct occ_digest *ret_hash,
		       uint64_t *ret_offset, uint64_t *ret_size)
{
	struct section section;
	uint64_t table_end;
	size_t hot_size;
	int error =
		check_head(head, head_size, file_size, &table_end, &hot_size);

	if (error)
		return error;
	if (!find_section(head, SECTION_KEY, &section) ||
	    !is_inside(&section, table_end, hot_size, file_size))
		return OCC_E_CORRUPT;
	memcpy(ret_hash->bytes, head + AT_HASH, OCC_DIGEST_SIZE);
	*ret_offset = section.offset;
	*ret_size = section.length;
	return OCC_OK;
}

int occ_entry_find_parts(const unsigned char *head, size_t head_size,
			 uint64_t file_size, struct occ_entry_parts *ret_parts)
{
	struct section key, metadata, binary, code;
	uint64_t table_end;
	size_t hot_size;
	int error =
		check_head(head, head_size, file_size, &table_end, &hot_size);

	if (error)
		return error;
	if (!sections_are_valid(head, hot_size, file_size) ||
	    !find_section(head, SECTION_KEY, &key) ||
	    !find_section(head, SECTION_METADATA, &metadata) ||
	    !find_section(head, SECTION_BINARY, &binary))
		return OCC_E_CORRUPT;
	memcpy(ret_parts->hash.bytes, head + AT_HASH, OCC_DIGEST_SIZE);
	ret_parts->key = (struct occ_entry_part){key.offset, key.length};
	ret_parts->metadata =
		(struct occ_entry_part){metadata.offset, metadata.length};
	ret_parts->binary =
		(struct occ_entry_part){binary.offset, binary.length};
	ret_parts->code = (struct occ_entry_part){0, 0};
	if (find_section(head, SECTION_CODE, &code))
		ret_parts->code =
			(struct occ_entry_part){code.offset, code.length};
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
			     const struct section *section)
{
	struct occ_digest checksum;

	if (!(section->flags & SECTION_COLD))
		return true;
	occ_digest(file + section->offset, (size_t)section->length,
		   OCC_SEED_CHECKSUM, &checksum);
	return !memcmp(checksum.bytes, section->checksum, OCC_DIGEST_SIZE);
}

static struct occ_span span_of(const unsigned char *file,
			       const struct section *section)
{
	return (struct occ_span){file + section->offset,
				 (size_t)section->length};
}

int occ_entry_check_cold(const unsigned char *file, size_t file_size)
{
	if (!is_whole(file, file_size))
		return OCC_E_CORRUPT;
	for (uint32_t i = 0; i < section_count(file); i++) {
		struct section section = section_at(file, i);

		if (!section_is_right(file, &section))
			return OCC_E_CORRUPT;
	}
	return OCC_OK;
}

int occ_entry_texts(const unsigned char *file, size_t file_size,
		    struct occ_span *ret_fields)
{
	struct section section;

	if (!is_whole(file, file_size))
		return OCC_E_CORRUPT;
	if (!find_section(file, SECTION_TEXTS, &section)) {
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
	struct section section;

	if (!is_whole(file, file_size) ||
	    !find_section(file, SECTION_BINARY, &section) ||
	    !section_is_right(file, &section))
		return OCC_E_CORRUPT;
	*ret_binary = span_of(file, &section);
	return OCC_OK;
}

/* What an entry is to have. */
struct changes {
	const struct occ_span *metadata; /* NULL: what it has */
	struct occ_span binary;		 /* NULL data: the same */
	struct occ_span code;		 /* NULL data: none, whatever it has */
};

/* The section's bytes as they are to be; false: it goes. */
static bool changed(const unsigned char *file, const struct section *section,
		    const struct changes *changes, struct occ_span *ret_bytes)
{
	*ret_bytes = span_of(file, section);
	switch (section->type) {
	case SECTION_METADATA:
		if (changes->metadata)
			*ret_bytes = *changes->metadata;
		return true;
	case SECTION_BINARY:
		if (changes->binary.data)
			*ret_bytes = changes->binary;
		return true;
	case SECTION_CODE:
		*ret_bytes = changes->code;
		return changes->code.data;
	default:
		return true;
	}
}

/* Where the binary is to be depends on the code. */
static bool is_to_be_cold(const struct section *section,
			  const struct changes *changes)
{
	if (section->type == SECTION_BINARY)
		return changes->code.data;
	return section->flags & SECTION_COLD;
}

/* The hot sections, or the cold ones; returns how many there are by now. */
static uint32_t copy_sections(const unsigned char *file, uint32_t index,
			      bool cold, const struct changes *changes,
			      struct occ_buffer *ret_file)
{
	for (uint32_t i = 0; i < section_count(file); i++) {
		struct section section = section_at(file, i);
		struct occ_span bytes;

		if (is_to_be_cold(&section, changes) != cold ||
		    !changed(file, &section, changes, &bytes))
			continue;
		/* What stays cold keeps its checksum, right or wrong. */
		if (section.type != SECTION_BINARY ||
		    (section.flags & SECTION_COLD && cold &&
		     !changes->binary.data))
			append_section(ret_file, index++, &section, bytes);
		else if (cold)
			append_cold(ret_file, index++, SECTION_BINARY, bytes);
		else
			append_hot(ret_file, index++, SECTION_BINARY, bytes);
	}
	return index;
}

static void recode(const unsigned char *file, const struct changes *changes,
		   struct occ_buffer *ret_file)
{
	bool adds = changes->code.data && !has_code(file);
	bool drops = !changes->code.data && has_code(file);
	uint32_t count = section_count(file) + adds - drops, index;
	size_t hot_size;

	append_head(ret_file, count);
	index = copy_sections(file, 0, false, changes, ret_file);
	if (adds)
		append_hot(ret_file, index++, SECTION_CODE, changes->code);
	hot_size = ret_file->size;
	copy_sections(file, index, true, changes, ret_file);
	write_header(file + AT_HASH,
		     changes->code.data ? OCC_ENTRY_VERSION_CODE
					: OCC_ENTRY_VERSION,
		     count, hot_size, ret_file);
}

void occ_entry_recode(const unsigned char *file, struct occ_span metadata,
		      struct occ_span binary, struct occ_buffer *ret_file)
{
	struct changes changes = {.metadata = &metadata, .binary = binary};

	/* Code of another binary would be wrong. */
	if (has_code(file) && !binary.data)
		find_span(file, SECTION_CODE, &changes.code);
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
	return (struct occ_span){field.payload, (size_t)field.length};
}

void occ_meta_append_number(struct occ_buffer *metadata, enum occ_meta_field id,
			    uint64_t number)
{
	unsigned char bytes[8];

	occ_put_u64(bytes, number);
	occ_field_append(metadata, (uint16_t)id, bytes, sizeof(bytes));
}
