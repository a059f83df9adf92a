/* SPDX-License-Identifier: MIT */
#include "cli/misspelling.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cache/settings.h"
#include "cli/message.h"
#include "cli/suggestion.h"

/* Further names beginning so are mistaken, but for tests' own. */
#define PREFIX	     "OCLCACHE_"
#define TESTS_PREFIX "OCLCACHE_TEST_"

/* What all of ours begin with would make any of them look alike. */
static const char *meant_by_rest(const char *rest)
{
	struct occ_suggestion suggestion;

	occ_suggestion_begin(&suggestion, rest);
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		if (!strncmp(occ_settings_table[id].name, PREFIX,
			     strlen(PREFIX)))
			occ_suggestion_try(&suggestion,
					   occ_settings_table[id].name +
						   strlen(PREFIX));
	return suggestion.best ? suggestion.best - strlen(PREFIX) : NULL;
}

const char *occ_misspelling_meant(const char *name)
{
	const size_t length = strlen(PREFIX);
	struct occ_suggestion suggestion;

	if (occ_settings_is_variable(name))
		return NULL;
	if (!strncmp(name, PREFIX, length))
		return meant_by_rest(name + length);
	occ_suggestion_begin(&suggestion, name);
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		const struct occ_setting *setting = &occ_settings_table[id];

		if (!strncmp(setting->name, PREFIX, length) &&
		    !strcasecmp(setting->name + length, name))
			return setting->name;
		occ_suggestion_try(&suggestion, setting->name);
		if (setting->intels)
			occ_suggestion_try(&suggestion, setting->intels);
	}
	return suggestion.best ? suggestion.best : meant_by_rest(name);
}

bool occ_misspelling_each(void (*report)(const char *name, const char *meant,
					 void *data),
			  void *data)
{
	bool any = false;

	for (char **variable = environ; *variable; variable++) {
		char *name;

		if (strncmp(*variable, PREFIX, strlen(PREFIX)) != 0)
			continue;
		name = occ_message_must(
			strndup(*variable, strcspn(*variable, "=")));
		if (occ_settings_find(name) == OCC_SETTINGS &&
		    !occ_settings_is_variable(name) &&
		    strncmp(name, TESTS_PREFIX, strlen(TESTS_PREFIX)) != 0) {
			any = true;
			report(name, occ_misspelling_meant(name), data);
		}
		free(name);
	}
	return any;
}

static void warn(const char *name, const char *meant, void *data)
{
	(void)data;
	occ_message_warning("environment: %s is no setting%s%s%s", name,
			    meant ? "; did you mean " : "", meant ? meant : "",
			    meant ? "?" : "");
}

bool occ_misspelling_warn(void)
{
	return occ_misspelling_each(warn, NULL);
}
