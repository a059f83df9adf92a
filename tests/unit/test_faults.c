/* SPDX-License-Identifier: MIT */
/*
 * Faults: in every operation of the store the n-th system call fails, for every
 * n until the operation comes through without; or it is cut short, or the
 * process ends there; or the n-th allocation fails. After each of them the
 * store must be as good as before: see judge().
 *
 * All errors with OCLCACHE_TEST_LONG=1; otherwise, for each n, some of them by
 * turns, which ones by OCLCACHE_TEST_SEED. With an argument only the tests
 * whose names match it ("improve*").
 */
#include "tests/unit/fixture.h"

#include <signal.h>
#include <sys/prctl.h>

#include "cache/size_ledger.h"
#include "cache/include_files.h"
#include "cache/cost.h"
#include "cache/counters.h"
#include "cache/history.h"
#include "cache/description.h"
#include "cache/file.h"
#include "cache/build_lock.h"
#include "cache/entry_file.h"
#include "cache/traits.h"
#include "cache/included_contents.h"
#include "cache/includes.h"
#include "cache/listing.h"
#include "cache/memory.h"
#include "cache/nearest.h"
#include "cache/evict.h"
#include "cache/state.h"
#include "cache/store.h"
#include "cache/working_set.h"

/* After the standard headers, whose functions it replaces. */
#include "tests/unit/fault.h"

#define KEYS	    8
#define HUGE_KEY    5 /* so large that its memory is made otherwise */
#define LARGE_KEY   6 /* larger than what is read at once */
#define PEER_KEY    7 /* what the other process publishes */
#define SMALL_SIZE  300
#define LARGE_SIZE  80000
#define HUGE_SIZE   ((size_t)4300 << 10)

#define BIT(number) (1u << (number))

/* So many operations at most may be needed for one that runs through. */
#define CALLS_MAX   FAULT_TRACE

/*
 * Without OCLCACHE_TEST_LONG only every so many-th call. The rest of a test is
 * slow in a sanitizer's build, and a single thread has no races.
 */
#if defined(__SANITIZE_THREAD__)
#define EVERY 16
#elif defined(__SANITIZE_ADDRESS__)
#define EVERY 4
#else
#define EVERY 2
#endif

static const int errors[] = {ENOSPC, EIO,    EINTR,	  EDQUOT, ENOMEM,
			     EACCES, EROFS,  ENOLCK,	  ESTALE, EMFILE,
			     ENOENT, EPERM,  EWOULDBLOCK, ENOSYS, EEXIST,
			     EINVAL, ENFILE, ELOOP};

#define ERRORS (sizeof(errors) / sizeof(errors[0]))

/* What another process is asked to do. */
struct order {
	enum { PUBLISH, ENTER, LEAVE } what;
	uint64_t max_size;
};

static struct {
	char directory[64]; /* private */
	char parent[96];
	char path[104]; /* of the store */
	struct occ_key keys[KEYS];
	struct occ_store *store;	  /* what the operations use */
	struct occ_build_lock *own_gate;  /* what the operations use */
	struct occ_build_lock *peer_gate; /* and the other process */
	uint64_t peer_size;		  /* of its entry's file */
	pid_t peer;
	int to, from;
	bool all;
	unsigned seed;
	unsigned trials;
	char trial[200]; /* what is being tried, for messages */
} scene;

/* An operation with what it begins with, and what it may do. */
struct operation {
	const char *name;
	void (*prepare)(void);
	int (*run)(void);
	int answer;	  /* without a fault */
	unsigned present; /* entries that stay, whatever happens */
	unsigned made;	  /* and those that are there when it is OCC_OK */
	uint64_t max_size;
	bool gate; /* it is about the gate */
};

/* Contents */

static void make_binary(unsigned number, uint64_t completeness,
			struct occ_buffer *binary)
{
	unsigned char part[SMALL_SIZE];
	size_t size = number == HUGE_KEY    ? HUGE_SIZE
		      : number == LARGE_KEY ? LARGE_SIZE
					    : SMALL_SIZE;

	for (size_t at = 0; at < size; at += sizeof(part)) {
		for (size_t i = 0; i < sizeof(part); i++)
			part[i] =
				(unsigned char)(number * 31 + completeness * 7 +
						at / 7 + i);
		occ_buffer_append(binary, part, sizeof(part));
	}
}

static void make_metadata(uint64_t completeness, struct occ_buffer *metadata)
{
	occ_field_append(metadata, OCC_META_BUILD_LOG, "log", 3);
	occ_meta_append_number(metadata, OCC_META_COMPLETENESS, completeness);
}

/* The arguments of a publish, made beforehand: tests' memory doesn't fail. */
struct goods {
	struct occ_buffer metadata, binary;
};
static struct goods goods[KEYS][4];

static void make_goods(void)
{
	for (unsigned i = 0; i < KEYS; i++)
		for (unsigned c = 0; c < 4; c++) {
			make_metadata(c, &goods[i][c].metadata);
			if (i != HUGE_KEY || c == 1)
				make_binary(i, c, &goods[i][c].binary);
		}
}

static struct occ_span span(const struct occ_buffer *buffer)
{
	return (struct occ_span){buffer->data, buffer->size};
}

static int publish_in(struct occ_store *store, unsigned number)
{
	const struct goods *these = &goods[number][1];

	return occ_store_publish(store, &scene.keys[number],
				 span(&these->metadata), span(&these->binary));
}

static uint64_t file_size(unsigned number)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	const struct goods *these = &goods[number][1];
	uint64_t size;

	occ_entry_encode(&scene.keys[number], span(&these->metadata),
			 span(&these->binary), &file);
	size = file.size;
	occ_buffer_release(&file);
	return size;
}

/* The other process */

static int obey(const struct order *order)
{
	struct occ_store *store;
	int error;

	switch (order->what) {
	case PUBLISH:
		store = occ_store_open(scene.path, order->max_size, true);
		error = publish_in(store, PEER_KEY);
		/* Corrupt, and mended: the next one works. */
		if (error == OCC_E_SIZE_LEDGER)
			error = publish_in(store, PEER_KEY);
		occ_store_close(store);
		return error;
	case ENTER:
		return (int)occ_build_lock_enter(scene.peer_gate,
						 &scene.keys[0].hash, 0);
	case LEAVE:
		occ_build_lock_leave(scene.peer_gate, &scene.keys[0].hash);
		return 0;
	}
	return -1;
}

static void run_peer(int to, int from)
{
	struct order order;
	int answer;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(to, &order, sizeof(order)) == sizeof(order)) {
		answer = obey(&order);
		if (write(from, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

static int ask_peer(int what, uint64_t max_size)
{
	struct order order;
	int answer = -1;

	memset(&order, 0, sizeof(order));
	order.what = what;
	order.max_size = max_size;
	FAULT_EXPECT(write(scene.to, &order, sizeof(order)) == sizeof(order),
		     "the other process is gone");
	FAULT_EXPECT(read(scene.from, &answer, sizeof(answer)) ==
			     sizeof(answer),
		     "the other process is gone");
	return answer;
}

static void start_peer(void)
{
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	scene.peer = fork();
	assert_true(scene.peer >= 0);
	if (!scene.peer) {
		close(to[1]);
		close(from[0]);
		run_peer(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	scene.to = to[1];
	scene.from = from[0];
}

/* What operations begin with */

static void publish(unsigned number)
{
	int error = publish_in(scene.store, number);

	FAULT_EXPECT(error == OCC_OK, "can't prepare: %s",
		     occ_error_string(error));
}

static void age(const char *name, time_t age)
{
	struct timespec now, times[2];
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", scene.path, name);
	clock_gettime(CLOCK_REALTIME, &now);
	times[0] = times[1] = (struct timespec){now.tv_sec - age, 0};
	FAULT_EXPECT(!utimensat(AT_FDCWD, path, times, 0), "can't age %s",
		     name);
}

static void age_entry(unsigned number, time_t seconds)
{
	char name[64];

	fixture_entry_name(&scene.keys[number], ".cl_cache", name);
	age(name, seconds);
}

static int open_in_store(const char *name, int flags)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", scene.path, name);
	return open(path, flags, 0600);
}

static void write_file(const char *name, const void *data, size_t size)
{
	int file = open_in_store(name, O_WRONLY | O_CREAT | O_TRUNC);

	FAULT_EXPECT(file >= 0 && write(file, data, size) == (ssize_t)size,
		     "can't write %s", name);
	close(file);
}

/*
 * What config.file says, once it was locked: which also repairs it. Then it is
 * made to say `more`, which is nothing bad.
 */
static uint64_t recorded_size(uint64_t more)
{
	int directory = open(scene.path, O_RDONLY | O_DIRECTORY);
	struct occ_size_ledger ledger;
	int error = occ_size_ledger_lock(directory, &ledger);

	FAULT_EXPECT(!error, "can't lock: %s", occ_error_string(error));
	if (more)
		occ_size_ledger_add(&ledger, more);
	occ_size_ledger_unlock(&ledger);
	close(directory);
	return ledger.size;
}

static void nothing(void)
{
}

static void empty_directory(void)
{
	FAULT_EXPECT(!mkdir(scene.parent, 0700) && !mkdir(scene.path, 0700),
		     "can't make the directory");
}

static void two_entries(void)
{
	publish(0);
	publish(1);
	age_entry(0, 100);
}

static void two_and_a_large_one(void)
{
	two_entries();
	publish(LARGE_KEY);
	age_entry(LARGE_KEY, 100);
}

static void a_huge_one(void)
{
	publish(HUGE_KEY);
	age_entry(HUGE_KEY, 100);
}

/* With space for three, of whom the first was used last. */
static void full_store(void)
{
	publish(0);
	publish(1);
	publish(2);
	age_entry(0, 10);
	age_entry(1, 30);
	age_entry(2, 20);
}

/* And two temp files that nobody writes any more. */
static void full_with_orphans(void)
{
	full_store();
	write_file("oclcache-aaaaaa.tmp", "orphan", 6);
	write_file("oclcache-bbbbbb.tmp", "orphan", 6);
	recorded_size(12);
}

static void corrupt_entry(void)
{
	char name[64];
	int file;

	two_entries();
	fixture_entry_name(&scene.keys[0], ".cl_cache", name);
	file = open_in_store(name, O_WRONLY);
	FAULT_EXPECT(file >= 0 && pwrite(file, "?", 1, 400) == 1,
		     "can't corrupt");
	close(file);
}

static void short_config(void)
{
	two_entries();
	write_file("config.file", "abc", 3);
}

static void no_config(void)
{
	char path[200];

	two_entries();
	snprintf(path, sizeof(path), "%s/config.file", scene.path);
	FAULT_EXPECT(!unlink(path), "can't unlink config.file");
}

static void with_state(void)
{
	two_entries();
	FAULT_EXPECT(!occ_state_set(scene.store, "kept", "value", 5),
		     "can't set the state");
}

/* Operations */

static int look_up(struct occ_store *store, unsigned number)
{
	struct occ_loaded loaded;
	int error = occ_store_lookup(store, &scene.keys[number], &loaded);

	if (!error)
		occ_loaded_release(&loaded);
	return error;
}

static int open_and_miss(void)
{
	struct occ_store *store = occ_store_open(scene.path, 0, true);
	int error;

	if (!store)
		return OCC_E_MEMORY;
	error = look_up(store, 3);
	occ_store_close(store);
	return error;
}

static int look_up_0(void)
{
	return look_up(scene.store, 0);
}

static int look_up_large(void)
{
	return look_up(scene.store, LARGE_KEY);
}

static int look_up_huge(void)
{
	return look_up(scene.store, HUGE_KEY);
}

static int publish_0(void)
{
	return publish_in(scene.store, 0);
}

static int publish_3(void)
{
	return publish_in(scene.store, 3);
}

static int publish_large(void)
{
	return publish_in(scene.store, LARGE_KEY);
}

/* Its file, as an archive would have it. */
static int import(unsigned number)
{
	struct occ_entry_file whole = {0};
	struct occ_buffer file = OCC_BUFFER_INIT;
	const struct goods *these = &goods[number][1];
	int error = OCC_E_MEMORY;

	occ_entry_encode(&scene.keys[number], span(&these->metadata),
			 span(&these->binary), &file);
	whole.memory = file.data;
	whole.size = whole.capacity = file.size;
	if (!file.failed)
		error = occ_entry_file_verify(&whole);
	if (!error)
		error = occ_store_import(scene.store, &whole);
	occ_buffer_release(&file);
	return error;
}

static int import_0(void)
{
	return import(0);
}

static int import_3(void)
{
	return import(3);
}

static int open_store_directory(void)
{
	return occ_file_open_directory(scene.path);
}

/* The entry that was used longest ago, of three. */
static int remove_1(void)
{
	struct occ_removal removal = {.directory = open_store_directory()};
	struct occ_listing listing = {0};
	char name[64];
	int error;

	if (removal.directory < 0)
		return OCC_E_IO;
	fixture_entry_name(&scene.keys[1], ".cl_cache", name);
	error = occ_listing_scan(removal.directory, &listing);
	for (size_t i = 0; !error && i < listing.count; i++)
		if (!strcmp(listing.files[i]->name, name))
			error = occ_removal_run(&removal, &listing.files[i], 1);
	occ_listing_release(&listing);
	occ_file_close(removal.directory);
	return error;
}

static int look_whole(int directory, const char *name)
{
	struct occ_entry_file summary = {0};
	struct occ_entry_file whole = {0};
	int error = occ_entry_file_read(directory, name, false,
					OCC_ENTRY_FILE_SUMMARY, &summary);
	int other = occ_entry_file_read(directory, name, false,
					OCC_ENTRY_FILE_WHOLE, &whole);

	FAULT_EXPECT(!other || whole.fault, "without a reason");
	occ_entry_file_release(&summary);
	occ_entry_file_release(&whole);
	return error ? error : other;
}

static int look_at_large(void)
{
	int directory = open_store_directory(), error;
	char name[64];

	if (directory < 0)
		return OCC_E_IO;
	fixture_entry_name(&scene.keys[LARGE_KEY], ".cl_cache", name);
	error = look_whole(directory, name);
	occ_file_close(directory);
	return error;
}

static int improve(unsigned number)
{
	const struct goods *these = &goods[number][3];

	return occ_store_improve(scene.store, &scene.keys[number],
				 span(&these->metadata), span(&these->binary));
}

static int improve_0(void)
{
	return improve(0);
}

static int improve_3(void)
{
	return improve(3);
}

static int complete_0(void)
{
	return occ_store_complete(scene.store, &scene.keys[0],
				  fixture_make_longer, NULL);
}

static const char code_before[] = "device code that was there";
static const char code_after[] = "other device code";

static int set_code(const char *code, bool any_binary)
{
	const struct occ_span none = {NULL, 0};

	return occ_store_set_code(scene.store, &scene.keys[0],
				  any_binary ? none : span(&goods[0][1].binary),
				  (struct occ_span){(const unsigned char *)code,
						    strlen(code)});
}

static int set_code_0(void)
{
	return set_code(code_after, false);
}

static int take_code_0(void)
{
	return set_code("", true);
}

/* Of the binary that isn't the entry's. */
static int set_code_in_vain(void)
{
	return occ_store_set_code(
		scene.store, &scene.keys[0], span(&goods[1][1].binary),
		(struct occ_span){(const unsigned char *)code_after,
				  strlen(code_after)});
}

static int look_up_whole_0(void)
{
	struct occ_loaded loaded;
	int error =
		occ_store_lookup_whole(scene.store, &scene.keys[0], &loaded);

	if (!error)
		occ_loaded_release(&loaded);
	return error;
}

static int read_entry_0(void)
{
	struct occ_entry_file whole;
	int error = occ_store_read_entry(scene.store, &scene.keys[0], &whole);

	if (!error)
		occ_entry_file_release(&whole);
	return error;
}

static void with_code(void)
{
	two_entries();
	FAULT_EXPECT(!set_code(code_before, true), "can't set the code");
}

static void full_with_code(void)
{
	publish(0);
	FAULT_EXPECT(!set_code(code_before, true), "can't set the code");
	publish(1);
	age_entry(0, 10);
	age_entry(1, 30);
}

static int try_store(void)
{
	return occ_store_try(scene.store);
}

static int discard_2(void)
{
	return occ_store_discard(scene.store, &scene.keys[2]);
}

static int count_one(void)
{
	struct occ_counters one = {0};

	one.numbers[OCC_COUNT_MISSES] = 1;
	return occ_counters_merge(scene.store, &one, OCC_STORE_PATIENCE_MS);
}

/* Each time as a new process. */
static int note_one(void)
{
	struct occ_history_program program = {.name = "program"};
	struct occ_counters one = {0};

	one.numbers[OCC_COUNT_MISSES] = 1;
	return occ_history_merge(scene.store, &one, &program,
				 OCC_STORE_PATIENCE_MS);
}

static int read_history(void)
{
	struct occ_history history;
	int error = occ_history_read(scene.store, &history);

	FAULT_EXPECT(error || (history.count == 1 && !history.damaged),
		     "the history is lost");
	occ_history_release(&history);
	return error;
}

/* Each time as a new process. */
static int put_record(void)
{
	struct occ_counters_record record = {0};
	struct occ_counters one = {0};
	char path[200];

	snprintf(path, sizeof(path), "%s/records", scene.path);
	one.numbers[OCC_COUNT_MISSES] = 1;
	return occ_counters_put(path, &record, &one);
}

static int sum_records(void)
{
	struct occ_counters sum;
	char path[200];
	int error;

	snprintf(path, sizeof(path), "%s/records", scene.path);
	error = occ_counters_sum(path, &sum);
	FAULT_EXPECT(error || sum.numbers[OCC_COUNT_MISSES] == 1,
		     "not all records");
	return error;
}

static void with_records(void)
{
	two_entries();
	write_file("records", "", 0);
	FAULT_EXPECT(!put_record(), "can't put a record");
}

static void with_counters(void)
{
	two_entries();
	FAULT_EXPECT(!count_one(), "can't count");
}

static void with_history(void)
{
	two_entries();
	FAULT_EXPECT(!note_one(), "can't note");
}

static int add_uses(void)
{
	const struct occ_entry_use uses[] = {{scene.keys[0].hash, 2},
					     {scene.keys[3].hash, 1}};

	occ_store_add_uses(scene.store, uses, 2);
	return OCC_OK;
}

static int set_state(void)
{
	return occ_state_set(scene.store, "new", "thing", 5);
}

static int note_all(void)
{
	const struct occ_fetched program = {.count = 3, .size = 1000};
	const struct occ_hits hits = {.count = 1, .load_ns = 5};
	const struct occ_traits habits = {.proof = OCC_PROOF_GOOD};
	const struct occ_digest *hash = &scene.keys[0].hash;
	struct occ_hits sum;
	int error, worst;

	worst = occ_seen_keys_add(scene.store, hash, 7);
	error = occ_cost_note_fetch(scene.store, &program, 1000);
	worst = error ? error : worst;
	error = occ_cost_add_hits(scene.store, hash, &hits, 1, &sum);
	worst = error ? error : worst;
	error = occ_traits_save(scene.store, hash, &habits);
	return error ? error : worst;
}

static int read_all(void)
{
	const struct occ_span key = occ_buffer_span(&scene.keys[3].stored);
	const struct occ_nearest_limits no_limits = {0};
	struct occ_fetched program = {.count = 3};
	struct occ_nearest nearest;
	struct occ_traits habits;
	struct occ_buffer state;
	struct occ_hits hits;
	uint64_t number;
	int error, worst;

	occ_store_has_entries(scene.store);
	occ_seen_keys_find(scene.store, &scene.keys[0].hash, &number);
	occ_cost_expect_fetch(scene.store, &program, &number);
	occ_cost_get_hits(scene.store, &scene.keys[0].hash, &hits);
	occ_state_read(scene.store, &state);
	occ_buffer_release(&state);
	worst = occ_traits_load(scene.store, &scene.keys[0].hash, &habits);
	worst = worst == OCC_E_NOT_FOUND ? OCC_OK : worst;
	error = occ_store_measure(scene.store, &number);
	worst = error ? error : worst;
	error = occ_store_prepare(scene.store);
	worst = error ? error : worst;
	error = occ_nearest_find(scene.store, &key, &no_limits, &nearest);
	if (!error)
		occ_nearest_release(&nearest);
	return error ? error : worst;
}

/* A miss is a failure here: results of the gate are none. */
static int result_of(enum occ_build_lock_result result)
{
	return result == OCC_BUILD_LOCK_NO_LOCK ? OCC_E_NO_LOCK : OCC_OK;
}

static int enter_and_leave(void)
{
	struct occ_build_lock *gate = scene.own_gate;
	enum occ_build_lock_result result;

	result = occ_build_lock_enter(gate, &scene.keys[0].hash, 0);
	if (result == OCC_BUILD_LOCK_MINE) {
		occ_build_lock_wanted(gate, &scene.keys[0].hash);
		occ_build_lock_leave(gate, &scene.keys[0].hash);
	}
	return result_of(result);
}

static void gate_taken(void)
{
	two_entries();
	FAULT_EXPECT(ask_peer(ENTER, 0) == OCC_BUILD_LOCK_MINE,
		     "can't take the gate");
}

/* By another process: there is a wait of 10 ms of the clock. */
static int enter_in_vain(void)
{
	struct occ_build_lock *gate = scene.own_gate;
	enum occ_build_lock_result result;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	result = occ_build_lock_enter(gate, &scene.keys[0].hash,
				      (uint64_t)now.tv_sec * 1000000000 +
					      (uint64_t)now.tv_nsec + 10000000);
	/* Whose lock can't be seen isn't excluded. */
	if (result == OCC_BUILD_LOCK_MINE)
		occ_build_lock_leave(gate, &scene.keys[0].hash);
	return result_of(result);
}

/* What is found in memory is right, or isn't found. */
static void expect_kept(unsigned number)
{
	struct occ_kept *kept = occ_memory_find(&scene.keys[number]);
	const struct occ_buffer *binary = &goods[number][1].binary;

	FAULT_EXPECT(!kept || (kept->entry.binary.size == binary->size &&
			       !memcmp(kept->entry.binary.data, binary->data,
				       binary->size)),
		     "wrong bytes in memory");
	occ_kept_release(kept);
}

static int keep_in_memory(void)
{
	struct occ_kept *kept = NULL;
	struct occ_loaded loaded;
	int error;

	occ_memory_set_capacity(SMALL_SIZE * 8);
	error = occ_store_lookup(scene.store, &scene.keys[0], &loaded);
	if (!error)
		kept = occ_kept_take(&loaded);
	if (kept)
		occ_memory_put(kept);
	else if (!error)
		occ_loaded_release(&loaded);
	occ_kept_release(kept);
	for (unsigned i = 1; i < 4; i++)
		occ_memory_publish(&scene.keys[i], span(&goods[i][1].metadata),
				   span(&goods[i][1].binary));
	occ_memory_complete(&scene.keys[3], fixture_make_longer, NULL);
	for (unsigned i = 0; i < 4; i++)
		expect_kept(i);
	occ_memory_clear();
	return error;
}

static void with_header(void)
{
	two_entries();
	write_file("header.h", "#define ONE 1\n", 14);
}

/* Of a file that a source includes, contents are right or unknown. */
static int look_at_header(void)
{
	struct occ_include_files_view *view =
		occ_include_files_view_open(false);
	struct occ_buffer looks = OCC_BUFFER_INIT;
	enum occ_closure_found found;
	struct occ_closure_file file;
	struct occ_digest right;
	char path[200];

	if (!view)
		return OCC_E_MEMORY;
	snprintf(path, sizeof(path), "%s/header.h", scene.path);
	found = occ_include_files_look(path, true, &file, view);
	occ_digest("#define ONE 1\n", 14, OCC_SEED_NAME, &right);
	FAULT_EXPECT(found != OCC_CLOSURE_FOUND ||
			     (file.size == 14 &&
			      !memcmp(&file.digests[0], &right, sizeof(right))),
		     "a wrong header");
	if (occ_include_files_view_looks(view, &looks)) {
		occ_include_files_unchanged(&looks);
		occ_include_files_lasts(&looks);
	}
	occ_buffer_release(&looks);
	occ_include_files_view_close(view);
	occ_include_files_clear();
	return found == OCC_CLOSURE_FOUND ? OCC_OK : OCC_E_NOT_FOUND;
}

static const char header[] = "#define ONE 1\n";

/* Of the header that with_header() makes, a key's field. Not allocated: that
 * could fail. */
static struct occ_span header_field(void)
{
	static unsigned char
		field[OCC_FIELD_HEADER_SIZE + OCC_KEY_FILE_HEAD + 208];
	unsigned char *payload = field + OCC_FIELD_HEADER_SIZE;
	struct occ_digest digests[2];
	size_t length, size = strlen(header);

	memset(field, 0, sizeof(field));
	occ_digest(header, size, OCC_SEED_NAME, &digests[0]);
	occ_digest(header, size, OCC_SEED_FIELD, &digests[1]);
	occ_put_u64(payload, size);
	memcpy(payload + 8, digests, sizeof(digests));
	length = (size_t)snprintf((char *)payload + OCC_KEY_FILE_HEAD, 200,
				  "%s/header.h", scene.path) +
		 OCC_KEY_FILE_HEAD;
	occ_field_header(field, OCC_KEY_INCLUDE_FILE, OCC_FIELD_BYTES, length);
	return (struct occ_span){field,
				 OCC_FIELD_HEADER_SIZE + (length + 7) / 8 * 8};
}

/* What was kept, or nothing. */
static int read_contents(void)
{
	struct occ_store *store = occ_store_open(scene.path, 0, false);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_digest name;
	int error;

	if (!store)
		return OCC_E_MEMORY;
	occ_digest(header, strlen(header), OCC_SEED_NAME, &name);
	error = occ_included_contents_read(store, &name, strlen(header),
					   &bytes);
	FAULT_EXPECT(error || (bytes.size == strlen(header) &&
			       !memcmp(bytes.data, header, bytes.size)),
		     "other contents");
	occ_buffer_release(&bytes);
	occ_store_close(store);
	return error;
}

static int keep_contents(void)
{
	struct occ_store *store = occ_store_open(scene.path, 0, false);
	int error = OCC_E_MEMORY;

	if (!store)
		return error;
	error = occ_included_contents_keep(store, header_field());
	occ_store_close(store);
	read_contents();
	return error;
}

static void with_contents(void)
{
	with_header();
	keep_contents();
}

static const struct occ_span question = {(const unsigned char *)"q", 1};

static void encode_includes(struct occ_buffer *ret_file)
{
	struct occ_closure closure = {.file_count = 7};
	struct occ_buffer looks = OCC_BUFFER_INIT;
	struct occ_digest stamp = {{0}};

	/* Nothing is there. */
	occ_buffer_append(&looks, "\0/not/there", 12);
	occ_includes_encode(question, &closure, &stamp, &looks, ret_file);
	occ_buffer_release(&looks);
}

static int remember_includes(void)
{
	struct occ_store *store = occ_store_open(scene.path, 0, false);
	struct occ_buffer file = OCC_BUFFER_INIT;
	int error = OCC_E_MEMORY;

	if (!store)
		return error;
	encode_includes(&file);
	if (!file.failed)
		error = occ_includes_remember(store, &file);
	occ_buffer_release(&file);
	occ_store_close(store);
	return error;
}

static void with_includes(void)
{
	two_entries();
	remember_includes();
}

/* What was remembered, or nothing. */
static int recall_includes(void)
{
	struct occ_store *store = occ_store_open(scene.path, 0, false);
	struct occ_includes includes;
	int error = OCC_E_NOT_FOUND;

	if (!store)
		return OCC_E_MEMORY;
	if (occ_includes_recall(store, question, &includes)) {
		FAULT_EXPECT(includes.closure.file_count == 7,
			     "other includes");
		occ_includes_release(&includes);
		error = OCC_OK;
	}
	occ_store_close(store);
	return error;
}

static int take_working_set(uint32_t context)
{
	struct occ_store *store = occ_store_open(scene.path, 0, false);
	struct occ_working_set_item items[2] = {
		{.count = 1, .hashes = {{{1}}}},
		{.context = context, .count = 2, .hashes = {{{2}}}},
	};
	const struct occ_working_set_taken taken = {
		.name = "/bin/app",
		.items = items,
		.count = 2,
		.whole = true,
	};
	int error = OCC_E_MEMORY;

	if (!store)
		return error;
	error = occ_working_set_write(store, &taken);
	occ_store_close(store);
	return error;
}

static int take_others(void)
{
	return take_working_set(9);
}

static void with_working_set(void)
{
	two_entries();
	take_working_set(3);
}

/* What was taken last or before, or nothing, but not a mixture. */
static int foresee(void)
{
	struct occ_store *store = occ_store_open(scene.path, 0, false);
	const struct occ_digest executable = {{0}};
	struct occ_working_set set;
	int error = OCC_E_NOT_FOUND;

	if (!store)
		return OCC_E_MEMORY;
	if (occ_working_set_read(store, &executable, &set)) {
		FAULT_EXPECT(set.count == 2 && set.items[0].context == 0 &&
				     (set.items[1].context == 3 ||
				      set.items[1].context == 9) &&
				     set.items[1].count == 2,
			     "another working set");
		error = OCC_OK;
	}
	occ_working_set_release(&set);
	occ_store_close(store);
	return error;
}

static int take_and_foresee(void)
{
	int error = take_others();

	foresee();
	return error;
}

/* config.file, CACHEDIR.TAG and three entries, but not four. */
#define FULL_SIZE 2600

/* Two entries, the first with device code, but not that twice. */
#define CODE_SIZE 2200

static const struct operation operations[] = {
	{"open and look up in vain", two_entries, open_and_miss,
	 OCC_E_NOT_FOUND, BIT(0) | BIT(1), 0, 0, false},
	{"look up where there is no store", nothing, open_and_miss,
	 OCC_E_NOT_FOUND, 0, 0, 0, false},
	{"look up", two_and_a_large_one, look_up_0, OCC_OK,
	 BIT(0) | BIT(1) | BIT(LARGE_KEY), 0, 0, false},
	{"look up a large entry", two_and_a_large_one, look_up_large, OCC_OK,
	 BIT(0) | BIT(1) | BIT(LARGE_KEY), 0, 0, false},
	{"look up a huge entry", a_huge_one, look_up_huge, OCC_OK,
	 BIT(HUGE_KEY), 0, 0, false},
	{"look up a corrupt entry", corrupt_entry, look_up_0, OCC_E_CORRUPT,
	 BIT(1), 0, 0, false},
	{"publish where there is no store", nothing, publish_3, OCC_OK, 0,
	 BIT(3), 0, false},
	{"publish into an empty store", empty_directory, publish_3, OCC_OK, 0,
	 BIT(3), 0, false},
	{"publish", two_entries, publish_3, OCC_OK, BIT(0) | BIT(1), BIT(3), 0,
	 false},
	{"publish a large entry", two_entries, publish_large, OCC_OK,
	 BIT(0) | BIT(1), BIT(LARGE_KEY), 0, false},
	{"publish what is there", two_entries, publish_0, OCC_E_EXISTS,
	 BIT(0) | BIT(1), 0, 0, false},
	{"publish over a corrupt entry", corrupt_entry, publish_0, OCC_OK,
	 BIT(1), BIT(0), 0, false},
	{"publish and evict", full_store, publish_3, OCC_OK, 0, BIT(3),
	 FULL_SIZE, false},
	{"publish and evict, with orphans", full_with_orphans, publish_3,
	 OCC_OK, 0, BIT(3), FULL_SIZE, false},
	{"repair config.file", short_config, publish_3, OCC_E_SIZE_LEDGER,
	 BIT(0) | BIT(1), BIT(3), 0, false},
	{"make config.file anew", no_config, publish_3, OCC_OK, BIT(0) | BIT(1),
	 BIT(3), 0, false},
	{"improve", two_entries, improve_0, OCC_OK, BIT(0) | BIT(1), BIT(0), 0,
	 false},
	{"improve what isn't there", two_entries, improve_3, OCC_OK,
	 BIT(0) | BIT(1), BIT(3), 0, false},
	{"improve and evict", full_store, improve_0, OCC_OK, BIT(0), BIT(0),
	 FULL_SIZE, false},
	{"complete", two_entries, complete_0, OCC_OK, BIT(0) | BIT(1), BIT(0),
	 0, false},
	{"set device code", two_entries, set_code_0, OCC_OK, BIT(0) | BIT(1),
	 BIT(0), 0, false},
	{"set other device code", with_code, set_code_0, OCC_OK,
	 BIT(0) | BIT(1), BIT(0), 0, false},
	{"set device code and evict", full_with_code, set_code_0, OCC_OK,
	 BIT(0), BIT(0), CODE_SIZE, false},
	{"set device code in vain", with_code, set_code_in_vain,
	 OCC_E_NOT_FOUND, BIT(0) | BIT(1), 0, 0, false},
	{"take device code away", with_code, take_code_0, OCC_OK,
	 BIT(0) | BIT(1), BIT(0), 0, false},
	{"look up what has device code", with_code, look_up_0, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"look up device code and binary", with_code, look_up_whole_0, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"read an entry's file", with_code, read_entry_0, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"complete what has device code", with_code, complete_0, OCC_OK,
	 BIT(0) | BIT(1), BIT(0), 0, false},
	{"improve what has device code", with_code, improve_0, OCC_OK,
	 BIT(0) | BIT(1), BIT(0), 0, false},
	{"try", two_entries, try_store, OCC_OK, BIT(0) | BIT(1), 0, 0, false},
	{"discard", full_store, discard_2, OCC_OK, BIT(0) | BIT(1), 0, 0,
	 false},
	{"import", two_entries, import_3, OCC_OK, BIT(0) | BIT(1), BIT(3), 0,
	 false},
	{"import what is there", two_entries, import_0, OCC_E_EXISTS,
	 BIT(0) | BIT(1), 0, 0, false},
	{"import over a corrupt entry", corrupt_entry, import_0, OCC_OK, BIT(1),
	 BIT(0), 0, false},
	{"remove", full_store, remove_1, OCC_OK, BIT(0) | BIT(2), 0, 0, false},
	{"look at an entry", two_and_a_large_one, look_at_large, OCC_OK,
	 BIT(0) | BIT(1) | BIT(LARGE_KEY), 0, 0, false},
	{"set the state", with_state, set_state, OCC_OK, BIT(0) | BIT(1), 0, 0,
	 false},
	{"add uses", two_entries, add_uses, OCC_OK, BIT(0) | BIT(1), 0, 0,
	 false},
	{"count", with_counters, count_one, OCC_OK, BIT(0) | BIT(1), 0, 0,
	 false},
	{"begin the history", two_entries, note_one, OCC_OK, BIT(0) | BIT(1), 0,
	 0, false},
	{"note in the history", with_history, note_one, OCC_OK, BIT(0) | BIT(1),
	 0, 0, false},
	{"read the history", with_history, read_history, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"put a record", with_records, put_record, OCC_OK, BIT(0) | BIT(1), 0,
	 0, false},
	{"sum records", with_records, sum_records, OCC_OK, BIT(0) | BIT(1), 0,
	 0, false},
	{"note costs, hits and sightings", with_state, note_all, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"read everything else", with_state, read_all, OCC_OK, BIT(0) | BIT(1),
	 0, 0, false},
	{"keep in memory", two_entries, keep_in_memory, OCC_OK, BIT(0) | BIT(1),
	 0, 0, false},
	{"look at a header", with_header, look_at_header, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"remember includes", two_entries, remember_includes, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"recall includes", with_includes, recall_includes, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"keep contents", with_header, keep_contents, OCC_OK, BIT(0) | BIT(1),
	 0, 0, false},
	{"keep contents again", with_contents, keep_contents, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"read contents", with_contents, read_contents, OCC_OK, BIT(0) | BIT(1),
	 0, 0, false},
	{"write a working set", two_entries, take_and_foresee, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"write a working set over another", with_working_set, take_and_foresee,
	 OCC_OK, BIT(0) | BIT(1), 0, 0, false},
	{"read a working set", with_working_set, foresee, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, false},
	{"enter the gate and leave", two_entries, enter_and_leave, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, true},
	{"enter the gate in vain", gate_taken, enter_in_vain, OCC_OK,
	 BIT(0) | BIT(1), 0, 0, true},
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* Judging */

/* None, or one that was given. */
static bool is_code(struct occ_span code)
{
	return !code.size ||
	       (code.size == strlen(code_before) &&
		!memcmp(code.data, code_before, code.size)) ||
	       (code.size == strlen(code_after) &&
		!memcmp(code.data, code_after, code.size));
}

/* What a run that didn't fail, or did, left of the code. */
static void judge_code(const struct operation *operation, int error)
{
	bool sets = operation->run == set_code_0;
	struct occ_store *store;
	struct occ_loaded loaded;
	size_t wanted = sets ? strlen(code_after) : 0;

	if ((!sets && operation->run != take_code_0) || error)
		return;
	store = occ_store_open(scene.path, 0, true);
	FAULT_EXPECT(!occ_store_lookup_whole(store, &scene.keys[0], &loaded),
		     "the entry with code is gone");
	FAULT_EXPECT(loaded.entry.code.size == wanted, "the code wasn't set");
	occ_loaded_release(&loaded);
	occ_store_close(store);
}

/* Whether the entry is there; what is there must be right. */
static bool holds(struct occ_store *store, unsigned number)
{
	struct occ_loaded loaded;
	const struct goods *these;
	uint64_t completeness;
	int error = occ_store_lookup_whole(store, &scene.keys[number], &loaded);

	if (error) {
		FAULT_EXPECT(error == OCC_E_NOT_FOUND || error == OCC_E_CORRUPT,
			     "entry %u: %s", number, occ_error_string(error));
		return false;
	}
	completeness =
		occ_entry_number(&loaded.entry, OCC_META_COMPLETENESS, 0);
	FAULT_EXPECT(completeness == 1 || completeness == 3,
		     "entry %u is no such", number);
	these = &goods[number][completeness];
	FAULT_EXPECT(loaded.entry.binary.size == these->binary.size &&
			     !memcmp(loaded.entry.binary.data,
				     these->binary.data, these->binary.size),
		     "entry %u has wrong bytes", number);
	FAULT_EXPECT(is_code(loaded.entry.code), "entry %u has wrong code",
		     number);
	occ_loaded_release(&loaded);
	return true;
}

static void judge_entries(unsigned wanted)
{
	struct occ_store *store = occ_store_open(scene.path, 0, true);

	FAULT_EXPECT(store, "can't open");
	for (unsigned i = 0; i < KEYS; i++)
		FAULT_EXPECT(holds(store, i) || !(wanted & BIT(i)),
			     "entry %u is gone", i);
	occ_store_close(store);
}

static unsigned count_temps(void)
{
	DIR *stream = opendir(scene.path);
	struct dirent *item;
	unsigned count = 0;

	while (stream && (item = readdir(stream)))
		count += strstr(item->d_name, ".tmp") != NULL;
	if (stream)
		closedir(stream);
	return count;
}

static uint64_t measured_size(void)
{
	struct occ_store *store = occ_store_open(scene.path, 0, true);
	uint64_t size = 0;
	int error = occ_store_measure(store, &size);

	FAULT_EXPECT(!error, "can't measure: %s", occ_error_string(error));
	occ_store_close(store);
	return size;
}

/*
 * Another process publishes, and as if the store were nearly full, so that the
 * total is counted anew and orphans go, if there is anything to mend.
 */
static void judge_repair(const struct operation *operation, bool vague)
{
	uint64_t recorded, measured, limit = 0;
	struct stat status;
	int error;

	if (!stat(scene.path, &status)) {
		recorded = recorded_size(0);
		measured = measured_size();
		FAULT_EXPECT(recorded >= measured || vague,
			     "the total is %lu, of %lu",
			     (unsigned long)recorded, (unsigned long)measured);
		FAULT_EXPECT(vague || !operation->max_size ||
				     measured <= operation->max_size,
			     "%lu bytes are too many", (unsigned long)measured);
		if (recorded != measured || count_temps()) {
			if (recorded < measured)
				recorded = recorded_size(measured - recorded);
			recorded_size(1);
			limit = recorded + scene.peer_size;
		}
	}
	error = ask_peer(PUBLISH, limit);
	FAULT_EXPECT(!error, "another can't publish: %s",
		     occ_error_string(error));
}

static void judge_state(const struct operation *operation, int error)
{
	struct occ_store *store;
	unsigned char value[16];
	size_t size;

	if (operation->prepare != with_state)
		return;
	store = occ_store_open(scene.path, 0, true);
	FAULT_EXPECT(!occ_state_get(store, "kept", value, sizeof(value),
				    &size) &&
			     size == 5 && !memcmp(value, "value", 5),
		     "the state is lost");
	FAULT_EXPECT(operation->run != set_state || error ||
			     (!occ_state_get(store, "new", value, sizeof(value),
					     &size) &&
			      size == 5 && !memcmp(value, "thing", 5)),
		     "the state wasn't set");
	occ_store_close(store);
}

/*
 * What a failure leaves out may be there all the same: it was renamed. A write
 * that is cut, which the kernel's isn't for a page, may cost what was counted.
 */
static void judge_counters(const struct operation *operation,
			   const struct fault_plan *plan, int error)
{
	struct occ_counters counters;
	struct occ_store *store;
	uint64_t count;

	if (operation->run != count_one || plan->how == FAULT_DIES_BETWEEN)
		return;
	store = occ_store_open(scene.path, 0, true);
	FAULT_EXPECT(!occ_counters_read(store, &counters),
		     "the counters are lost");
	count = counters.numbers[OCC_COUNT_MISSES];
	FAULT_EXPECT(count == 2 || (count == 1 && error), "it wasn't counted");
	occ_store_close(store);
}

/* A row is as it was, or has more; a write that is cut may cost it. */
static void judge_history(const struct operation *operation,
			  const struct fault_plan *plan)
{
	struct occ_history history;
	struct occ_store *store;

	if (operation->prepare != with_history ||
	    plan->how == FAULT_DIES_BETWEEN)
		return;
	store = occ_store_open(scene.path, 0, true);
	FAULT_EXPECT(!occ_history_read(store, &history) && history.count == 1 &&
			     !history.damaged,
		     "the history is lost");
	FAULT_EXPECT(history.rows[0].numbers[OCC_HISTORY_MISSES] == 1 ||
			     history.rows[0].numbers[OCC_HISTORY_MISSES] == 2,
		     "the history counts wrong");
	occ_history_release(&history);
	occ_store_close(store);
}

/* Nobody's record but that of who dies or fails is missing. */
static void judge_records(const struct operation *operation, int error)
{
	struct occ_counters sum;
	char path[200];
	uint64_t count;

	if (operation->run != put_record)
		return;
	snprintf(path, sizeof(path), "%s/records", scene.path);
	FAULT_EXPECT(!occ_counters_sum(path, &sum), "the records are lost");
	count = sum.numbers[OCC_COUNT_MISSES];
	FAULT_EXPECT(count == 2 || (count == 1 && error), "a record is lost");
}

static void judge_gate(const struct operation *operation)
{
	if (!operation->gate)
		return;
	if (operation->prepare == gate_taken)
		ask_peer(LEAVE, 0);
	FAULT_EXPECT(ask_peer(ENTER, 0) == OCC_BUILD_LOCK_MINE,
		     "the gate is stuck");
	ask_peer(LEAVE, 0);
}

/*
 * After a fault, with what the operation answered (died: OCC_E_IO):
 * no entry is lost or wrong, the total covers what is there, another process
 * can publish, and then the total is right, and no temp file is left.
 */
static void judge(const struct operation *operation,
		  const struct fault_plan *plan, int error)
{
	/* The file system said that there is no such file. */
	bool vague = plan->error == ENOENT;
	unsigned present = operation->present;

	if (!error)
		present |= operation->made;
	judge_gate(operation);
	judge_entries(present);
	if (!vague) {
		judge_state(operation, error);
		judge_counters(operation, plan, error);
		judge_history(operation, plan);
		judge_code(operation, error);
		judge_records(operation, error);
	}
	judge_repair(operation, vague);
	FAULT_EXPECT(!count_temps(), "temp files stay");
	FAULT_EXPECT(recorded_size(0) == measured_size(),
		     "the total isn't mended");
	if (!operation->max_size)
		judge_entries(present | BIT(PEER_KEY));
}

/* Trials */

static void set_up(const struct operation *operation)
{
	fault_disarm();
	fixture_remove_tree(scene.parent);
	occ_store_close(scene.store);
	scene.store = occ_store_open(scene.path, 0, true);
	operation->prepare();
	occ_store_close(scene.store);
	scene.store = occ_store_open(scene.path, operation->max_size, true);
}

static void describe(const struct operation *operation,
		     const struct fault_plan *plan)
{
	static const char *const hows[] = {
		"fails",  "fails after it was done",
		"is cut", "transfers nothing",
		"kills",  "is cut and kills",
	};

	snprintf(scene.trial, sizeof(scene.trial), "%s: %s %u %s %s, %s%s",
		 operation->name,
		 plan->class == FAULT_MEMORY ? "allocation" : "call", plan->n,
		 plan->n < FAULT_TRACE && fault.trace[plan->n]
			 ? fault.trace[plan->n]
			 : "",
		 hows[plan->how], strerror(plan->error),
		 plan->for_ever ? ", for ever" : "");
}

/* In this process. Returns whether there was an n-th call. */
static bool try_failure(const struct operation *operation,
			const struct fault_plan *plan)
{
	int error, descriptors;
	long blocks;

	set_up(operation);
	describe(operation, plan);
	descriptors = fault_count_descriptors();
	blocks = fault.blocks;
	scene.own_gate = occ_build_lock_new(scene.path, true);
	fault_arm(plan);
	error = operation->run();
	fault_disarm();
	occ_build_lock_free(scene.own_gate);
	FAULT_EXPECT(error <= 0 && strcmp(occ_error_string(error),
					  "unknown error") != 0,
		     "it answered %d", error);
	FAULT_EXPECT(fault.blocks == blocks, "memory leaked: %ld blocks",
		     fault.blocks - blocks);
	FAULT_EXPECT(fault_count_descriptors() == descriptors,
		     "a descriptor leaked");
	if (!plan->n || !fault.hits) {
		FAULT_EXPECT(error == operation->answer, "it answered %s",
			     occ_error_string(error));
	}
	if (plan->n && !fault.hits)
		return fault.calls >= plan->n;
	judge(operation, plan, error);
	scene.trials += plan->n != 0;
	return true;
}

/* In a child. The same. */
static bool try_death(const struct operation *operation,
		      const struct fault_plan *plan)
{
	pid_t child;
	int status;

	set_up(operation);
	describe(operation, plan);
	child = fork();
	FAULT_EXPECT(child >= 0, "can't fork");
	if (!child) {
		scene.own_gate = occ_build_lock_new(scene.path, true);
		fault_arm(plan);
		operation->run();
		_exit(fault.calls >= plan->n ? 1 : 0);
	}
	FAULT_EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
			     WEXITSTATUS(status) <= FAULT_EXIT,
		     "the child died otherwise");
	if (WEXITSTATUS(status) != FAULT_EXIT) {
		/* For the next. */
		judge_gate(operation);
		return WEXITSTATUS(status) == 1;
	}
	judge(operation, plan, OCC_E_IO);
	scene.trials++;
	return true;
}

static bool is_turn(unsigned n)
{
#if defined(__SANITIZE_THREAD__)
	return (n + scene.seed) % EVERY == 0;
#else
	return scene.all || (n + scene.seed) % EVERY == 0;
#endif
}

/* Which of them are tried: all, or `few` that change from n to n. */
static bool is_chosen(unsigned n, unsigned which, unsigned of, unsigned few)
{
	return scene.all ||
	       (which + n * few + scene.seed) % of < (few < of ? few : of);
}

static bool try_errors(const struct operation *operation, enum fault_how how,
		       unsigned n)
{
	struct fault_plan plan = {FAULT_SYSTEM, how, n, 0, false};
	bool more = false;

	for (unsigned i = 0; i < 2 * ERRORS; i++) {
		if (!is_chosen(n, i, 2 * ERRORS, 2))
			continue;
		plan.error = errors[i / 2];
		plan.for_ever = i % 2;
		more |= try_failure(operation, &plan);
	}
	return more;
}

static bool try_parts(const struct operation *operation, enum fault_how how,
		      unsigned n)
{
	struct fault_plan plan = {FAULT_SYSTEM, how, n, EIO, false};

	if (!fault_applies(how, fault.trace[n]))
		return true;
	for (int i = 0; i < 2; i++) {
		plan.for_ever = i;
		try_failure(operation, &plan);
	}
	return true;
}

/* The calls of an operation that nothing befalls. */
static unsigned count_calls(const struct operation *operation,
			    enum fault_class class)
{
	struct fault_plan plan = {class, FAULT_FAILS, 0, 0, false};

	memset(fault.trace, 0, sizeof(fault.trace));
	try_failure(operation, &plan);
	scene.trials = 0;
	return fault.calls < CALLS_MAX ? fault.calls : CALLS_MAX - 1;
}

static void report(const struct operation *operation, const char *what,
		   unsigned calls)
{
	printf("# %s: %u %s, %u faults\n", operation->name, calls, what,
	       scene.trials);
	fflush(stdout);
}

static void test_failures(void **state)
{
	const struct operation *operation = *state;
	unsigned calls = count_calls(operation, FAULT_SYSTEM);

	for (unsigned n = 1; n <= calls; n++) {
		if (!is_turn(n))
			continue;
		try_errors(operation, FAULT_FAILS, n);
		try_errors(operation, FAULT_FAILS_AFTER, n);
		try_parts(operation, FAULT_SHORT, n);
		try_parts(operation, FAULT_EMPTY, n);
	}
	report(operation, "system calls that fail", calls);
}

static void test_deaths(void **state)
{
	const struct operation *operation = *state;
	unsigned calls = count_calls(operation, FAULT_SYSTEM);
	struct fault_plan plan = {FAULT_SYSTEM, FAULT_DIES, 0, 0, false};

	for (plan.n = 1; plan.n <= calls; plan.n++) {
		if (!is_turn(plan.n))
			continue;
		plan.how = FAULT_DIES;
		try_death(operation, &plan);
		plan.how = FAULT_DIES_BETWEEN;
		if (fault_applies(plan.how, fault.trace[plan.n]))
			try_death(operation, &plan);
	}
	report(operation, "system calls that end the process", calls);
}

static void test_memory(void **state)
{
	const struct operation *operation = *state;
	unsigned calls = count_calls(operation, FAULT_MEMORY);
	struct fault_plan plan = {FAULT_MEMORY, FAULT_FAILS, 0, ENOMEM, false};

	for (plan.n = 1; plan.n <= calls; plan.n++)
		for (int i = 0; i < 2; i++) {
			plan.for_ever = i;
			try_failure(operation, &plan);
		}
	report(operation, "allocations that fail", calls);
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Of the C library: what does no system call, and what needs no fault. */
static bool is_harmless(const char *name)
{
	static const char *const prefixes[] = {
		"occ_",	     "mem",	  "str",	"__mem",
		"__str",     "__asan",	  "__ubsan",	"__tsan",
		"__stack",   "_GLOBAL_",  "__errno",	"__sanitize",
		"__x86_get", "pthread_",  "__assert",	"qsort",
		"vsnprintf", "snprintf",  "__snprintf", "__vsnprintf",
		"_setjmp",   "__longjmp", "longjmp",	"sig",
		"stpcpy",    "__stpcpy",  "ZSTD_",	"crypto_",
		"sodium_",   "explicit_", "__explicit",
	};
	static const char *const names[] = {"getpid", "geteuid", "sysconf",
					    "bcmp",   "bsearch", "getauxval",
					    "getenv"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return is_among(name, names, sizeof(names) / sizeof(*names));
}

/* A call that hash/ or cache/ makes, and that no test here makes fail. */
static void test_no_call_is_left_out(void **state)
{
	char path[400] = {0}, command[512], name[128], *end;
	unsigned count = 0;
	FILE *pipe;

	(void)state;
	FAULT_EXPECT(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0,
		     "who am I?");
	for (int i = 0; i < 3 && (end = strrchr(path, '/')); i++)
		*end = '\0';
	snprintf(command, sizeof(command),
		 "nm -u '%s/libcore.a' | sed -n 's/^ *U //p' | sort -u", path);
	pipe = popen(command, "r");
	FAULT_EXPECT(pipe, "can't run nm");
	while (fscanf(pipe, "%127s", name) == 1) {
		bool wrapped =
			is_among(name, fault_names,
				 sizeof(fault_names) / sizeof(fault_names[0]));

		count += wrapped;
		FAULT_EXPECT(wrapped || is_harmless(name), "%s can't fail here",
			     name);
	}
	pclose(pipe);
	FAULT_EXPECT(count, "no calls in %s/libcore.a", path);
	printf("# %u functions of the C library can fail\n", count);
}

static int open_scene(void **state)
{
	/* In memory, for the sake of time: nothing here depends on a disk. */
	strcpy(scene.directory, "/dev/shm/oclcache-unit-XXXXXX");
	if (!mkdtemp(scene.directory)) {
		strcpy(scene.directory, "/tmp/oclcache-unit-XXXXXX");
		if (!mkdtemp(scene.directory))
			return -1;
	}
	snprintf(scene.parent, sizeof(scene.parent), "%s/parent",
		 scene.directory);
	snprintf(scene.path, sizeof(scene.path), "%s/store", scene.parent);
	for (unsigned i = 0; i < KEYS; i++)
		fixture_key(&scene.keys[i], i);
	make_goods();
	scene.peer_size = file_size(PEER_KEY);
	scene.peer_gate = occ_build_lock_new(scene.path, true);
	scene.all = getenv("OCLCACHE_TEST_LONG") != NULL;
	scene.seed = fault_seed();
	start_peer();
	*state = NULL;
	return 0;
}

static int close_scene(void **state)
{
	(void)state;
	close(scene.to);
	close(scene.from);
	waitpid(scene.peer, NULL, 0);
	occ_store_close(scene.store);
	occ_build_lock_free(scene.peer_gate);
	for (unsigned i = 0; i < KEYS; i++) {
		occ_key_release(&scene.keys[i]);
		for (unsigned c = 0; c < 4; c++) {
			occ_buffer_release(&goods[i][c].metadata);
			occ_buffer_release(&goods[i][c].binary);
		}
	}
	fixture_remove_tree(scene.directory);
	return 0;
}

#define KINDS 3

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		CMUnitTestFunction function;
	} kinds[KINDS] = {
		{"failing calls", test_failures},
		{"death", test_deaths},
		{"no memory", test_memory},
	};
	static struct CMUnitTest tests[KINDS * OPERATIONS + 1];
	static char names[KINDS * OPERATIONS][80];

	for (size_t i = 0; i < KINDS * OPERATIONS; i++) {
		const struct operation *operation = &operations[i / KINDS];

		snprintf(names[i], sizeof(names[i]), "%s: %s", operation->name,
			 kinds[i % KINDS].name);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = kinds[i % KINDS].function,
			.initial_state = (void *)operation,
		};
	}
	tests[KINDS * OPERATIONS] =
		(struct CMUnitTest)cmocka_unit_test(test_no_call_is_left_out);
	if (count > 1)
		cmocka_set_test_filter(arguments[1]);
	return cmocka_run_group_tests(tests, open_scene, close_scene);
}
