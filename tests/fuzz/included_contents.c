/* SPDX-License-Identifier: MIT */
/*
 * cache/included_contents.h: any bytes as "<digest>.included", as they are and
 * with a right checksum. What is read of it has the digest, and what is kept
 * over it is read.
 */
#include "tests/fuzz/directory.h"

#include "cache/included_contents.h"
#include "cache/name.h"

#define TEXT_SIZE 12

static void play(struct occ_store *store, const unsigned char *file,
		 size_t size)
{
	/* The corpus has its file. */
	const struct occ_span text = {(const unsigned char *)"#define A 3\n",
				      TEXT_SIZE};
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_digest digest;
	char name[OCC_NAME_SIZE];

	occ_digest(text.data, text.size, OCC_SEED_NAME, &digest);
	occ_name_included(&digest, name);
	fuzz_write(name, file, size);
	if (!occ_included_contents_read(store, &digest, text.size, &bytes)) {
		fuzz_expect(occ_span_equal(occ_buffer_span(&bytes), text),
			    "its contents");
		fuzz_expect(occ_included_contents_is_good(
				    (struct occ_span){file, size}, name),
			    "a good file");
	}
	occ_buffer_release(&bytes);
	fuzz_expect(!occ_included_contents_add(store, text), "no failure");
	unlinkat(fuzz_descriptor(), name, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file = fuzz_copy(data, size);
	struct occ_store *store = occ_store_open(fuzz_directory(), 0, false);

	fuzz_expect(store, "a store");
	play(store, file, size);
	if (fuzz_mend_checksum(file, size))
		play(store, file, size);
	occ_store_close(store);
	free(file);
	return 0;
}
