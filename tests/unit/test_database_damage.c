/* SPDX-License-Identifier: MIT */
/*
 * cache/database.h on files that are damaged: torn at every byte, with a wrong
 * end in the head, rotten at every byte, made by somebody who means harm. No
 * frame is ever read with other bytes than its name says (D4), what isn't
 * concerned stays (D3), and whoever adds heals the end (D2).
 */
#include "tests/unit/fixture.h"

#include "cache/compression.h"
#include "cache/database.h"
#include "cache/database_frame.h"
#include "tests/unit/database.h"

#define ALIKE 4 /* frames of texts that are alike */

/* A small database with each encoding, as it is in the file. */
struct sample {
	struct occ_buffer texts[ALIKE + 2];
	size_t count;
	unsigned char *file;
	size_t size;
};

static void add_text(struct fixture *fixture, const struct occ_buffer *text)
{
	struct occ_database *database = database_open(fixture, 0);
	struct occ_digest name;

	assert_int_equal(occ_database_begin(database, DATABASE_WAIT), OCC_OK);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  occ_buffer_span(text), &name),
			 OCC_OK);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	occ_database_close(database);
}

static void make_sample(struct fixture *fixture, struct sample *sample)
{
	struct occ_database *database = database_open(fixture, 0);
	struct occ_digest name;

	memset(sample, 0, sizeof(*sample));
	sample->texts[sample->count++] = database_noise(13, 1);
	for (unsigned i = 0; i < ALIKE; i++)
		sample->texts[sample->count++] = database_variant(600, 0, i);
	sample->texts[sample->count++] = database_noise(70, 2);
	assert_int_equal(occ_database_begin(database, DATABASE_WAIT), OCC_OK);
	for (size_t i = 0; i < sample->count; i++)
		assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
						  occ_buffer_span(
							  &sample->texts[i]),
						  &name),
				 OCC_OK);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	occ_database_close(database);
	sample->file = fixture_read(fixture, DATABASE_FILE, &sample->size);
}

static void release_sample(struct sample *sample)
{
	for (size_t i = 0; i < sample->count; i++)
		occ_buffer_release(&sample->texts[i]);
	free(sample->file);
}

/* How many of the texts are there; none of them is wrong. */
static size_t count_good(struct occ_database *database,
			 const struct sample *sample)
{
	size_t good = 0;

	for (size_t i = 0; i < sample->count; i++) {
		struct occ_buffer bytes = OCC_BUFFER_INIT;
		struct occ_digest name;
		int error;

		occ_database_name(occ_buffer_span(&sample->texts[i]), &name);
		error = occ_database_read(database, OCC_FRAME_CONTENT, &name,
					  &bytes);
		assert_true(!error || error == OCC_E_NOT_FOUND ||
			    error == OCC_E_CORRUPT);
		good += !error;
		assert_int_equal(bytes.size, error ? 0 : sample->texts[i].size);
		if (bytes.size)
			assert_memory_equal(bytes.data, sample->texts[i].data,
					    bytes.size);
		occ_buffer_release(&bytes);
	}
	return good;
}

/* Where each frame begins, and the end. */
static size_t find_frames(const struct sample *sample, size_t offsets[16])
{
	struct occ_frame_head head;
	size_t count = 0, at = OCC_DATABASE_HEAD_SIZE;

	while (at < sample->size) {
		assert_true(occ_frame_head_parse(sample->file + at, &head));
		offsets[count++] = at;
		at += (size_t)occ_frame_stored(head.length);
	}
	offsets[count] = at;
	return count;
}

/* Somebody adds to what is left: then all is there, and nothing is bad behind.
 */
static void expect_healing(struct fixture *fixture, const struct sample *sample)
{
	struct occ_buffer later = database_noise(50, 99);
	struct occ_database *database;

	for (size_t i = 0; i < sample->count; i++)
		add_text(fixture, &sample->texts[i]);
	add_text(fixture, &later);
	database = database_open_read(fixture);
	database_expect(database, OCC_FRAME_CONTENT, &later);
	assert_int_equal(count_good(database, sample), sample->count);
	occ_database_close(database);
	occ_buffer_release(&later);
}

/*
 * A process died while it wrote what begins at `start`: the head says the old
 * end, and some bytes are behind it.
 */
static void test_torn(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database;
	struct sample sample;
	size_t offsets[16], count, start;

	make_sample(fixture, &sample);
	count = find_frames(&sample, offsets);
	assert_int_equal(count, sample.count);
	start = offsets[count - 2];
	occ_database_head_put(start, sample.file);
	for (size_t size = start; size <= sample.size; size++) {
		fixture_write(fixture, DATABASE_FILE, sample.file, size);
		database = database_open_read(fixture);
		assert_int_equal(occ_database_count(database), count - 2);
		assert_int_equal(occ_database_bad(database), 0);
		assert_int_equal(count_good(database, &sample), count - 2);
		occ_database_close(database);
		expect_healing(fixture, &sample);
	}
	release_sample(&sample);
}

/* The head's new end was kept and the bytes weren't: a power failure. */
static void test_short(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database;
	struct sample sample;
	size_t offsets[16], count;

	make_sample(fixture, &sample);
	count = find_frames(&sample, offsets);
	for (size_t size = OCC_DATABASE_HEAD_SIZE; size < sample.size; size++) {
		size_t whole = 0;

		/* What is cut within padding is whole but for that. */
		while (whole < count && offsets[whole + 1] <= size)
			whole++;
		fixture_write(fixture, DATABASE_FILE, sample.file, size);
		database = database_open_read(fixture);
		assert_int_equal(count_good(database, &sample), whole);
		assert_int_equal(occ_database_bad(database),
				 size / OCC_FRAME_ALIGNMENT *
						 OCC_FRAME_ALIGNMENT -
					 offsets[whole]);
		occ_database_close(database);
		expect_healing(fixture, &sample);
	}
	release_sample(&sample);
}

static void test_wrong_end(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database;
	struct sample sample;

	make_sample(fixture, &sample);
	for (int i = 0; i < 5; i++) {
		uint64_t ends[5][2] = {{0, 0},
				       {1, 1},
				       {sample.size, sample.size - 8},
				       {sample.size + 8, sample.size + 8},
				       {UINT64_MAX, UINT64_MAX}};

		occ_put_u64(sample.file + 16, ends[i][0]);
		occ_put_u64(sample.file + 24, ends[i][1]);
		fixture_write(fixture, DATABASE_FILE, sample.file, sample.size);
		database = database_open_read(fixture);
		assert_int_equal(count_good(database, &sample), sample.count);
		assert_int_equal(occ_database_bad(database), 0);
		occ_database_close(database);
		expect_healing(fixture, &sample);
	}
	release_sample(&sample);
}

/* How many frames may be lost when that byte is another. */
static size_t may_lose(const struct sample *sample, const size_t *offsets,
		       size_t count, size_t at)
{
	struct occ_frame_head head;
	size_t lost = 1, i = 0;

	if (at < OCC_DATABASE_HEAD_SIZE)
		return 0;
	while (i + 1 < count && offsets[i + 1] <= at)
		i++;
	for (size_t j = i + 1; j < count; j++) {
		occ_frame_head_parse(sample->file + offsets[j], &head);
		lost += head.encoding == OCC_ENCODED_DIFFERENCE &&
			head.base == offsets[i];
	}
	return lost;
}

/* A bit of every byte; (D3), (D4). */
static void test_rot(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = NULL;
	struct sample sample;
	size_t offsets[16], count, differences = 0;
	char path[128];

	database_path(fixture, path);
	make_sample(fixture, &sample);
	count = find_frames(&sample, offsets);
	for (size_t at = 0; at < sample.size; at++) {
		unsigned char bit = (unsigned char)(1 << at % 8);
		size_t lost = may_lose(&sample, offsets, count, at);
		int error;

		differences += lost > 1;
		sample.file[at] ^= bit;
		fixture_write(fixture, DATABASE_FILE, sample.file, sample.size);
		error = occ_database_open_read(path, &database);
		sample.file[at] ^= bit;
		/* Magic and version. */
		if (error) {
			assert_true(at < 12);
			continue;
		}
		assert_true(count_good(database, &sample) + lost >= count);
		occ_database_close(database);
		expect_healing(fixture, &sample);
	}
	/* Each encoding was among them. */
	assert_true(differences > 0);
	release_sample(&sample);
}

/* What is added in place of a damaged frame, and abandoned. */
static void test_abandoned_mending(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database;
	struct sample sample;
	struct occ_digest name;
	size_t offsets[16], count;

	make_sample(fixture, &sample);
	count = find_frames(&sample, offsets);
	/* The bytes of the first one that others are differences from. */
	sample.file[offsets[1] + OCC_FRAME_HEAD_SIZE + 20] ^= 1;
	fixture_write(fixture, DATABASE_FILE, sample.file, sample.size);
	database = database_open(fixture, 0);
	assert_int_equal(count_good(database, &sample), count - ALIKE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(occ_database_begin(database, DATABASE_WAIT),
				 OCC_OK);
		for (size_t j = 0; j < sample.count; j++)
			for (int twice = 0; twice < 2; twice++)
				assert_int_equal(
					occ_database_add(
						database, OCC_FRAME_CONTENT,
						occ_buffer_span(
							&sample.texts[j]),
						&name),
					OCC_OK);
		assert_int_equal(occ_database_count(database), count + ALIKE);
		assert_int_equal(count_good(database, &sample), count);
		if (i)
			assert_int_equal(occ_database_commit(database), OCC_OK);
		else
			occ_database_abandon(database);
		assert_int_equal(count_good(database, &sample),
				 i ? count : count - ALIKE);
	}
	occ_database_close(database);
	release_sample(&sample);
}

/* A frame of its own making behind the file's head. */
static void append_frame(struct occ_buffer *file,
			 const struct occ_frame_head *head,
			 struct occ_span coded)
{
	unsigned char bytes[OCC_FRAME_HEAD_SIZE];

	occ_frame_head_put(head, bytes);
	occ_buffer_append(file, bytes, sizeof(bytes));
	occ_buffer_append(file, coded.data, coded.size);
	occ_buffer_align(file, OCC_FRAME_ALIGNMENT);
}

static void write_hostile(struct fixture *fixture, struct occ_buffer *file)
{
	assert_false(file->failed);
	occ_database_head_put(file->size, file->data);
	fixture_write(fixture, DATABASE_FILE, file->data, file->size);
	occ_buffer_release(file);
}

static struct occ_buffer hostile_head(void)
{
	static const unsigned char zeros[OCC_DATABASE_HEAD_SIZE];
	struct occ_buffer file = OCC_BUFFER_INIT;

	occ_buffer_append(&file, zeros, sizeof(zeros));
	return file;
}

/* A frame whose bytes are a database, and cut: those in it are none. */
static void test_torn_database(void **state)
{
	struct fixture *fixture = *state;
	struct occ_buffer file = hostile_head();
	struct occ_frame_head head = {.type = OCC_FRAME_CONTENT};
	struct occ_database *database;
	struct sample sample;

	make_sample(fixture, &sample);
	head.length = head.size = sample.size;
	append_frame(&file, &head, (struct occ_span){sample.file, sample.size});
	file.size -= OCC_FRAME_ALIGNMENT;
	write_hostile(fixture, &file);
	database = database_open_read(fixture);
	assert_int_equal(occ_database_count(database), 0);
	occ_database_close(database);
	expect_healing(fixture, &sample);
	database = database_open_read(fixture);
	assert_int_equal(occ_database_bad(database), 0);
	occ_database_close(database);
	release_sample(&sample);
}

/* Bases that are none: itself, what comes later, none at all, a difference. */
static void test_hostile_bases(void **state)
{
	struct fixture *fixture = *state;
	const size_t first = OCC_DATABASE_HEAD_SIZE;
	struct occ_buffer text = database_text(500, 1);
	struct occ_buffer coded = OCC_BUFFER_INIT;
	uint64_t bases[5] = {0, first, 8, first + 4096, UINT64_MAX};
	struct occ_database *database;

	assert_true(occ_compress(occ_buffer_span(&text), occ_buffer_span(&text),
				 &coded));
	for (int i = 0; i < 5; i++) {
		struct occ_buffer file = hostile_head(), bytes = {0};
		struct occ_frame_head head = {.type = OCC_FRAME_CONTENT,
					      .encoding =
						      OCC_ENCODED_DIFFERENCE,
					      .length = coded.size,
					      .size = text.size,
					      .base = bases[i]};

		occ_database_name(occ_buffer_span(&text), &head.name);
		append_frame(&file, &head, occ_buffer_span(&coded));
		/* Once more under another name, from the first. */
		head.name.bytes[0] ^= 1;
		head.base = first;
		append_frame(&file, &head, occ_buffer_span(&coded));
		write_hostile(fixture, &file);
		database = database_open_read(fixture);
		assert_int_equal(occ_database_count(database), 2);
		for (size_t j = 0; j < 2; j++)
			assert_int_equal(
				occ_database_read(
					database, OCC_FRAME_CONTENT,
					&occ_database_frame(database, j)->name,
					&bytes),
				OCC_E_CORRUPT);
		assert_int_equal(bytes.size, 0);
		occ_buffer_release(&bytes);
		occ_database_close(database);
	}
	occ_buffer_release(&coded);
	occ_buffer_release(&text);
}

/*
 * Many small frames from two large bases by turns would take each reader hours:
 * what is larger than a writer would take is no base.
 */
static void test_hostile_large_base(void **state)
{
	struct fixture *fixture = *state;
	const size_t large = (size_t)2 << 20;
	struct occ_buffer base = database_text(large, 1);
	struct occ_buffer text = database_text(500, 1);
	struct occ_buffer coded = OCC_BUFFER_INIT, other = OCC_BUFFER_INIT;
	struct occ_buffer file = hostile_head(), bytes = OCC_BUFFER_INIT;
	struct occ_frame_head head = {.type = OCC_FRAME_CONTENT,
				      .encoding = OCC_ENCODED_ZSTD,
				      .size = large};
	struct occ_database *database;

	assert_true(occ_compress(occ_buffer_span(&base),
				 (struct occ_span){NULL, 0}, &coded));
	assert_true(occ_compress(occ_buffer_span(&text), occ_buffer_span(&base),
				 &other));
	head.length = coded.size;
	occ_database_name(occ_buffer_span(&base), &head.name);
	append_frame(&file, &head, occ_buffer_span(&coded));
	head.encoding = OCC_ENCODED_DIFFERENCE;
	head.base = OCC_DATABASE_HEAD_SIZE;
	head.size = text.size;
	head.length = other.size;
	occ_database_name(occ_buffer_span(&text), &head.name);
	append_frame(&file, &head, occ_buffer_span(&other));
	write_hostile(fixture, &file);
	database = database_open_read(fixture);
	assert_int_equal(occ_database_count(database), 2);
	database_expect(database, OCC_FRAME_CONTENT, &base);
	assert_int_equal(occ_database_read(database, OCC_FRAME_CONTENT,
					   &head.name, &bytes),
			 OCC_E_CORRUPT);
	occ_database_close(database);
	occ_buffer_release(&coded);
	occ_buffer_release(&other);
	occ_buffer_release(&base);
	occ_buffer_release(&text);
}

/* Sizes that no frame has, frames beyond the file's end, plain ones that aren't
 * as large as they say. */
static void test_hostile_sizes(void **state)
{
	static const uint64_t sizes[] = {OCC_DATABASE_FRAME_MAX + 1, UINT64_MAX,
					 UINT64_MAX - 63, 100, 5};
	struct fixture *fixture = *state;
	struct occ_database *database;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct occ_buffer file = hostile_head();
		struct occ_frame_head head = {.type = OCC_FRAME_CONTENT,
					      .size = i == 4 ? 6 : sizes[i],
					      .length = sizes[i]};

		append_frame(&file, &head, database_string("short"));
		write_hostile(fixture, &file);
		database = database_open_read(fixture);
		assert_int_equal(occ_database_count(database), 0);
		assert_int_equal(occ_database_bad(database),
				 OCC_FRAME_HEAD_SIZE + 8);
		occ_database_close(database);
	}
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_torn),
		TEST(test_short),
		TEST(test_wrong_end),
		TEST(test_rot),
		TEST(test_hostile_bases),
		TEST(test_hostile_large_base),
		TEST(test_hostile_sizes),
		TEST(test_torn_database),
		TEST(test_abandoned_mending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
