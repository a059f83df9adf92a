/* SPDX-License-Identifier: MIT */
/*
 * cache/settings.h: any bytes as a configuration file. What is set is within
 * the file and has its name and line; what is understood is within its limits;
 * and lines that are put behind the others count, if these end.
 */
#include "tests/fuzz/directory.h"

#include "cache/settings.h"

static struct occ_settings settings;

static void look_at(enum occ_setting_id id)
{
	const struct occ_setting *setting = &occ_settings_table[id];
	const struct occ_setting_value *found = &settings.values[id];
	uint64_t number;

	if (found->text)
		fuzz_expect(found->line && *found->text &&
				    strlen(found->text) <=
					    OCC_SETTINGS_LINE_MAX,
			    "a value");
	if (found->name)
		fuzz_expect(!strcmp(found->name, setting->name) ||
				    (setting->intels &&
				     !strcmp(found->name, setting->intels)),
			    "its name");
	number = found->number;
	if (setting->kind == OCC_SETTING_NUMBER)
		fuzz_expect(number <= setting->most, "within the limit");
	if (setting->kind == OCC_SETTING_CHOICE)
		fuzz_expect(number < 4 && setting->choices[number], "a choice");
}

static void look_at_problems(void)
{
	for (size_t i = 0; i < settings.problem_count; i++) {
		const struct occ_settings_problem *problem =
			&settings.problems[i];

		fuzz_expect(problem->file && problem->text, "a problem");
		fuzz_expect(!problem->name || strlen(problem->name) <=
						      OCC_SETTINGS_LINE_MAX,
			    "its name");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char more[] = "\nOCLCACHE_WAIT = 5\r\n";
	unsigned char *text = fuzz_memory(size + sizeof(more));
	char path[64];

	memcpy(text, data, size);
	memcpy(text + size, more, sizeof(more) - 1);
	fuzz_write("file", text, size + sizeof(more) - 1);
	free(text);
	snprintf(path, sizeof(path), "%s/file", fuzz_directory());
	setenv("OCLCACHE_CONFIG", path, 1);
	occ_settings_read(&settings);
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		look_at((enum occ_setting_id)id);
	look_at_problems();
	fuzz_expect(settings.wait == 5, "the last line");
	occ_settings_release(&settings);
	return 0;
}
