/* SPDX-License-Identifier: MIT */
/*
 * cache/signed_entry.h: any bytes as a value, and as signatures alone; as they
 * are, with the lengths set right, and with the entry's checksums made anew,
 * which chance wouldn't find. Without keys nothing is admitted that has a
 * signature; what is admitted unsigned stays the same when it is encoded again.
 */
#include "tests/fuzz/fuzz.h"

#include "cache/signed_entry.h"

/* Offsets of doc/format.md. */
#define HEADER_SIZE	  32
#define AT_FILE		  16
#define AT_SIGNATURES	  24
#define ENTRY_HEADER_SIZE 64
#define AT_FILE_SIZE	  16
#define AT_HOT_SIZE	  24
#define AT_CHECKSUM	  48

static const struct occ_trusted_keys none;

static void encode_again(struct occ_span value,
			 const struct occ_entry_file *whole)
{
	static const struct occ_entry_signatures nobody;
	struct occ_buffer again = OCC_BUFFER_INIT;

	occ_signed_entry_encode(whole, &nobody, &again);
	fuzz_expect(fuzz_same(value, occ_buffer_span(&again)),
		    "there is one way to write it");
	occ_buffer_release(&again);
}

static void open_value(struct occ_span value)
{
	struct occ_entry_file whole;
	enum occ_admission admission;

	admission = occ_signed_entry_open(value, NULL, &none, false, &whole);
	fuzz_expect(admission >= OCC_REFUSED_FORMAT && !whole.memory,
		    "nobody is trusted");
	admission = occ_signed_entry_open(value, NULL, &none, true, &whole);
	fuzz_expect(admission == OCC_ADMITTED_UNSIGNED ||
			    admission >= OCC_REFUSED_FORMAT,
		    "nobody is trusted, and what is unsigned accepted");
	if (admission == OCC_ADMITTED_UNSIGNED)
		encode_again(value, &whole);
	occ_entry_file_release(&whole);
}

static void decode_signatures(struct occ_span bytes)
{
	struct occ_entry_signatures signatures;
	struct occ_buffer again = OCC_BUFFER_INIT;

	if (!occ_entry_signatures_decode(bytes, &signatures))
		return;
	occ_entry_signatures_encode(&signatures, &again);
	fuzz_expect(fuzz_same(bytes, occ_buffer_span(&again)),
		    "there is one way to write signatures");
	occ_buffer_release(&again);
}

/* As far as lengths can be right. */
static size_t set_lengths(unsigned char *value, size_t size)
{
	size_t rest = size - HEADER_SIZE;
	size_t signed_size =
		(size_t)(occ_get_u64(value + AT_SIGNATURES) % (rest + 1));

	memcpy(value, OCC_SIGNED_ENTRY_MAGIC, OCC_SIGNED_ENTRY_MAGIC_SIZE);
	occ_put_u64(value + AT_FILE, rest - signed_size);
	occ_put_u64(value + AT_SIGNATURES, signed_size);
	return HEADER_SIZE + signed_size;
}

static void seal(unsigned char *file, size_t size)
{
	uint64_t hot_size = occ_get_u64(file + AT_HOT_SIZE);
	struct occ_digest digest;

	occ_put_u64(file + AT_FILE_SIZE, size);
	if (hot_size > size || hot_size < ENTRY_HEADER_SIZE)
		hot_size = size / ENTRY_HEADER_SIZE * ENTRY_HEADER_SIZE;
	occ_put_u64(file + AT_HOT_SIZE, hot_size);
	occ_digest(file + ENTRY_HEADER_SIZE,
		   (size_t)hot_size - ENTRY_HEADER_SIZE, OCC_SEED_CHECKSUM,
		   &digest);
	memcpy(file + AT_CHECKSUM, digest.bytes, OCC_DIGEST_SIZE);
	occ_digest(file, ENTRY_HEADER_SIZE, OCC_SEED_CHECKSUM, &digest);
	memcpy(file + AT_CHECKSUM, digest.bytes, OCC_DIGEST_SIZE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *value = fuzz_copy(data, size);
	struct occ_span span = {value, size};
	size_t file;

	open_value(span);
	decode_signatures(span);
	if (size >= HEADER_SIZE) {
		file = set_lengths(value, size);
		open_value(span);
		if (size - file >= ENTRY_HEADER_SIZE) {
			seal(value + file, size - file);
			open_value(span);
		}
		/* The same as signatures alone. */
		occ_put_u64(value + AT_FILE, 0);
		occ_put_u64(value + AT_SIGNATURES, size - HEADER_SIZE);
		decode_signatures(span);
	}
	free(value);
	return 0;
}
