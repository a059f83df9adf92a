/* SPDX-License-Identifier: MIT */
/*
 * cache/working_set.h: any bytes as "<place>.workingset", as they are and with
 * a right checksum. What is read of it is within its limits, and what a process
 * took after that is foreseen.
 */
#include "tests/fuzz/directory.h"

#include "cache/name.h"
#include "cache/working_set.h"

static void check_item(const struct occ_working_set_item *item)
{
	size_t at = 0;

	fuzz_expect(item->count && item->count <= OCC_WORKING_SET_DEVICES,
		    "so many devices");
	fuzz_expect(!item->kernels[OCC_WORKING_SET_KERNELS - 1],
		    "names end in the room for them");
	while (item->kernels[at])
		at += strlen(item->kernels + at) + 1;
	fuzz_expect(at < OCC_WORKING_SET_KERNELS, "an empty one is the last");
}

static void check(const struct occ_working_set *set)
{
	struct occ_digest arguments = {{7}};
	struct occ_working_set_prediction prediction =
		occ_working_set_predict(set, &arguments);

	fuzz_expect(prediction.run >= -1 &&
			    prediction.run < OCC_WORKING_SET_RUNS,
		    "a run");
	fuzz_expect(prediction.run >= 0 || !prediction.is_certain,
		    "nothing is not certain");
	fuzz_expect(set->count <= OCC_WORKING_SET_ITEMS, "so many items");
	for (size_t i = 0; i < set->count; i++)
		check_item(&set->items[i]);
}

/* A process takes something: that is what the next one is foreseen to. */
static void take(struct occ_store *store, const struct occ_digest *executable)
{
	const struct occ_working_set_item item = {.context = 3,
						  .count = 1,
						  .hashes = {{{5}}},
						  .kernels = "k\0l"};
	const struct occ_working_set_taken taken = {
		.executable = *executable,
		.name = "name",
		.arguments = {{9}},
		.items = &item,
		.count = 1,
		.whole = true,
	};
	struct occ_working_set set;
	int run;

	fuzz_expect(!occ_working_set_write(store, &taken), "no failure");
	fuzz_expect(occ_working_set_read(store, executable, &set),
		    "what was written");
	run = occ_working_set_predict(&set, &taken.arguments).run;
	fuzz_expect(run >= 0 && set.count &&
			    occ_working_set_same(&set.items[0], &item) &&
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

	fuzz_expect(store, "a store");
	play(store, file, size);
	if (fuzz_mend_checksum(file, size))
		play(store, file, size);
	occ_store_close(store);
	free(file);
	return 0;
}
