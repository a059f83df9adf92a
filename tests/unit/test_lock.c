/* SPDX-License-Identifier: MIT */
/*
 * Many processes and threads on one small store, and processes killed in the
 * midst of a publish.
 */
#include "tests/unit/fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "cache/size_ledger.h"
#include "cache/evict.h"
#include "cache/listing.h"
#include "cache/reservation.h"
#include "cache/store.h"

#define MAX_SIZE  12000
#define PROCESSES 4
#define THREADS	  2
#define ROUNDS	  150
#define KEYS	  40
#define KILLS	  40

/* Failures are counted in memory that all processes share. */
static int *failures;

static void check(bool good, const char *what)
{
	if (good)
		return;
	__atomic_add_fetch(failures, 1, __ATOMIC_RELAXED);
	print_error("%s\n", what);
}

static int setup(void **state)
{
	failures = mmap(NULL, sizeof(*failures), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return failures == MAP_FAILED ? -1 : fixture_setup(state);
}

static int teardown(void **state)
{
	munmap(failures, sizeof(*failures));
	return fixture_teardown(state);
}

/*
 * Who doesn't get the lock within OCC_SIZE_LEDGER_WAIT_MS goes on without,
 * which a slow disk and so many others may bring about.
 */
static bool may_be(int error)
{
	return error == OCC_OK || error == OCC_E_BUSY;
}

/* The binary of a key is its number over and over, of a length of its own. */
static size_t make_binary(unsigned int number, unsigned char binary[2048])
{
	size_t size = 100 + 47 * (size_t)number;

	memset(binary, (int)number, size);
	return size;
}

static void publish_one(struct occ_store *store, const struct occ_key *key,
			unsigned int number)
{
	unsigned char binary[2048];
	size_t size = make_binary(number, binary);
	int error = occ_store_publish(store, key, (struct occ_span){0},
				      (struct occ_span){binary, size});

	/* Too large: others' reservations may leave no room for the moment. */
	check(may_be(error) || error == OCC_E_EXISTS ||
		      error == OCC_E_TOO_LARGE,
	      occ_error_string(error));
}

static void lookup_one(struct occ_store *store, const struct occ_key *key,
		       unsigned int number)
{
	unsigned char binary[2048];
	size_t size = make_binary(number, binary);
	struct occ_loaded loaded;
	int error = occ_store_lookup(store, key, &loaded);

	check(error == OCC_OK || error == OCC_E_NOT_FOUND,
	      occ_error_string(error));
	if (error)
		return;
	check(loaded.entry.binary.size == size &&
		      !memcmp(loaded.entry.binary.data, binary, size),
	      "another entry's binary");
	occ_loaded_release(&loaded);
}

/* Metadata of a key is its number, too; completions make it longer. */
static bool make_longer(struct occ_span old_bytes, struct occ_buffer *new_bytes,
			void *data)
{
	unsigned char number = (unsigned char)*(unsigned int *)data;

	for (size_t i = 0; i < old_bytes.size; i++)
		check(old_bytes.data[i] == number, "another's metadata");
	if (old_bytes.size < 200)
		occ_buffer_append(new_bytes, old_bytes.data, old_bytes.size);
	for (int i = 0; i < 50; i++)
		occ_buffer_append(new_bytes, &number, 1);
	return true;
}

static void complete_one(struct occ_store *store, const struct occ_key *key,
			 unsigned int number)
{
	int error = occ_store_complete(store, key, make_longer, &number);

	check(may_be(error) || error == OCC_E_NOT_FOUND ||
		      error == OCC_E_TOO_LARGE,
	      occ_error_string(error));
}

struct worker {
	const char *path;
	unsigned int seed;
	int rounds;
};

static unsigned int next_random(unsigned int *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct occ_store *store = occ_store_open(worker->path, MAX_SIZE, false);
	unsigned int seed = worker->seed, number;
	struct occ_key key;

	for (int i = 0; i < worker->rounds; i++) {
		number = next_random(&seed) % KEYS;
		fixture_key(&key, number);
		switch (next_random(&seed) % 8) {
		case 0:
			check(may_be(occ_store_discard(store, &key)),
			      "discard");
			break;
		case 1:
		case 2:
			lookup_one(store, &key, number);
			break;
		case 3:
		case 4:
			complete_one(store, &key, number);
			break;
		default:
			publish_one(store, &key, number);
		}
		occ_key_release(&key);
	}
	occ_store_close(store);
	return NULL;
}

static void work_in_threads(const char *path, unsigned int seed)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){path, seed + i, ROUNDS};
		check(!pthread_create(&threads[i], NULL, work, &workers[i]),
		      "pthread_create");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Under the lock, because a scan while files change counts some twice. */
static void watch_once(int directory)
{
	struct occ_size_ledger ledger;
	uint64_t size = 0;
	int error = occ_size_ledger_lock(directory, &ledger);

	check(may_be(error), "lock");
	if (error)
		return;
	check(!occ_listing_measure(directory, &size), "measure");
	check(size <= MAX_SIZE, "above the maximum");
	check(size <= ledger.size, "a total that is too small");
	occ_size_ledger_unlock(&ledger);
}

static int wait_for(pid_t child)
{
	int status = -1;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void assert_sound(struct fixture *fixture)
{
	struct occ_store *store =
		occ_store_open(fixture->path, MAX_SIZE, false);
	struct occ_key key;

	for (unsigned int number = 0; number < KEYS; number++) {
		fixture_key(&key, number);
		lookup_one(store, &key, number);
		occ_key_release(&key);
	}
	occ_store_close(store);
	assert_int_equal(*failures, 0);
}

static void test_lock__processes_and_threads_on_a_small_store(void **state)
{
	struct fixture *fixture = *state;
	pid_t children[PROCESSES];
	int running = PROCESSES;
	uint64_t size;

	for (unsigned int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		work_in_threads(fixture->path, 100 * i);
		_exit(0);
	}
	while (running) {
		watch_once(fixture->directory);
		for (int i = 0; i < PROCESSES; i++)
			if (children[i] && waitpid(children[i], NULL,
						   WNOHANG) == children[i]) {
				children[i] = 0;
				running--;
			}
	}
	assert_int_equal(*failures, 0);
	assert_int_equal(occ_listing_measure(fixture->directory, &size),
			 OCC_OK);
	assert_int_equal(size, fixture_config_size(fixture));
	assert_int_equal(fixture_count(fixture, ".tmp"), 0);
	assert_true(fixture_count(fixture, ".cl_cache") > 0);
	assert_sound(fixture);
}

/* Threads alone, which is what the thread sanitizer sees. */
static void test_lock__threads_of_one_process(void **state)
{
	struct fixture *fixture = *state;
	uint64_t size;

	work_in_threads(fixture->path, 7);
	assert_int_equal(*failures, 0);
	assert_int_equal(occ_listing_measure(fixture->directory, &size),
			 OCC_OK);
	assert_int_equal(size, fixture_config_size(fixture));
	assert_sound(fixture);
}

static void die_with_reservation(struct fixture *fixture, uint64_t size)
{
	struct occ_reservation reservation;
	struct occ_size_ledger ledger;

	if (!occ_size_ledger_lock(fixture->directory, &ledger) &&
	    !occ_reservation_make(&ledger, size, &reservation))
		occ_size_ledger_unlock(&ledger);
	raise(SIGKILL);
}

static void test_lock__killed_between_reserving_and_renaming(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store =
		occ_store_open(fixture->path, MAX_SIZE, false);
	struct occ_key key;
	uint64_t size;
	pid_t child;

	child = fork();
	if (!child)
		die_with_reservation(fixture, MAX_SIZE - 300);
	assert_true(WIFSIGNALED(wait_for(child)));
	assert_int_equal(fixture_count(fixture, ".tmp"), 1);
	assert_int_equal(fixture_config_size(fixture),
			 MAX_SIZE - 300 + OCC_SIZE_LEDGER_SIZE);
	fixture_key(&key, 1);
	publish_one(store, &key, 1);
	lookup_one(store, &key, 1);
	assert_int_equal(*failures, 0);
	assert_int_equal(fixture_count(fixture, ".tmp"), 0);
	assert_int_equal(fixture_count(fixture, ".cl_cache"), 1);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_int_equal(size, fixture_config_size(fixture));
	occ_key_release(&key);
	occ_store_close(store);
}

/* Anywhere, as luck will have it: the total may only be too large. */
static void test_lock__killed_anywhere(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store =
		occ_store_open(fixture->path, MAX_SIZE, false);
	struct worker worker = {fixture->path, 1, 1000000};
	struct occ_size_ledger ledger;
	uint64_t size;
	pid_t child;

	for (unsigned int i = 0; i < KILLS; i++) {
		worker.seed = i;
		child = fork();
		if (!child) {
			work(&worker);
			_exit(0);
		}
		usleep(500 + 397 * i % 5000);
		kill(child, SIGKILL);
		wait_for(child);
		watch_once(fixture->directory);
		assert_sound(fixture);
	}
	/* The next that doesn't fit mends it all, even one that never will. */
	assert_int_equal(occ_size_ledger_lock(fixture->directory, &ledger),
			 OCC_OK);
	assert_int_equal(
		occ_evict_make_room(&ledger,
				    &(struct occ_evict_limits){MAX_SIZE, 0},
				    MAX_SIZE, NULL),
		OCC_E_TOO_LARGE);
	occ_size_ledger_unlock(&ledger);
	assert_int_equal(fixture_count(fixture, ".tmp"), 0);
	assert_int_equal(occ_store_measure(store, &size), OCC_OK);
	assert_int_equal(size, fixture_config_size(fixture));
	occ_store_close(store);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lock__processes_and_threads_on_a_small_store),
		TEST(test_lock__threads_of_one_process),
		TEST(test_lock__killed_between_reserving_and_renaming),
		TEST(test_lock__killed_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
