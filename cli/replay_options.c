/* SPDX-License-Identifier: MIT */
#include "cli/replay_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/record_view.h"
#include "cli/text.h"

/* A driver may write the headers of a call to files of these names. */
static bool is_inside(const char *name)
{
	if (*name == '/' || !*name || strchr(name, '\\'))
		return false;
	for (const char *part = name; part;
	     part = strchr(part, '/'), part = part ? part + 1 : NULL)
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return false;
	return true;
}

static const char *field_refusal(const struct occ_driver *driver,
				 const struct occ_field *field,
				 char **ret_detail)
{
	struct occ_span span = occ_field_span(field);
	const char *refusal = NULL, *word;
	size_t length;
	char *text;

	if (field->id != OCC_BUILD_OPTIONS &&
	    field->id != OCC_BUILD_HEADER_NAME)
		return NULL;
	if (span.size && memchr(span.data, '\0', span.size))
		return "its record is damaged";
	text = occ_message_must(
		strndup(span.size ? (const char *)span.data : "", span.size));
	if (field->id == OCC_BUILD_OPTIONS) {
		word = occ_driver_unsafe_option(driver, text, &length);
		if (word) {
			refusal = "its options may load, read or write files";
			*ret_detail = occ_text("%.*s", (int)length, word);
		}
	} else if (!is_inside(text)) {
		refusal = "the name of a header isn't a plain path";
		*ret_detail = occ_text("%s", text);
	}
	free(text);
	return refusal;
}

const char *occ_replay_options_refusal(const struct occ_driver *driver,
				       const struct occ_replay_steps *steps,
				       char **ret_detail)
{
	const char *refusal = NULL;

	for (size_t i = 0; i < steps->count && !refusal; i++) {
		struct occ_span record = steps->items[i]->bytes;
		struct occ_field field;
		size_t offset = 0;

		while (!refusal && occ_field_next(record.data, record.size,
						  &offset, &field) == 1)
			refusal = field_refusal(driver, &field, ret_detail);
	}
	return refusal;
}
