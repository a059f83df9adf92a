/* SPDX-License-Identifier: MIT */
/* storage/upload_queue.h, storage/breaker.h */
#include "tests/unit/fixture.h"

#include "storage/breaker.h"
#include "storage/upload_queue.h"

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static bool add(struct occ_upload_queue *queue, const char *key, bool overwrite,
		const char *value)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	bool added;

	occ_buffer_append(&bytes, value, strlen(value));
	added = occ_upload_queue_add(queue, span(key), overwrite, &bytes);
	occ_buffer_release(&bytes);
	return added;
}

static void expect_sizes(struct occ_upload_queue *queue, size_t count,
			 uint64_t bytes)
{
	size_t found;
	uint64_t size;

	occ_upload_queue_sizes(queue, &found, &size);
	assert_int_equal(found, count);
	assert_int_equal(size, bytes);
}

/* Takes the next one, which has this value, and is done with it. */
static void expect_next(struct occ_upload_queue *queue, const char *value)
{
	struct occ_upload *upload = occ_upload_queue_take(queue, 0);

	assert_non_null(upload);
	assert_int_equal(upload->value.size, strlen(value));
	assert_memory_equal(upload->value.data, value, strlen(value));
	occ_upload_queue_done(queue, upload);
}

static void expect_found(struct occ_upload_queue *queue, const char *key,
			 const char *value)
{
	struct occ_buffer found = OCC_BUFFER_INIT;

	assert_int_equal(occ_upload_queue_find(queue, span(key), &found),
			 value != NULL);
	assert_int_equal(occ_upload_queue_has(queue, span(key)), value != NULL);
	if (value)
		assert_memory_equal(found.data, value, strlen(value));
	occ_buffer_release(&found);
}

static void test_bounds(void **state)
{
	struct occ_upload_queue queue;

	(void)state;
	occ_upload_queue_init(&queue, 10, 3);
	assert_null(occ_upload_queue_take(&queue, 0));
	assert_true(add(&queue, "a", false, "12345"));
	assert_false(add(&queue, "b", false, "123456"));
	assert_true(add(&queue, "b", false, "12345"));
	assert_false(add(&queue, "c", false, "1"));
	assert_true(add(&queue, "c", false, ""));
	assert_false(add(&queue, "d", false, ""));
	expect_sizes(&queue, 3, 10);
	expect_next(&queue, "12345");
	assert_true(add(&queue, "d", false, "1"));
	expect_next(&queue, "12345");
	expect_next(&queue, "");
	expect_next(&queue, "1");
	expect_sizes(&queue, 0, 0);
}

static void test_same_key(void **state)
{
	struct occ_upload_queue queue;

	(void)state;
	occ_upload_queue_init(&queue, 100, 10);
	add(&queue, "a", false, "one");
	/* What wouldn't overwrite it on the server doesn't here either. */
	assert_true(add(&queue, "a", false, "two"));
	expect_sizes(&queue, 1, 3);
	assert_true(add(&queue, "a", true, "three"));
	assert_true(add(&queue, "a", true, "three"));
	expect_sizes(&queue, 1, 5);
	expect_found(&queue, "a", "three");
	expect_found(&queue, "b", NULL);
	expect_next(&queue, "three");
	expect_found(&queue, "a", NULL);
}

/* (U1) */
static void test_order(void **state)
{
	struct occ_upload_queue queue;
	struct occ_upload *first;

	(void)state;
	occ_upload_queue_init(&queue, 100, 10);
	add(&queue, "a", false, "one");
	first = occ_upload_queue_take(&queue, 0);
	add(&queue, "a", true, "two");
	expect_found(&queue, "a", "two");
	assert_null(occ_upload_queue_take(&queue, 0));
	add(&queue, "b", true, "other");
	expect_next(&queue, "other");
	occ_upload_queue_put_back(&queue, first);
	expect_next(&queue, "one");
	expect_next(&queue, "two");
}

static void test_remove(void **state)
{
	struct occ_upload_queue queue;
	struct occ_upload *upload;

	(void)state;
	occ_upload_queue_init(&queue, 100, 10);
	add(&queue, "a", false, "one");
	occ_upload_queue_remove(&queue, span("a"));
	expect_sizes(&queue, 0, 0);
	add(&queue, "a", false, "one");
	upload = occ_upload_queue_take(&queue, 0);
	occ_upload_queue_remove(&queue, span("a"));
	expect_found(&queue, "a", NULL);
	assert_true(upload->is_removed);
	occ_upload_queue_put_back(&queue, upload);
	expect_sizes(&queue, 0, 0);
}

static void *take_one(void *queue)
{
	return occ_upload_queue_take(queue, 60000);
}

static void test_waits(void **state)
{
	struct occ_upload_queue queue;
	pthread_t thread;
	void *upload;

	(void)state;
	occ_upload_queue_init(&queue, 100, 10);
	assert_int_equal(pthread_create(&thread, NULL, take_one, &queue), 0);
	add(&queue, "a", false, "one");
	assert_int_equal(pthread_join(thread, &upload), 0);
	assert_non_null(upload);
	occ_upload_queue_done(&queue, upload);
}

static void expect_open(struct occ_breaker *breaker, uint64_t now,
			uint64_t wait)
{
	uint64_t found;

	assert_true(occ_breaker_is_open(breaker, now, &found));
	assert_int_equal(found, wait);
	assert_false(occ_breaker_allows(breaker, now, &found));
	assert_int_equal(found, wait);
}

static void test_breaker(void **state)
{
	struct occ_breaker breaker;
	uint64_t wait, open = OCC_BREAKER_FIRST_MS, now = 1000;

	(void)state;
	occ_breaker_init(&breaker, 3);
	occ_breaker_failed(&breaker, false, now);
	occ_breaker_failed(&breaker, false, now);
	occ_breaker_succeeded(&breaker);
	occ_breaker_failed(&breaker, false, now);
	occ_breaker_failed(&breaker, false, now);
	assert_true(occ_breaker_allows(&breaker, now, &wait));
	occ_breaker_failed(&breaker, false, now);
	/* What was under way says nothing. */
	occ_breaker_failed(&breaker, false, now);
	while (open < OCC_BREAKER_MOST_MS) {
		expect_open(&breaker, now, open);
		now += open - 1;
		expect_open(&breaker, now, 1);
		now++;
		/* One, and nobody else until it has said how it went. */
		assert_false(occ_breaker_is_open(&breaker, now, &wait));
		assert_true(occ_breaker_allows(&breaker, now, &wait));
		expect_open(&breaker, now, 0);
		occ_breaker_untried(&breaker);
		assert_true(occ_breaker_allows(&breaker, now, &wait));
		occ_breaker_failed(&breaker, false, now);
		open = open * 2 < OCC_BREAKER_MOST_MS ? open * 2
						      : OCC_BREAKER_MOST_MS;
	}
	expect_open(&breaker, now, OCC_BREAKER_MOST_MS);
	now += open;
	assert_true(occ_breaker_allows(&breaker, now, &wait));
	occ_breaker_failed(&breaker, false, now);
	expect_open(&breaker, now, OCC_BREAKER_MOST_MS);
	now += open;
	assert_true(occ_breaker_allows(&breaker, now, &wait));
	occ_breaker_succeeded(&breaker);
	assert_false(occ_breaker_is_open(&breaker, now, &wait));
	occ_breaker_failed(&breaker, false, now);
	assert_false(occ_breaker_is_open(&breaker, now, &wait));
	assert_int_equal(occ_breaker_openings(&breaker), 8);
	occ_breaker_succeeded(&breaker);
	occ_breaker_failed(&breaker, true, now);
	expect_open(&breaker, now, OCC_BREAKER_FIRST_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_same_key),
		cmocka_unit_test(test_order),  cmocka_unit_test(test_remove),
		cmocka_unit_test(test_waits),  cmocka_unit_test(test_breaker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
