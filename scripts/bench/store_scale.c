/* SPDX-License-Identifier: MIT */
/*
 * How the store's calls take longer when it has more entries.
 *
 *	store_scale DIRECTORY [ENTRIES...]		default 100 1000 10000
 *100000
 *
 * Makes stores of small entries in DIRECTORY (on a file system of one's
 *choice), one after the other, and prints CSV, a line per store, times in us:
 *
 *	entries		how many there are
 *	hit, miss	medians of a look-up
 *	publish		median of a publish when there is room
 *	evict		the publish that evicts a third, and
 *	evict_cpu	the CPU's time for it
 *	evicted		how many went
 *	hit_meanwhile	median of look-ups during that publish, and the
 *	hit_longest	longest one
 *	publish_meanwhile
 *			the longest publish of another thread that began
 *			meanwhile, or 0: it refused
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache/file.h"
#include "cache/name.h"
#include "cache/store.h"

#define LOOKUPS	    2000
#define PUBLISHES   300
#define BINARY_SIZE 512
#define SAMPLES_MAX 1000000

/* Keys beyond those of the entries. */
#define ABSENT	    UINT64_C(1000000000)
#define NEW	    UINT64_C(2000000000)
#define EVICTING    UINT64_C(3000000000)
#define MEANWHILE   UINT64_C(4000000000)

struct samples {
	double *us;
	size_t count;
};

struct row {
	unsigned long entries, evicted;
	double hit, miss, publish, evict, evict_cpu;
	double hit_meanwhile, hit_longest, publish_meanwhile;
};

/* Others that use the store while it evicts. */
struct others {
	const char *path;
	uint64_t max_size;
	unsigned long entries;
	atomic_bool stop;
	struct samples hits, publishes;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static void make_key(struct occ_key *key, uint64_t number)
{
	occ_key_init(key);
	occ_key_add(key, OCC_KEY_SOURCE, &number, sizeof(number));
	if (occ_key_finish(key) < 0)
		die("key");
}

static void add(struct samples *samples, double us)
{
	if (!samples->us)
		samples->us = malloc(SAMPLES_MAX * sizeof(*samples->us));
	if (!samples->us)
		die("malloc");
	if (samples->count < SAMPLES_MAX)
		samples->us[samples->count++] = us;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts; 0 of none. */
static double median(struct samples *samples)
{
	if (!samples->count)
		return 0;
	qsort(samples->us, samples->count, sizeof(*samples->us), compare);
	return samples->us[samples->count / 2];
}

static double longest(const struct samples *sorted)
{
	return sorted->count ? sorted->us[sorted->count - 1] : 0;
}

static void forget(struct samples *samples)
{
	free(samples->us);
	*samples = (struct samples){NULL, 0};
}

static double time_lookup(struct occ_store *store, uint64_t number)
{
	struct occ_loaded loaded;
	struct occ_key key;
	double start, us;
	int error;

	make_key(&key, number);
	start = now();
	error = occ_store_lookup(store, &key, &loaded);
	us = now() - start;
	if (!error)
		occ_loaded_release(&loaded);
	occ_key_release(&key);
	return us;
}

static double time_publish(struct occ_store *store, uint64_t number,
			   int *ret_error)
{
	static const unsigned char binary[BINARY_SIZE];
	struct occ_key key;
	double start, us;

	make_key(&key, number);
	start = now();
	*ret_error = occ_store_publish(store, &key, (struct occ_span){NULL, 0},
				       (struct occ_span){binary, BINARY_SIZE});
	us = now() - start;
	occ_key_release(&key);
	return us;
}

/* Faster than publishing them. Returns an entry's size. */
static uint64_t write_entry(int directory, uint64_t number, int64_t age)
{
	static const unsigned char binary[BINARY_SIZE];
	struct timespec times[2] = {{.tv_sec = occ_file_now() - age}};
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	char name[OCC_NAME_SIZE];
	struct occ_key key;
	uint64_t size;
	int file;

	times[1] = times[0];
	make_key(&key, number);
	occ_entry_encode(&key, (struct occ_span){NULL, 0},
			 (struct occ_span){binary, BINARY_SIZE}, &bytes);
	occ_name_entry(&key.hash, 0, name);
	file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (file < 0 || occ_file_write(file, 0, bytes.data, bytes.size) ||
	    futimens(file, times))
		die(name);
	close(file);
	size = bytes.size;
	occ_buffer_release(&bytes);
	occ_key_release(&key);
	return size;
}

static uint64_t fill(const char *path, unsigned long entries)
{
	uint64_t size = 0;
	int directory;

	if (mkdir(path, 0700))
		die(path);
	directory = open(path, O_RDONLY | O_DIRECTORY);
	if (directory < 0)
		die(path);
	for (unsigned long i = 0; i < entries; i++)
		size += write_entry(directory, i, (int64_t)(entries - i) + 100);
	close(directory);
	return size;
}

static bool remove_one(const char *name, void *data)
{
	unlinkat(*(int *)data, name, 0);
	return true;
}

static void empty(const char *path)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY);

	if (directory < 0)
		die(path);
	occ_file_list(directory, remove_one, &directory);
	close(directory);
	rmdir(path);
}

static bool count_one(const char *name, void *data)
{
	if (occ_name_kind(name) == OCC_NAME_ENTRY)
		++*(unsigned long *)data;
	return true;
}

static unsigned long count(const char *path)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY);
	unsigned long entries = 0;

	if (directory < 0)
		die(path);
	occ_file_list(directory, count_one, &entries);
	close(directory);
	return entries;
}

static struct occ_store *open_store(const char *path, uint64_t max_size)
{
	struct occ_store *store = occ_store_open(path, max_size, false);

	if (!store || occ_store_prepare(store))
		die("occ_store_open");
	return store;
}

static void measure_calls(const char *path, struct row *row)
{
	struct occ_store *store = open_store(path, 0);
	struct samples hits = {0}, misses = {0}, publishes = {0};
	int error;

	for (unsigned i = 0; i < LOOKUPS; i++) {
		uint64_t number = (uint64_t)i * 7919 % row->entries;

		add(&hits, time_lookup(store, number));
		add(&misses, time_lookup(store, ABSENT + i));
	}
	for (unsigned i = 0; i < PUBLISHES; i++)
		add(&publishes, time_publish(store, NEW + i, &error));
	row->hit = median(&hits);
	row->miss = median(&misses);
	row->publish = median(&publishes);
	forget(&hits);
	forget(&misses);
	forget(&publishes);
	occ_store_close(store);
}

static void *read_others(void *data)
{
	struct others *others = data;
	struct occ_store *store = open_store(others->path, others->max_size);
	uint64_t number = others->entries - 1;

	while (!others->stop) {
		add(&others->hits, time_lookup(store, number));
		number = number > others->entries / 2 ? number - 1
						      : others->entries - 1;
	}
	occ_store_close(store);
	return NULL;
}

static void *publish_others(void *data)
{
	const struct timespec pause = {0, 1000000};
	struct others *others = data;
	struct occ_store *store = open_store(others->path, 0);
	uint64_t number = MEANWHILE;
	int error;

	while (!others->stop) {
		double us = time_publish(store, number++, &error);

		if (!error)
			add(&others->publishes, us);
		nanosleep(&pause, NULL);
	}
	occ_store_close(store);
	return NULL;
}

/* The store is as full as it may be: the next publish evicts. */
static void measure_eviction(const char *path, struct row *row)
{
	const struct timespec pause = {0, 20000000};
	struct others others = {.path = path, .entries = row->entries};
	struct occ_store *store = open_store(path, 0);
	unsigned long before;
	pthread_t threads[2];
	double cpu;
	int error;

	if (occ_store_measure(store, &others.max_size))
		die("occ_store_measure");
	occ_store_close(store);
	store = open_store(path, others.max_size);
	before = count(path);
	if (pthread_create(&threads[0], NULL, read_others, &others) ||
	    pthread_create(&threads[1], NULL, publish_others, &others))
		die("pthread_create");
	nanosleep(&pause, NULL);
	cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
	row->evict = time_publish(store, EVICTING, &error);
	row->evict_cpu = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
	others.stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (error)
		fprintf(stderr, "evicting publish: %s\n",
			occ_error_string(error));
	row->evicted = before + 1 + others.publishes.count - count(path);
	row->hit_meanwhile = median(&others.hits);
	row->hit_longest = longest(&others.hits);
	median(&others.publishes);
	row->publish_meanwhile = longest(&others.publishes);
	forget(&others.hits);
	forget(&others.publishes);
	occ_store_close(store);
}

static void measure(const char *directory, unsigned long entries)
{
	struct row row = {.entries = entries};
	char path[4096];

	snprintf(path, sizeof(path), "%s/store_scale.%ld", directory,
		 (long)getpid());
	fill(path, entries);
	measure_calls(path, &row);
	measure_eviction(path, &row);
	printf("%lu,%.1f,%.1f,%.1f,%.0f,%.0f,%lu,%.1f,%.0f,%.0f\n", row.entries,
	       row.hit, row.miss, row.publish, row.evict, row.evict_cpu,
	       row.evicted, row.hit_meanwhile, row.hit_longest,
	       row.publish_meanwhile);
	fflush(stdout);
	empty(path);
}

int main(int argc, char **argv)
{
	static const unsigned long usual[] = {100, 1000, 10000, 100000};

	if (argc < 2) {
		fprintf(stderr, "usage: store_scale DIRECTORY [ENTRIES...]\n");
		return 2;
	}
	printf("entries,hit,miss,publish,evict,evict_cpu,evicted,hit_meanwhile,"
	       "hit_longest,publish_meanwhile\n");
	if (argc == 2)
		for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
			measure(argv[1], usual[i]);
	for (int i = 2; i < argc; i++)
		measure(argv[1], strtoul(argv[i], NULL, 10));
	return 0;
}
