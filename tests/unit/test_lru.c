/* SPDX-License-Identifier: MIT */
/* cache/lru.h: what goes, in which order, and that nothing is lost. */
#include "tests/unit/fixture.h"

#include "cache/lru.h"

#define SIZE  10
#define LIMIT 35 /* three of them */

struct thing {
	struct occ_lru_item item;
	int number;
	int freed;
};

static struct thing things[5];
static int freed;

static void free_thing(struct occ_lru_item *item)
{
	((struct thing *)item)->freed++;
	freed++;
}

static int setup(void **state)
{
	(void)state;
	memset(things, 0, sizeof(things));
	freed = 0;
	for (int i = 0; i < 5; i++) {
		things[i].number = i;
		things[i].item.key = &things[i].number;
		things[i].item.key_size = sizeof(things[i].number);
		things[i].item.size = SIZE;
	}
	return 0;
}

static bool put(struct occ_lru *lru, int i)
{
	struct occ_lru_item *gone = NULL;
	bool taken = occ_lru_put(lru, &things[i].item, LIMIT, &gone);

	occ_lru_free(gone, free_thing);
	return taken;
}

static bool has(const struct occ_lru *lru, int number)
{
	return occ_lru_find(lru, &number, sizeof(number)) != NULL;
}

static void release(struct occ_lru *lru)
{
	struct occ_lru_item *gone = NULL;

	occ_lru_clear(lru, &gone);
	occ_lru_free(gone, free_thing);
	assert_null(lru->items);
	assert_null(lru->by_use);
	assert_int_equal(lru->size, 0);
}

static void the_least_recently_used_goes(void **state)
{
	struct occ_lru lru = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(put(&lru, i));
	assert_int_equal(lru.size, 3 * SIZE);
	assert_int_equal(freed, 0);
	occ_lru_use(&lru, &things[0].item);
	assert_ptr_equal(lru.by_use, &things[0].item);
	assert_true(put(&lru, 3));
	assert_true(has(&lru, 0));
	assert_false(has(&lru, 1));
	assert_int_equal(things[1].freed, 1);
	/* Finding isn't using. */
	assert_true(has(&lru, 2));
	assert_true(put(&lru, 4));
	assert_false(has(&lru, 2));
	assert_int_equal(freed, 2);
	assert_int_equal(lru.size, 3 * SIZE);
	release(&lru);
	for (int i = 0; i < 5; i++)
		assert_int_equal(things[i].freed, 1);
}

static void what_has_the_key_goes(void **state)
{
	struct occ_lru lru = {0};

	(void)state;
	things[1].number = 0;
	assert_true(put(&lru, 0));
	assert_true(put(&lru, 2));
	assert_true(put(&lru, 1));
	assert_int_equal(things[0].freed, 1);
	assert_int_equal(things[2].freed, 0);
	assert_int_equal(lru.size, 2 * SIZE);
	/* Also for one that isn't taken. */
	things[3].number = 0;
	things[3].item.size = LIMIT + 1;
	assert_false(put(&lru, 3));
	assert_int_equal(things[1].freed, 1);
	assert_int_equal(things[3].freed, 0);
	assert_false(has(&lru, 0));
	assert_true(has(&lru, 2));
	assert_int_equal(lru.size, SIZE);
	release(&lru);
	assert_int_equal(freed, 3);
}

static void room_is_made(void **state)
{
	struct occ_lru_item *gone = NULL;
	struct occ_lru lru = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(put(&lru, i));
	occ_lru_make_room(&lru, 0, 3 * SIZE, &gone);
	assert_null(gone);
	occ_lru_make_room(&lru, 1, 3 * SIZE, &gone);
	assert_ptr_equal(gone, &things[0].item);
	occ_lru_remove(&lru, &things[2].item, &gone);
	occ_lru_refuse(&things[4].item, &gone);
	assert_int_equal(lru.size, SIZE);
	assert_int_equal(freed, 0);
	occ_lru_free(gone, free_thing);
	assert_int_equal(freed, 3);
	assert_int_equal(things[1].freed, 0);
	assert_int_equal(things[4].freed, 1);
	release(&lru);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_least_recently_used_goes, setup),
		cmocka_unit_test_setup(what_has_the_key_goes, setup),
		cmocka_unit_test_setup(room_is_made, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
