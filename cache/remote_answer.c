/* SPDX-License-Identifier: MIT */
#include "cache/remote_answer.h"

#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/error.h"
#include "cache/remote_protocol.h"

/* Announced lengths may be lies. */
#define FIRST_SIZE ((size_t)1 << 20)

static bool fail(struct occ_remote_stream *stream, enum occ_remote_fault fault)
{
	if (!stream->fault)
		stream->fault = fault;
	return false;
}

bool occ_remote_answer_greeting(struct occ_remote_stream *stream,
				struct occ_remote_answer *ret_answer)
{
	unsigned char head[2], capability;
	bool can_store = false;

	if (!occ_remote_stream_receive(stream, head, 1))
		return false;
	if (head[0] != OCC_REMOTE_VERSION)
		return fail(stream, OCC_REMOTE_FAULT_VERSION);
	if (!occ_remote_stream_receive(stream, head + 1, 1))
		return false;
	for (unsigned i = 0; i < head[1]; i++) {
		if (!occ_remote_stream_receive(stream, &capability, 1))
			return false;
		can_store |= capability == OCC_REMOTE_CAN_STORE;
		ret_answer->can_info |= capability == OCC_REMOTE_CAN_INFO;
		ret_answer->can_lease |= capability == OCC_REMOTE_CAN_LEASE;
		ret_answer->can_flush |= capability == OCC_REMOTE_CAN_FLUSH;
	}
	return can_store || fail(stream, OCC_REMOTE_FAULT_VERSION);
}

/* With a NUL behind it. */
static bool receive_text(struct occ_remote_stream *stream,
			 char ret_text[OCC_REMOTE_TEXT_MAX + 1])
{
	unsigned char length;

	*ret_text = '\0';
	if (!occ_remote_stream_receive(stream, &length, 1) ||
	    !occ_remote_stream_receive(stream, ret_text, length))
		return false;
	ret_text[length] = '\0';
	return true;
}

bool occ_remote_answer_result(struct occ_remote_stream *stream,
			      struct occ_remote_answer *ret_answer,
			      unsigned char *ret_result)
{
	if (!occ_remote_stream_receive(stream, ret_result, 1))
		return false;
	if (*ret_result == OCC_REMOTE_OK || *ret_result == OCC_REMOTE_NOOP)
		return true;
	if (*ret_result != OCC_REMOTE_ERROR)
		return fail(stream, OCC_REMOTE_FAULT_PROTOCOL);
	return receive_text(stream, ret_answer->message) &&
	       fail(stream, OCC_REMOTE_FAULT_SERVER);
}

/* Twice as much, but no more than `most`. */
static bool grow(struct occ_buffer *value, size_t most)
{
	size_t capacity = value->capacity ? 2 * value->capacity : FIRST_SIZE;
	unsigned char *data;

	if (capacity > most)
		capacity = most;
	data = realloc(value->data, capacity);
	if (!data)
		return false;
	value->data = data;
	value->capacity = capacity;
	return true;
}

int occ_remote_answer_value(struct occ_remote_stream *stream,
			    struct occ_buffer *value)
{
	uint64_t length;
	size_t part;

	if (!occ_remote_stream_receive(stream, &length, sizeof(length)))
		return OCC_OK;
	if (length > OCC_ENTRY_SIZE_MAX) {
		fail(stream, OCC_REMOTE_FAULT_PROTOCOL);
		return OCC_OK;
	}
	while (value->size < length) {
		if (value->size == value->capacity &&
		    !grow(value, (size_t)length))
			return OCC_E_MEMORY;
		part = value->capacity - value->size;
		if (!occ_remote_stream_receive(stream,
					       value->data + value->size, part))
			return OCC_OK;
		value->size += part;
	}
	return OCC_OK;
}

int occ_remote_answer_info(struct occ_remote_stream *stream,
			   struct occ_buffer *lines)
{
	char text[OCC_REMOTE_TEXT_MAX + 1];
	unsigned char count = 0;

	if (!receive_text(stream, text) ||
	    !occ_remote_stream_receive(stream, &count, 1))
		return OCC_OK;
	occ_buffer_append(lines, text, strlen(text));
	for (unsigned i = 0; i < count; i++) {
		if (!receive_text(stream, text))
			return OCC_OK;
		occ_buffer_append(lines, "\n", 1);
		occ_buffer_append(lines, text, strlen(text));
	}
	return lines->failed ? OCC_E_MEMORY : OCC_OK;
}

void occ_remote_answer_end(struct occ_remote_stream *stream)
{
	if (stream->first != stream->end)
		fail(stream, OCC_REMOTE_FAULT_PROTOCOL);
}
