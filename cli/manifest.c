/* SPDX-License-Identifier: MIT */
#include "cli/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

bool occ_manifest_next(const struct occ_buffer *manifest, size_t *offset,
		       char ret_name[OCC_NAME_SIZE])
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
	*offset += line + 1;
	return occ_name_kind(ret_name) == OCC_NAME_ENTRY;
}
