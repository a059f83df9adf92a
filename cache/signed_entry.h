/* SPDX-License-Identifier: MIT */
/*
 * An entry as it travels: the file of a store (cache/entry.h), and who vouches
 * for its parts. It is the value in a remote storage, and what an archive has
 * beside each entry (there without the file).
 *
 * Three parts are signed each for itself, because two of them come, or change,
 * later, maybe by another machine:
 *
 *	program		the key (hash, stored key, texts) and the binary
 *	metadata	the digest of the program, and the metadata
 *	device code	the digest of the program, and the code
 *
 * In an archive there is also what included files had (included_contents.h),
 * each with a signature of its own, for entries are compiled anew from it.
 *
 * Each is signed as a digest (occ_secure_digest_of()) with a domain of its own
 * ("oclcache program 1", ...). doc/format.md has the bytes.
 *
 * Admission, the one rule: an entry is admitted if it is whole (every checksum,
 * and its hash that of its key), its key is the one that was asked for, byte
 * for byte, also where the stored key has digests only, and program and
 * metadata are signed by trusted keys. Device code that isn't is left out, the
 * rest admitted. Where unsigned entries are accepted (cache/remote_setting.h;
 * `import --unsigned`), an entry without any signature is admitted; one with a
 * signature that isn't good never is. Sections of later versions are signed by
 * nobody: an entry that has some is refused, unless it is accepted unsigned.
 *
 * What is in the user's store was admitted: hits check nothing of this.
 *
 * Memory only. Any thread.
 */
#ifndef OCC_CACHE_SIGNED_ENTRY_H
#define OCC_CACHE_SIGNED_ENTRY_H

#include "cache/entry_file.h"
#include "cache/signature.h"
#include "hash/reason.h"

/* The value's first bytes, as cache/entry.h's: no text. */
#define OCC_SIGNED_ENTRY_MAGIC	     "\x8fOCR\r\n\x1a\n"
#define OCC_SIGNED_ENTRY_MAGIC_SIZE  8

/* The header's and that of three signatures with the longest names. */
#define OCC_SIGNED_ENTRY_HEADER_SIZE 32
#define OCC_ENTRY_SIGNATURES_MAX                                               \
	((size_t)3 *                                                           \
	 (OCC_FIELD_HEADER_SIZE + OCC_SIGNATURE_SIZE + OCC_KEY_NAME_MAX))

/* No value is larger; what is isn't read. */
#define OCC_SIGNED_ENTRY_SIZE_MAX                                              \
	(OCC_SIGNED_ENTRY_HEADER_SIZE + OCC_ENTRY_SIGNATURES_MAX +             \
	 OCC_ENTRY_SIZE_MAX)

/* The key of a remote storage: no 32 bytes are those of two keys. */
#define OCC_REMOTE_KEY_SIZE OCC_SECURE_DIGEST_SIZE
void occ_signed_entry_remote_key(const struct occ_digest *hash,
				 struct occ_span stored_key,
				 unsigned char ret_key[OCC_REMOTE_KEY_SIZE]);

struct occ_entry_signatures {
	bool has_program, has_metadata, has_code;
	bool has_contents; /* and nothing else then */
	struct occ_signature program, metadata, code, contents;
};

/* Signs the parts that a whole, verified file has. */
void occ_entry_sign(const struct occ_entry_file *whole,
		    const struct occ_signing_key *key,
		    struct occ_entry_signatures *ret_signatures);

/* Signs the contents of an included file, as a store has them. */
void occ_included_sign(struct occ_span contents,
		       const struct occ_signing_key *key,
		       struct occ_entry_signatures *ret_signatures);

/*
 * The signatures alone, as a file in an archive has them: the value without the
 * entry's file. False: those bytes aren't such ones, to the last byte.
 */
void occ_entry_signatures_encode(const struct occ_entry_signatures *signatures,
				 struct occ_buffer *bytes);
bool occ_entry_signatures_decode(struct occ_span bytes,
				 struct occ_entry_signatures *ret_signatures);

/* The value: header, signatures, the file's bytes. */
void occ_signed_entry_encode(const struct occ_entry_file *whole,
			     const struct occ_entry_signatures *signatures,
			     struct occ_buffer *value);

/* The texts are stable: they are counted and traced. */
enum occ_admission {
	OCC_ADMITTED,
	OCC_ADMITTED_UNSIGNED,	   /* accepted although nobody has signed it */
	OCC_ADMITTED_WITHOUT_CODE, /* its device code isn't vouched for */
	OCC_REFUSED_FORMAT,	   /* "damaged in transit" */
	OCC_REFUSED_VERSION,	   /* "written by another version" */
	OCC_REFUSED_KEY,	   /* "the entry belongs to another key" */
	OCC_REFUSED_UNSIGNED,	   /* "not signed" */
	OCC_REFUSED_UNTRUSTED,	   /* "signed by an unknown key" */
	OCC_REFUSED_SIGNATURE,	   /* "its signature is wrong" */
	OCC_REFUSED_MEMORY,
};
/* No reason where it is admitted. */
enum occ_reason occ_admission_reason(enum occ_admission admission);
const char *occ_admission_text(enum occ_admission admission);

/*
 * The one rule, of a whole file that occ_entry_file_verify() has accepted.
 * With OCC_ADMITTED_WITHOUT_CODE it is for the caller to drop that.
 */
enum occ_admission occ_entry_admit(
	const struct occ_entry_file *whole,
	const struct occ_entry_signatures *signatures,
	const struct occ_trusted_keys *keys, bool accepts_unsigned);

/* False: there is no memory, and it is released. */
bool occ_entry_drop_code(struct occ_entry_file *whole);

/* The one rule, of the contents of an included file. */
enum occ_admission occ_included_admit(
	struct occ_span contents, const struct occ_entry_signatures *signatures,
	const struct occ_trusted_keys *keys, bool accepts_unsigned);

/*
 * A value from a remote storage, to the last check: `key` is the one that was
 * asked for, with its texts (NULL: any). Below OCC_REFUSED_FORMAT *ret_whole is
 * the admitted entry, without device code that isn't vouched for, in memory of
 * its own: to be released. Else it is zeros.
 */
enum occ_admission occ_signed_entry_open(struct occ_span value,
					 const struct occ_key *key,
					 const struct occ_trusted_keys *keys,
					 bool accepts_unsigned,
					 struct occ_entry_file *ret_whole);

#endif
