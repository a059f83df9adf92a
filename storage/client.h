/* SPDX-License-Identifier: MIT */
/*
 * One who is connected: its request as it comes, and its answer as it goes.
 * Nothing blocks. It is the thread's that talks to clients (storage/server.h).
 */
#ifndef OCC_STORAGE_CLIENT_H
#define OCC_STORAGE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "storage/request.h"
#include "storage/value.h"

struct occ_job;

/* Of all clients' unfinished puts together. */
struct occ_receiving {
	uint64_t bytes, most;
};

enum occ_client_state {
	OCC_CLIENT_RECEIVES, /* a request, or nothing yet */
	OCC_CLIENT_WAITS,    /* for a job, or a flush */
	OCC_CLIENT_SENDS,    /* an answer */
};

struct occ_client {
	struct occ_client *next;
	int file;
	pid_t process;
	enum occ_client_state state;
	uint64_t progress; /* occ_storage_now() of the last byte */
	unsigned events;   /* what epoll was told */
	struct occ_request request;
	struct occ_buffer rest; /* what came behind the request */
	struct occ_receiving *receiving;
	uint64_t received; /* of it this one's */
	struct occ_job *job;
	struct occ_client *next_waiting; /* for the same job */
	uint64_t flush_until;		 /* 0: it doesn't wait for one */
	struct occ_buffer answer;	 /* what is before the value */
	struct occ_value *value;
	size_t sent;
};

/* Takes the file over. NULL: out of memory, and it is closed. */
struct occ_client *occ_client_new(int file, pid_t process,
				  struct occ_receiving *receiving);
void occ_client_free(struct occ_client *client);

/*
 * Reads what has come, some of it at most. PARTIAL: no whole request is there;
 * READY: `request` is to be answered; BAD: the client is gone, or asks what
 * can't be understood.
 */
enum occ_request_state occ_client_receive(struct occ_client *client);

/*
 * Answers; each ends with the state OCC_CLIENT_SENDS, and the request's memory
 * is freed. Of a long message the end is cut off.
 */
void occ_client_answer(struct occ_client *client, enum occ_remote_result result,
		       const char *message);
/*
 * Takes over one use of the value, which may still be coming. It is counted
 * when all has gone, or when the client is freed before.
 */
void occ_client_answer_value(struct occ_client *client,
			     struct occ_value *value);
/* Bytes as they are; takes *bytes over. */
void occ_client_answer_bytes(struct occ_client *client,
			     struct occ_buffer *bytes);

/* u8 its length, and the text, appended. */
void occ_message_append(struct occ_buffer *bytes, const char *text);

/* It has nothing to send before more of the value has come. */
bool occ_client_is_starved(const struct occ_client *client);

/*
 * Sends what it takes; when it has all, the state is OCC_CLIENT_RECEIVES again.
 * False: the client is gone.
 */
bool occ_client_send(struct occ_client *client);

#endif
