/* SPDX-License-Identifier: MIT */
/* doc/format.md has the bytes. What is read here may be hostile. */
#include "cache/signed_entry.h"

#include <string.h>

#define VERSION		   1

/* Offsets in the header. */
#define AT_VERSION	   8
#define AT_FLAGS	   12
#define AT_FILE_SIZE	   16
#define AT_SIGNATURES_SIZE 24

static const unsigned char magic[OCC_SIGNED_ENTRY_MAGIC_SIZE] =
	OCC_SIGNED_ENTRY_MAGIC;

/* What signatures are of; also the ids of their fields. */
enum part {
	PART_PROGRAM = 1,
	PART_METADATA = 2,
	PART_CODE = 3,
	PART_CONTENTS = 4,
};

void occ_signed_entry_remote_key(const struct occ_digest *hash,
				 struct occ_span stored_key,
				 unsigned char ret_key[OCC_REMOTE_KEY_SIZE])
{
	const struct occ_span parts[] = {{hash->bytes, OCC_DIGEST_SIZE},
					 stored_key};
	struct occ_secure_digest digest;

	occ_secure_digest_of("oclcache key 1", parts, 2, &digest);
	memcpy(ret_key, digest.bytes, OCC_REMOTE_KEY_SIZE);
}

static void digest_program(const struct occ_entry_file *whole,
			   struct occ_secure_digest *ret_digest)
{
	const struct occ_entry *entry = &whole->entry;
	const struct occ_span parts[] = {{entry->hash.bytes, OCC_DIGEST_SIZE},
					 entry->key,
					 whole->texts,
					 entry->binary};

	occ_secure_digest_of("oclcache program 1", parts, 4, ret_digest);
}

/* What belongs to a program, and to no other. */
static void digest_with(const char *domain,
			const struct occ_secure_digest *program,
			struct occ_span bytes,
			struct occ_secure_digest *ret_digest)
{
	const struct occ_span parts[] = {{program->bytes,
					  OCC_SECURE_DIGEST_SIZE},
					 bytes};

	occ_secure_digest_of(domain, parts, 2, ret_digest);
}

static void digest_metadata(const struct occ_entry_file *whole,
			    const struct occ_secure_digest *program,
			    struct occ_secure_digest *ret_digest)
{
	digest_with("oclcache metadata 1", program, whole->entry.metadata,
		    ret_digest);
}

static void digest_code(const struct occ_entry_file *whole,
			const struct occ_secure_digest *program,
			struct occ_secure_digest *ret_digest)
{
	digest_with("oclcache device code 1", program, whole->entry.code,
		    ret_digest);
}

void occ_entry_sign(const struct occ_entry_file *whole,
		    const struct occ_signing_key *key,
		    struct occ_entry_signatures *ret_signatures)
{
	struct occ_secure_digest program, digest;

	*ret_signatures = (struct occ_entry_signatures){.has_program = true,
							.has_metadata = true};
	digest_program(whole, &program);
	occ_sign(key, &program, &ret_signatures->program);
	digest_metadata(whole, &program, &digest);
	occ_sign(key, &digest, &ret_signatures->metadata);
	if (!whole->entry.code.data)
		return;
	digest_code(whole, &program, &digest);
	occ_sign(key, &digest, &ret_signatures->code);
	ret_signatures->has_code = true;
}

static void digest_contents(struct occ_span contents,
			    struct occ_secure_digest *ret_digest)
{
	occ_secure_digest_of("oclcache included file 1", &contents, 1,
			     ret_digest);
}

void occ_included_sign(struct occ_span contents,
		       const struct occ_signing_key *key,
		       struct occ_entry_signatures *ret_signatures)
{
	struct occ_secure_digest digest;

	*ret_signatures = (struct occ_entry_signatures){.has_contents = true};
	digest_contents(contents, &digest);
	occ_sign(key, &digest, &ret_signatures->contents);
}

static void append_signature(struct occ_buffer *bytes, enum part part,
			     bool there, const struct occ_signature *signature)
{
	unsigned char payload[OCC_SIGNATURE_SIZE + OCC_KEY_NAME_MAX];
	size_t length = there ? strlen(signature->name) : 0;

	if (!there)
		return;
	memcpy(payload, signature->bytes, OCC_SIGNATURE_SIZE);
	/* The field's length is its end. */
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
	memcpy(payload + OCC_SIGNATURE_SIZE, signature->name, length);
	occ_field_append(bytes, (uint16_t)part, payload,
			 OCC_SIGNATURE_SIZE + length);
}

static void append_header(struct occ_buffer *bytes, uint64_t file_size,
			  uint64_t signatures_size)
{
	unsigned char header[OCC_SIGNED_ENTRY_HEADER_SIZE] = {0};

	memcpy(header, magic, sizeof(magic));
	occ_put_u32(header + AT_VERSION, VERSION);
	occ_put_u64(header + AT_FILE_SIZE, file_size);
	occ_put_u64(header + AT_SIGNATURES_SIZE, signatures_size);
	occ_buffer_append(bytes, header, sizeof(header));
}

static void encode(uint64_t file_size,
		   const struct occ_entry_signatures *signatures,
		   struct occ_buffer *bytes)
{
	size_t start = bytes->size;

	append_header(bytes, file_size, 0);
	append_signature(bytes, PART_PROGRAM, signatures->has_program,
			 &signatures->program);
	append_signature(bytes, PART_METADATA, signatures->has_metadata,
			 &signatures->metadata);
	append_signature(bytes, PART_CODE, signatures->has_code,
			 &signatures->code);
	append_signature(bytes, PART_CONTENTS, signatures->has_contents,
			 &signatures->contents);
	if (!bytes->failed)
		occ_put_u64(bytes->data + start + AT_SIGNATURES_SIZE,
			    bytes->size - start - OCC_SIGNED_ENTRY_HEADER_SIZE);
}

void occ_entry_signatures_encode(const struct occ_entry_signatures *signatures,
				 struct occ_buffer *bytes)
{
	encode(0, signatures, bytes);
}

void occ_signed_entry_encode(const struct occ_entry_file *whole,
			     const struct occ_entry_signatures *signatures,
			     struct occ_buffer *value)
{
	encode(whole->size, signatures, value);
	occ_buffer_append(value, whole->memory, whole->size);
}

static bool read_signature(const struct occ_field *field,
			   struct occ_signature *ret_signature)
{
	struct occ_span name;

	if (field->kind != OCC_FIELD_BYTES ||
	    field->length <= OCC_SIGNATURE_SIZE)
		return false;
	name = (struct occ_span){field->payload + OCC_SIGNATURE_SIZE,
				 (size_t)field->length - OCC_SIGNATURE_SIZE};
	if (!occ_key_name_is_good(name))
		return false;
	memcpy(ret_signature->bytes, field->payload, OCC_SIGNATURE_SIZE);
	memcpy(ret_signature->name, name.data, name.size);
	ret_signature->name[name.size] = '\0';
	return true;
}

static bool read_field(const struct occ_field *field,
		       struct occ_entry_signatures *signatures)
{
	switch (field->id) {
	case PART_PROGRAM:
		signatures->has_program = true;
		return read_signature(field, &signatures->program);
	case PART_METADATA:
		signatures->has_metadata = true;
		return read_signature(field, &signatures->metadata);
	case PART_CODE:
		signatures->has_code = true;
		return read_signature(field, &signatures->code);
	case PART_CONTENTS:
		signatures->has_contents = true;
		return read_signature(field, &signatures->contents);
	default:
		return false;
	}
}

/* Fields by rising ids, and zeros between them: there's one way to write it. */
static bool read_signatures(struct occ_span bytes,
			    struct occ_entry_signatures *ret_signatures)
{
	struct occ_field field = {0};
	size_t offset = 0;
	int result;

	*ret_signatures = (struct occ_entry_signatures){0};
	for (uint16_t last = 0; (result = occ_field_next(bytes.data, bytes.size,
							 &offset, &field)) == 1;
	     last = field.id) {
		const unsigned char *end = bytes.data + offset;

		if (field.id <= last || !read_field(&field, ret_signatures))
			return false;
		for (const unsigned char *at = field.payload + field.length;
		     at < end; at++)
			if (*at)
				return false;
	}
	return !result;
}

/* The header, and that the lengths are those of what is there. */
static enum occ_admission read_header(struct occ_span value,
				      struct occ_span *ret_signatures,
				      struct occ_span *ret_file)
{
	const unsigned char *header = value.data;
	uint64_t file_size, signatures_size, rest;

	if (value.size < OCC_SIGNED_ENTRY_HEADER_SIZE ||
	    memcmp(header, magic, sizeof(magic)) != 0)
		return OCC_REFUSED_FORMAT;
	if (occ_get_u32(header + AT_VERSION) != VERSION ||
	    occ_get_u32(header + AT_FLAGS))
		return OCC_REFUSED_VERSION;
	file_size = occ_get_u64(header + AT_FILE_SIZE);
	signatures_size = occ_get_u64(header + AT_SIGNATURES_SIZE);
	rest = value.size - OCC_SIGNED_ENTRY_HEADER_SIZE;
	if (signatures_size > OCC_ENTRY_SIGNATURES_MAX ||
	    file_size > OCC_ENTRY_SIZE_MAX ||
	    signatures_size + file_size != rest)
		return OCC_REFUSED_FORMAT;
	*ret_signatures =
		(struct occ_span){header + OCC_SIGNED_ENTRY_HEADER_SIZE,
				  (size_t)signatures_size};
	*ret_file = (struct occ_span){ret_signatures->data + signatures_size,
				      (size_t)file_size};
	return OCC_ADMITTED;
}

bool occ_entry_signatures_decode(struct occ_span bytes,
				 struct occ_entry_signatures *ret_signatures)
{
	struct occ_span signatures, file;

	return !read_header(bytes, &signatures, &file) && !file.size &&
	       read_signatures(signatures, ret_signatures);
}

enum occ_reason occ_admission_reason(enum occ_admission admission)
{
	switch (admission) {
	case OCC_ADMITTED:
	case OCC_ADMITTED_UNSIGNED:
	case OCC_ADMITTED_WITHOUT_CODE:
		break;
	case OCC_REFUSED_FORMAT:
		return OCC_REASON_REFUSED_FORMAT;
	case OCC_REFUSED_VERSION:
		return OCC_REASON_REFUSED_VERSION;
	case OCC_REFUSED_KEY:
		return OCC_REASON_REFUSED_KEY;
	case OCC_REFUSED_UNSIGNED:
		return OCC_REASON_REFUSED_UNSIGNED;
	case OCC_REFUSED_UNTRUSTED:
		return OCC_REASON_REFUSED_UNTRUSTED;
	case OCC_REFUSED_SIGNATURE:
		return OCC_REASON_REFUSED_SIGNATURE;
	case OCC_REFUSED_MEMORY:
		return OCC_REASON_OUT_OF_MEMORY;
	}
	return OCC_REASON_NONE;
}

const char *occ_admission_text(enum occ_admission admission)
{
	switch (admission) {
	case OCC_ADMITTED:
		return "admitted";
	case OCC_ADMITTED_UNSIGNED:
		return "admitted although not signed";
	case OCC_ADMITTED_WITHOUT_CODE:
		return "admitted without its device code";
	default:
		return occ_reason_text(occ_admission_reason(admission));
	}
}

static enum occ_admission check(const struct occ_trusted_keys *keys,
				const struct occ_secure_digest *digest,
				const struct occ_signature *signature)
{
	if (!occ_trusted_keys_have(keys, signature->name))
		return OCC_REFUSED_UNTRUSTED;
	return occ_signature_is_good(keys, digest, signature)
		       ? OCC_ADMITTED
		       : OCC_REFUSED_SIGNATURE;
}

static bool has_any(const struct occ_entry_signatures *signatures)
{
	return signatures->has_program || signatures->has_metadata ||
	       signatures->has_code || signatures->has_contents;
}

enum occ_admission occ_included_admit(
	struct occ_span contents, const struct occ_entry_signatures *signatures,
	const struct occ_trusted_keys *keys, bool accepts_unsigned)
{
	struct occ_secure_digest digest;

	if (accepts_unsigned && !has_any(signatures))
		return OCC_ADMITTED_UNSIGNED;
	if (!signatures->has_contents)
		return OCC_REFUSED_UNSIGNED;
	digest_contents(contents, &digest);
	return check(keys, &digest, &signatures->contents);
}

enum occ_admission occ_entry_admit(
	const struct occ_entry_file *whole,
	const struct occ_entry_signatures *signatures,
	const struct occ_trusted_keys *keys, bool accepts_unsigned)
{
	struct occ_secure_digest program, digest;
	enum occ_admission admission;

	/* Nobody would vouch for what is between sections. */
	if (!occ_entry_is_tight(whole->memory, whole->size))
		return OCC_REFUSED_FORMAT;
	if (accepts_unsigned && !has_any(signatures))
		return OCC_ADMITTED_UNSIGNED;
	if (!signatures->has_program || !signatures->has_metadata)
		return OCC_REFUSED_UNSIGNED;
	if (occ_entry_has_unknown(whole->memory))
		return OCC_REFUSED_VERSION;
	digest_program(whole, &program);
	admission = check(keys, &program, &signatures->program);
	if (admission)
		return admission;
	digest_metadata(whole, &program, &digest);
	admission = check(keys, &digest, &signatures->metadata);
	if (admission || !whole->entry.code.data)
		return admission;
	digest_code(whole, &program, &digest);
	if (!signatures->has_code || check(keys, &digest, &signatures->code))
		return OCC_ADMITTED_WITHOUT_CODE;
	return OCC_ADMITTED;
}

/*
 * In full: digests that a stored key has of long fields are not of those that
 * are hard to forge.
 */
static bool is_of_key(const struct occ_entry_file *whole,
		      const struct occ_key *key)
{
	struct occ_field field;
	size_t offset = 0;

	if (memcmp(whole->entry.hash.bytes, key->hash.bytes, OCC_DIGEST_SIZE) !=
		    0 ||
	    !occ_span_equal(whole->entry.key, occ_buffer_span(&key->stored)))
		return false;
	for (size_t i = 0; i < key->text_count; i++) {
		const struct occ_span text = {key->texts[i].data,
					      key->texts[i].size};

		if (occ_field_next(whole->texts.data, whole->texts.size,
				   &offset, &field) != 1 ||
		    field.kind != OCC_FIELD_BYTES ||
		    field.id != key->texts[i].id ||
		    !occ_span_equal(occ_field_span(&field), text))
			return false;
	}
	return offset == whole->texts.size;
}

/* Its file in memory of its own, aligned, and verified. */
static enum occ_admission read_file(struct occ_span bytes,
				    struct occ_entry_file *whole)
{
	*whole = (struct occ_entry_file){0};
	if (!occ_entry_file_reserve(whole, bytes.size))
		return OCC_REFUSED_MEMORY;
	memcpy(whole->memory, bytes.data, bytes.size);
	whole->size = bytes.size;
	switch (occ_entry_file_verify(whole)) {
	case OCC_OK:
		return OCC_ADMITTED;
	case OCC_E_VERSION:
		return OCC_REFUSED_VERSION;
	case OCC_E_MEMORY:
		return OCC_REFUSED_MEMORY;
	default:
		return OCC_REFUSED_FORMAT;
	}
}

bool occ_entry_drop_code(struct occ_entry_file *whole)
{
	struct occ_buffer recoded = OCC_BUFFER_INIT;
	bool done = false;

	occ_entry_recode_code(whole->memory, (struct occ_span){NULL, 0},
			      &recoded);
	occ_entry_file_release(whole);
	if (!recoded.failed)
		done = !read_file(occ_buffer_span(&recoded), whole);
	occ_buffer_release(&recoded);
	if (!done)
		occ_entry_file_release(whole);
	return done;
}

enum occ_admission occ_signed_entry_open(struct occ_span value,
					 const struct occ_key *key,
					 const struct occ_trusted_keys *keys,
					 bool accepts_unsigned,
					 struct occ_entry_file *ret_whole)
{
	struct occ_entry_signatures signatures;
	struct occ_span signature_bytes, file;
	enum occ_admission admission;

	*ret_whole = (struct occ_entry_file){0};
	admission = read_header(value, &signature_bytes, &file);
	if (!admission &&
	    (!file.size || !read_signatures(signature_bytes, &signatures) ||
	     signatures.has_contents))
		admission = OCC_REFUSED_FORMAT;
	if (admission)
		return admission;
	admission = read_file(file, ret_whole);
	if (!admission && key && !is_of_key(ret_whole, key))
		admission = OCC_REFUSED_KEY;
	if (!admission)
		admission = occ_entry_admit(ret_whole, &signatures, keys,
					    accepts_unsigned);
	if (admission == OCC_ADMITTED_WITHOUT_CODE &&
	    !occ_entry_drop_code(ret_whole))
		admission = OCC_REFUSED_MEMORY;
	if (admission >= OCC_REFUSED_FORMAT)
		occ_entry_file_release(ret_whole);
	return admission;
}
