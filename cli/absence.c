/* SPDX-License-Identifier: MIT */
#include "cli/absence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/directory.h"
#include "cache/preference.h"
#include "cli/message.h"
#include "cli/text.h"

/* "NAME=VALUE", with its file, to be freed. */
static char *text_of(const struct occ_preference *found)
{
	if (found->file)
		return occ_text("%s:%u: %s=%s", found->file, found->line,
				found->name, found->value);
	return occ_text("%s=%s", found->name, found->value);
}

enum mention {
	MENTION_NONE,
	MENTION_OTHERS, /* maybe what the program has started */
	MENTION_PROGRAM,
};

static enum mention look_for(const char *program, const char *items)
{
	const char *slash = strrchr(program, '/');
	const char *file = slash ? slash + 1 : program;
	enum mention mention = MENTION_NONE;
	size_t length;

	for (; items; items = occ_setting_next_item(items)) {
		const char *name = occ_setting_item(items, "exe:", &length);

		if (!name)
			continue;
		if (strlen(file) == length && !memcmp(file, name, length))
			return MENTION_PROGRAM;
		mention = MENTION_OTHERS;
	}
	return mention;
}

static void note_skip(const char *program, const struct occ_preference *skip)
{
	enum mention mention =
		skip->value ? look_for(program, skip->value) : MENTION_NONE;
	char *text;

	if (mention == MENTION_NONE) {
		occ_message_note("the layer wasn't loaded: the program doesn't "
				 "use OpenCL, or its loader knows no layers; "
				 "see 'oclcache doctor'");
		return;
	}
	text = text_of(skip);
	if (mention == MENTION_PROGRAM)
		occ_message_note("the layer left %s alone: %s", program, text);
	else
		occ_message_note("the layer wasn't loaded, or left alone what "
				 "uses OpenCL: %s; see 'oclcache doctor'",
				 text);
	free(text);
}

void occ_absence_note(const char *program)
{
	struct occ_preferences preferences;
	char *text;

	occ_preferences_read(&preferences);
	if (occ_preferences_number(&preferences, OCC_SETTING_DISABLE)) {
		text = text_of(&preferences.values[OCC_SETTING_DISABLE]);
		occ_message_note("the layer is switched off: %s", text);
		free(text);
	} else {
		note_skip(program, &preferences.values[OCC_SETTING_SKIP]);
	}
	occ_preferences_release(&preferences);
}

static bool is_to_store(const struct occ_preferences *preferences)
{
	uint64_t never;

	occ_setting_parse(&occ_settings[OCC_SETTING_STORE], "never", &never);
	return occ_preferences_number(preferences, OCC_SETTING_PERSISTENT) &&
	       occ_preferences_number(preferences, OCC_SETTING_STORE) != never;
}

static char *fault_of(const char *directory)
{
	int error = occ_directory_look(directory, OCC_DIRECTORY_MUST_EXIST);
	char *text;

	if (!error)
		return NULL;
	text = occ_text("%s: %s", directory, occ_error_string(error));
	return text;
}

char *occ_absence_of_store(void)
{
	struct occ_preferences preferences;
	char *directory, *fault = NULL;
	bool by_default;

	occ_preferences_read(&preferences);
	if (is_to_store(&preferences)) {
		directory =
			occ_preferences_directory(&preferences, &by_default);
		if (directory)
			fault = fault_of(directory);
		free(directory);
	}
	occ_preferences_release(&preferences);
	return fault;
}
