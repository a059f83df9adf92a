/* SPDX-License-Identifier: MIT */
/*
 * Power cuts: what operations do to the directory is written down, call by
 * call, and done again to a model of a disk that stops at any point and hasn't
 * kept all of it. Nobody calls fsync(), so a file may have its name and none,
 * or only some, of its bytes. What such a disk has then is made a directory,
 * in which no byte may be wrong, and the store must heal.
 *
 * For every cut, of each file and of all at once (see enum loss):
 * - nothing is lost;
 * - the last changes of a file's bytes or size are, for each number of them;
 * - single blocks are, in every pattern of three;
 * - the second half is;
 * - bytes that were written after the cut were faster than names;
 * - one name's change is lost though later ones are kept.
 *
 * All of them with OCLCACHE_TEST_LONG=1; otherwise some, which ones by
 * OCLCACHE_TEST_SEED.
 */
#include "tests/unit/fixture.h"

#include "cache/included_contents.h"
#include "cache/size_ledger.h"
#include "cache/listing.h"
#include "cache/state.h"
#include "cache/store.h"

/* After the standard headers, whose functions it replaces. */
#include "tests/unit/fault.h"

#define KEYS	    6
#define MORE_KEYS   18 /* for healing, to see an eviction */
#define BINARY_SIZE 1300
#define STATE_SIZE  1200
#define LIMIT	    13300
#define BLOCK_SIZE  512
#define PATTERN	    3 /* blocks: an entry has as many */
#define EVENTS	    400
#define INODES	    100
#define ALL_INODES  (-1)

/* Without OCLCACHE_TEST_LONG one of so many is tried. */
#if defined(__SANITIZE_THREAD__)
#define EVERY 25
#else
#define EVERY 5
#endif

/* What a power cut can do to what was written. */
enum loss {
	LOSES_NOTHING,
	LOSES_LAST,   /* `number` changes of bytes and size are kept */
	LOSES_BLOCKS, /* kept: those in the bits of `number` */
	LOSES_HALF,   /* and the size that was set */
	KEEPS_MORE,   /* bytes of after the cut */
	LOSES_NAME,   /* the `number`th change of all */
};

struct event {
	struct fault_change change;
	char name[64], to[64];
	int inode;
	unsigned nth; /* change of the inode's bytes and size */
};

struct inode {
	unsigned char *data;
	size_t size;
};

struct disk {
	bool has_directory;
	struct inode inodes[INODES];
	char names[INODES][64]; /* one per inode; "": none */
	int inode_count;
};

/* A cut, and what of before it didn't get there. */
struct cut {
	unsigned at; /* changes of names before it are kept */
	enum loss loss;
	int inode;
	unsigned number;
};

static struct {
	char directory[64]; /* private */
	char path[96];	    /* of the store */
	struct occ_key keys[MORE_KEYS];
	struct occ_store *store;
	struct event events[EVENTS];
	unsigned event_count;
	struct disk before; /* the operation */
	struct disk now;    /* while it is recorded */
	ino_t numbers[INODES];
	bool all;
	unsigned seed, turn;
	unsigned tried, found, missed, corrupt;
	char trial[160];
} scene;

/* The disk */

static void disk_release(struct disk *disk)
{
	for (int i = 0; i < disk->inode_count; i++)
		free(disk->inodes[i].data);
	memset(disk, 0, sizeof(*disk));
}

static int disk_add(struct disk *disk, const char *name)
{
	FAULT_EXPECT(disk->inode_count < INODES, "too many files");
	snprintf(disk->names[disk->inode_count], 64, "%s", name);
	return disk->inode_count++;
}

static int disk_find(const struct disk *disk, const char *name)
{
	for (int i = 0; i < disk->inode_count; i++)
		if (!strcmp(disk->names[i], name))
			return i;
	return -1;
}

static void resize(struct inode *inode, size_t size)
{
	unsigned char *data = realloc(inode->data, size + 1);

	assert_non_null(data);
	if (size > inode->size)
		memset(data + inode->size, 0, size - inode->size);
	inode->data = data;
	inode->size = size;
}

/* Those of the blocks that are in `pattern`. */
static void write_blocks(struct inode *inode, const struct event *event,
			 unsigned pattern)
{
	const unsigned char *data = event->change.data;
	size_t start = (size_t)event->change.offset;
	size_t end = start + (size_t)event->change.size;

	if (end > inode->size)
		resize(inode, end);
	for (size_t at = start; at < end; at++)
		if (pattern >> (at / BLOCK_SIZE % PATTERN) & 1)
			inode->data[at] = data[at - start];
}

static void copy_disk(struct disk *to, const struct disk *from)
{
	*to = *from;
	for (int i = 0; i < from->inode_count; i++) {
		to->inodes[i] = (struct inode){NULL, 0};
		resize(&to->inodes[i], from->inodes[i].size);
		memcpy(to->inodes[i].data, from->inodes[i].data,
		       from->inodes[i].size);
	}
}

static void change_name(struct disk *disk, const struct event *event)
{
	int one = disk_find(disk, event->name), other;

	switch (event->change.what) {
	case FAULT_MAKES_DIRECTORY:
		disk->has_directory = true;
		return;
	case FAULT_CREATES:
		snprintf(disk->names[event->inode], 64, "%s", event->name);
		return;
	case FAULT_REMOVES:
		if (one >= 0)
			disk->names[one][0] = '\0';
		return;
	default:
		if (one < 0)
			return;
		other = disk_find(disk, event->to);
		if (other >= 0)
			disk->names[other][0] = '\0';
		snprintf(disk->names[one], 64, "%s", event->to);
	}
}

static bool changes_name(const struct event *event)
{
	return event->change.what != FAULT_WRITES &&
	       event->change.what != FAULT_RESIZES;
}

/* Recording */

static int inode_of(int file)
{
	struct stat status;

	assert_int_equal(__real_fstat(file, &status), 0);
	/* Numbers are given again: the last who has it. */
	for (int i = scene.now.inode_count; i--;)
		if (scene.numbers[i] == status.st_ino)
			return i;
	fail_msg("a file that nobody created");
	return -1;
}

static void record_file(struct event *event)
{
	struct stat status;

	if (event->change.what == FAULT_CREATES) {
		assert_int_equal(__real_fstat(event->change.file, &status), 0);
		event->inode = disk_add(&scene.now, event->name);
		scene.numbers[event->inode] = status.st_ino;
		return;
	}
	event->inode = inode_of(event->change.file);
	for (unsigned i = 0; i < scene.event_count; i++)
		event->nth += scene.events[i].inode == event->inode &&
			      !changes_name(&scene.events[i]);
	if (event->change.what == FAULT_RESIZES) {
		resize(&scene.now.inodes[event->inode],
		       (size_t)event->change.size);
		return;
	}
	event->change.data = malloc((size_t)event->change.size + 1);
	assert_non_null(event->change.data);
}

static void record(const struct fault_change *change)
{
	struct event *event = &scene.events[scene.event_count];

	if (change->what == FAULT_CREATES &&
	    disk_find(&scene.now, change->name) >= 0)
		return; /* it was there */
	assert_true(change->what != FAULT_LINKS);
	assert_true(scene.event_count < EVENTS);
	*event = (struct event){.change = *change, .inode = -2};
	snprintf(event->name, sizeof(event->name), "%s",
		 change->name && change->name[0] != '/' ? change->name : "");
	snprintf(event->to, sizeof(event->to), "%s",
		 change->to ? change->to : "");
	if (change->what == FAULT_CREATES || !changes_name(event))
		record_file(event);
	if (change->what == FAULT_WRITES) {
		memcpy((void *)event->change.data, change->data,
		       (size_t)change->size);
		write_blocks(&scene.now.inodes[event->inode], event, ~0U);
	}
	if (changes_name(event))
		change_name(&scene.now, event);
	scene.event_count++;
}

static void forget(void)
{
	for (unsigned i = 0; i < scene.event_count; i++)
		if (scene.events[i].change.what == FAULT_WRITES)
			free((void *)scene.events[i].change.data);
	scene.event_count = 0;
	disk_release(&scene.before);
	disk_release(&scene.now);
}

static void read_file(const char *name)
{
	int number = disk_add(&scene.now, name), file;
	struct inode *inode = &scene.now.inodes[number];
	struct stat status;
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", scene.path, name);
	file = __real_open(path, O_RDONLY);
	assert_true(file >= 0 && !__real_fstat(file, &status));
	scene.numbers[number] = status.st_ino;
	resize(inode, (size_t)status.st_size);
	assert_int_equal(read(file, inode->data, inode->size), inode->size);
	__real_close(file);
}

/* What lies there before, all of it safe. */
static void read_directory(void)
{
	DIR *stream = opendir(scene.path);
	struct dirent *item;

	scene.now.has_directory = stream != NULL;
	while (stream && (item = readdir(stream)))
		if (item->d_name[0] != '.')
			read_file(item->d_name);
	if (stream)
		closedir(stream);
	copy_disk(&scene.before, &scene.now);
}

/* After the cut */

static bool concerns(const struct cut *cut, const struct event *event)
{
	return cut->inode == ALL_INODES || cut->inode == event->inode;
}

static bool existed(const struct cut *cut, int inode)
{
	for (unsigned i = cut->at; i < scene.event_count; i++)
		if (scene.events[i].inode == inode &&
		    scene.events[i].change.what == FAULT_CREATES)
			return false;
	return true;
}

static void change_bytes(struct disk *disk, const struct cut *cut, unsigned at)
{
	const struct event *event = &scene.events[at];
	struct inode *inode = &disk->inodes[event->inode];
	enum loss loss = concerns(cut, event) ? cut->loss : LOSES_NOTHING;
	unsigned pattern = loss == LOSES_BLOCKS ? cut->number : ~0U;
	struct event part = *event;

	if (at >= cut->at &&
	    (loss != KEEPS_MORE || !existed(cut, event->inode)))
		return;
	if (loss == LOSES_LAST && event->nth >= cut->number)
		return;
	if (loss == LOSES_HALF)
		part.change.size /= 2;
	if (event->change.what == FAULT_WRITES)
		write_blocks(inode, &part, pattern);
	else if (loss != LOSES_HALF)
		resize(inode, (size_t)event->change.size);
}

static void replay(const struct cut *cut, struct disk *disk)
{
	copy_disk(disk, &scene.before);
	disk->inode_count = scene.now.inode_count;
	for (unsigned i = 0; i < scene.event_count; i++) {
		const struct event *event = &scene.events[i];

		if (!changes_name(event))
			change_bytes(disk, cut, i);
		else if (i < cut->at &&
			 (cut->loss != LOSES_NAME || i != cut->number))
			change_name(disk, event);
	}
}

static void write_directory(const struct disk *disk)
{
	char path[200];
	int file;

	fixture_remove_tree(scene.path);
	if (!disk->has_directory)
		return;
	FAULT_EXPECT(!__real_mkdirat(AT_FDCWD, scene.path, 0700),
		     "can't make the directory");
	for (int i = 0; i < disk->inode_count; i++) {
		const struct inode *inode = &disk->inodes[i];

		if (!disk->names[i][0])
			continue;
		snprintf(path, sizeof(path), "%s/%s", scene.path,
			 disk->names[i]);
		file = __real_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		FAULT_EXPECT(file >= 0 &&
				     write(file, inode->data, inode->size) ==
					     (ssize_t)inode->size,
			     "can't write %s", disk->names[i]);
		__real_close(file);
	}
}

/* Contents */

static void make_binary(unsigned number, uint64_t completeness,
			unsigned char binary[BINARY_SIZE])
{
	for (size_t i = 0; i < BINARY_SIZE; i++)
		binary[i] = (unsigned char)(1 + (number * 31 +
						 completeness * 101 + i / 7 +
						 i) % 255);
}

typedef int (*publish)(struct occ_store *store, const struct occ_key *key,
		       struct occ_span metadata, struct occ_span binary);

static int store_entry(unsigned number, uint64_t completeness, publish function)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	unsigned char binary[BINARY_SIZE];
	int error;

	occ_meta_append_number(&metadata, OCC_META_COMPLETENESS, completeness);
	make_binary(number, completeness, binary);
	error = function(scene.store, &scene.keys[number],
			 occ_buffer_span(&metadata),
			 (struct occ_span){binary, sizeof(binary)});
	occ_buffer_release(&metadata);
	return error;
}

/* What is found is right. */
static int look_up(unsigned number)
{
	unsigned char binary[BINARY_SIZE];
	struct occ_loaded loaded;
	uint64_t completeness;
	int error = occ_store_lookup(scene.store, &scene.keys[number], &loaded);

	if (error)
		return error;
	completeness =
		occ_entry_number(&loaded.entry, OCC_META_COMPLETENESS, 0);
	make_binary(number, completeness, binary);
	FAULT_EXPECT(completeness >= 1 && completeness <= 3 &&
			     loaded.entry.binary.size == sizeof(binary) &&
			     !memcmp(loaded.entry.binary.data, binary,
				     sizeof(binary)),
		     "entry %u has wrong bytes", number);
	occ_loaded_release(&loaded);
	return OCC_OK;
}

/* Judging */

static void judge_entries(const struct cut *cut)
{
	for (unsigned i = 0; i < KEYS; i++) {
		int error = look_up(i);

		scene.found += error == OCC_OK;
		scene.missed += error == OCC_E_NOT_FOUND;
		scene.corrupt += error == OCC_E_CORRUPT;
		FAULT_EXPECT(!error || error == OCC_E_NOT_FOUND ||
				     (error == OCC_E_CORRUPT &&
				      cut->loss != LOSES_NOTHING),
			     "entry %u: %s", i, occ_error_string(error));
		FAULT_EXPECT(error != OCC_E_CORRUPT ||
				     look_up(i) == OCC_E_NOT_FOUND,
			     "entry %u stays", i);
	}
}

/* Of one letter, and longer than a block. */
static int write_state(char letter)
{
	char value[STATE_SIZE];

	memset(value, letter, sizeof(value));
	return occ_state_set(scene.store, "kept", value, sizeof(value));
}

/* The letter, or 0 when there is none. */
static char read_state(void)
{
	char value[STATE_SIZE] = "", whole[STATE_SIZE];
	size_t size = 0;
	int error = occ_state_get(scene.store, "kept", (unsigned char *)value,
				  sizeof(value), &size);

	if (error == OCC_E_NOT_FOUND)
		return 0;
	memset(whole, value[0], sizeof(whole));
	FAULT_EXPECT(!error && size == sizeof(value) && value[0] &&
			     !memcmp(value, whole, sizeof(value)),
		     "the state has wrong bytes: %s", occ_error_string(error));
	return value[0];
}

static void judge_state(void)
{
	char letter = read_state();
	int error = write_state('c');

	FAULT_EXPECT(!letter || letter == 'a' || letter == 'b',
		     "the state is %c", letter);
	if (error == OCC_E_SIZE_LEDGER)
		error = write_state('c');
	FAULT_EXPECT(!error, "can't set the state: %s",
		     occ_error_string(error));
	FAULT_EXPECT(read_state() == 'c', "the state wasn't set");
}

static const char contents[] = "#define ONE 1\n";

/* Contents of a file that was included: right, or as if there were none. */
static void judge_contents(void)
{
	const struct occ_span bytes = {(const unsigned char *)contents,
				       strlen(contents)};
	struct occ_buffer read = OCC_BUFFER_INIT;
	struct occ_digest name;
	int error;

	occ_digest(bytes.data, bytes.size, OCC_SEED_NAME, &name);
	error = occ_included_contents_read(scene.store, &name, bytes.size,
					   &read);
	FAULT_EXPECT(error == OCC_E_NOT_FOUND ||
			     (!error &&
			      occ_span_equal(occ_buffer_span(&read), bytes)),
		     "other contents");
	occ_buffer_release(&read);
	error = occ_included_contents_add(scene.store, bytes);
	FAULT_EXPECT(!error, "can't keep contents: %s",
		     occ_error_string(error));
	FAULT_EXPECT(!occ_included_contents_read(scene.store, &name, bytes.size,
						 &read),
		     "contents weren't kept");
	occ_buffer_release(&read);
}

static uint64_t recorded_size(void)
{
	int directory = open(scene.path, O_RDONLY | O_DIRECTORY);
	struct occ_size_ledger ledger;
	int error = occ_size_ledger_lock(directory, &ledger);

	FAULT_EXPECT(!error, "can't lock: %s", occ_error_string(error));
	occ_size_ledger_unlock(&ledger);
	close(directory);
	return ledger.size;
}

static uint64_t measured_size(void)
{
	uint64_t size = 0;
	int error = occ_store_measure(scene.store, &size);

	FAULT_EXPECT(!error, "can't measure: %s", occ_error_string(error));
	return size;
}

/* Its bytes never got there: zero is no total that is ever written. */
static bool is_total_blank(const struct disk *disk)
{
	static const unsigned char zeros[OCC_SIZE_LEDGER_SIZE];
	int i = disk_find(disk, "config.file");

	return disk->has_directory && i >= 0 &&
	       (disk->inodes[i].size < 8 ||
		(disk->inodes[i].size == sizeof(zeros) &&
		 !memcmp(disk->inodes[i].data, zeros, sizeof(zeros))));
}

static bool has_temps(void)
{
	DIR *stream = opendir(scene.path);
	struct dirent *item;
	bool found = false;

	while (stream && (item = readdir(stream)))
		found = found || strstr(item->d_name, ".tmp");
	if (stream)
		closedir(stream);
	return found;
}

/* Goes on as ever, until there was an eviction, and a second one. */
static void judge_healing(void)
{
	for (unsigned i = 0; i < MORE_KEYS; i++) {
		int error = store_entry(i, 3, occ_store_publish);

		if (error == OCC_E_SIZE_LEDGER)
			error = store_entry(i, 3, occ_store_publish);
		FAULT_EXPECT(!error || error == OCC_E_EXISTS,
			     "can't publish %u: %s", i,
			     occ_error_string(error));
		FAULT_EXPECT(!look_up(i), "what was published isn't there");
	}
	FAULT_EXPECT(!has_temps(), "temp files stay");
	FAULT_EXPECT(recorded_size() == measured_size(),
		     "the total isn't mended");
	FAULT_EXPECT(measured_size() <= LIMIT, "more than the maximum");
}

static bool is_turn(void)
{
	return scene.all || (scene.turn++ + scene.seed) % EVERY == 0;
}

static void try(const struct cut *cut)
{
	static const char *const losses[] = {
		"nothing is lost",   "kept of a file:", "blocks kept:",
		"a half is lost of", "kept of later:",	"lost name:"};
	struct disk disk;

	if (!is_turn())
		return;
	snprintf(scene.trial, sizeof(scene.trial), "cut at %u, file %d, %s %u",
		 cut->at, cut->inode, losses[cut->loss], cut->number);
	replay(cut, &disk);
	write_directory(&disk);
	judge_entries(cut);
	FAULT_EXPECT(!is_total_blank(&disk) ||
			     recorded_size() >= measured_size(),
		     "a blank total is believed");
	judge_state();
	judge_contents();
	judge_healing();
	disk_release(&disk);
	scene.tried++;
}

/* Trials */

static unsigned count_changes(unsigned end, int inode)
{
	unsigned count = 0;

	for (unsigned i = 0; i < end; i++)
		count += scene.events[i].inode == inode &&
			 !changes_name(&scene.events[i]);
	return count;
}

static void try_file(unsigned at, int inode)
{
	unsigned changes = inode == ALL_INODES ? 2 : count_changes(at, inode);
	struct cut cut = {at, LOSES_LAST, inode, 0};

	if (inode != ALL_INODES && !count_changes(scene.event_count, inode))
		return;
	for (cut.number = 0; cut.number < changes; cut.number++)
		try(&cut);
	cut.loss = LOSES_BLOCKS;
	for (cut.number = 0; cut.number < (1U << PATTERN) - 1; cut.number++)
		try(&cut);
	cut.loss = LOSES_HALF;
	try(&cut);
	cut.loss = KEEPS_MORE;
	try(&cut);
}

static void try_cut(unsigned at)
{
	struct cut cut = {at, LOSES_NOTHING, ALL_INODES, 0};

	try(&cut);
	for (int i = ALL_INODES; i < scene.now.inode_count; i++)
		try_file(at, i);
	cut.loss = LOSES_NAME;
	for (cut.number = 0; cut.number < at; cut.number++)
		if (changes_name(&scene.events[cut.number]))
			try(&cut);
}

static void nothing(void)
{
}

static void some_entries(void)
{
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(store_entry(i, 1, occ_store_publish), OCC_OK);
	assert_int_equal(write_state('a'), OCC_OK);
}

static void full_store(void)
{
	some_entries();
	for (unsigned i = KEYS; i < KEYS + 4; i++)
		assert_int_equal(store_entry(i, 3, occ_store_publish), OCC_OK);
}

static void publish_one(void)
{
	assert_int_equal(store_entry(5, 1, occ_store_publish), OCC_OK);
}

static void improve_one(void)
{
	assert_int_equal(store_entry(1, 2, occ_store_improve), OCC_OK);
}

static void set_state(void)
{
	assert_int_equal(write_state('b'), OCC_OK);
}

static void keep_contents(void)
{
	const struct occ_span bytes = {(const unsigned char *)contents,
				       strlen(contents)};

	assert_int_equal(occ_included_contents_add(scene.store, bytes), OCC_OK);
}

static void discard_one(void)
{
	assert_int_equal(occ_store_discard(scene.store, &scene.keys[1]),
			 OCC_OK);
}

static void complete_one(void)
{
	assert_int_equal(occ_store_complete(scene.store, &scene.keys[1],
					    fixture_make_longer, NULL),
			 OCC_OK);
}

/* Of all that was written nothing is safe. */
static void live(void)
{
	some_entries();
	improve_one();
	complete_one();
	discard_one();
	set_state();
	publish_one();
}

static const struct operation {
	const char *name;
	void (*prepare)(void);
	void (*run)(void);
} operations[] = {
	{"publish", some_entries, publish_one},
	{"publish and evict", full_store, publish_one},
	{"improve", some_entries, improve_one},
	{"complete", some_entries, complete_one},
	{"set the state", some_entries, set_state},
	{"keep contents", some_entries, keep_contents},
	{"discard", some_entries, discard_one},
	{"all from the beginning", nothing, live},
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static bool has_removed(void)
{
	for (unsigned i = 0; i < scene.event_count; i++)
		if (scene.events[i].change.what == FAULT_REMOVES)
			return true;
	return false;
}

static void test_operation(void **state)
{
	const struct operation *operation = *state;

	fixture_remove_tree(scene.path);
	operation->prepare();
	read_directory();
	fault.changed = record;
	operation->run();
	fault.changed = NULL;
	assert_true(scene.event_count > 0);
	assert_true(operation->prepare != full_store || has_removed());
	scene.tried = scene.found = scene.missed = scene.corrupt = 0;
	for (unsigned at = 0; at <= scene.event_count; at++)
		try_cut(at);
	assert_true(scene.tried > 0);
	printf("# %s: %u changes, %u cuts; of entries %u right, %u missing, "
	       "%u torn\n",
	       operation->name, scene.event_count, scene.tried, scene.found,
	       scene.missed, scene.corrupt);
	fflush(stdout);
	forget();
}

static int open_scene(void **state)
{
	(void)state;
	/* In memory: the disk is a model. */
	strcpy(scene.directory, "/dev/shm/oclcache-unit-XXXXXX");
	if (!mkdtemp(scene.directory)) {
		strcpy(scene.directory, "/tmp/oclcache-unit-XXXXXX");
		if (!mkdtemp(scene.directory))
			return -1;
	}
	snprintf(scene.path, sizeof(scene.path), "%s/store", scene.directory);
	for (unsigned i = 0; i < MORE_KEYS; i++)
		fixture_key(&scene.keys[i], i);
	scene.store = occ_store_open(scene.path, LIMIT, false);
	scene.all = getenv("OCLCACHE_TEST_LONG") != NULL;
	scene.seed = fault_seed();
	return scene.store ? 0 : -1;
}

static int close_scene(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MORE_KEYS; i++)
		occ_key_release(&scene.keys[i]);
	occ_store_close(scene.store);
	fixture_remove_tree(scene.directory);
	return 0;
}

int main(int count, char **arguments)
{
	static struct CMUnitTest tests[OPERATIONS];

	for (size_t i = 0; i < OPERATIONS; i++)
		tests[i] = (struct CMUnitTest){
			.name = operations[i].name,
			.test_func = test_operation,
			.initial_state = (void *)&operations[i],
		};
	if (count > 1)
		cmocka_set_test_filter(arguments[1]);
	return cmocka_run_group_tests(tests, open_scene, close_scene);
}
