/* SPDX-License-Identifier: MIT */
/*
 * cache/includes.h: any bytes as "<digest>.includes", as they are, with a right
 * checksum, and as looks of a file that is otherwise right. What comes back
 * holds now.
 */
#include "tests/fuzz/directory.h"

#include "cache/include_files.h"
#include "cache/includes.h"
#include "cache/name.h"

static const struct occ_span question = {(const unsigned char *)"q", 1};

static void play(struct occ_store *store, const void *file, size_t size)
{
	struct occ_includes includes;
	struct occ_digest digest;
	char name[OCC_NAME_SIZE];

	occ_digest(question.data, question.size, OCC_SEED_NAME, &digest);
	occ_name_includes(&digest, name);
	fuzz_write(name, file, size);
	if (!occ_includes_recall(store, question, &includes))
		return;
	fuzz_expect(occ_includes_is_good((struct occ_span){file, size}),
		    "a good file");
	fuzz_expect(occ_include_files_unchanged(&includes.looks), "it holds");
	occ_includes_release(&includes);
}

static void play_looks(struct occ_store *store, const void *data, size_t size)
{
	struct occ_buffer looks = OCC_BUFFER_INIT, file = OCC_BUFFER_INIT;
	struct occ_closure closure = {.file_count = 1};
	struct occ_digest stamp = {{0}};

	occ_buffer_append(&looks, data, size);
	occ_includes_encode(question, &closure, &stamp, &looks, &file);
	fuzz_expect(!file.failed, "memory");
	play(store, file.data, file.size);
	fuzz_expect(!occ_includes_remember(store, &file), "no failure");
	occ_buffer_release(&looks);
	occ_buffer_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file = fuzz_copy(data, size);
	struct occ_store *store = occ_store_open(fuzz_directory(), 0, false);

	fuzz_expect(store, "a store");
	play(store, file, size);
	play_looks(store, file, size);
	if (fuzz_mend_checksum(file, size))
		play(store, file, size);
	occ_store_close(store);
	free(file);
	return 0;
}
