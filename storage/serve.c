/* SPDX-License-Identifier: MIT */
#include "storage/server_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/clock.h"
#include "storage/counts.h"
#include "storage/lease.h"
#include "storage/options.h"

/* As that of an entry is (cache/signed_entry.h). */
#define FIRST_KEY_SIZE 32

/* A flush that waits longer isn't one. */
#define FLUSH_MOST_MS  3600000

void occ_serve_greeting(const struct occ_server *server,
			struct occ_client *client)
{
	const unsigned char all[] = {OCC_REMOTE_CAN_STORE, OCC_REMOTE_CAN_INFO,
				     OCC_REMOTE_CAN_EXISTS,
				     OCC_REMOTE_CAN_FLUSH,
				     OCC_REMOTE_CAN_LEASE};
	unsigned char count =
		server->backend->lease ? sizeof(all) : sizeof(all) - 1;
	const unsigned char version = OCC_REMOTE_VERSION;
	struct occ_buffer greeting = OCC_BUFFER_INIT;

	occ_buffer_append(&greeting, &version, 1);
	occ_buffer_append(&greeting, &count, 1);
	occ_buffer_append(&greeting, all, count);
	occ_client_answer_bytes(client, &greeting);
}

static struct occ_job *find_job(struct occ_server *server,
				const struct occ_request *request)
{
	for (struct occ_job *job = server->jobs; job; job = job->listed)
		if (job->type == request->type &&
		    occ_span_equal((struct occ_span){job->key, job->key_size},
				   occ_request_key(request)))
			return job;
	return NULL;
}

static struct occ_job *new_job(struct occ_server *server,
			       enum occ_remote_request type,
			       struct occ_span key)
{
	struct occ_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->type = type;
	memcpy(job->key, key.data, key.size);
	job->key_size = key.size;
	job->listed = server->jobs;
	server->jobs = job;
	return job;
}

void occ_serve_first(struct occ_server *server)
{
	static const unsigned char nobodys[FIRST_KEY_SIZE];
	struct occ_job *job =
		new_job(server, OCC_REMOTE_EXISTS,
			(struct occ_span){nobodys, sizeof(nobodys)});

	if (job)
		occ_workers_add(server->workers, job);
}

static void unlist(struct occ_server *server, const struct occ_job *job)
{
	struct occ_job **at = &server->jobs;

	while (*at != job)
		at = &(*at)->listed;
	*at = job->listed;
}

static void free_job(struct occ_job *job)
{
	occ_value_release(occ_inflow_value(&job->inflow));
	free(job);
}

/* Of those without a value; the others are counted when it has gone. */
static void count_get(enum occ_remote_result result)
{
	occ_storage_count(result == OCC_REMOTE_NOOP ? OCC_STORAGE_MISSES
						    : OCC_STORAGE_GET_ERRORS,
			  1);
}

static void answer_value(struct occ_client *client, struct occ_value *value)
{
	value->users++;
	occ_client_answer_value(client, value);
}

/* Who waits for the job gets what there is of its value, as it comes. (V4) */
static void begin_answers(struct occ_job *job)
{
	struct occ_value *value = occ_inflow_value(&job->inflow);
	struct occ_client *client;

	while (value && job->waiting) {
		client = job->waiting;
		job->waiting = client->next_waiting;
		client->job = NULL;
		client->next_waiting = NULL;
		answer_value(client, value);
	}
}

void occ_serve_more(struct occ_server *server)
{
	for (struct occ_job *job = server->jobs; job; job = job->listed)
		begin_answers(job);
}

/* Only what changes nothing may be one question for several. (V4) */
static void wait_for_job(struct occ_server *server, struct occ_client *client)
{
	enum occ_remote_request type = client->request.type;
	bool is_shared = type == OCC_REMOTE_GET || type == OCC_REMOTE_EXISTS;
	struct occ_job *job =
		is_shared ? find_job(server, &client->request) : NULL;
	bool is_new = !job;

	if (is_new) {
		job = new_job(server, type, occ_request_key(&client->request));
		if (job)
			job->process = client->process;
	}
	if (!job) {
		occ_client_answer(client, OCC_REMOTE_ERROR, "out of memory");
		return;
	}
	client->job = job;
	client->next_waiting = job->waiting;
	job->waiting = client;
	client->state = OCC_CLIENT_WAITS;
	if (is_new)
		occ_workers_add(server->workers, job);
	else
		begin_answers(job);
}

/* True: the server isn't asked for now, and the client was told. */
static bool is_broken(struct occ_server *server, struct occ_client *client)
{
	char text[OCC_REMOTE_TEXT_MAX + 1];
	uint64_t wait;

	if (!occ_breaker_is_open(occ_workers_breaker(server->workers),
				 occ_storage_now(), &wait))
		return false;
	occ_workers_explain(wait, text, sizeof(text));
	if (client->request.type == OCC_REMOTE_GET)
		count_get(OCC_REMOTE_ERROR);
	occ_client_answer(client, OCC_REMOTE_ERROR, text);
	return true;
}

/* Hands what *bytes has to the client. */
static void answer_with(struct occ_client *client, struct occ_buffer *bytes)
{
	struct occ_value *value = occ_value_new(bytes);

	if (value) {
		occ_client_answer_value(client, value);
	} else {
		count_get(OCC_REMOTE_ERROR);
		occ_client_answer(client, OCC_REMOTE_ERROR, "out of memory");
	}
	occ_buffer_release(bytes);
}

static void serve_get(struct occ_server *server, struct occ_client *client)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_value *value;

	occ_storage_count(OCC_STORAGE_GETS, 1);
	if (occ_upload_queue_find(&server->queue,
				  occ_request_key(&client->request), &bytes)) {
		answer_with(client, &bytes);
		return;
	}
	occ_buffer_release(&bytes);
	value = occ_kept_find(&server->kept, occ_request_key(&client->request),
			      occ_storage_now());
	if (value)
		answer_value(client, value);
	else if (!is_broken(server, client))
		wait_for_job(server, client);
}

static void answer_exists(struct occ_client *client, bool exists)
{
	const unsigned char bytes[] = {OCC_REMOTE_OK, exists};
	struct occ_buffer answer = OCC_BUFFER_INIT;

	occ_buffer_append(&answer, bytes, sizeof(bytes));
	occ_client_answer_bytes(client, &answer);
}

static void serve_exists(struct occ_server *server, struct occ_client *client)
{
	if (occ_upload_queue_has(&server->queue,
				 occ_request_key(&client->request)))
		answer_exists(client, true);
	else if (!is_broken(server, client))
		wait_for_job(server, client);
}

/* What was got before isn't what the key has. */
static void outdate(struct occ_server *server, struct occ_span key)
{
	occ_kept_remove(&server->kept, key);
	for (struct occ_job *job = server->jobs; job; job = job->listed)
		if (occ_span_equal((struct occ_span){job->key, job->key_size},
				   key))
			job->is_stale = true;
}

static void serve_put(struct occ_server *server, struct occ_client *client)
{
	struct occ_request *request = &client->request;
	bool overwrites = request->flags & OCC_REMOTE_PUT_OVERWRITE;

	struct occ_leases *leases = occ_workers_leases(server->workers);

	outdate(server, occ_request_key(request));
	/* The upload may be done before the queue says that it has it. */
	occ_leases_put_accepted(leases, occ_request_key(request));
	if (!request->is_discarded && !occ_workers_deny_puts(server->workers) &&
	    occ_upload_queue_add(&server->queue, occ_request_key(request),
				 overwrites, &request->value)) {
		occ_storage_count(OCC_STORAGE_PUTS, 1);
		occ_client_answer(client, OCC_REMOTE_OK, "");
		return;
	}
	occ_leases_put_done(leases, occ_request_key(request));
	occ_storage_count(OCC_STORAGE_DROPPED, 1);
	occ_client_answer(client, OCC_REMOTE_NOOP, "");
}

static void serve_remove(struct occ_server *server, struct occ_client *client)
{
	struct occ_span key = occ_request_key(&client->request);

	outdate(server, key);
	/* What is dropped here never comes to the server. */
	if (occ_upload_queue_has(&server->queue, key)) {
		occ_upload_queue_remove(&server->queue, key);
		occ_leases_put_done(occ_workers_leases(server->workers), key);
	}
	if (!is_broken(server, client))
		wait_for_job(server, client);
}

static void serve_lease(struct occ_server *server, struct occ_client *client)
{
	if (!occ_workers_leases(server->workers))
		occ_client_answer(client, OCC_REMOTE_ERROR,
				  "the server doesn't support leases");
	else if (!is_broken(server, client))
		wait_for_job(server, client);
}

static void serve_release(struct occ_server *server, struct occ_client *client)
{
	struct occ_leases *leases = occ_workers_leases(server->workers);
	struct occ_span key = occ_request_key(&client->request);
	enum occ_remote_result result = OCC_REMOTE_NOOP;

	if (leases)
		result = occ_leases_release(leases, key, client->process);
	occ_client_answer(client, result, "");
}

static void serve_flush(struct occ_server *server, struct occ_client *client)
{
	uint64_t most = client->request.number;

	most = most < FLUSH_MOST_MS ? most : FLUSH_MOST_MS;
	client->flush_until = occ_storage_now() + most;
	client->state = OCC_CLIENT_WAITS;
	occ_serve_flushes(server, occ_storage_now());
}

static void serve_info(struct occ_server *server, struct occ_client *client)
{
	struct occ_buffer answer = OCC_BUFFER_INIT;

	occ_server_info(server, &answer);
	occ_client_answer_bytes(client, &answer);
}

void occ_serve_request(struct occ_server *server, struct occ_client *client)
{
	server->activity = occ_storage_now();
	switch (client->request.type) {
	case OCC_REMOTE_GET:
		serve_get(server, client);
		break;
	case OCC_REMOTE_EXISTS:
		serve_exists(server, client);
		break;
	case OCC_REMOTE_PUT:
		serve_put(server, client);
		break;
	case OCC_REMOTE_REMOVE:
		serve_remove(server, client);
		break;
	case OCC_REMOTE_LEASE:
		serve_lease(server, client);
		break;
	case OCC_REMOTE_RELEASE:
		serve_release(server, client);
		break;
	case OCC_REMOTE_FLUSH:
		serve_flush(server, client);
		break;
	case OCC_REMOTE_INFO:
		serve_info(server, client);
		break;
	case OCC_REMOTE_STOP:
		server->is_stopped = true;
		occ_client_answer(client, OCC_REMOTE_OK, "");
		break;
	}
}

static void answer_job(struct occ_client *client, const struct occ_job *job)
{
	if (job->type == OCC_REMOTE_GET)
		count_get(job->result);
	if (job->type == OCC_REMOTE_EXISTS && job->result != OCC_REMOTE_ERROR)
		answer_exists(client, job->result == OCC_REMOTE_OK);
	else
		occ_client_answer(client, job->result, job->error.message);
}

/* Who left may come again, and others want what it wanted. */
static void keep(struct occ_server *server, struct occ_job *job,
		 struct occ_value *value)
{
	if ((job->was_left || value->was_left) && !job->is_stale)
		occ_kept_add(&server->kept,
			     (struct occ_span){job->key, job->key_size}, value,
			     occ_storage_now());
}

void occ_serve_done(struct occ_server *server, struct occ_job *job)
{
	struct occ_value *value = occ_inflow_value(&job->inflow);
	struct occ_client *client, *next;

	unlist(server, job);
	server->activity = occ_storage_now();
	if (value && job->result == OCC_REMOTE_OK) {
		begin_answers(job);
		keep(server, job, value);
	} else if (value) {
		value->is_failed = true;
	}
	for (client = job->waiting; client; client = next) {
		next = client->next_waiting;
		client->job = NULL;
		client->next_waiting = NULL;
		answer_job(client, job);
	}
	free_job(job);
}

void occ_serve_forget(struct occ_server *server, struct occ_client *client)
{
	struct occ_job *job = client->job;
	struct occ_client **at;

	if (!job)
		return;
	for (at = &job->waiting; *at != client; at = &(*at)->next_waiting)
		;
	*at = client->next_waiting;
	client->job = NULL;
	job->was_left = true;
	if (job->type == OCC_REMOTE_GET)
		occ_storage_count(OCC_STORAGE_ABANDONED, 1);
	/* What changes something was asked for, and happens. */
	if (job->waiting || job->type == OCC_REMOTE_REMOVE ||
	    !occ_workers_cancel(server->workers, job))
		return;
	unlist(server, job);
	free_job(job);
}

/* What was given up since somebody was told is no success. */
static void answer_flush(struct occ_server *server, struct occ_client *client,
			 bool waits)
{
	uint64_t given_up = occ_storage_counted(OCC_STORAGE_GIVEN_UP);
	char text[OCC_REMOTE_TEXT_MAX + 1];

	if (given_up == server->given_up_told) {
		occ_client_answer(client,
				  waits ? OCC_REMOTE_NOOP : OCC_REMOTE_OK, "");
		return;
	}
	snprintf(text, sizeof(text),
		 "the server didn't accept %" PRIu64
		 " (see 'oclcache-storage info')",
		 given_up - server->given_up_told);
	server->given_up_told = given_up;
	occ_client_answer(client, OCC_REMOTE_ERROR, text);
}

void occ_serve_flushes(struct occ_server *server, uint64_t now)
{
	size_t count;
	uint64_t bytes, wait = 0;

	occ_upload_queue_sizes(&server->queue, &count, &bytes);
	if (count)
		occ_breaker_is_open(occ_workers_breaker(server->workers), now,
				    &wait);
	for (struct occ_client *client = server->clients; client;
	     client = client->next) {
		/* Until then nothing will be uploaded: why wait? */
		if (!client->flush_until ||
		    (count && now + wait < client->flush_until))
			continue;
		client->flush_until = 0;
		answer_flush(server, client, count != 0);
	}
}
