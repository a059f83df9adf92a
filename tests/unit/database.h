/* SPDX-License-Identifier: MIT */
/*
 * What the tests of cache/database.h share: a database in a fixture, contents
 * of which all is known, and what must be so. After tests/unit/fixture.h.
 */
#ifndef TESTS_UNIT_DATABASE_H
#define TESTS_UNIT_DATABASE_H

#include "cache/database_frame.h"
#include "hash/buffer.h"

#define DATABASE_FILE "file.ocldb"
#define DATABASE_WAIT 5000 /* ms */

static inline void database_path(struct fixture *fixture, char path[128])
{
	snprintf(path, 128, "%s/%s", fixture->path, DATABASE_FILE);
}

static inline struct occ_database *database_open(struct fixture *fixture,
						 uint64_t max_size)
{
	struct occ_database *database = NULL;
	char path[128];

	database_path(fixture, path);
	assert_int_equal(occ_database_open(path, max_size, &database), OCC_OK);
	return database;
}

static inline struct occ_database *database_open_read(struct fixture *fixture)
{
	struct occ_database *database = NULL;
	char path[128];

	database_path(fixture, path);
	assert_int_equal(occ_database_open_read(path, &database), OCC_OK);
	return database;
}

static inline struct occ_span database_string(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static inline bool database_has(const struct occ_database *database,
				uint32_t type, const char *text)
{
	struct occ_digest name;

	occ_database_name(database_string(text), &name);
	return occ_database_has(database, (enum occ_frame_type)type, &name);
}

/* Words with blanks between them, a frame each, in one commit. */
static inline void database_add_strings(struct occ_database *database,
					enum occ_frame_type type,
					const char *words)
{
	char *copy = strdup(words), *rest = copy, *word;
	struct occ_digest name;

	assert_int_equal(occ_database_begin(database, DATABASE_WAIT), OCC_OK);
	while ((word = strsep(&rest, " ")))
		assert_int_equal(occ_database_add(database, type,
						  database_string(word), &name),
				 OCC_OK);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	free(copy);
}

/* Some number that follows from two. */
static inline unsigned database_mix(unsigned one, unsigned other)
{
	unsigned value = one * 2654435761u ^ (other + 1) * 40503u;

	value ^= value >> 15;
	value *= 2246822519u;
	return value ^ value >> 13;
}

/* Bytes that don't compress, the same for the same seed. */
static inline struct occ_buffer database_noise(size_t size, unsigned seed)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	for (size_t i = 0; i < size; i++) {
		unsigned char byte =
			(unsigned char)database_mix((unsigned)i, seed);

		occ_buffer_append(&bytes, &byte, 1);
	}
	assert_false(bytes.failed);
	return bytes;
}

/* Text, which does. */
static inline struct occ_buffer database_text(size_t size, unsigned seed)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	char line[64];

	while (bytes.size < size) {
		int length =
			snprintf(line, sizeof(line), "uint value_%u = %u;\n",
				 (unsigned)bytes.size + seed,
				 database_mix((unsigned)bytes.size, seed) %
					 997);

		occ_buffer_append(&bytes, line, (size_t)length);
	}
	assert_false(bytes.failed);
	bytes.size = size;
	return bytes;
}

/* The text of the seed, but for a few bytes. */
static inline struct occ_buffer database_variant(size_t size, unsigned seed,
						 unsigned number)
{
	struct occ_buffer bytes = database_text(size, seed);

	for (unsigned i = 0; i < 4; i++)
		bytes.data[(size_t)database_mix(number, i) % size] =
			(unsigned char)('A' + number % 26);
	bytes.data[0] = (unsigned char)number;
	bytes.data[1] = (unsigned char)(number >> 8);
	return bytes;
}

/* These bytes are there, and are read. */
static inline void database_expect(struct occ_database *database,
				   enum occ_frame_type type,
				   const struct occ_buffer *wanted)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_digest name;

	occ_buffer_append(&bytes, "before", 6);
	occ_database_name(occ_buffer_span(wanted), &name);
	assert_true(occ_database_has(database, type, &name));
	assert_int_equal(occ_database_read(database, type, &name, &bytes),
			 OCC_OK);
	assert_int_equal(bytes.size, 6 + wanted->size);
	assert_memory_equal(bytes.data, "before", 6);
	if (wanted->size)
		assert_memory_equal(bytes.data + 6, wanted->data, wanted->size);
	occ_buffer_release(&bytes);
}

/* Frames that are differences from what is itself one. */
static inline size_t database_count_chains(struct fixture *fixture)
{
	size_t size, count = 0;
	unsigned char *file = fixture_read(fixture, DATABASE_FILE, &size);
	struct occ_frame_head head, base;

	for (size_t at = OCC_DATABASE_HEAD_SIZE; at < size;
	     at += (size_t)occ_frame_stored(head.length)) {
		assert_true(occ_frame_head_parse(file + at, &head));
		if (head.encoding != OCC_ENCODED_DIFFERENCE)
			continue;
		assert_true(head.base < at);
		assert_true(occ_frame_head_parse(file + head.base, &base));
		count += base.encoding == OCC_ENCODED_DIFFERENCE;
	}
	free(file);
	return count;
}

#endif
