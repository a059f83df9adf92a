/* SPDX-License-Identifier: MIT */
/*
 * The layout of an entry's file, as doc/format.md has it: for the codec alone,
 * cache/entry.c and cache/entry_encode.c.
 */
#ifndef OCC_CACHE_ENTRY_FORMAT_H
#define OCC_CACHE_ENTRY_FORMAT_H

#include "cache/entry.h"

/* Offsets in the header. */
#define OCC_ENTRY_MAGIC_SIZE	   8
#define OCC_ENTRY_AT_VERSION	   8
#define OCC_ENTRY_AT_SECTION_COUNT 12
#define OCC_ENTRY_AT_FILE_SIZE	   16
#define OCC_ENTRY_AT_HOT_SIZE	   24
#define OCC_ENTRY_AT_HASH	   32
#define OCC_ENTRY_AT_CHECKSUM	   48

/* Of sections. */
#define OCC_ENTRY_ALIGNMENT	   64

/* A section's flag. */
#define OCC_ENTRY_COLD		   1

enum occ_entry_section_type {
	OCC_ENTRY_KEY = 1,
	OCC_ENTRY_METADATA = 2,
	OCC_ENTRY_BINARY = 3,
	OCC_ENTRY_TEXTS = 4,
	OCC_ENTRY_CODE = 5,
};

/* A line of the section table. */
struct occ_entry_section {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t length;
	const unsigned char *checksum; /* of cold sections */
};

extern const unsigned char occ_entry_magic[OCC_ENTRY_MAGIC_SIZE];

/*
 * Of the hot part but for the checksum field, in two steps, so that it needs
 * neither memory nor a copy: the digest of what is behind the header, put in
 * the place of the checksum field, and then the digest of that header.
 */
void occ_entry_hot_checksum(const unsigned char *hot, size_t hot_size,
			    struct occ_digest *ret_checksum);

/* The rest is for a file whose sections are known to lie within it. */
uint32_t occ_entry_section_count(const unsigned char *hot);
struct occ_entry_section occ_entry_section_at(const unsigned char *hot,
					      uint32_t index);

/* The section's bytes; false: there is none. */
bool occ_entry_find_bytes(const unsigned char *file,
			  enum occ_entry_section_type type,
			  struct occ_span *ret_bytes);

bool occ_entry_has_code(const unsigned char *hot);

#endif
