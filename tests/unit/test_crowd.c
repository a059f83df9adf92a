/* SPDX-License-Identifier: MIT */
/*
 * Crowds: sixteen processes of four threads each publish, look up, improve,
 * discard and clear on one store that is far too small for all, and kill each
 * other; once more while somebody deletes the directory ten times a second.
 * And what can be seen better alone: readers go on while an eviction stands
 * still, and who was of use stays.
 *
 * It ends when enough was done, and with OCLCACHE_TEST_LONG=1 not before a
 * minute is over. No child asserts: it counts failures in memory that all
 * share, and the parent looks there. A few calls of the library come by here
 * (CROWD_CALLS in the Makefile), which shows what is done in which operation.
 */
#include "tests/unit/fixture.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "cache/size_ledger.h"
#include "cache/listing.h"
#include "cache/state.h"
#include "cache/store.h"

#define PROCESSES   16
#define THREADS	    4
#define KEYS	    300
#define HOT_KEYS    40 /* which are asked for as often as all others */
#define STATES_MAX  16
#define MAX_SIZE    300000 /* of a million */
#define LARGE_SIZE  70000  /* not read at once */
#define SIZE_MAX_OF (LARGE_SIZE + 8)

/* Far more than it may take: then it hangs, and says so. */
#define HANG_S	    500
#define LONG_S	    60

enum doing {
	NOTHING,
	READING,
	EVICTING, /* may be */
	REMOVING,
};

enum count {
	PUBLISHES,
	IMPROVES,
	HITS,
	MISSES,
	EVICTIONS,
	ORDERS, /* of evictions that were checked */
	DISCARDS,
	CLEARS,
	STATES,
	BUSY,
	TOO_LARGE,
	KILLS,
	WRECKS,
	MOVES, /* of these, out of the way */
	COUNTS,
};

static const char *const count_names[COUNTS] = {
	"publishes", "improvements",	 "hits",      "misses", "evictions",
	"in order",  "discards",	 "clearings", "states", "busy",
	"too large", "processes killed", "deletions", "moves",
};

/* Shared by all processes. */
static struct board {
	unsigned counts[COUNTS];
	bool doomed[PROCESSES]; /* somebody wants it killed */
	bool stop;
	unsigned failures;
	char failure[256]; /* the first */
} * board;

static struct {
	char path[64];
	char aside[80]; /* where the directory is moved before it is deleted */
	struct occ_key keys[KEYS];
	bool wrecked; /* the directory is deleted now and then */
	bool is_long;
	pid_t children[PROCESSES];
	unsigned generation;
} scene;

/* What this thread is about. */
static __thread enum doing doing;
static __thread char keep[64]; /* not to be evicted */
static __thread struct timespec scanned;
static __thread unsigned stop_at; /* this eviction; 0: never */

static void count(enum count what)
{
	__atomic_add_fetch(&board->counts[what], 1, __ATOMIC_RELAXED);
}

static unsigned counted(enum count what)
{
	return __atomic_load_n(&board->counts[what], __ATOMIC_RELAXED);
}

static void check(bool good, const char *what, const char *more)
{
	if (good ||
	    __atomic_add_fetch(&board->failures, 1, __ATOMIC_RELAXED) != 1)
		return;
	snprintf(board->failure, sizeof(board->failure), "%s: %s", what, more);
}

static void assert_no_failure(void)
{
	if (board->failures)
		fail_msg("%u failures, first: %s", board->failures,
			 board->failure);
}

/* Calls of the library */

static bool is_older(const struct timespec *one, const struct timespec *other)
{
	if (one->tv_sec != other->tv_sec)
		return one->tv_sec < other->tv_sec;
	return one->tv_nsec < other->tv_nsec;
}

static bool is_entry(const char *name)
{
	return strstr(name, ".cl_cache") != NULL;
}

/*
 * An entry is about to go: all that were of use before it must have gone. But
 * for one that was used after the eviction had looked at it.
 */
static void check_order(int directory, const char *name)
{
	struct stat victim, other;
	struct dirent *item;
	DIR *stream;

	if (fstatat(directory, name, &victim, 0) ||
	    !is_older(&victim.st_mtim, &scanned))
		return;
	stream = opendir(scene.path);
	while (stream && (item = readdir(stream)))
		if (is_entry(item->d_name) && strcmp(item->d_name, keep) != 0 &&
		    !fstatat(directory, item->d_name, &other, 0))
			check(!is_older(&other.st_mtim, &victim.st_mtim),
			      "evicted before an older one", name);
	if (stream)
		closedir(stream);
	count(ORDERS);
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names. */
#define DECLARE(type, name, ...)                                               \
	type __real_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__)

DECLARE(int, unlinkat, int, const char *, int);
DECLARE(int, flock, int, int);
DECLARE(int, nanosleep, const struct timespec *, struct timespec *);
DECLARE(DIR *, fdopendir, int);

int __wrap_unlinkat(int directory, const char *name, int flags)
{
	if (doing == EVICTING && is_entry(name)) {
		count(EVICTIONS);
		if (!scene.wrecked)
			check_order(directory, name);
		if (stop_at && !--stop_at)
			raise(SIGSTOP);
	}
	return __real_unlinkat(directory, name, flags);
}

int __wrap_flock(int file, int operation)
{
	check(doing != READING, "a reader", "takes a lock");
	return __real_flock(file, operation);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	check(doing != READING, "a reader", "waits");
	return __real_nanosleep(time, left);
}

/* By the clock that files' times are set by. */
DIR *__wrap_fdopendir(int file)
{
	clock_gettime(CLOCK_REALTIME_COARSE, &scanned);
	return __real_fdopendir(file);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Contents: the key's number and completeness say it all. */

static size_t make_binary(unsigned number, uint64_t completeness,
			  unsigned char *binary)
{
	size_t size =
		number % 50 ? 300 + (size_t)number * 37 % 40 * 100 : LARGE_SIZE;

	occ_put_u32(binary, number);
	occ_put_u32(binary + 4, (uint32_t)completeness);
	for (size_t i = 8; i < size; i++)
		binary[i] = (unsigned char)(number * 31 + completeness * 101 +
					    i / 7 + i);
	return size;
}

static void check_entry(const struct occ_entry *entry, unsigned number)
{
	uint64_t completeness =
		occ_entry_number(entry, OCC_META_COMPLETENESS, 0);
	unsigned char *binary = malloc(SIZE_MAX_OF);
	size_t size;

	check(binary, "memory", "none");
	if (!binary)
		return;
	size = make_binary(number, completeness, binary);
	check(completeness >= 1 && completeness <= 3 &&
		      entry->binary.size == size &&
		      !memcmp(entry->binary.data, binary, size),
	      "a hit", "wrong bytes");
	free(binary);
}

/* Operations */

static bool look_up(struct occ_store *store, unsigned number)
{
	struct occ_loaded loaded;
	int error;

	doing = READING;
	error = occ_store_lookup(store, &scene.keys[number], &loaded);
	doing = NOTHING;
	check(!error || error == OCC_E_NOT_FOUND, "look-up",
	      occ_error_string(error));
	count(error ? MISSES : HITS);
	if (error)
		return false;
	check_entry(&loaded.entry, number);
	occ_loaded_release(&loaded);
	return true;
}

/* What may come of changing something, with others about. */
static void check_answer(const char *what, int error, enum count success)
{
	switch (error) {
	case OCC_OK:
		count(success);
		return;
	case OCC_E_BUSY:
		count(BUSY);
		return;
	case OCC_E_TOO_LARGE: /* others' reservations */
		count(TOO_LARGE);
		return;
	case OCC_E_EXISTS:
	case OCC_E_SIZE_LEDGER: /* killed when it had just been made */
		return;
	default:
		check(scene.wrecked && (error == OCC_E_NO_DIRECTORY ||
					error == OCC_E_IO),
		      what, occ_error_string(error));
	}
}

typedef int (*publish)(struct occ_store *store, const struct occ_key *key,
		       struct occ_span metadata, struct occ_span binary);

static int store_entry(struct occ_store *store, unsigned number,
		       uint64_t completeness, publish function)
{
	unsigned char *binary = malloc(SIZE_MAX_OF);
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	int error = OCC_E_MEMORY;
	size_t size;

	occ_meta_append_number(&metadata, OCC_META_COMPLETENESS, completeness);
	if (binary) {
		size = make_binary(number, completeness, binary);
		fixture_entry_name(&scene.keys[number], ".cl_cache", keep);
		if (function == occ_store_publish)
			keep[0] = '\0';
		doing = EVICTING;
		error = function(store, &scene.keys[number],
				 occ_buffer_span(&metadata),
				 (struct occ_span){binary, size});
		doing = NOTHING;
	}
	free(binary);
	occ_buffer_release(&metadata);
	return error;
}

static void publish_one(struct occ_store *store, unsigned number)
{
	check_answer("publish",
		     store_entry(store, number, 1, occ_store_publish),
		     PUBLISHES);
}

static void improve_one(struct occ_store *store, unsigned number,
			uint64_t completeness)
{
	check_answer("improve",
		     store_entry(store, number, completeness,
				 occ_store_improve),
		     IMPROVES);
}

/* Takes a while; or else the crowd would do nothing but wait for the lock. */
static void build(struct occ_store *store, unsigned number)
{
	const struct timespec pause = {0, 2000000};

	nanosleep(&pause, NULL);
	publish_one(store, number);
}

static void discard_one(struct occ_store *store, unsigned number)
{
	doing = REMOVING;
	check_answer("discard", occ_store_discard(store, &scene.keys[number]),
		     DISCARDS);
	doing = NOTHING;
}

static void set_state(struct occ_store *store, unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), "number %u", number % STATES_MAX);
	keep[0] = '\0';
	doing = EVICTING;
	check_answer("state",
		     occ_state_set(store, name, &number, sizeof(number)),
		     STATES);
	doing = NOTHING;
}

/* As users do. */
static void clear(void)
{
	DIR *stream = opendir(scene.path);
	struct dirent *item;

	while (stream && (item = readdir(stream)))
		if (is_entry(item->d_name))
			__real_unlinkat(dirfd(stream), item->d_name, 0);
	if (stream)
		closedir(stream);
	count(CLEARS);
}

/* Workers */

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

static void work_once(struct occ_store *store, unsigned *seed)
{
	unsigned what = next_random(seed) % 64;
	unsigned of = next_random(seed) % 2 ? HOT_KEYS : KEYS;
	unsigned number = next_random(seed) % of;

	if (what < 1)
		discard_one(store, number);
	else if (what < 2)
		set_state(store, number);
	else if (what < 12)
		publish_one(store, number);
	else if (what < 18)
		improve_one(store, number, 2 + what % 2);
	else if (!look_up(store, number))
		build(store, number);
	if (next_random(seed) % 2048 == 0)
		clear();
	if (next_random(seed) % 256 == 0)
		__atomic_store_n(&board->doomed[next_random(seed) % PROCESSES],
				 true, __ATOMIC_RELAXED);
}

static void *work(void *data)
{
	unsigned seed = *(unsigned *)data;
	struct occ_store *store = occ_store_open(scene.path, MAX_SIZE, false);

	check(store, "open", "no memory");
	while (store && !__atomic_load_n(&board->stop, __ATOMIC_RELAXED))
		work_once(store, &seed);
	occ_store_close(store);
	return NULL;
}

static void work_in_threads(unsigned seed)
{
	pthread_t threads[THREADS];
	unsigned seeds[THREADS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < THREADS; i++) {
		seeds[i] = seed * THREADS + i;
		check(!pthread_create(&threads[i], NULL, work, &seeds[i]),
		      "pthread_create", "fails");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* The parent */

static void start(unsigned which)
{
	scene.children[which] = fork();
	assert_true(scene.children[which] >= 0);
	if (!scene.children[which])
		work_in_threads(1 + scene.generation);
	scene.generation++;
}

/*
 * The parent is the executioner: it alone knows that a number is still the
 * child's.
 */
static void replace_doomed(void)
{
	int status;

	for (unsigned i = 0; i < PROCESSES; i++) {
		check(waitpid(scene.children[i], &status, WNOHANG) == 0,
		      "a process", "died by itself");
		if (board->failures ||
		    !__atomic_exchange_n(&board->doomed[i], false,
					 __ATOMIC_RELAXED))
			continue;
		kill(scene.children[i], SIGKILL);
		waitpid(scene.children[i], &status, 0);
		check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		      "a process", "died before it was killed");
		count(KILLS);
		start(i);
	}
}

static void wait_for_all(void)
{
	int status = -1;

	for (unsigned i = 0; i < PROCESSES; i++)
		check(waitpid(scene.children[i], &status, 0) ==
				      scene.children[i] &&
			      WIFEXITED(status) && !WEXITSTATUS(status),
		      "a process", "ended badly");
}

/* Under the lock, because a scan while files change counts some twice. */
static void watch(int directory)
{
	struct occ_size_ledger ledger;
	uint64_t size = 0;
	int error = occ_size_ledger_lock(directory, &ledger);

	if (error == OCC_E_BUSY)
		return;
	check(!error, "lock", occ_error_string(error));
	if (error)
		return;
	check(!occ_listing_measure(directory, &size), "measure", "fails");
	check(size <= MAX_SIZE, "the files", "above the maximum");
	check(size <= ledger.size, "the total", "too small");
	occ_size_ledger_unlock(&ledger);
}

/* File by file, or at once; then there may be who still writes there. */
static void wreck(void)
{
	fixture_remove_tree(scene.aside);
	if (counted(WRECKS) % 2 && !rename(scene.path, scene.aside))
		count(MOVES);
	else
		fixture_remove_tree(scene.path);
	mkdir(scene.path, 0700);
	count(WRECKS);
}

static bool is_enough(time_t start)
{
	unsigned wanted = scene.is_long ? 10000 : 1000;

	if (scene.is_long && time(NULL) - start < LONG_S)
		return false;
	if (scene.wrecked)
		return counted(WRECKS) >= 10 && counted(MOVES) &&
		       counted(HITS) >= wanted / 10 &&
		       counted(PUBLISHES) >= wanted / 10;
	return counted(PUBLISHES) >= wanted && counted(HITS) >= wanted &&
	       counted(EVICTIONS) >= 100 && counted(ORDERS) && counted(KILLS) &&
	       counted(IMPROVES) && counted(DISCARDS) && counted(CLEARS) &&
	       counted(STATES);
}

static void report(const char *name, time_t start)
{
	printf("# %s, %ld s:", name, (long)(time(NULL) - start));
	for (int i = 0; i < COUNTS; i++)
		printf(" %u %s%s", board->counts[i], count_names[i],
		       i < COUNTS - 1 ? "," : "\n");
	fflush(stdout);
}

static void gather(struct fixture *fixture, const char *name)
{
	const struct timespec pause = {0, scene.wrecked ? 100000000 : 2000000};
	time_t start_time = time(NULL);

	for (unsigned i = 0; i < PROCESSES; i++)
		start(i);
	while (!is_enough(start_time) && !board->failures) {
		nanosleep(&pause, NULL);
		replace_doomed();
		if (scene.wrecked)
			wreck();
		else
			watch(fixture->directory);
	}
	__atomic_store_n(&board->stop, true, __ATOMIC_RELAXED);
	wait_for_all();
	report(name, start_time);
	assert_no_failure();
}

/* Afterwards */

static unsigned count_found(struct occ_store *store)
{
	unsigned found = 0;

	for (unsigned i = 0; i < KEYS; i++)
		found += look_up(store, i);
	assert_no_failure();
	return found;
}

/* Each file is some key's, and its bytes are right. */
static void assert_entries_good(struct fixture *fixture,
				struct occ_store *store)
{
	assert_int_equal(count_found(store),
			 fixture_count(fixture, ".cl_cache"));
}

static void assert_state_good(struct occ_store *store)
{
	unsigned found = 0, value = 0;
	char name[32];
	size_t size;

	for (unsigned i = 0; i < STATES_MAX; i++) {
		snprintf(name, sizeof(name), "number %u", i);
		if (occ_state_get(store, name, (unsigned char *)&value,
				  sizeof(value), &size))
			continue;
		assert_int_equal(size, sizeof(value));
		assert_int_equal(value % STATES_MAX, i);
		found++;
	}
	assert_true(found > 0);
}

static void assert_no_lock_is_stuck(struct fixture *fixture)
{
	DIR *stream = opendir(fixture->path);
	struct dirent *item;
	int file;

	assert_non_null(stream);
	while ((item = readdir(stream))) {
		if (item->d_name[0] == '.')
			continue;
		file = openat(fixture->directory, item->d_name, O_RDWR);
		assert_true(file >= 0);
		assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
		close(file);
	}
	closedir(stream);
}

/* Publishes until it doesn't fit; what that finds amiss it mends. */
static void assert_mended(struct fixture *fixture)
{
	struct occ_store *store = fixture_open_store(fixture, MAX_SIZE);
	unsigned before = counted(EVICTIONS);
	int error;

	for (int i = 0; i < 4 * KEYS && counted(EVICTIONS) == before; i++) {
		discard_one(store, (unsigned)i % KEYS);
		error = store_entry(store, (unsigned)i % KEYS, 3,
				    occ_store_publish);
		assert_true(!error || error == OCC_E_SIZE_LEDGER);
		error = store_entry(store, (unsigned)(i + 1) % KEYS, 3,
				    occ_store_publish);
		assert_true(!error || error == OCC_E_EXISTS);
	}
	assert_true(counted(EVICTIONS) > before);
	watch(fixture->directory);
	assert_entries_good(fixture, store);
	/* Nothing of the crowd's is left, and the total is exact. */
	fixture_close_store(fixture, store);
	assert_no_failure();
}

static void reopen(struct fixture *fixture)
{
	close(fixture->directory);
	mkdir(fixture->path, 0700);
	fixture->directory = open(fixture->path, O_RDONLY | O_DIRECTORY);
	assert_true(fixture->directory >= 0);
}

static void test_crowd__of_processes_that_kill_each_other(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store;

	gather(fixture, "a crowd");
	assert_no_lock_is_stuck(fixture);
	watch(fixture->directory);
	store = fixture_open_store(fixture, MAX_SIZE);
	assert_entries_good(fixture, store);
	assert_state_good(store);
	occ_store_close(store);
	assert_mended(fixture);
}

static void test_crowd__whose_directory_is_deleted(void **state)
{
	struct fixture *fixture = *state;

	scene.wrecked = true;
	gather(fixture, "a crowd without a home");
	scene.wrecked = false;
	reopen(fixture);
	assert_no_lock_is_stuck(fixture);
	assert_mended(fixture);
}

/* Of small entries. Returns how many there are. */
static unsigned fill(struct occ_store *store, unsigned number, unsigned end)
{
	unsigned filled = 0;

	for (; number < end; number++) {
		if (number % 50 == 0)
			continue;
		assert_int_equal(store_entry(store, number, 1,
					     occ_store_publish),
				 OCC_OK);
		filled++;
	}
	return filled;
}

/* In a child: stops in the midst of an eviction, with the lock. */
static void evict_and_stop(void)
{
	struct occ_store *store = occ_store_open(scene.path, MAX_SIZE, false);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stop_at = 5;
	for (unsigned i = 0; store && i < KEYS; i++)
		publish_one(store, i);
	_exit(0);
}

static void test_crowd__readers_wait_for_no_eviction(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, MAX_SIZE);
	int status, file;
	pid_t child;

	fill(store, 0, 60);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		evict_and_stop();
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(counted(EVICTIONS), 5);
	file = openat(fixture->directory, "config.file", O_RDWR);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), -1);
	/* No look-up takes a lock or waits: see the calls above. */
	assert_true(count_found(store) > 50);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
	close(file);
	occ_store_close(store);
	assert_mended(fixture);
}

static void age_all(struct fixture *fixture, time_t age)
{
	DIR *stream = opendir(fixture->path);
	struct dirent *item;

	assert_non_null(stream);
	while ((item = readdir(stream)))
		if (is_entry(item->d_name))
			fixture_age(fixture, item->d_name, age, age);
	closedir(stream);
}

static const unsigned useful[] = {7, 23, 42};

#define USEFUL (sizeof(useful) / sizeof(useful[0]))

static unsigned count_useful(struct occ_store *store)
{
	unsigned found = 0;

	for (size_t i = 0; i < USEFUL; i++)
		found += look_up(store, useful[i]);
	return found;
}

static void test_crowd__who_was_just_hit_stays(void **state)
{
	struct fixture *fixture = *state;
	struct occ_store *store = fixture_open_store(fixture, MAX_SIZE);
	unsigned next = 60;

	fill(store, 0, next);
	age_all(fixture, 3600);
	assert_int_equal(count_useful(store), USEFUL);
	for (; !counted(EVICTIONS) && next < KEYS; next++)
		fill(store, next, next + 1);
	assert_true(counted(EVICTIONS) > 0);
	assert_int_equal(counted(ORDERS), counted(EVICTIONS));
	assert_int_equal(count_useful(store), USEFUL);
	occ_store_close(store);
	/* But not when nothing else would leave enough room. */
	store = fixture_open_store(fixture, LARGE_SIZE + 2000);
	assert_int_equal(store_entry(store, 100, 1, occ_store_publish), OCC_OK);
	assert_true(count_useful(store) < USEFUL);
	assert_true(look_up(store, 100));
	fixture_close_store(fixture, store);
	assert_no_failure();
}

static void hang(int signal)
{
	static const char message[] = "It hangs\n";

	(void)signal;
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(2);
	_exit(1); /* the children go with it */
}

static int setup(void **state)
{
	signal(SIGALRM, hang);
	alarm(HANG_S);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED || fixture_setup(state))
		return -1;
	strcpy(scene.path, ((struct fixture *)*state)->path);
	snprintf(scene.aside, sizeof(scene.aside), "%s.aside", scene.path);
	scene.is_long = getenv("OCLCACHE_TEST_LONG") != NULL;
	for (unsigned i = 0; i < KEYS; i++)
		fixture_key(&scene.keys[i], i);
	return 0;
}

static int teardown(void **state)
{
	alarm(0);
	for (unsigned i = 0; i < KEYS; i++)
		occ_key_release(&scene.keys[i]);
	munmap(board, sizeof(*board));
	/* Somebody may have made a file in it while it was deleted. */
	fixture_remove_tree(scene.aside);
	return fixture_teardown(state);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(int count, char **arguments)
{
	const struct CMUnitTest tests[] = {
		TEST(test_crowd__of_processes_that_kill_each_other),
		TEST(test_crowd__whose_directory_is_deleted),
		TEST(test_crowd__readers_wait_for_no_eviction),
		TEST(test_crowd__who_was_just_hit_stays),
	};

	if (count > 1)
		cmocka_set_test_filter(arguments[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
