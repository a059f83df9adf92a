/* SPDX-License-Identifier: MIT */
/*
 * cache/preference.h: any bytes as a configuration file. What is set is within
 * the file and has its name and line; what is understood is within its limits;
 * and lines that are put behind the others count, if these end.
 */
#include "tests/fuzz/folder.h"

#include "cache/preference.h"

static struct occ_preferences preferences;

static void look_at(enum occ_setting_id id)
{
	const struct occ_setting *setting = &occ_settings[id];
	const struct occ_preference *found = &preferences.values[id];
	uint64_t number;

	if (found->value)
		fuzz_expect(found->line && *found->value &&
				    strlen(found->value) <=
					    OCC_PREFERENCE_LINE_MAX,
			    "a value");
	if (found->name)
		fuzz_expect(!strcmp(found->name, setting->name) ||
				    (setting->intels &&
				     !strcmp(found->name, setting->intels)),
			    "its name");
	number = occ_preferences_number(&preferences, id);
	if (setting->kind == OCC_SETTING_NUMBER)
		fuzz_expect(number <= setting->most, "within the limit");
	if (setting->kind == OCC_SETTING_CHOICE)
		fuzz_expect(number < 4 && setting->choices[number], "a choice");
}

static void look_at_problems(void)
{
	size_t count = occ_preferences_problems(&preferences);

	for (size_t i = 0; i < count; i++) {
		const struct occ_problem *problem = &preferences.problems[i];

		fuzz_expect(problem->file && problem->text, "a problem");
		fuzz_expect(!problem->name || strlen(problem->name) <=
						      OCC_PREFERENCE_LINE_MAX,
			    "its name");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char more[] = "\nOCLCACHE_WAIT = 5\r\n";
	unsigned char *text = fuzz_memory(size + sizeof(more));
	char path[64];
	bool by_default;

	memcpy(text, data, size);
	memcpy(text + size, more, sizeof(more) - 1);
	fuzz_write("file", text, size + sizeof(more) - 1);
	free(text);
	snprintf(path, sizeof(path), "%s/file", fuzz_folder());
	setenv("OCLCACHE_CONFIG", path, 1);
	occ_preferences_read(&preferences);
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		look_at((enum occ_setting_id)id);
	look_at_problems();
	fuzz_expect(occ_preferences_number(&preferences, OCC_SETTING_WAIT) == 5,
		    "the last line");
	free(occ_preferences_directory(&preferences, &by_default));
	occ_preferences_release(&preferences);
	return 0;
}
