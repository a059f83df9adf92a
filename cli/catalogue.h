/* SPDX-License-Identifier: MIT */
/*
 * The entries of a store, each with what is worth to be shown of it, without
 * reading their binaries. What is in it isn't verified.
 *
 * Not for several threads at once; reading uses some of its own.
 */
#ifndef OCC_CLI_CATALOGUE_H
#define OCC_CLI_CATALOGUE_H

#include "cache/store.h"
#include "cli/selection.h"

/* Texts are never NULL, but empty where they aren't known. */
struct occ_item {
	const struct occ_listing_file *file; /* name, size, last use */
	char hash[OCC_DIGEST_HEX_SIZE];	     /* of its name */
	const char *fault; /* NULL: none was seen; else the rest is unknown */
	const char *device;
	const char *platform;
	const char *driver;  /* the driver's version */
	const char *kernels; /* names, ";" between them */
	const char *options;
	uint64_t compile_time; /* ns; UINT64_MAX: not known */
	uint64_t created;      /* s since 1970; 0: not known */
	uint64_t binary_size;
	char *memory; /* of the texts */
};

struct occ_catalogue {
	struct occ_listing listing; /* of all files of the store that count */
	struct occ_item *items;	    /* of entries that were selected */
	size_t count;
	size_t prefix; /* digits of hashes that tell all entries apart, >= 8 */
};

/*
 * Reads the store's entries that the selection has (NULL: all), newest use
 * first. False after an error was shown. A store that is missing is empty.
 */
bool occ_catalogue_read(struct occ_store *store,
			const struct occ_selection *selection,
			struct occ_catalogue *ret_catalogue);
void occ_catalogue_release(struct occ_catalogue *catalogue);

#endif
