/* SPDX-License-Identifier: MIT */
#include "storage/uploader.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "storage/clock.h"
#include "storage/compression.h"
#include "storage/counts.h"
#include "storage/lease.h"
#include "storage/options.h"

/* How often is looked whether a breaker has closed. */
#define LOOK_MS	    200
#define WAIT_MS	    10000
#define PAUSE_MS    100
#define PAUSE_SHIFT 2

static void pause_for(unsigned milliseconds)
{
	struct timespec left = {milliseconds / 1000,
				(long)(milliseconds % 1000) * 1000000};

	nanosleep(&left, NULL);
}

/* Somewhat random, lest all machines come back at once. */
static void pause_before(unsigned attempt)
{
	unsigned most = PAUSE_MS << (attempt * PAUSE_SHIFT), random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = most / 2;
	pause_for(most / 2 + random % most);
}

/* Both must allow it. */
static bool is_allowed(struct occ_uploader *uploader)
{
	uint64_t wait, now = occ_storage_now();

	if (occ_breaker_is_open(uploader->put_breaker, now, &wait) ||
	    !occ_breaker_allows(uploader->breaker, now, &wait))
		return false;
	if (occ_breaker_allows(uploader->put_breaker, now, &wait))
		return true;
	occ_breaker_untried(uploader->breaker);
	return false;
}

static enum occ_remote_result put(struct occ_uploader *uploader,
				  struct occ_backend_connection *connection,
				  const struct occ_upload *upload,
				  struct occ_backend_error *ret_error)
{
	struct occ_span key = {upload->key, upload->key_size};
	struct occ_buffer frame = OCC_BUFFER_INIT;
	struct occ_span value = occ_buffer_span(&upload->value);
	enum occ_remote_result result;

	if (uploader->options->compresses)
		value = occ_frame_pack(value, &frame);
	result = uploader->backend->put(connection, key, upload->overwrite,
					value, ret_error);
	if (result == OCC_REMOTE_OK)
		occ_storage_count(OCC_STORAGE_BYTES_SENT, value.size);
	occ_buffer_release(&frame);
	return result;
}

static void tell_breakers(struct occ_uploader *uploader,
			  enum occ_remote_result result,
			  const struct occ_backend_error *error)
{
	uint64_t now = occ_storage_now();

	if (result == OCC_REMOTE_ERROR)
		occ_storage_count_error(error->message);
	if (result == OCC_REMOTE_ERROR && !error->is_answered) {
		occ_breaker_failed(uploader->breaker, error->is_late, now);
		occ_breaker_untried(uploader->put_breaker);
		return;
	}
	occ_breaker_succeeded(uploader->breaker);
	atomic_store(&uploader->is_denied,
		     result == OCC_REMOTE_ERROR && error->is_fatal);
	if (result == OCC_REMOTE_ERROR)
		occ_breaker_failed(uploader->put_breaker, false, now);
	else
		occ_breaker_succeeded(uploader->put_breaker);
}

static void finish(struct occ_uploader *uploader,
		   struct occ_backend_connection *connection,
		   struct occ_upload *upload, enum occ_remote_result result)
{
	struct occ_span key = {upload->key, upload->key_size};
	struct occ_backend_error error;

	/* A remove came while it was under way, and was before it there. */
	if (upload->is_removed && result == OCC_REMOTE_OK)
		uploader->backend->remove(connection, key, &error);
	occ_storage_count(result == OCC_REMOTE_OK     ? OCC_STORAGE_STORED
			  : result == OCC_REMOTE_NOOP ? OCC_STORAGE_KEPT
						      : OCC_STORAGE_GIVEN_UP,
			  1);
	occ_leases_put_done(uploader->leases, key);
	occ_upload_queue_done(uploader->queue, upload);
	uploader->done(uploader->context);
}

static void perform(struct occ_uploader *uploader,
		    struct occ_backend_connection *connection,
		    struct occ_upload *upload)
{
	struct occ_backend_error error = {.is_fatal = false};
	enum occ_remote_result result;

	while (!is_allowed(uploader))
		pause_for(LOOK_MS);
	result = put(uploader, connection, upload, &error);
	tell_breakers(uploader, result, &error);
	if (result == OCC_REMOTE_ERROR && !error.is_fatal &&
	    ++upload->attempts < OCC_UPLOAD_ATTEMPTS) {
		unsigned attempt = upload->attempts;

		occ_upload_queue_put_back(uploader->queue, upload);
		pause_before(attempt);
		return;
	}
	finish(uploader, connection, upload, result);
}

void *occ_uploader_run(void *argument)
{
	struct occ_uploader *uploader = argument;
	struct occ_backend_connection *connection = NULL;

	for (;;) {
		struct occ_upload *upload =
			occ_upload_queue_take(uploader->queue, WAIT_MS);

		while (upload && !connection) {
			connection = uploader->backend->open(uploader->options);
			if (!connection)
				pause_for(LOOK_MS);
		}
		if (upload)
			perform(uploader, connection, upload);
	}
	return NULL;
}
