/* SPDX-License-Identifier: MIT */
/*
 * layer/base/settings.h: any bytes as the environment, a part up to each
 * newline: the first byte chooses the variable. What is read is within its
 * limits.
 */
#include "tests/fuzz/fuzz.h"

#include "layer/base/settings.h"

/* All but OCLCACHE_LOG_FILE, which would be written to. */
static const char *const names[] = {
	"OCLCACHE_DIR",		"NEO_CACHE_DIR",
	"XDG_CACHE_HOME",	"HOME",
	"OCLCACHE_MAX_SIZE",	"NEO_CACHE_MAX_SIZE",
	"OCLCACHE_PERSISTENT",	"NEO_CACHE_PERSISTENT",
	"OCLCACHE_MEMORY_SIZE", "OCLCACHE_WAIT",
	"OCLCACHE_STORE",	"OCLCACHE_HASH_ENV",
	"OCLCACHE_DISABLE",	"PrintDebugMessages",
	"BinaryCacheTrace",	"OCLCACHE_MODE",
	"OCLCACHE_SKIP",	"OCLCACHE_READONLY_DIRS",
	"OCLCACHE_MAX_AGE",
};
#define NAMES (sizeof(names) / sizeof(names[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct occ_span part;

	for (size_t i = 0; i < NAMES; i++)
		unsetenv(names[i]);
	setenv("OCLCACHE_LOG_FILE", "/dev/null", 1);
	/* Files are tests/fuzz/settings.c's. */
	setenv("OCLCACHE_CONFIG", "", 1);
	while (fuzz_next(&data, &size, '\n', &part)) {
		char *value;

		if (!part.size)
			continue;
		value = fuzz_string(part.data + 1, part.size - 1);
		setenv(names[*part.data % NAMES], value, 1);
		free(value);
	}
	occ_settings_load();
	fuzz_expect(!occ_settings.directory || *occ_settings.directory == '/',
		    "an absolute path");
	fuzz_expect(occ_settings.store_policy <= OCC_STORE_NEVER, "a policy");
	fuzz_expect(occ_settings.mode <= OCC_MODE_REQUIRE, "a mode");
	fuzz_expect(occ_settings.max_age >= 0, "an age");
	/* In ns it fits. */
	fuzz_expect(occ_settings.wait <= UINT64_MAX / 1000000000 / 2, "a wait");
	occ_settings_unload();
	fuzz_expect(occ_settings.disabled && !occ_settings.directory,
		    "released");
	return 0;
}
