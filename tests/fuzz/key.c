/* SPDX-License-Identifier: MIT */
/*
 * hash/key.h and hash/difference.h: any bytes as two stored keys that are
 * compared, and as the fields of a key, of which the entry, encoded, is decoded
 * to the same, and encoded again to the same bytes.
 */
#include "tests/fuzz/fuzz.h"

#include "hash/difference.h"

/* More than the headings and four pieces of each of 64 fields may take. */
#define TEXT_MAX 65536

static void compare(struct occ_span one, struct occ_span other)
{
	struct occ_buffer text = OCC_BUFFER_INIT;
	uint64_t distance = occ_difference_distance(&one, &other);

	occ_difference_describe(&one, &other, &text);
	fuzz_expect(!text.failed && text.size < TEXT_MAX, "a short text");
	fuzz_expect(!distance == !text.size, "told when there is a distance");
	fuzz_expect(!fuzz_same(one, other) || !distance, "equal to itself");
	occ_buffer_release(&text);
}

/* Each field: its id, its length, its bytes. */
static void add_fields(struct occ_key *key, const uint8_t *data, size_t size)
{
	static const unsigned char zeros[OCC_KEY_INLINE_MAX + 1];

	while (size >= 2) {
		size_t length = data[1], taken = length;
		enum occ_key_field id = (enum occ_key_field)(data[0] % 64);

		data += 2;
		size -= 2;
		if (taken > size)
			taken = size;
		/* Some are too long to be stored in full. */
		if (length == 255)
			occ_key_add(key, id, zeros, sizeof(zeros));
		else
			occ_key_add(key, id, data, taken);
		data += taken;
		size -= taken;
	}
}

static void check_entry(const struct occ_key *key, const uint8_t *data,
			size_t size)
{
	struct occ_buffer file = OCC_BUFFER_INIT, again = OCC_BUFFER_INIT;
	struct occ_span metadata = {data, size / 2};
	struct occ_span binary = {data + size / 2, size - size / 2}, texts;
	struct occ_entry entry;
	size_t hot_size, offset = 0, count = 0;
	struct occ_field field;

	occ_entry_encode(key, metadata, binary, &file);
	fuzz_expect(!occ_entry_hot_size(file.data, file.size, &hot_size) &&
			    !occ_entry_decode(file.data, hot_size, file.size,
					      &entry),
		    "what was encoded is decoded");
	fuzz_expect(entry.key.size == key->stored.size &&
			    !memcmp(&entry.hash, &key->hash,
				    sizeof(key->hash)) &&
			    fuzz_same(entry.metadata, metadata) &&
			    fuzz_same(entry.binary, binary),
		    "to the same");
	fuzz_expect(!occ_entry_texts(file.data, file.size, &texts), "texts");
	while (occ_field_next(texts.data, texts.size, &offset, &field) == 1)
		count++;
	fuzz_expect(count == key->text_count && offset == texts.size,
		    "as many texts");
	occ_entry_recode(file.data, entry.metadata, entry.binary, &again);
	fuzz_expect(file.size == again.size &&
			    !memcmp(file.data, again.data, file.size),
		    "and encoded to the same bytes");
	occ_buffer_release(&file);
	occ_buffer_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *copy = fuzz_copy(data, size);
	struct occ_span whole = {copy, size}, half = {copy, size / 16 * 8};
	struct occ_span rest = {copy + half.size, size - half.size};
	struct occ_key key;

	compare(half, rest);
	compare(whole, half);
	compare(whole, whole);
	occ_key_init(&key);
	add_fields(&key, copy, size);
	fuzz_expect(!occ_key_finish(&key), "a key");
	check_entry(&key, copy, size);
	compare(occ_buffer_span(&key.stored), whole);
	occ_key_release(&key);
	free(copy);
	return 0;
}
