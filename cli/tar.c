/* SPDX-License-Identifier: MIT */
#include "cli/tar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of POSIX.1-1988, and GNU's where it differs. */
struct header {
	char name[100];
	char mode[8];
	char user[8];
	char group[8];
	char size[12];
	char modified[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user_name[32];
	char group_name[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char rest[12];
};

_Static_assert(sizeof(struct header) == OCC_TAR_BLOCK, "a header is a block");

/* As all tar programs have it: 20 blocks. */
#define RECORD		   ((uint64_t)20 * OCC_TAR_BLOCK)

/* Headers for the next one, such as long names: longer ones are no names. */
#define EXTENSION_MAX	   ((uint64_t)1 << 20)

/* One after the other; more are made by intent. */
#define EXTENSIONS_MAX	   16

/* In GNU's headers of sparse files: is there another block? */
#define AT_GNU_EXTENDED	   482
#define AT_SPARSE_EXTENDED 504

static unsigned sum_of(const struct header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	unsigned sum = 0;

	for (size_t i = 0; i < sizeof(*header); i++)
		sum += bytes[i];
	/* The field itself counts as blanks. */
	for (size_t i = 0; i < sizeof(header->checksum); i++)
		sum += ' ' - (unsigned char)header->checksum[i];
	return sum;
}

static bool write_zeros(FILE *stream, size_t size)
{
	static const char zeros[OCC_TAR_BLOCK];

	return fwrite(zeros, 1, size, stream) == size;
}

static size_t padding_of(uint64_t size)
{
	return (size_t)((OCC_TAR_BLOCK - size % OCC_TAR_BLOCK) % OCC_TAR_BLOCK);
}

bool occ_tar_write(FILE *stream, const char *name, int64_t modified,
		   const void *data, size_t size, uint64_t *written)
{
	struct header header = {.type = '0'};

	if (strlen(name) > sizeof(header.name) || size >> 33) {
		errno = EINVAL;
		return false;
	}
	memcpy(header.name, name, strlen(name));
	memcpy(header.mode, "0000600", 8);
	memcpy(header.user, "0000000", 8);
	memcpy(header.group, "0000000", 8);
	snprintf(header.size, sizeof(header.size), "%011llo",
		 (unsigned long long)size);
	snprintf(header.modified, sizeof(header.modified), "%011llo",
		 modified > 0 ? (unsigned long long)modified & 077777777777
			      : 0ull);
	memcpy(header.magic, "ustar", 6);
	memcpy(header.version, "00", 2);
	snprintf(header.checksum, sizeof(header.checksum), "%06o",
		 sum_of(&header));
	header.checksum[7] = ' ';
	*written += OCC_TAR_BLOCK + size + padding_of(size);
	return fwrite(&header, sizeof(header), 1, stream) == 1 &&
	       fwrite(data, 1, size, stream) == size &&
	       write_zeros(stream, padding_of(size));
}

bool occ_tar_write_end(FILE *stream, uint64_t written)
{
	uint64_t end = written + (uint64_t)2 * OCC_TAR_BLOCK;
	uint64_t blocks = 2 + (RECORD - end % RECORD) % RECORD / OCC_TAR_BLOCK;

	while (blocks--)
		if (!write_zeros(stream, OCC_TAR_BLOCK))
			return false;
	return true;
}

/* Octal digits between blanks, or GNU's binary form; false: neither. */
static bool parse_number(const char *text, size_t length, uint64_t *ret_number)
{
	size_t i = 0;

	*ret_number = 0;
	if ((unsigned char)text[0] == 0x80) {
		for (i = 1; i < length; i++) {
			if (*ret_number >> 55)
				return false;
			*ret_number = *ret_number << 8 | (unsigned char)text[i];
		}
		return true;
	}
	while (i < length && text[i] == ' ')
		i++;
	for (; i < length && text[i] >= '0' && text[i] <= '7'; i++)
		*ret_number = *ret_number << 3 | (uint64_t)(text[i] - '0');
	return i == length || text[i] == ' ' || !text[i];
}

static bool is_packed(const struct header *header)
{
	static const struct {
		const char *magic;
		size_t size;
	} packers[] = {{"\x1f\x8b", 2},
		       {"\x28\xb5\x2f\xfd", 4},
		       {"\xfd"
			"7zXZ",
			5},
		       {"BZh", 3}};

	for (size_t i = 0; i < sizeof(packers) / sizeof(*packers); i++)
		if (!memcmp(header->name, packers[i].magic, packers[i].size))
			return true;
	return false;
}

size_t occ_tar_read(struct occ_tar_reader *reader, void *data, size_t size)
{
	size_t count;

	if (size > reader->left)
		size = (size_t)reader->left;
	count = fread(data, 1, size, reader->stream);
	reader->left -= count;
	return count;
}

/* What wasn't read of a member, and what is behind it. False: it is cut. */
static bool skip(struct occ_tar_reader *reader)
{
	char bytes[16 << 10];

	reader->left += reader->padding;
	reader->padding = 0;
	while (reader->left)
		if (!occ_tar_read(reader, bytes, sizeof(bytes)))
			return false;
	return true;
}

static enum occ_tar_result read_header(struct occ_tar_reader *reader,
				       struct header *ret_header)
{
	static const struct header zero;
	uint64_t checksum;
	size_t count;

	if (!skip(reader))
		return OCC_TAR_CUT;
	count = fread(ret_header, 1, sizeof(*ret_header), reader->stream);
	if (count < sizeof(*ret_header)) {
		return count && is_packed(ret_header) ? OCC_TAR_PACKED
						      : OCC_TAR_CUT;
	}
	if (!memcmp(ret_header, &zero, sizeof(zero)))
		return OCC_TAR_END;
	if (parse_number(ret_header->checksum, sizeof(ret_header->checksum),
			 &checksum) &&
	    checksum == sum_of(ret_header))
		return OCC_TAR_MEMBER;
	return is_packed(ret_header) ? OCC_TAR_PACKED : OCC_TAR_BAD;
}

/* What earlier headers say of the next member. */
struct extended {
	char name[OCC_TAR_NAME_SIZE]; /* empty: nothing */
	bool has_size;
	uint64_t size;
	bool sparse;
};

static bool set_name(struct extended *extended, const char *name, size_t size)
{
	if (size >= sizeof(extended->name))
		return false;
	memcpy(extended->name, name, size);
	extended->name[size] = '\0';
	return true;
}

static bool apply(struct extended *extended, const char *keyword,
		  size_t keyword_size, const char *value, size_t value_size)
{
	char *end;

	if (keyword_size == 4 && !memcmp(keyword, "path", 4))
		return set_name(extended, value, value_size);
	if (keyword_size == 4 && !memcmp(keyword, "size", 4)) {
		extended->size = strtoull(value, &end, 10);
		extended->has_size = true;
		return end == value + value_size &&
		       extended->size < UINT64_MAX / 2;
	}
	if (keyword_size >= 10 && !memcmp(keyword, "GNU.sparse", 10))
		extended->sparse = true;
	return true;
}

/* Records "LENGTH KEYWORD=VALUE\n", the length that of all of it. */
static bool parse_pax(struct extended *extended, const char *text, size_t size)
{
	while (size) {
		char *end;
		unsigned long long length = strtoull(text, &end, 10);
		const char *keyword = end + 1, *equals;

		if (end == text || *end != ' ' || length > size ||
		    length < (size_t)(keyword - text) + 2 ||
		    text[length - 1] != '\n')
			return false;
		equals =
			memchr(keyword, '=', (size_t)(text + length - keyword));
		if (!equals ||
		    !apply(extended, keyword, (size_t)(equals - keyword),
			   equals + 1,
			   (size_t)(text + length - 1 - (equals + 1))))
			return false;
		text += length;
		size -= (size_t)length;
	}
	return true;
}

/* False: it can't be understood, and what is behind it neither. */
static bool extend(struct occ_tar_reader *reader, char type,
		   struct extended *extended)
{
	size_t size = (size_t)reader->left;
	bool understood = false;
	char *text;

	/* Of links, and of the whole archive: nothing is needed of them. */
	if (type == 'K' || type == 'g')
		return true;
	text = reader->left > EXTENSION_MAX ? NULL : malloc(size + 1);
	if (text && occ_tar_read(reader, text, size) == size) {
		text[size] = '\0';
		understood = type == 'L'
				     ? set_name(extended, text, strlen(text))
				     : parse_pax(extended, text, size);
	}
	free(text);
	return understood;
}

static void take_name(const struct header *header, char *ret_name)
{
	bool posix = !memcmp(header->magic, "ustar", 6);
	int prefix =
		posix ? (int)strnlen(header->prefix, sizeof(header->prefix))
		      : 0;
	int size = (int)strnlen(header->name, sizeof(header->name));

	snprintf(ret_name, OCC_TAR_NAME_SIZE, "%.*s%s%.*s", prefix,
		 header->prefix, prefix ? "/" : "", size, header->name);
}

static enum occ_tar_kind kind_of(char type, const char *name, bool sparse)
{
	size_t length = strlen(name);

	if (sparse)
		return OCC_TAR_OTHER;
	if (type == '5' ||
	    (type != '0' && !type && length && name[length - 1] == '/'))
		return OCC_TAR_DIRECTORY;
	return type == '0' || !type || type == '7' ? OCC_TAR_FILE
						   : OCC_TAR_OTHER;
}

/* GNU's sparse files may have more blocks of header. */
static bool skip_sparse(struct occ_tar_reader *reader,
			const struct header *header)
{
	unsigned char block[OCC_TAR_BLOCK];
	bool more = ((const unsigned char *)header)[AT_GNU_EXTENDED];

	while (more) {
		if (fread(block, sizeof(block), 1, reader->stream) != 1)
			return false;
		more = block[AT_SPARSE_EXTENDED];
	}
	return true;
}

/* Links and the like have no data, whatever they say. */
static bool has_data(char type)
{
	return type < '1' || type > '6';
}

static bool begin_data(struct occ_tar_reader *reader,
		       const struct header *header)
{
	uint64_t size;

	if (!parse_number(header->size, sizeof(header->size), &size))
		return false;
	reader->left = has_data(header->type) ? size : 0;
	reader->padding = (unsigned)padding_of(reader->left);
	return true;
}

enum occ_tar_result occ_tar_next(struct occ_tar_reader *reader,
				 struct occ_tar_member *ret_member)
{
	struct extended extended = {.name = ""};
	enum occ_tar_result result;
	struct header header;

	if (reader->ended)
		return OCC_TAR_END;
	for (int i = 0;; i++) {
		result = read_header(reader, &header);
		reader->ended = result != OCC_TAR_MEMBER;
		if (result != OCC_TAR_MEMBER)
			return result;
		if (i == EXTENSIONS_MAX || !begin_data(reader, &header))
			return OCC_TAR_BAD;
		if (!header.type || !strchr("xgLK", header.type))
			break;
		if (!extend(reader, header.type, &extended))
			return feof(reader->stream) ? OCC_TAR_CUT : OCC_TAR_BAD;
	}
	take_name(&header, ret_member->name);
	if (*extended.name)
		memcpy(ret_member->name, extended.name, sizeof(extended.name));
	if (extended.has_size && has_data(header.type)) {
		reader->left = extended.size;
		reader->padding = (unsigned)padding_of(extended.size);
	}
	if (header.type == 'S' && !skip_sparse(reader, &header))
		return OCC_TAR_CUT;
	ret_member->kind = kind_of(header.type, ret_member->name,
				   extended.sparse || header.type == 'S');
	ret_member->size = reader->left;
	return OCC_TAR_MEMBER;
}

static const char first_line[] = "oclcache-manifest 1\n";

void occ_tar_manifest_begin(struct occ_buffer *manifest)
{
	occ_buffer_append(manifest, first_line, strlen(first_line));
}

void occ_tar_manifest_add(struct occ_buffer *manifest, const char *name,
			  uint64_t size, const struct occ_digest *digest)
{
	char line[OCC_NAME_SIZE + 80], hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(digest, hex);
	snprintf(line, sizeof(line), "%s %" PRIu64 " %s\n", name, size, hex);
	occ_buffer_append(manifest, line, strlen(line));
}

/* Decimal digits up to anything else; too many of them: the largest number. */
static uint64_t parse_size(const unsigned char *at, const unsigned char *end)
{
	uint64_t size = 0;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		if (size > (UINT64_MAX - 9) / 10)
			return UINT64_MAX;
		size = size * 10 + (uint64_t)(*at - '0');
	}
	return size;
}

bool occ_tar_manifest_next(const struct occ_buffer *manifest, size_t *offset,
			   char ret_name[OCC_NAME_SIZE], uint64_t *ret_size)
{
	size_t head = strlen(first_line), length = 0, line;
	const unsigned char *at, *end;

	if (!*offset) {
		if (manifest->size < head ||
		    memcmp(manifest->data, first_line, head) != 0)
			return false;
		*offset = head;
	}
	if (*offset >= manifest->size)
		return false;
	at = manifest->data + *offset;
	end = memchr(at, '\n', manifest->size - *offset);
	line = end ? (size_t)(end - at) : manifest->size - *offset;
	while (length < line && at[length] != ' ')
		length++;
	if (length >= OCC_NAME_SIZE)
		return false;
	memcpy(ret_name, at, length);
	ret_name[length] = '\0';
	*ret_size = length < line ? parse_size(at + length + 1, at + line) : 0;
	*offset += line + 1;
	return occ_name_kind(ret_name) == OCC_NAME_ENTRY;
}

uint64_t occ_tar_manifest_total(const struct occ_buffer *manifest)
{
	char name[OCC_NAME_SIZE];
	uint64_t total = 0, size;
	size_t offset = 0;

	while (occ_tar_manifest_next(manifest, &offset, name, &size))
		total = size > UINT64_MAX - total ? UINT64_MAX : total + size;
	return total;
}
