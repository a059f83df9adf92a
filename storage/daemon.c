/* SPDX-License-Identifier: MIT */
#include "storage/daemon.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/backends.h"
#include "storage/listener.h"
#include "storage/message.h"
#include "storage/server.h"

/* Behind a service manager's socket. */
#define FIRST_INHERITED 3

struct start {
	int pipe; /* to who waits for it; -1: nobody does */
};

void occ_daemon_close_inherited(void)
{
	bool has_socket = getenv("LISTEN_FDS") != NULL;

	close_range(FIRST_INHERITED + (has_socket ? 1 : 0), ~0U, 0);
}

static void tell_status(struct start *start, int status)
{
	unsigned char byte = (unsigned char)status;
	ssize_t written;

	if (start->pipe < 0)
		return;
	do {
		written = write(start->pipe, &byte, 1);
	} while (written < 0 && errno == EINTR);
	close(start->pipe);
	start->pipe = -1;
}

/* Nobody who waits for the end of a stream shall wait for it. */
static void leave_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int stream = 0; null >= 0 && stream <= STDERR_FILENO; stream++)
		dup2(null, stream);
	if (null > STDERR_FILENO)
		close(null);
}

static void be_ready(void *context)
{
	struct start *start = context;

	if (start->pipe < 0)
		return;
	leave_streams();
	tell_status(start, 0);
}

static void set_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	/* Libraries write to sockets, too. */
	signal(SIGPIPE, SIG_IGN);
}

/* -1: go on; else the exit status. */
static int listen_at(const char *path, bool in_background,
		     struct occ_listener *listener)
{
	char problem[512];

	if (occ_listener_inherit(listener, problem, sizeof(problem)))
		return -1;
	if (*problem) {
		occ_storage_say("%s", problem);
		return 1;
	}
	switch (occ_listener_open(path, listener, problem, sizeof(problem))) {
	case OCC_LISTENER_OK:
		return -1;
	case OCC_LISTENER_TAKEN:
		occ_storage_say("%s", problem);
		return in_background ? 0 : 1;
	case OCC_LISTENER_FAILED:
		break;
	}
	occ_storage_say("%s", problem);
	return 1;
}

static const struct occ_backend *find_backend(
	const struct occ_storage_options *options)
{
	const struct occ_backend *backend = occ_backend_of(options->scheme);
	struct occ_backend_error error = {.is_fatal = false};

	if (!backend)
		occ_storage_say("%.40s:// isn't supported; see --help",
				options->scheme);
	else if (!backend->check(options, &error))
		occ_storage_say("%s", error.message);
	else
		return backend;
	return NULL;
}

static int serve(const struct occ_storage_configuration *configuration,
		 const struct occ_backend *backend, struct start *start)
{
	struct occ_listener listener;
	char problem[512];
	int status =
		listen_at(configuration->socket, start->pipe >= 0, &listener);

	if (status >= 0)
		return status;
	set_signals();
	umask(077);
	if (chdir("/") != 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
		occ_storage_say("can't start");
		status = 1;
	} else if (!occ_server_run(&configuration->options, backend, &listener,
				   be_ready, start, problem, sizeof(problem))) {
		occ_storage_say("%s", problem);
		status = 1;
	} else {
		status = 0;
	}
	occ_listener_close(&listener);
	return status;
}

/* Its threads may be anywhere: nothing is cleaned up behind them. */
static _Noreturn void serve_and_exit(
	const struct occ_storage_configuration *configuration,
	const struct occ_backend *backend, struct start *start)
{
	int status = serve(configuration, backend, start);

	fflush(NULL);
	tell_status(start, status);
	_exit(status);
}

static int wait_for(int pipe)
{
	unsigned char status = 1;
	ssize_t got;

	do {
		got = read(pipe, &status, 1);
	} while (got < 0 && errno == EINTR);
	close(pipe);
	return got == 1 ? status : 1;
}

int occ_daemon_run(const struct occ_storage_configuration *configuration,
		   bool in_background)
{
	const struct occ_backend *backend =
		find_backend(&configuration->options);
	struct start start = {.pipe = -1};
	int ends[2];
	pid_t child;

	if (!backend)
		return 1;
	if (!in_background)
		serve_and_exit(configuration, backend, &start);
	if (pipe2(ends, O_CLOEXEC) != 0 || (child = fork()) < 0) {
		occ_storage_say("can't start: %s", strerror(errno));
		return 1;
	}
	if (child) {
		close(ends[1]);
		return wait_for(ends[0]);
	}
	close(ends[0]);
	setsid();
	start.pipe = ends[1];
	serve_and_exit(configuration, backend, &start);
}
