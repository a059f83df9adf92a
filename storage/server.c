/* SPDX-License-Identifier: MIT */
#include "storage/server.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "storage/clock.h"
#include "storage/lease.h"
#include "storage/listener.h"
#include "storage/options.h"
#include "storage/server_internal.h"

#define EVENTS	     64
#define FULL_LOOK_MS 1000
/* At a time, lest those who are there wait for those who come. */
#define ACCEPTS	     16
/* With uploads that the server doesn't take, beyond the idle time. */
#define HOPELESS_MS  600000
/* How often is looked whether leases are still held. */
#define LEASES_MS    1000

static bool watch(struct occ_server *server, int file, unsigned events,
		  void *data)
{
	struct epoll_event event = {.events = events, .data.ptr = data};

	return epoll_ctl(server->poll, EPOLL_CTL_ADD, file, &event) == 0;
}

static void watch_client(struct occ_server *server, struct occ_client *client)
{
	struct epoll_event event = {.data.ptr = client};

	if ((client->state == OCC_CLIENT_SENDS &&
	     !occ_client_is_starved(client)) ||
	    (client->state == OCC_CLIENT_RECEIVES && client->rest.size))
		event.events = EPOLLOUT;
	else if (client->state == OCC_CLIENT_RECEIVES)
		event.events = EPOLLIN;
	if (event.events == client->events)
		return;
	/* It wasn't the client that took so long. */
	if (client->state == OCC_CLIENT_SENDS && !client->events)
		client->progress = occ_storage_now();
	client->events = event.events;
	epoll_ctl(server->poll, EPOLL_CTL_MOD, client->file, &event);
}

/* After others than itself have changed its state. */
static void watch_clients(struct occ_server *server)
{
	for (struct occ_client *client = server->clients; client;
	     client = client->next)
		watch_client(server, client);
}

static void accept_again(struct occ_server *server)
{
	struct epoll_event event = {.events = EPOLLIN,
				    .data.ptr = server->listener};

	if (!server->is_full || server->end_at)
		return;
	server->is_full = false;
	epoll_ctl(server->poll, EPOLL_CTL_MOD, server->listener->file, &event);
}

static void stop_accepting(struct occ_server *server)
{
	struct epoll_event event = {.data.ptr = server->listener};

	server->is_full = true;
	server->full_since = occ_storage_now();
	epoll_ctl(server->poll, EPOLL_CTL_MOD, server->listener->file, &event);
}

static void remove_client(struct occ_server *server, struct occ_client *client)
{
	struct occ_client **at = &server->clients;

	occ_serve_forget(server, client);
	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	server->client_count--;
	occ_client_free(client);
	accept_again(server);
}

static void greet(struct occ_server *server, int file, pid_t process)
{
	struct occ_client *client =
		occ_client_new(file, process, &server->receiving);

	if (!client)
		return;
	occ_serve_greeting(server, client);
	client->events = EPOLLOUT;
	if (!occ_client_send(client) ||
	    !watch(server, file, EPOLLOUT, client)) {
		occ_client_free(client);
		return;
	}
	client->next = server->clients;
	server->clients = client;
	server->client_count++;
	watch_client(server, client);
}

static void accept_clients(struct occ_server *server)
{
	for (int i = 0; i < ACCEPTS; i++) {
		pid_t process;
		int file;

		if (server->client_count >= OCC_SERVER_CLIENTS_MAX) {
			stop_accepting(server);
			return;
		}
		file = occ_listener_accept(server->listener, &process);
		if (file < 0) {
			if (errno != EAGAIN && errno != EWOULDBLOCK)
				stop_accepting(server);
			return;
		}
		server->activity = occ_storage_now();
		greet(server, file, process);
	}
}

/* Who has been told that it ends may start another one in its place. */
static void prepare_end(struct occ_server *server)
{
	if (server->is_stopped)
		occ_listener_close(server->listener);
}

/* One turn of a client. (V1) */
static void serve_client(struct occ_server *server, struct occ_client *client,
			 unsigned events)
{
	bool is_there = true;

	switch (client->state) {
	case OCC_CLIENT_WAITS:
		is_there = !(events & (EPOLLHUP | EPOLLERR));
		break;
	case OCC_CLIENT_RECEIVES:
		switch (occ_client_receive(client)) {
		case OCC_REQUEST_BAD:
			is_there = false;
			break;
		case OCC_REQUEST_READY:
			occ_serve_request(server, client);
			prepare_end(server);
			break;
		case OCC_REQUEST_PARTIAL:
			break;
		}
		break;
	case OCC_CLIENT_SENDS:
		is_there = !(events & (EPOLLHUP | EPOLLERR));
		break;
	}
	/* Most answers fit, and need no turn of their own. */
	if (is_there && client->state == OCC_CLIENT_SENDS)
		is_there = occ_client_send(client);
	if (is_there)
		watch_client(server, client);
	else
		remove_client(server, client);
}

static void take_done(struct occ_server *server)
{
	struct occ_job *job = occ_workers_done(server->workers), *next;

	for (; job; job = next) {
		next = job->next;
		occ_serve_done(server, job);
	}
	occ_serve_more(server);
}

static bool is_stalled(const struct occ_client *client, uint64_t now)
{
	bool is_idle = client->state == OCC_CLIENT_WAITS ||
		       occ_client_is_starved(client) ||
		       (client->state == OCC_CLIENT_RECEIVES &&
			occ_request_is_empty(&client->request));

	return !is_idle && occ_storage_has_passed(now, client->progress,
						  OCC_SERVER_STALL_MS);
}

/* Of an answer that has begun there is no other way to say that it failed. */
static bool is_cut_off(const struct occ_client *client)
{
	return client->value && client->value->is_failed;
}

/* Turns away who stalls (V3), and makes room for who waits outside. */
static void look_at_clients(struct occ_server *server, uint64_t now)
{
	struct occ_client *next, *oldest = NULL;

	for (struct occ_client *client = server->clients; client;
	     client = next) {
		next = client->next;
		if (is_stalled(client, now) || is_cut_off(client)) {
			remove_client(server, client);
			continue;
		}
		if (client->state != OCC_CLIENT_WAITS &&
		    !occ_client_is_starved(client) &&
		    (!oldest || client->progress < oldest->progress))
			oldest = client;
	}
	if (server->is_full && oldest &&
	    occ_storage_has_passed(now, oldest->progress, FULL_LOOK_MS))
		remove_client(server, oldest);
	/* What ran out may be there again. */
	else if (server->is_full &&
		 occ_storage_has_passed(now, server->full_since,
					FULL_LOOK_MS) &&
		 server->client_count < OCC_SERVER_CLIENTS_MAX)
		accept_again(server);
}

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static uint64_t most(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* When idling ends it, if nothing happens before. */
static uint64_t idle_end(struct occ_server *server, size_t waiting)
{
	uint64_t end;

	if (!server->options->idle_s || server->jobs)
		return UINT64_MAX;
	end = server->activity + (uint64_t)server->options->idle_s * 1000 +
	      (waiting ? HOPELESS_MS : 0);
	/* Somebody compiles, and others in the fleet wait for it. */
	if (occ_leases_count(occ_workers_leases(server->workers)))
		end = most(end, occ_storage_now() + LEASES_MS);
	return end;
}

/* Milliseconds until something is to be looked at; -1: nothing is. */
static int time_left(struct occ_server *server, uint64_t now, size_t waiting)
{
	uint64_t next = idle_end(server, waiting);

	if (server->end_at)
		next = least(next, server->end_at);
	next = least(next, occ_kept_next(&server->kept));
	if (server->is_full)
		next = least(next, now + FULL_LOOK_MS);
	for (struct occ_client *client = server->clients; client;
	     client = client->next) {
		if (client->flush_until)
			next = least(next, client->flush_until);
		if (occ_client_is_starved(client))
			continue;
		if (client->state == OCC_CLIENT_SENDS ||
		    !occ_request_is_empty(&client->request))
			next = least(next,
				     client->progress + OCC_SERVER_STALL_MS);
	}
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)least(next - now, INT_MAX);
}

static void take_signal(struct occ_server *server)
{
	struct signalfd_siginfo signal;

	if (read(server->signals, &signal, sizeof(signal)) ==
		    (ssize_t)sizeof(signal) &&
	    !server->end_at) {
		server->end_at = occ_storage_now() + OCC_SERVER_END_MS;
		occ_listener_close(server->listener);
	}
}

static bool is_over(struct occ_server *server, uint64_t now, size_t waiting)
{
	if (server->is_stopped)
		return true;
	if (server->end_at)
		return !waiting || now >= server->end_at;
	return now >= idle_end(server, waiting);
}

static void turn(struct occ_server *server, const struct epoll_event *events,
		 int count)
{
	for (int i = 0; i < count; i++) {
		void *data = events[i].data.ptr;

		if (data == server->listener)
			accept_clients(server);
		else if (data == server->workers)
			take_done(server);
		else if (data == &server->signals)
			take_signal(server);
		else
			serve_client(server, data, events[i].events);
	}
}

static void loop(struct occ_server *server)
{
	struct epoll_event events[EVENTS];
	size_t waiting;
	uint64_t bytes, now;

	for (;;) {
		now = occ_storage_now();
		occ_serve_flushes(server, now);
		look_at_clients(server, now);
		watch_clients(server);
		occ_kept_expire(&server->kept, now);
		occ_upload_queue_sizes(&server->queue, &waiting, &bytes);
		if (is_over(server, now, waiting))
			return;
		turn(server, events,
		     epoll_wait(server->poll, events, EVENTS,
				time_left(server, now, waiting)));
	}
}

static bool set_up(struct occ_server *server)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	server->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	server->poll = epoll_create1(EPOLL_CLOEXEC);
	if (server->signals < 0 || server->poll < 0)
		return false;
	server->workers = occ_workers_start(server->options, server->backend,
					    &server->queue);
	return server->workers &&
	       watch(server, server->listener->file, EPOLLIN,
		     server->listener) &&
	       watch(server, server->signals, EPOLLIN, &server->signals) &&
	       watch(server, occ_workers_event(server->workers), EPOLLIN,
		     server->workers);
}

bool occ_server_run(const struct occ_storage_options *options,
		    const struct occ_backend *backend,
		    struct occ_listener *listener, void (*ready)(void *context),
		    void *context, char *problem, size_t size)
{
	/* The threads that are left behind look at it. */
	static struct occ_server server;

	server.options = options;
	server.backend = backend;
	server.listener = listener;
	server.receiving.most = options->queue_bytes;
	server.started = server.activity = occ_storage_now();
	occ_upload_queue_init(&server.queue, options->queue_bytes,
			      options->queue_count);
	if (!set_up(&server)) {
		snprintf(problem, size, "can't start: %s", strerror(errno));
		return false;
	}
	occ_serve_first(&server);
	if (ready)
		ready(context);
	loop(&server);
	occ_workers_end(server.workers);
	return true;
}
