/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "cache/driver/driver.h"
#include "cache/include_files.h"
#include "cache/includes.h"
#include "cache/file.h"
#include "cache/name.h"
#include "hash/scan.h"

#include <sys/mman.h>

static const char question_text[] = "which files?";

static struct occ_span question(void)
{
	return (struct occ_span){(const unsigned char *)question_text,
				 sizeof(question_text)};
}

/* What a source of one include comes to, found in the fixture's directory. */
struct found {
	struct occ_scan *source;
	struct occ_closure closure;
	struct occ_digest stamp;
	struct occ_buffer looks;
	struct occ_buffer file;
};

/* `text` is borrowed. */
static void find(struct fixture *fixture, const char *text,
		 struct found *ret_found)
{
	struct occ_include_files_view *view =
		occ_include_files_view_open(false);
	struct occ_closure_request request = {0};
	char options[192];

	memset(ret_found, 0, sizeof(*ret_found));
	snprintf(options, sizeof(options), "-I %s/first -I %s/last",
		 fixture->path, fixture->path);
	ret_found->source = occ_scan_make(text, strlen(text));
	request.source = ret_found->source;
	request.options = options;
	request.dialect = occ_driver_pocl.dialect;
	request.look = occ_include_files_look;
	request.look_data = view;
	assert_int_equal(occ_closure_make(&request, &ret_found->closure),
			 OCC_REASON_NONE);
	occ_include_files_view_stamp(view, &ret_found->stamp);
	assert_true(occ_include_files_view_looks(view, &ret_found->looks));
	occ_include_files_view_close(view);
	occ_includes_encode(question(), &ret_found->closure, &ret_found->stamp,
			    &ret_found->looks, &ret_found->file);
	assert_false(ret_found->file.failed);
}

static void release(struct found *found)
{
	occ_scan_release(found->source);
	occ_closure_release(&found->closure);
	occ_buffer_release(&found->looks);
	occ_buffer_release(&found->file);
}

static bool take_all(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		     void *data)
{
	const struct occ_buffer *file = data;

	(void)old_bytes;
	occ_buffer_append(new_bytes, file->data, file->size);
	return true;
}

/* However young the files are. */
static void put(struct occ_store *store, struct occ_buffer *file)
{
	char name[OCC_NAME_SIZE];
	struct occ_digest digest;

	occ_digest(question_text, sizeof(question_text), OCC_SEED_NAME,
		   &digest);
	occ_name_includes(&digest, name);
	assert_int_equal(occ_store_replace(store, name, take_all, file),
			 OCC_OK);
}

static void rewrite_checksum(struct occ_buffer *file)
{
	struct occ_digest checksum;

	occ_digest(file->data + 32, file->size - 32, OCC_SEED_CHECKSUM,
		   &checksum);
	memcpy(file->data + 16, checksum.bytes, OCC_DIGEST_SIZE);
}

static bool recalls(struct occ_store *store)
{
	struct occ_includes includes;

	if (!occ_includes_recall(store, question(), &includes))
		return false;
	occ_includes_release(&includes);
	return true;
}

static void make(struct fixture *fixture, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", fixture->path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Among other files a store is known by its tag. */
static void make_tag(struct fixture *fixture)
{
	fixture_write(fixture, OCC_NAME_TAG, OCC_NAME_TAG_TEXT,
		      sizeof(OCC_NAME_TAG_TEXT) - 1);
}

/* Directories with the one header, for who doesn't own it: see
 * test_files_must_be_readable. */
static void make_tree(struct fixture *fixture)
{
	make_tag(fixture);
	assert_int_equal(mkdirat(fixture->directory, "first", 0700), 0);
	assert_int_equal(mkdirat(fixture->directory, "last", 0700), 0);
	make(fixture, "last/a.h", "#define A 1\n");
	make(fixture, "last/asked.h", "");
	assert_int_equal(fchmodat(fixture->directory, "last", 0755, 0), 0);
	assert_int_equal(fchmodat(fixture->directory, "last/a.h", 0600, 0), 0);
}

/* Of tests that want a tree old enough for its times to be remembered: all wait
 * together. */
static struct fixture_pool trees;

static int make_trees(void **state)
{
	(void)state;
	if (fixture_pool_make(&trees, 7, make_tree))
		return -1;
	sleep(4);
	return 0;
}

static int take_tree(void **state)
{
	return fixture_pool_take(&trees, state);
}

static int remove_trees(void **state)
{
	(void)state;
	return fixture_pool_remove(&trees);
}

static const char text[] = "#include \"a.h\"\n#if __has_include(\"asked.h\")\n"
			   "#endif\n";

static void remember_tree(struct fixture *fixture, struct occ_store *store,
			  struct found *ret_found)
{
	find(fixture, text, ret_found);
	put(store, &ret_found->file);
	assert_true(recalls(store));
}

static void test_what_was_found_comes_back(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_includes includes;
	struct found found;

	find(fixture, text, &found);
	assert_false(recalls(store));
	put(store, &found.file);
	assert_true(occ_includes_recall(store, question(), &includes));
	assert_true(occ_closure_equal(&includes.closure, &found.closure));
	assert_int_equal(includes.closure.file_count, found.closure.file_count);
	assert_int_equal(includes.closure.assembly, found.closure.assembly);
	assert_int_equal(includes.closure.names_source,
			 found.closure.names_source);
	assert_memory_equal(&includes.stamp, &found.stamp, sizeof(found.stamp));
	occ_includes_release(&includes);
	release(&found);
	fixture_close_store(fixture, store);
}

/* Each change by itself, from what was remembered just before. */
static void test_changes_show(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct found found;

	remember_tree(fixture, store, &found);
	make(fixture, "first/a.h", "#define A 1\n");
	assert_false(recalls(store));
	assert_int_equal(unlinkat(fixture->directory, "first/a.h", 0), 0);
	assert_true(recalls(store));
	assert_int_equal(mkdirat(fixture->directory, "first/a.h", 0700), 0);
	assert_false(recalls(store));
	assert_int_equal(unlinkat(fixture->directory, "first/a.h",
				  AT_REMOVEDIR),
			 0);
	assert_true(recalls(store));
	/* Another file, or none, where only the presence counts. */
	make(fixture, "last/other.h", "");
	assert_int_equal(renameat(fixture->directory, "last/asked.h",
				  fixture->directory, "kept"),
			 0);
	assert_false(recalls(store));
	assert_int_equal(symlinkat("a.h", fixture->directory, "last/asked.h"),
			 0);
	assert_false(recalls(store));
	assert_int_equal(unlinkat(fixture->directory, "last/asked.h", 0), 0);
	release(&found);
	fixture_close_store(fixture, store);
}

static void test_other_contents_show(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct found found;

	remember_tree(fixture, store, &found);
	make(fixture, "last/a.h", "#define A 2\n");
	assert_false(recalls(store));
	release(&found);
	fixture_close_store(fixture, store);
}

/* A mapping of a file, that is in the kernel's hands and not on the disk. */
static char *map(struct fixture *fixture, const char *name)
{
	int file = openat(fixture->directory, name, O_RDWR);
	char *bytes =
		mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	assert_true(file >= 0 && bytes != MAP_FAILED);
	close(file);
	return bytes;
}

/* Times don't tell what is written to a page that has been written to. */
static void test_young_files_are_compared(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	char *bytes = map(fixture, "last/a.h"), first = *bytes;
	struct found found;

	*(volatile char *)bytes = '/';
	find(fixture, text, &found);
	assert_true(occ_include_files_lasts(&found.looks));
	assert_false(occ_include_files_matured(&found.looks));
	assert_int_equal(occ_includes_remember(store, &found.file), OCC_OK);
	assert_true(recalls(store));
	*(volatile char *)bytes = first;
	assert_false(recalls(store));
	munmap(bytes, 1);
	release(&found);
	fixture_close_store(fixture, store);
}

static void test_every_damage_is_seen(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct found found;
	struct occ_span span;

	find(fixture, text, &found);
	span = occ_buffer_span(&found.file);
	assert_true(occ_includes_is_good(span));
	for (size_t i = 0; i < found.file.size; i++) {
		found.file.data[i] ^= 0x20;
		assert_false(occ_includes_is_good(span));
		found.file.data[i] ^= 0x20;
	}
	for (span.size = 0; span.size < found.file.size; span.size++)
		assert_false(occ_includes_is_good(span));
	found.file.data[found.file.size / 2] ^= 1;
	put(store, &found.file);
	assert_false(recalls(store));
	release(&found);
	fixture_close_store(fixture, store);
}

/* One that this process may not read any more isn't found by compilers. */
static void test_files_must_be_readable(void **state)
{
	struct fixture *fixture = *state;
	struct found found;

	if (geteuid())
		skip();
	assert_int_equal(chmod(fixture->path, 0755), 0);
	find(fixture, text, &found);
	assert_true(occ_include_files_unchanged(&found.looks));
	assert_int_equal(seteuid(65534), 0);
	assert_false(occ_include_files_unchanged(&found.looks));
	assert_int_equal(seteuid(0), 0);
	assert_true(occ_include_files_unchanged(&found.looks));
	release(&found);
}

/* Of another start of the system, or found to be wrong. */
static void test_what_is_over_is_forgotten(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct found found;

	remember_tree(fixture, store, &found);
	assert_int_equal(occ_includes_forget(store, question()), OCC_OK);
	assert_false(recalls(store));
	assert_int_equal(occ_includes_forget(store, question()), OCC_OK);
	put(store, &found.file);
	assert_true(recalls(store));
	/* The last field is the start's. */
	found.file.data[found.file.size - OCC_FILE_BOOT_SIZE - 4] ^= 1;
	rewrite_checksum(&found.file);
	assert_true(occ_includes_is_good(occ_buffer_span(&found.file)));
	put(store, &found.file);
	assert_false(recalls(store));
	release(&found);
	fixture_close_store(fixture, store);
}

/* Bytes that are no looks, but have a checksum: read within their bounds. */
static void test_odd_looks_do_not_hold(void **state)
{
	static const char *const odd[] = {"\1", "\1path", "\2path",
					  "\3/\0short", "\77path"};
	static const size_t sizes[] = {1, 5, 6, 8, 6};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct occ_buffer looks = OCC_BUFFER_INIT;

		occ_buffer_append(&looks, odd[i], sizes[i]);
		assert_false(occ_include_files_unchanged(&looks));
		assert_false(occ_include_files_lasts(&looks));
		assert_false(occ_include_files_matured(&looks));
		occ_buffer_release(&looks);
	}
}

static void test_only_kernels_times_tell(void **state)
{
	struct fixture *fixture = *state;
	int64_t latest = occ_file_written_back();
	char path[128];

	make(fixture, "young", "");
	snprintf(path, sizeof(path), "%s/young", fixture->path);
	assert_false(occ_file_times_tell(path, latest));
	assert_false(occ_file_times_tell("/proc/version", latest));
	assert_false(occ_file_times_tell("/dev/null", latest));
	assert_false(occ_file_times_tell("/is/not/there", latest));
	/* Of the usual settings of the kernel; more of others. */
	assert_true(latest <= occ_file_now() - OCC_FILE_QUIET_S);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
#define TREE_TEST(name)                                                        \
	cmocka_unit_test_setup_teardown(name, take_tree, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_what_was_found_comes_back),
		TREE_TEST(test_changes_show),
		TREE_TEST(test_other_contents_show),
		TREE_TEST(test_young_files_are_compared),
		TREE_TEST(test_every_damage_is_seen),
		TEST(test_odd_looks_do_not_hold),
		TREE_TEST(test_files_must_be_readable),
		TREE_TEST(test_what_is_over_is_forgotten),
		TEST(test_only_kernels_times_tell),
	};

	return cmocka_run_group_tests(tests, make_trees, remove_trees);
}
