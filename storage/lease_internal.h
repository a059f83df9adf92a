/* SPDX-License-Identifier: MIT */
/* What lease.c and its thread share. */
#ifndef OCC_STORAGE_LEASE_INTERNAL_H
#define OCC_STORAGE_LEASE_INTERNAL_H

#include <poll.h>
#include <pthread.h>

#include "cache/process_watch.h"
#include "storage/lease.h"
#include "storage/options.h"

/* Of a machine at a time: more than its processors compile. */
#define OCC_LEASES_MAX 1024

struct occ_lease {
	struct occ_lease *next;
	unsigned char key[OCC_REMOTE_TEXT_MAX];
	size_t key_size;
	unsigned char token[16];
	int pidfd; /* -1: none */
	struct occ_process_watch watch;
	uint64_t renewed;   /* when the server was last asked, with success */
	uint64_t tried;	    /* or without */
	uint64_t uploading; /* since when a put of the key is under way; or 0 */
	bool is_over;	    /* to be given back */
	bool is_lost;	    /* the server has forgotten it */
	bool gave_nothing;  /* its holder has said so */
};

struct occ_leases {
	const struct occ_backend *backend;
	struct occ_storage_options options; /* shallow; shorter requests */
	unsigned time_ms;
	int wake; /* an eventfd */
	pthread_t thread;
	/* The thread's own. */
	struct occ_backend_connection *connection; /* NULL: not yet */
	struct pollfd files[1 + OCC_LEASES_MAX];
	pthread_mutex_t lock; /* of the rest; never held while the server is
				 asked */
	bool has_thread, is_stopped, has_ended;
	pthread_cond_t ended; /* the thread has */
	struct occ_lease *first;
	size_t count;
};

void occ_lease_free(struct occ_lease *lease); /* NULL: nothing */

/* The thread; only it removes leases from the table. */
void *occ_leases_watch(void *data);

#endif
