/* SPDX-License-Identifier: MIT */
#include "storage/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "storage/clock.h"
#include "storage/counts.h"
#include "storage/lease.h"
#include "storage/options.h"
#include "storage/uploader.h"

/* One failure may be an accident. */
#define FAILURES_MAX  3
#define UPLOADERS     2
#define LEASES_END_MS 1000
#define STACK_SIZE    ((size_t)512 * 1024)

/* A thread that has nothing to do. */
struct idle_worker {
	struct idle_worker *next;
	struct occ_job *job;
	bool has_worked;
	pthread_cond_t given;
};

struct occ_workers {
	const struct occ_storage_options *options;
	const struct occ_backend *backend;
	pthread_mutex_t lock;
	struct occ_job *waiting, *done;
	/*
	 * The one that has worked last first: its connection is the most likely
	 * to be open still. Who has none yet comes last.
	 */
	struct idle_worker *idle;
	unsigned waiting_count, started;
	int event;
	struct occ_breaker breaker, put_breaker;
	struct occ_leases *leases;
	struct occ_uploader uploader;
};

void occ_workers_explain(uint64_t wait_ms, char *text, size_t size)
{
	if (wait_ms)
		snprintf(text, size, "the server failed; retrying in %u s",
			 (unsigned)((wait_ms + 999) / 1000));
	else
		snprintf(text, size, "the server failed; retrying now");
}

static void tell(struct occ_workers *workers)
{
	uint64_t one = 1;
	ssize_t written;

	do {
		written = write(workers->event, &one, sizeof(one));
	} while (written < 0 && errno == EINTR);
}

static void tell_of_more(void *context)
{
	tell(context);
}

/* What is wrong with the value itself says nothing of the server. */
static enum occ_remote_result get(struct occ_workers *workers,
				  struct occ_backend_connection *connection,
				  struct occ_job *job)
{
	struct occ_inflow *inflow = &job->inflow;
	struct occ_value_sink sink = occ_inflow_sink(inflow);
	enum occ_remote_result result;

	occ_inflow_begin(inflow, tell_of_more, workers);
	result = workers->backend->get(connection,
				       (struct occ_span){job->key,
							 job->key_size},
				       &sink, &job->error);
	if (result == OCC_REMOTE_OK && !occ_inflow_end(inflow))
		result = OCC_REMOTE_ERROR;
	if (inflow->problem) {
		snprintf(job->error.message, sizeof(job->error.message), "%s",
			 inflow->problem);
		job->error.is_answered = true;
	}
	occ_storage_count(OCC_STORAGE_BYTES_GOT, inflow->received);
	occ_inflow_release(inflow);
	return result;
}

static enum occ_remote_result ask(struct occ_workers *workers,
				  struct occ_backend_connection *connection,
				  struct occ_job *job)
{
	const struct occ_backend *backend = workers->backend;
	struct occ_span key = {job->key, job->key_size};

	switch (job->type) {
	case OCC_REMOTE_GET:
		return get(workers, connection, job);
	case OCC_REMOTE_EXISTS:
		return backend->exists(connection, key, &job->error);
	case OCC_REMOTE_REMOVE:
		return backend->remove(connection, key, &job->error);
	default:
		return occ_leases_take(workers->leases, connection, key,
				       job->process, &job->error);
	}
}

static bool is_writing(const struct occ_job *job)
{
	return job->type == OCC_REMOTE_REMOVE || job->type == OCC_REMOTE_LEASE;
}

static void perform(struct occ_workers *workers,
		    struct occ_backend_connection *connection,
		    struct occ_job *job)
{
	uint64_t wait;

	if (!connection) {
		job->result = OCC_REMOTE_ERROR;
		snprintf(job->error.message, sizeof(job->error.message),
			 "out of memory");
		return;
	}
	if (!occ_breaker_allows(&workers->breaker, occ_storage_now(), &wait)) {
		job->result = OCC_REMOTE_ERROR;
		occ_workers_explain(wait, job->error.message,
				    sizeof(job->error.message));
		return;
	}
	job->result = ask(workers, connection, job);
	/* Of one that may only read, this is in vain, and nothing else. */
	if (job->result == OCC_REMOTE_ERROR && !job->inflow.problem &&
	    !(is_writing(job) && job->error.is_answered))
		occ_breaker_failed(&workers->breaker, job->error.is_late,
				   occ_storage_now());
	else
		occ_breaker_succeeded(&workers->breaker);
	if (job->result == OCC_REMOTE_ERROR)
		occ_storage_count_error(job->error.message);
}

static struct occ_job *take_waiting(struct occ_workers *workers)
{
	struct occ_job *job = workers->waiting;

	if (job) {
		workers->waiting = job->next;
		workers->waiting_count--;
	}
	return job;
}

static struct occ_job *next_job(struct occ_workers *workers,
				struct idle_worker *self)
{
	struct idle_worker **at = &workers->idle;
	struct occ_job *job;

	pthread_mutex_lock(&workers->lock);
	job = take_waiting(workers);
	if (!job) {
		self->job = NULL;
		while (*at && !self->has_worked)
			at = &(*at)->next;
		self->next = *at;
		*at = self;
		while (!self->job)
			pthread_cond_wait(&self->given, &workers->lock);
		job = self->job;
	}
	self->has_worked = true;
	pthread_mutex_unlock(&workers->lock);
	return job;
}

static void *work(void *argument)
{
	struct occ_workers *workers = argument;
	struct occ_backend_connection *connection = NULL;
	struct idle_worker self = {.given = PTHREAD_COND_INITIALIZER};

	for (;;) {
		struct occ_job *job = next_job(workers, &self);

		if (!connection)
			connection = workers->backend->open(workers->options);
		perform(workers, connection, job);
		pthread_mutex_lock(&workers->lock);
		job->next = workers->done;
		workers->done = job;
		pthread_mutex_unlock(&workers->lock);
		tell(workers);
	}
	return NULL;
}

static bool start_threads(unsigned count, void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	for (unsigned i = 0; i < count && !error; i++)
		error = pthread_create(&thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	errno = error;
	return !error;
}

struct occ_workers *occ_workers_start(const struct occ_storage_options *options,
				      const struct occ_backend *backend,
				      struct occ_upload_queue *queue)
{
	struct occ_workers *workers = calloc(1, sizeof(*workers));

	if (!workers)
		return NULL;
	workers->options = options;
	workers->backend = backend;
	pthread_mutex_init(&workers->lock, NULL);
	occ_breaker_init(&workers->breaker, FAILURES_MAX);
	occ_breaker_init(&workers->put_breaker, FAILURES_MAX);
	workers->leases = occ_leases_new(backend, options);
	workers->uploader = (struct occ_uploader){
		.options = options,
		.backend = backend,
		.queue = queue,
		.breaker = &workers->breaker,
		.put_breaker = &workers->put_breaker,
		.leases = workers->leases,
		.done = tell_of_more,
		.context = workers,
	};
	workers->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* Threads that have started keep what they have; others follow. */
	if (workers->event < 0 || !start_threads(1, work, workers) ||
	    !start_threads(UPLOADERS, occ_uploader_run, &workers->uploader))
		return NULL;
	workers->started = 1;
	return workers;
}

int occ_workers_event(const struct occ_workers *workers)
{
	return workers->event;
}

/* To the one that waits, or, if none does, for the next one that has time. */
static void hand_out(struct occ_workers *workers, struct occ_job *job)
{
	struct idle_worker *idle = workers->idle;
	struct occ_job **at = &workers->waiting;

	if (idle) {
		workers->idle = idle->next;
		idle->job = job;
		pthread_cond_signal(&idle->given);
		return;
	}
	while (*at)
		at = &(*at)->next;
	*at = job;
	workers->waiting_count++;
}

void occ_workers_add(struct occ_workers *workers, struct occ_job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&workers->lock);
	hand_out(workers, job);
	/* Connections of few threads are more often open than those of many. */
	if (workers->waiting_count &&
	    workers->started < workers->options->connections &&
	    start_threads(1, work, workers))
		workers->started++;
	pthread_mutex_unlock(&workers->lock);
}

bool occ_workers_cancel(struct occ_workers *workers, struct occ_job *job)
{
	struct occ_job **at = &workers->waiting;
	bool found;

	pthread_mutex_lock(&workers->lock);
	while (*at && *at != job)
		at = &(*at)->next;
	found = *at != NULL;
	if (found) {
		*at = job->next;
		workers->waiting_count--;
	}
	pthread_mutex_unlock(&workers->lock);
	return found;
}

struct occ_job *occ_workers_done(struct occ_workers *workers)
{
	struct occ_job *done;
	uint64_t number;

	while (read(workers->event, &number, sizeof(number)) < 0 &&
	       errno == EINTR)
		;
	pthread_mutex_lock(&workers->lock);
	done = workers->done;
	workers->done = NULL;
	pthread_mutex_unlock(&workers->lock);
	return done;
}

struct occ_breaker *occ_workers_breaker(struct occ_workers *workers)
{
	return &workers->breaker;
}

struct occ_breaker *occ_workers_put_breaker(struct occ_workers *workers)
{
	return &workers->put_breaker;
}

struct occ_leases *occ_workers_leases(struct occ_workers *workers)
{
	return workers->leases;
}

void occ_workers_end(struct occ_workers *workers)
{
	occ_leases_stop(workers->leases, LEASES_END_MS);
}

bool occ_workers_deny_puts(struct occ_workers *workers)
{
	uint64_t wait;

	return atomic_load(&workers->uploader.is_denied) &&
	       occ_breaker_is_open(&workers->put_breaker, occ_storage_now(),
				   &wait);
}
