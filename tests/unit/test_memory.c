/* SPDX-License-Identifier: MIT */
/* cache/memory.h: entries that are kept in memory. */
#include "tests/unit/fixture.h"

#include <pthread.h>

#include "cache/memory.h"

#define THREADS 4
#define ROUNDS	2000
#define KEYS	16

/* An entry's size is its bytes and something for the tables. */
#define ROOM	1000

static void make_key(struct occ_key *key, unsigned int number)
{
	char options[32];

	snprintf(options, sizeof(options), "-DNUMBER=%u", number);
	occ_key_init(key);
	occ_key_add_string(key, OCC_KEY_OPTIONS, options);
	assert_int_equal(occ_key_finish(key), 0);
}

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static void publish(unsigned int number, const char *metadata,
		    const char *binary)
{
	struct occ_key key;

	make_key(&key, number);
	occ_memory_publish(&key, span(metadata), span(binary));
	occ_key_release(&key);
}

static struct occ_kept *find(unsigned int number)
{
	struct occ_kept *kept;
	struct occ_key key;

	make_key(&key, number);
	kept = occ_memory_find(&key);
	occ_key_release(&key);
	return kept;
}

static bool is_there(unsigned int number)
{
	struct occ_kept *kept = find(number);

	occ_kept_release(kept);
	return kept != NULL;
}

static void assert_span(struct occ_span got, const char *wanted)
{
	assert_int_equal(got.size, strlen(wanted));
	assert_memory_equal(got.data, wanted, got.size);
}

static int setup(void **state)
{
	(void)state;
	occ_memory_clear();
	occ_memory_set_capacity(OCC_MEMORY_DEFAULT_CAPACITY);
	return 0;
}

static void test_find(void **state)
{
	struct occ_kept *kept;

	(void)state;
	assert_false(is_there(1));
	publish(1, "metadata", "binary");
	assert_false(is_there(2));
	kept = find(1);
	assert_non_null(kept);
	assert_span(kept->entry.metadata, "metadata");
	assert_span(kept->entry.binary, "binary");
	occ_kept_release(kept);
}

/* (M1) */
static void test_other_key(void **state)
{
	struct occ_key key, other;

	(void)state;
	make_key(&key, 1);
	make_key(&other, 23);
	publish(1, "", "binary");
	other.hash = key.hash;
	assert_null(occ_memory_find(&other));
	/* One place per hash: who comes last has it. */
	occ_memory_publish(&other, span(""), span("other"));
	assert_null(occ_memory_find(&key));
	occ_memory_discard(&key);
	assert_int_not_equal(occ_memory_size(), 0);
	occ_memory_discard(&other);
	assert_int_equal(occ_memory_size(), 0);
	occ_key_release(&key);
	occ_key_release(&other);
}

static void test_replace(void **state)
{
	struct occ_kept *before, *after;

	(void)state;
	publish(1, "old", "binary");
	before = find(1);
	publish(1, "newer", "binary");
	after = find(1);
	assert_non_null(before);
	assert_non_null(after);
	assert_span(before->entry.metadata, "old");
	assert_span(after->entry.metadata, "newer");
	assert_int_equal(occ_memory_size(), occ_kept_size(after));
	occ_kept_release(before);
	occ_kept_release(after);
}

static uint64_t size_of_one(void)
{
	struct occ_kept *kept;
	uint64_t size;

	publish(0, "", "");
	kept = find(0);
	assert_non_null(kept);
	size = occ_kept_size(kept);
	occ_kept_release(kept);
	occ_memory_clear();
	return size;
}

/* (M2) */
static void test_least_recently_used(void **state)
{
	uint64_t size = size_of_one();

	(void)state;
	occ_memory_set_capacity(3 * size);
	publish(1, "", "");
	publish(2, "", "");
	publish(3, "", "");
	assert_int_equal(occ_memory_size(), 3 * size);
	assert_true(is_there(1));
	publish(4, "", "");
	assert_int_equal(occ_memory_size(), 3 * size);
	assert_false(is_there(2));
	assert_true(is_there(3));
	assert_true(is_there(1));
	assert_true(is_there(4));
	/* Now 3 is the one that was used first. */
	occ_memory_set_capacity(2 * size + 1);
	assert_false(is_there(3));
	assert_true(is_there(1));
	assert_true(is_there(4));
}

static void test_too_large(void **state)
{
	char large[ROOM + 1];

	(void)state;
	memset(large, 'x', ROOM);
	large[ROOM] = '\0';
	occ_memory_set_capacity(ROOM);
	publish(1, "", "");
	publish(2, "", large);
	assert_false(is_there(2));
	assert_true(is_there(1));
	/* What it would have replaced is not what it is now. */
	publish(1, "", "");
	assert_true(is_there(1));
}

static void test_off(void **state)
{
	struct occ_kept *kept;

	(void)state;
	publish(1, "", "binary");
	kept = find(1);
	assert_non_null(kept);
	occ_memory_set_capacity(0);
	assert_int_equal(occ_memory_size(), 0);
	assert_false(is_there(1));
	publish(1, "", "binary");
	assert_false(is_there(1));
	/* Whoever has it, has it. */
	assert_span(kept->entry.binary, "binary");
	occ_memory_put(kept);
	assert_false(is_there(1));
	occ_memory_set_capacity(ROOM);
	assert_int_equal(occ_memory_capacity(), ROOM);
	occ_memory_put(kept);
	assert_true(is_there(1));
	occ_kept_release(kept);
}

static void test_clear(void **state)
{
	(void)state;
	publish(1, "", "binary");
	publish(2, "", "binary");
	occ_memory_clear();
	assert_int_equal(occ_memory_size(), 0);
	assert_false(is_there(1));
	assert_false(is_there(2));
	assert_int_equal(occ_memory_capacity(), OCC_MEMORY_DEFAULT_CAPACITY);
	publish(1, "", "binary");
	assert_true(is_there(1));
}

static bool append(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		   void *data)
{
	occ_buffer_append(new_bytes, old_bytes.data, old_bytes.size);
	if (data)
		occ_buffer_append(new_bytes, data, strlen(data));
	return data;
}

static void complete(unsigned int number, char *text)
{
	struct occ_key key;

	make_key(&key, number);
	occ_memory_complete(&key, append, text);
	occ_key_release(&key);
}

static void test_complete(void **state)
{
	char more[] = " and more";
	struct occ_kept *kept;

	(void)state;
	complete(1, more);
	assert_false(is_there(1));
	publish(1, "metadata", "binary");
	complete(1, NULL);
	complete(1, more);
	kept = find(1);
	assert_non_null(kept);
	assert_span(kept->entry.metadata, "metadata and more");
	assert_span(kept->entry.binary, "binary");
	assert_int_equal(occ_memory_size(), occ_kept_size(kept));
	occ_kept_release(kept);
}

/* What the store gives is taken over whole. */
static void test_take(void **state)
{
	struct occ_loaded loaded = {.memory = malloc(6)};
	struct occ_kept *kept;
	struct occ_key key;

	(void)state;
	make_key(&key, 5);
	assert_non_null(loaded.memory);
	memcpy(loaded.memory, "binary", 6);
	loaded.entry.hash = key.hash;
	loaded.entry.key = occ_buffer_span(&key.stored);
	loaded.entry.binary = (struct occ_span){loaded.memory, 6};
	kept = occ_kept_take(&loaded);
	assert_non_null(kept);
	assert_null(loaded.memory);
	occ_memory_put(kept);
	assert_true(is_there(5));
	assert_span(kept->entry.binary, "binary");
	occ_memory_clear();
	occ_kept_release(kept);
	occ_key_release(&key);
}

static void *use(void *data)
{
	unsigned int seed = *(const unsigned int *)data;
	char text[32], more[] = "!";

	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int number = (seed + i * 7) % KEYS;
		struct occ_kept *kept = find(number);

		snprintf(text, sizeof(text), "binary %u", number);
		if (kept)
			assert_span(kept->entry.binary, text);
		else
			publish(number, "", text);
		if (i % 50 == seed)
			complete(number, more);
		if (i % 300 == seed)
			occ_memory_clear();
		if (i % 100 == seed)
			occ_memory_set_capacity(i * 20);
		occ_kept_release(kept);
	}
	return NULL;
}

static void test_threads(void **state)
{
	unsigned int seeds[THREADS];
	pthread_t threads[THREADS];

	(void)state;
	for (unsigned int i = 0; i < THREADS; i++) {
		seeds[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, use,
						&seeds[i]),
				 0);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	occ_memory_set_capacity(0);
	assert_int_equal(occ_memory_size(), 0);
}

static void *keep_busy(void *data)
{
	bool *stop = data;

	while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE))
		occ_kept_release(find(1));
	return NULL;
}

/* What was there, or nothing at all; and in any case it works. */
static int look_in_child(void)
{
	occ_memory_forked();
	if (!is_there(1) && occ_memory_size())
		return 1;
	publish(2, "", "binary");
	return is_there(2) ? 0 : 2;
}

/* A child finds the lock free, whatever other threads were doing. */
static void test_fork(void **state)
{
	bool stop = false;
	pthread_t thread;

	(void)state;
	publish(1, "", "binary");
	assert_int_equal(pthread_create(&thread, NULL, keep_busy, &stop), 0);
	for (int i = 0; i < 50; i++) {
		pid_t child = fork();
		int status = 0;

		assert_true(child >= 0);
		if (!child) {
			alarm(20);
			_exit(look_in_child());
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_find),      TEST(test_other_key),
		TEST(test_replace),   TEST(test_least_recently_used),
		TEST(test_too_large), TEST(test_off),
		TEST(test_clear),     TEST(test_complete),
		TEST(test_take),      TEST(test_threads),
		TEST(test_fork),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	occ_memory_clear();
	return failed;
}
