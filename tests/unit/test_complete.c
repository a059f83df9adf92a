/* SPDX-License-Identifier: MIT */
/* cache/store.h: other metadata for an entry that is already there. */
#include "tests/unit/fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "cache/size_ledger.h"
#include "cache/store.h"

#define THREADS	  3
#define ROUNDS	  100
#define LONG_SIZE 5000

static const struct occ_span none;
static char long_text[LONG_SIZE];

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

/* A key with a cold part, different for every `number`. */
static void long_key(struct occ_key *key, unsigned int number)
{
	char options[32];

	memset(long_text, 'x', LONG_SIZE);
	snprintf(options, sizeof(options), "-DNUMBER=%u", number);
	occ_key_init(key);
	occ_key_add(key, OCC_KEY_SOURCE, long_text, LONG_SIZE);
	occ_key_add_string(key, OCC_KEY_OPTIONS, options);
	assert_int_equal(occ_key_finish(key), 0);
}

/* What a completion saw, and what it is to write. */
struct change {
	char old[256];
	size_t old_size;
	struct occ_span new;
	int calls;
	bool refuse;
};

static bool make(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		 void *data)
{
	struct change *change = data;

	change->calls++;
	change->old_size = old_bytes.size;
	if (old_bytes.size && old_bytes.size < sizeof(change->old))
		memcpy(change->old, old_bytes.data, old_bytes.size);
	occ_buffer_append(new_bytes, change->new.data, change->new.size);
	return !change->refuse;
}

static int complete(struct occ_store *store, const struct occ_key *key,
		    const char *metadata)
{
	struct change change = {.new = span(metadata)};

	return occ_store_complete(store, key, make, &change);
}

static void assert_entry(struct occ_store *store, const struct occ_key *key,
			 const char *metadata, const char *binary)
{
	struct occ_loaded loaded;

	assert_int_equal(occ_store_lookup(store, key, &loaded), OCC_OK);
	assert_int_equal(loaded.entry.metadata.size, strlen(metadata));
	assert_memory_equal(loaded.entry.metadata.data, metadata,
			    strlen(metadata));
	assert_int_equal(loaded.entry.binary.size, strlen(binary));
	assert_memory_equal(loaded.entry.binary.data, binary, strlen(binary));
	occ_loaded_release(&loaded);
}

static void test_complete__only_the_metadata_changes(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_buffer expected = OCC_BUFFER_INIT;
	struct change change = {.new = span("longer metadata")};
	unsigned char *data;
	struct occ_key key;
	char name[64];
	size_t size;

	long_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(occ_store_publish(store, &key, span("old"),
					   span("binary")),
			 OCC_OK);
	assert_int_equal(occ_store_complete(store, &key, make, &change),
			 OCC_OK);
	assert_int_equal(change.calls, 1);
	assert_int_equal(change.old_size, 3);
	assert_memory_equal(change.old, "old", 3);
	/* Byte for byte what a publish would have made, cold part included. */
	occ_entry_encode(&key, change.new, span("binary"), &expected);
	data = fixture_read(fixture, name, &size);
	assert_int_equal(size, expected.size);
	assert_memory_equal(data, expected.data, size);
	assert_int_equal(fixture_status(fixture, name).st_mode & 07777, 0600);
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
	free(data);
	occ_buffer_release(&expected);
	fixture_close_store(fixture, store);
	store = fixture_open_store(fixture, 0);
	assert_entry(store, &key, "longer metadata", "binary");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_complete__shorter_and_empty(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	char name[64];

	long_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(occ_store_publish(store, &key,
					   occ_buffer_span(&key.stored),
					   span("binary")),
			 OCC_OK);
	assert_int_equal(complete(store, &key, "s"), OCC_OK);
	assert_entry(store, &key, "s", "binary");
	assert_int_equal(complete(store, &key, ""), OCC_OK);
	assert_entry(store, &key, "", "binary");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_complete__leaves_as_it_is(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct change change = {.new = span("new"), .refuse = true};
	struct stat before, after;
	struct occ_key key;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(occ_store_publish(store, &key, span("old"),
					   span("binary")),
			 OCC_OK);
	before = fixture_status(fixture, name);
	assert_int_equal(occ_store_complete(store, &key, make, &change),
			 OCC_OK);
	after = fixture_status(fixture, name);
	assert_int_equal(change.calls, 1);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_entry(store, &key, "old", "binary");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_complete__nothing_to_complete(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct change change = {.new = span("new")};
	struct occ_key key, other;

	fixture_key(&key, 1);
	fixture_key(&other, 2);
	assert_int_equal(occ_store_complete(store, &key, make, &change),
			 OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_publish(store, &key, none, span("a")),
			 OCC_OK);
	/* Another key with the same hash. */
	other.hash = key.hash;
	assert_int_equal(occ_store_complete(store, &other, make, &change),
			 OCC_E_KEY_DIFFERS);
	assert_entry(store, &key, "", "a");
	assert_int_equal(occ_store_discard(store, &key), OCC_OK);
	assert_int_equal(occ_store_complete(store, &key, make, &change),
			 OCC_E_NOT_FOUND);
	assert_int_equal(change.calls, 0);
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 0);
	fixture_close_store(fixture, store);
	fixture_remove_tree(fixture->path);
	store = fixture_open_store(fixture, 0);
	assert_int_equal(occ_store_complete(store, &key, make, &change),
			 OCC_E_NOT_FOUND);
	assert_int_not_equal(access(fixture->path, F_OK), 0);
	occ_store_close(store);
	occ_key_release(&key);
	occ_key_release(&other);
}

static void test_complete__the_right_one_of_equal_hashes(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key keys[3];

	for (unsigned int i = 0; i < 3; i++) {
		fixture_key(&keys[i], i);
		keys[i].hash = keys[0].hash;
		assert_int_equal(occ_store_publish(store, &keys[i], none,
						   span("a")),
				 OCC_OK);
	}
	assert_int_equal(complete(store, &keys[1], "one"), OCC_OK);
	assert_entry(store, &keys[0], "", "a");
	assert_entry(store, &keys[1], "one", "a");
	assert_entry(store, &keys[2], "", "a");
	for (int i = 0; i < 3; i++)
		occ_key_release(&keys[i]);
	fixture_close_store(fixture, store);
}

/* Changes the byte so far from the end. */
static void damage(struct fixture *fixture, const struct occ_key *key,
		   size_t from_end)
{
	unsigned char *data;
	char name[64];
	size_t size;

	fixture_entry_name(key, ".cl_cache", name);
	data = fixture_read(fixture, name, &size);
	data[size - from_end] ^= 1;
	fixture_write(fixture, name, data, size);
	free(data);
}

static void test_complete__corrupt_entries_are_removed(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct change change = {.new = span("new")};
	struct occ_key key;

	fixture_key(&key, 1);
	assert_int_equal(occ_store_publish(store, &key, none, span("a")),
			 OCC_OK);
	damage(fixture, &key, 64);
	assert_int_equal(occ_store_complete(store, &key, make, &change),
			 OCC_E_CORRUPT);
	assert_int_equal(change.calls, 0);
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 0);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* A cold part that was damaged must not get a checksum that is right. */
static void test_complete__damaged_texts_stay_damaged(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_span fields;
	unsigned char *data;
	struct occ_key key;
	char name[64];
	size_t size;

	long_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(occ_store_publish(store, &key, none, span("a")),
			 OCC_OK);
	data = fixture_read(fixture, name, &size);
	assert_int_equal(occ_entry_texts(data, size, &fields), OCC_OK);
	free(data);
	damage(fixture, &key, 100);
	assert_int_equal(complete(store, &key, "new"), OCC_OK);
	assert_entry(store, &key, "new", "a");
	data = fixture_read(fixture, name, &size);
	assert_int_equal(occ_entry_texts(data, size, &fields), OCC_E_CORRUPT);
	free(data);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_complete__readers_keep_what_they_have(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_loaded loaded;
	struct occ_key key;

	fixture_key(&key, 1);
	assert_int_equal(occ_store_publish(store, &key, span("old"), span("a")),
			 OCC_OK);
	assert_int_equal(occ_store_lookup(store, &key, &loaded), OCC_OK);
	assert_int_equal(complete(store, &key, "new"), OCC_OK);
	assert_memory_equal(loaded.entry.metadata.data, "old", 3);
	occ_loaded_release(&loaded);
	assert_entry(store, &key, "new", "a");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* Entries of 320 bytes; `count` of them. */
static void fill(struct fixture *fixture, struct occ_store *store,
		 struct occ_key *keys, unsigned int count)
{
	char name[64];

	for (unsigned int i = 0; i < count; i++) {
		fixture_key(&keys[i], i);
		assert_int_equal(occ_store_publish(store, &keys[i], none,
						   span("a")),
				 OCC_OK);
		fixture_entry_name(&keys[i], ".cl_cache", name);
		assert_int_equal(fixture_status(fixture, name).st_size, 320);
		fixture_age(fixture, name, 1000 - i, 1000 - i);
	}
	unlinkat(fixture->directory, "CACHEDIR.TAG", 0);
	unlinkat(fixture->directory, "config.file", 0);
}

/* The completed entry is the oldest, and would be the first to go. */
static void test_complete__evicts_others_but_not_itself(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_loaded loaded;
	struct occ_key keys[3];
	uint64_t size;

	fill(fixture, store, keys, 3);
	occ_store_close(store);
	store = fixture_open_store(fixture, 3 * 320 + OCC_SIZE_LEDGER_SIZE);
	/* 384 bytes, beside the 320 until they are replaced. */
	assert_int_equal(complete(store, &keys[0], "0123456789"), OCC_OK);
	assert_entry(store, &keys[0], "0123456789", "a");
	assert_int_equal(occ_store_lookup(store, &keys[1], &loaded),
			 OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_true(size <= 3 * 320 + OCC_SIZE_LEDGER_SIZE);
	for (int i = 0; i < 3; i++)
		occ_key_release(&keys[i]);
	fixture_close_store(fixture, store);
}

static void test_complete__is_dropped_when_it_does_not_fit(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key keys[2];
	uint64_t size;

	fill(fixture, store, keys, 2);
	occ_store_close(store);
	/* A byte less than the old file, the new one and config.file. */
	store = fixture_open_store(fixture,
				   320 + 384 + OCC_SIZE_LEDGER_SIZE - 1);
	assert_int_equal(complete(store, &keys[0], "0123456789"),
			 OCC_E_TOO_LARGE);
	assert_entry(store, &keys[0], "", "a");
	assert_entry(store, &keys[1], "", "a");
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_int_equal(size, 2 * 320 + OCC_SIZE_LEDGER_SIZE);
	occ_store_close(store);
	store = fixture_open_store(fixture, 320 + 384 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(complete(store, &keys[0], "0123456789"), OCC_OK);
	assert_entry(store, &keys[0], "0123456789", "a");
	for (int i = 0; i < 2; i++)
		occ_key_release(&keys[i]);
	fixture_close_store(fixture, store);
}

static void test_complete__after_eviction(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store =
		fixture_open_store(fixture, 320 + OCC_SIZE_LEDGER_SIZE);
	struct occ_key one, other;
	struct occ_loaded loaded;

	fixture_key(&one, 1);
	fixture_key(&other, 2);
	assert_int_equal(occ_store_publish(store, &one, none, span("a")),
			 OCC_OK);
	assert_int_equal(occ_store_lookup(store, &one, &loaded), OCC_OK);
	assert_int_equal(occ_store_publish(store, &other, none, span("b")),
			 OCC_OK);
	assert_int_equal(complete(store, &one, "new"), OCC_E_NOT_FOUND);
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
	occ_loaded_release(&loaded);
	occ_key_release(&one);
	occ_key_release(&other);
	fixture_close_store(fixture, store);
}

static void test_complete__stands_aside_when_config_was_corrupt(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;

	fixture_key(&key, 1);
	assert_int_equal(occ_store_publish(store, &key, span("old"), span("a")),
			 OCC_OK);
	fixture_write(fixture, "config.file", "short", 5);
	assert_int_equal(complete(store, &key, "new"), OCC_E_SIZE_LEDGER);
	assert_entry(store, &key, "old", "a");
	assert_int_equal(complete(store, &key, "new"), OCC_OK);
	assert_entry(store, &key, "new", "a");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* No file may grow: what happens on a full file system, without one. */
static int complete_without_room(struct fixture *fixture, rlim_t room)
{
	const struct rlimit limit = {room, room};
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	int error;

	fixture_key(&key, 1);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	error = complete(store, &key, "new");
	return error == OCC_E_IO && errno == EFBIG ? 0 : 1;
}

static void test_complete__failures_change_nothing(void **state)
{
	static const rlim_t rooms[] = {0, 8, 200, 319};
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	int status;
	pid_t child;

	fixture_key(&key, 1);
	assert_int_equal(occ_store_publish(store, &key, none, span("a")),
			 OCC_OK);
	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
		child = fork();
		if (!child)
			_exit(complete_without_room(fixture, rooms[i]));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
		assert_entry(store, &key, "", "a");
	}
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* Counts up: none may be lost. */
static bool make_next(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		      void *data)
{
	unsigned char number[8];

	(void)data;
	if (old_bytes.size != sizeof(number))
		return false;
	occ_put_u64(number, occ_get_u64(old_bytes.data) + 1);
	occ_buffer_append(new_bytes, number, sizeof(number));
	return true;
}

static void *count_up(void *data)
{
	struct occ_store *store = occ_store_open(data, 0, false);
	intptr_t failures = 0;
	struct occ_key key;
	int error;

	fixture_key(&key, 1);
	for (int i = 0; i < ROUNDS; i++) {
		/* On a machine as busy as that, try again. */
		do {
			error = occ_store_complete(store, &key, make_next,
						   NULL);
		} while (error == OCC_E_BUSY);
		failures += error != OCC_OK;
	}
	occ_key_release(&key);
	occ_store_close(store);
	return (void *)failures;
}

static intptr_t count_up_in_threads(struct fixture *fixture)
{
	pthread_t threads[THREADS];
	intptr_t failures = 0;
	void *result;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count_up, fixture->path))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		failures += (intptr_t)result;
	}
	return failures;
}

static void test_complete__none_is_lost(void **state)
{
	static const unsigned char zero[8];
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_loaded loaded;
	struct occ_key key;
	int status;
	pid_t child;

	fixture_key(&key, 1);
	assert_int_equal(occ_store_publish(store, &key,
					   (struct occ_span){zero,
							     sizeof(zero)},
					   span("a")),
			 OCC_OK);
	child = fork();
	if (!child)
		_exit(count_up_in_threads(fixture) != 0);
	assert_int_equal(count_up_in_threads(fixture), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(occ_store_lookup(store, &key, &loaded), OCC_OK);
	assert_int_equal(occ_get_u64(loaded.entry.metadata.data),
			 2 * THREADS * ROUNDS);
	occ_loaded_release(&loaded);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_complete__only_the_metadata_changes),
		TEST(test_complete__shorter_and_empty),
		TEST(test_complete__leaves_as_it_is),
		TEST(test_complete__nothing_to_complete),
		TEST(test_complete__the_right_one_of_equal_hashes),
		TEST(test_complete__corrupt_entries_are_removed),
		TEST(test_complete__damaged_texts_stay_damaged),
		TEST(test_complete__readers_keep_what_they_have),
		TEST(test_complete__evicts_others_but_not_itself),
		TEST(test_complete__is_dropped_when_it_does_not_fit),
		TEST(test_complete__after_eviction),
		TEST(test_complete__stands_aside_when_config_was_corrupt),
		TEST(test_complete__failures_change_nothing),
		TEST(test_complete__none_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
