/* SPDX-License-Identifier: MIT */
/*
 * A remote storage helper that does as it is told, in a process of its own, so
 * that what fails in the test's (tests/unit/fault.h) doesn't in it. It serves
 * one connection after the other: sends the greeting, takes a request of so
 * many bytes, sends the answer, and lets the test have what it was asked. In
 * between, after so many bytes, it goes silent or away.
 */
#ifndef TESTS_UNIT_REMOTE_HELPER_H
#define TESTS_UNIT_REMOTE_HELPER_H

#include "tests/unit/fixture.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cache/entry.h"
#include "cache/error.h"
#include "cache/remote.h"
#include "cache/remote_protocol.h"

enum helper_end {
	HELPER_CLOSES,	 /* after `cut` bytes */
	HELPER_STALLS,	 /* the same, until the client goes */
	HELPER_TRICKLES, /* from there on a byte every 5 ms */
	HELPER_PACES,	 /* 64 KiB every 5 ms, which is fast enough */
};

struct helper_script {
	const void *greeting, *answer;
	size_t greeting_size, answer_size;
	size_t request_size; /* 0: what comes at once */
	size_t cut;	     /* of greeting and answer; SIZE_MAX: never */
	enum helper_end end;
	bool is_deaf; /* takes no request */
};

/* What the test sees of it. */
struct helper_view {
	unsigned connections; /* atomic; that were accepted */
	size_t size;
	unsigned char request[64 << 10]; /* of the last one, its beginning */
};

struct helper {
	char path[108];
	int listener;
	pid_t child;
	struct helper_view *view;
};

/* False: it is over with this client. */
static inline bool helper_send(int client, const struct helper_script *script,
			       const unsigned char *bytes, size_t size,
			       size_t *sent)
{
	while (size) {
		size_t part = size;

		if (*sent >= script->cut && script->end < HELPER_TRICKLES)
			return false;
		if (*sent >= script->cut) {
			usleep(5000);
			part = script->end == HELPER_TRICKLES ? 1 : 64 << 10;
			if (part > size)
				part = size;
		} else if (part > script->cut - *sent) {
			part = script->cut - *sent;
		}
		if (send(client, bytes, part, MSG_NOSIGNAL) != (ssize_t)part)
			return false;
		bytes += part;
		size -= part;
		*sent += part;
	}
	return *sent < script->cut || script->end >= HELPER_TRICKLES;
}

static inline bool helper_receive(int client,
				  const struct helper_script *script,
				  struct helper_view *view)
{
	static unsigned char bytes[64 << 10];
	size_t total = 0;
	ssize_t got;

	do {
		got = recv(client, bytes, sizeof(bytes), 0);
		if (got <= 0)
			return false;
		if (total + (size_t)got <= sizeof(view->request))
			memcpy(view->request + total, bytes, (size_t)got);
		total += (size_t)got;
		view->size = total;
	} while (total < script->request_size);
	return true;
}

/* Until the client goes. */
static inline void helper_drain(int client, const struct helper_script *script)
{
	static unsigned char bytes[64 << 10];
	struct pollfd gone = {.fd = client, .events = POLLRDHUP};

	if (script->is_deaf && script->end == HELPER_STALLS)
		poll(&gone, 1, -1);
	if (script->is_deaf)
		return;
	/* What isn't read would reset the connection, and lose the answer. */
	if (script->end == HELPER_CLOSES)
		shutdown(client, SHUT_WR);
	while (recv(client, bytes, sizeof(bytes), 0) > 0)
		;
}

static inline void helper_serve(int client, const struct helper_script *script,
				struct helper_view *view)
{
	size_t sent = 0;
	bool goes_on = helper_send(client, script, script->greeting,
				   script->greeting_size, &sent);

	__atomic_add_fetch(&view->connections, 1, __ATOMIC_RELAXED);
	if (goes_on && !script->is_deaf && helper_receive(client, script, view))
		helper_send(client, script, script->answer, script->answer_size,
			    &sent);
	helper_drain(client, script);
	close(client);
}

static inline void helper_listen(struct helper *helper, int backlog)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	strcpy(address.sun_path, helper->path);
	helper->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (helper->listener < 0 ||
	    bind(helper->listener, (struct sockaddr *)&address,
		 sizeof(address)) ||
	    listen(helper->listener, backlog))
		abort();
}

/* Listens at `path` from then on. */
static inline void helper_start(struct helper *helper, const char *path,
				const struct helper_script *script)
{
	snprintf(helper->path, sizeof(helper->path), "%s", path);
	helper->view = mmap(NULL, sizeof(*helper->view), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(helper->view, MAP_FAILED);
	helper_listen(helper, 64);
	helper->child = fork();
	assert_true(helper->child >= 0);
	if (helper->child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int client = accept(helper->listener, NULL, NULL);

		if (client >= 0)
			helper_serve(client, script, helper->view);
	}
}

static inline unsigned helper_connections(const struct helper *helper)
{
	return __atomic_load_n(&helper->view->connections, __ATOMIC_RELAXED);
}

static inline void helper_end(struct helper *helper)
{
	kill(helper->child, SIGKILL);
	waitpid(helper->child, NULL, 0);
	close(helper->listener);
	unlink(helper->path);
	munmap(helper->view, sizeof(*helper->view));
}

/* ms in which all comes that is to come; and for what never comes. */
#define LONG  60000
#define SHORT 30

/* More than sockets keep. */
#define LARGE ((size_t)3 << 20)

static const unsigned char greeting[] = {1, 5, 0, 1, 2, 0x80, 0x81};
/* Of a helper that was written for others. */
__attribute__((unused)) static const unsigned char old_greeting[] = {1, 2, 0,
								     1};

static const struct occ_remote_budget generous = {LONG, LONG, LONG};
static const struct occ_span key = {(const unsigned char *)"0123456789", 10};

/* What a test has: a helper by its script, and the client. */
struct place {
	struct helper helper;
	struct occ_remote *remote;
	struct occ_remote_answer answer;
};

static inline void begin_with(struct place *place,
			      const struct fixture *fixture,
			      const struct helper_script *script,
			      const struct occ_remote_budget *budget)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/socket", fixture->path);
	memset(place, 0, sizeof(*place));
	helper_start(&place->helper, path, script);
	place->remote = occ_remote_new(path, budget);
	assert_non_null(place->remote);
}

static inline void end(struct place *place)
{
	helper_end(&place->helper);
	occ_remote_free(place->remote);
	occ_buffer_release(&place->answer.value);
}

#define SCRIPT(greets, answers)                                                \
	{                                                                      \
		.greeting = (greets), .greeting_size = sizeof(greets),         \
		.answer = (answers), .answer_size = sizeof(answers),           \
		.cut = SIZE_MAX,                                               \
	}

/* An answer with a value. */
static inline size_t print_value(unsigned char *answer, uint64_t length,
				 const void *bytes, size_t size)
{
	answer[0] = OCC_REMOTE_OK;
	memcpy(answer + 1, &length, sizeof(length));
	if (size)
		memcpy(answer + 9, bytes, size);
	return 9 + size;
}

static inline int get(struct place *place)
{
	return occ_remote_get(place->remote, key, &place->answer);
}

static inline unsigned count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

#endif
