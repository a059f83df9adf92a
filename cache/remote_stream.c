/* SPDX-License-Identifier: MIT */
#include "cache/remote_stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "cache/file.h"

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

static bool fail(struct occ_remote_stream *stream, enum occ_remote_fault fault)
{
	if (!stream->fault)
		stream->fault = fault;
	return false;
}

/* Too late: with a greeting, or with an answer. */
static bool fail_late(struct occ_remote_stream *stream)
{
	return fail(stream, stream->is_greeted ? OCC_REMOTE_FAULT_STALL
					       : OCC_REMOTE_FAULT_CONNECT);
}

static uint64_t time_left(const struct occ_remote_stream *stream)
{
	uint64_t now = occ_file_clock();

	return now < stream->deadline ? stream->deadline - now : 0;
}

void occ_remote_stream_take(struct occ_remote_stream *stream, int descriptor,
			    unsigned milliseconds)
{
	*stream = (struct occ_remote_stream){
		.descriptor = descriptor,
		.deadline = occ_file_clock() + milliseconds * NS_PER_MS,
	};
}

/*
 * A blocking connect(), because of a Unix socket that alone waits, in turn,
 * while the helper's queue is full; for as long as SO_SNDTIMEO says.
 */
static bool connect_to(struct occ_remote_stream *stream, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval timeout;
	uint64_t left;

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	do {
		left = time_left(stream);
		if (left < NS_PER_US)
			return fail_late(stream);
		timeout.tv_sec = (time_t)(left / NS_PER_S);
		timeout.tv_usec = (suseconds_t)(left % NS_PER_S / NS_PER_US);
		if (setsockopt(stream->descriptor, SOL_SOCKET, SO_SNDTIMEO,
			       &timeout, sizeof(timeout)))
			return fail(stream, OCC_REMOTE_FAULT_SOCKET);
		if (!connect(stream->descriptor, (struct sockaddr *)&address,
			     sizeof(address)))
			return true;
	} while (errno == EINTR);
	if (errno == EAGAIN)
		return fail_late(stream);
	return fail(stream, OCC_REMOTE_FAULT_ABSENT);
}

/* A socket in /tmp could be another's. */
static bool check_peer(struct occ_remote_stream *stream)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(stream->descriptor, SOL_SOCKET, SO_PEERCRED, &peer,
		       &size))
		return fail(stream, OCC_REMOTE_FAULT_SOCKET);
	if (peer.uid != geteuid() && peer.uid != 0)
		return fail(stream, OCC_REMOTE_FAULT_PEER);
	return true;
}

bool occ_remote_stream_open(struct occ_remote_stream *stream, const char *path,
			    unsigned milliseconds)
{
	occ_remote_stream_take(stream,
			       socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
			       milliseconds);
	if (stream->descriptor < 0)
		return fail(stream, OCC_REMOTE_FAULT_SOCKET);
	return connect_to(stream, path) && check_peer(stream);
}

void occ_remote_stream_close(struct occ_remote_stream *stream)
{
	if (stream->descriptor >= 0)
		close(stream->descriptor);
	stream->descriptor = -1;
}

/* (R3) */
static void set_deadline_by_rate(struct occ_remote_stream *stream)
{
	uint64_t by_rate =
		stream->grace + stream->moved * NS_PER_MS / OCC_REMOTE_RATE_MIN;
	uint64_t most = stream->grace * OCC_REMOTE_GRACES_MAX;

	stream->deadline = stream->since + (by_rate < most ? by_rate : most);
}

void occ_remote_stream_allow(struct occ_remote_stream *stream,
			     unsigned milliseconds)
{
	stream->is_greeted = true;
	stream->awaits_first = false;
	stream->since = 0;
	stream->deadline = occ_file_clock() + milliseconds * NS_PER_MS;
}

void occ_remote_stream_allow_rate(struct occ_remote_stream *stream,
				  unsigned grace_ms, bool from_now)
{
	stream->grace = grace_ms * NS_PER_MS;
	stream->moved = 0;
	stream->awaits_first = !from_now;
	if (!from_now)
		return;
	stream->since = occ_file_clock();
	set_deadline_by_rate(stream);
}

static void note_moved(struct occ_remote_stream *stream, size_t size)
{
	if (stream->awaits_first) {
		stream->awaits_first = false;
		stream->since = occ_file_clock();
	}
	if (!stream->since)
		return;
	stream->moved += size;
	set_deadline_by_rate(stream);
}

static bool wait_for(struct occ_remote_stream *stream, short events)
{
	struct pollfd poll_for = {.fd = stream->descriptor, .events = events};
	uint64_t left;
	int count;

	do {
		left = time_left(stream);
		if (!left)
			return fail_late(stream);
		left = (left + NS_PER_MS - 1) / NS_PER_MS;
		count = poll(&poll_for, 1, left < 60000 ? (int)left : 60000);
		if (count > 0)
			return true;
	} while (!count || errno == EINTR);
	return fail(stream, OCC_REMOTE_FAULT_SOCKET);
}

/* Would the same call, after a wait, do more? */
static bool is_passing(int error)
{
	return error == EINTR || error == EAGAIN;
}

bool occ_remote_stream_send(struct occ_remote_stream *stream, const void *data,
			    size_t size)
{
	const unsigned char *from = data;
	ssize_t sent;

	while (size && !stream->fault) {
		if (!wait_for(stream, POLLOUT))
			return false;
		sent = send(stream->descriptor, from, size,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && is_passing(errno))
			continue;
		if (sent < 0)
			return fail(stream, OCC_REMOTE_FAULT_CLOSED);
		from += sent;
		size -= (size_t)sent;
		note_moved(stream, (size_t)sent);
	}
	return !stream->fault;
}

/* Some bytes, into `to`; 0: none yet, or never again. */
static size_t receive_some(struct occ_remote_stream *stream, void *to,
			   size_t room)
{
	ssize_t received;

	if (!wait_for(stream, POLLIN))
		return 0;
	received = recv(stream->descriptor, to, room, MSG_DONTWAIT);
	if (received < 0 && is_passing(errno))
		return 0;
	if (received <= 0) {
		fail(stream, OCC_REMOTE_FAULT_CLOSED);
		return 0;
	}
	note_moved(stream, (size_t)received);
	return (size_t)received;
}

static size_t take_buffered(struct occ_remote_stream *stream, void *to,
			    size_t size)
{
	size_t there = stream->end - stream->first;

	if (there > size)
		there = size;
	if (there)
		memcpy(to, stream->bytes + stream->first, there);
	stream->first += there;
	return there;
}

bool occ_remote_stream_receive(struct occ_remote_stream *stream, void *data,
			       size_t size)
{
	unsigned char *to = data;
	size_t part;

	while (size && !stream->fault) {
		part = take_buffered(stream, to, size);
		/* A value's bytes go to where they are wanted. */
		if (!part && size >= sizeof(stream->bytes)) {
			part = receive_some(stream, to, size);
		} else if (!part) {
			stream->first = 0;
			stream->end = receive_some(stream, stream->bytes,
						   sizeof(stream->bytes));
		}
		to += part;
		size -= part;
	}
	return !stream->fault;
}
