/* SPDX-License-Identifier: MIT */
/*
 * cache/entry.h: any bytes as an entry's file; as they are, and with the
 * lengths and the checksum set right, which chance wouldn't find. What is
 * accepted stays the same when it is encoded again.
 */
#include "tests/fuzz/fuzz.h"

/* Offsets of doc/format.md. */
#define HEADER_SIZE  64
#define AT_FILE_SIZE 16
#define AT_HOT_SIZE  24
#define AT_CHECKSUM  48

/* As the header says as far as that can be; the checksum as documented. */
static void seal(unsigned char *file, size_t size)
{
	uint64_t hot_size = occ_get_u64(file + AT_HOT_SIZE);
	unsigned char header[HEADER_SIZE];
	struct occ_digest digest;

	occ_put_u64(file + AT_FILE_SIZE, size);
	if (hot_size > size || hot_size < HEADER_SIZE)
		hot_size = size / HEADER_SIZE * HEADER_SIZE;
	occ_put_u64(file + AT_HOT_SIZE, hot_size);
	occ_digest(file + HEADER_SIZE, (size_t)hot_size - HEADER_SIZE,
		   OCC_SEED_CHECKSUM, &digest);
	memcpy(header, file, AT_CHECKSUM);
	memcpy(header + AT_CHECKSUM, digest.bytes, OCC_DIGEST_SIZE);
	occ_digest(header, HEADER_SIZE, OCC_SEED_CHECKSUM, &digest);
	memcpy(file + AT_CHECKSUM, digest.bytes, OCC_DIGEST_SIZE);
}

/* As a reader does it: the hot part is in memory of its size. */
static bool decode(const unsigned char *file, size_t size)
{
	struct occ_entry entry;
	unsigned char *hot;
	size_t hot_size;
	bool accepted;

	if (size < HEADER_SIZE || occ_entry_hot_size(file, size, &hot_size))
		return false;
	fuzz_expect(hot_size <= size, "the hot part is within the file");
	hot = fuzz_copy(file, hot_size);
	accepted = !occ_entry_decode(hot, hot_size, size, &entry);
	if (accepted) {
		occ_entry_number(&entry, OCC_META_COMPILE_TIME, 0);
		occ_entry_bytes(&entry, OCC_META_KERNEL_NAMES);
	}
	free(hot);
	return accepted;
}

static void find_parts(const unsigned char *file, size_t size)
{
	size_t head = size < OCC_ENTRY_HEAD_SIZE ? size : OCC_ENTRY_HEAD_SIZE;
	struct occ_entry_parts parts;
	const struct occ_entry_part *each[] = {&parts.key, &parts.metadata,
					       &parts.binary, &parts.code};

	if (occ_entry_find_parts(file, head, size, &parts))
		return;
	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
		fuzz_expect(each[i]->offset <= size &&
				    each[i]->size <= size - each[i]->offset,
			    "the part is within the file");
}

/* Once more with what it has; doing so again changes nothing. */
static void encode_again(const unsigned char *file, size_t size)
{
	struct occ_buffer once = OCC_BUFFER_INIT, twice = OCC_BUFFER_INIT;
	size_t hot_size, again_size;
	struct occ_entry entry, again;
	struct occ_span texts, texts_again;

	occ_entry_hot_size(file, size, &hot_size);
	fuzz_expect(!occ_entry_decode(file, hot_size, size, &entry), "again");
	occ_entry_recode(file, entry.metadata, entry.binary, &once);
	fuzz_expect(!once.failed &&
			    !occ_entry_hot_size(once.data, once.size,
						&again_size) &&
			    !occ_entry_decode(once.data, again_size, once.size,
					      &again),
		    "what was encoded is decoded");
	fuzz_expect(fuzz_same(entry.key, again.key) &&
			    fuzz_same(entry.metadata, again.metadata) &&
			    fuzz_same(entry.binary, again.binary) &&
			    !memcmp(&entry.hash, &again.hash,
				    sizeof(entry.hash)),
		    "it is the same entry");
	if (!occ_entry_texts(file, size, &texts))
		fuzz_expect(!occ_entry_texts(once.data, once.size,
					     &texts_again) &&
				    fuzz_same(texts, texts_again),
			    "it has the same texts");
	occ_entry_recode(once.data, again.metadata, again.binary, &twice);
	fuzz_expect(once.size == twice.size &&
			    !memcmp(once.data, twice.data, once.size),
		    "the same bytes");
	occ_buffer_release(&once);
	occ_buffer_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file = fuzz_copy(data, size);
	struct occ_span texts;

	find_parts(file, size);
	occ_entry_texts(file, size, &texts);
	if (decode(file, size))
		encode_again(file, size);
	if (size >= HEADER_SIZE) {
		seal(file, size);
		if (decode(file, size))
			encode_again(file, size);
	}
	free(file);
	return 0;
}
