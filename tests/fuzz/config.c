/* SPDX-License-Identifier: MIT */
/*
 * cache/config.h: any bytes as config.file, of which the first two say by how
 * much the total is changed. It never becomes less by adding, nor more by
 * subtracting, and what is written is read, unless it can't be right.
 */
#include "tests/fuzz/folder.h"

#include "cache/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t more = size ? (uint64_t)1 << (data[0] % 64) : 0;
	uint64_t less = size > 1 ? (uint64_t)1 << (data[1] % 64) : 0;
	size_t skipped = size > 2 ? 2 : size;
	struct occ_config config;
	uint64_t before;

	fuzz_write("config.file", data + skipped, size - skipped);
	fuzz_expect(!occ_config_lock(fuzz_descriptor(), &config), "locked");
	before = config.size;
	fuzz_expect(!occ_config_add(&config, more), "added");
	fuzz_expect(config.size >= before, "more");
	before = config.size;
	fuzz_expect(!occ_config_subtract(&config, less), "subtracted");
	fuzz_expect(config.size <= before, "less");
	before = config.size;
	occ_config_unlock(&config);
	fuzz_expect(!occ_config_lock(fuzz_descriptor(), &config), "again");
	/* Less than this file itself is counted anew. */
	fuzz_expect(before < OCC_CONFIG_SIZE ? config.size >= OCC_CONFIG_SIZE
					     : config.size == before,
		    "as written");
	fuzz_expect(!config.rebuilt, "not cut short");
	occ_config_unlock(&config);
	return 0;
}
