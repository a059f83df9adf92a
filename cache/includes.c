/* SPDX-License-Identifier: MIT */
#include "cache/includes.h"

#include <string.h>

#include "cache/include_files.h"
#include "cache/file_header.h"
#include "cache/file.h"
#include "cache/name.h"

/* In this order, each once. */
enum field {
	FIELD_QUESTION = 1,
	FIELD_CLOSURE = 2,
	FIELD_ABSENT = 3,
	FIELD_NUMBERS = 4, /* u64: file_count, names_source, assembly */
	FIELD_STAMP = 5,
	FIELD_LOOKS = 6,
	FIELD_BOOT = 7,
	FIELDS_END = 8,
};

#define NUMBERS_SIZE 24

static const struct occ_file_header envelope = {{0x8f, 'O', 'C', 'I', '\r',
						 '\n', 0x1a, '\n'},
						1};

struct fields {
	struct occ_span of[FIELDS_END];
};

static bool take_fields(struct occ_span file, struct fields *ret_fields)
{
	struct occ_span fields;
	struct occ_field field;
	size_t offset = 0;

	if (file.size > OCC_INCLUDES_SIZE_MAX ||
	    !occ_file_header_open(&envelope, file, &fields))
		return false;
	for (int i = FIELD_QUESTION; i < FIELDS_END; i++) {
		if (occ_field_next(fields.data, fields.size, &offset, &field) !=
			    1 ||
		    field.id != i || field.kind != OCC_FIELD_BYTES)
			return false;
		ret_fields->of[i] = occ_field_span(&field);
	}
	return offset == fields.size &&
	       ret_fields->of[FIELD_NUMBERS].size == NUMBERS_SIZE &&
	       ret_fields->of[FIELD_STAMP].size == OCC_DIGEST_SIZE;
}

bool occ_includes_is_good(struct occ_span file)
{
	struct fields fields;

	return take_fields(file, &fields);
}

void occ_includes_release(struct occ_includes *includes)
{
	occ_closure_release(&includes->closure);
	occ_buffer_release(&includes->looks);
}

static void append(struct occ_buffer *buffer, struct occ_span bytes)
{
	occ_buffer_append(buffer, bytes.data, bytes.size);
}

static bool decode(const struct fields *fields,
		   struct occ_includes *ret_includes)
{
	struct occ_closure *closure = &ret_includes->closure;
	const unsigned char *numbers = fields->of[FIELD_NUMBERS].data;

	append(&closure->fields, fields->of[FIELD_CLOSURE]);
	append(&closure->absent, fields->of[FIELD_ABSENT]);
	closure->file_count = (size_t)occ_get_u64(numbers);
	closure->names_source = occ_get_u64(numbers + 8);
	closure->assembly = occ_get_u64(numbers + 16);
	memcpy(ret_includes->stamp.bytes, fields->of[FIELD_STAMP].data,
	       OCC_DIGEST_SIZE);
	append(&ret_includes->looks, fields->of[FIELD_LOOKS]);
	return !closure->fields.failed && !closure->absent.failed &&
	       !ret_includes->looks.failed &&
	       !occ_include_files_matured(&ret_includes->looks) &&
	       occ_include_files_unchanged(&ret_includes->looks);
}

/* Is it an answer to the question, and since the system was started? */
static bool is_for(const struct fields *fields, struct occ_span question)
{
	char boot[OCC_FILE_BOOT_SIZE];
	struct occ_span now = {(const unsigned char *)boot, sizeof(boot)};

	return occ_span_equal(fields->of[FIELD_QUESTION], question) &&
	       occ_file_boot(boot) &&
	       occ_span_equal(fields->of[FIELD_BOOT], now);
}

static void make_name(struct occ_span question, char ret_name[OCC_NAME_SIZE])
{
	struct occ_digest digest;

	occ_digest(question.data, question.size, OCC_SEED_NAME, &digest);
	occ_name_includes(&digest, ret_name);
}

bool occ_includes_recall(struct occ_store *store, struct occ_span question,
			 struct occ_includes *ret_includes)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	char name[OCC_NAME_SIZE];
	struct fields fields;
	bool found;

	memset(ret_includes, 0, sizeof(*ret_includes));
	make_name(question, name);
	found = !occ_store_read(store, name, &file) &&
		take_fields(occ_buffer_span(&file), &fields) &&
		is_for(&fields, question) && decode(&fields, ret_includes);
	occ_buffer_release(&file);
	if (!found)
		occ_includes_release(ret_includes);
	return found;
}

void occ_includes_encode(struct occ_span question,
			 const struct occ_closure *closure,
			 const struct occ_digest *stamp,
			 const struct occ_buffer *looks,
			 struct occ_buffer *ret_file)
{
	unsigned char numbers[NUMBERS_SIZE];
	struct occ_buffer *file = ret_file;
	char boot[OCC_FILE_BOOT_SIZE];
	bool has_boot = occ_file_boot(boot);

	occ_put_u64(numbers, closure->file_count);
	occ_put_u64(numbers + 8, closure->names_source);
	occ_put_u64(numbers + 16, closure->assembly);
	occ_file_header_begin(file);
	occ_field_append(file, FIELD_QUESTION, question.data, question.size);
	occ_field_append(file, FIELD_CLOSURE, closure->fields.data,
			 closure->fields.size);
	occ_field_append(file, FIELD_ABSENT, closure->absent.data,
			 closure->absent.size);
	occ_field_append(file, FIELD_NUMBERS, numbers, sizeof(numbers));
	occ_field_append(file, FIELD_STAMP, stamp->bytes, OCC_DIGEST_SIZE);
	occ_field_append(file, FIELD_LOOKS, looks->data, looks->size);
	occ_field_append(file, FIELD_BOOT, boot, has_boot ? sizeof(boot) : 0);
	occ_file_header_finish(&envelope, file);
}

int occ_includes_remember(struct occ_store *store,
			  const struct occ_buffer *file)
{
	struct occ_buffer looks = OCC_BUFFER_INIT;
	char name[OCC_NAME_SIZE];
	struct fields fields;
	bool lasts;

	if (file->failed || !take_fields(occ_buffer_span(file), &fields))
		return OCC_OK;
	append(&looks, fields.of[FIELD_LOOKS]);
	lasts = !looks.failed && occ_include_files_lasts(&looks) &&
		occ_include_files_unchanged(&looks);
	occ_buffer_release(&looks);
	if (!lasts)
		return OCC_OK;
	make_name(fields.of[FIELD_QUESTION], name);
	return occ_store_replace(store, name, occ_store_content_is,
				 (void *)file);
}

bool occ_includes_is_forgotten(struct occ_span file)
{
	return file.size == sizeof(envelope.magic) &&
	       !memcmp(file.data, envelope.magic, sizeof(envelope.magic));
}

/* The store's callback: nothing, where there was something. */
static bool make_nothing(struct occ_span old_bytes,
			 struct occ_buffer *new_bytes, void *data)
{
	(void)data;
	if (old_bytes.size <= sizeof(envelope.magic))
		return false;
	occ_buffer_append(new_bytes, envelope.magic, sizeof(envelope.magic));
	return true;
}

int occ_includes_forget(struct occ_store *store, struct occ_span question)
{
	char name[OCC_NAME_SIZE];

	make_name(question, name);
	return occ_store_replace(store, name, make_nothing, NULL);
}
