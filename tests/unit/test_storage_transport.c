/* SPDX-License-Identifier: MIT */
/*
 * storage/redis_transport.h over a real Unix socket, whose other end is a
 * thread here that does as the test says. SIGPIPE is as it is by default: it
 * would end the test.
 */
#include "tests/unit/fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "storage/backend.h"
#include "storage/clock.h"
#include "storage/redis_transport.h"

/* Milliseconds: for what must not be waited for, and for what is. */
#define LONG  60000
#define SHORT 200

/* More than the buffers of a socket hold. */
#define LARGE (32 * 1024 * 1024)

struct peer {
	struct fixture *fixture;
	char path[108];
	int listener;
	pthread_t thread;
	void (*serve)(int connection, struct peer *peer);
	pthread_barrier_t step;
};

static void *run(void *data)
{
	struct peer *peer = data;
	int connection = accept(peer->listener, NULL, NULL);

	if (connection < 0)
		return NULL;
	if (peer->serve)
		peer->serve(connection, peer);
	close(connection);
	return NULL;
}

static void begin(struct peer *peer, void **state,
		  void (*serve)(int connection, struct peer *peer))
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	peer->fixture = *state;
	peer->serve = serve;
	snprintf(peer->path, sizeof(peer->path), "%s/socket",
		 peer->fixture->path);
	strcpy(address.sun_path, peer->path);
	peer->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(peer->listener >= 0);
	assert_int_equal(bind(peer->listener, (struct sockaddr *)&address,
			      sizeof(address)),
			 0);
	assert_int_equal(listen(peer->listener, 1), 0);
	pthread_barrier_init(&peer->step, NULL, 2);
	assert_int_equal(pthread_create(&peer->thread, NULL, run, peer), 0);
}

static struct occ_redis_transport *connect_to(struct peer *peer)
{
	struct occ_redis_address address = {.socket = peer->path};
	struct occ_backend_error error = {{0}, false, false};
	struct occ_redis_transport *transport =
		occ_redis_transport_connect(&address, LONG, &error);

	assert_string_equal(error.message, "");
	assert_non_null(transport);
	return transport;
}

static void end(struct peer *peer, struct occ_redis_transport *transport)
{
	transport->close(transport);
	pthread_join(peer->thread, NULL);
	pthread_barrier_destroy(&peer->step);
	close(peer->listener);
}

static void meet(struct peer *peer)
{
	pthread_barrier_wait(&peer->step);
}

static void write_all(int connection, const char *text)
{
	assert_int_equal(write(connection, text, strlen(text)), strlen(text));
}

static enum occ_redis_io receive(struct occ_redis_transport *transport,
				 char *text, size_t size, unsigned wait)
{
	size_t got = 0;
	enum occ_redis_io result =
		transport->receive(transport, text, size - 1,
				   occ_storage_now() + wait, &got);

	text[result == OCC_REDIS_IO_OK ? got : 0] = '\0';
	return result;
}

static void echo(int connection, struct peer *peer)
{
	char text[16];
	ssize_t size = read(connection, text, sizeof(text));

	assert_int_equal(write(connection, text, (size_t)size), size);
	meet(peer);
}

static void test_bytes(void **state)
{
	struct peer peer;
	struct occ_redis_transport *transport;
	char text[16];

	begin(&peer, state, echo);
	transport = connect_to(&peer);
	assert_true(transport->is_quiet(transport));
	assert_int_equal(transport->send(transport,
					 (struct occ_span){
						 (const unsigned char *)"hello",
						 5},
					 occ_storage_now() + LONG),
			 OCC_REDIS_IO_OK);
	assert_int_equal(receive(transport, text, sizeof(text), LONG),
			 OCC_REDIS_IO_OK);
	assert_string_equal(text, "hello");
	assert_true(transport->is_quiet(transport));
	assert_int_equal(receive(transport, text, sizeof(text), SHORT),
			 OCC_REDIS_IO_LATE);
	meet(&peer);
	end(&peer, transport);
}

/* Once it is connected: before, that is no connection at all. */
static void close_at_once(int connection, struct peer *peer)
{
	meet(peer);
	shutdown(connection, SHUT_RDWR);
	meet(peer);
}

/* Reading and writing, as often as one likes, with no signal. */
static void test_closed(void **state)
{
	struct peer peer;
	struct occ_redis_transport *transport;
	enum occ_redis_io result = OCC_REDIS_IO_OK;
	char text[16];

	begin(&peer, state, close_at_once);
	transport = connect_to(&peer);
	meet(&peer);
	meet(&peer);
	assert_false(transport->is_quiet(transport));
	for (int i = 0; i < 3; i++)
		result = transport->send(
			transport,
			(struct occ_span){(const unsigned char *)"hello", 5},
			occ_storage_now() + LONG);
	assert_int_equal(result, OCC_REDIS_IO_CLOSED);
	assert_int_equal(receive(transport, text, sizeof(text), LONG),
			 OCC_REDIS_IO_CLOSED);
	end(&peer, transport);
}

static void say_unasked(int connection, struct peer *peer)
{
	write_all(connection, "x");
	meet(peer);
	meet(peer);
}

static void test_unasked(void **state)
{
	struct peer peer;
	struct occ_redis_transport *transport;

	begin(&peer, state, say_unasked);
	transport = connect_to(&peer);
	meet(&peer);
	assert_false(transport->is_quiet(transport));
	meet(&peer);
	end(&peer, transport);
}

static void wait_for_test(int connection, struct peer *peer)
{
	(void)connection;
	meet(peer);
}

/* One who takes nothing of what is sent. */
static void test_send_in_vain(void **state)
{
	struct peer peer;
	struct occ_redis_transport *transport;
	unsigned char *large = calloc(1, LARGE);

	begin(&peer, state, wait_for_test);
	transport = connect_to(&peer);
	assert_int_equal(transport->send(transport,
					 (struct occ_span){large, LARGE},
					 occ_storage_now() + SHORT),
			 OCC_REDIS_IO_LATE);
	meet(&peer);
	end(&peer, transport);
	free(large);
}

static void trickle(int connection, struct peer *peer)
{
	const struct timespec pause = {0, 1000000};

	(void)peer;
	while (send(connection, "x", 1, MSG_NOSIGNAL) == 1)
		nanosleep(&pause, NULL);
}

/* One who never ends, a byte at a time: the deadline isn't begun anew. */
static void test_trickle(void **state)
{
	struct peer peer;
	struct occ_redis_transport *transport;
	enum occ_redis_io result;
	uint64_t deadline;
	size_t size;
	char byte;

	begin(&peer, state, trickle);
	transport = connect_to(&peer);
	deadline = occ_storage_now() + SHORT;
	do
		result = transport->receive(transport, &byte, 1, deadline,
					    &size);
	while (result == OCC_REDIS_IO_OK &&
	       occ_storage_now() < deadline + LONG);
	assert_int_equal(result, OCC_REDIS_IO_LATE);
	end(&peer, transport);
}

static void test_nobody_listens(void **state)
{
	struct fixture *fixture = *state;
	struct occ_backend_error error = {{0}, true, true};
	struct occ_redis_address address = {.socket = fixture->path};

	assert_null(occ_redis_transport_connect(&address, LONG, &error));
	assert_non_null(strstr(error.message, "no connection"));
	assert_false(error.is_fatal);
	assert_false(error.is_answered);
}

/* TLS with one who says nothing. */
static void test_no_handshake(void **state)
{
	struct occ_backend_error error = {{0}, false, false};
	struct sockaddr_in name = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(name);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct occ_redis_address address = {.host = "127.0.0.1", .tls = true};

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&name, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&name, &size),
			 0);
	address.port = ntohs(name.sin_port);
	assert_null(occ_redis_transport_connect(&address, SHORT, &error));
	assert_non_null(strstr(error.message, "in time"));
	close(listener);
}

#define WITH_FIXTURE(test)                                                     \
	cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(test_bytes),
		WITH_FIXTURE(test_closed),
		WITH_FIXTURE(test_unasked),
		WITH_FIXTURE(test_send_in_vain),
		WITH_FIXTURE(test_trickle),
		WITH_FIXTURE(test_nobody_listens),
		WITH_FIXTURE(test_no_handshake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
