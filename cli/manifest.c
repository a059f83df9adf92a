/* SPDX-License-Identifier: MIT */
#include "cli/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

static const char first_line[] = "oclcache-manifest 1\n";

void occ_manifest_begin(struct occ_buffer *manifest)
{
	occ_buffer_append(manifest, first_line, strlen(first_line));
}

void occ_manifest_add(struct occ_buffer *manifest, const char *name,
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

bool occ_manifest_next(const struct occ_buffer *manifest, size_t *offset,
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
	return occ_name_kind(ret_name) == OCC_NAME_ENTRY ||
	       occ_name_kind(ret_name) == OCC_NAME_INCLUDED;
}

size_t occ_manifest_count(const struct occ_buffer *manifest)
{
	char name[OCC_NAME_SIZE];
	size_t count = 0, offset = 0;
	uint64_t size;

	while (occ_manifest_next(manifest, &offset, name, &size))
		count++;
	return count;
}

uint64_t occ_manifest_total(const struct occ_buffer *manifest)
{
	char name[OCC_NAME_SIZE];
	uint64_t total = 0, size;
	size_t offset = 0;

	while (occ_manifest_next(manifest, &offset, name, &size))
		total = size > UINT64_MAX - total ? UINT64_MAX : total + size;
	return total;
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

size_t occ_manifest_missing(const struct occ_buffer *manifest,
			    const struct occ_buffer *came)
{
	const char **names, *at = (const char *)came->data;
	size_t count = 0, missing = 0, offset = 0;
	char wanted[OCC_NAME_SIZE];
	const char *key = wanted;
	uint64_t size;

	for (size_t i = 0; i < came->size; i++)
		count += !came->data[i];
	names = occ_message_must(calloc(count + 1, sizeof(*names)));
	for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
		names[i] = at;
	qsort(names, count, sizeof(*names), compare);
	while (occ_manifest_next(manifest, &offset, wanted, &size))
		missing +=
			!bsearch(&key, names, count, sizeof(*names), compare);
	free(names);
	return missing;
}
