/* SPDX-License-Identifier: MIT */
/*
 * What the unit tests share: a private directory per test, keys, and files
 * made, read and dated by hand. As a cmocka setup and teardown pair:
 *
 *	cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
 */
#ifndef TESTS_UNIT_FIXTURE_H
#define TESTS_UNIT_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cache/store.h"
#include "hash/key.h"

struct fixture {
	char path[64]; /* exists, empty */
	int directory;
};

static inline int fixture_setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	strcpy(fixture->path, "/tmp/oclcache-unit-XXXXXX");
	if (!mkdtemp(fixture->path))
		return -1;
	fixture->directory = open(fixture->path, O_RDONLY | O_DIRECTORY);
	*state = fixture;
	return fixture->directory < 0 ? -1 : 0;
}

static inline int fixture_remove_one(const char *path,
				     const struct stat *status, int flag,
				     struct FTW *level)
{
	(void)status;
	(void)flag;
	(void)level;
	return remove(path);
}

static inline void fixture_remove_tree(const char *path)
{
	nftw(path, fixture_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int fixture_teardown(void **state)
{
	struct fixture *fixture = *state;

	close(fixture->directory);
	fixture_remove_tree(fixture->path);
	free(fixture);
	return 0;
}

/*
 * Fixtures that are made before the first test, where making them takes long:
 * in a group's setup, with what `make` puts into each; a test's setup takes
 * one; a group's teardown removes what no test took (with a filter there are
 * some).
 */
#define FIXTURES_MAX 8

struct fixture_pool {
	struct fixture *fixtures[FIXTURES_MAX];
	size_t count;
	size_t taken;
};

static inline int fixture_pool_make(struct fixture_pool *pool, size_t count,
				    void (*make)(struct fixture *fixture))
{
	void *made;

	for (size_t i = 0; i < count; i++) {
		if (i == FIXTURES_MAX || fixture_setup(&made))
			return -1;
		pool->fixtures[pool->count++] = made;
		make(made);
	}
	return 0;
}

static inline int fixture_pool_take(struct fixture_pool *pool, void **state)
{
	if (pool->taken == pool->count)
		return -1;
	*state = pool->fixtures[pool->taken++];
	return 0;
}

static inline int fixture_pool_remove(struct fixture_pool *pool)
{
	void *left;

	while (!fixture_pool_take(pool, &left))
		fixture_teardown(&left);
	return 0;
}

static inline void fixture_write(struct fixture *fixture, const char *name,
				 const void *data, size_t size)
{
	int file = openat(fixture->directory, name,
			  O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(file >= 0);
	assert_int_equal(write(file, data, size), size);
	close(file);
}

/* A file of `size` zeros. */
static inline void fixture_fill(struct fixture *fixture, const char *name,
				size_t size)
{
	char *zeros = calloc(1, size + 1);

	assert_non_null(zeros);
	fixture_write(fixture, name, zeros, size);
	free(zeros);
}

/* The whole file, to be freed. */
static inline unsigned char *fixture_read(struct fixture *fixture,
					  const char *name, size_t *ret_size)
{
	int file = openat(fixture->directory, name, O_RDONLY);
	unsigned char *data;
	struct stat status;

	assert_true(file >= 0);
	assert_int_equal(fstat(file, &status), 0);
	data = malloc((size_t)status.st_size + 1);
	assert_non_null(data);
	assert_int_equal(read(file, data, (size_t)status.st_size),
			 status.st_size);
	close(file);
	*ret_size = (size_t)status.st_size;
	return data;
}

static inline bool fixture_exists(struct fixture *fixture, const char *name)
{
	struct stat status;

	return !fstatat(fixture->directory, name, &status, AT_SYMLINK_NOFOLLOW);
}

static inline struct stat fixture_status(struct fixture *fixture,
					 const char *name)
{
	struct stat status;

	assert_int_equal(fstatat(fixture->directory, name, &status,
				 AT_SYMLINK_NOFOLLOW),
			 0);
	return status;
}

/* Sets the times to so many seconds ago. */
static inline void fixture_age(struct fixture *fixture, const char *name,
			       time_t mtime_age, time_t atime_age)
{
	time_t now = time(NULL);
	struct timespec times[2] = {{now - atime_age, 0}, {now - mtime_age, 0}};

	assert_int_equal(utimensat(fixture->directory, name, times, 0), 0);
}

/* What the first 8 bytes of config.file say. */
static inline uint64_t fixture_config_size(struct fixture *fixture)
{
	size_t size;
	unsigned char *data = fixture_read(fixture, "config.file", &size);
	uint64_t total;

	assert_true(size >= 8);
	total = occ_get_u64(data);
	free(data);
	return total;
}

/* Files in the directory whose names contain `part`. */
static inline int fixture_count(struct fixture *fixture, const char *part)
{
	char command[256];
	FILE *pipe;
	int count = -1;

	snprintf(command, sizeof(command), "ls -A '%s' | grep -cF -- '%s'",
		 fixture->path, part);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%d", &count), 1);
	pclose(pipe);
	return count;
}

static inline struct occ_store *fixture_open_store(struct fixture *fixture,
						   uint64_t max_size)
{
	struct occ_store *store =
		occ_store_open(fixture->path, max_size, false);

	assert_non_null(store);
	return store;
}

/* Closes the store, after a look at its books (S2). */
static inline void fixture_close_store(struct fixture *fixture,
				       struct occ_store *store)
{
	uint64_t size;

	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_int_equal(size, fixture_config_size(fixture));
	assert_int_equal(fixture_count(fixture, ".tmp"), 0);
	occ_store_close(store);
}

/* A finished key, different for every `number`. */
static inline void fixture_key(struct occ_key *key, unsigned int number)
{
	char options[32];

	snprintf(options, sizeof(options), "-DNUMBER=%u", number);
	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPERATION, "build");
	occ_key_add_string(key, OCC_KEY_OPTIONS, options);
	assert_int_equal(occ_key_finish(key), 0);
}

static inline void fixture_entry_name(const struct occ_key *key,
				      const char *ending, char ret_name[64])
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&key->hash, hex);
	snprintf(ret_name, 64, "%s%s", hex, ending);
}

/* For occ_store_complete(): one more field. */
static inline bool fixture_make_longer(struct occ_span old_bytes,
				       struct occ_buffer *new_bytes, void *data)
{
	(void)data;
	occ_buffer_append(new_bytes, old_bytes.data, old_bytes.size);
	occ_meta_append_number(new_bytes, OCC_META_CREATED, 1);
	return true;
}

#endif
