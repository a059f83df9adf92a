/* SPDX-License-Identifier: MIT */
#include "storage/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "storage/clock.h"
#include "storage/counts.h"

/* At a time, so that others have their turn. */
#define RECEIVE_SIZE 262144
#define SEND_SIZE    (1 << 20)
/* So that most answers go at once; what the kernel allows of it. */
#define SOCKET_SIZE  (1 << 20)

struct occ_client *occ_client_new(int file, pid_t process,
				  struct occ_receiving *receiving)
{
	struct occ_client *client = calloc(1, sizeof(*client));
	const int room = SOCKET_SIZE;

	if (!client) {
		close(file);
		return NULL;
	}
	setsockopt(file, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	client->file = file;
	client->process = process;
	client->receiving = receiving;
	client->progress = occ_storage_now();
	return client;
}

static void end_request(struct occ_client *client)
{
	client->receiving->bytes -= client->received;
	client->received = 0;
	occ_request_begin(&client->request);
}

static void leave_value(struct occ_client *client)
{
	if (!client->value)
		return;
	client->value->was_left = true;
	occ_storage_count(client->value->is_failed ? OCC_STORAGE_GET_ERRORS
						   : OCC_STORAGE_ABANDONED,
			  1);
}

void occ_client_free(struct occ_client *client)
{
	leave_value(client);
	end_request(client);
	occ_buffer_release(&client->rest);
	occ_buffer_release(&client->answer);
	occ_value_release(client->value);
	close(client->file);
	free(client);
}

/* What doesn't fit into the queue needn't be kept until it is refused. */
static void account(struct occ_client *client)
{
	struct occ_receiving *receiving = client->receiving;

	receiving->bytes += client->request.value.size;
	receiving->bytes -= client->received;
	client->received = client->request.value.size;
	if (receiving->bytes <= receiving->most)
		return;
	occ_request_discard(&client->request);
	receiving->bytes -= client->received;
	client->received = 0;
}

static enum occ_request_state parse(struct occ_client *client,
				    const unsigned char *data, size_t size)
{
	size_t used;
	enum occ_request_state state =
		occ_request_parse(&client->request, data, size, &used);
	struct occ_buffer rest = OCC_BUFFER_INIT;

	account(client);
	/* `data` may be the old rest. */
	occ_buffer_append(&rest, data + used, size - used);
	occ_buffer_release(&client->rest);
	client->rest = rest;
	return rest.failed ? OCC_REQUEST_BAD : state;
}

enum occ_request_state occ_client_receive(struct occ_client *client)
{
	static unsigned char data[RECEIVE_SIZE];
	ssize_t size;

	if (client->rest.size)
		return parse(client, client->rest.data, client->rest.size);
	do {
		size = recv(client->file, data, sizeof(data), 0);
	} while (size < 0 && errno == EINTR);
	if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return OCC_REQUEST_PARTIAL;
	if (size <= 0)
		return OCC_REQUEST_BAD;
	client->progress = occ_storage_now();
	return parse(client, data, (size_t)size);
}

void occ_message_append(struct occ_buffer *bytes, const char *text)
{
	size_t length = strnlen(text, OCC_REMOTE_TEXT_MAX);
	unsigned char byte = (unsigned char)length;

	occ_buffer_append(bytes, &byte, 1);
	occ_buffer_append(bytes, text, length);
}

static void begin_answer(struct occ_client *client)
{
	end_request(client);
	client->sent = 0;
	client->progress = occ_storage_now();
	client->state = OCC_CLIENT_SENDS;
}

void occ_client_answer(struct occ_client *client, enum occ_remote_result result,
		       const char *message)
{
	unsigned char byte = (unsigned char)result;

	begin_answer(client);
	occ_buffer_append(&client->answer, &byte, 1);
	if (result == OCC_REMOTE_ERROR)
		occ_message_append(&client->answer, message);
}

void occ_client_answer_value(struct occ_client *client, struct occ_value *value)
{
	unsigned char ok = OCC_REMOTE_OK;
	uint64_t size = value->size;

	begin_answer(client);
	occ_buffer_append(&client->answer, &ok, 1);
	occ_buffer_append(&client->answer, &size, sizeof(size));
	client->value = value;
}

void occ_client_answer_bytes(struct occ_client *client,
			     struct occ_buffer *bytes)
{
	begin_answer(client);
	occ_buffer_release(&client->answer);
	client->answer = *bytes;
	*bytes = (struct occ_buffer)OCC_BUFFER_INIT;
}

static void end_answer(struct occ_client *client)
{
	occ_buffer_release(&client->answer);
	if (client->value)
		occ_storage_count(OCC_STORAGE_HITS, 1);
	occ_value_release(client->value);
	client->value = NULL;
	client->state = OCC_CLIENT_RECEIVES;
}

/* What comes next, as one or two pieces. */
static size_t pieces(const struct occ_client *client, struct iovec *ret_pieces)
{
	size_t head = client->answer.size, count = 0, at = client->sent;
	size_t there;

	if (at < head) {
		ret_pieces[count++] =
			(struct iovec){client->answer.data + at, head - at};
		at = head;
	}
	there = client->value ? atomic_load_explicit(&client->value->there,
						     memory_order_acquire)
			      : 0;
	if (at - head < there) {
		size_t left = there - (at - head);

		ret_pieces[count++] =
			(struct iovec){client->value->data + (at - head),
				       left < SEND_SIZE ? left : SEND_SIZE};
	}
	return count;
}

/* All of the answer, also what hasn't come yet. */
static bool is_sent(const struct occ_client *client)
{
	return client->sent ==
	       client->answer.size + (client->value ? client->value->size : 0);
}

bool occ_client_is_starved(const struct occ_client *client)
{
	struct iovec piece[2];

	return client->state == OCC_CLIENT_SENDS && client->value &&
	       !is_sent(client) && !pieces(client, piece);
}

bool occ_client_send(struct occ_client *client)
{
	struct iovec piece[2];
	struct msghdr message = {.msg_iov = piece};
	ssize_t sent;

	if (client->answer.failed)
		return false;
	message.msg_iovlen = pieces(client, piece);
	if (!message.msg_iovlen)
		return true;
	do {
		sent = sendmsg(client->file, &message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK;
	client->progress = occ_storage_now();
	client->sent += (size_t)sent;
	if (is_sent(client))
		end_answer(client);
	return true;
}
