/* SPDX-License-Identifier: MIT */
/*
 * The entry codec: one program for one device as the bytes of a file, and
 * back. Pure memory, no I/O. doc/format.md has the format byte by byte.
 *
 * An entry is a header, a section table and sections. The *hot* part (header,
 * table, key, metadata, binary) comes first and has one checksum; the *cold*
 * part (the text of key fields that are too long to be compared in full) comes
 * last, with a checksum for each section, and a hit doesn't read it.
 *
 * An entry may have *device code*, too: what the driver would make of the
 * binary each time that it loads it. Then a hit needs that alone: the code is
 * hot and the binary cold.
 *
 * Invariants:
 * (E1) occ_entry_decode() accepts only bytes whose lengths, checksum, name
 *      hash and version are right; nothing else gives out a pointer to the
 *      binary.
 * (E2) What decodes was encoded: every byte of the hot part is under the
 *      checksum, padding included.
 * (E3) Sections lie inside the file, hot ones inside the hot part, and neither
 *      overlap nor come twice. Types unknown to this version are skipped.
 */
#ifndef OCC_CACHE_ENTRY_H
#define OCC_CACHE_ENTRY_H

#include "cache/error.h"
#include "hash/key.h"

#define OCC_ENTRY_VERSION      1

/* Of entries with device code; who doesn't know it leaves them alone. */
#define OCC_ENTRY_VERSION_CODE 2

/* Bytes to read before the size of the hot part is known. */
#define OCC_ENTRY_HEADER_SIZE  64

/* Sections of a file: more than any version will need, to bound the work. */
#define OCC_ENTRY_SECTIONS_MAX 64
#define OCC_ENTRY_SECTION_SIZE 40

/* (S12) No file is larger. One that is is corrupt, and isn't read. */
#define OCC_ENTRY_SIZE_MAX     (UINT64_C(1) << 30)

/* Header and section table are never longer. */
#define OCC_ENTRY_HEAD_SIZE                                                    \
	(OCC_ENTRY_HEADER_SIZE +                                               \
	 OCC_ENTRY_SECTIONS_MAX * OCC_ENTRY_SECTION_SIZE)

/*
 * Metadata: fields (hash/buffer.h) with these ids, all OCC_FIELD_BYTES.
 * Absent means the driver didn't answer. Numbers are u64 little-endian.
 * Unknown ids are skipped, so that later versions can add some.
 */
enum occ_meta_field {
	OCC_META_BUILD_LOG = 1,	    /* as the driver answered, NUL included */
	OCC_META_BUILD_OPTIONS = 2, /* as the driver answered, NUL included */
	OCC_META_BINARY_TYPE = 3,   /* CL_PROGRAM_BINARY_TYPE */
	OCC_META_KERNEL_COUNT = 4,  /* CL_PROGRAM_NUM_KERNELS */
	OCC_META_KERNEL_NAMES = 5,  /* CL_PROGRAM_KERNEL_NAMES, NUL included */
	OCC_META_COMPILE_TIME = 6, /* ns that the driver took, the first time */
	OCC_META_CREATED = 7,	   /* s since 1970 */
	OCC_META_WRITER = 8,	   /* "oclcache 0.1.0" */
	OCC_META_KERNELS = 9,	   /* descriptions of kernels, nested fields */
	OCC_META_ANSWERS = 10,	   /* other answers of the driver, the same */
	OCC_META_COMPLETENESS = 11, /* enum occ_completeness */
};

/*
 * When the binary was fetched: drivers exist that compile the rest of a program
 * when kernels are made, or launched. The numbers are stored.
 */
enum occ_completeness {
	OCC_COMPLETE_BUILT = 1,	   /* right after the build */
	OCC_COMPLETE_KERNELS = 2,  /* while there were kernels */
	OCC_COMPLETE_RELEASED = 3, /* when its kernels were no more used */
};

/* A decoded entry; all pointers are into the memory that was decoded. */
struct occ_entry {
	struct occ_digest hash;
	struct occ_span key;	  /* struct occ_key's `stored` */
	struct occ_span metadata; /* fields with enum occ_meta_field ids */
	/* NULL data with device code, of the hot part: occ_entry_binary(). */
	struct occ_span binary;
	struct occ_span code; /* struct occ_code; NULL data: none */
};

/*
 * Makes the file for the finished `key`, with the program binary and metadata
 * fields, in `ret_file`, which starts empty. Its `failed` says whether memory
 * ran out. The same arguments give the same bytes.
 */
void occ_entry_encode(const struct occ_key *key, struct occ_span metadata,
		      struct occ_span binary, struct occ_buffer *ret_file);

/*
 * Makes the file of an entry, given whole and accepted by occ_entry_decode(),
 * once more with other metadata and binary; a binary without data stays as it
 * is. All else stays: the key, the cold part (with its checksum, right or
 * wrong) and sections of later versions; device code only with its binary.
 */
void occ_entry_recode(const unsigned char *file, struct occ_span metadata,
		      struct occ_span binary, struct occ_buffer *ret_file);

/*
 * The same with other device code, or with none when that is empty. A cold
 * binary must have been verified by occ_entry_binary(); all else stays.
 */
void occ_entry_recode_code(const unsigned char *file, struct occ_span code,
			   struct occ_buffer *ret_file);

/*
 * Looks at the first OCC_ENTRY_HEADER_SIZE bytes of a file of `file_size`
 * bytes. Returns OCC_OK and the number of bytes of the hot part (header
 * included, at most `file_size`), OCC_E_VERSION or OCC_E_CORRUPT.
 */
int occ_entry_hot_size(const unsigned char *header, uint64_t file_size,
		       size_t *ret_hot_size);

/* Where parts of a file lie, in bytes from its beginning. */
struct occ_entry_part {
	uint64_t offset;
	uint64_t size;
};

struct occ_entry_parts {
	struct occ_digest hash;
	struct occ_entry_part key, metadata, binary;
	struct occ_entry_part code; /* size 0: none */
};

/*
 * Where these sections lie in a file, by its first bytes alone: up to
 * OCC_ENTRY_HEAD_SIZE of them, or all when there are fewer. Nothing is verified
 * but that all sections lie within the file and don't overlap: for looking
 * through many entries, not for a hit. OCC_OK, OCC_E_VERSION or OCC_E_CORRUPT.
 */
int occ_entry_find_parts(const unsigned char *head, size_t head_size,
			 uint64_t file_size, struct occ_entry_parts *ret_parts);

/*
 * Verifies and decodes the hot part. `file_size` is the whole file's. Returns
 * OCC_OK, OCC_E_VERSION or OCC_E_CORRUPT; on failure *ret_entry is untouched.
 */
int occ_entry_decode(const unsigned char *hot, size_t hot_size,
		     uint64_t file_size, struct occ_entry *ret_entry);

/*
 * Verifies the cold part of a whole file that occ_entry_decode() accepted and
 * gives the fields (enum occ_key_field ids) that lie in it. Returns OCC_OK or
 * OCC_E_CORRUPT.
 */
int occ_entry_texts(const unsigned char *file, size_t file_size,
		    struct occ_span *ret_fields);

/*
 * The binary of a whole file that occ_entry_decode() accepted, verified where
 * it is cold. OCC_OK or OCC_E_CORRUPT.
 */
int occ_entry_binary(const unsigned char *file, size_t file_size,
		     struct occ_span *ret_binary);

/*
 * Verifies the checksums of all cold sections of a whole file that
 * occ_entry_decode() accepted, also of types unknown to this version. OCC_OK or
 * OCC_E_CORRUPT.
 */
int occ_entry_check_cold(const unsigned char *file, size_t file_size);

/*
 * Is all of a whole file that occ_entry_decode() accepted header, table and
 * sections, but for the zeros before what is aligned and in what isn't used?
 */
bool occ_entry_is_tight(const unsigned char *file, size_t file_size);

/*
 * Has a file that occ_entry_decode() accepted sections of types that this
 * version doesn't know?
 */
bool occ_entry_has_unknown(const unsigned char *file);

/* A number from the metadata, or `otherwise` when absent or malformed. */
uint64_t occ_entry_number(const struct occ_entry *entry, enum occ_meta_field id,
			  uint64_t otherwise);

/* A byte string from the metadata; data is NULL when absent. */
struct occ_span occ_entry_bytes(const struct occ_entry *entry,
				enum occ_meta_field id);

/* Appends a number as the metadata keeps it. */
void occ_meta_append_number(struct occ_buffer *metadata, enum occ_meta_field id,
			    uint64_t number);

/*
 * Device code, as an entry's section has it: bytes that a driver loads in place
 * of the binary, behind what says for which device, and by whom, they were
 * made. The driver and its version are in the entry's key.
 */

/*
 * The number of the maker, which goes up when what it made before isn't to be
 * loaded any more. Code of another one is as if there were none.
 */
#define OCC_CODE_MAKER	   1

/* Before the bytes: u32 maker, u32 capability, u64 zero. */
#define OCC_CODE_HEAD_SIZE 16

struct occ_code {
	uint32_t maker;
	/* Major << 16 | minor, by the device's own count; 0: it has none. */
	uint32_t capability;
	struct occ_span bytes;
};

/* Appends the section's bytes. */
void occ_code_append(const struct occ_code *code, struct occ_buffer *section);

/* False when it is too short. */
bool occ_code_parse(struct occ_span section, struct occ_code *ret_code);

#endif
