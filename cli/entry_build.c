/* SPDX-License-Identifier: MIT */
#include "cli/entry_build.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/included_contents.h"
#include "cache/name.h"
#include "cli/message.h"

/* Links of links: as deep as the layer makes them (layer/key/build_key.h). */
#define DEPTH_MAX 8

/* Entries of one hash that are looked at: cache/store_internal.h. */
#define NAMES_MAX 16

/* A build that is being put together. */
struct making {
	const struct occ_entry_source *source;
	unsigned depth;
	struct occ_buffer record;
	enum occ_entry_lack lack;
	int error;
};

const char *occ_entry_lack_text(enum occ_entry_lack lack)
{
	static const char *const texts[OCC_LACKS] = {
		[OCC_LACK_NOTHING] = "",
		[OCC_LACK_UNREADABLE] = "damaged, or in another format version",
		[OCC_LACK_INCLUDED] = "included files have changed, and their "
				      "contents were not kept",
		[OCC_LACK_BINARY] =
			"linked with a binary that the application supplied",
		[OCC_LACK_INPUT] = "the programs that they were linked from "
				   "are not in the store",
		[OCC_LACK_SIZE] = "too large for a database",
	};

	return texts[lack];
}

static bool add_build(const struct occ_entry_source *source,
		      const struct occ_entry_file *whole, unsigned depth,
		      struct occ_digest *ret_name,
		      enum occ_entry_lack *ret_lack, int *ret_error);

static void append(struct making *making, uint16_t id, struct occ_span bytes)
{
	occ_field_append(&making->record, id, bytes.data, bytes.size);
}

static void append_content(struct making *making, uint16_t id,
			   struct occ_span bytes)
{
	if (bytes.size > OCC_DATABASE_FRAME_MAX)
		making->lack = OCC_LACK_SIZE;
	else
		making->error =
			occ_database_add_content(making->source->database,
						 bytes, id, &making->record);
}

/* From the store, or where it was, if it still is what it was. */
static void append_included(struct making *making, uint16_t id,
			    struct occ_span payload)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_recorded_file file;
	struct occ_digest name;

	if (!occ_recorded_file_parse(payload, &file))
		making->lack = OCC_LACK_UNREADABLE;
	else if (occ_included_contents_find(making->source->store, &file,
					    &bytes))
		making->lack = OCC_LACK_INCLUDED;
	else if (bytes.size > OCC_DATABASE_FRAME_MAX)
		making->lack = OCC_LACK_SIZE;
	else
		making->error =
			occ_database_add(making->source->database,
					 OCC_FRAME_CONTENT,
					 occ_buffer_span(&bytes), &name);
	append(making, id, payload);
	occ_buffer_release(&bytes);
}

/* Is it the entry of the key whose hash and digest these are? */
static bool is_input(const struct occ_entry_file *whole, struct occ_span input)
{
	const struct occ_span key = whole->entry.key;
	struct occ_digest digest;

	occ_digest(key.data, key.size, OCC_SEED_FIELD, &digest);
	return !memcmp(whole->entry.hash.bytes, input.data, OCC_DIGEST_SIZE) &&
	       !memcmp(digest.bytes, input.data + OCC_DIGEST_SIZE,
		       OCC_DIGEST_SIZE);
}

/* The entry of an input of a link; false: it isn't there, or is no good. */
static bool find_input(const struct occ_entry_source *source,
		       struct occ_span input, struct occ_entry_file *ret_whole)
{
	struct occ_digest hash;
	char name[OCC_NAME_SIZE];
	int error = OCC_OK;

	memcpy(hash.bytes, input.data, OCC_DIGEST_SIZE);
	for (int i = 0; i < NAMES_MAX && error != OCC_E_NOT_FOUND; i++) {
		occ_name_entry(&hash, i, name);
		error = occ_entry_file_read(source->directory, name,
					    source->or_roots,
					    OCC_ENTRY_FILE_WHOLE, ret_whole);
		if (!error && is_input(ret_whole, input))
			return true;
	}
	return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static void append_input(struct making *making, struct occ_span input)
{
	struct occ_entry_file whole = {0};
	struct occ_digest name;

	if (input.size == OCC_KEY_BINARY_SIZE)
		making->lack = OCC_LACK_BINARY;
	else if (input.size != OCC_KEY_INPUT_SIZE || !making->depth ||
		 !find_input(making->source, input, &whole))
		making->lack = OCC_LACK_INPUT;
	else if (add_build(making->source, &whole, making->depth - 1, &name,
			   &making->lack, &making->error))
		append(making, OCC_BUILD_LINK_BUILD,
		       (struct occ_span){name.bytes, OCC_DIGEST_SIZE});
	occ_entry_file_release(&whole);
}

/* A key's field, in the place where a build has it. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static void append_field(struct making *making, uint16_t id,
			 struct occ_span bytes)
{
	switch (id) {
	case OCC_KEY_OPERATION:
		append(making, OCC_BUILD_OPERATION, bytes);
		break;
	case OCC_KEY_SOURCE:
		append_content(making, OCC_BUILD_SOURCE, bytes);
		break;
	case OCC_KEY_SOURCE_LENGTHS:
		append(making, OCC_BUILD_SOURCE_LENGTHS, bytes);
		break;
	case OCC_KEY_IL:
		append_content(making, OCC_BUILD_IL, bytes);
		break;
	case OCC_KEY_OPTIONS:
		append(making, OCC_BUILD_OPTIONS, bytes);
		break;
	case OCC_KEY_SPEC_CONSTANTS:
		if (bytes.size)
			append(making, OCC_BUILD_CONSTANTS, bytes);
		break;
	case OCC_KEY_HEADER_NAME:
		append(making, OCC_BUILD_HEADER_NAME, bytes);
		break;
	case OCC_KEY_HEADER_SOURCE:
		append_content(making, OCC_BUILD_HEADER_SOURCE, bytes);
		break;
	case OCC_KEY_HEADER_LENGTHS:
		append(making, OCC_BUILD_HEADER_LENGTHS, bytes);
		break;
	case OCC_KEY_LINK_INPUT:
		append_input(making, bytes);
		break;
	case OCC_KEY_INCLUDE_FILE:
		append_included(making, OCC_BUILD_INCLUDE_FILE, bytes);
		break;
	case OCC_KEY_INCLUDE_PRESENT:
		append(making, OCC_BUILD_INCLUDE_PRESENT, bytes);
		break;
	case OCC_KEY_ENVIRONMENT:
		if (bytes.size)
			append(making, OCC_BUILD_ENVIRONMENT, bytes);
		break;
	case OCC_KEY_EXECUTABLE:
		append(making, OCC_BUILD_EXECUTABLE, bytes);
		break;
	default:
		break;
	}
}

/* The key's fields in a build's order: each step has those of these ids. */
static const uint16_t steps[][3] = {
	{OCC_KEY_OPERATION},
	{OCC_KEY_SOURCE},
	{OCC_KEY_SOURCE_LENGTHS},
	{OCC_KEY_IL},
	{OCC_KEY_OPTIONS},
	{OCC_KEY_SPEC_CONSTANTS},
	{OCC_KEY_HEADER_NAME, OCC_KEY_HEADER_SOURCE, OCC_KEY_HEADER_LENGTHS},
	{OCC_KEY_LINK_INPUT},
	{OCC_KEY_INCLUDE_FILE, OCC_KEY_INCLUDE_PRESENT},
	{OCC_KEY_ENVIRONMENT},
	{OCC_KEY_EXECUTABLE},
};

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static void take_step(struct making *making, const struct occ_entry_file *whole,
		      const uint16_t ids[3])
{
	struct occ_entry_file_cursor cursor = {0};
	struct occ_span bytes;
	uint16_t id;
	int found = 0;

	while (!making->error && making->lack == OCC_LACK_NOTHING &&
	       (found = occ_entry_file_next(whole, &cursor, &id, &bytes)) == 1)
		for (int i = 0; i < 3; i++)
			if (ids[i] && ids[i] == id)
				append_field(making, id, bytes);
	if (found < 0)
		making->lack = OCC_LACK_UNREADABLE;
}

/* Are all included files' contents to be had? Before anything is added. */
static bool has_included(const struct occ_entry_source *source,
			 const struct occ_entry_file *whole)
{
	struct occ_entry_file_cursor cursor = {0};
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_recorded_file file;
	struct occ_span payload;
	bool has = true;
	uint16_t id;

	while (has && occ_entry_file_next(whole, &cursor, &id, &payload) == 1) {
		if (id != OCC_KEY_INCLUDE_FILE)
			continue;
		has = occ_recorded_file_parse(payload, &file) &&
		      !occ_included_contents_find(source->store, &file, &bytes);
		bytes.size = 0;
	}
	occ_buffer_release(&bytes);
	return has;
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static bool add_build(const struct occ_entry_source *source,
		      const struct occ_entry_file *whole, unsigned depth,
		      struct occ_digest *ret_name,
		      enum occ_entry_lack *ret_lack, int *ret_error)
{
	struct making making = {.source = source, .depth = depth};

	if (!has_included(source, whole))
		making.lack = OCC_LACK_INCLUDED;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		take_step(&making, whole, steps[i]);
	if (making.record.failed)
		occ_message_no_memory();
	if (making.record.size > OCC_DATABASE_FRAME_MAX)
		making.lack = OCC_LACK_SIZE;
	if (!making.error && making.lack == OCC_LACK_NOTHING)
		making.error =
			occ_database_add(source->database, OCC_FRAME_BUILD,
					 occ_buffer_span(&making.record),
					 ret_name);
	occ_buffer_release(&making.record);
	*ret_lack = making.lack;
	*ret_error = making.error;
	return !making.error && making.lack == OCC_LACK_NOTHING;
}

int occ_entry_build_add(const struct occ_entry_source *source,
			const struct occ_entry_file *whole,
			struct occ_digest *ret_name,
			enum occ_entry_lack *ret_lack)
{
	int error;

	add_build(source, whole, DEPTH_MAX, ret_name, ret_lack, &error);
	return error;
}
