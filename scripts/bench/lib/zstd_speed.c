/* SPDX-License-Identifier: MIT */
/*
 * speed FILE: what reading it costs, and reading less of it and decompressing.
 * See scripts/bench/zstd, which compiles this.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#define ROUNDS 21

struct bytes {
	unsigned char *data;
	size_t size;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* New memory each time, as in a new process. */
static unsigned char *get_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

static struct bytes read_file(int file, size_t size)
{
	struct bytes bytes = {get_memory(size), size};

	if (pread(file, bytes.data, size, 0) != (ssize_t)size)
		die("pread");
	return bytes;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof(*times), compare);
	return times[ROUNDS / 2];
}

static double time_reading(int file, size_t size)
{
	double times[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		struct bytes bytes = read_file(file, size);

		times[i] = now() - start;
		munmap(bytes.data, bytes.size);
	}
	return median(times);
}

static double time_decoding(int file, size_t size, size_t whole)
{
	double times[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		struct bytes bytes = read_file(file, size);
		unsigned char *memory = get_memory(whole);

		if (ZSTD_decompress(memory, whole, bytes.data, size) != whole)
			die("ZSTD_decompress");
		times[i] = now() - start;
		munmap(bytes.data, bytes.size);
		munmap(memory, whole);
	}
	return median(times);
}

/* An unnamed file with the compressed bytes. */
static int compress(struct bytes whole, int level, size_t *ret_size,
		    double *ret_us)
{
	size_t room = ZSTD_compressBound(whole.size);
	unsigned char *memory = get_memory(room);
	double start = now();
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	*ret_size = ZSTD_compress(memory, room, whole.data, whole.size, level);
	*ret_us = now() - start;
	if (ZSTD_isError(*ret_size) || file < 0 ||
	    pwrite(file, memory, *ret_size, 0) != (ssize_t)*ret_size)
		die("compress");
	munmap(memory, room);
	return file;
}

int main(int argc, char **argv)
{
	static const int levels[] = {1, 3, 9};
	int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat status;
	struct bytes whole;

	if (file < 0 || fstat(file, &status))
		die("usage: speed FILE");
	whole = read_file(file, (size_t)status.st_size);
	printf("0 %zu 0 %.0f\n", whole.size, time_reading(file, whole.size));
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		double us;
		size_t size;
		int compressed = compress(whole, levels[i], &size, &us);

		printf("%d %zu %.0f %.0f\n", levels[i], size, us,
		       time_decoding(compressed, size, whole.size));
		close(compressed);
	}
	return 0;
}
