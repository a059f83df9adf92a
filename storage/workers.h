/* SPDX-License-Identifier: MIT */
/*
 * The threads that ask the server, each with a connection of its own, for the
 * one thread that talks to clients (storage/server.h): jobs go in, and come
 * back done. Two more bring what waits in the queue of uploads.
 *
 * A job is the server's thread's, except from occ_workers_add() until
 * occ_workers_cancel() says true or occ_workers_done() has it.
 */
#ifndef OCC_STORAGE_WORKERS_H
#define OCC_STORAGE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "storage/backend.h"
#include "storage/breaker.h"
#include "storage/inflow.h"
#include "storage/upload_queue.h"

struct occ_storage_options;
struct occ_client;
struct occ_leases;

struct occ_job {
	struct occ_job *next;
	enum occ_remote_request type; /* get, exists, remove, lease */
	unsigned char key[OCC_REMOTE_TEXT_MAX];
	size_t key_size;
	pid_t process; /* who asks: of lease */
	/* The answer. */
	enum occ_remote_result result;
	struct occ_inflow inflow; /* of get */
	struct occ_backend_error error;
	/* The server's own: who waits for it (storage/client.h), all others. */
	struct occ_client *waiting;
	struct occ_job *listed;
	bool was_left; /* by one who waited */
	bool is_stale; /* the key has another value by now */
};

struct occ_workers;

/* Starts the threads. NULL: a system call failed; errno says why. */
struct occ_workers *occ_workers_start(const struct occ_storage_options *options,
				      const struct occ_backend *backend,
				      struct occ_upload_queue *queue);

/* Readable when jobs are done, or an upload is, or more of a value has come;
 * for epoll.
 */
int occ_workers_event(const struct occ_workers *workers);

void occ_workers_add(struct occ_workers *workers, struct occ_job *job);
/* True: it wasn't begun, and won't be. */
bool occ_workers_cancel(struct occ_workers *workers, struct occ_job *job);
/* Those that are done, as a list, and the event is taken. */
struct occ_job *occ_workers_done(struct occ_workers *workers);

/* Of all requests, and of puts alone. */
struct occ_breaker *occ_workers_breaker(struct occ_workers *workers);
struct occ_breaker *occ_workers_put_breaker(struct occ_workers *workers);

/* NULL: the server has none. */
struct occ_leases *occ_workers_leases(struct occ_workers *workers);
/* Gives back what leases there are. The threads go on. */
void occ_workers_end(struct occ_workers *workers);

/* The server has denied the last ones, and isn't asked again for now. */
bool occ_workers_deny_puts(struct occ_workers *workers);

/* "the server failed; next try in 12 s" */
void occ_workers_explain(uint64_t wait_ms, char *text, size_t size);

#endif
