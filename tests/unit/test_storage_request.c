/* SPDX-License-Identifier: MIT */
/* storage/request.h */
#include "tests/unit/fixture.h"

#include "cache/entry.h"
#include "storage/request.h"

/* A put of "value" with overwriting, by the bytes of the protocol. */
static size_t make_put(unsigned char *bytes, uint64_t size)
{
	static const unsigned char begin[] = {
		OCC_REMOTE_PUT, 3, 'k', 'e', 'y', OCC_REMOTE_PUT_OVERWRITE};

	memcpy(bytes, begin, sizeof(begin));
	memcpy(bytes + sizeof(begin), &size, sizeof(size));
	memcpy(bytes + sizeof(begin) + sizeof(size), "value", 5);
	return sizeof(begin) + sizeof(size) + 5;
}

static void expect_put(const struct occ_request *request)
{
	assert_int_equal(request->type, OCC_REMOTE_PUT);
	assert_int_equal(request->key_size, 3);
	assert_memory_equal(request->key, "key", 3);
	assert_int_equal(request->flags, OCC_REMOTE_PUT_OVERWRITE);
	assert_int_equal(request->value.size, 5);
	assert_memory_equal(request->value.data, "value", 5);
}

/* However it comes, and nothing that is behind it is taken. */
static void test_pieces(void **state)
{
	unsigned char bytes[64];
	size_t size = make_put(bytes, 5), used;

	(void)state;
	for (size_t step = 1; step <= size; step++) {
		struct occ_request request = {.part = 0};
		enum occ_request_state got = OCC_REQUEST_PARTIAL;
		size_t at = 0;

		occ_request_begin(&request);
		assert_true(occ_request_is_empty(&request));
		while (at < size) {
			size_t part = step < size - at ? step : size - at;

			assert_int_equal(got, OCC_REQUEST_PARTIAL);
			got = occ_request_parse(&request, bytes + at, part,
						&used);
			assert_int_equal(used, part);
			assert_false(occ_request_is_empty(&request));
			at += part;
		}
		assert_int_equal(got, OCC_REQUEST_READY);
		expect_put(&request);
		got = occ_request_parse(&request, bytes, size, &used);
		assert_int_equal(used, 0);
		occ_request_release(&request);
	}
}

static void test_two_at_once(void **state)
{
	const unsigned char bytes[] = {
		OCC_REMOTE_GET, 1, 'a', OCC_REMOTE_INFO, OCC_REMOTE_EXISTS, 0};
	struct occ_request request = {.part = 0};
	size_t used;

	(void)state;
	assert_int_equal(occ_request_parse(&request, bytes, sizeof(bytes),
					   &used),
			 OCC_REQUEST_READY);
	assert_int_equal(request.type, OCC_REMOTE_GET);
	assert_int_equal(used, 3);
	occ_request_begin(&request);
	assert_int_equal(occ_request_parse(&request, bytes + 3,
					   sizeof(bytes) - 3, &used),
			 OCC_REQUEST_READY);
	assert_int_equal(request.type, OCC_REMOTE_INFO);
	assert_int_equal(used, 1);
	occ_request_begin(&request);
	assert_int_equal(occ_request_parse(&request, bytes + 4,
					   sizeof(bytes) - 4, &used),
			 OCC_REQUEST_READY);
	assert_int_equal(request.key_size, 0);
	occ_request_release(&request);
}

static void test_unknown(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		unsigned char byte = (unsigned char)type;
		bool known =
			type <= OCC_REMOTE_EXISTS ||
			(type >= OCC_REMOTE_LEASE && type <= OCC_REMOTE_FLUSH);
		struct occ_request request = {.part = 0};
		size_t used;

		assert_int_equal(occ_request_parse(&request, &byte, 1, &used) ==
					 OCC_REQUEST_BAD,
				 !known);
		occ_request_release(&request);
	}
}

/* What is announced takes no memory; what is too long is no request. */
static void test_long_values(void **state)
{
	unsigned char bytes[64];
	struct occ_request request = {.part = 0};
	size_t size = make_put(bytes, OCC_ENTRY_SIZE_MAX), used;

	(void)state;
	assert_int_equal(occ_request_parse(&request, bytes, size, &used),
			 OCC_REQUEST_PARTIAL);
	assert_int_equal(request.value.size, 5);
	assert_true(request.value.capacity < 65536);
	occ_request_begin(&request);
	make_put(bytes, OCC_ENTRY_SIZE_MAX + 1);
	assert_int_equal(occ_request_parse(&request, bytes, size, &used),
			 OCC_REQUEST_BAD);
	occ_request_begin(&request);
	make_put(bytes, UINT64_MAX);
	assert_int_equal(occ_request_parse(&request, bytes, size, &used),
			 OCC_REQUEST_BAD);
	occ_request_release(&request);
}

/* What isn't kept is read to its end nevertheless. */
static void test_discard(void **state)
{
	unsigned char bytes[64];
	size_t size = make_put(bytes, 5), used;
	struct occ_request request = {.part = 0};

	(void)state;
	occ_request_parse(&request, bytes, size - 2, &used);
	occ_request_discard(&request);
	assert_int_equal(request.value.size, 0);
	assert_int_equal(occ_request_parse(&request, bytes + size - 2, 2,
					   &used),
			 OCC_REQUEST_READY);
	assert_true(request.is_discarded);
	assert_int_equal(request.value.size, 0);
	occ_request_release(&request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_discard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
