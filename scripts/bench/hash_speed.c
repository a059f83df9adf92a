/* SPDX-License-Identifier: MIT */
/*
 * How fast a program's source or IL becomes a key.
 *
 *	hash_speed [MEGABYTES [ROUNDS]]		default 64 and 15
 *
 * Prints a line of JSON: the size, and for each round the milliseconds that
 * one key took, and those of reading the same bytes once (a sum of words), to
 * compare with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hash/key.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double time_key(const unsigned char *bytes, size_t size)
{
	double start = now();
	struct occ_key key;

	occ_key_init(&key);
	occ_key_add(&key, OCC_KEY_IL, bytes, size);
	if (occ_key_finish(&key) < 0)
		abort();
	occ_key_release(&key);
	return now() - start;
}

static double time_read(const unsigned char *bytes, size_t size)
{
	double start = now();
	uint64_t sum = 0, word;

	for (size_t i = 0; i + sizeof(word) <= size; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		sum += word;
	}
	/* The sum is wanted, or there would be no loop. */
	__asm__ volatile("" : : "r"(sum));
	return now() - start;
}

int main(int argc, char **argv)
{
	size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
	int rounds = argc > 2 ? atoi(argv[2]) : 15;
	unsigned char *bytes = malloc(size);

	if (!bytes || !size || rounds < 1)
		return 2;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(i * 2654435761U >> 13);
	printf("{\"bytes\": %zu, \"rounds\": [", size);
	for (int i = 0; i < rounds; i++)
		printf("%s{\"key\": %.3f, \"read\": %.3f}", i ? ", " : "",
		       time_key(bytes, size), time_read(bytes, size));
	puts("]}");
	free(bytes);
	return 0;
}
