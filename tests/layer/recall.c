/* SPDX-License-Identifier: MIT */
/*
 * Prints what a store remembers of the one driver that it knows: proof,
 * callbacks, kernels counted, programs counted, expensive, late; or how it
 * searches for included files.
 *
 *	recall DIRECTORY [search]
 */
#include "cache/traits.h"
#include "tests/layer/common.h"

/* The digest in the name of the state file's pair. */
static struct occ_digest digest_in(const struct occ_buffer *state)
{
	static const char start[] = "driver ";
	const char *at =
		memmem(state->data, state->size, start, sizeof(start) - 1);
	struct occ_digest digest;

	if (!at)
		die("no driver");
	at += sizeof(start) - 1;
	for (int i = 0; i < OCC_DIGEST_SIZE; i++) {
		char two[3] = {at[2 * i], at[2 * i + 1], '\0'};

		digest.bytes[i] = (unsigned char)strtoul(two, NULL, 16);
	}
	return digest;
}

int main(int argc, char **argv)
{
	struct occ_buffer state = OCC_BUFFER_INIT;
	struct occ_traits habits;
	struct occ_digest digest;
	struct occ_store *store;

	if (argc != 2 && argc != 3)
		die("usage: recall DIRECTORY [search]");
	store = occ_store_open(argv[1], 0, false);
	if (!store || occ_store_read(store, "oclcache.state", &state))
		die("no state");
	digest = digest_in(&state);
	if (occ_traits_load(store, &digest, &habits))
		die("not understood");
	if (argc == 3)
		printf("%d\n", (int)occ_traits_load_search(store, &digest));
	else
		printf("%d %d %d %d %d %d\n", (int)habits.proof,
		       (int)habits.notify, habits.counts_kernels,
		       habits.counts_programs, habits.expensive, habits.late);
	occ_buffer_release(&state);
	occ_store_close(store);
	return 0;
}
