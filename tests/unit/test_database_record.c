/* SPDX-License-Identifier: MIT */
/* cache/database_record.h */
#include "tests/unit/fixture.h"

#include "cache/database_record.h"
#include "hash/key.h"
#include "tests/unit/database.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_content, fixture_setup,
						fixture_teardown),
		cmocka_unit_test(test_recorded_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
