/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <pthread.h>
#include <sys/file.h>

#include "cache/config.h"
#include "cache/listing.h"

static void test_config__is_created_by_counting(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;

	fixture_fill(fixture, "0123456789abcdef.cl_cache", 100);
	fixture_fill(fixture, "oclcache-abcdef.tmp", 10);
	fixture_fill(fixture, "foreign", 1000);
	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	assert_false(config.rebuilt);
	assert_int_equal(config.size, 110 + OCC_CONFIG_SIZE);
	occ_config_unlock(&config);
	assert_int_equal(fixture_config_size(fixture), 110 + OCC_CONFIG_SIZE);
	assert_int_equal(fixture_status(fixture, "config.file").st_mode & 07777,
			 0600);
	assert_int_equal(fixture_count(fixture, ".tmp"), 1);
}

static void test_config__any_short_file_is_rebuilt(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;

	fixture_fill(fixture, "0123456789abcdef.l0_cache", 100);
	for (size_t size = 0; size < 8; size++) {
		fixture_fill(fixture, "config.file", size);
		assert_int_equal(occ_config_lock(fixture->directory, &config),
				 OCC_OK);
		assert_true(config.rebuilt);
		occ_config_unlock(&config);
		assert_int_equal(fixture_config_size(fixture),
				 100 + OCC_CONFIG_SIZE);
		assert_int_equal(occ_config_lock(fixture->directory, &config),
				 OCC_OK);
		assert_false(config.rebuilt);
		assert_int_equal(config.size, 100 + OCC_CONFIG_SIZE);
		occ_config_unlock(&config);
	}
}

/* 16 bytes are ours, and what is behind them is somebody else's. */
static void test_config__keeps_what_is_behind(void **state)
{
	static const unsigned char before[] =
		"\x39\x30\0\0\0\0\0\0\x39\x30\0\0\0\0\0\0more";
	static const unsigned char after[] =
		"\x3a\x30\0\0\0\0\0\0\x3a\x30\0\0\0\0\0\0more";
	struct fixture *fixture = *state;
	struct occ_config config;
	unsigned char *data;
	size_t size;

	fixture_write(fixture, "config.file", before, sizeof(before));
	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	assert_int_equal(config.size, 12345);
	assert_int_equal(occ_config_add(&config, 1), OCC_OK);
	occ_config_unlock(&config);
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
	struct occ_config config;

	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	assert_false(config.rebuilt);
	occ_config_unlock(&config);
	return config.size;
}

/* 8 bytes; any are a number. With ours behind them they may grow. */
static void test_config__as_neo_writes_it(void **state)
{
	struct fixture *fixture = *state;

	write_total(fixture, 12345);
	assert_int_equal(locked_size(fixture), 12345 + 8);
	assert_int_equal(fixture_config_size(fixture), 12345 + 8);
	assert_int_equal(fixture_status(fixture, "config.file").st_size,
			 OCC_CONFIG_SIZE);
	write_total(fixture, 20000);
	assert_int_equal(locked_size(fixture), 20000);
}

/* By damage, or by NEO after an eviction: it is counted. */
static void test_config__less_than_was_written(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;

	fixture_fill(fixture, "0123456789abcdef.l0_cache", 1000);
	assert_int_equal(locked_size(fixture), 1000 + OCC_CONFIG_SIZE);
	write_total(fixture, 999);
	assert_int_equal(locked_size(fixture), 1000 + OCC_CONFIG_SIZE);
	assert_int_equal(fixture_config_size(fixture), 1000 + OCC_CONFIG_SIZE);
	/* Our own changes are believed. */
	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	assert_int_equal(occ_config_subtract(&config, 500), OCC_OK);
	occ_config_unlock(&config);
	assert_int_equal(locked_size(fixture), 500 + OCC_CONFIG_SIZE);
}

/* The file has its name and its length, and never got its bytes. */
static void test_config__zeros_are_no_total(void **state)
{
	struct fixture *fixture = *state;

	fixture_fill(fixture, "0123456789abcdef.l0_cache", 1000);
	fixture_fill(fixture, "config.file", OCC_CONFIG_SIZE);
	assert_int_equal(locked_size(fixture), 1000 + OCC_CONFIG_SIZE);
	assert_int_equal(fixture_config_size(fixture), 1000 + OCC_CONFIG_SIZE);
}

static void test_config__size_saturates(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;

	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	assert_int_equal(occ_config_subtract(&config, 100), OCC_OK);
	assert_int_equal(fixture_config_size(fixture), 0);
	assert_int_equal(occ_config_add(&config, 5), OCC_OK);
	assert_int_equal(occ_config_add(&config, UINT64_MAX), OCC_OK);
	assert_true(fixture_config_size(fixture) == UINT64_MAX);
	occ_config_unlock(&config);
}

static void test_config__lock_is_flock(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;
	int file;

	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	file = openat(fixture->directory, "config.file", O_RDWR);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	occ_config_unlock(&config);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
	close(file);
}

struct waiter {
	int directory;
	int error;
	struct occ_config config;
};

static void *wait_for_lock(void *data)
{
	struct waiter *waiter = data;

	waiter->error = occ_config_lock(waiter->directory, &waiter->config);
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

static void test_config__replaced_while_waiting(void **state)
{
	struct fixture *fixture = *state;
	struct waiter waiter = {.directory = fixture->directory};
	struct occ_config config;
	pthread_t thread;

	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &waiter),
			 0);
	await_waiter(config.status.st_ino);
	fixture_write(fixture, "new", "\x07\0\0\0\0\0\0", 8);
	assert_int_equal(renameat(fixture->directory, "new", fixture->directory,
				  "config.file"),
			 0);
	occ_config_unlock(&config);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(waiter.error, OCC_OK);
	assert_int_equal(waiter.config.size, 7 + 8);
	assert_int_equal(waiter.config.status.st_ino,
			 fixture_status(fixture, "config.file").st_ino);
	occ_config_unlock(&waiter.config);
}

/* Last: it makes this process impatient for a while. */
static void test_config__gives_up_on_a_lock_that_is_kept(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config, again;

	assert_int_equal(occ_config_lock(fixture->directory, &config), OCC_OK);
	assert_int_equal(occ_config_lock(fixture->directory, &again),
			 OCC_E_BUSY);
	assert_int_equal(occ_config_lock(fixture->directory, &again),
			 OCC_E_BUSY);
	occ_config_unlock(&config);
	assert_int_equal(occ_config_lock(fixture->directory, &again), OCC_OK);
	occ_config_unlock(&again);
}

static void test_config__deleted_directory(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;
	char path[96];
	int directory;

	snprintf(path, sizeof(path), "%s/gone", fixture->path);
	assert_int_equal(mkdir(path, 0700), 0);
	directory = open(path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(occ_config_lock(directory, &config),
			 OCC_E_NO_DIRECTORY);
	close(directory);
}

static void test_config__must_be_a_regular_file(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;

	assert_int_equal(mkfifoat(fixture->directory, "config.file", 0600), 0);
	assert_int_equal(occ_config_lock(fixture->directory, &config),
			 OCC_E_IO);
	assert_int_equal(unlinkat(fixture->directory, "config.file", 0), 0);
	assert_int_equal(symlinkat("x", fixture->directory, "config.file"), 0);
	assert_int_equal(occ_config_lock(fixture->directory, &config),
			 OCC_E_IO);
	assert_false(fixture_exists(fixture, "x"));
}

static void test_config__of_another_user(void **state)
{
	struct fixture *fixture = *state;
	struct occ_config config;

	if (geteuid())
		skip();
	fixture_write(fixture, "config.file", "\x40\0\0\0\0\0\0", 8);
	assert_int_equal(fchownat(fixture->directory, "config.file", 12345,
				  (gid_t)-1, 0),
			 0);
	assert_int_equal(occ_config_lock(fixture->directory, &config),
			 OCC_E_FORBIDDEN);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_config__is_created_by_counting),
		TEST(test_config__any_short_file_is_rebuilt),
		TEST(test_config__keeps_what_is_behind),
		TEST(test_config__as_neo_writes_it),
		TEST(test_config__less_than_was_written),
		TEST(test_config__zeros_are_no_total),
		TEST(test_config__size_saturates),
		TEST(test_config__lock_is_flock),
		TEST(test_config__replaced_while_waiting),
		TEST(test_config__deleted_directory),
		TEST(test_config__must_be_a_regular_file),
		TEST(test_config__of_another_user),
		TEST(test_config__gives_up_on_a_lock_that_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
