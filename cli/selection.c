/* SPDX-License-Identifier: MIT */
#include "cli/selection.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "cache/file.h"
#include "cache/entry_file.h"
#include "cli/message.h"
#include "cli/units.h"

bool occ_selection_parse_age(const struct occ_arguments *arguments,
			     const char *command, const char *name,
			     int64_t *ret_moment)
{
	const char *text = occ_arguments_value(arguments, name);
	int64_t seconds;

	if (!text)
		return true;
	if (!occ_units_parse_age(text, &seconds)) {
		if (*text && !text[strspn(text, "0123456789")])
			occ_message_error("%s: --%s %s lacks a unit: write "
					  "%sd for days, or use s, min, h or w",
					  command, name, text, text);
		else
			occ_message_error("%s: --%s %s: use a number with s, "
					  "min, h, d or w: --%s 30d",
					  command, name, text, name);
		return false;
	}
	*ret_moment = occ_file_now() - seconds;
	return true;
}

static bool parse_size(const struct occ_arguments *arguments,
		       const char *command, const char *name,
		       uint64_t *ret_bytes)
{
	const char *text = occ_arguments_value(arguments, name);

	if (!text || occ_units_parse_size(text, ret_bytes))
		return true;
	occ_message_error("%s: --%s %s: use a number of bytes, or a number "
			  "with k, M or G: --%s 1.5M",
			  command, name, text, name);
	return false;
}

bool occ_selection_parse(const struct occ_arguments *arguments,
			 const char *command,
			 struct occ_selection *ret_selection)
{
	int64_t unused = INT64_MAX;

	*ret_selection = (struct occ_selection){
		.program = occ_arguments_value(arguments, "program"),
		.device = occ_arguments_value(arguments, "device"),
		.driver = occ_arguments_value(arguments, "driver"),
		.used_before = INT64_MAX,
		.used_after = INT64_MIN,
		.larger = 0,
		.smaller = UINT64_MAX,
	};
	if (!occ_selection_parse_age(arguments, command, "unused-for",
				     &unused) ||
	    !occ_selection_parse_age(arguments, command, "older-than",
				     &ret_selection->used_before))
		return false;
	if (unused < ret_selection->used_before)
		ret_selection->used_before = unused;
	return occ_selection_parse_age(arguments, command, "newer-than",
				       &ret_selection->used_after) &&
	       parse_size(arguments, command, "larger-than",
			  &ret_selection->larger) &&
	       parse_size(arguments, command, "smaller-than",
			  &ret_selection->smaller);
}

bool occ_selection_needs_entry(const struct occ_selection *selection)
{
	return selection->program || selection->device || selection->driver;
}

bool occ_selection_is_any(const struct occ_selection *selection)
{
	return occ_selection_needs_entry(selection) ||
	       selection->used_before != INT64_MAX ||
	       selection->used_after != INT64_MIN || selection->larger ||
	       selection->smaller != UINT64_MAX;
}

bool occ_selection_has_file(const struct occ_selection *selection,
			    const struct occ_listing_file *file)
{
	int64_t used = file->used.tv_sec;

	if (used >= selection->used_before || used < selection->used_after)
		return false;
	return (!selection->larger || file->size > selection->larger) &&
	       file->size < selection->smaller;
}

/* The next such byte, or the end. */
static const unsigned char *next_of(const unsigned char *at,
				    const unsigned char *end, int byte)
{
	const unsigned char *found = memchr(at, byte, (size_t)(end - at));

	return found ? found : end;
}

/* Sources are long: memchr() is many times faster than looking at each byte. */
bool occ_selection_has_text(struct occ_span bytes, const char *text)
{
	size_t length = strlen(text);
	int small, large;
	const unsigned char *at = bytes.data, *end, *smalls, *larges;

	if (!length || length > bytes.size)
		return !length;
	small = tolower((unsigned char)*text);
	large = toupper((unsigned char)*text);
	end = bytes.data + bytes.size - length + 1;
	smalls = next_of(at, end, small);
	larges = next_of(at, end, large);
	while ((at = smalls < larges ? smalls : larges) < end) {
		if (!strncasecmp((const char *)at, text, length))
			return true;
		if (smalls == at)
			smalls = next_of(at + 1, end, small);
		if (larges == at)
			larges = next_of(at + 1, end, large);
	}
	return false;
}

/* Is the text in a field whose id is one of those, ended by a 0? */
static bool key_has(struct occ_span key, const uint16_t *ids, const char *text)
{
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(key.data, key.size, &offset, &field) == 1) {
		if (field.kind != OCC_FIELD_BYTES)
			continue;
		for (const uint16_t *id = ids; *id; id++)
			if (*id == field.id &&
			    occ_selection_has_text(
				    (struct occ_span){field.payload,
						      (size_t)field.length},
				    text))
				return true;
	}
	return false;
}

static const uint16_t program_ids[] = {OCC_KEY_SOURCE, OCC_KEY_OPTIONS,
				       OCC_KEY_HEADER_NAME,
				       OCC_KEY_HEADER_SOURCE, 0};
static const uint16_t device_ids[] = {OCC_KEY_DEVICE_NAME,
				      OCC_KEY_DEVICE_VENDOR, 0};
static const uint16_t driver_ids[] = {OCC_KEY_PLATFORM_NAME,
				      OCC_KEY_PLATFORM_VENDOR,
				      OCC_KEY_PLATFORM_VERSION,
				      OCC_KEY_DRIVER_VERSION, 0};

static bool has_program(const char *text, int directory, const char *name,
			bool or_roots, const struct occ_entry *entry)
{
	struct occ_entry_file whole = {0};
	struct occ_field field;
	size_t offset = 0;
	bool has_digests = false, found;

	if (occ_selection_has_text(occ_entry_bytes(entry,
						   OCC_META_KERNEL_NAMES),
				   text) ||
	    key_has(entry->key, program_ids, text))
		return true;
	/* Of long texts a summary's key has digests only. */
	while (occ_field_next(entry->key.data, entry->key.size, &offset,
			      &field) == 1)
		has_digests |= field.kind == OCC_FIELD_DIGEST;
	found = has_digests &&
		!occ_entry_file_read(directory, name, or_roots,
				     OCC_ENTRY_FILE_WHOLE, &whole) &&
		key_has(whole.texts, program_ids, text);
	occ_entry_file_release(&whole);
	return found;
}

bool occ_selection_has_entry(const struct occ_selection *selection,
			     int directory, const char *name, bool or_roots,
			     const struct occ_entry *entry)
{
	if (selection->device &&
	    !key_has(entry->key, device_ids, selection->device))
		return false;
	if (selection->driver &&
	    !key_has(entry->key, driver_ids, selection->driver))
		return false;
	return !selection->program || has_program(selection->program, directory,
						  name, or_roots, entry);
}
