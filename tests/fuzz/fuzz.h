/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share. Each target is one file with the function that
 * libFuzzer calls; it must take any bytes, any number of times, and abort when
 * something isn't as it should be: `make fuzz` (Makefile). Small inputs to
 * start from are in tests/fuzz/corpus/TARGET.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "cache/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

static inline void *fuzz_memory(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		abort();
	return memory;
}

/* A copy of just the size, so that the sanitizer sees the ends. */
static inline unsigned char *fuzz_copy(const void *data, size_t size)
{
	unsigned char *copy = fuzz_memory(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

/*
 * Gives the bytes of a file with a header (cache/file_header.h) the checksum
 * that they should have. False: they are too few for a header.
 */
static inline bool fuzz_mend_checksum(unsigned char *file, size_t size)
{
	const size_t header_size = 32, at_checksum = 16;
	struct occ_digest digest;

	if (size < header_size)
		return false;
	occ_digest(file + header_size, size - header_size, OCC_SEED_CHECKSUM,
		   &digest);
	memcpy(file + at_checksum, digest.bytes, OCC_DIGEST_SIZE);
	return true;
}

/* The same with a NUL behind it. */
static inline char *fuzz_string(const void *data, size_t size)
{
	char *copy = fuzz_memory(size + 1);

	if (size)
		memcpy(copy, data, size);
	copy[size] = '\0';
	return copy;
}

/* Takes the bytes up to the next `separator`, or all; false at the end. */
static inline bool fuzz_next(const uint8_t **data, size_t *size, int separator,
			     struct occ_span *ret_part)
{
	const uint8_t *end;

	if (!*size)
		return false;
	end = memchr(*data, separator, *size);
	ret_part->data = *data;
	ret_part->size = end ? (size_t)(end - *data) : *size;
	*size -= ret_part->size + (end ? 1 : 0);
	*data += ret_part->size + (end ? 1 : 0);
	return true;
}

static inline bool fuzz_same(struct occ_span one, struct occ_span other)
{
	return one.size == other.size &&
	       (!one.size || !memcmp(one.data, other.data, one.size));
}

/* A driver's, or NULL, for any number. */
static inline const struct occ_option_dialect *fuzz_dialect(unsigned number)
{
	const struct occ_driver *driver;
	size_t count = 1;

	for (size_t i = 0; (driver = occ_driver_at(i)); i++)
		count += driver->dialect != NULL;
	for (size_t i = 0; (driver = occ_driver_at(i)); i++)
		if (driver->dialect &&
		    driver->dialect->number == number % count)
			return driver->dialect;
	return NULL;
}

#endif
