/* SPDX-License-Identifier: MIT */
#include "storage/upload_queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void occ_upload_queue_init(struct occ_upload_queue *queue, uint64_t bytes_max,
			   size_t count_max)
{
	*queue = (struct occ_upload_queue){.bytes_max = bytes_max,
					   .count_max = count_max};
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->changed, NULL);
}

static bool has_key(const struct occ_upload *upload, struct occ_span key)
{
	return occ_span_equal((struct occ_span){upload->key, upload->key_size},
			      key);
}

static struct occ_upload *newest_locked(struct occ_upload_queue *queue,
					struct occ_span key)
{
	struct occ_upload *found = NULL;

	for (struct occ_upload *at = queue->first; at; at = at->next)
		if (!at->is_removed && has_key(at, key))
			found = at;
	return found;
}

static void free_upload(struct occ_upload *upload)
{
	occ_buffer_release(&upload->value);
	free(upload);
}

static void unlink_locked(struct occ_upload_queue *queue,
			  struct occ_upload *upload)
{
	struct occ_upload **at = &queue->first;

	while (*at != upload)
		at = &(*at)->next;
	*at = upload->next;
	queue->count--;
	queue->bytes -= upload->value.size;
	free_upload(upload);
}

static struct occ_upload *make_upload(struct occ_span key, bool overwrite,
				      struct occ_buffer *value)
{
	struct occ_upload *upload = calloc(1, sizeof(*upload));

	if (!upload)
		return NULL;
	memcpy(upload->key, key.data, key.size);
	upload->key_size = key.size;
	upload->overwrite = overwrite;
	upload->value = *value;
	*value = (struct occ_buffer)OCC_BUFFER_INIT;
	return upload;
}

/* Would another upload change nothing? */
static bool is_same(const struct occ_upload *queued, bool overwrite,
		    struct occ_span value)
{
	if (!queued)
		return false;
	return !overwrite ||
	       occ_span_equal(occ_buffer_span(&queued->value), value);
}

/* What waits for what is to be overwritten in a moment waits in vain. */
static void drop_older_locked(struct occ_upload_queue *queue,
			      struct occ_span key)
{
	struct occ_upload *next;

	for (struct occ_upload *at = queue->first; at; at = next) {
		next = at->next;
		if (!at->is_active && has_key(at, key))
			unlink_locked(queue, at);
	}
}

static bool add_locked(struct occ_upload_queue *queue, struct occ_span key,
		       bool overwrite, struct occ_buffer *value)
{
	struct occ_upload **at = &queue->first, *upload;

	if (is_same(newest_locked(queue, key), overwrite,
		    occ_buffer_span(value))) {
		occ_buffer_release(value);
		return true;
	}
	if (queue->count >= queue->count_max ||
	    value->size > queue->bytes_max - queue->bytes)
		return false;
	upload = make_upload(key, overwrite, value);
	if (!upload)
		return false;
	if (overwrite)
		drop_older_locked(queue, key);
	while (*at)
		at = &(*at)->next;
	*at = upload;
	queue->count++;
	queue->bytes += upload->value.size;
	pthread_cond_broadcast(&queue->changed);
	return true;
}

bool occ_upload_queue_add(struct occ_upload_queue *queue, struct occ_span key,
			  bool overwrite, struct occ_buffer *value)
{
	bool added;

	pthread_mutex_lock(&queue->lock);
	added = add_locked(queue, key, overwrite, value);
	pthread_mutex_unlock(&queue->lock);
	return added;
}

bool occ_upload_queue_find(struct occ_upload_queue *queue, struct occ_span key,
			   struct occ_buffer *ret_value)
{
	struct occ_upload *upload;

	pthread_mutex_lock(&queue->lock);
	upload = newest_locked(queue, key);
	if (upload)
		occ_buffer_append(ret_value, upload->value.data,
				  upload->value.size);
	pthread_mutex_unlock(&queue->lock);
	return upload && !ret_value->failed;
}

bool occ_upload_queue_has(struct occ_upload_queue *queue, struct occ_span key)
{
	bool has;

	pthread_mutex_lock(&queue->lock);
	has = newest_locked(queue, key) != NULL;
	pthread_mutex_unlock(&queue->lock);
	return has;
}

void occ_upload_queue_remove(struct occ_upload_queue *queue,
			     struct occ_span key)
{
	struct occ_upload *next;

	pthread_mutex_lock(&queue->lock);
	for (struct occ_upload *at = queue->first; at; at = next) {
		next = at->next;
		if (!has_key(at, key))
			continue;
		if (at->is_active)
			at->is_removed = true;
		else
			unlink_locked(queue, at);
	}
	pthread_mutex_unlock(&queue->lock);
}

/* (U1) */
static bool is_before_locked(const struct occ_upload_queue *queue,
			     const struct occ_upload *upload)
{
	struct occ_span key = {upload->key, upload->key_size};

	for (const struct occ_upload *at = queue->first; at != upload;
	     at = at->next)
		if (has_key(at, key))
			return true;
	return false;
}

static struct occ_upload *next_locked(struct occ_upload_queue *queue)
{
	for (struct occ_upload *at = queue->first; at; at = at->next)
		if (!at->is_active && !is_before_locked(queue, at))
			return at;
	return NULL;
}

struct occ_upload *occ_upload_queue_take(struct occ_upload_queue *queue,
					 unsigned milliseconds)
{
	struct occ_upload *upload;
	struct timespec until;
	int failed = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&queue->lock);
	while (!(upload = next_locked(queue)) && !failed)
		failed = pthread_cond_clockwait(&queue->changed, &queue->lock,
						CLOCK_MONOTONIC, &until);
	if (upload)
		upload->is_active = true;
	pthread_mutex_unlock(&queue->lock);
	return upload;
}

void occ_upload_queue_put_back(struct occ_upload_queue *queue,
			       struct occ_upload *upload)
{
	pthread_mutex_lock(&queue->lock);
	upload->is_active = false;
	if (upload->is_removed)
		unlink_locked(queue, upload);
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void occ_upload_queue_done(struct occ_upload_queue *queue,
			   struct occ_upload *upload)
{
	pthread_mutex_lock(&queue->lock);
	unlink_locked(queue, upload);
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void occ_upload_queue_sizes(struct occ_upload_queue *queue, size_t *ret_count,
			    uint64_t *ret_bytes)
{
	pthread_mutex_lock(&queue->lock);
	*ret_count = queue->count;
	*ret_bytes = queue->bytes;
	pthread_mutex_unlock(&queue->lock);
}
