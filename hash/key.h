/* SPDX-License-Identifier: MIT */
/*
 * The key of a build: everything that decides what the compiler would produce,
 * as length-framed fields (hash/buffer.h), and the hash that names its entry.
 *
 * Calling sequence:
 *
 *	struct occ_key key;
 *	occ_key_init(&key);
 *	occ_key_add(&key, OCC_KEY_OPTIONS, options, strlen(options));
 *	...
 *	if (occ_key_finish(&key) < 0)
 *		out of memory: treat the program as not cacheable
 *	use key.hash, key.stored and key.texts
 *	occ_key_release(&key);
 *
 * Invariants:
 * (K1) The hash is XXH3-128, OCC_SEED_NAME, over every field's header and
 *      bytes in full, in the order added. No byte is hashed unframed, so
 *      ("ab","c") and ("a","bc") differ.
 * (K2) `stored` is what an entry keeps and what a hit compares byte for byte:
 *      fields up to OCC_KEY_INLINE_MAX bytes in full, longer ones by length
 *      and a digest with OCC_SEED_FIELD, which is independent of (K1).
 * (K3) The same inputs give the same bytes on every machine.
 * (K4) An id may come several times: the order counts, and so does where one
 *      field ends and the next begins.
 *
 * Field ids are part of the file format (doc/format.md): never reuse one.
 */
#ifndef OCC_HASH_KEY_H
#define OCC_HASH_KEY_H

#include "hash/buffer.h"
#include "hash/digest.h"

/* Longer fields are stored as length and digest. */
#define OCC_KEY_INLINE_MAX   4096

/* Payloads of OCC_KEY_LINK_INPUT; their lengths tell them apart. */
#define OCC_KEY_INPUT_SIZE   32
#define OCC_KEY_BINARY_SIZE  44

/* A payload of OCC_KEY_INCLUDE_... before its path, and what is of content. */
#define OCC_KEY_FILE_HEAD    48
#define OCC_KEY_FILE_CONTENT 40

/* The tag of OCC_KEY_LINK_INPUT for an input that has no key. */
#define OCC_KEY_BINARY_TAG   1

enum occ_key_field {
	OCC_KEY_VERSION = 1,	    /* u32: meaning of all other fields */
	OCC_KEY_OPERATION = 2,	    /* "build", "compile", "link" */
	OCC_KEY_SOURCE = 3,	    /* the strings, concatenated */
	OCC_KEY_SOURCE_LENGTHS = 4, /* u64 per string: where they are cut */
	OCC_KEY_IL = 5,		    /* the intermediate language as given */
	OCC_KEY_OPTIONS = 6,	    /* raw bytes, never normalised */
	OCC_KEY_SPEC_CONSTANTS = 7, /* u32 id, u64 size, value; by rising id */
	/* Of each embedded header, in the order given: these three. */
	OCC_KEY_HEADER_NAME = 8,
	OCC_KEY_HEADER_SOURCE = 9,   /* the strings, concatenated */
	OCC_KEY_HEADER_LENGTHS = 10, /* u64 per string: where they are cut */
	/* Of each input, in the order given: occ_key_add_input(), _binary(). */
	OCC_KEY_LINK_INPUT = 11,
	/* The include closure (hash/closure.h), in the order of its search. */
	OCC_KEY_INCLUDE_FILE = 12,    /* u64 size, two digests, two u32, path */
	OCC_KEY_INCLUDE_PRESENT = 13, /* the same of one that is only there */
	OCC_KEY_PLATFORM_NAME = 16,
	OCC_KEY_PLATFORM_VENDOR = 17,
	OCC_KEY_PLATFORM_VERSION = 18,
	OCC_KEY_DEVICE_NAME = 19,
	OCC_KEY_DEVICE_VENDOR = 20,
	OCC_KEY_DEVICE_VERSION = 21,
	OCC_KEY_DRIVER_VERSION = 22,
	OCC_KEY_OPENCL_C_VERSION = 23,
	/*
	 * u64 each: type, vendor id, address bits; of Intel's GPUs then what
	 * cl_intel_device_attribute_query has, from the version of its
	 * architecture to features, and the PCI device's revision.
	 */
	OCC_KEY_DEVICE_NUMBERS = 24,
	OCC_KEY_DEVICE_EXTENSIONS = 25,
	/*
	 * What the driver consists of: of each part its name, ' ', and
	 * "build-id:" or "content:" with hex digits, or "absent"; each with its
	 * NUL, sorted by bytes. Twice for drivers that aren't listed:
	 * installed, then what was seen to be loaded for compiling.
	 */
	OCC_KEY_DRIVER_IDENTITY = 32,
	OCC_KEY_HOST_CPU = 33,	  /* CPU devices only */
	OCC_KEY_ENVIRONMENT = 34, /* NAME=value NUL, by rising name */
	OCC_KEY_EXECUTABLE = 35,  /* drivers that patch by program name */
};

/* A field longer than OCC_KEY_INLINE_MAX; `data` is borrowed. */
struct occ_key_text {
	uint16_t id;
	const void *data;
	size_t size;
};

struct occ_key {
	struct occ_buffer stored;
	struct occ_digest hash;	    /* valid after occ_key_finish() */
	struct occ_key_text *texts; /* in the order added */
	size_t text_count;
	size_t text_capacity;
	struct occ_digest_state *state;
	bool failed;
};

void occ_key_init(struct occ_key *key);

/*
 * Adds a field. `data` must stay as it is until occ_key_release() when it is
 * longer than OCC_KEY_INLINE_MAX, because `texts` borrows it.
 */
void occ_key_add(struct occ_key *key, enum occ_key_field id, const void *data,
		 size_t size);

/* Adds fields as occ_field_append() writes them; good ones. The same rule. */
void occ_key_add_fields(struct occ_key *key, const struct occ_buffer *fields);

/* Adds a NUL-terminated string, without its NUL; NULL counts as "". */
void occ_key_add_string(struct occ_key *key, enum occ_key_field id,
			const char *string);

/*
 * Adds an input of a link: a program of which the finished key of the compile
 * or link that made it is known. The field has the hash of that key and a
 * digest of its stored key, each made with a seed of its own.
 */
void occ_key_add_input(struct occ_key *key, const struct occ_key *input);

/*
 * The same for a program that came as bytes (from a binary or a file): a tag,
 * their number, and two digests of them. `data` isn't borrowed.
 */
void occ_key_add_binary(struct occ_key *key, const void *data, size_t size);

/* Ends the key. Returns 0, or -1 when memory ran out. */
int occ_key_finish(struct occ_key *key);

/* Frees everything; accepts a key in any state after occ_key_init(). */
void occ_key_release(struct occ_key *key);

/* A field's name for messages and traces, "unknown" for ids of others. */
const char *occ_key_field_name(uint16_t id);

#endif
