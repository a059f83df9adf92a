/* SPDX-License-Identifier: MIT */
/* The breaker of a remote storage: how long nobody asks, and what ends it. */
#include "tests/unit/fixture.h"

#include "cache/error.h"
#include "cache/remote_breaker.h"
#include "cache/state.h"
#include "hash/digest.h"

#define SOCKET "/run/user/1000/a.socket"
#define NOW    ((time_t)1800000000)

static struct occ_store *open_store(const struct fixture *fixture)
{
	struct occ_store *store = occ_store_open(fixture->path, 0, false);

	assert_non_null(store);
	return store;
}

static bool is_open(struct occ_store *store, time_t now)
{
	struct occ_remote_breaker breaker =
		occ_remote_breaker_read(store, SOCKET);

	return occ_remote_breaker_is_open(&breaker, now);
}

static void test_nothing(void **state)
{
	struct occ_store *store = open_store(*state);

	assert_false(is_open(store, NOW));
	/* Nothing to close: nothing is written. */
	assert_int_equal(occ_remote_breaker_close(store, SOCKET), OCC_OK);
	assert_int_equal(occ_remote_breaker_read(store, SOCKET).pause, 0);
	occ_store_close(store);
}

static void test_doubles(void **state)
{
	static const int pauses[] = {5, 10, 20, 40, 80, 160, 300, 300};
	struct occ_store *store = open_store(*state);
	time_t now = NOW;

	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
		assert_int_equal(occ_remote_breaker_open(store, SOCKET, now),
				 OCC_OK);
		assert_true(is_open(store, now));
		assert_true(is_open(store, now + pauses[i] - 1));
		assert_false(is_open(store, now + pauses[i]));
		/* Who finds out at the same time. */
		occ_remote_breaker_open(store, SOCKET, now + 1);
		assert_false(is_open(store, now + pauses[i]));
		now += pauses[i];
	}
	occ_store_close(store);
}

static void test_success(void **state)
{
	struct occ_store *store = open_store(*state);

	occ_remote_breaker_open(store, SOCKET, NOW);
	occ_remote_breaker_open(store, SOCKET, NOW + 5);
	assert_int_equal(occ_remote_breaker_close(store, SOCKET), OCC_OK);
	assert_false(is_open(store, NOW + 6));
	assert_int_equal(occ_remote_breaker_read(store, SOCKET).pause, 0);
	/* From the beginning. */
	occ_remote_breaker_open(store, SOCKET, NOW + 7);
	assert_false(is_open(store, NOW + 7 + 5));
	occ_store_close(store);
}

/* One stall may be one slow answer. */
static void test_suspicion(void **state)
{
	struct occ_store *store = open_store(*state);

	occ_remote_breaker_suspect(store, SOCKET, NOW);
	/* Of several at once, too. */
	occ_remote_breaker_suspect(store, SOCKET, NOW + 1);
	assert_false(is_open(store, NOW + 1));
	/* It is forgotten. */
	occ_remote_breaker_suspect(store, SOCKET, NOW + 60);
	assert_false(is_open(store, NOW + 60));
	occ_remote_breaker_suspect(store, SOCKET, NOW + 119);
	assert_true(is_open(store, NOW + 119 + 4));
	assert_false(is_open(store, NOW + 119 + 5));
	/* Who tries then has to have an answer. */
	occ_remote_breaker_suspect(store, SOCKET, NOW + 200);
	assert_true(is_open(store, NOW + 200 + 9));
	occ_remote_breaker_close(store, SOCKET);
	occ_remote_breaker_suspect(store, SOCKET, NOW + 300);
	assert_false(is_open(store, NOW + 300));
	/* And so does an answer. */
	occ_remote_breaker_close(store, SOCKET);
	occ_remote_breaker_suspect(store, SOCKET, NOW + 310);
	assert_false(is_open(store, NOW + 310));
	/* The clock was set back. */
	occ_remote_breaker_suspect(store, SOCKET, NOW - 86400);
	assert_false(is_open(store, NOW - 86400));
	occ_store_close(store);
}

static void test_of_one_socket(void **state)
{
	struct occ_store *store = open_store(*state);

	occ_remote_breaker_open(store, "/other", NOW);
	assert_false(is_open(store, NOW));
	occ_store_close(store);
}

/* The clock was ahead, and was set back: nobody waits for it to catch up. */
static void test_clock(void **state)
{
	struct occ_store *store = open_store(*state);

	occ_remote_breaker_open(store, SOCKET, NOW + 86400);
	assert_false(is_open(store, NOW));
	assert_int_equal(occ_remote_breaker_open(store, SOCKET, NOW), OCC_OK);
	assert_true(is_open(store, NOW));
	occ_store_close(store);
}

static void test_damage(void **state)
{
	static const unsigned char values[][16] = {
		{0, 0, 0, 0, 0, 0, 0, 0x80, 5},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff,
		 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	};
	struct occ_store *store = open_store(*state);
	char name[64] = "remote ";
	struct occ_digest digest;

	occ_digest(SOCKET, strlen(SOCKET), OCC_SEED_CONTENT, &digest);
	occ_digest_hex(&digest, name + strlen(name));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(occ_state_set(store, name, values[i], 16), 0);
		assert_false(is_open(store, NOW));
	}
	assert_int_equal(occ_state_set(store, name, values[0], 15), 0);
	assert_false(is_open(store, NOW));
	occ_remote_breaker_open(store, SOCKET, NOW);
	assert_true(is_open(store, NOW));
	occ_store_close(store);
}

/* A store that can't be written: everybody asks. */
static void test_read_only(void **state)
{
	const struct fixture *fixture = *state;
	struct occ_store *store = occ_store_open_read_only(fixture->path);

	assert_int_equal(occ_remote_breaker_open(store, SOCKET, NOW),
			 OCC_E_READ_ONLY);
	assert_false(is_open(store, NOW));
	occ_store_close(store);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing),   TEST(test_doubles),
		TEST(test_success),   TEST(test_of_one_socket),
		TEST(test_suspicion), TEST(test_clock),
		TEST(test_damage),    TEST(test_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
