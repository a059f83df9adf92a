/* SPDX-License-Identifier: MIT */
/*
 * cache/remote_setting.h: any text as OCLCACHE_REMOTE. What is understood is
 * complete, and has a socket whose place depends on it alone; what isn't has a
 * problem that fits.
 */
#include "tests/fuzz/fuzz.h"

#include "cache/remote_setting.h"

static void look(const struct occ_remote_setting *setting)
{
	char path[256], again[256];
	bool fits;

	fuzz_expect(*setting->url != '\0', "a URL");
	fuzz_expect(!setting->helper || *setting->helper, "a helper");
	fuzz_expect(setting->attribute_count <= OCC_REMOTE_ATTRIBUTES_MAX,
		    "not too many attributes");
	for (size_t i = 0; i < setting->attribute_count; i++) {
		const char *value = setting->attributes[i].value;

		fuzz_expect(*setting->attributes[i].key != '\0', "a key");
		fuzz_expect(!strpbrk(value, "\r\n"), "one line");
	}
	fits = occ_remote_setting_socket(setting, path, sizeof(path));
	fuzz_expect(fits == occ_remote_setting_socket(setting, again,
						      sizeof(again)),
		    "the same each time");
	fuzz_expect(!fits || (*path == '/' && !strcmp(path, again)),
		    "an absolute path");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct occ_remote_setting setting;
	char *text = fuzz_string(data, size);
	const char *problem = occ_remote_setting_parse(text, &setting);

	if (problem)
		fuzz_expect(*problem && !setting.text, "a problem");
	else
		look(&setting);
	occ_remote_setting_release(&setting);
	free(text);
	return 0;
}
