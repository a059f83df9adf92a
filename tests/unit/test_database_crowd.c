/* SPDX-License-Identifier: MIT */
/*
 * A crowd adds to one database and is killed at any moment: what was committed
 * is there, right and once; nobody leaves bytes that are no frame's (D2), or a
 * lock. Once more with a maximum, which nobody passes.
 *
 * It ends when enough was done, with OCLCACHE_TEST_LONG=1 not before half a
 * minute is over. No child asserts: it counts failures in memory that all
 * share.
 */
#include "tests/unit/fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cache/database.h"
#include "tests/unit/database.h"

#define PROCESSES 8
#define TEXTS	  400
#define SIZE	  1500
#define KILLS	  60
#define COMMITS	  400
#define LONG_S	  30
#define HANG_S	  300

static struct board {
	unsigned char committed[TEXTS];
	unsigned commits, kills, busy, too_large, failures;
	char failure[200]; /* the first */
} * board;

static char path[128];
static uint64_t maximum;

static void check(bool good, const char *what, int error)
{
	if (good ||
	    __atomic_add_fetch(&board->failures, 1, __ATOMIC_RELAXED) != 1)
		return;
	snprintf(board->failure, sizeof(board->failure), "%s: %s", what,
		 occ_error_string(error));
}

static void count(unsigned *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

/* Texts that are alike, and some that aren't. */
static struct occ_buffer make_text(unsigned number)
{
	return number % 5 ? database_variant(SIZE, 0, number)
			  : database_noise(SIZE / 3, number);
}

static void add_some(struct occ_database *database, unsigned *random)
{
	unsigned first = *random % TEXTS, number = 1 + *random / TEXTS % 6;
	int error = occ_database_begin(database, DATABASE_WAIT);
	struct occ_digest name;

	check(!error || error == OCC_E_BUSY, "begin", error);
	count(error ? &board->busy : &board->commits);
	for (unsigned i = 0; i < number && !error; i++) {
		struct occ_buffer text = make_text((first + i) % TEXTS);

		error = occ_database_add(database, OCC_FRAME_CONTENT,
					 occ_buffer_span(&text), &name);
		occ_buffer_release(&text);
		check(!error || (maximum && error == OCC_E_TOO_LARGE), "add",
		      error);
		if (!error)
			continue;
		count(&board->too_large);
		occ_database_abandon(database);
		return;
	}
	if (error)
		return;
	error = occ_database_commit(database);
	check(!error, "commit", error);
	for (unsigned i = 0; i < number && !error; i++)
		board->committed[(first + i) % TEXTS] = 1;
}

/* Opens and adds, sometimes once and sometimes often. */
static void live(unsigned seed)
{
	unsigned random = seed;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		struct occ_database *database = NULL;
		int error = occ_database_open(path, maximum, &database);

		check(!error || error == OCC_E_BUSY, "open", error);
		random = database_mix(random, seed);
		for (unsigned i = 0; i < random % 20 && !error; i++) {
			random = database_mix(random, i);
			add_some(database, &random);
		}
		if (!error)
			occ_database_close(database);
	}
}

static pid_t start(unsigned seed)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		live(seed);
	return child;
}

static void end(pid_t child)
{
	int status;

	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "a child",
	      OCC_OK);
}

static void run_crowd(void)
{
	time_t begin = time(NULL);
	bool is_long = getenv("OCLCACHE_TEST_LONG") != NULL;
	pid_t children[PROCESSES];
	unsigned seed = 0;

	for (int i = 0; i < PROCESSES; i++)
		children[i] = start(++seed);
	while (board->kills < KILLS || board->commits < COMMITS ||
	       (is_long && time(NULL) - begin < LONG_S)) {
		struct timespec pause = {0, (long)(database_mix(seed, 1) %
						   15000000)};
		int chosen = (int)(database_mix(seed, 2) % PROCESSES);

		nanosleep(&pause, NULL);
		end(children[chosen]);
		board->kills++;
		children[chosen] = start(++seed);
	}
	for (int i = 0; i < PROCESSES; i++)
		end(children[i]);
}

/* No name twice: nothing was damaged. */
static void expect_once(const struct occ_database *database)
{
	size_t frames = occ_database_count(database);

	for (size_t i = 0; i < frames; i++)
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(
				&occ_database_frame(database, i)->name,
				&occ_database_frame(database, j)->name,
				OCC_DIGEST_SIZE);
}

static void judge(struct fixture *fixture)
{
	struct occ_database *database = database_open_read(fixture);

	if (board->failures)
		fail_msg("%u failures, first: %s", board->failures,
			 board->failure);
	assert_int_equal(occ_database_bad(database), 0);
	for (unsigned i = 0; i < TEXTS; i++) {
		struct occ_buffer text = make_text(i);

		if (board->committed[i])
			database_expect(database, OCC_FRAME_CONTENT, &text);
		occ_buffer_release(&text);
	}
	expect_once(database);
	assert_true(!maximum || occ_database_size(database) <= maximum);
	printf("# %u commits, %u busy, %u too large, %u killed, %zu frames, "
	       "%zu chains\n",
	       board->commits, board->busy, board->too_large, board->kills,
	       occ_database_count(database), database_count_chains(fixture));
	assert_int_equal(database_count_chains(fixture), 0);
	occ_database_close(database);
	/* The lock is nobody's. */
	database = database_open(fixture, 0);
	assert_int_equal(occ_database_begin(database, 0), OCC_OK);
	occ_database_abandon(database);
	occ_database_close(database);
}

static void play(struct fixture *fixture, uint64_t max_size)
{
	database_path(fixture, path);
	maximum = max_size;
	memset(board, 0, sizeof(*board));
	alarm(HANG_S);
	run_crowd();
	judge(fixture);
	assert_true(!max_size || board->too_large);
}

static void test_crowd(void **state)
{
	play(*state, 0);
}

static void test_maximum(void **state)
{
	play(*state, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_crowd, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(test_maximum, fixture_setup,
						fixture_teardown),
	};

	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
