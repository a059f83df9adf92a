/* SPDX-License-Identifier: MIT */
/* cache/database_record.h */
#include "tests/unit/fixture.h"

#include "cache/database_record.h"
#include "hash/key.h"
#include "tests/unit/database.h"

#define GOLDEN "tests/golden/database-v1.ocldb"

static void test_content(void **state)
{
	struct fixture *fixture = *state;
	struct occ_database *database = database_open(fixture, 0);
	struct occ_buffer record = OCC_BUFFER_INIT;
	struct occ_content content;
	struct occ_digest name;
	struct occ_field field;
	size_t offset = 0;

	assert_int_equal(occ_database_begin(database, DATABASE_WAIT), OCC_OK);
	assert_int_equal(occ_database_add_content(database,
						  database_string("source"),
						  OCC_BUILD_SOURCE, &record),
			 OCC_OK);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	occ_record_append_number(&record, OCC_USE_DAY, 0x0102030405060708);
	assert_int_equal(occ_field_next(record.data, record.size, &offset,
					&field),
			 1);
	assert_true(occ_content_parse(&field, &content));
	occ_database_name(database_string("source"), &name);
	assert_memory_equal(&content.name, &name, sizeof(name));
	assert_int_equal(content.size, 6);
	assert_int_equal(occ_field_next(record.data, record.size, &offset,
					&field),
			 1);
	assert_int_equal(field.length, 8);
	assert_int_equal(occ_get_u64(field.payload), 0x0102030405060708);
	assert_false(occ_content_parse(&field, &content));
	occ_buffer_release(&record);
	occ_database_close(database);
}

static void test_recorded_file(void **state)
{
	unsigned char payload[OCC_KEY_FILE_HEAD + 4] = {0};
	struct occ_recorded_file file;

	(void)state;
	occ_put_u64(payload, 42);
	payload[8] = 1;
	payload[24] = 2;
	memcpy(payload + OCC_KEY_FILE_HEAD, "/a.h", 4);
	for (size_t size = 0; size <= sizeof(payload); size++)
		assert_int_equal(occ_recorded_file_parse(
					 (struct occ_span){payload, size},
					 &file),
				 size >= OCC_KEY_FILE_HEAD);
	assert_int_equal(file.size, 42);
	assert_int_equal(file.name.bytes[0], 1);
	assert_int_equal(file.other.bytes[0], 2);
	assert_int_equal(file.path.size, 4);
	assert_memory_equal(file.path.data, "/a.h", 4);
}

/* What was written on 2026-11-26 is still read; all types and encodings. */
static void test_golden(void **state)
{
	static const uint32_t types[] = {3, 1, 1, 2, 1, 1, 2, 2, 4, 4, 5};
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_database *database = NULL;
	struct occ_recorded_file file;
	struct occ_field field;

	(void)state;
	assert_int_equal(occ_database_open_read(GOLDEN, &database), OCC_OK);
	assert_int_equal(occ_database_bad(database), 0);
	assert_int_equal(occ_database_count(database), 11);
	for (size_t i = 0; i < 11; i++) {
		const struct occ_frame *frame = occ_database_frame(database, i);

		bytes.size = 0;
		assert_int_equal(frame->type, types[i]);
		assert_int_equal(
			occ_database_read(database,
					  (enum occ_frame_type)frame->type,
					  &frame->name, &bytes),
			OCC_OK);
		assert_int_equal(bytes.size, frame->size);
		if (i != 3)
			continue;
		assert_int_equal(occ_field_find(bytes.data, bytes.size,
						OCC_BUILD_OPTIONS, &field),
				 1);
		assert_memory_equal(field.payload, "-DN=1", 5);
		assert_int_equal(occ_field_find(bytes.data, bytes.size,
						OCC_BUILD_INCLUDE_FILE, &field),
				 1);
		assert_true(
			occ_recorded_file_parse(occ_field_span(&field), &file));
		assert_int_equal(file.size, 16);
		assert_memory_equal(file.path.data, "/usr/include/golden.h",
				    file.path.size);
	}
	occ_buffer_release(&bytes);
	occ_database_close(database);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_content, fixture_setup,
						fixture_teardown),
		cmocka_unit_test(test_recorded_file),
		cmocka_unit_test(test_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
