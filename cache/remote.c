/* SPDX-License-Identifier: MIT */
#include "cache/remote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "cache/entry.h"
#include "cache/error.h"
#include "cache/file.h"
#include "cache/remote_answer.h"
#include "cache/remote_protocol.h"
#include "cache/remote_stream.h"

#define NS_PER_S     UINT64_C(1000000000)

/* The longest request, less a value's bytes: of a put. */
#define REQUEST_SIZE (2 + OCC_REMOTE_TEXT_MAX + 1 + sizeof(uint64_t))

/* What is given up (R4). */
enum line {
	LINE_ASKING, /* with which a program waits for an answer */
	LINE_GIVING, /* puts, and what goes with them */
	LINES,
};

struct occ_remote {
	struct occ_remote_budget budget;
	uint64_t down_until[LINES]; /* atomic; ns of the monotonic clock */
	/* Empty: the path is too long for one, so that nobody listens there. */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

enum occ_reason occ_remote_fault_reason(enum occ_remote_fault fault)
{
	static const enum occ_reason reasons[OCC_REMOTE_FAULTS] = {
		[OCC_REMOTE_FAULT_NONE] = OCC_REASON_NONE,
		[OCC_REMOTE_FAULT_ABSENT] = OCC_REASON_REMOTE_ABSENT,
		[OCC_REMOTE_FAULT_CONNECT] = OCC_REASON_REMOTE_CONNECT,
		[OCC_REMOTE_FAULT_VERSION] = OCC_REASON_REMOTE_VERSION,
		[OCC_REMOTE_FAULT_PEER] = OCC_REASON_REMOTE_PEER,
		[OCC_REMOTE_FAULT_STALL] = OCC_REASON_REMOTE_STALL,
		[OCC_REMOTE_FAULT_PROTOCOL] = OCC_REASON_REMOTE_PROTOCOL,
		[OCC_REMOTE_FAULT_SERVER] = OCC_REASON_REMOTE_SERVER,
		[OCC_REMOTE_FAULT_CLOSED] = OCC_REASON_REMOTE_CLOSED,
		[OCC_REMOTE_FAULT_SOCKET] = OCC_REASON_REMOTE_SOCKET,
		[OCC_REMOTE_FAULT_DOWN] = OCC_REASON_REMOTE_DOWN,
	};

	return reasons[fault];
}

const char *occ_remote_fault_text(enum occ_remote_fault fault)
{
	return fault ? occ_reason_text(occ_remote_fault_reason(fault))
		     : "nothing is wrong";
}

struct occ_remote *occ_remote_new(const char *socket,
				  const struct occ_remote_budget *budget)
{
	struct occ_remote *remote = calloc(1, sizeof(*remote));

	if (!remote)
		return NULL;
	remote->budget = *budget;
	if (strlen(socket) < sizeof(remote->path))
		memcpy(remote->path, socket, strlen(socket) + 1);
	return remote;
}

void occ_remote_free(struct occ_remote *remote)
{
	free(remote);
}

/* A question under way. */
struct question {
	struct occ_remote *remote;
	enum line line;
	struct occ_remote_stream stream;
	struct occ_remote_answer *answer;
};

static bool is_down(const struct occ_remote *remote, enum line line)
{
	uint64_t until =
		__atomic_load_n(&remote->down_until[line], __ATOMIC_RELAXED);

	return until && occ_file_clock() < until;
}

/*
 * (R4). A server that refuses puts may well answer, and a helper that takes
 * long over them is just slow; what is wrong with the helper itself, and what
 * goes wrong with a question, counts for all.
 */
static void give_up(struct occ_remote *remote, enum line line,
		    enum occ_remote_fault fault)
{
	bool absent = fault == OCC_REMOTE_FAULT_ABSENT ||
		      fault == OCC_REMOTE_FAULT_SOCKET;
	bool only_puts =
		line == LINE_GIVING && (fault == OCC_REMOTE_FAULT_STALL ||
					fault == OCC_REMOTE_FAULT_CLOSED ||
					fault == OCC_REMOTE_FAULT_SERVER);
	uint64_t until =
		occ_file_clock() +
		NS_PER_S * (absent ? OCC_REMOTE_ABSENT_S : OCC_REMOTE_RETRY_S);

	__atomic_store_n(&remote->down_until[LINE_GIVING], until,
			 __ATOMIC_RELAXED);
	if (!only_puts)
		__atomic_store_n(&remote->down_until[LINE_ASKING], until,
				 __ATOMIC_RELAXED);
}

enum occ_remote_fault occ_remote_look(struct occ_remote *remote)
{
	struct stat status;

	if (is_down(remote, LINE_ASKING))
		return OCC_REMOTE_FAULT_DOWN;
	if (*remote->path && !occ_file_status_path(remote->path, &status))
		return OCC_REMOTE_FAULT_NONE;
	give_up(remote, LINE_ASKING, OCC_REMOTE_FAULT_ABSENT);
	return OCC_REMOTE_FAULT_ABSENT;
}

static void reset_answer(struct occ_remote_answer *answer)
{
	occ_buffer_release(&answer->value);
	*answer = (struct occ_remote_answer){0};
}

/* True: connected, and greeted. Else finish() says what is to be answered. */
static bool begin(struct question *question, struct occ_remote *remote,
		  enum line line, struct occ_remote_answer *ret_answer)
{
	struct occ_remote_stream *stream = &question->stream;

	question->remote = remote;
	question->line = line;
	question->answer = ret_answer;
	reset_answer(ret_answer);
	*stream = (struct occ_remote_stream){.descriptor = -1};
	if (is_down(remote, line))
		stream->fault = OCC_REMOTE_FAULT_DOWN;
	else if (!*remote->path)
		stream->fault = OCC_REMOTE_FAULT_ABSENT;
	return !stream->fault &&
	       occ_remote_stream_open(stream, remote->path,
				      remote->budget.connect_ms) &&
	       occ_remote_answer_greeting(stream, ret_answer);
}

/* `result` is what holds if nothing went wrong. */
static int finish(struct question *question, int result)
{
	enum occ_remote_fault fault = question->stream.fault;

	occ_remote_stream_close(&question->stream);
	question->answer->has_begun = question->stream.since != 0;
	question->answer->fault = fault;
	if (fault == OCC_REMOTE_FAULT_DOWN)
		return OCC_E_REMOTE_DOWN;
	if (fault) {
		give_up(question->remote, question->line, fault);
		result = OCC_E_REMOTE;
	}
	if (result == OCC_E_REMOTE || result == OCC_E_MEMORY)
		occ_buffer_release(&question->answer->value);
	return result;
}

static unsigned grace_of(const struct question *question)
{
	const struct occ_remote_budget *budget = &question->remote->budget;

	return question->line == LINE_ASKING ? budget->wait_ms : budget->put_ms;
}

/* A request that fits into the socket's buffer, and the answer's first byte. */
static bool ask(struct question *question, const unsigned char *request,
		size_t size, unsigned wait_ms, unsigned char *ret_result)
{
	struct occ_remote_stream *stream = &question->stream;

	occ_remote_stream_allow(stream, wait_ms);
	if (!occ_remote_stream_send(stream, request, size))
		return false;
	occ_remote_stream_allow_rate(stream, grace_of(question), false);
	return occ_remote_answer_result(stream, question->answer, ret_result);
}

/* Of a request with a key; 0: it isn't one. */
static size_t print_request(unsigned char request[REQUEST_SIZE],
			    unsigned char number, struct occ_span key)
{
	if (!key.size || key.size > OCC_REMOTE_TEXT_MAX)
		return 0;
	request[0] = number;
	request[1] = (unsigned char)key.size;
	memcpy(request + 2, key.data, key.size);
	return 2 + key.size;
}

static bool ask_for_key(struct question *question, unsigned char number,
			struct occ_span key, unsigned char *ret_result)
{
	unsigned char request[REQUEST_SIZE];
	size_t size = print_request(request, number, key);

	if (!size)
		question->stream.fault = OCC_REMOTE_FAULT_PROTOCOL;
	return size &&
	       ask(question, request, size, grace_of(question), ret_result);
}

int occ_remote_get(struct occ_remote *remote, struct occ_span key,
		   struct occ_remote_answer *ret_answer)
{
	struct question question;
	unsigned char result;
	int error = OCC_OK;

	if (begin(&question, remote, LINE_ASKING, ret_answer) &&
	    ask_for_key(&question, OCC_REMOTE_GET, key, &result)) {
		if (result == OCC_REMOTE_NOOP)
			error = OCC_E_NOT_FOUND;
		else
			error = occ_remote_answer_value(&question.stream,
							&ret_answer->value);
		occ_remote_answer_end(&question.stream);
	}
	return finish(&question, error);
}

/* The value goes as fast as the helper takes it (R3). */
static bool put(struct question *question, struct occ_span key, bool overwrite,
		struct occ_span value, unsigned char *ret_result)
{
	unsigned char request[REQUEST_SIZE];
	struct occ_remote_stream *stream = &question->stream;
	size_t size = print_request(request, OCC_REMOTE_PUT, key);
	uint64_t length = value.size;

	if (!size) {
		stream->fault = OCC_REMOTE_FAULT_PROTOCOL;
		return false;
	}
	request[size++] = overwrite ? OCC_REMOTE_PUT_OVERWRITE : 0;
	memcpy(request + size, &length, sizeof(length));
	size += sizeof(length);
	occ_remote_stream_allow(stream, 0);
	occ_remote_stream_allow_rate(stream, grace_of(question), true);
	if (!occ_remote_stream_send(stream, request, size) ||
	    !occ_remote_stream_send(stream, value.data, value.size))
		return false;
	occ_remote_stream_allow(stream, grace_of(question));
	occ_remote_stream_allow_rate(stream, grace_of(question), false);
	return occ_remote_answer_result(stream, question->answer, ret_result);
}

int occ_remote_put(struct occ_remote *remote, struct occ_span key,
		   bool overwrite, struct occ_span value,
		   struct occ_remote_answer *ret_answer)
{
	struct question question;
	unsigned char result = OCC_REMOTE_OK;

	if (begin(&question, remote, LINE_GIVING, ret_answer) &&
	    put(&question, key, overwrite, value, &result))
		occ_remote_answer_end(&question.stream);
	return finish(&question,
		      result == OCC_REMOTE_NOOP ? OCC_E_EXISTS : OCC_OK);
}

/* A request that is only ok or noop, of a helper that may not know it. */
static int ask_whether(struct question *question, bool knows,
		       unsigned char number, struct occ_span key, int otherwise)
{
	unsigned char result;
	int error = OCC_OK;

	if (!question->stream.fault && !knows)
		error = OCC_E_NOT_FOUND;
	else if (!question->stream.fault &&
		 ask_for_key(question, number, key, &result)) {
		if (result == OCC_REMOTE_NOOP)
			error = otherwise;
		occ_remote_answer_end(&question->stream);
	}
	return finish(question, error);
}

int occ_remote_remove(struct occ_remote *remote, struct occ_span key,
		      struct occ_remote_answer *ret_answer)
{
	struct question question;

	begin(&question, remote, LINE_GIVING, ret_answer);
	return ask_whether(&question, true, OCC_REMOTE_REMOVE, key,
			   OCC_E_NOT_FOUND);
}

int occ_remote_lease(struct occ_remote *remote, struct occ_span key,
		     struct occ_remote_answer *ret_answer)
{
	struct question question;

	begin(&question, remote, LINE_ASKING, ret_answer);
	return ask_whether(&question, ret_answer->can_lease, OCC_REMOTE_LEASE,
			   key, OCC_E_BUSY);
}

/* Of a lease that has ended before: that is as well. */
int occ_remote_release(struct occ_remote *remote, struct occ_span key,
		       struct occ_remote_answer *ret_answer)
{
	struct question question;

	begin(&question, remote, LINE_GIVING, ret_answer);
	return ask_whether(&question, ret_answer->can_lease, OCC_REMOTE_RELEASE,
			   key, OCC_OK);
}

int occ_remote_flush(struct occ_remote *remote, unsigned milliseconds,
		     struct occ_remote_answer *ret_answer)
{
	unsigned char request[1 + sizeof(uint64_t)] = {OCC_REMOTE_FLUSH};
	uint64_t number = milliseconds;
	struct question question;
	unsigned char result;
	int error = OCC_OK;

	memcpy(request + 1, &number, sizeof(number));
	if (begin(&question, remote, LINE_GIVING, ret_answer)) {
		if (!ret_answer->can_flush)
			error = OCC_E_NOT_FOUND;
		else if (ask(&question, request, sizeof(request),
			     milliseconds + remote->budget.put_ms, &result) &&
			 result == OCC_REMOTE_NOOP)
			error = OCC_E_BUSY;
	}
	return finish(&question, error);
}

int occ_remote_info(struct occ_remote *remote,
		    struct occ_remote_answer *ret_answer)
{
	static const unsigned char request[] = {OCC_REMOTE_INFO};
	struct question question;
	int error = OCC_OK;

	if (begin(&question, remote, LINE_GIVING, ret_answer)) {
		struct occ_remote_stream *stream = &question.stream;

		occ_remote_stream_allow(stream, remote->budget.put_ms);
		if (!ret_answer->can_info)
			error = OCC_E_NOT_FOUND;
		else if (occ_remote_stream_send(stream, request,
						sizeof(request)))
			error = occ_remote_answer_info(stream,
						       &ret_answer->value);
	}
	return finish(&question, error);
}

int occ_remote_stop(struct occ_remote *remote,
		    struct occ_remote_answer *ret_answer)
{
	static const unsigned char request[] = {OCC_REMOTE_STOP};
	struct question question;
	unsigned char result;

	if (begin(&question, remote, LINE_GIVING, ret_answer) &&
	    !ask(&question, request, sizeof(request), remote->budget.put_ms,
		 &result) &&
	    question.stream.fault == OCC_REMOTE_FAULT_CLOSED)
		question.stream.fault = OCC_REMOTE_FAULT_NONE;
	return finish(&question, OCC_OK);
}
