/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the server share: server.c (who is connected, and when it
 * ends), serve.c (what a request comes to), info.c. All is the one thread's
 * that talks to clients.
 */
#ifndef OCC_STORAGE_SERVER_INTERNAL_H
#define OCC_STORAGE_SERVER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/client.h"
#include "storage/kept.h"
#include "storage/upload_queue.h"
#include "storage/workers.h"

struct occ_server {
	const struct occ_storage_options *options;
	const struct occ_backend *backend;
	struct occ_listener *listener;
	int poll; /* epoll's */
	int signals;
	struct occ_client *clients;
	size_t client_count;
	bool is_full; /* nobody is accepted for now, since ... */
	uint64_t full_since;
	struct occ_receiving receiving;
	struct occ_upload_queue queue;
	struct occ_workers *workers;
	struct occ_job *jobs;
	struct occ_kept kept;
	uint64_t given_up_told; /* to a client that flushed */
	uint64_t started, activity;
	uint64_t end_at; /* 0: nobody has said that it shall end */
	bool is_stopped;
};

/* The greeting, as an answer to nothing. */
void occ_serve_greeting(const struct occ_server *server,
			struct occ_client *client);

/*
 * Asks the server for something that isn't there. Who comes first then finds a
 * connection, or that there is nothing to be had; that takes longer than a
 * program can wait.
 */
void occ_serve_first(struct occ_server *server);

/* More of some values may have come. */
void occ_serve_more(struct occ_server *server);

/* Answers client->request, or makes the client wait. */
void occ_serve_request(struct occ_server *server, struct occ_client *client);

/* Answers those who wait for a job, and frees it. */
void occ_serve_done(struct occ_server *server, struct occ_job *job);

/* The client has gone, or will: nothing is to be answered. */
void occ_serve_forget(struct occ_server *server, struct occ_client *client);

/* Answers those whose flush is done, or has lasted long enough, or will. */
void occ_serve_flushes(struct occ_server *server, uint64_t now);

/* The answer to info. */
void occ_server_info(struct occ_server *server, struct occ_buffer *answer);

#endif
