/* SPDX-License-Identifier: MIT */
/* Values of a remote storage, and what is admitted of them. */
#include "tests/unit/fixture.h"

#include "cache/signed_entry.h"

#define GOLDEN	      "tests/golden/signed-entry-v1"

/* Offsets of doc/format.md, on purpose not shared with the code. */
#define HEADER_SIZE   32
#define AT_VERSION    8
#define AT_FLAGS      12
#define AT_FILE	      16
#define AT_SIGNATURES 24
#define FIELD_SIZE    16
#define LONG_SIZE     5000

/* RFC 8032, 7.1, tests 1 and 2. */
#define SECRET                                                                 \
	"nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy" \
	"89qmIyWvAhpo9wdRGg=="
#define OTHER_SECRET                                                           \
	"TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs9QBfD6EOJWpK3CqdNG368nJgs" \
	"zy7ElozAzVXxKvRmDA=="

static struct occ_signing_key signer, stranger;
static struct occ_trusted_keys trusted;
static char source[LONG_SIZE];

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static int make_keys(void **state)
{
	struct occ_public_key public;

	(void)state;
	if (!occ_signing_key_parse(span("cache-1:" SECRET), &signer) ||
	    !occ_signing_key_parse(span("other-1:" OTHER_SECRET), &stranger))
		return -1;
	occ_signing_key_public(&signer, &public);
	return occ_trusted_keys_add(&trusted, &public) ? 0 : -1;
}

/* A key with a field that is long. */
static void make_key(struct occ_key *key, unsigned number)
{
	memset(source, 'x', sizeof(source));
	memcpy(source, &number, sizeof(number));
	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPERATION, "build");
	occ_key_add(key, OCC_KEY_SOURCE, source, sizeof(source));
	assert_int_equal(occ_key_finish(key), 0);
}

struct parts {
	unsigned key;
	const char *binary, *log, *code;
};

static const struct parts plain = {1, "binary", "log", NULL};
static const struct parts coded = {1, "binary", "log", "0123456789abcdefcode"};

static void make_whole(const struct parts *parts, struct occ_entry_file *whole)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT, file = OCC_BUFFER_INIT;
	struct occ_buffer with_code = OCC_BUFFER_INIT, *made = &file;
	struct occ_key key;

	make_key(&key, parts->key);
	occ_field_append(&metadata, OCC_META_BUILD_LOG, parts->log,
			 strlen(parts->log));
	occ_entry_encode(&key, occ_buffer_span(&metadata), span(parts->binary),
			 &file);
	if (parts->code) {
		occ_entry_recode_code(file.data, span(parts->code), &with_code);
		made = &with_code;
	}
	*whole = (struct occ_entry_file){0};
	assert_true(occ_entry_file_reserve(whole, made->size));
	memcpy(whole->memory, made->data, made->size);
	whole->size = made->size;
	assert_int_equal(occ_entry_file_verify(whole), OCC_OK);
	occ_key_release(&key);
	occ_buffer_release(&metadata);
	occ_buffer_release(&file);
	occ_buffer_release(&with_code);
}

/* `key`: NULL: nobody signs. */
static void make_value(const struct parts *parts,
		       const struct occ_signing_key *key,
		       struct occ_buffer *ret_value)
{
	struct occ_entry_signatures signatures = {0};
	struct occ_entry_file whole;

	make_whole(parts, &whole);
	if (key)
		occ_entry_sign(&whole, key, &signatures);
	occ_signed_entry_encode(&whole, &signatures, ret_value);
	assert_false(ret_value->failed);
	occ_entry_file_release(&whole);
}

/* From a copy of just the size, for the sanitizer. */
static enum occ_admission open_value(struct occ_span value, unsigned number,
				     bool accepts_unsigned,
				     struct occ_entry_file *whole)
{
	unsigned char *copy = malloc(value.size ? value.size : 1);
	enum occ_admission admission;
	struct occ_key key;

	assert_non_null(copy);
	if (value.size)
		memcpy(copy, value.data, value.size);
	make_key(&key, number);
	admission =
		occ_signed_entry_open((struct occ_span){copy, value.size}, &key,
				      &trusted, accepts_unsigned, whole);
	occ_key_release(&key);
	free(copy);
	return admission;
}

static enum occ_admission try_value(const struct occ_buffer *value,
				    bool accepts_unsigned)
{
	struct occ_entry_file whole;
	enum occ_admission admission =
		open_value(occ_buffer_span(value), 1, accepts_unsigned, &whole);

	if (admission >= OCC_REFUSED_FORMAT)
		assert_null(whole.memory);
	else
		assert_int_equal(whole.entry.binary.size, strlen("binary"));
	occ_entry_file_release(&whole);
	return admission;
}

static void test_round_trip(void **state)
{
	const struct parts *all[] = {&plain, &coded};
	struct occ_entry_file whole, made;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct occ_buffer value = OCC_BUFFER_INIT;

		make_value(all[i], &signer, &value);
		make_whole(all[i], &made);
		assert_int_equal(open_value(occ_buffer_span(&value), 1, false,
					    &whole),
				 OCC_ADMITTED);
		assert_int_equal(whole.size, made.size);
		assert_memory_equal(whole.memory, made.memory, made.size);
		occ_entry_file_release(&whole);
		occ_entry_file_release(&made);
		occ_buffer_release(&value);
	}
}

static void test_unsigned(void **state)
{
	struct occ_buffer value = OCC_BUFFER_INIT;

	(void)state;
	make_value(&coded, NULL, &value);
	assert_int_equal(try_value(&value, false), OCC_REFUSED_UNSIGNED);
	assert_int_equal(try_value(&value, true), OCC_ADMITTED_UNSIGNED);
	occ_buffer_release(&value);
}

static void test_untrusted(void **state)
{
	struct occ_buffer value = OCC_BUFFER_INIT;

	(void)state;
	make_value(&plain, &stranger, &value);
	assert_int_equal(try_value(&value, false), OCC_REFUSED_UNTRUSTED);
	assert_int_equal(try_value(&value, true), OCC_REFUSED_UNTRUSTED);
	occ_buffer_release(&value);
}

/* Who has no key says that it's the trusted one's. */
static void test_impostor(void **state)
{
	struct occ_signing_key impostor = stranger;
	struct occ_buffer value = OCC_BUFFER_INIT;

	(void)state;
	strcpy(impostor.name, signer.name);
	make_value(&plain, &impostor, &value);
	assert_int_equal(try_value(&value, false), OCC_REFUSED_SIGNATURE);
	assert_int_equal(try_value(&value, true), OCC_REFUSED_SIGNATURE);
	occ_buffer_release(&value);
}

static void test_another_key(void **state)
{
	struct occ_buffer value = OCC_BUFFER_INIT;
	struct occ_entry_file whole;

	(void)state;
	make_value(&plain, &signer, &value);
	for (int accepts = 0; accepts < 2; accepts++)
		assert_int_equal(open_value(occ_buffer_span(&value), 2, accepts,
					    &whole),
				 OCC_REFUSED_KEY);
	/* Of no particular one. */
	assert_int_equal(occ_signed_entry_open(occ_buffer_span(&value), NULL,
					       &trusted, false, &whole),
			 OCC_ADMITTED);
	occ_entry_file_release(&whole);
	occ_buffer_release(&value);
}

/*
 * Two sources with the same digest would have the same stored key; here it is
 * the source that is asked for that changes after its digest was made.
 */
static void test_same_stored_key(void **state)
{
	struct occ_buffer value = OCC_BUFFER_INIT;
	struct occ_entry_file whole;
	struct occ_key key;

	(void)state;
	make_value(&plain, &signer, &value);
	make_key(&key, 1);
	source[LONG_SIZE - 1] = 'y';
	assert_int_equal(occ_signed_entry_open(occ_buffer_span(&value), &key,
					       &trusted, false, &whole),
			 OCC_REFUSED_KEY);
	key.text_count = 0;
	assert_int_equal(occ_signed_entry_open(occ_buffer_span(&value), &key,
					       &trusted, false, &whole),
			 OCC_REFUSED_KEY);
	occ_key_release(&key);
	occ_buffer_release(&value);
}

/* Nothing of it can be another byte, nor can it be shorter or longer. */
static void flip_all(const struct parts *parts,
		     const struct occ_signing_key *key, bool accepts_unsigned)
{
	struct occ_buffer value = OCC_BUFFER_INIT, shorter;
	struct occ_entry_file whole;

	make_value(parts, key, &value);
	for (size_t i = 0; i < value.size; i++)
		for (unsigned bit = 0; bit < 8; bit += 7) {
			enum occ_admission admission;

			value.data[i] ^= (unsigned char)(1 << bit);
			admission = open_value(occ_buffer_span(&value), 1,
					       accepts_unsigned, &whole);
			value.data[i] ^= (unsigned char)(1 << bit);
			/* Of device code alone the signature may be wrong. */
			if (admission == OCC_ADMITTED_WITHOUT_CODE &&
			    parts->code) {
				assert_null(whole.entry.code.data);
				assert_int_equal(whole.entry.binary.size, 6);
				assert_memory_equal(whole.entry.binary.data,
						    "binary", 6);
				occ_entry_file_release(&whole);
				continue;
			}
			assert_true(admission >= OCC_REFUSED_FORMAT);
		}
	shorter = value;
	while (shorter.size--)
		assert_true(try_value(&shorter, accepts_unsigned) >=
			    OCC_REFUSED_FORMAT);
	occ_buffer_append(&value, "", 1);
	assert_int_equal(try_value(&value, accepts_unsigned),
			 OCC_REFUSED_FORMAT);
	occ_buffer_release(&value);
}

static void test_flips(void **state)
{
	(void)state;
	for (int accepts = 0; accepts < 2; accepts++) {
		flip_all(&plain, &signer, accepts);
		flip_all(&coded, &signer, accepts);
	}
	flip_all(&plain, NULL, true);
}

/* Checksums as documented: who means harm computes them anew. */
static void seal(unsigned char *file, size_t size)
{
	uint64_t hot_size = occ_get_u64(file + 24);
	unsigned char header[64];
	struct occ_digest digest;

	for (unsigned char *line = file + 64;
	     line < file + 64 + 40 * occ_get_u32(file + 12); line += 40) {
		uint64_t offset = occ_get_u64(line + 8);
		uint64_t length = occ_get_u64(line + 16);

		if (!occ_get_u32(line + 4) || offset > size ||
		    length > size - offset)
			continue;
		occ_digest(file + offset, (size_t)length, OCC_SEED_CHECKSUM,
			   &digest);
		memcpy(line + 24, digest.bytes, OCC_DIGEST_SIZE);
	}
	occ_digest(file + 64, (size_t)hot_size - 64, OCC_SEED_CHECKSUM,
		   &digest);
	memcpy(header, file, 48);
	memcpy(header + 48, digest.bytes, OCC_DIGEST_SIZE);
	occ_digest(header, sizeof(header), OCC_SEED_CHECKSUM, &digest);
	memcpy(file + 48, digest.bytes, OCC_DIGEST_SIZE);
}

/* The same of the entry's file, whose checksums are right again. */
static void test_sealed_flips(void **state)
{
	struct occ_buffer value = OCC_BUFFER_INIT;
	struct occ_entry_file whole, made;
	unsigned char *file, *copy;
	size_t admitted = 0;

	(void)state;
	make_whole(&coded, &made);
	make_value(&coded, &signer, &value);
	file = value.data + value.size - made.size;
	copy = malloc(made.size);
	assert_non_null(copy);
	memcpy(copy, file, made.size);
	for (size_t i = 64; i < made.size; i++) {
		enum occ_admission admission;

		file[i] ^= 1;
		seal(file, made.size);
		admission =
			open_value(occ_buffer_span(&value), 1, true, &whole);
		/* Checksums themselves are as they were. */
		if (!memcmp(file, copy, made.size)) {
			assert_int_equal(admission, OCC_ADMITTED);
		} else if (admission == OCC_ADMITTED_WITHOUT_CODE) {
			assert_null(whole.entry.code.data);
			admitted++;
		} else {
			assert_true(admission >= OCC_REFUSED_FORMAT);
		}
		occ_entry_file_release(&whole);
		memcpy(file, copy, made.size);
	}
	/* Of the device code a byte, or its length. */
	assert_int_equal(admitted, strlen(coded.code) + 1);
	free(copy);
	occ_entry_file_release(&made);
	occ_buffer_release(&value);
}

/* Encodes a file with the signatures of others. */
static enum occ_admission try_mixed(const struct parts *parts,
				    const struct occ_entry_signatures *signed_)
{
	struct occ_buffer value = OCC_BUFFER_INIT;
	enum occ_admission admission, accepting;
	struct occ_entry_file whole;

	make_whole(parts, &whole);
	occ_signed_entry_encode(&whole, signed_, &value);
	occ_entry_file_release(&whole);
	admission = try_value(&value, false);
	accepting = try_value(&value, true);
	/* To accept what nobody has signed changes nothing here. */
	assert_int_equal(admission, accepting);
	occ_buffer_release(&value);
	return admission;
}

static void sign(const struct parts *parts,
		 struct occ_entry_signatures *ret_signatures)
{
	struct occ_entry_file whole;

	make_whole(parts, &whole);
	occ_entry_sign(&whole, &signer, ret_signatures);
	occ_entry_file_release(&whole);
}

/* All parts are signed by the trusted key, but not with each other. */
static void test_swaps(void **state)
{
	const struct parts other = {2, "binary", "another log",
				    "0123456789abcdefother"};
	const struct parts relogged = {1, "binary", "another log", coded.code};
	const struct parts recoded = {1, "binary", "log", other.code};
	const struct parts rebuilt = {1, "BINARY", "log", coded.code};
	struct occ_entry_signatures good, others, mixed;

	(void)state;
	sign(&coded, &good);
	sign(&other, &others);
	assert_int_equal(try_mixed(&coded, &good), OCC_ADMITTED);
	assert_int_equal(try_mixed(&coded, &others), OCC_REFUSED_SIGNATURE);
	assert_int_equal(try_mixed(&rebuilt, &good), OCC_REFUSED_SIGNATURE);
	/* Metadata of another program, with its signature. */
	assert_int_equal(try_mixed(&relogged, &good), OCC_REFUSED_SIGNATURE);
	mixed = good;
	mixed.metadata = others.metadata;
	assert_int_equal(try_mixed(&relogged, &mixed), OCC_REFUSED_SIGNATURE);
	/* The same of device code, which isn't needed. */
	assert_int_equal(try_mixed(&recoded, &good), OCC_ADMITTED_WITHOUT_CODE);
	mixed = good;
	mixed.code = others.code;
	assert_int_equal(try_mixed(&recoded, &mixed),
			 OCC_ADMITTED_WITHOUT_CODE);
	/* One part's signature isn't another's. */
	mixed = good;
	mixed.metadata = good.program;
	assert_int_equal(try_mixed(&coded, &mixed), OCC_REFUSED_SIGNATURE);
	mixed = good;
	mixed.program = good.metadata;
	assert_int_equal(try_mixed(&coded, &mixed), OCC_REFUSED_SIGNATURE);
	mixed = good;
	mixed.code = good.metadata;
	assert_int_equal(try_mixed(&coded, &mixed), OCC_ADMITTED_WITHOUT_CODE);
}

static void test_stripped(void **state)
{
	struct occ_entry_signatures all, some;

	(void)state;
	sign(&coded, &all);
	some = all;
	some.has_code = false;
	assert_int_equal(try_mixed(&coded, &some), OCC_ADMITTED_WITHOUT_CODE);
	/* Who has no code needs no signature of it. */
	assert_int_equal(try_mixed(&plain, &all), OCC_ADMITTED);
	some = all;
	some.has_metadata = false;
	assert_int_equal(try_mixed(&coded, &some), OCC_REFUSED_UNSIGNED);
	some = all;
	some.has_program = false;
	assert_int_equal(try_mixed(&coded, &some), OCC_REFUSED_UNSIGNED);
	some.has_metadata = false;
	assert_int_equal(try_mixed(&coded, &some), OCC_REFUSED_UNSIGNED);
}

/* Another machine improves what was signed, with a key of its own. */
static void test_two_signers(void **state)
{
	struct occ_entry_signatures good, others;
	struct occ_entry_file whole;
	struct occ_public_key public;

	(void)state;
	sign(&coded, &good);
	make_whole(&coded, &whole);
	occ_entry_sign(&whole, &stranger, &others);
	occ_entry_file_release(&whole);
	good.metadata = others.metadata;
	assert_int_equal(try_mixed(&coded, &good), OCC_REFUSED_UNTRUSTED);
	occ_signing_key_public(&stranger, &public);
	assert_true(occ_trusted_keys_add(&trusted, &public));
	assert_int_equal(try_mixed(&coded, &good), OCC_ADMITTED);
	trusted.count--;
	sign(&coded, &good);
	good.code = others.code;
	assert_int_equal(try_mixed(&coded, &good), OCC_ADMITTED_WITHOUT_CODE);
}

/* What a later version adds is signed by nobody. */
static void test_unknown_section(void **state)
{
	struct occ_entry_signatures signatures;
	struct occ_entry_file whole;
	unsigned char *line;
	size_t hot_size;

	(void)state;
	make_whole(&coded, &whole);
	occ_entry_sign(&whole, &signer, &signatures);
	/* Its texts, as a type that isn't known. */
	for (line = whole.memory + 64; occ_get_u32(line) != 4; line += 40)
		;
	occ_put_u32(line, 99);
	hot_size = (size_t)occ_get_u64(whole.memory + 24);
	seal(whole.memory, whole.size);
	assert_int_equal(occ_entry_decode(whole.memory, hot_size, whole.size,
					  &whole.entry),
			 OCC_OK);
	assert_int_equal(occ_entry_admit(&whole, &signatures, &trusted, true),
			 OCC_REFUSED_VERSION);
	signatures = (struct occ_entry_signatures){0};
	assert_int_equal(occ_entry_admit(&whole, &signatures, &trusted, true),
			 OCC_ADMITTED_UNSIGNED);
	occ_entry_file_release(&whole);
}

static void test_lengths(void **state)
{
	static const uint64_t lies[] = {0,
					1,
					OCC_ENTRY_SIZE_MAX,
					OCC_ENTRY_SIZE_MAX + 1,
					UINT64_MAX / 2,
					UINT64_MAX - 31,
					UINT64_MAX};
	static const size_t places[] = {AT_FILE, AT_SIGNATURES, HEADER_SIZE + 8,
					HEADER_SIZE + FIELD_SIZE + 72 + 8};
	struct occ_buffer value = OCC_BUFFER_INIT;

	(void)state;
	make_value(&coded, &signer, &value);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t was = occ_get_u64(value.data + places[i]);

		for (size_t j = 0; j < sizeof(lies) / sizeof(*lies); j++) {
			occ_put_u64(value.data + places[i], lies[j]);
			assert_int_equal(try_value(&value, true),
					 OCC_REFUSED_FORMAT);
		}
		/* Two that belong together. */
		occ_put_u64(value.data + places[i], was + 8);
		assert_int_equal(try_value(&value, true), OCC_REFUSED_FORMAT);
		occ_put_u64(value.data + places[i], was);
	}
	occ_put_u64(value.data + AT_FILE, occ_get_u64(value.data + 16) + 88);
	occ_put_u64(value.data + AT_SIGNATURES,
		    occ_get_u64(value.data + 24) - 88);
	assert_int_equal(try_value(&value, true), OCC_REFUSED_FORMAT);
	occ_buffer_release(&value);
}

static void test_versions(void **state)
{
	struct occ_buffer value = OCC_BUFFER_INIT;

	(void)state;
	make_value(&plain, &signer, &value);
	for (uint32_t version = 0; version < 4; version += 2) {
		occ_put_u32(value.data + AT_VERSION, version);
		assert_int_equal(try_value(&value, true), OCC_REFUSED_VERSION);
	}
	occ_put_u32(value.data + AT_VERSION, 1);
	occ_put_u32(value.data + AT_FLAGS, 1);
	assert_int_equal(try_value(&value, true), OCC_REFUSED_VERSION);
	occ_put_u32(value.data + AT_FLAGS, 0);
	assert_int_equal(try_value(&value, true), OCC_ADMITTED);
	occ_buffer_release(&value);
}

/* As a file beside an entry. */
static void test_signatures_alone(void **state)
{
	struct occ_entry_signatures signatures, read;
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	(void)state;
	sign(&coded, &signatures);
	occ_entry_signatures_encode(&signatures, &bytes);
	assert_true(
		occ_entry_signatures_decode(occ_buffer_span(&bytes), &read));
	assert_true(read.has_program && read.has_metadata && read.has_code);
	assert_string_equal(read.code.name, "cache-1");
	assert_memory_equal(read.code.bytes, signatures.code.bytes,
			    OCC_SIGNATURE_SIZE);
	for (size_t size = 0; size < bytes.size; size++)
		assert_false(occ_entry_signatures_decode(
			(struct occ_span){bytes.data, size}, &read));
	/* Two of the same part. */
	occ_put_u16(bytes.data + HEADER_SIZE + FIELD_SIZE + 72, 1);
	assert_false(
		occ_entry_signatures_decode(occ_buffer_span(&bytes), &read));
	occ_buffer_release(&bytes);
	/* A value isn't one. */
	make_value(&plain, &signer, &bytes);
	assert_false(
		occ_entry_signatures_decode(occ_buffer_span(&bytes), &read));
	occ_buffer_release(&bytes);
}

/* What included files had is signed as that, and as nothing else. */
static void test_contents(void **state)
{
	struct occ_entry_signatures signatures, read, none = {0}, entry;
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_span contents = span("#define A 1\n");

	(void)state;
	sign(&plain, &entry);
	occ_included_sign(contents, &signer, &signatures);
	occ_entry_signatures_encode(&signatures, &bytes);
	assert_true(
		occ_entry_signatures_decode(occ_buffer_span(&bytes), &read));
	for (int accepts = 0; accepts < 2; accepts++) {
		assert_int_equal(occ_included_admit(contents, &read, &trusted,
						    accepts),
				 OCC_ADMITTED);
		assert_int_equal(occ_included_admit(span("#define A 2\n"),
						    &read, &trusted, accepts),
				 OCC_REFUSED_SIGNATURE);
		assert_int_equal(occ_included_admit(contents, &entry, &trusted,
						    accepts),
				 OCC_REFUSED_UNSIGNED);
		assert_int_equal(try_mixed(&plain, &signatures),
				 OCC_REFUSED_FORMAT);
	}
	assert_int_equal(occ_included_admit(contents, &none, &trusted, false),
			 OCC_REFUSED_UNSIGNED);
	assert_int_equal(occ_included_admit(contents, &none, &trusted, true),
			 OCC_ADMITTED_UNSIGNED);
	/* In a value it is no signature at all. */
	entry.has_contents = true;
	entry.contents = signatures.contents;
	assert_int_equal(try_mixed(&plain, &entry), OCC_REFUSED_FORMAT);
	occ_buffer_release(&bytes);
}

static void test_remote_key(void **state)
{
	unsigned char one[OCC_REMOTE_KEY_SIZE], two[OCC_REMOTE_KEY_SIZE];
	struct occ_digest hash = {{1}};

	(void)state;
	occ_signed_entry_remote_key(&hash, span("stored"), one);
	occ_signed_entry_remote_key(&hash, span("store"), two);
	assert_memory_not_equal(one, two, sizeof(one));
	hash.bytes[0] = 2;
	occ_signed_entry_remote_key(&hash, span("stored"), two);
	assert_memory_not_equal(one, two, sizeof(one));
}

static void test_texts(void **state)
{
	(void)state;
	for (int i = OCC_ADMITTED; i <= OCC_REFUSED_MEMORY; i++)
		assert_string_not_equal(occ_admission_text(i), "unknown");
	assert_string_equal(occ_admission_text(OCC_REFUSED_UNSIGNED),
			    "not signed");
}

static void test_golden(void **state)
{
	struct fixture here = {.directory = AT_FDCWD};
	struct occ_buffer value = OCC_BUFFER_INIT;
	unsigned char *golden;
	size_t size;

	(void)state;
	make_value(&coded, &signer, &value);
	golden = fixture_read(&here, GOLDEN, &size);
	assert_int_equal(size, value.size);
	assert_memory_equal(golden, value.data, size);
	free(golden);
	assert_int_equal(try_value(&value, false), OCC_ADMITTED);
	occ_buffer_release(&value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_unsigned),
		cmocka_unit_test(test_untrusted),
		cmocka_unit_test(test_impostor),
		cmocka_unit_test(test_another_key),
		cmocka_unit_test(test_same_stored_key),
		cmocka_unit_test(test_flips),
		cmocka_unit_test(test_sealed_flips),
		cmocka_unit_test(test_swaps),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_two_signers),
		cmocka_unit_test(test_unknown_section),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_signatures_alone),
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_remote_key),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_golden),
	};

	return cmocka_run_group_tests(tests, make_keys, NULL);
}
