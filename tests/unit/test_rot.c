/* SPDX-License-Identifier: MIT */
/*
 * Rot: what lies in a store is damaged, bit by bit and file by file, or isn't a
 * file at all. No lookup may answer with other bytes than were stored, hang, or
 * ask for much memory; the next publish works, and then so does the lookup.
 *
 * Every bit and length with OCLCACHE_TEST_LONG=1, otherwise a part of them that
 * OCLCACHE_TEST_SEED chooses. With an argument only the tests that match it.
 */
#include "tests/unit/fixture.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "cache/size_ledger.h"
#include "cache/listing.h"
#include "cache/state.h"
#include "cache/store.h"

/* After the standard headers, whose functions it replaces. */
#include "tests/unit/fault.h"

#define SMALL	    0 /* no cold part */
#define LARGE	    1 /* with a cold part, and more than is read at once */
#define OTHER	    2
#define KEYS	    3

#define LARGE_SIZE  70000
#define SOURCE_SIZE 6000

/* No more than this may be asked for at once, whatever lies there. */
#define MEMORY_MAX  ((size_t)4 << 20)

/* What of a sweep is done, unless all of it is wanted. */
#if defined(__SANITIZE_THREAD__)
#define EVERY 128
#elif defined(__SANITIZE_ADDRESS__)
#define EVERY 32
#else
#define EVERY 8
#endif

/* For a test, in s: what hangs shall end. */
#define PATIENCE 300

static struct occ_key keys[KEYS];
static struct occ_buffer files[KEYS]; /* as they are stored */
static char source[SOURCE_SIZE + 1];
static unsigned char binary[LARGE_SIZE];
static unsigned seed;
static bool all;

struct rot {
	struct fixture *fixture;
	struct occ_store *store;
	const char *what; /* for messages */
	unsigned long where;
	unsigned long count;
};

#define EXPECT(rot, condition)                                                 \
	do {                                                                   \
		if (!(condition)) {                                            \
			print_error("%s, %lu: %s\n", (rot)->what,              \
				    (rot)->where, #condition);                 \
			fail();                                                \
		}                                                              \
	} while (0)

static size_t binary_size(unsigned number)
{
	return number == LARGE ? LARGE_SIZE : 200 + number;
}

static struct occ_span metadata(void)
{
	static const unsigned char none[1];

	return (struct occ_span){none, 0};
}

static struct occ_span binary_of(unsigned number)
{
	return (struct occ_span){binary + number, binary_size(number) - number};
}

static int make_all(void **state)
{
	(void)state;
	memset(source, 'x', SOURCE_SIZE);
	for (size_t i = 0; i < sizeof(binary); i++)
		binary[i] = (unsigned char)(i * 7 + i / 251);
	for (unsigned i = 0; i < KEYS; i++) {
		occ_key_init(&keys[i]);
		occ_key_add_string(&keys[i], OCC_KEY_OPTIONS,
				   i == OTHER ? "-DO" : "-DX");
		if (i == LARGE)
			occ_key_add_string(&keys[i], OCC_KEY_SOURCE, source);
		assert_int_equal(occ_key_finish(&keys[i]), 0);
		occ_entry_encode(&keys[i], metadata(), binary_of(i), &files[i]);
		assert_false(files[i].failed);
	}
	all = getenv("OCLCACHE_TEST_LONG") != NULL;
	seed = fault_seed();
	alarm(PATIENCE);
	return 0;
}

static int release_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i < KEYS; i++) {
		occ_key_release(&keys[i]);
		occ_buffer_release(&files[i]);
	}
	return 0;
}

static bool is_turn(unsigned long where)
{
	return all || (where + seed) % EVERY == 0;
}

static void begin(struct rot *rot, struct fixture *fixture, uint64_t max_size)
{
	*rot = (struct rot){.fixture = fixture, .what = "at first"};
	rot->store = occ_store_open(fixture->path, max_size, false);
	assert_non_null(rot->store);
	fault.largest = 0;
}

static void end(struct rot *rot, const char *what)
{
	EXPECT(rot, fault.largest <= MEMORY_MAX);
	printf("# %s: %lu\n", what, rot->count);
	fflush(stdout);
	occ_store_close(rot->store);
}

static int publish(struct rot *rot, unsigned number)
{
	return occ_store_publish(rot->store, &keys[number], metadata(),
				 binary_of(number));
}

/* What is found is right. */
static int look_up(struct rot *rot, unsigned number)
{
	struct occ_span wanted = binary_of(number);
	struct occ_loaded loaded;
	int error = occ_store_lookup(rot->store, &keys[number], &loaded);

	if (error) {
		EXPECT(rot, error != OCC_E_MEMORY);
		return error;
	}
	EXPECT(rot, loaded.entry.binary.size == wanted.size);
	EXPECT(rot,
	       !memcmp(loaded.entry.binary.data, wanted.data, wanted.size));
	occ_loaded_release(&loaded);
	return OCC_OK;
}

/* Another publish, and all is well again. */
static void heals(struct rot *rot, unsigned number)
{
	int error = publish(rot, number);

	if (error == OCC_E_SIZE_LEDGER)
		error = publish(rot, number);
	EXPECT(rot, error == OCC_OK || error == OCC_E_EXISTS);
	EXPECT(rot, look_up(rot, number) == OCC_OK);
	rot->count++;
}

static void name_of(unsigned number, char name[64])
{
	fixture_entry_name(&keys[number], ".cl_cache", name);
}

static void path_of(struct rot *rot, const char *name, char path[160])
{
	snprintf(path, 160, "%s/%s", rot->fixture->path, name);
}

static void put(struct rot *rot, unsigned number, const void *data, size_t size)
{
	char name[64];

	name_of(number, name);
	fixture_write(rot->fixture, name, data, size);
}

/* All but config.file, so that it needn't be made anew each time. */
static void clear(struct rot *rot)
{
	DIR *stream = opendir(rot->fixture->path);
	struct dirent *item;

	assert_non_null(stream);
	while ((item = readdir(stream)))
		if (strstr(item->d_name, ".cl_cache"))
			unlinkat(rot->fixture->directory, item->d_name, 0);
	closedir(stream);
}

/* Where in the file what is only text begins. */
static size_t cold_start(unsigned number)
{
	size_t hot_size;

	assert_int_equal(occ_entry_hot_size(files[number].data,
					    files[number].size, &hot_size),
			 OCC_OK);
	return hot_size;
}

static void flip(struct rot *rot, unsigned number, size_t bit)
{
	struct occ_buffer *file = &files[number];
	unsigned char mask = (unsigned char)(1u << bit % 8);

	rot->where = bit;
	file->data[bit / 8] ^= mask;
	put(rot, number, file->data, file->size);
	file->data[bit / 8] ^= mask;
	/* The cold part isn't read for a hit. */
	EXPECT(rot, (look_up(rot, number) == OCC_OK) ==
			    (bit / 8 >= cold_start(number)));
	heals(rot, number);
	clear(rot);
}

static void test_rot__every_bit_of_a_small_entry(void **state)
{
	struct rot rot;

	begin(&rot, *state, 0);
	rot.what = "a bit of a small entry";
	for (size_t bit = 0; bit < files[SMALL].size * 8; bit++)
		if (is_turn(bit))
			flip(&rot, SMALL, bit);
	end(&rot, "bits of a small entry");
}

/* The head's, the last of the binary, and some others. */
static void test_rot__bits_of_a_large_entry(void **state)
{
	size_t bits = files[LARGE].size * 8, head = OCC_ENTRY_HEADER_SIZE * 16;
	struct rot rot;

	begin(&rot, *state, 0);
	rot.what = "a bit of a large entry";
	for (size_t bit = 0; bit < head; bit++)
		if (is_turn(bit))
			flip(&rot, LARGE, bit);
	for (size_t bit = head + seed % 997; bit < bits; bit += 997)
		if (is_turn(bit / 997))
			flip(&rot, LARGE, bit);
	flip(&rot, LARGE, cold_start(LARGE) * 8 - 1);
	flip(&rot, LARGE, cold_start(LARGE) * 8);
	flip(&rot, LARGE, bits - 1);
	end(&rot, "bits of a large entry");
}

static void test_rot__every_length(void **state)
{
	struct rot rot;

	begin(&rot, *state, 0);
	rot.what = "a small entry cut";
	for (rot.where = 0; rot.where < files[SMALL].size; rot.where++) {
		if (!is_turn(rot.where))
			continue;
		put(&rot, SMALL, files[SMALL].data, rot.where);
		EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
		heals(&rot, SMALL);
		clear(&rot);
	}
	rot.what = "a large entry cut";
	for (rot.where = 1; rot.where < files[LARGE].size; rot.where += 499) {
		if (!is_turn(rot.where / 499))
			continue;
		put(&rot, LARGE, files[LARGE].data, rot.where);
		EXPECT(&rot, look_up(&rot, LARGE) == OCC_E_CORRUPT);
		heals(&rot, LARGE);
		clear(&rot);
	}
	end(&rot, "lengths");
}

static void test_rot__bytes_behind(void **state)
{
	static const size_t more[] = {1, 7, 8, 63, 64, 4096, 65536, 1 << 20};
	unsigned char *data = calloc(1, files[SMALL].size + (1 << 20));
	struct rot rot;

	begin(&rot, *state, 0);
	rot.what = "bytes appended";
	memcpy(data, files[SMALL].data, files[SMALL].size);
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		rot.where = more[i];
		put(&rot, SMALL, data, files[SMALL].size + more[i]);
		EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
		heals(&rot, SMALL);
		clear(&rot);
	}
	free(data);
	end(&rot, "lengths that are too large");
}

/* Intact entries under names that aren't theirs. */
static void test_rot__names_changed(void **state)
{
	struct rot rot;
	char name[64];

	begin(&rot, *state, 0);
	rot.what = "swapped";
	put(&rot, SMALL, files[OTHER].data, files[OTHER].size);
	put(&rot, OTHER, files[SMALL].data, files[SMALL].size);
	EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
	EXPECT(&rot, look_up(&rot, OTHER) == OCC_E_CORRUPT);
	heals(&rot, SMALL);
	heals(&rot, OTHER);
	clear(&rot);
	rot.what = "another's at the second name";
	fixture_entry_name(&keys[SMALL], "-1.cl_cache", name);
	fixture_write(rot.fixture, name, files[OTHER].data, files[OTHER].size);
	EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_NOT_FOUND);
	heals(&rot, SMALL);
	rot.what = "another's at all names";
	clear(&rot);
	put(&rot, SMALL, files[OTHER].data, files[OTHER].size);
	for (int i = 1; i < 16; i++) {
		char ending[32];

		snprintf(ending, sizeof(ending), "-%d.cl_cache", i);
		fixture_entry_name(&keys[SMALL], ending, name);
		fixture_write(rot.fixture, name, files[OTHER].data,
			      files[OTHER].size);
	}
	EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
	EXPECT(&rot, fixture_count(rot.fixture, ".cl_cache") == 0);
	heals(&rot, SMALL);
	end(&rot, "entries by other names");
}

static void test_rot__foreign_files(void **state)
{
	static const char text[] = "#!/bin/sh\nexit 0\n";
	unsigned char bytes[5000];
	uint32_t random = seed;
	struct rot rot;

	begin(&rot, *state, 0);
	rot.what = "a script";
	put(&rot, SMALL, text, sizeof(text));
	EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
	heals(&rot, SMALL);
	for (rot.where = 0; rot.where < 100; rot.where++) {
		clear(&rot);
		rot.what = "random bytes";
		for (size_t i = 0; i < sizeof(bytes); i++) {
			random = random * 1664525 + 1013904223;
			bytes[i] = (unsigned char)(random >> 24);
		}
		/* Some of them behind a header that looks good. */
		if (rot.where % 2)
			memcpy(bytes, files[SMALL].data, 16 + rot.where);
		put(&rot, SMALL, bytes, sizeof(bytes) - rot.where);
		EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
		heals(&rot, SMALL);
	}
	end(&rot, "foreign files");
}

/* What there is of files that aren't entries. */

static bool state_is(struct rot *rot, const char *name, const char *value)
{
	unsigned char found[16];
	size_t size = 0;
	int error =
		occ_state_get(rot->store, name, found, sizeof(found), &size);

	EXPECT(rot, !error || error == OCC_E_NOT_FOUND ||
			    error == OCC_E_FORBIDDEN || error == OCC_E_IO ||
			    error == OCC_E_TOO_LARGE);
	EXPECT(rot,
	       error || (size == strlen(value) && !memcmp(found, value, size)));
	return !error;
}

static void test_rot__every_bit_of_the_state(void **state)
{
	unsigned char *data;
	struct rot rot;
	size_t size;

	begin(&rot, *state, 0);
	rot.what = "a bit of the state";
	assert_int_equal(occ_state_set(rot.store, "name", "value", 5), OCC_OK);
	data = fixture_read(rot.fixture, "oclcache.state", &size);
	for (rot.where = 0; rot.where < size * 8; rot.where++) {
		if (!is_turn(rot.where))
			continue;
		data[rot.where / 8] ^= (unsigned char)(1u << rot.where % 8);
		fixture_write(rot.fixture, "oclcache.state", data, size);
		data[rot.where / 8] ^= (unsigned char)(1u << rot.where % 8);
		EXPECT(&rot, !state_is(&rot, "name", "value"));
		EXPECT(&rot, !occ_state_set(rot.store, "name", "value", 5));
		EXPECT(&rot, state_is(&rot, "name", "value"));
		rot.count++;
	}
	for (rot.where = 0; rot.where < size; rot.where++) {
		if (!is_turn(rot.where))
			continue;
		fixture_write(rot.fixture, "oclcache.state", data, rot.where);
		EXPECT(&rot, !state_is(&rot, "name", "value"));
		rot.count++;
	}
	free(data);
	EXPECT(&rot, !occ_state_set(rot.store, "name", "value", 5));
	EXPECT(&rot, state_is(&rot, "name", "value"));
	end(&rot, "bits and lengths of the state");
}

static uint64_t measured(struct rot *rot)
{
	uint64_t size = 0;

	EXPECT(rot, !occ_store_measure(rot->store, &size));
	return size;
}

/*
 * Lookups go on. A total that is too large is mended by the next publish that
 * seems not to fit; what is published then is within the limit.
 */
static void judge_config(struct rot *rot, uint64_t max_size)
{
	put(rot, SMALL, files[SMALL].data, files[SMALL].size);
	EXPECT(rot, look_up(rot, SMALL) == OCC_OK);
	heals(rot, OTHER);
	EXPECT(rot, measured(rot) <= max_size);
}

static void test_rot__every_bit_of_the_total(void **state)
{
	/* Both entries together don't fit. */
	const uint64_t max_size =
		files[OTHER].size + OCC_SIZE_LEDGER_SIZE + 100;
	unsigned char *data;
	struct rot rot;
	size_t size;
	char name[64];

	begin(&rot, *state, max_size);
	rot.what = "a bit of config.file";
	assert_int_equal(publish(&rot, SMALL), OCC_OK);
	data = fixture_read(rot.fixture, "config.file", &size);
	name_of(OTHER, name);
	for (rot.where = 0; rot.where < size * 8; rot.where++) {
		data[rot.where / 8] ^= (unsigned char)(1u << rot.where % 8);
		fixture_write(rot.fixture, "config.file", data, size);
		data[rot.where / 8] ^= (unsigned char)(1u << rot.where % 8);
		unlinkat(rot.fixture->directory, name, 0);
		judge_config(&rot, max_size);
	}
	rot.what = "config.file cut";
	for (rot.where = 0; rot.where < size; rot.where++) {
		fixture_write(rot.fixture, "config.file", data, rot.where);
		unlinkat(rot.fixture->directory, name, 0);
		judge_config(&rot, max_size);
	}
	free(data);
	end(&rot, "bits and lengths of config.file");
}

/* What isn't a regular file */

enum kind {
	DIRECTORY,
	FULL_DIRECTORY,
	FIFO,
	SOCKET,
	LINK_TO_GOOD,
	DANGLING_LINK,
	LINK_TO_ITSELF,
	DEVICE,
	KINDS,
};

static void make_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path));
	assert_true(file >= 0);
	assert_int_equal(bind(file, (struct sockaddr *)&address,
			      sizeof(address)),
			 0);
	close(file);
}

/* By a path that is short enough for a socket. */
static void make_socket_in(struct fixture *fixture, const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/socket", fixture->path);
	make_socket(path);
	assert_int_equal(renameat(fixture->directory, "socket",
				  fixture->directory, name),
			 0);
}

/* False when it may not be made here. */
static bool make_kind(struct rot *rot, const char *name, enum kind kind)
{
	struct fixture *fixture = rot->fixture;
	int directory = fixture->directory;
	char path[160], inner[200];

	path_of(rot, name, path);
	switch (kind) {
	case DIRECTORY:
		return !mkdirat(directory, name, 0700);
	case FULL_DIRECTORY:
		snprintf(inner, sizeof(inner), "%s/file", name);
		assert_int_equal(mkdirat(directory, name, 0700), 0);
		fixture_write(fixture, inner, "x", 1);
		return true;
	case FIFO:
		return !mkfifoat(directory, name, 0600);
	case SOCKET:
		make_socket_in(fixture, name);
		return true;
	case LINK_TO_GOOD:
		fixture_write(fixture, "good", files[SMALL].data,
			      files[SMALL].size);
		return !symlinkat("good", directory, name);
	case DANGLING_LINK:
		return !symlinkat("/nonexistent/x", directory, name);
	case LINK_TO_ITSELF:
		return !symlinkat(name, directory, name);
	case DEVICE:
		return !mknodat(directory, name, S_IFCHR | 0600, makedev(1, 5));
	case KINDS:
		break;
	}
	return false;
}

static void remove_kind(struct rot *rot, const char *name)
{
	char path[160];

	path_of(rot, name, path);
	fixture_remove_tree(path);
}

static const char *kind_name(enum kind kind)
{
	static const char *const names[KINDS] = {
		"a directory", "a full directory", "a FIFO", "a socket",
		"a link",      "a dangling link",  "a loop", "a device",
	};

	return names[kind];
}

/* The first name is taken by what isn't ours: the second one is used. */
static void try_kind(struct rot *rot, enum kind kind)
{
	char name[64];

	name_of(SMALL, name);
	rot->what = kind_name(kind);
	EXPECT(rot, look_up(rot, SMALL) == OCC_E_NOT_FOUND);
	heals(rot, SMALL);
	EXPECT(rot, fixture_exists(rot->fixture, name));
	remove_kind(rot, name);
	clear(rot);
}

static void test_rot__entries_that_are_no_files(void **state)
{
	char name[64];
	struct rot rot;

	begin(&rot, *state, 0);
	name_of(SMALL, name);
	for (int kind = 0; kind < DEVICE; kind++) {
		EXPECT(&rot, make_kind(&rot, name, (enum kind)kind));
		try_kind(&rot, (enum kind)kind);
	}
	end(&rot, "entries that are no files");
}

static void test_rot__entries_that_are_devices(void **state)
{
	char name[64];
	struct rot rot;
	bool made;

	begin(&rot, *state, 0);
	name_of(SMALL, name);
	made = make_kind(&rot, name, DEVICE);
	if (made)
		try_kind(&rot, DEVICE);
	end(&rot, "entries that are devices");
	if (!made)
		skip(); /* only root makes them */
}

/*
 * Our other files: entries are found all the same, and nobody waits. Without
 * config.file there is no lock, so nothing is stored: it isn't ours to remove.
 */
static void test_rot__other_files_that_are_no_files(void **state)
{
	static const char *const names[] = {"config.file", "oclcache.state",
					    "oclcache.lock", "CACHEDIR.TAG"};
	struct rot rot;

	begin(&rot, *state, 1 << 20);
	assert_int_equal(publish(&rot, SMALL), OCC_OK);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (int kind = 0; kind < DEVICE; kind++) {
			bool stores = strcmp(names[i], "config.file") != 0;

			rot.what = kind_name((enum kind)kind);
			rot.where = i;
			remove_kind(&rot, names[i]);
			EXPECT(&rot,
			       make_kind(&rot, names[i], (enum kind)kind));
			EXPECT(&rot, look_up(&rot, SMALL) == OCC_OK);
			EXPECT(&rot, !publish(&rot, OTHER) == stores);
			EXPECT(&rot, !state_is(&rot, "name", "value"));
			occ_state_set(rot.store, "name", "value", 5);
			remove_kind(&rot, names[i]);
			EXPECT(&rot,
			       !occ_store_discard(rot.store, &keys[OTHER]));
			heals(&rot, OTHER);
			EXPECT(&rot,
			       !occ_store_discard(rot.store, &keys[OTHER]));
			remove_kind(&rot, "oclcache.state");
		}
	end(&rot, "other names that are no files");
}

/* Giants */

#define GIANT ((off_t)1 << 40)

/* False: the file system has no such files. */
static bool make_giant(struct rot *rot, const char *name)
{
	char path[160];

	path_of(rot, name, path);
	return !truncate(path, GIANT);
}

static void test_rot__giants(void **state)
{
	static const char *const names[] = {"config.file", "oclcache.state",
					    "oclcache.lock", "CACHEDIR.TAG",
					    "oclcache-aaaaaa.tmp"};
	const uint64_t max_size = 1 << 20;
	char name[64];
	struct rot rot;

	begin(&rot, *state, max_size);
	rot.what = "a giant entry";
	put(&rot, SMALL, files[SMALL].data, files[SMALL].size);
	name_of(SMALL, name);
	if (!make_giant(&rot, name)) {
		occ_store_close(rot.store);
		skip();
	}
	EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
	heals(&rot, SMALL);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct occ_size_ledger ledger;

		rot.what = names[i];
		fixture_write(rot.fixture, names[i], "", 0);
		EXPECT(&rot, make_giant(&rot, names[i]));
		EXPECT(&rot, look_up(&rot, SMALL) == OCC_OK);
		EXPECT(&rot, !state_is(&rot, "name", "value"));
		/* So that it is seen. */
		EXPECT(&rot,
		       !occ_size_ledger_lock(rot.fixture->directory, &ledger));
		EXPECT(&rot, !occ_size_ledger_add(&ledger, max_size));
		occ_size_ledger_unlock(&ledger);
		heals(&rot, OTHER);
		EXPECT(&rot, measured(&rot) <= max_size);
		EXPECT(&rot,
		       measured(&rot) == fixture_config_size(rot.fixture));
		EXPECT(&rot, look_up(&rot, SMALL) == OCC_OK);
		EXPECT(&rot, !occ_store_discard(rot.store, &keys[OTHER]));
	}
	rot.what = "a giant state is replaced";
	fixture_write(rot.fixture, "oclcache.state", "", 0);
	EXPECT(&rot, make_giant(&rot, "oclcache.state"));
	EXPECT(&rot, !occ_state_set(rot.store, "name", "value", 5));
	EXPECT(&rot, state_is(&rot, "name", "value"));
	EXPECT(&rot, measured(&rot) == fixture_config_size(rot.fixture));
	end(&rot, "giants");
}

/* A header that vouches for the giant. */
static void test_rot__giants_that_say_so(void **state)
{
	unsigned char *data = malloc(files[SMALL].size);
	char name[64];
	struct rot rot;
	bool made;

	begin(&rot, *state, 0);
	rot.what = "a giant entry that says so";
	memcpy(data, files[SMALL].data, files[SMALL].size);
	occ_put_u64(data + 16, (uint64_t)GIANT);
	occ_put_u64(data + 24, (uint64_t)GIANT);
	put(&rot, SMALL, data, files[SMALL].size);
	name_of(SMALL, name);
	made = make_giant(&rot, name);
	if (made) {
		EXPECT(&rot, look_up(&rot, SMALL) == OCC_E_CORRUPT);
		heals(&rot, SMALL);
		clear(&rot);
	}
	rot.what = "another's giant";
	fixture_write(rot.fixture, "0123456789abcdef.cl_cache", "", 0);
	if (made) {
		EXPECT(&rot, make_giant(&rot, "0123456789abcdef.cl_cache"));
		heals(&rot, SMALL);
	}
	free(data);
	end(&rot, "giants that say so");
	if (!made)
		skip();
}

/* Time */

static void set_time(struct rot *rot, const char *name, time_t time)
{
	const struct timespec times[2] = {{time, 0}, {time, 0}};

	EXPECT(rot, !utimensat(rot->fixture->directory, name, times, 0));
}

/* What was used in the future may be evicted, and is used now when it is. */
static void test_rot__times_to_come(void **state)
{
	static const long years[] = {-60, -1, 1, 60};
	const time_t year = 365L * 24 * 3600;
	char small[64], other[64];
	struct rot rot;

	begin(&rot, *state, 1300);
	name_of(SMALL, small);
	name_of(OTHER, other);
	for (size_t i = 0; i < sizeof(years) / sizeof(*years); i++) {
		rot.what = "a file's time, by years";
		rot.where = (unsigned long)years[i];
		EXPECT(&rot, !publish(&rot, SMALL));
		set_time(&rot, small, time(NULL) + years[i] * year);
		EXPECT(&rot, !look_up(&rot, SMALL));
		EXPECT(&rot, labs(fixture_status(rot.fixture, small).st_mtime -
				  time(NULL)) < 60);
		set_time(&rot, small, time(NULL) + years[i] * year);
		rot.what = "the clock, by years";
		fault.skew = years[i] * year;
		EXPECT(&rot, !look_up(&rot, SMALL));
		heals(&rot, OTHER);
		EXPECT(&rot, !occ_state_set(rot.store, "name", "value", 5));
		EXPECT(&rot, state_is(&rot, "name", "value"));
		EXPECT(&rot, measured(&rot) <= 1300);
		fault.skew = 0;
		clear(&rot);
	}
	end(&rot, "years");
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(int count, char **arguments)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rot__every_bit_of_a_small_entry),
		TEST(test_rot__bits_of_a_large_entry),
		TEST(test_rot__every_length),
		TEST(test_rot__bytes_behind),
		TEST(test_rot__names_changed),
		TEST(test_rot__foreign_files),
		TEST(test_rot__every_bit_of_the_state),
		TEST(test_rot__every_bit_of_the_total),
		TEST(test_rot__entries_that_are_no_files),
		TEST(test_rot__entries_that_are_devices),
		TEST(test_rot__other_files_that_are_no_files),
		TEST(test_rot__giants),
		TEST(test_rot__giants_that_say_so),
		TEST(test_rot__times_to_come),
	};

	if (count > 1)
		cmocka_set_test_filter(arguments[1]);
	return cmocka_run_group_tests(tests, make_all, release_all);
}
