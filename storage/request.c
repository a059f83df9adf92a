/* SPDX-License-Identifier: MIT */
#include "storage/request.h"

#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"

enum part {
	PART_TYPE,
	PART_KEY_SIZE,
	PART_KEY,
	PART_FLAGS,
	PART_NUMBER,
	PART_VALUE,
	PART_END,
};

void occ_request_begin(struct occ_request *request)
{
	occ_buffer_release(&request->value);
	memset(request, 0, sizeof(*request));
}

bool occ_request_is_empty(const struct occ_request *request)
{
	return request->part == PART_TYPE;
}

void occ_request_discard(struct occ_request *request)
{
	occ_buffer_release(&request->value);
	request->is_discarded = true;
}

void occ_request_release(struct occ_request *request)
{
	occ_request_begin(request);
}

static void begin_part(struct occ_request *request, enum part part)
{
	request->part = part;
	request->part_size = 0;
}

static bool take_type(struct occ_request *request, unsigned char byte)
{
	request->type = (enum occ_remote_request)byte;
	switch (byte) {
	case OCC_REMOTE_GET:
	case OCC_REMOTE_PUT:
	case OCC_REMOTE_REMOVE:
	case OCC_REMOTE_EXISTS:
	case OCC_REMOTE_LEASE:
	case OCC_REMOTE_RELEASE:
		begin_part(request, PART_KEY_SIZE);
		return true;
	case OCC_REMOTE_STOP:
	case OCC_REMOTE_INFO:
		begin_part(request, PART_END);
		return true;
	case OCC_REMOTE_FLUSH:
		begin_part(request, PART_NUMBER);
		return true;
	default:
		return false;
	}
}

static void end_key(struct occ_request *request)
{
	begin_part(request,
		   request->type == OCC_REMOTE_PUT ? PART_FLAGS : PART_END);
}

static size_t take_key(struct occ_request *request, const unsigned char *data,
		       size_t size)
{
	size_t missing = request->key_size - request->part_size;

	size = size < missing ? size : missing;
	memcpy(request->key + request->part_size, data, size);
	request->part_size += size;
	if (request->part_size == request->key_size)
		end_key(request);
	return size;
}

/* False: no value is that long. */
static bool take_number(struct occ_request *request, unsigned char byte)
{
	request->number_bytes[request->part_size++] = byte;
	if (request->part_size < sizeof(request->number_bytes))
		return true;
	memcpy(&request->number, request->number_bytes,
	       sizeof(request->number));
	if (request->type != OCC_REMOTE_PUT) {
		begin_part(request, PART_END);
		return true;
	}
	begin_part(request, request->number ? PART_VALUE : PART_END);
	return request->number <= OCC_ENTRY_SIZE_MAX;
}

static size_t take_value(struct occ_request *request, const unsigned char *data,
			 size_t size)
{
	uint64_t missing = request->number - request->value_seen;

	size = size < missing ? size : (size_t)missing;
	if (!request->is_discarded) {
		occ_buffer_append(&request->value, data, size);
		if (request->value.failed)
			occ_request_discard(request);
	}
	request->value_seen += size;
	if (request->value_seen == request->number)
		begin_part(request, PART_END);
	return size;
}

enum occ_request_state occ_request_parse(struct occ_request *request,
					 const unsigned char *data, size_t size,
					 size_t *ret_used)
{
	size_t at = 0;
	bool good = true;

	while (good && at < size && request->part != PART_END) {
		switch ((enum part)request->part) {
		case PART_TYPE:
			good = take_type(request, data[at++]);
			break;
		case PART_KEY_SIZE:
			request->key_size = data[at++];
			begin_part(request, PART_KEY);
			if (!request->key_size)
				end_key(request);
			break;
		case PART_KEY:
			at += take_key(request, data + at, size - at);
			break;
		case PART_FLAGS:
			request->flags = data[at++];
			begin_part(request, PART_NUMBER);
			break;
		case PART_NUMBER:
			good = take_number(request, data[at++]);
			break;
		case PART_VALUE:
			at += take_value(request, data + at, size - at);
			break;
		case PART_END:
			break;
		}
	}
	*ret_used = at;
	if (!good)
		return OCC_REQUEST_BAD;
	return request->part == PART_END ? OCC_REQUEST_READY
					 : OCC_REQUEST_PARTIAL;
}
