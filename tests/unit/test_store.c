/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "cache/size_ledger.h"
#include "cache/file.h"
#include "cache/reservation.h"
#include "cache/store_internal.h"
#include "cache/store.h"

static const struct occ_span none;

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static int publish(struct occ_store *store, const struct occ_key *key,
		   const char *binary)
{
	return occ_store_publish(store, key, none, span(binary));
}

static void assert_hit(struct occ_store *store, const struct occ_key *key,
		       const char *binary)
{
	struct occ_loaded loaded;

	assert_int_equal(occ_store_lookup(store, key, &loaded), OCC_OK);
	assert_int_equal(loaded.entry.binary.size, strlen(binary));
	assert_memory_equal(loaded.entry.binary.data, binary, strlen(binary));
	occ_loaded_release(&loaded);
}

static void assert_miss(struct occ_store *store, const struct occ_key *key,
			int reason)
{
	struct occ_loaded loaded;

	assert_int_equal(occ_store_lookup(store, key, &loaded), reason);
}

static void test_store__publish_then_lookup(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	struct occ_loaded loaded;
	struct occ_key key;
	char name[64];

	fixture_key(&key, 1);
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	assert_false(fixture_exists(fixture, "config.file"));
	occ_meta_append_number(&metadata, OCC_META_COMPILE_TIME, 77);
	assert_int_equal(occ_store_publish(store, &key,
					   occ_buffer_span(&metadata),
					   span("binary")),
			 OCC_OK);
	assert_int_equal(occ_store_lookup(store, &key, &loaded), OCC_OK);
	assert_memory_equal(loaded.entry.binary.data, "binary", 6);
	assert_int_equal(occ_entry_number(&loaded.entry, OCC_META_COMPILE_TIME,
					  0),
			 77);
	occ_loaded_release(&loaded);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(fixture_status(fixture, name).st_mode & 07777, 0600);
	assert_int_equal(publish(store, &key, "other"), OCC_E_EXISTS);
	assert_hit(store, &key, "binary");
	occ_buffer_release(&metadata);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__creates_its_directory(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;
	struct occ_key key;
	char path[96];
	uint64_t size;

	fixture_key(&key, 1);
	snprintf(path, sizeof(path), "%s/parent/store", fixture->path);
	store = occ_store_open(path, 0, false);
	assert_string_equal(occ_store_directory(store), path);
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_measure(store, &size), OCC_E_NO_DIRECTORY);
	assert_int_equal(publish(store, &key, "a"), OCC_E_NO_DIRECTORY);
	occ_store_close(store);
	assert_false(fixture_exists(fixture, "parent"));
	store = occ_store_open(path, 0, true);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	assert_hit(store, &key, "a");
	occ_store_close(store);
	occ_key_release(&key);
}

static void test_store__writes_the_cache_directory_tag(void **state)
{
	static const char signature[] =
		"Signature: 8a477f597d28d172789f06886806bc55\n";
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	unsigned char *tag;
	size_t size;

	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	tag = fixture_read(fixture, "CACHEDIR.TAG", &size);
	assert_true(size >= strlen(signature));
	assert_memory_equal(tag, signature, strlen(signature));
	free(tag);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__equal_hashes_with_other_keys(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key keys[3];
	char name[64];

	for (unsigned int i = 0; i < 3; i++) {
		fixture_key(&keys[i], i);
		keys[i].hash = keys[0].hash;
	}
	assert_int_equal(publish(store, &keys[0], "zero"), OCC_OK);
	assert_miss(store, &keys[1], OCC_E_KEY_DIFFERS);
	assert_int_equal(publish(store, &keys[1], "one"), OCC_OK);
	assert_int_equal(publish(store, &keys[2], "two"), OCC_OK);
	fixture_entry_name(&keys[0], "-2.cl_cache", name);
	assert_true(fixture_exists(fixture, name));
	assert_hit(store, &keys[0], "zero");
	assert_hit(store, &keys[1], "one");
	assert_hit(store, &keys[2], "two");
	assert_int_equal(publish(store, &keys[2], "two"), OCC_E_EXISTS);
	assert_int_equal(occ_store_discard(store, &keys[1]), OCC_OK);
	assert_hit(store, &keys[0], "zero");
	assert_miss(store, &keys[1], OCC_E_KEY_DIFFERS);
	for (int i = 0; i < 3; i++)
		occ_key_release(&keys[i]);
	fixture_close_store(fixture, store);
}

static void test_store__numbers_are_bounded(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_digest hash = {{1}};
	struct occ_key key;

	for (unsigned int i = 0; i <= OCC_SLOTS_MAX; i++) {
		fixture_key(&key, i);
		key.hash = hash;
		assert_int_equal(publish(store, &key, "a"),
				 i < OCC_SLOTS_MAX ? OCC_OK
						   : OCC_E_KEY_DIFFERS);
		occ_key_release(&key);
	}
	fixture_close_store(fixture, store);
}

/* Flips a byte of the entry's binary. */
static void damage(struct fixture *fixture, const struct occ_key *key)
{
	unsigned char *data;
	char name[64];
	size_t size;

	fixture_entry_name(key, ".cl_cache", name);
	data = fixture_read(fixture, name, &size);
	data[size - 64] ^= 1;
	fixture_write(fixture, name, data, size);
	free(data);
}

static void test_store__corrupt_entries_are_removed(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	damage(fixture, &key);
	assert_miss(store, &key, OCC_E_CORRUPT);
	assert_false(fixture_exists(fixture, name));
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	assert_int_equal(
		fixture_config_size(fixture),
		OCC_SIZE_LEDGER_SIZE +
			fixture_status(fixture, "CACHEDIR.TAG").st_size);
	assert_int_equal(publish(store, &key, "b"), OCC_OK);
	damage(fixture, &key);
	assert_int_equal(publish(store, &key, "c"), OCC_OK);
	assert_hit(store, &key, "c");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__truncated_and_empty_entries_are_misses(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	fixture_fill(fixture, name, 0);
	assert_miss(store, &key, OCC_E_CORRUPT);
	unlinkat(fixture->directory, "config.file", 0);
	fixture_fill(fixture, name, 1000);
	assert_miss(store, &key, OCC_E_CORRUPT);
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* Between reading a bad file and removing it, somebody published a good one. */
static void test_store__only_the_file_that_was_read_is_removed(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_size_ledger ledger;
	struct occ_slot slot;
	struct occ_key key;

	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	damage(fixture, &key);
	assert_int_equal(occ_slot_read(fixture->directory, &key, 0, false,
				       &slot),
			 OCC_E_CORRUPT);
	assert_int_equal(publish(store, &key, "b"), OCC_OK);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	occ_slot_remove(&slot, &ledger);
	occ_size_ledger_unlock(&ledger);
	occ_entry_file_release(&slot.file);
	assert_hit(store, &key, "b");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__an_entry_under_a_wrong_name_is_a_miss(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key one, other;
	char from[64], to[64];

	fixture_key(&one, 1);
	fixture_key(&other, 2);
	fixture_entry_name(&one, ".cl_cache", from);
	fixture_entry_name(&other, ".cl_cache", to);
	assert_int_equal(publish(store, &one, "a"), OCC_OK);
	assert_int_equal(renameat(fixture->directory, from, fixture->directory,
				  to),
			 0);
	assert_miss(store, &other, OCC_E_CORRUPT);
	occ_key_release(&one);
	occ_key_release(&other);
	fixture_close_store(fixture, store);
}

static void test_store__other_versions_are_left_alone(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	unsigned char *data;
	struct occ_key key;
	char name[64];
	size_t size;

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	data = fixture_read(fixture, name, &size);
	occ_put_u32(data + 8, OCC_ENTRY_VERSION_CODE + 1);
	fixture_write(fixture, name, data, size);
	assert_miss(store, &key, OCC_E_VERSION);
	assert_int_equal(publish(store, &key, "b"), OCC_OK);
	assert_hit(store, &key, "b");
	assert_int_equal(fixture_status(fixture, name).st_size, size);
	fixture_entry_name(&key, "-1.cl_cache", name);
	assert_true(fixture_exists(fixture, name));
	free(data);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/*
 * An older or newer oclcache may own it: whatever is done with its key, its
 * bytes stay, and count.
 */
static void test_store__every_other_version_is_left_alone(void **state)
{
	static const uint32_t versions[] = {0,	 3,	     4,
					    256, 0x01000000, UINT32_MAX};
	struct fixture *fixture = *state;
	unsigned char *data, *now;
	struct occ_key key;
	char name[64];
	size_t size, now_size;

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct occ_store *store = fixture_open_store(fixture, 0);
		uint64_t before, after;

		assert_int_equal(publish(store, &key, "a"), OCC_OK);
		data = fixture_read(fixture, name, &size);
		occ_put_u32(data + 8, versions[i]);
		/* What is behind is that version's own. */
		memset(data + 12, 0xa5, size - 12);
		fixture_write(fixture, name, data, size);
		assert_int_equal(occ_store_measure(store, &before), OCC_OK);
		assert_true(before >= size);
		assert_miss(store, &key, OCC_E_VERSION);
		assert_miss(store, &key, OCC_E_VERSION);
		occ_store_discard(store, &key);
		assert_int_equal(publish(store, &key, "b"), OCC_OK);
		assert_hit(store, &key, "b");
		occ_store_discard(store, &key);
		assert_int_equal(occ_store_measure(store, &after), OCC_OK);
		assert_int_equal(after, before);
		now = fixture_read(fixture, name, &now_size);
		assert_int_equal(now_size, size);
		assert_memory_equal(now, data, size);
		free(now);
		free(data);
		fixture_close_store(fixture, store);
		assert_int_equal(unlinkat(fixture->directory, name, 0), 0);
		assert_int_equal(unlinkat(fixture->directory, "config.file", 0),
				 0);
	}
	occ_key_release(&key);
}

/* An entry that a first oclcache wrote, with the key it had (test_entry.c). */
static void test_store__the_golden_entry_is_a_hit(void **state)
{
	struct fixture *fixture = *state, here = {.directory = AT_FDCWD};
	static const unsigned char version[4] = {1};
	char source[5000], name[64];
	struct occ_loaded loaded;
	struct occ_store *store;
	unsigned char *data;
	struct occ_key key;
	size_t size;

	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (char)('a' + i % 26);
	occ_key_init(&key);
	occ_key_add(&key, OCC_KEY_VERSION, version, sizeof(version));
	occ_key_add_string(&key, OCC_KEY_OPERATION, "build");
	occ_key_add(&key, OCC_KEY_SOURCE, source, sizeof(source));
	occ_key_add_string(&key, OCC_KEY_OPTIONS, "-cl-mad-enable");
	assert_int_equal(occ_key_finish(&key), 0);
	data = fixture_read(&here, "tests/golden/entry-v1.cl_cache", &size);
	fixture_entry_name(&key, ".cl_cache", name);
	fixture_write(fixture, name, data, size);
	store = fixture_open_store(fixture, 0);
	assert_int_equal(occ_store_lookup(store, &key, &loaded), OCC_OK);
	assert_int_equal(loaded.entry.binary.size, 100);
	assert_int_equal(loaded.entry.binary.data[99], 99);
	assert_string_equal((const char *)occ_entry_bytes(&loaded.entry,
							  OCC_META_BUILD_LOG)
				    .data,
			    "warning");
	occ_loaded_release(&loaded);
	free(data);
	occ_key_release(&key);
	occ_store_close(store);
}

static void test_store__names_that_are_no_files_are_misses(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(mkdirat(fixture->directory, name, 0700), 0);
	fixture_entry_name(&key, "-1.cl_cache", name);
	assert_int_equal(mkfifoat(fixture->directory, name, 0600), 0);
	fixture_entry_name(&key, "-2.cl_cache", name);
	assert_int_equal(symlinkat("/etc/passwd", fixture->directory, name), 0);
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	assert_hit(store, &key, "a");
	fixture_entry_name(&key, "-3.cl_cache", name);
	assert_true(fixture_exists(fixture, name));
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__foreign_entries_are_misses(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	char name[64];

	if (geteuid()) {
		occ_store_close(store);
		skip();
	}
	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(fchownat(fixture->directory, name, 12345, (gid_t)-1,
				  0),
			 0);
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* Hits, so that the times change; returns whether mtime is about now. */
static bool is_touched(struct fixture *fixture, struct occ_store *store,
		       const struct occ_key *key, time_t age)
{
	struct stat status;
	char name[64];
	time_t now;

	fixture_entry_name(key, ".cl_cache", name);
	fixture_age(fixture, name, age, age);
	assert_hit(store, key, "a");
	status = fixture_status(fixture, name);
	/* time() may be a clock tick behind the clock that the hit took. */
	now = time(NULL) + 1;
	return status.st_mtime >= now - 60 && status.st_mtime <= now &&
	       status.st_atime >= now - 60 &&
	       (age < 0 || status.st_mtime > now - age);
}

static void test_store__hits_are_counted(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	struct stat status;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	status = fixture_status(fixture, name);
	assert_int_equal(occ_file_uses(&status), 0);
	for (uint64_t uses = 1; uses <= 3; uses++) {
		/* As if the last one was a minute ago. */
		status.st_atim.tv_sec -= 60;
		status.st_mtim.tv_sec -= 60;
		utimensat(fixture->directory, name,
			  (struct timespec[]){status.st_atim, status.st_mtim},
			  0);
		assert_hit(store, &key, "a");
		status = fixture_status(fixture, name);
		assert_int_equal(occ_file_uses(&status), uses);
		/* Too soon after it. */
		assert_hit(store, &key, "a");
		status = fixture_status(fixture, name);
		assert_int_equal(occ_file_uses(&status), uses);
	}
	/* Whoever read it otherwise leaves a time that says nothing. */
	status.st_atim.tv_nsec++;
	assert_true(occ_file_uses(&status) == OCC_FILE_USES_UNKNOWN);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* Sets times as after so many hits, a minute ago. */
static void set_hits(struct fixture *fixture, const char *name, long hits)
{
	time_t now = time(NULL);
	struct timespec times[2] = {{now - 59, hits * 1000 + 113},
				    {now - 60, 0}};

	assert_int_equal(utimensat(fixture->directory, name, times, 0), 0);
}

/* With relatime, reading after mtime or ctime has passed atime would set it. */
static void test_store__readers_leave_hits_alone(void **state)
{
	const enum occ_entry_file_depth depths[] = {OCC_ENTRY_FILE_SUMMARY,
						    OCC_ENTRY_FILE_HOT,
						    OCC_ENTRY_FILE_WHOLE};
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_entry_file file = {0};
	struct occ_key key;
	struct stat status;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	set_hits(fixture, name, 7);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(occ_entry_file_read(fixture->directory, name,
						     false, depths[i], &file),
				 OCC_OK);
		status = fixture_status(fixture, name);
		assert_int_equal(occ_file_uses(&status), 7);
	}
	occ_entry_file_release(&file);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

/* Hits that aren't known count from then on; a rewritten entry keeps them. */
static void test_store__unknown_hits(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	struct stat status;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	fixture_age(fixture, name, 60, 60);
	status = fixture_status(fixture, name);
	assert_true(occ_file_uses(&status) == OCC_FILE_USES_UNKNOWN);
	assert_hit(store, &key, "a");
	status = fixture_status(fixture, name);
	assert_int_equal(occ_file_uses(&status), 1);
	set_hits(fixture, name, 7);
	assert_int_equal(occ_store_renew(store, &key, none, span("b")), OCC_OK);
	assert_hit(store, &key, "b");
	status = fixture_status(fixture, name);
	assert_int_equal(occ_file_uses(&status), 7);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static bool look_is_uncounted(struct occ_store *store,
			      const struct occ_key *key)
{
	struct occ_loaded loaded;
	bool is_uncounted;

	assert_int_equal(occ_store_lookup(store, key, &loaded), OCC_OK);
	is_uncounted = loaded.is_uncounted;
	occ_loaded_release(&loaded);
	return is_uncounted;
}

static void test_store__uses_are_added(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_entry_use uses[2] = {{.count = 3}, {.count = 1}};
	struct occ_key keys[2];
	struct stat status;
	char name[64];

	for (unsigned i = 0; i < 2; i++) {
		fixture_key(&keys[i], i + 1);
		uses[i].hash = keys[i].hash;
	}
	fixture_entry_name(&keys[1], ".cl_cache", name);
	assert_int_equal(publish(store, &keys[1], "a"), OCC_OK);
	assert_true(look_is_uncounted(store, &keys[1]));
	fixture_age(fixture, name, 60, 60);
	assert_false(look_is_uncounted(store, &keys[1]));
	assert_true(look_is_uncounted(store, &keys[1]));
	/* The first one isn't there. */
	occ_store_add_uses(store, uses, 2);
	occ_store_add_uses(store, uses, 2);
	status = fixture_status(fixture, name);
	assert_int_equal(occ_file_uses(&status), 3);
	assert_true(status.st_mtime > time(NULL) - 60);
	occ_key_release(&keys[0]);
	occ_key_release(&keys[1]);
	fixture_close_store(fixture, store);
}

/* Who adds waits for another who does, but not for good. */
static void test_store__uses_are_added_in_turn(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_entry_use use = {.count = 1};
	struct occ_key key;
	struct stat status;
	char name[64];
	uint64_t start;
	int file;

	fixture_key(&key, 1);
	use.hash = key.hash;
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	file = openat(fixture->directory, name, O_RDONLY);
	assert_int_equal(flock(file, LOCK_EX), 0);
	start = occ_file_clock();
	occ_store_add_uses(store, &use, 1);
	assert_true(occ_file_clock() - start >= 20000000);
	close(file);
	status = fixture_status(fixture, name);
	assert_int_equal(occ_file_uses(&status), 1);
	/* And leaves no lock. */
	file = openat(fixture->directory, name, O_RDONLY);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
	close(file);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__hits_set_the_times(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	struct stat status;
	char name[64];

	fixture_key(&key, 1);
	fixture_entry_name(&key, ".cl_cache", name);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	assert_true(is_touched(fixture, store, &key, 3600));
	assert_true(is_touched(fixture, store, &key, -3600));
	/* Just used: no write, whole seconds show that. */
	fixture_age(fixture, name, 1, 1);
	assert_hit(store, &key, "a");
	status = fixture_status(fixture, name);
	assert_int_equal(status.st_mtim.tv_nsec, 0);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__least_recently_hit_goes_first(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 1900);
	struct occ_key keys[6];
	char name[64];
	uint64_t size;

	for (unsigned int i = 0; i < 6; i++) {
		fixture_key(&keys[i], i);
		if (i == 5)
			break;
		assert_int_equal(publish(store, &keys[i], "a"), OCC_OK);
		fixture_entry_name(&keys[i], ".cl_cache", name);
		assert_int_equal(fixture_status(fixture, name).st_size, 320);
		fixture_age(fixture, name, 1000 - i, 1000 - i);
	}
	assert_hit(store, &keys[0], "a");
	/* A third is 633 bytes: two entries. */
	assert_int_equal(publish(store, &keys[5], "a"), OCC_OK);
	assert_hit(store, &keys[0], "a");
	assert_miss(store, &keys[1], OCC_E_NOT_FOUND);
	assert_miss(store, &keys[2], OCC_E_NOT_FOUND);
	assert_hit(store, &keys[3], "a");
	assert_hit(store, &keys[4], "a");
	assert_hit(store, &keys[5], "a");
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_true(size <= 1900);
	for (int i = 0; i < 6; i++)
		occ_key_release(&keys[i]);
	fixture_close_store(fixture, store);
}

static void test_store__maximum_is_to_the_byte(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store =
		fixture_open_store(fixture, 320 + OCC_SIZE_LEDGER_SIZE - 1);
	struct occ_key key;

	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_E_TOO_LARGE);
	fixture_close_store(fixture, store);
	store = fixture_open_store(fixture, 100);
	assert_int_equal(publish(store, &key, "a"), OCC_E_TOO_LARGE);
	occ_store_close(store);
	/* The entry and config.file; no room for CACHEDIR.TAG. */
	store = fixture_open_store(fixture, 320 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	assert_false(fixture_exists(fixture, "CACHEDIR.TAG"));
	assert_hit(store, &key, "a");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static void test_store__stands_aside_when_config_was_corrupt(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key one, other;

	fixture_key(&one, 1);
	fixture_key(&other, 2);
	assert_int_equal(publish(store, &one, "a"), OCC_OK);
	fixture_write(fixture, "config.file", "short", 5);
	assert_hit(store, &one, "a");
	assert_int_equal(publish(store, &other, "b"), OCC_E_SIZE_LEDGER);
	assert_miss(store, &other, OCC_E_NOT_FOUND);
	assert_int_equal(publish(store, &other, "b"), OCC_OK);
	assert_hit(store, &one, "a");
	assert_hit(store, &other, "b");
	occ_key_release(&one);
	occ_key_release(&other);
	fixture_close_store(fixture, store);
}

static void test_store__has_entries_of_anybody(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;

	assert_false(occ_store_has_entries(store));
	assert_int_equal(occ_store_prepare(store), OCC_OK);
	fixture_fill(fixture, "oclcache.state", 10);
	fixture_fill(fixture, "somebody's", 10);
	assert_false(occ_store_has_entries(store));
	fixture_fill(fixture, "neo.cl_cache", 10);
	assert_true(occ_store_has_entries(store));
	fixture_remove_tree(fixture->path);
	assert_false(occ_store_has_entries(store));
	assert_int_equal(mkdir(fixture->path, 0700), 0);
	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	assert_true(occ_store_has_entries(store));
	occ_key_release(&key);
	occ_store_close(store);
}

static void test_store__refuses_a_directory_of_everybody(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;

	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	assert_int_equal(fchmod(fixture->directory, 0777), 0);
	assert_miss(store, &key, OCC_E_FORBIDDEN);
	assert_int_equal(publish(store, &key, "a"), OCC_E_FORBIDDEN);
	occ_key_release(&key);
	occ_store_close(store);
}

/* No file may grow: what happens on a full file system, without one. */
static int publish_without_room(struct fixture *fixture)
{
	const struct rlimit limit = {200, 200};
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	int error;

	fixture_key(&key, 2);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	error = publish(store, &key, "a");
	return error == OCC_E_IO && errno == EFBIG ? 0 : 1;
}

static void test_store__failed_publish_leaves_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;
	int status;
	pid_t child;

	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	child = fork();
	if (!child)
		_exit(publish_without_room(fixture));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
	assert_hit(store, &key, "a");
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

static struct occ_reservation reserve(struct fixture *fixture, uint64_t size)
{
	struct occ_reservation reservation;
	struct occ_size_ledger ledger;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(occ_reservation_make(&ledger, size, &reservation),
			 OCC_OK);
	occ_size_ledger_unlock(&ledger);
	return reservation;
}

static int commit(struct fixture *fixture, struct occ_reservation *reservation)
{
	struct occ_size_ledger ledger;
	int error;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	error = occ_reservation_commit(reservation, &ledger, "a.cl_cache");
	occ_size_ledger_unlock(&ledger);
	return error;
}

/* Others' recounts must see all of it before a byte has been written. */
static void test_reservation__counts_before_it_is_written(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_reservation reservation;
	uint64_t size;

	reservation = reserve(fixture, 1000);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_int_equal(size, 1000 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(fixture_config_size(fixture),
			 1000 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(commit(fixture, &reservation), OCC_OK);
	fixture_close_store(fixture, store);
}

static void test_reservation__replaced_file_is_subtracted(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_reservation reservation;

	fixture_fill(fixture, "a.cl_cache", 300);
	reservation = reserve(fixture, 1000);
	assert_int_equal(commit(fixture, &reservation), OCC_OK);
	assert_int_equal(fixture_config_size(fixture),
			 1000 + OCC_SIZE_LEDGER_SIZE);
	fixture_close_store(fixture, store);
}

static void test_reservation__deleted_temp_file_is_not_counted_twice(
	void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_reservation reservation;
	struct occ_size_ledger ledger;

	fixture_fill(fixture, "b.cl_cache", 5000);
	reservation = reserve(fixture, 1000);
	unlinkat(fixture->directory, reservation.name, 0);
	assert_int_equal(commit(fixture, &reservation), OCC_E_IO);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(fixture_config_size(fixture),
			 5000 + OCC_SIZE_LEDGER_SIZE);
	/* The same when a recount has already taken it off. */
	reservation = reserve(fixture, 1000);
	unlinkat(fixture->directory, reservation.name, 0);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(occ_size_ledger_recount(&ledger), OCC_OK);
	occ_reservation_cancel(&reservation, &ledger);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(fixture_config_size(fixture),
			 5000 + OCC_SIZE_LEDGER_SIZE);
	fixture_close_store(fixture, store);
}

/* A config.file deleted and made anew knows nothing of the reservation. */
static void test_reservation__new_config_file_gets_a_recount(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_reservation reservation;

	fixture_fill(fixture, "a.cl_cache", 100);
	reservation = reserve(fixture, 1000);
	unlinkat(fixture->directory, "config.file", 0);
	fixture_write(fixture, "new", "\1\0\0\0\0\0\0", 8);
	assert_int_equal(renameat(fixture->directory, "new", fixture->directory,
				  "config.file"),
			 0);
	assert_int_equal(commit(fixture, &reservation), OCC_OK);
	assert_int_equal(fixture_config_size(fixture),
			 1000 + OCC_SIZE_LEDGER_SIZE);
	fixture_close_store(fixture, store);
}

static void test_store__survives_a_deleted_directory(void **state)
{
	struct fixture *fixture = *state;
	static const unsigned char bytes[1000];
	struct occ_store *store;
	struct occ_reservation reservation;
	struct occ_size_ledger ledger;
	struct fixture inner;
	struct occ_key key;

	fixture_key(&key, 1);
	snprintf(inner.path, sizeof(inner.path), "%.48s/store", fixture->path);
	store = occ_store_open(inner.path, 0, false);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	inner.directory = open(inner.path, O_RDONLY | O_DIRECTORY);
	reservation = reserve(&inner, sizeof(bytes));
	fixture_remove_tree(inner.path);
	assert_int_equal(occ_reservation_write(&reservation, bytes), OCC_OK);
	assert_int_equal(occ_size_ledger_lock(inner.directory, &ledger),
			 OCC_E_NO_DIRECTORY);
	occ_reservation_drop(&reservation);
	close(inner.directory);
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_discard(store, &key), OCC_OK);
	assert_false(fixture_exists(fixture, "store"));
	assert_int_equal(publish(store, &key, "b"), OCC_OK);
	assert_hit(store, &key, "b");
	occ_store_close(store);
	occ_key_release(&key);
}

static void test_store__discard(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	struct occ_key key;

	fixture_key(&key, 1);
	assert_int_equal(publish(store, &key, "a"), OCC_OK);
	assert_int_equal(occ_store_discard(store, &key), OCC_OK);
	assert_miss(store, &key, OCC_E_NOT_FOUND);
	assert_int_equal(occ_store_discard(store, &key), OCC_OK);
	occ_key_release(&key);
	fixture_close_store(fixture, store);
}

#define TRACE "00000000000000000000000000000001.trace"

static bool append_x(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		     void *data)
{
	(void)data;
	occ_buffer_append(new_bytes, old_bytes.data, old_bytes.size);
	occ_buffer_append(new_bytes, "x", 1);
	return old_bytes.size < 3;
}

static void test_store__replace_and_read(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 100);
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	assert_int_equal(occ_store_read(store, TRACE, &bytes), OCC_E_NOT_FOUND);
	for (int i = 0; i < 5; i++)
		assert_int_equal(occ_store_replace(store, TRACE, append_x,
						   NULL),
				 OCC_OK);
	assert_int_equal(occ_store_read(store, TRACE, &bytes), OCC_OK);
	assert_int_equal(bytes.size, 3);
	assert_memory_equal(bytes.data, "xxx", 3);
	occ_buffer_release(&bytes);
	fixture_close_store(fixture, store);
}

static void test_store__replace_takes_only_its_own_names(void **state)
{
	static const char *const names[] = {
		"config.file",
		"CACHEDIR.TAG",
		"../x",
		"x",
		"",
		"00000000000000000000000000000001.cl_cache"};
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(occ_store_replace(store, names[i], append_x,
						   NULL),
				 OCC_E_IO);
	assert_false(fixture_exists(fixture, "config.file"));
	occ_store_close(store);
}

static void test_store__destructors_accept_nothing(void **state)
{
	struct occ_loaded loaded = {0};

	(void)state;
	occ_store_close(NULL);
	occ_loaded_release(&loaded);
}

static void test_error__strings(void **state)
{
	(void)state;
	for (int error = OCC_E_EXISTS; error <= OCC_OK; error++)
		for (int other = OCC_E_EXISTS; other < error; other++)
			assert_string_not_equal(occ_error_string(error),
						occ_error_string(other));
	assert_string_equal(occ_error_string(5), "ok");
	assert_string_equal(occ_error_string(-1000), "unknown error");
}

static void publish_another(struct occ_store *store, unsigned number)
{
	struct occ_key key;

	fixture_key(&key, number);
	assert_int_equal(publish(store, &key, "binary"), OCC_OK);
	occ_key_release(&key);
}

/* However much room there is: no eviction comes by there. */
static void test_publish__removes_old_orphans_once_a_day(void **state)
{
	static const char orphan[] = "oclcache-aaaaaa.tmp";
	static const char young[] = "oclcache-bbbbbb.tmp";
	static const char ahead[] = "oclcache-cccccc.tmp";
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);

	publish_another(store, 1);
	fixture_fill(fixture, orphan, 500);
	fixture_age(fixture, orphan, 3700, 3700);
	fixture_fill(fixture, young, 500);
	/* Of a clock that was wrong. */
	fixture_fill(fixture, ahead, 500);
	fixture_age(fixture, ahead, -90000, -90000);
	/* The tag is of today. */
	publish_another(store, 2);
	assert_true(fixture_exists(fixture, orphan));
	occ_store_close(store);

	store = fixture_open_store(fixture, 0);
	fixture_age(fixture, "CACHEDIR.TAG", 90000, 90000);
	publish_another(store, 3);
	assert_false(fixture_exists(fixture, orphan));
	assert_true(fixture_exists(fixture, young));
	assert_false(fixture_exists(fixture, ahead));
	assert_true(
		time(NULL) -
			fixture_status(fixture, "CACHEDIR.TAG").st_mtim.tv_sec <
		1000);
	occ_store_close(store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

static void test_store_prepare__says_whether_it_can_store(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, 0);
	char path[128];

	assert_int_equal(OCC_OK, occ_store_prepare(store));
	assert_true(fixture_exists(fixture, "config.file"));
	fixture_close_store(fixture, store);
	/* Root may write anywhere, but not below a file. */
	snprintf(path, sizeof(path), "%s/config.file/store", fixture->path);
	store = occ_store_open(path, 0, true);
	assert_int_not_equal(OCC_OK, occ_store_prepare(store));
	occ_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_store__publish_then_lookup),
		TEST(test_store__creates_its_directory),
		TEST(test_store__writes_the_cache_directory_tag),
		TEST(test_store__equal_hashes_with_other_keys),
		TEST(test_store__numbers_are_bounded),
		TEST(test_store__corrupt_entries_are_removed),
		TEST(test_store__truncated_and_empty_entries_are_misses),
		TEST(test_store__only_the_file_that_was_read_is_removed),
		TEST(test_store__an_entry_under_a_wrong_name_is_a_miss),
		TEST(test_store__other_versions_are_left_alone),
		TEST(test_store__every_other_version_is_left_alone),
		TEST(test_store__the_golden_entry_is_a_hit),
		TEST(test_store__names_that_are_no_files_are_misses),
		TEST(test_store__foreign_entries_are_misses),
		TEST(test_store__hits_are_counted),
		TEST(test_store__readers_leave_hits_alone),
		TEST(test_store__unknown_hits),
		TEST(test_store__uses_are_added),
		TEST(test_store__uses_are_added_in_turn),
		TEST(test_store__hits_set_the_times),
		TEST(test_store__least_recently_hit_goes_first),
		TEST(test_store__maximum_is_to_the_byte),
		TEST(test_store__stands_aside_when_config_was_corrupt),
		TEST(test_store__has_entries_of_anybody),
		TEST(test_store__refuses_a_directory_of_everybody),
		TEST(test_store__failed_publish_leaves_nothing),
		TEST(test_store_prepare__says_whether_it_can_store),
		TEST(test_reservation__counts_before_it_is_written),
		TEST(test_reservation__replaced_file_is_subtracted),
		TEST(test_reservation__deleted_temp_file_is_not_counted_twice),
		TEST(test_reservation__new_config_file_gets_a_recount),
		TEST(test_publish__removes_old_orphans_once_a_day),
		TEST(test_store__survives_a_deleted_directory),
		TEST(test_store__discard),
		TEST(test_store__replace_and_read),
		TEST(test_store__replace_takes_only_its_own_names),
		TEST(test_store__destructors_accept_nothing),
		TEST(test_error__strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
