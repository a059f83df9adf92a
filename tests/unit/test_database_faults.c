/* SPDX-License-Identifier: MIT */
/*
 * cache/database.h when something fails: in every operation the n-th system
 * call fails, is cut short, or the process dies there, for every n until the
 * operation comes through; the n-th allocation fails; and what was written is
 * done again to a disk that stops at any point and hasn't kept all of it. After
 * each of them what was there before is there, nothing is leaked or locked, and
 * the operation, done once more, works.
 *
 * All errors with OCLCACHE_TEST_LONG=1, otherwise one for each n by turns.
 */
#include "tests/unit/fixture.h"

#include <sys/wait.h>

#include "cache/database.h"
#include "tests/unit/database.h"

/* After the standard headers, whose functions it replaces. */
#include "tests/unit/fault.h"

#define TEXTS	   6 /* of them the first are there before */
#define BEFORE	   3
#define TEXT_SIZE  900
#define WAIT_MS	   50
#define BLOCK_SIZE 512
#define CALLS_MAX  FAULT_TRACE
#define WRITES_MAX 32

static const int errors[] = {ENOSPC, EIO,    EDQUOT, ENOMEM, EACCES,
			     EROFS,  ESTALE, ENOLCK, EFBIG,  EINTR};

#define ERRORS (sizeof(errors) / sizeof(*errors))

static struct {
	struct fixture *fixture;
	struct occ_buffer texts[TEXTS];
	char path[128];
	bool all;
	unsigned trials;
	char trial[160]; /* what is being tried, for messages */
} scene;

/* An operation: adds `texts` from `first` on; is it there before? */
struct operation {
	const char *name;
	int (*run)(void);
	bool adds;
	size_t before; /* texts that are there when it begins */
};

static int add_from(struct occ_database *database, size_t first)
{
	struct occ_digest name;
	int error = occ_database_begin(database, WAIT_MS);

	if (error)
		return error;
	for (size_t i = first; i < TEXTS && !error; i++)
		error = occ_database_add(database, OCC_FRAME_CONTENT,
					 occ_buffer_span(&scene.texts[i]),
					 &name);
	if (!error)
		return occ_database_commit(database);
	occ_database_abandon(database);
	return error;
}

static int open_and_add(void)
{
	struct occ_database *database;
	int error = occ_database_open(scene.path, 0, &database);

	if (error)
		return error;
	error = add_from(database, BEFORE);
	occ_database_close(database);
	return error;
}

static int read_all(void)
{
	struct occ_database *database;
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error = occ_database_open_read(scene.path, &database);

	if (error)
		return error;
	for (size_t i = occ_database_count(database); i-- > 0 && !error;)
		error = occ_database_read(
			database, OCC_FRAME_CONTENT,
			&occ_database_frame(database, i)->name, &bytes);
	FAULT_EXPECT(error || bytes.size == (size_t)TEXT_SIZE * BEFORE,
		     "other bytes");
	occ_buffer_release(&bytes);
	occ_database_close(database);
	return error;
}

/* As a long process does: what it added is known to it. */
static int add_twice(void)
{
	struct occ_database *database;
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error = occ_database_open(scene.path, 0, &database);

	if (error)
		return error;
	error = add_from(database, TEXTS - 1);
	if (!error)
		error = add_from(database, BEFORE);
	for (size_t i = 0; i < occ_database_count(database) && !error; i++)
		error = occ_database_read(
			database, OCC_FRAME_CONTENT,
			&occ_database_frame(database, i)->name, &bytes);
	occ_buffer_release(&bytes);
	occ_database_close(database);
	return error;
}

static const struct operation operations[] = {
	{"make and add", open_and_add, true, 0},
	{"add", open_and_add, true, BEFORE},
	{"add twice", add_twice, true, BEFORE},
	{"read", read_all, false, BEFORE},
};

static void prepare(const struct operation *operation)
{
	struct occ_database *database;
	struct occ_digest name;

	unlink(scene.path);
	if (!operation->before)
		return;
	database = database_open(scene.fixture, 0);
	assert_int_equal(occ_database_begin(database, WAIT_MS), OCC_OK);
	for (size_t i = 0; i < operation->before; i++)
		assert_int_equal(occ_database_add(database, OCC_FRAME_CONTENT,
						  occ_buffer_span(
							  &scene.texts[i]),
						  &name),
				 OCC_OK);
	assert_int_equal(occ_database_commit(database), OCC_OK);
	occ_database_close(database);
}

/* Which of the texts are there, a bit each; none is wrong. */
static unsigned find_texts(void)
{
	struct occ_database *database = NULL;
	struct occ_digest name;
	unsigned found = 0;
	int error = occ_database_open_read(scene.path, &database);

	if (error == OCC_E_IO || error == OCC_E_CORRUPT)
		return 0;
	FAULT_EXPECT(!error, "can't open: %s", occ_error_string(error));
	for (size_t i = 0; i < TEXTS; i++) {
		struct occ_buffer bytes = OCC_BUFFER_INIT;

		occ_database_name(occ_buffer_span(&scene.texts[i]), &name);
		error = occ_database_read(database, OCC_FRAME_CONTENT, &name,
					  &bytes);
		FAULT_EXPECT(error || !memcmp(bytes.data, scene.texts[i].data,
					      TEXT_SIZE),
			     "text %zu has other bytes", i);
		FAULT_EXPECT(!error || error == OCC_E_NOT_FOUND ||
				     error == OCC_E_CORRUPT,
			     "text %zu: %s", i, occ_error_string(error));
		found |= (unsigned)!error << i;
		occ_buffer_release(&bytes);
	}
	occ_database_close(database);
	return found;
}

#define MASK(count) ((1u << (count)) - 1)

/* `error`: what the operation said. */
static void judge(const struct operation *operation, int error)
{
	unsigned before = MASK(operation->before);
	unsigned added = MASK(TEXTS) & ~MASK(BEFORE);
	unsigned found = find_texts();

	FAULT_EXPECT((found & before) == before, "what was there is lost: %x",
		     found);
	FAULT_EXPECT(error || !operation->adds || (found & added) == added,
		     "what was added isn't there: %x", found);
	error = operation->run();
	FAULT_EXPECT(!error, "once more: %s", occ_error_string(error));
	found = find_texts();
	FAULT_EXPECT(!operation->adds || (found & added) == added,
		     "nor is it then: %x", found);
	FAULT_EXPECT((found & before) == before, "or what was before: %x",
		     found);
}

/* Returns whether the fault was met. */
static bool try_plan(const struct operation *operation,
		     const struct fault_plan *plan)
{
	int descriptors, error;
	long blocks;
	bool met;

	snprintf(scene.trial, sizeof(scene.trial),
		 "%s: class %d, how %d, call %u, %s%s", operation->name,
		 plan->class, plan->how, plan->n, strerror(plan->error),
		 plan->for_ever ? " for ever" : "");
	prepare(operation);
	descriptors = fault_count_descriptors();
	blocks = fault.blocks;
	fault_arm(plan);
	error = operation->run();
	fault_disarm();
	met = fault.calls >= plan->n;
	FAULT_EXPECT(fault.blocks == blocks, "%ld blocks are leaked",
		     fault.blocks - blocks);
	FAULT_EXPECT(fault_count_descriptors() == descriptors,
		     "descriptors are leaked");
	/* A close() or an fchmod() that fails is no failure. */
	FAULT_EXPECT(plan->class != FAULT_MEMORY || !fault.hits ||
			     error == OCC_E_MEMORY || !error,
		     "no memory is said to be: %s", occ_error_string(error));
	judge(operation, error);
	scene.trials++;
	return met;
}

static void test_failures(void **state)
{
	static const enum fault_how hows[] = {FAULT_FAILS, FAULT_FAILS_AFTER,
					      FAULT_SHORT, FAULT_EMPTY};
	const struct operation *operation = *state;
	struct fault_plan plan = {.class = FAULT_SYSTEM, .n = 1};
	bool met = true;

	for (; met && plan.n < CALLS_MAX; plan.n++)
		for (unsigned i = 0; i < 4 * ERRORS; i++) {
			plan.how = hows[i / ERRORS];
			plan.error = errors[i % ERRORS];
			plan.for_ever = i % 2;
			if (scene.all || i % ERRORS == plan.n % ERRORS)
				met = try_plan(operation, &plan);
		}
	assert_true(plan.n > 3 && plan.n < CALLS_MAX);
}

static void test_memory(void **state)
{
	const struct operation *operation = *state;
	struct fault_plan plan = {.class = FAULT_MEMORY,
				  .how = FAULT_FAILS,
				  .n = 1};
	bool met = true;

	for (; met && plan.n < CALLS_MAX; plan.n++)
		for (int i = 0; i < 2; i++) {
			plan.for_ever = i;
			met = try_plan(operation, &plan);
		}
	assert_true(plan.n > 3 && plan.n < CALLS_MAX);
}

static bool die(const struct operation *operation,
		const struct fault_plan *plan)
{
	pid_t child;
	int status;

	snprintf(scene.trial, sizeof(scene.trial), "%s: dies (%d) at call %u",
		 operation->name, plan->how, plan->n);
	prepare(operation);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		fault_arm(plan);
		operation->run();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	FAULT_EXPECT(WIFEXITED(status), "it crashed");
	judge(operation, OCC_E_IO);
	scene.trials++;
	return WEXITSTATUS(status) == FAULT_EXIT;
}

static void test_deaths(void **state)
{
	const struct operation *operation = *state;
	struct fault_plan plan = {.class = FAULT_SYSTEM, .n = 1};
	bool met = true;

	for (; met && plan.n < CALLS_MAX; plan.n++) {
		plan.how = FAULT_DIES_BETWEEN;
		die(operation, &plan);
		plan.how = FAULT_DIES;
		met = die(operation, &plan);
	}
	assert_true(plan.n > 3 && plan.n < CALLS_MAX);
}

/* Power cuts: what was written, in order. */
static struct {
	struct write {
		unsigned char *data;
		size_t offset, size;
	} writes[WRITES_MAX];
	size_t count;
	unsigned char *before;
	size_t before_size;
} disk;

static void note_write(const struct fault_change *change)
{
	struct write *write = &disk.writes[disk.count];

	if (change->what != FAULT_WRITES)
		return;
	assert_true(disk.count++ < WRITES_MAX);
	write->data = __real_malloc((size_t)change->size + 1);
	write->offset = (size_t)change->offset;
	write->size = (size_t)change->size;
	memcpy(write->data, change->data, write->size);
}

/*
 * The file after the first `count` writes, of whose blocks those aren't kept
 * that `is_lost` has: they are as they were. `size`: SIZE_MAX for all.
 */
static void write_disk(size_t count, uint64_t lost, size_t size)
{
	size_t whole = disk.before_size;
	unsigned char *file;

	for (size_t i = 0; i < count; i++)
		if (disk.writes[i].offset + disk.writes[i].size > whole)
			whole = disk.writes[i].offset + disk.writes[i].size;
	file = calloc(1, whole + 1);
	assert_non_null(file);
	if (disk.before_size)
		memcpy(file, disk.before, disk.before_size);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < disk.writes[i].size; j++) {
			size_t at = disk.writes[i].offset + j;

			if (!(lost >> at / BLOCK_SIZE % 64 & 1))
				file[at] = disk.writes[i].data[j];
		}
	fixture_write(scene.fixture, DATABASE_FILE, file,
		      whole < size ? whole : size);
	free(file);
}

/* A new file may be lost with its head. */
static void judge_cut(const struct operation *operation, bool may_lose_all)
{
	struct occ_database *database = NULL;

	if (may_lose_all &&
	    occ_database_open_read(scene.path, &database) == OCC_E_CORRUPT)
		return;
	occ_database_close(database);
	judge(operation, OCC_E_IO);
	scene.trials++;
}

static void test_power(void **state)
{
	const struct operation *operation = *state;
	struct stat status;

	prepare(operation);
	disk.count = disk.before_size = 0;
	if (operation->before)
		disk.before = fixture_read(scene.fixture, DATABASE_FILE,
					   &disk.before_size);
	fault.changed = note_write;
	assert_int_equal(operation->run(), OCC_OK);
	fault.changed = NULL;
	assert_true(disk.count >= 2);
	assert_int_equal(stat(scene.path, &status), 0);
	for (size_t count = 0; count <= disk.count; count++) {
		uint64_t blocks = (uint64_t)status.st_size / BLOCK_SIZE + 1;

		assert_true(blocks < 12);
		for (uint64_t lost = 0; lost < UINT64_C(1) << blocks; lost++) {
			snprintf(scene.trial, sizeof(scene.trial),
				 "%s: power cut after write %zu, blocks %#x",
				 operation->name, count, (unsigned)lost);
			write_disk(count, lost, SIZE_MAX);
			judge_cut(operation,
				  !operation->before && (lost & 1 || !count));
		}
		for (size_t size = disk.before_size;
		     size <= (size_t)status.st_size; size += 8) {
			snprintf(scene.trial, sizeof(scene.trial),
				 "%s: power cut after write %zu, size %zu",
				 operation->name, count, size);
			write_disk(count, 0, size);
			judge_cut(operation, !operation->before && size < 32);
		}
	}
	for (size_t i = 0; i < disk.count; i++)
		__real_free(disk.writes[i].data);
	free(disk.before);
	disk.before = NULL;
}

static int open_scene(void **state)
{
	void *fixture;

	(void)state;
	if (fixture_setup(&fixture))
		return -1;
	scene.fixture = fixture;
	database_path(scene.fixture, scene.path);
	scene.all = getenv("OCLCACHE_TEST_LONG") != NULL;
	for (unsigned i = 0; i < TEXTS; i++)
		scene.texts[i] = i % 3 == 2 ? database_noise(TEXT_SIZE, i)
					    : database_variant(TEXT_SIZE, 0, i);
	return 0;
}

static int close_scene(void **state)
{
	void *fixture = scene.fixture;

	(void)state;
	printf("# %u trials\n", scene.trials);
	for (unsigned i = 0; i < TEXTS; i++)
		occ_buffer_release(&scene.texts[i]);
	return fixture_teardown(&fixture);
}

#define OF(test, number)                                                       \
	{                                                                      \
#test ": " #number, test, NULL, NULL,                          \
			(void *)&operations[number]                            \
	}

int main(int count, char **arguments)
{
	const struct CMUnitTest tests[] = {
		OF(test_failures, 0), OF(test_failures, 1),
		OF(test_failures, 2), OF(test_failures, 3),
		OF(test_memory, 0),   OF(test_memory, 1),
		OF(test_memory, 2),   OF(test_memory, 3),
		OF(test_deaths, 0),   OF(test_deaths, 1),
		OF(test_deaths, 2),   OF(test_power, 0),
		OF(test_power, 1),    OF(test_power, 2),
	};

	if (count > 1)
		cmocka_set_test_filter(arguments[1]);
	return cmocka_run_group_tests(tests, open_scene, close_scene);
}
