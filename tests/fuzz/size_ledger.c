/* SPDX-License-Identifier: MIT */
/*
 * cache/size_ledger.h: any bytes as config.file, of which the first two say by
 * how much the total is changed. It never becomes less by adding, nor more by
 * subtracting, and what is written is read, unless it can't be right. What
 * looks like another program's is left as it is.
 */
#include "tests/fuzz/directory.h"

#include "cache/size_ledger.h"
#include "cache/name.h"

/* config.file is as it was. */
static void expect_bytes(const uint8_t *data, size_t size)
{
	int file = openat(fuzz_descriptor(), "config.file", O_RDONLY);
	uint8_t *there = malloc(size + 1);

	fuzz_expect(file >= 0 && there, "it is there");
	fuzz_expect(read(file, there, size + 1) == (ssize_t)size &&
			    (!size || !memcmp(there, data, size)),
		    "nothing is written");
	free(there);
	close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t more = size ? (uint64_t)1 << (data[0] % 64) : 0;
	uint64_t less = size > 1 ? (uint64_t)1 << (data[1] % 64) : 0;
	size_t skipped = size > 2 ? 2 : size;
	struct occ_size_ledger ledger;
	uint64_t before;
	int error;

	unlinkat(fuzz_descriptor(), OCC_NAME_TAG, 0);
	fuzz_write("config.file", data + skipped, size - skipped);
	error = occ_size_ledger_lock(fuzz_descriptor(), &ledger);
	if (error) {
		fuzz_expect(error == OCC_E_NOT_A_STORE, "a reason");
		expect_bytes(data + skipped, size - skipped);
	} else {
		occ_size_ledger_unlock(&ledger);
	}
	/* Where there is a tag it is ours, and may say anything. */
	fuzz_write(OCC_NAME_TAG, OCC_NAME_TAG_TEXT,
		   sizeof(OCC_NAME_TAG_TEXT) - 1);
	fuzz_write("config.file", data + skipped, size - skipped);
	fuzz_expect(!occ_size_ledger_lock(fuzz_descriptor(), &ledger),
		    "locked");
	before = ledger.size;
	fuzz_expect(!occ_size_ledger_add(&ledger, more), "added");
	fuzz_expect(ledger.size >= before, "more");
	before = ledger.size;
	fuzz_expect(!occ_size_ledger_subtract(&ledger, less), "subtracted");
	fuzz_expect(ledger.size <= before, "less");
	before = ledger.size;
	occ_size_ledger_unlock(&ledger);
	fuzz_expect(!occ_size_ledger_lock(fuzz_descriptor(), &ledger), "again");
	/* Less than this file itself is counted anew. */
	fuzz_expect(before < OCC_SIZE_LEDGER_SIZE
			    ? ledger.size >= OCC_SIZE_LEDGER_SIZE
			    : ledger.size == before,
		    "as written");
	fuzz_expect(!ledger.rebuilt, "not cut short");
	occ_size_ledger_unlock(&ledger);
	return 0;
}
