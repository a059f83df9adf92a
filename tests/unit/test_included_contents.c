/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "cache/included_contents.h"
#include "cache/name.h"

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static struct occ_digest digest_of(const char *text, enum occ_digest_seed seed)
{
	struct occ_digest digest;

	occ_digest(text, strlen(text), seed, &digest);
	return digest;
}

/* Among other files a store is known by its first one. */
static struct occ_store *open_store(struct fixture *fixture, uint64_t max_size)
{
	struct occ_store *store = fixture_open_store(fixture, max_size);

	assert_int_equal(occ_included_contents_add(store, span("first")),
			 OCC_OK);
	return store;
}

static void name_of(const char *text, char ret_name[OCC_NAME_SIZE])
{
	const struct occ_digest digest = digest_of(text, OCC_SEED_NAME);

	occ_name_included(&digest, ret_name);
}

static bool has(struct fixture *fixture, const char *text)
{
	char name[OCC_NAME_SIZE];

	name_of(text, name);
	return fixture_exists(fixture, name);
}

/* A key's field of a file with that text; `id` as a rule of an included one. */
static void add_field(struct occ_buffer *fields, uint16_t id, const char *path,
		      const char *text)
{
	const struct occ_digest name = digest_of(text, OCC_SEED_NAME);
	const struct occ_digest other = digest_of(text, OCC_SEED_FIELD);
	struct occ_buffer payload = OCC_BUFFER_INIT;
	unsigned char bytes[8] = {0};

	occ_put_u64(bytes, strlen(text));
	occ_buffer_append(&payload, bytes, 8);
	occ_buffer_append(&payload, name.bytes, OCC_DIGEST_SIZE);
	occ_buffer_append(&payload, other.bytes, OCC_DIGEST_SIZE);
	occ_put_u64(bytes, 0);
	occ_buffer_append(&payload, bytes, 8);
	occ_buffer_append(&payload, path, strlen(path));
	occ_field_append(fields, id, payload.data, payload.size);
	assert_false(fields->failed || payload.failed);
	occ_buffer_release(&payload);
}

/* A file outside of the store, or what the test calls so. */
static void make(struct fixture *fixture, const char *name, const char *text,
		 char ret_path[128])
{
	fixture_write(fixture, name, text, strlen(text));
	snprintf(ret_path, 128, "%s/%s", fixture->path, name);
}

static int keep(struct occ_store *store, const char *path, const char *text)
{
	struct occ_buffer fields = OCC_BUFFER_INIT;
	int error;

	add_field(&fields, OCC_KEY_INCLUDE_FILE, path, text);
	error = occ_included_contents_keep(store, occ_buffer_span(&fields));
	occ_buffer_release(&fields);
	return error;
}

static bool reads(struct occ_store *store, const char *text)
{
	const struct occ_digest digest = digest_of(text, OCC_SEED_NAME);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error;

	occ_buffer_append(&bytes, "before", 6);
	error = occ_included_contents_read(store, &digest, strlen(text),
					   &bytes);
	if (!error) {
		assert_int_equal(bytes.size, 6 + strlen(text));
		assert_memory_equal(bytes.data + 6, text, strlen(text));
	} else {
		assert_int_equal(error, OCC_E_NOT_FOUND);
		assert_int_equal(bytes.size, 6);
	}
	assert_memory_equal(bytes.data, "before", 6);
	occ_buffer_release(&bytes);
	return !error;
}

static void test_what_is_kept_is_read(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	char path[128];

	make(fixture, "a.h", "#define A\n", path);
	assert_int_equal(keep(store, path, "#define A\n"), OCC_OK);
	assert_true(reads(store, "#define A\n"));
	assert_false(reads(store, "#define B\n"));
	make(fixture, "empty.h", "", path);
	assert_int_equal(keep(store, path, ""), OCC_OK);
	assert_true(reads(store, ""));
	fixture_close_store(fixture, store);
}

static void test_only_included_files_are(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	struct occ_buffer fields = OCC_BUFFER_INIT;
	char path[128];

	make(fixture, "a.h", "one", path);
	add_field(&fields, OCC_KEY_INCLUDE_PRESENT, path, "one");
	occ_field_append(&fields, OCC_KEY_INCLUDE_FILE, "short", 5);
	assert_int_equal(occ_included_contents_keep(store,
						    occ_buffer_span(&fields)),
			 OCC_OK);
	assert_false(has(fixture, "one"));
	occ_buffer_release(&fields);
	occ_store_close(store);
}

/* The file isn't any more what the key says, or is no file. */
static void test_what_has_changed_is_not_kept(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	struct occ_buffer fields = OCC_BUFFER_INIT;
	struct occ_field field;
	size_t offset = 0;
	char path[128];

	make(fixture, "a.h", "one", path);
	assert_int_equal(keep(store, path, "two"), OCC_OK);
	assert_int_equal(keep(store, path, "longer"), OCC_OK);
	assert_int_equal(keep(store, "/not/there", "one"), OCC_OK);
	assert_int_equal(keep(store, fixture->path, "one"), OCC_OK);
	assert_false(has(fixture, "one") || has(fixture, "two") ||
		     has(fixture, "longer"));
	/* Of two digests both must be right. */
	for (size_t at = 8; at < 40; at += OCC_DIGEST_SIZE) {
		fields.size = offset = 0;
		add_field(&fields, OCC_KEY_INCLUDE_FILE, path, "one");
		assert_int_equal(occ_field_next(fields.data, fields.size,
						&offset, &field),
				 1);
		fields.data[OCC_FIELD_HEADER_SIZE + at] ^= 1;
		assert_int_equal(occ_included_contents_keep(
					 store, occ_buffer_span(&fields)),
				 OCC_OK);
	}
	assert_false(has(fixture, "one"));
	occ_buffer_release(&fields);
	occ_store_close(store);
}

/* Once for each content; and one that was wanted again is the last to go. */
static void test_kept_once(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	char path[128], other[128], name[OCC_NAME_SIZE];
	struct stat before, after;

	make(fixture, "a.h", "one", path);
	make(fixture, "b.h", "one", other);
	assert_int_equal(keep(store, path, "one"), OCC_OK);
	name_of("one", name);
	fixture_age(fixture, name, 1000, 1000);
	before = fixture_status(fixture, name);
	assert_int_equal(keep(store, other, "one"), OCC_OK);
	after = fixture_status(fixture, name);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_true(after.st_mtim.tv_sec > before.st_mtim.tv_sec);
	/* Whoever damaged it. */
	fixture_write(fixture, name, "x", 1);
	assert_false(reads(store, "one"));
	assert_int_equal(keep(store, other, "one"), OCC_OK);
	assert_true(reads(store, "one"));
	occ_store_close(store);
}

static void test_found_where_it_was(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	struct occ_buffer fields = OCC_BUFFER_INIT, bytes = OCC_BUFFER_INIT;
	struct occ_recorded_file file;
	struct occ_field field;
	size_t offset = 0;
	char path[128];

	make(fixture, "a.h", "one", path);
	add_field(&fields, OCC_KEY_INCLUDE_FILE, path, "one");
	assert_int_equal(occ_field_next(fields.data, fields.size, &offset,
					&field),
			 1);
	assert_true(occ_recorded_file_parse(occ_field_span(&field), &file));
	/* The store hasn't got it. */
	assert_int_equal(occ_included_contents_find(store, &file, &bytes),
			 OCC_OK);
	assert_int_equal(bytes.size, 3);
	assert_memory_equal(bytes.data, "one", 3);
	make(fixture, "a.h", "two", path);
	assert_int_equal(occ_included_contents_find(store, &file, &bytes),
			 OCC_E_NOT_FOUND);
	assert_int_equal(bytes.size, 3);
	/* And now it has. */
	assert_int_equal(occ_included_contents_add(store, span("one")), OCC_OK);
	assert_int_equal(occ_included_contents_find(store, &file, &bytes),
			 OCC_OK);
	assert_int_equal(bytes.size, 6);
	occ_buffer_release(&fields);
	occ_buffer_release(&bytes);
	occ_store_close(store);
}

/* The bytes, in memory of just their size, for sanitizers. */
static bool is_good(const unsigned char *bytes, size_t size, const char *name)
{
	unsigned char *copy = malloc(size ? size : 1);
	bool good;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	good = occ_included_contents_is_good((struct occ_span){copy, size},
					     name);
	free(copy);
	return good;
}

static void rewrite_checksum(unsigned char *bytes, size_t size)
{
	struct occ_digest checksum;

	occ_digest(bytes + 32, size - 32, OCC_SEED_CHECKSUM, &checksum);
	memcpy(bytes + 16, checksum.bytes, OCC_DIGEST_SIZE);
}

static void test_damage(void **state)
{
	static const char text[] = "#define ONE 1\n#define TWO 2\n";
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	char name[OCC_NAME_SIZE], other[OCC_NAME_SIZE];
	unsigned char *bytes;
	size_t size;

	assert_int_equal(occ_included_contents_add(store, span(text)), OCC_OK);
	name_of(text, name);
	name_of("another", other);
	bytes = fixture_read(fixture, name, &size);
	assert_true(is_good(bytes, size, name));
	assert_false(is_good(bytes, size, other));
	for (size_t i = 0; i < size; i++)
		assert_false(is_good(bytes, i, name));
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= 16;
		assert_false(is_good(bytes, size, name));
		/* With a right checksum the digest is still another's, if it
		 * isn't padding, or a bit of zstd's that says the same. */
		if (i >= 32) {
			rewrite_checksum(bytes, size);
			is_good(bytes, size, name);
			bytes[i] ^= 16;
			rewrite_checksum(bytes, size);
		} else {
			bytes[i] ^= 16;
		}
	}
	assert_true(is_good(bytes, size, name));
	/* Larger than any: nothing is taken from memory for it. */
	occ_put_u64(bytes + 48, UINT64_MAX);
	rewrite_checksum(bytes, size);
	assert_false(is_good(bytes, size, name));
	free(bytes);
	occ_store_close(store);
}

static void test_import(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	char name[OCC_NAME_SIZE], other[OCC_NAME_SIZE];
	unsigned char *bytes;
	struct occ_span file;

	assert_int_equal(occ_included_contents_add(store, span("one")), OCC_OK);
	name_of("one", name);
	name_of("two", other);
	bytes = fixture_read(fixture, name, &file.size);
	file.data = bytes;
	assert_int_equal(occ_included_contents_import(store, file, name),
			 OCC_E_EXISTS);
	assert_int_equal(unlinkat(fixture->directory, name, 0), 0);
	assert_int_equal(occ_included_contents_import(store, file, other),
			 OCC_E_CORRUPT);
	assert_false(fixture_exists(fixture, other));
	assert_int_equal(occ_included_contents_import(store, file, name),
			 OCC_OK);
	assert_true(reads(store, "one"));
	free(bytes);
	occ_store_close(store);
}

static void test_read_only(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 0);
	char name[OCC_NAME_SIZE], path[128];
	struct stat before, after;

	assert_int_equal(occ_included_contents_add(store, span("one")), OCC_OK);
	occ_store_close(store);
	name_of("one", name);
	fixture_age(fixture, name, 1000, 1000);
	before = fixture_status(fixture, name);
	store = occ_store_open_read_only(fixture->path);
	assert_non_null(store);
	assert_true(reads(store, "one"));
	make(fixture, "a.h", "one", path);
	assert_int_equal(keep(store, path, "one"), OCC_OK);
	after = fixture_status(fixture, name);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	make(fixture, "a.h", "two", path);
	assert_int_equal(keep(store, path, "two"), OCC_E_READ_ONLY);
	assert_false(has(fixture, "two"));
	occ_store_close(store);
}

/* A store that is too small for them has none, and stays within its maximum. */
static void test_maximum(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_store(fixture, 400);
	uint32_t random = 1;
	char text[2000];

	for (size_t i = 0; i + 1 < sizeof(text); i++) {
		random = random * 1664525 + 1013904223;
		text[i] = (char)('!' + (random >> 16) % 90);
	}
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(occ_included_contents_add(store, span(text)),
			 OCC_E_TOO_LARGE);
	assert_false(has(fixture, text));
	occ_store_close(store);
}

int main(void)
{
#define TEST(test)                                                             \
	cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_kept_is_read),
		TEST(test_only_included_files_are),
		TEST(test_what_has_changed_is_not_kept),
		TEST(test_kept_once),
		TEST(test_found_where_it_was),
		TEST(test_damage),
		TEST(test_import),
		TEST(test_read_only),
		TEST(test_maximum),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
