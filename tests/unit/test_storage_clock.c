/* SPDX-License-Identifier: MIT */
/* storage/clock.h */
#include "tests/unit/fixture.h"

#include "storage/clock.h"

/* A client that answers while the helper looks for who stalls. */
static void test_later_than_now(void **state)
{
	(void)state;
	assert_false(occ_storage_has_passed(1000, 1001, 30));
	assert_false(occ_storage_has_passed(1000, 1001, 1));
}

static void test_passed(void **state)
{
	(void)state;
	assert_false(occ_storage_has_passed(1029, 1000, 30));
	assert_true(occ_storage_has_passed(1030, 1000, 30));
	assert_true(occ_storage_has_passed(1000, 1000, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_later_than_now),
		cmocka_unit_test(test_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
