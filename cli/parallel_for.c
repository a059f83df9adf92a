/* SPDX-License-Identifier: MIT */
#include "cli/parallel_for.h"

#include <pthread.h>
#include <sched.h>

/* Taken at once: less would be spent on taking them. */
#define PORTION 8

struct crew {
	size_t count;
	size_t next; /* atomic */
	occ_parallel_work work;
	void *data;
};

struct worker {
	struct crew *crew;
	unsigned number;
	pthread_t thread;
};

static void *work(void *data)
{
	const struct worker *worker = data;
	struct crew *crew = worker->crew;

	for (;;) {
		size_t at = __atomic_fetch_add(&crew->next, PORTION,
					       __ATOMIC_RELAXED);

		if (at >= crew->count)
			return NULL;
		for (size_t i = at; i < at + PORTION && i < crew->count; i++)
			crew->work(i, worker->number, crew->data);
	}
}

static unsigned size_for(size_t count)
{
	size_t most = (count + PORTION - 1) / PORTION;
	cpu_set_t set;
	unsigned size = 1;

	if (!sched_getaffinity(0, sizeof(set), &set))
		size = (unsigned)CPU_COUNT(&set);
	if (size > most)
		size = (unsigned)most;
	if (size > OCC_PARALLEL_MAX)
		size = OCC_PARALLEL_MAX;
	return size;
}

void occ_parallel_for(size_t count, occ_parallel_work perform, void *data)
{
	struct crew crew = {count, 0, perform, data};
	struct worker workers[OCC_PARALLEL_MAX];
	unsigned size = size_for(count), started = 1;

	for (unsigned i = 0; i < OCC_PARALLEL_MAX; i++)
		workers[i] = (struct worker){.crew = &crew, .number = i};
	/* Where no thread is to be had, this one does all of it. */
	while (started < size && !pthread_create(&workers[started].thread, NULL,
						 work, &workers[started]))
		started++;
	work(&workers[0]);
	while (started > 1)
		pthread_join(workers[--started].thread, NULL);
}
