/* SPDX-License-Identifier: MIT */
/* Entries that stay without device code, and why. */
#include "tests/unit/fixture.h"

#include "cache/entry.h"
#include "cache/upgrade_skip.h"
#include "cache/state.h"

#define NAME "without code"

/* An entry that was stored at that time; its metadata is the buffer's. */
static struct occ_entry entry_of(unsigned number, uint64_t created,
				 struct occ_buffer *metadata)
{
	struct occ_entry entry = {.binary = {NULL, 0}};

	*metadata = (struct occ_buffer)OCC_BUFFER_INIT;
	occ_meta_append_number(metadata, OCC_META_CREATED, created);
	occ_put_u32(entry.hash.bytes, number);
	entry.metadata = (struct occ_span){metadata->data, metadata->size};
	return entry;
}

static bool find(struct occ_store *store, unsigned number, uint64_t created,
		 struct occ_upgrade_skip *ret_leftover)
{
	struct occ_buffer state, metadata;
	struct occ_entry entry = entry_of(number, created, &metadata);
	bool found;

	occ_state_read(store, &state);
	found = occ_upgrade_skip_find(&state, &entry, ret_leftover);
	occ_buffer_release(&state);
	occ_buffer_release(&metadata);
	return found;
}

/* NULL: it is none. */
static void assert_reason(struct occ_store *store, unsigned number,
			  const char *wanted)
{
	struct occ_upgrade_skip leftover;

	assert_int_equal(find(store, number, 1, &leftover), wanted != NULL);
	if (wanted)
		assert_string_equal(leftover.reason, wanted);
}

static void note_try(struct occ_store *store, unsigned number,
		     const char *reason, bool is_final)
{
	struct occ_buffer metadata;
	struct occ_entry entry = entry_of(number, 1, &metadata);

	assert_int_equal(occ_upgrade_skip_note(store, &entry, reason, is_final),
			 OCC_OK);
	occ_buffer_release(&metadata);
}

static void note(struct occ_store *store, unsigned number, const char *reason)
{
	note_try(store, number, reason, true);
}

static void assert_final(struct occ_store *store, unsigned number, bool wanted)
{
	struct occ_upgrade_skip leftover;

	assert_true(find(store, number, 1, &leftover));
	assert_int_equal(leftover.is_final, wanted);
}

/* What may be otherwise the next time is tried again, some times. */
static void test_leftover__tries(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);

	for (unsigned i = 1; i < OCC_UPGRADE_SKIP_TRIES; i++) {
		note_try(store, 1, i % 2 ? "odd" : "even", false);
		note_try(store, 2, "odd", false);
		assert_reason(store, 1, i % 2 ? "odd" : "even");
		assert_final(store, 1, false);
		assert_final(store, 2, false);
	}
	note_try(store, 2, "odd", false);
	assert_final(store, 1, false);
	assert_final(store, 2, true);
	note_try(store, 2, "odd", false);
	assert_final(store, 2, true);
	note_try(store, 3, "odd", false);
	note(store, 3, "bad");
	assert_final(store, 3, true);
	assert_reason(store, 3, "bad");
	occ_store_close(store);
}

/* Another entry of the same hash is another one. */
static void test_leftover__begins_anew_when_stored_again(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	struct occ_upgrade_skip leftover;

	note(store, 1, "one");
	assert_true(find(store, 1, 1, &leftover));
	assert_false(find(store, 1, 2, &leftover));
	assert_false(find(store, 1, UINT64_C(1) << 40, &leftover));
	occ_store_close(store);
}

static void test_leftover__note_then_find(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);

	assert_reason(store, 1, NULL);
	note(store, 1, "one");
	note(store, 2, "two");
	note(store, 3, "one");
	note(store, 3, "one");
	assert_reason(store, 1, "one");
	assert_reason(store, 2, "two");
	assert_reason(store, 3, "one");
	assert_reason(store, 4, NULL);
	note(store, 1, "two");
	note(store, 3, "");
	assert_reason(store, 1, "two");
	assert_reason(store, 2, "two");
	assert_reason(store, 3, "");
	occ_store_close(store);
}

static void test_leftover__long_reasons_are_cut(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	char reason[2 * OCC_UPGRADE_SKIP_SIZE];

	memset(reason, 'x', sizeof(reason));
	reason[sizeof(reason) - 1] = '\0';
	note(store, 1, reason);
	reason[OCC_UPGRADE_SKIP_SIZE - 1] = '\0';
	assert_reason(store, 1, reason);
	occ_store_close(store);
}

/* The last one is always there, and the value never too large. */
static void test_leftover__begins_anew_when_full(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	unsigned char bytes[OCC_STATE_GROWN_MAX];
	size_t size;

	for (unsigned i = 0; i < 600; i++) {
		note(store, i, i % 2 ? "odd" : "even");
		assert_reason(store, i, i % 2 ? "odd" : "even");
		assert_int_equal(occ_state_get(store, NAME, bytes,
					       sizeof(bytes), &size),
				 OCC_OK);
	}
	assert_reason(store, 0, NULL);
	assert_reason(store, 598, "even");
	occ_store_close(store);
}

/* What isn't such a value, or another maker's, is none. */
static void test_leftover__bad_values(void **state)
{
	struct occ_store *store = fixture_open_store(*state, 0);
	unsigned char bytes[64], good[64];
	size_t size;

	note(store, 1, "one");
	assert_int_equal(occ_state_get(store, NAME, good, sizeof(good), &size),
			 OCC_OK);
	for (size_t i = 0; i < size; i++) {
		assert_int_equal(occ_state_set(store, NAME, good, i), OCC_OK);
		assert_reason(store, 1, NULL);
	}
	memcpy(bytes, good, size);
	occ_put_u32(bytes, OCC_CODE_MAKER + 1);
	assert_int_equal(occ_state_set(store, NAME, bytes, size), OCC_OK);
	assert_reason(store, 1, NULL);
	note(store, 2, "two");
	assert_reason(store, 1, NULL);
	assert_reason(store, 2, "two");
	for (size_t i = 4; i < size; i++) {
		memcpy(bytes, good, size);
		bytes[i] ^= 0xff;
		assert_int_equal(occ_state_set(store, NAME, bytes, size),
				 OCC_OK);
		note(store, 3, "three");
		assert_reason(store, 3, "three");
	}
	occ_store_close(store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_leftover__note_then_find),
		TEST(test_leftover__tries),
		TEST(test_leftover__begins_anew_when_stored_again),
		TEST(test_leftover__long_reasons_are_cut),
		TEST(test_leftover__begins_anew_when_full),
		TEST(test_leftover__bad_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
