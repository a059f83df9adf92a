/* SPDX-License-Identifier: MIT */
/* Stores that are only read (S13). */
#include "tests/unit/fixture.h"

#include "cache/state.h"
#include "cache/store.h"

#define NOBODY 65534

static const struct occ_span none;

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

/* Stores an entry for key 1, last used an hour ago; gives its name. */
static void fill(struct fixture *fixture, struct occ_key *key,
		 char ret_name[64])
{
	struct occ_store *store = fixture_open_store(fixture, 0);

	fixture_key(key, 1);
	assert_int_equal(occ_store_publish(store, key, none, span("binary")),
			 OCC_OK);
	fixture_close_store(fixture, store);
	fixture_entry_name(key, ".cl_cache", ret_name);
	fixture_age(fixture, ret_name, 3600, 3600);
}

static struct occ_store *open_read_only(const char *path)
{
	struct occ_store *store = occ_store_open_read_only(path);

	assert_non_null(store);
	assert_true(occ_store_is_read_only(store));
	return store;
}

static int look_up(struct occ_store *store, const struct occ_key *key)
{
	struct occ_loaded loaded;
	int error = occ_store_lookup(store, key, &loaded);

	if (error)
		return error;
	assert_int_equal(loaded.entry.binary.size, 6);
	assert_memory_equal(loaded.entry.binary.data, "binary", 6);
	occ_loaded_release(&loaded);
	return OCC_OK;
}

static bool never_called(struct occ_span old_bytes,
			 struct occ_buffer *new_bytes, void *data)
{
	(void)old_bytes;
	(void)new_bytes;
	(void)data;
	fail_msg("nothing is to be made");
	return false;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static void test_readonly__a_hit_changes_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_read_only(fixture->path);
	struct stat before, after;
	struct occ_key key;
	char name[64];

	fill(fixture, &key, name);
	before = fixture_status(fixture, name);
	assert_int_equal(look_up(store, &key), OCC_OK);
	after = fixture_status(fixture, name);
	assert_true(same_time(before.st_mtim, after.st_mtim));
	assert_true(same_time(before.st_ctim, after.st_ctim));
	assert_true(occ_store_has_entries(store));
	occ_key_release(&key);
	occ_store_close(store);
}

static void test_readonly__whatever_would_change_it_is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_read_only(fixture->path);
	struct occ_key key, other;
	struct stat before, after;
	char name[64];

	fill(fixture, &key, name);
	fixture_key(&other, 2);
	/* Any file that comes, goes or is written sets one of these. */
	assert_int_equal(fstat(fixture->directory, &before), 0);
	assert_int_equal(occ_store_publish(store, &other, none, span("a")),
			 OCC_E_READ_ONLY);
	assert_int_equal(occ_store_improve(store, &key, none, span("a")),
			 OCC_E_READ_ONLY);
	assert_int_equal(occ_store_complete(store, &key, never_called, NULL),
			 OCC_E_READ_ONLY);
	assert_int_equal(occ_store_discard(store, &key), OCC_E_READ_ONLY);
	assert_int_equal(occ_store_prepare(store), OCC_E_READ_ONLY);
	assert_int_equal(occ_store_replace(store, "oclcache.state",
					   never_called, NULL),
			 OCC_E_READ_ONLY);
	assert_int_equal(occ_state_set(store, "name", "value", 5),
			 OCC_E_READ_ONLY);
	assert_int_equal(fstat(fixture->directory, &after), 0);
	assert_true(same_time(before.st_mtim, after.st_mtim));
	assert_int_equal(look_up(store, &key), OCC_OK);
	occ_key_release(&key);
	occ_key_release(&other);
	occ_store_close(store);
}

static void test_readonly__corrupt_entries_are_misses_and_stay(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = open_read_only(fixture->path);
	struct occ_key key;
	unsigned char *data;
	char name[64];
	size_t size;

	fill(fixture, &key, name);
	data = fixture_read(fixture, name, &size);
	for (size_t i = 0; i < size; i += 7) {
		data[i] ^= 1;
		fixture_write(fixture, name, data, size);
		data[i] ^= 1;
		/* Some bytes are of no use to a hit: never wrong, though. */
		look_up(store, &key);
		assert_true(fixture_exists(fixture, name));
	}
	fixture_write(fixture, name, data, size - 1);
	assert_int_equal(look_up(store, &key), OCC_E_CORRUPT);
	assert_true(fixture_exists(fixture, name));
	fixture_write(fixture, name, data, size);
	assert_int_equal(look_up(store, &key), OCC_OK);
	free(data);
	occ_key_release(&key);
	occ_store_close(store);
}

static void test_readonly__no_directory_is_made(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;
	struct occ_key key;
	char path[96];

	fixture_key(&key, 1);
	snprintf(path, sizeof(path), "%s/store", fixture->path);
	store = open_read_only(path);
	assert_int_equal(look_up(store, &key), OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_publish(store, &key, none, span("a")),
			 OCC_E_READ_ONLY);
	assert_false(occ_store_has_entries(store));
	assert_false(fixture_exists(fixture, "store"));
	occ_key_release(&key);
	occ_store_close(store);
}

/* What a look-up answers to somebody else, in a process of his own. */
static int look_up_as_nobody(struct fixture *fixture, const struct occ_key *key,
			     bool read_only)
{
	struct occ_store *store = read_only ? open_read_only(fixture->path)
					    : fixture_open_store(fixture, 0);
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		struct occ_loaded loaded;

		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(99);
		_exit(-occ_store_lookup(store, key, &loaded));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	occ_store_close(store);
	return -WEXITSTATUS(status);
}

static void test_readonly__roots_is_trusted(void **state)
{
	struct fixture *fixture = *state;
	struct occ_key key;
	char name[64];

	if (geteuid()) {
		skip();
		return;
	}
	fill(fixture, &key, name);
	assert_int_equal(fchmod(fixture->directory, 0755), 0);
	assert_int_equal(fchmodat(fixture->directory, name, 0644, 0), 0);
	assert_int_equal(look_up_as_nobody(fixture, &key, true), OCC_OK);
	assert_int_equal(look_up_as_nobody(fixture, &key, false),
			 OCC_E_FORBIDDEN);
	/* What others can write isn't. */
	assert_int_equal(fchmodat(fixture->directory, name, 0646, 0), 0);
	assert_int_equal(look_up_as_nobody(fixture, &key, true),
			 OCC_E_NOT_FOUND);
	assert_int_equal(fchmodat(fixture->directory, name, 0664, 0), 0);
	assert_int_equal(fchownat(fixture->directory, name, 0, NOBODY, 0), 0);
	assert_int_equal(look_up_as_nobody(fixture, &key, true),
			 OCC_E_NOT_FOUND);
	assert_int_equal(fchmodat(fixture->directory, name, 0644, 0), 0);
	assert_int_equal(fchmod(fixture->directory, 0757), 0);
	assert_int_equal(look_up_as_nobody(fixture, &key, true),
			 OCC_E_FORBIDDEN);
	/* Nor is a third one's. */
	assert_int_equal(fchmod(fixture->directory, 0755), 0);
	assert_int_equal(fchown(fixture->directory, 4711, 0), 0);
	assert_int_equal(look_up_as_nobody(fixture, &key, true),
			 OCC_E_FORBIDDEN);
	occ_key_release(&key);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_readonly__a_hit_changes_nothing),
		TEST(test_readonly__whatever_would_change_it_is_refused),
		TEST(test_readonly__corrupt_entries_are_misses_and_stay),
		TEST(test_readonly__no_directory_is_made),
		TEST(test_readonly__roots_is_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
