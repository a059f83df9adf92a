/* SPDX-License-Identifier: MIT */
#include "storage/counts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MESSAGES 16

static _Atomic uint64_t counts[OCC_STORAGE_COUNTS];

static struct {
	pthread_mutex_t lock;
	struct {
		char text[OCC_REMOTE_TEXT_MAX + 1];
		uint64_t number;
	} kinds[MESSAGES];
	uint64_t others;
} errors = {.lock = PTHREAD_MUTEX_INITIALIZER};

void occ_storage_count(enum occ_storage_count what, uint64_t number)
{
	atomic_fetch_add_explicit(&counts[what], number, memory_order_relaxed);
}

uint64_t occ_storage_counted(enum occ_storage_count what)
{
	return atomic_load_explicit(&counts[what], memory_order_relaxed);
}

static uint64_t *counter_locked(const char *message)
{
	for (size_t i = 0; i < MESSAGES; i++) {
		if (!errors.kinds[i].number)
			snprintf(errors.kinds[i].text,
				 sizeof(errors.kinds[i].text), "%s", message);
		if (!strcmp(errors.kinds[i].text, message))
			return &errors.kinds[i].number;
	}
	return &errors.others;
}

void occ_storage_count_error(const char *message)
{
	pthread_mutex_lock(&errors.lock);
	++*counter_locked(message);
	pthread_mutex_unlock(&errors.lock);
}

static void say(void (*line)(void *context, const char *text), void *context,
		uint64_t number, const char *message)
{
	char text[OCC_REMOTE_TEXT_MAX + 1];

	snprintf(text, sizeof(text), "%llu %s: %.200s",
		 (unsigned long long)number, number == 1 ? "error" : "errors",
		 message);
	line(context, text);
}

void occ_storage_errors(void (*line)(void *context, const char *text),
			void *context)
{
	pthread_mutex_lock(&errors.lock);
	for (size_t i = 0; i < MESSAGES && errors.kinds[i].number; i++)
		say(line, context, errors.kinds[i].number,
		    errors.kinds[i].text);
	if (errors.others)
		say(line, context, errors.others, "others");
	pthread_mutex_unlock(&errors.lock);
}
