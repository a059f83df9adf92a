/* SPDX-License-Identifier: MIT */
/*
 * Values that were accepted from clients and aren't with the server yet, in
 * memory, bounded in bytes and in number: what doesn't fit is refused at once,
 * and the caller counts it.
 *
 * (U1) Of a key one upload at most is under way at a time, and they happen in
 *      the order in which they were accepted.
 * (U2) What waits or is under way answers gets of its key.
 *
 * Threads: any; each call takes the queue's lock.
 */
#ifndef OCC_STORAGE_UPLOAD_QUEUE_H
#define OCC_STORAGE_UPLOAD_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cache/remote_protocol.h"
#include "hash/buffer.h"

struct occ_upload {
	struct occ_upload *next;
	unsigned char key[OCC_REMOTE_TEXT_MAX];
	size_t key_size;
	bool overwrite;
	bool is_active;	   /* an uploader has it */
	bool is_removed;   /* nobody wants it any more */
	unsigned attempts; /* its uploader's */
	struct occ_buffer value;
};

struct occ_upload_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct occ_upload *first;
	size_t count, count_max;
	uint64_t bytes, bytes_max;
};

void occ_upload_queue_init(struct occ_upload_queue *queue, uint64_t bytes_max,
			   size_t count_max);

/* Takes *value over (it is empty then). False: it doesn't fit, or no memory. */
bool occ_upload_queue_add(struct occ_upload_queue *queue, struct occ_span key,
			  bool overwrite, struct occ_buffer *value);

/* The newest value of the key, appended. False: it has none. */
bool occ_upload_queue_find(struct occ_upload_queue *queue, struct occ_span key,
			   struct occ_buffer *ret_value);
bool occ_upload_queue_has(struct occ_upload_queue *queue, struct occ_span key);

/* What waits is dropped; what is under way can't be. */
void occ_upload_queue_remove(struct occ_upload_queue *queue,
			     struct occ_span key);

/*
 * The next one, waited for up to `milliseconds`; NULL: none. It is the
 * caller's, until one of the next two. Its value stays as it is.
 */
struct occ_upload *occ_upload_queue_take(struct occ_upload_queue *queue,
					 unsigned milliseconds);
void occ_upload_queue_put_back(struct occ_upload_queue *queue,
			       struct occ_upload *upload);
void occ_upload_queue_done(struct occ_upload_queue *queue,
			   struct occ_upload *upload);

/* What waits or is under way. */
void occ_upload_queue_sizes(struct occ_upload_queue *queue, size_t *ret_count,
			    uint64_t *ret_bytes);

#endif
