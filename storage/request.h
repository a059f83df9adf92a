/* SPDX-License-Identifier: MIT */
/*
 * What a client asks, read from bytes that come in any number of pieces
 * (cache/remote_protocol.h). Any bytes may come: lengths are compared before
 * memory is taken, and of a value no more is taken than has come, twice.
 *
 * Calling sequence: occ_request_begin(), occ_request_parse() with what comes
 * until it says something else than OCC_REQUEST_PARTIAL, then use the fields,
 * and occ_request_begin() again; at last occ_request_release().
 *
 * Memory only; a struct is one thread's at a time.
 */
#ifndef OCC_STORAGE_REQUEST_H
#define OCC_STORAGE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/remote_protocol.h"
#include "hash/buffer.h"

enum occ_request_state {
	OCC_REQUEST_PARTIAL, /* more bytes are needed */
	OCC_REQUEST_READY,
	OCC_REQUEST_BAD, /* no request: nothing behind it is understood */
};

struct occ_request {
	enum occ_remote_request type;
	unsigned char key[OCC_REMOTE_TEXT_MAX];
	size_t key_size;
	uint8_t flags;		 /* of put */
	uint64_t number;	 /* of put the value's size, of flush the ms */
	struct occ_buffer value; /* of put */
	bool is_discarded;	 /* the value is read over, and not kept */
	/* The parser's own. */
	unsigned part;
	size_t part_size;
	uint64_t value_seen;
	unsigned char number_bytes[8];
};

/* Starts as zeros, or as another request's end. */
void occ_request_begin(struct occ_request *request);

/* Nothing of the request has come yet. */
bool occ_request_is_empty(const struct occ_request *request);

/*
 * Takes what of `data` belongs to the request, *ret_used bytes. A value of more
 * than OCC_ENTRY_SIZE_MAX bytes is bad; one for which there is no memory is
 * discarded.
 */
enum occ_request_state occ_request_parse(struct occ_request *request,
					 const unsigned char *data, size_t size,
					 size_t *ret_used);

/* What has come of the value is freed, what will come is read over. */
void occ_request_discard(struct occ_request *request);
void occ_request_release(struct occ_request *request);

static inline struct occ_span occ_request_key(const struct occ_request *request)
{
	return (struct occ_span){request->key, request->key_size};
}

#endif
