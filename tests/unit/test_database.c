/* SPDX-License-Identifier: MIT */
/*
 * cache/database.h: what it promises of a file that nobody damaged, and of one
 * that somebody made. Damage is tests/unit/test_database_damage.c, failures are
 * test_database_faults.c, many processes test_database_crowd.c.
 */
#include "tests/unit/fixture.h"

#include <errno.h>

#include "cache/database_frame.h"
#include "cache/database.h"
#include "tests/unit/database.h"

#define WAIT_MS 20

/* Of the file's size. */
static uint64_t file_size(struct fixture *fixture)
{
	return (uint64_t)fixture_status(fixture, DATABASE_FILE).st_size;
}

static void test_new(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);

	assert_int_equal(occ_database_count(database), 0);
	assert_int_equal(occ_database_size(database), OCC_DATABASE_HEAD_SIZE);
	assert_int_equal(occ_database_bad(database), 0);
	assert_int_equal(file_size(fixture), OCC_DATABASE_HEAD_SIZE);
	assert_int_equal(fixture_status(fixture, DATABASE_FILE).st_mode & 0777,
			 0600);
	occ_database_close(database);
	occ_database_close(NULL);
}

/* Sizes around what is padded, and what compresses well, badly and not. */
static void test_add_and_read(void **state)
{
	static const size_t sizes[] = {0,      1,      2,	7,
				       8,      9,      63,	100,
				       0x1000, 0xffff, 0x40000, 0x180001};
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	struct occ_buffer texts[2 * sizeof(sizes) / sizeof(*sizes)];
	struct occ_digest names[2 * sizeof(sizes) / sizeof(*sizes)];
	size_t count = sizeof(texts) / sizeof(*texts);

	assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
	for (size_t i = 0; i < count; i++) {
		struct occ_digest name;

		texts[i] = i % 2 ? database_noise(sizes[i / 2], (unsigned)i)
				 : database_text(sizes[i / 2], (unsigned)i);
		assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
						  occ_buffer_span(&texts[i]),
						  &names[i]),
				 OCC_OK);
		occ_database_name(occ_buffer_span(&texts[i]), &name);
		assert_memory_equal(&name, &names[i], sizeof(name));
		/* Also before it is written. */
		database_expect(database, OCC_FRAME_CONTENT, &texts[i]);
	}
	assert_int_equal(occ_database_commit(database), OCC_OK);
	assert_int_equal(occ_database_size(database), file_size(fixture));
	for (int again = 0; again < 2; again++) {
		for (size_t i = count; i-- > 0;)
			database_expect(database, OCC_FRAME_CONTENT, &texts[i]);
		occ_database_close(database);
		database = database_open_read(fixture);
	}
	occ_database_close(database);
	for (size_t i = 0; i < count; i++)
		occ_buffer_release(&texts[i]);
}

static void test_order_and_frames(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	const struct occ_frame *frame;
	uint64_t sum = OCC_DATABASE_HEAD_SIZE;

	database_add_strings(database, OCC_FRAME_CONTENT, "one two three");
	database_add_strings(database, OCC_FRAME_BUILD, "four");
	database_add_strings(database, (enum occ_frame_type)77, "later");
	occ_database_close(database);
	database = database_open_read(fixture);
	assert_int_equal(occ_database_count(database), 5);
	for (size_t i = 0; i < 5; i++)
		sum += occ_database_frame(database, i)->stored;
	assert_int_equal(sum, file_size(fixture));
	frame = occ_database_frame(database, 3);
	assert_int_equal(frame->type, OCC_FRAME_BUILD);
	assert_int_equal(frame->size, 4);
	assert_int_equal(occ_database_frame(database, 4)->type, 77);
	assert_true(database_has(database, 77, "later"));
	assert_false(database_has(database, OCC_FRAME_CONTENT, "later"));
	occ_database_close(database);
}

/* Equal bytes are there once, for each type. */
static void test_once(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	uint64_t size;

	database_add_strings(database, OCC_FRAME_CONTENT, "same same");
	size = file_size(fixture);
	assert_int_equal(occ_database_count(database), 1);
	database_add_strings(database, OCC_FRAME_CONTENT, "same");
	assert_int_equal(file_size(fixture), size);
	database_add_strings(database, OCC_FRAME_USE, "same");
	assert_int_equal(occ_database_count(database), 2);
	occ_database_close(database);
	/* Also by one that didn't add it. */
	database = database_open(fixture, 0);
	size = file_size(fixture);
	database_add_strings(database, OCC_FRAME_CONTENT, "same");
	assert_int_equal(file_size(fixture), size);
	occ_database_close(database);
}

static void test_abandon(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	struct occ_digest name;
	uint64_t size;

	database_add_strings(database, OCC_FRAME_CONTENT, "kept");
	size = file_size(fixture);
	assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  database_string("lost"), &name),
			 OCC_OK);
	assert_int_equal(occ_database_count(database), 2);
	assert_true(occ_database_size(database) > size);
	/* Nothing is written before the commit. */
	assert_int_equal(file_size(fixture), size);
	occ_database_abandon(database);
	assert_int_equal(occ_database_count(database), 1);
	assert_int_equal(occ_database_size(database), size);
	assert_false(database_has(database, OCC_FRAME_CONTENT, "lost"));
	assert_true(database_has(database, OCC_FRAME_CONTENT, "kept"));
	database_add_strings(database, OCC_FRAME_CONTENT, "later");
	occ_database_close(database);
	database = database_open_read(fixture);
	assert_int_equal(occ_database_count(database), 2);
	occ_database_close(database);
}

/* A base that was never written isn't that of what comes to its place. */
static void test_abandoned_base(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	struct occ_buffer texts[4];
	struct occ_digest name;

	for (unsigned i = 0; i < 4; i++)
		texts[i] = database_variant(30000, i / 2 * 100, i);
	for (unsigned i = 0; i < 4; i += 2) {
		assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
		for (unsigned j = i; j < i + 2; j++)
			assert_int_equal(
				occ_database_add(database, OCC_FRAME_CONTENT,
						 occ_buffer_span(&texts[j]),
						 &name),
				OCC_OK);
		for (unsigned j = i; j < i + 2; j++)
			database_expect(database, OCC_FRAME_CONTENT, &texts[j]);
		if (i)
			assert_int_equal(occ_database_commit(database), OCC_OK);
		else
			occ_database_abandon(database);
	}
	for (unsigned j = 2; j < 4; j++)
		database_expect(database, OCC_FRAME_CONTENT, &texts[j]);
	occ_database_close(database);
	for (unsigned i = 0; i < 4; i++)
		occ_buffer_release(&texts[i]);
}

/* (D1) */
static void test_two(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *one = database_open(fixture, 0);
	struct occ_database *other = database_open(fixture, 0);
	struct occ_database *reader = database_open_read(fixture);

	assert_int_equal(occ_database_begin(one, WAIT_MS), OCC_OK);
	assert_int_equal(occ_database_begin(other, WAIT_MS), OCC_E_BUSY);
	occ_database_abandon(one);
	database_add_strings(one, OCC_FRAME_CONTENT, "one both");
	assert_int_equal(occ_database_count(other), 0);
	database_add_strings(other, OCC_FRAME_CONTENT, "both other");
	assert_int_equal(occ_database_count(other), 3);
	assert_int_equal(occ_database_begin(one, WAIT_MS), OCC_OK);
	assert_true(database_has(one, OCC_FRAME_CONTENT, "other"));
	occ_database_abandon(one);
	/* A reader sees what was there when it came. */
	assert_int_equal(occ_database_count(reader), 0);
	occ_database_close(reader);
	occ_database_close(one);
	occ_database_close(other);
	reader = database_open_read(fixture);
	assert_int_equal(occ_database_count(reader), 3);
	occ_database_close(reader);
}

static void test_maximum(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 1000);
	struct occ_buffer large = database_noise(900, 1);
	struct occ_buffer small = database_noise(500, 2);
	struct occ_digest name;

	assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  occ_buffer_span(&small), &name),
			 OCC_OK);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  occ_buffer_span(&large), &name),
			 OCC_E_TOO_LARGE);
	/* What fits still does; and what is there is no addition. */
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  database_string("small"), &name),
			 OCC_OK);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  occ_buffer_span(&small), &name),
			 OCC_OK);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	assert_true(file_size(fixture) <= 1000);
	assert_int_equal(occ_database_count(database), 2);
	occ_database_close(database);
	occ_buffer_release(&small);
	occ_buffer_release(&large);
}

/* The last byte of the maximum may be used. */
static void test_maximum_exactly(void **state)
{
	struct fixture *fixture = *state;
	uint64_t size = OCC_DATABASE_HEAD_SIZE + OCC_FRAME_HEAD_SIZE + 8;
	struct occ_database *database = database_open(fixture, size);
	struct occ_digest name;

	assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  database_string("123456789"), &name),
			 OCC_E_TOO_LARGE);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
					  database_string("12345678"), &name),
			 OCC_OK);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	assert_int_equal(file_size(fixture), size);
	occ_database_close(database);
}

static void test_frame_maximum(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	unsigned char *zeros = calloc(1, OCC_DATABASE_FRAME_MAX + 1);
	struct occ_span span = {zeros, OCC_DATABASE_FRAME_MAX};
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_digest name;

	assert_non_null(zeros);
	assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT, span,
					  &name),
			 OCC_OK);
	span.size++;
	assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT, span,
					  &name),
			 OCC_E_TOO_LARGE);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	span.size--;
	occ_database_name(span, &name);
	assert_int_equal(occ_database_read(database, OCC_FRAME_CONTENT, &name,
					   &bytes),
			 OCC_OK);
	assert_int_equal(bytes.size, span.size);
	occ_buffer_release(&bytes);
	occ_database_close(database);
	free(zeros);
}

/*
 * Texts that are alike are differences from one, never from one another; and
 * take little; also when several processes add them, one after another.
 */
static void test_differences(void **state)
{
	enum { COUNT = 30, SIZE = 40000 };
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	struct occ_buffer texts[COUNT];
	struct occ_digest name;
	uint64_t first = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		texts[i] = database_variant(SIZE, 0, i);
		assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
		assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
						  occ_buffer_span(&texts[i]),
						  &name),
				 OCC_OK);
		assert_int_equal(occ_database_commit(database), OCC_OK);
		first = i ? first : file_size(fixture);
		if (i % 3)
			continue;
		occ_database_close(database);
		database = database_open(fixture, 0);
	}
	assert_true(file_size(fixture) < first + COUNT * 300);
	occ_database_close(database);
	database = database_open_read(fixture);
	for (unsigned i = 0; i < COUNT; i++)
		database_expect(database, OCC_FRAME_CONTENT,
				&texts[i * 7 % COUNT]);
	occ_database_close(database);
	assert_int_equal(database_count_chains(fixture), 0);
	for (unsigned i = 0; i < COUNT; i++)
		occ_buffer_release(&texts[i]);
}

/* Nothing is written into what isn't ours. */
static void expect_refused(struct fixture *fixture, int error)
{
	struct occ_database *database = NULL;
	size_t size, again;
	unsigned char *before = fixture_read(fixture, DATABASE_FILE, &size);
	unsigned char *after;
	char path[128];

	database_path(fixture, path);
	assert_int_equal(occ_database_open(path, 0, &database), error);
	assert_int_equal(occ_database_open_read(path, &database), error);
	assert_null(database);
	after = fixture_read(fixture, DATABASE_FILE, &again);
	assert_int_equal(size, again);
	assert_memory_equal(before, after, size);
	free(before);
	free(after);
}

static void test_not_ours(void **state)
{
	struct fixture *fixture = *state;
	unsigned char head[OCC_DATABASE_HEAD_SIZE + 8] = {0};

	for (size_t size = 1; size < OCC_DATABASE_HEAD_SIZE; size += 10) {
		fixture_write(fixture, DATABASE_FILE,
			      "a text, maybe a long one",
			      size < 24 ? size : 24);
		expect_refused(fixture, OCC_E_CORRUPT);
	}
	fixture_write(fixture, DATABASE_FILE, head, sizeof(head));
	expect_refused(fixture, OCC_E_CORRUPT);
	occ_database_head_put(OCC_DATABASE_HEAD_SIZE, head);
	head[8]++;
	fixture_write(fixture, DATABASE_FILE, head, sizeof(head));
	expect_refused(fixture, OCC_E_VERSION);
}

static void test_not_there(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = NULL;
	char path[128], longer[160];

	database_path(fixture, path);
	assert_int_equal(occ_database_open_read(path, &database), OCC_E_IO);
	assert_int_equal(errno, ENOENT);
	snprintf(longer, sizeof(longer), "%s/none/file", fixture->path);
	assert_int_equal(occ_database_open(longer, 0, &database), OCC_E_IO);
	assert_int_equal(errno, ENOENT);
	/* Neither opens for long what isn't a file. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(occ_database_open_read(path, &database),
			 OCC_E_CORRUPT);
	assert_int_equal(occ_database_open(path, 0, &database), OCC_E_CORRUPT);
	assert_int_equal(occ_database_open_read(fixture->path, &database),
			 OCC_E_CORRUPT);
	assert_null(database);
}

static void test_empty_and_link(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database;
	char path[128], link[160];

	/* As open(1) of a shell makes it. */
	fixture_write(fixture, DATABASE_FILE, "", 0);
	database = database_open_read(fixture);
	assert_int_equal(occ_database_count(database), 0);
	occ_database_close(database);
	database_path(fixture, path);
	snprintf(link, sizeof(link), "%s/link", fixture->path);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(occ_database_open(link, 0, &database), OCC_OK);
	database_add_strings(database, OCC_FRAME_CONTENT, "one");
	occ_database_close(database);
	database = database_open_read(fixture);
	assert_int_equal(occ_database_count(database), 1);
	occ_database_close(database);
}

/* A file that was cut meanwhile: nothing is written behind its end. */
static void test_cut_meanwhile(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0), *other;
	char path[128];

	database_path(fixture, path);
	database_add_strings(database, OCC_FRAME_CONTENT, "one");
	assert_int_equal(truncate(path, OCC_DATABASE_HEAD_SIZE), 0);
	assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_E_CORRUPT);
	assert_int_equal(file_size(fixture), OCC_DATABASE_HEAD_SIZE);
	/* The lock isn't kept. */
	other = database_open(fixture, 0);
	database_add_strings(other, OCC_FRAME_CONTENT, "two");
	occ_database_close(other);
	occ_database_close(database);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new),
		TEST(test_add_and_read),
		TEST(test_order_and_frames),
		TEST(test_once),
		TEST(test_abandon),
		TEST(test_abandoned_base),
		TEST(test_two),
		TEST(test_maximum),
		TEST(test_maximum_exactly),
		TEST(test_frame_maximum),
		TEST(test_differences),
		TEST(test_not_ours),
		TEST(test_not_there),
		TEST(test_empty_and_link),
		TEST(test_cut_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
