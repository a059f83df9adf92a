/* SPDX-License-Identifier: MIT */
#include "cli/absence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/path.h"
#include "cache/settings.h"
#include "cli/message.h"
#include "cli/text.h"

/* "NAME=VALUE", with its file, to be freed. */
static char *text_of(const struct occ_setting_value *found)
{
	char place[OCC_SETTINGS_PLACE_SIZE];

	return occ_text("%s%s=%s",
			occ_settings_place(found->file, found->line, place),
			found->name, found->text);
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

	for (; items; items = occ_settings_next_item(items)) {
		const char *name = occ_settings_item(items, "exe:", &length);

		if (!name)
			continue;
		if (strlen(file) == length && !memcmp(file, name, length))
			return MENTION_PROGRAM;
		mention = MENTION_OTHERS;
	}
	return mention;
}

static void note_skip(const char *program, const struct occ_setting_value *skip)
{
	enum mention mention =
		skip->text ? look_for(program, skip->text) : MENTION_NONE;
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
	struct occ_settings settings;
	char *text;

	occ_settings_read(&settings);
	if (settings.disabled) {
		text = text_of(&settings.values[OCC_SETTING_DISABLE]);
		occ_message_note("the layer is switched off: %s", text);
		free(text);
	} else {
		note_skip(program, &settings.values[OCC_SETTING_SKIP]);
	}
	occ_settings_release(&settings);
}

/* Of the directory in which it would be made. "": nothing speaks against it. */
static const char *why_not_made(const char *directory)
{
	char *parent = occ_message_must(strdup(directory)), *slash;
	const char *why = "";
	struct stat status;

	while ((slash = strrchr(parent, '/')) && slash > parent) {
		*slash = '\0';
		if (stat(parent, &status))
			continue;
		if (!occ_path_may_make_in(&status))
			why = occ_error_string(OCC_E_ANOTHERS);
		else if (faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS))
			why = strerror(errno);
		break;
	}
	free(parent);
	return why;
}

static char *fault_of(const char *directory)
{
	int error = occ_directory_look(directory, OCC_DIRECTORY_MUST_EXIST);
	const char *why = "";
	char *text;

	if (!error)
		return NULL;
	if (error == OCC_E_NO_DIRECTORY)
		why = why_not_made(directory);
	text = occ_text("%s: %s%s%s", directory, occ_error_string(error),
			*why ? ": " : "", why);
	return text;
}

char *occ_absence_of_store(void)
{
	struct occ_settings settings;
	char *fault = NULL;

	occ_settings_read(&settings);
	if (settings.persistent && settings.store_policy != OCC_STORE_NEVER &&
	    settings.directory)
		fault = fault_of(settings.directory);
	occ_settings_release(&settings);
	return fault;
}
