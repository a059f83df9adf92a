/* SPDX-License-Identifier: MIT */
/*
 * cache/working_set.h: any bytes as "<place>.workingset", as they are and with
 * a right checksum. What is read of it is within its limits, and what a process
 * took after that is foreseen.
 */
#include "tests/fuzz/directory.h"

#include "cache/name.h"
#include "cache/working_set.h"

#define HEADER_SIZE 32
#define AT_CHECKSUM 16

static void check(const struct occ_working_set *set)
{
	struct occ_digest arguments = {{7}};
	bool certain;
	int run = occ_working_set_predict(set, &arguments, &certain);

	fuzz_expect(run >= -1 && run < OCC_WORKING_SET_RUNS, "a run");
	fuzz_expect(run >= 0 || !certain, "nothing is not certain");
	fuzz_expect(set->count <= OCC_WORKING_SET_ITEMS, "so many items");
	for (size_t i = 0; i < set->count; i++)
		fuzz_expect(set->items[i].count &&
				    set->items[i].count <=
					    OCC_WORKING_SET_DEVICES,
			    "so many devices");
}

/* A process takes something: that is what the next one is foreseen to. */
static void take(struct occ_store *store, const struct occ_digest *executable)
{
	const struct occ_working_set_item item = {.context = 3,
						  .count = 1,
						  .hashes = {{{5}}}};
	const struct occ_working_set_taken taken = {
		.executable = *executable,
		.name = "name",
		.arguments = {{9}},
		.items = &item,
		.count = 1,
		.whole = true,
	};
	struct occ_working_set set;
	bool certain = false;
	int run;

	fuzz_expect(!occ_working_set_write(store, &taken), "no failure");
	fuzz_expect(occ_working_set_read(store, executable, &set),
		    "what was written");
	run = occ_working_set_predict(&set, &taken.arguments, &certain);
	fuzz_expect(run >= 0 && set.count && set.items[0].context == 3 &&
			    set.items[0].runs >> run & 1,
		    "the last run");
	occ_working_set_release(&set);
}

static void play(struct occ_store *store, const unsigned char *file,
		 size_t size)
{
	struct occ_working_set set;
	struct occ_digest executable = {{0}}, place = {{0}};
	char name[OCC_NAME_SIZE];

	if (occ_working_set_decode((struct occ_span){file, size}, &set)) {
		executable = set.executable;
		check(&set);
	}
	occ_working_set_release(&set);
	place.bytes[0] = executable.bytes[0];
	place.bytes[1] = executable.bytes[1] & 0xf0;
	occ_name_working_set(&place, name);
	fuzz_write(name, file, size);
	take(store, &executable);
	unlinkat(fuzz_descriptor(), name, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file = fuzz_copy(data, size);
	struct occ_store *store = occ_store_open(fuzz_directory(), 0, false);
	struct occ_digest digest;

	fuzz_expect(store, "a store");
	play(store, file, size);
	if (size >= HEADER_SIZE) {
		occ_digest(file + HEADER_SIZE, size - HEADER_SIZE,
			   OCC_SEED_CHECKSUM, &digest);
		memcpy(file + AT_CHECKSUM, digest.bytes, OCC_DIGEST_SIZE);
		play(store, file, size);
	}
	occ_store_close(store);
	free(file);
	return 0;
}
