/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <pthread.h>
#include <sys/file.h>

#include "cache/size_ledger.h"
#include "cache/listing.h"

static void test_size_ledger__is_created_by_counting(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;

	fixture_fill(fixture, "0123456789abcdef.cl_cache", 100);
	fixture_fill(fixture, "oclcache-abcdef.tmp", 10);
	fixture_fill(fixture, "foreign", 1000);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_false(ledger.rebuilt);
	assert_int_equal(ledger.size, 110 + OCC_SIZE_LEDGER_SIZE);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(fixture_config_size(fixture),
			 110 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(fixture_status(fixture, "config.file").st_mode & 07777,
			 0600);
	assert_int_equal(fixture_count(fixture, ".tmp"), 1);
}

static void test_size_ledger__any_short_file_is_rebuilt(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;

	fixture_fill(fixture, "0123456789abcdef.l0_cache", 100);
	for (size_t size = 0; size < 8; size++) {
		fixture_fill(fixture, "config.file", size);
		assert_int_equal(occ_size_ledger_lock(fixture->directory,
						      &ledger),
				 OCC_OK);
		assert_true(ledger.rebuilt);
		occ_size_ledger_unlock(&ledger);
		assert_int_equal(fixture_config_size(fixture),
				 100 + OCC_SIZE_LEDGER_SIZE);
		assert_int_equal(occ_size_ledger_lock(fixture->directory,
						      &ledger),
				 OCC_OK);
		assert_false(ledger.rebuilt);
		assert_int_equal(ledger.size, 100 + OCC_SIZE_LEDGER_SIZE);
		occ_size_ledger_unlock(&ledger);
	}
}

/* 16 bytes are ours, and what is behind them is somebody else's. */
static void test_size_ledger__keeps_what_is_behind(void **state)
{
	static const unsigned char before[] =
		"\x39\x30\0\0\0\0\0\0\x39\x30\0\0\0\0\0\0more";
	static const unsigned char after[] =
		"\x3a\x30\0\0\0\0\0\0\x3a\x30\0\0\0\0\0\0more";
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;
	unsigned char *data;
	size_t size;

	fixture_write(fixture, "config.file", before, sizeof(before));
	fixture_write(fixture, OCC_NAME_TAG, OCC_NAME_TAG_TEXT,
		      sizeof(OCC_NAME_TAG_TEXT) - 1);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(ledger.size, 12345);
	assert_int_equal(occ_size_ledger_add(&ledger, 1), OCC_OK);
	occ_size_ledger_unlock(&ledger);
	data = fixture_read(fixture, "config.file", &size);
	assert_int_equal(size, sizeof(after));
	assert_memory_equal(data, after, size);
	free(data);
}

static void write_total(struct fixture *fixture, uint64_t total)
{
	int file = openat(fixture->directory, "config.file", O_WRONLY | O_CREAT,
			  0600);
	unsigned char bytes[8];

	occ_put_u64(bytes, total);
	assert_int_equal(pwrite(file, bytes, sizeof(bytes), 0), sizeof(bytes));
	close(file);
}

static uint64_t locked_size(struct fixture *fixture)
{
	struct occ_size_ledger ledger;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_false(ledger.rebuilt);
	occ_size_ledger_unlock(&ledger);
	return ledger.size;
}

/* 8 bytes; any are a number. With ours behind them they may grow. */
static void test_size_ledger__as_neo_writes_it(void **state)
{
	struct fixture *fixture = *state;

	/* The sum of files of its kind, as far as it has counted. */
	fixture_fill(fixture, "0123456789abcdef.cl_cache", 12345);
	fixture_fill(fixture, OCC_NAME_STATE, 100);
	write_total(fixture, 12345);
	assert_int_equal(locked_size(fixture),
			 12345 + 100 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(fixture_config_size(fixture),
			 12345 + 100 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(fixture_status(fixture, "config.file").st_size,
			 OCC_SIZE_LEDGER_SIZE);
	write_total(fixture, 20000);
	assert_int_equal(locked_size(fixture), 20000);
}

/* By damage, or by NEO after an eviction: it is counted. */
static void test_size_ledger__less_than_was_written(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;

	fixture_fill(fixture, "0123456789abcdef.l0_cache", 1000);
	assert_int_equal(locked_size(fixture), 1000 + OCC_SIZE_LEDGER_SIZE);
	write_total(fixture, 999);
	assert_int_equal(locked_size(fixture), 1000 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(fixture_config_size(fixture),
			 1000 + OCC_SIZE_LEDGER_SIZE);
	/* Our own changes are believed. */
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(occ_size_ledger_subtract(&ledger, 500), OCC_OK);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(locked_size(fixture), 500 + OCC_SIZE_LEDGER_SIZE);
}

/* The file has its name and its length, and never got its bytes. */
static void test_size_ledger__zeros_are_no_total(void **state)
{
	struct fixture *fixture = *state;

	fixture_fill(fixture, "0123456789abcdef.l0_cache", 1000);
	fixture_fill(fixture, "config.file", OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(locked_size(fixture), 1000 + OCC_SIZE_LEDGER_SIZE);
	assert_int_equal(fixture_config_size(fixture),
			 1000 + OCC_SIZE_LEDGER_SIZE);
}

static void test_size_ledger__size_saturates(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(occ_size_ledger_subtract(&ledger, 100), OCC_OK);
	assert_int_equal(fixture_config_size(fixture), 0);
	assert_int_equal(occ_size_ledger_add(&ledger, 5), OCC_OK);
	assert_int_equal(occ_size_ledger_add(&ledger, UINT64_MAX), OCC_OK);
	assert_true(fixture_config_size(fixture) == UINT64_MAX);
	occ_size_ledger_unlock(&ledger);
}

static void test_size_ledger__lock_is_flock(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;
	int file;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	file = openat(fixture->directory, "config.file", O_RDWR);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
	close(file);
}

struct waiter {
	int directory;
	int error;
	struct occ_size_ledger ledger;
};

static void *wait_for_lock(void *data)
{
	struct waiter *waiter = data;

	waiter->error =
		occ_size_ledger_lock(waiter->directory, &waiter->ledger);
	return NULL;
}

/*
 * Descriptors of this process that have the inode open. By path: looking at
 * another thread's descriptors is a race to ThreadSanitizer.
 */
static int count_open(ino_t inode)
{
	struct stat status;
	char path[40];
	int count = 0;

	for (int file = 0; file < 64; file++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		count += !stat(path, &status) && status.st_ino == inode;
	}
	return count;
}

/* Until somebody besides us has the file open, so as to wait for its lock. */
static void await_waiter(ino_t inode)
{
	const struct timespec pause = {0, 1000000};

	for (int i = 0; i < 10000 && count_open(inode) < 2; i++)
		nanosleep(&pause, NULL);
	assert_true(count_open(inode) >= 2);
}

static void test_size_ledger__replaced_while_waiting(void **state)
{
	struct fixture *fixture = *state;
	struct waiter waiter = {.directory = fixture->directory};
	struct occ_size_ledger ledger;
	pthread_t thread;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &waiter),
			 0);
	await_waiter(ledger.status.st_ino);
	fixture_write(fixture, "new", "\x17\0\0\0\0\0\0\0\x17\0\0\0\0\0\0", 16);
	assert_int_equal(renameat(fixture->directory, "new", fixture->directory,
				  "config.file"),
			 0);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(waiter.error, OCC_OK);
	assert_int_equal(waiter.ledger.size, 0x17);
	assert_int_equal(waiter.ledger.status.st_ino,
			 fixture_status(fixture, "config.file").st_ino);
	occ_size_ledger_unlock(&waiter.ledger);
}

/* Last: it makes this process impatient for a while. */
static void test_size_ledger__gives_up_on_a_lock_that_is_kept(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger, again;

	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &again),
			 OCC_E_BUSY);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &again),
			 OCC_E_BUSY);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &again),
			 OCC_OK);
	occ_size_ledger_unlock(&again);
}

static void test_size_ledger__deleted_directory(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;
	char path[96];
	int directory;

	snprintf(path, sizeof(path), "%s/gone", fixture->path);
	assert_int_equal(mkdir(path, 0700), 0);
	directory = open(path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(occ_size_ledger_lock(directory, &ledger),
			 OCC_E_NO_DIRECTORY);
	close(directory);
}

static void test_size_ledger__must_be_a_regular_file(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;

	assert_int_equal(mkfifoat(fixture->directory, "config.file", 0600), 0);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_E_IO);
	assert_int_equal(unlinkat(fixture->directory, "config.file", 0), 0);
	assert_int_equal(symlinkat("x", fixture->directory, "config.file"), 0);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_E_IO);
	assert_false(fixture_exists(fixture, "x"));
}

static void test_size_ledger__of_another_user(void **state)
{
	struct fixture *fixture = *state;
	struct occ_size_ledger ledger;

	if (geteuid())
		skip();
	fixture_write(fixture, "config.file", "\x40\0\0\0\0\0\0", 8);
	assert_int_equal(fchownat(fixture->directory, "config.file", 12345,
				  (gid_t)-1, 0),
			 0);
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_E_FORBIDDEN);
}

static int lock_and_unlock(struct fixture *fixture)
{
	struct occ_size_ledger ledger;
	int error = occ_size_ledger_lock(fixture->directory, &ledger);

	if (!error)
		occ_size_ledger_unlock(&ledger);
	return error;
}

static int truncate_config(struct fixture *fixture, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/config.file", fixture->path);
	return truncate(path, (off_t)size);
}

/* (S14): config.file of another program, in a directory that is no store. */
static void test_size_ledger__of_another_program(void **state)
{
	static const char *const texts[] = {"a=b", "a=bcdef\n",
					    "a=bcdefghijklmn\n",
					    "a longer file of settings\n"};
	struct fixture *fixture = *state;
	size_t length;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		size_t size;
		unsigned char *data;

		length = strlen(texts[i]);
		fixture_write(fixture, "config.file", texts[i], length);
		assert_int_equal(lock_and_unlock(fixture), OCC_E_NOT_A_STORE);
		data = fixture_read(fixture, "config.file", &size);
		assert_int_equal(size, length);
		assert_memory_equal(data, texts[i], size);
		free(data);
		assert_int_equal(fixture_count(fixture, ""), 1);
	}
	/* Numbers that totals might be. */
	fixture_fill(fixture, "main.c", 9);
	for (size_t size = 8; size <= 16; size += 8) {
		fixture_write(fixture, "config.file", "\1\0\0\0\0\0\0\0", 8);
		assert_int_equal(truncate_config(fixture, size), 0);
		assert_int_equal(lock_and_unlock(fixture), OCC_E_NOT_A_STORE);
		free(fixture_read(fixture, "config.file", &length));
		assert_int_equal(length, size);
	}
	/* An entry tells that it was damaged. */
	fixture_fill(fixture, "0123456789abcdef0123456789abcdef.cl_cache", 9);
	assert_int_equal(lock_and_unlock(fixture), OCC_OK);
}

/* (S14): a directory with other files. */
static void test_size_ledger__among_other_files(void **state)
{
	struct fixture *fixture = *state;

	fixture_fill(fixture, ".bashrc", 9);
	assert_int_equal(lock_and_unlock(fixture), OCC_E_NOT_A_STORE);
	/* Another program's tag says nothing. */
	fixture_write(fixture, OCC_NAME_TAG, OCC_NAME_TAG_TEXT, 43);
	assert_int_equal(lock_and_unlock(fixture), OCC_E_NOT_A_STORE);
	assert_int_equal(fixture_count(fixture, ""), 2);
	fixture_write(fixture, OCC_NAME_TAG, OCC_NAME_TAG_TEXT,
		      sizeof(OCC_NAME_TAG_TEXT) - 1);
	assert_int_equal(lock_and_unlock(fixture), OCC_OK);
}

/* What file systems make by themselves. */
static void test_size_ledger__in_new_file_systems(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(mkdirat(fixture->directory, "lost+found", 0700), 0);
	fixture_fill(fixture, ".nfs0000001", 9);
	assert_int_equal(lock_and_unlock(fixture), OCC_OK);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_size_ledger__is_created_by_counting),
		TEST(test_size_ledger__any_short_file_is_rebuilt),
		TEST(test_size_ledger__keeps_what_is_behind),
		TEST(test_size_ledger__as_neo_writes_it),
		TEST(test_size_ledger__less_than_was_written),
		TEST(test_size_ledger__zeros_are_no_total),
		TEST(test_size_ledger__size_saturates),
		TEST(test_size_ledger__lock_is_flock),
		TEST(test_size_ledger__replaced_while_waiting),
		TEST(test_size_ledger__deleted_directory),
		TEST(test_size_ledger__must_be_a_regular_file),
		TEST(test_size_ledger__of_another_user),
		TEST(test_size_ledger__of_another_program),
		TEST(test_size_ledger__among_other_files),
		TEST(test_size_ledger__in_new_file_systems),
		TEST(test_size_ledger__gives_up_on_a_lock_that_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
