/* SPDX-License-Identifier: MIT */
/*
 * storage/redis*.h, without a server: URLs, replies in pieces and replies that
 * are none, connections that break, and what may be shown of errors.
 */
#include "tests/unit/fixture.h"

#include "storage/clock.h"
#include "storage/options.h"
#include "storage/redis_error.h"
#include "storage/redis_internal.h"
#include "tests/unit/redis_fake.h"

#define NAME_REPLY "+OK\r\n" /* to CLIENT SETNAME */

static const struct occ_span key = {(const unsigned char *)"\x01\xab\xff", 3};

static void fake_reset(void)
{
	occ_buffer_release(&fake.sent);
	memset(&fake, 0, sizeof(fake));
	/* A reply isn't there before its command. */
	fake.piece = 1;
}

static void script(size_t i, const char *bytes)
{
	fake.scripts[i] = (struct fake_script){.bytes = bytes,
					       .size = strlen(bytes),
					       .stalls = true};
}

static bool was_sent(const char *text)
{
	return fake.sent.size && memmem(fake.sent.data, fake.sent.size, text,
					strlen(text)) != NULL;
}

static struct occ_storage_options plain_options(void)
{
	return (struct occ_storage_options){
		.scheme = (char *)"redis",
		.host = (char *)"cache.example.org",
		.path = (char *)"",
		.connect_ms = 1000,
		.request_ms = 1000,
	};
}

/* A connection to the fake; what `options` say otherwise is as usual. */
static struct occ_backend_connection *connection_of(
	const struct occ_storage_options *options)
{
	struct occ_backend_connection *connection =
		calloc(1, sizeof(*connection));
	struct occ_backend_error error;

	assert_true(occ_redis_settings_read(options, &connection->settings,
					    &error));
	connection->redis =
		occ_redis_connection_new(&connection->settings, fake_connect);
	assert_non_null(connection->redis);
	return connection;
}

static bool take_size(void *context, uint64_t size)
{
	(void)context;
	(void)size;
	return true;
}

static bool take(void *context, struct occ_span bytes)
{
	occ_buffer_append(context, bytes.data, bytes.size);
	return true;
}

static enum occ_remote_result get(struct occ_backend_connection *connection,
				  struct occ_buffer *ret_value,
				  struct occ_backend_error *ret_error)
{
	const struct occ_value_sink sink = {.size = take_size,
					    .take = take,
					    .context = ret_value};

	return occ_backend_redis.get(connection, key, &sink, ret_error);
}

static void end(struct occ_backend_connection *connection)
{
	occ_backend_redis.close(connection);
	assert_int_equal(fake.open, 0);
	fake_reset();
}

static void read_settings(struct occ_storage_options options,
			  struct occ_redis_settings *ret_settings)
{
	struct occ_backend_error error;

	assert_true(occ_redis_settings_read(&options, ret_settings, &error));
}

static void expect_refused(struct occ_storage_options options,
			   const char *message)
{
	struct occ_redis_settings settings;
	struct occ_backend_error error = {{0}, false};

	assert_false(occ_redis_settings_read(&options, &settings, &error));
	assert_non_null(strstr(error.message, message));
	assert_true(error.is_fatal);
}

static void test_urls(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_redis_settings settings;

	(void)state;
	read_settings(options, &settings);
	assert_string_equal(settings.address.host, "cache.example.org");
	assert_int_equal(settings.address.port, 6379);
	assert_false(settings.address.tls);
	assert_string_equal(settings.prefix, "ccache");
	assert_null(settings.user);
	assert_null(settings.password);
	assert_int_equal(settings.database, 0);
	options.scheme = (char *)"rediss";
	options.port = 7000;
	options.path = (char *)"/12";
	options.user = (char *)"reader";
	options.password = (char *)"secret";
	read_settings(options, &settings);
	assert_true(settings.address.tls);
	assert_int_equal(settings.address.port, 7000);
	assert_int_equal(settings.database, 12);
	assert_string_equal(settings.user, "reader");
	assert_string_equal(settings.password, "secret");
	options.password = NULL;
	read_settings(options, &settings);
	assert_null(settings.user);
	assert_string_equal(settings.password, "reader");
}

static void test_urls_of_sockets(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_redis_settings settings;

	(void)state;
	options.scheme = (char *)"redis+unix";
	options.host = (char *)"";
	options.path = (char *)"/run/redis.socket";
	options.query = (char *)"db=3";
	read_settings(options, &settings);
	assert_string_equal(settings.address.socket, "/run/redis.socket");
	assert_int_equal(settings.database, 3);
	options.host = (char *)"example.org";
	expect_refused(options, "localhost");
	options.host = (char *)"localhost";
	options.path = (char *)"run/redis.socket";
	expect_refused(options, "absolute");
}

static void test_attributes(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_redis_settings settings;
	struct occ_storage_attribute attributes[] = {
		{(char *)"prefix", (char *)"team"},
		{(char *)"ttl", (char *)"3600"},
		{(char *)"db", (char *)"2"},
		{(char *)"user", (char *)"writer"},
	};

	(void)state;
	options.attributes = attributes;
	options.attribute_count = 4;
	read_settings(options, &settings);
	assert_string_equal(settings.prefix, "team");
	assert_int_equal(settings.ttl_s, 3600);
	assert_int_equal(settings.database, 2);
	assert_string_equal(settings.user, "writer");
	attributes[1].value = (char *)"1h";
	expect_refused(options, "ttl");
	attributes[1].value = (char *)"-1";
	expect_refused(options, "ttl");
	attributes[1].value = (char *)"99999999999999999999";
	expect_refused(options, "ttl");
	attributes[1].value = (char *)"1";
	attributes[0].value = (char *)"two words";
	expect_refused(options, "prefix");
	attributes[0].value = (char *)"";
	expect_refused(options, "prefix");
	attributes[0].value = (char *)"x";
	options.path = (char *)"/kernels";
	expect_refused(options, "database");
}

/* Names are ccache's: a server can be shared with it. */
static void test_commands(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_buffer value = OCC_BUFFER_INIT;
	struct occ_backend_error error;
	const struct occ_span two = {(const unsigned char *)"a\n", 2};

	(void)state;
	script(0, NAME_REPLY "$3\r\n\r\n\n\r\n$-1\r\n+OK\r\n$-1\r\n+OK\r\n"
			     ":1\r\n:0\r\n:1\r\n");
	assert_int_equal(get(connection, &value, &error), OCC_REMOTE_OK);
	assert_int_equal(value.size, 3);
	assert_memory_equal(value.data, "\r\n\n", 3);
	occ_buffer_release(&value);
	assert_true(was_sent("*2\r\n$3\r\nGET\r\n$13\r\nccache:01abff\r\n"));
	assert_int_equal(get(connection, &value, &error), OCC_REMOTE_NOOP);
	assert_int_equal(occ_backend_redis.put(connection, key, false, two,
					       &error),
			 OCC_REMOTE_OK);
	assert_true(was_sent("*4\r\n$3\r\nSET\r\n$13\r\nccache:01abff\r\n"
			     "$2\r\na\n\r\n$2\r\nNX\r\n"));
	assert_int_equal(occ_backend_redis.put(connection, key, false, two,
					       &error),
			 OCC_REMOTE_NOOP);
	assert_int_equal(occ_backend_redis.put(connection, key, true, two,
					       &error),
			 OCC_REMOTE_OK);
	assert_true(was_sent("*3\r\n$3\r\nSET\r\n"));
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_OK);
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_NOOP);
	assert_int_equal(occ_backend_redis.remove(connection, key, &error),
			 OCC_REMOTE_OK);
	assert_int_equal(fake.connections, 1);
	end(connection);
}

/* What the server has isn't sent, if it is large. */
static void test_large_value_is_asked_for(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_backend_error error;
	const struct occ_span value = {calloc(1, 100000), 100000};

	(void)state;
	script(0, NAME_REPLY ":1\r\n:0\r\n+OK\r\n");
	assert_int_equal(occ_backend_redis.put(connection, key, false, value,
					       &error),
			 OCC_REMOTE_NOOP);
	assert_true(fake.sent.size < value.size);
	assert_int_equal(occ_backend_redis.put(connection, key, false, value,
					       &error),
			 OCC_REMOTE_OK);
	assert_true(fake.sent.size > value.size);
	end(connection);
	free((void *)value.data);
}

static void test_ttl(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_storage_attribute ttl = {(char *)"ttl", (char *)"60"};
	struct occ_backend_connection *connection;
	struct occ_backend_error error;

	(void)state;
	options.attributes = &ttl;
	options.attribute_count = 1;
	connection = connection_of(&options);
	script(0, NAME_REPLY "+OK\r\n");
	assert_int_equal(occ_backend_redis.put(connection, key, false, key,
					       &error),
			 OCC_REMOTE_OK);
	assert_true(was_sent("$2\r\nNX\r\n$2\r\nEX\r\n$2\r\n60\r\n"));
	end(connection);
}

/* Replies may come in any pieces. */
static void test_pieces(void **state)
{
	static const char replies[] = NAME_REPLY "$12\r\nhello\r\nworld\r\n";
	struct occ_storage_options options = plain_options();
	struct occ_backend_error error;

	(void)state;
	for (size_t piece = 1; piece < sizeof(replies); piece++) {
		struct occ_backend_connection *connection =
			connection_of(&options);
		struct occ_buffer value = OCC_BUFFER_INIT;

		script(0, replies);
		fake.piece = piece;
		assert_int_equal(get(connection, &value, &error),
				 OCC_REMOTE_OK);
		assert_int_equal(value.size, 12);
		assert_memory_equal(value.data, "hello\r\nworld", 12);
		occ_buffer_release(&value);
		end(connection);
	}
}

/* What a server says without being asked is nobody's answer. */
static void test_answer_before_the_question(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_backend_error error;

	(void)state;
	script(0, NAME_REPLY ":1\r\n:1\r\n");
	script(1, NAME_REPLY ":0\r\n");
	fake.piece = strlen(NAME_REPLY);
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_OK);
	fake.piece = 1;
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_NOOP);
	assert_int_equal(fake.connections, 2);
	end(connection);
}

static void expect_get_error(const char *reply, bool stalls, const char *text)
{
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_backend_error error = {{0}, false};
	struct occ_buffer value = OCC_BUFFER_INIT;
	char whole[256];

	snprintf(whole, sizeof(whole), NAME_REPLY "%s", reply);
	script(0, whole);
	fake.scripts[0].stalls = stalls;
	assert_int_equal(get(connection, &value, &error), OCC_REMOTE_ERROR);
	if (!strstr(error.message, text))
		print_error("%s: %s\n", reply, error.message);
	assert_non_null(strstr(error.message, text));
	occ_buffer_release(&value);
	end(connection);
}

/* Of every prefix of a reply nothing is taken for "not there". */
static void test_torn_replies(void **state)
{
	static const char *const replies[] = {"$5\r\nhello\r\n", "$-1\r\n",
					      "$0\r\n\r\n"};
	char part[32];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t size = 0; size < strlen(replies[i]); size++) {
			snprintf(part, sizeof(part), "%.*s", (int)size,
				 replies[i]);
			expect_get_error(part, false, "closed the connection");
			expect_get_error(part, true, "in time");
		}
}

static void test_strange_replies(void **state)
{
	(void)state;
	expect_get_error("*2\r\n$1\r\na\r\n$1\r\nb\r\n", true,
			 "that of a Redis server");
	expect_get_error("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"
			 "*1\r\n*1\r\n:1\r\n",
			 true, "that of a Redis server");
	expect_get_error("*2147483647\r\n", true, "that of a Redis server");
	expect_get_error("*4294967297\r\n", true, "that of a Redis server");
	expect_get_error("*0\r\n", true, "that of a Redis server");
	expect_get_error("HTTP/1.1 400 Bad Request\r\n\r\n", true,
			 "that of a Redis server");
	expect_get_error("$-2\r\n", true, "that of a Redis server");
	expect_get_error("$99999999999999999999\r\nx", true,
			 "that of a Redis server");
	expect_get_error("$x\r\n", true, "that of a Redis server");
	expect_get_error("%1\r\n+a\r\n+b\r\n", true, "that of a Redis server");
	expect_get_error(":1\r\n", true, "doesn't match the command");
	expect_get_error("+OK\r\n", true, "doesn't match the command");
	/* Nobody waits for, or makes room for, what is promised. */
	expect_get_error("$9223372036854775806\r\nx", true, "in time");
}

/* Longer than any reply may be: it isn't read to its end. */
static void test_large_reply(void **state)
{
	struct occ_redis_reader *reader = occ_redis_reader_new();
	struct occ_backend_error error;
	struct occ_redis_transport *transport;
	struct occ_redis_reply reply = {0};
	struct occ_redis_time time = {0, 0};

	(void)state;
	script(0, "$30\r\n123456789012345678901234567890\r\n");
	fake.piece = 1;
	transport = fake_connect(NULL, 0, &error);
	assert_int_equal(occ_redis_reply_read(reader, transport, &time, 20,
					      &reply),
			 OCC_REDIS_READ_LARGE);
	assert_int_equal(((struct fake_transport *)transport)->at, 21);
	occ_redis_reply_release(&reply);
	occ_redis_reader_free(reader);
	transport->close(transport);
	fake_reset();
}

/* Who goes on and on ends, too. */
static void test_time(void **state)
{
	uint64_t now = occ_storage_now();
	const struct occ_redis_time enough = {now + 3600000, 1000};
	const struct occ_redis_time little = {now + 10, 3600000};

	(void)state;
	assert_true(occ_redis_time_next(&enough) < enough.end);
	assert_true(occ_redis_time_next(&enough) >= now + 1000);
	assert_true(occ_redis_time_next(&little) == little.end);
}

static void test_server_errors(void **state)
{
	(void)state;
	expect_get_error("-LOADING Redis is loading the dataset\r\n", true,
			 "still loading");
	expect_get_error("-MOVED 3999 127.0.0.1:6381\r\n", true, "cluster");
	expect_get_error("-NOAUTH Authentication required.\r\n", true,
			 "requires a password");
	expect_get_error("-OOM command not allowed\r\n", true,
			 "memory is full");
	expect_get_error("-READONLY You can't write\r\n", true,
			 "accept writes");
	expect_get_error("-ERR some\ttext\r\n", true,
			 "the server says: ERR some?text");
	expect_get_error("-ERR unknown command 'GET', with args beginning "
			 "with: 'ccache:01abff'\r\n",
			 true, "the server says: ERR unknown command 'GET'");
	expect_get_error("-\r\n", true, "the server says");
}

static void explain(const char *reply, bool is_secret,
		    struct occ_backend_error *ret_error)
{
	occ_redis_explain((struct occ_span){(const unsigned char *)reply,
					    strlen(reply)},
			  is_secret, ret_error);
}

static void test_secrets_are_not_shown(void **state)
{
	struct occ_backend_error error;

	(void)state;
	explain("ERR unknown command 'AUTH', with args beginning with: 'hush'",
		false, &error);
	assert_null(strstr(error.message, "hush"));
	explain("ERR hush", true, &error);
	assert_null(strstr(error.message, "hush"));
	assert_non_null(strstr(error.message, "(ERR)"));
	assert_true(error.is_fatal);
	explain("HUSH", true, &error);
	assert_true(error.is_fatal);
	explain("hush", true, &error);
	assert_null(strstr(error.message, "hush"));
}

static void test_password(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection;
	struct occ_backend_error error;

	(void)state;
	options.user = (char *)"reader";
	options.password = (char *)"hush";
	options.path = (char *)"/5";
	connection = connection_of(&options);
	script(0, "-WRONGPASS invalid username-password pair\r\n");
	script(1, "+OK\r\n-NOPERM this user has no permissions\r\n+OK\r\n"
		  ":1\r\n");
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_ERROR);
	assert_true(error.is_fatal);
	assert_non_null(strstr(error.message, "WRONGPASS"));
	assert_int_equal(fake.open, 0);
	assert_false(was_sent("EXISTS"));
	/* That it may not have a name is no failure. */
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_OK);
	assert_true(was_sent("*3\r\n$4\r\nAUTH\r\n$6\r\nreader\r\n"
			     "$4\r\nhush\r\n*3\r\n$6\r\nCLIENT\r\n"));
	assert_true(was_sent("*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n"));
	end(connection);
}

/* As found before the command is sent, and after. */
static void test_closed_while_kept(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_backend_error error;

	(void)state;
	script(0, NAME_REPLY ":1\r\n");
	fake.scripts[0].dead_at = fake.scripts[0].size;
	script(1, NAME_REPLY ":1\r\n");
	fake.scripts[1].stalls = false;
	script(2, NAME_REPLY ":0\r\n");
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_OK);
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_OK);
	assert_int_equal(fake.connections, 2);
	assert_false(occ_redis_connection_repeated(connection->redis));
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_NOOP);
	assert_int_equal(fake.connections, 3);
	assert_true(occ_redis_connection_repeated(connection->redis));
	end(connection);
}

/* One that was just made isn't tried again, nor is an answer that was torn. */
static void test_tries_once(void **state)
{
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_backend_error error;

	(void)state;
	script(0, NAME_REPLY);
	fake.scripts[0].stalls = false;
	script(1, NAME_REPLY ":1\r\n:");
	fake.scripts[1].stalls = false;
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_ERROR);
	assert_int_equal(fake.connections, 1);
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_OK);
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_ERROR);
	assert_int_equal(fake.connections, 2);
	/* Nobody listens. */
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_ERROR);
	assert_string_equal(error.message, "refused");
	assert_int_equal(fake.connections, 3);
	end(connection);
}

static void test_leases(void **state)
{
	const unsigned char token[16] = {1, 2, 255};
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_backend_error error;

	(void)state;
	script(0, NAME_REPLY "+OK\r\n$-1\r\n:0\r\n$-1\r\n:1\r\n"
			     ":1\r\n:0\r\n:1\r\n");
	assert_int_equal(occ_backend_redis.lease(connection, key, token, 15000,
						 &error),
			 OCC_REMOTE_OK);
	assert_true(was_sent("*6\r\n$3\r\nSET\r\n$19\r\nccache:01abff:lease\r\n"
			     "$32\r\n0102ff00000000000000000000000000\r\n"
			     "$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n15000\r\n"));
	assert_int_equal(occ_backend_redis.lease(connection, key, token, 15000,
						 &error),
			 OCC_REMOTE_NOOP);
	/* Whose holder gave nothing is open. */
	assert_int_equal(occ_backend_redis.lease(connection, key, token, 15000,
						 &error),
			 OCC_REMOTE_OK);
	assert_int_equal(occ_backend_redis.renew(connection, key, token, 15000,
						 &error),
			 OCC_REMOTE_OK);
	assert_int_equal(occ_backend_redis.release(connection, key, token,
						   false, &error),
			 OCC_REMOTE_NOOP);
	assert_int_equal(occ_backend_redis.release(connection, key, token, true,
						   &error),
			 OCC_REMOTE_OK);
	end(connection);
}

/* The first of two requests took it, and its answer was lost. */
static void test_lease_taken_twice(void **state)
{
	const unsigned char token[16] = {1};
	struct occ_storage_options options = plain_options();
	struct occ_backend_connection *connection = connection_of(&options);
	struct occ_backend_error error;

	(void)state;
	script(0, NAME_REPLY ":1\r\n");
	fake.scripts[0].stalls = false;
	script(1, NAME_REPLY "$-1\r\n:1\r\n");
	assert_int_equal(occ_backend_redis.exists(connection, key, &error),
			 OCC_REMOTE_OK);
	assert_int_equal(occ_backend_redis.lease(connection, key, token, 15000,
						 &error),
			 OCC_REMOTE_OK);
	end(connection);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_urls_of_sockets),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_large_value_is_asked_for),
		cmocka_unit_test(test_ttl),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_answer_before_the_question),
		cmocka_unit_test(test_torn_replies),
		cmocka_unit_test(test_strange_replies),
		cmocka_unit_test(test_large_reply),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_server_errors),
		cmocka_unit_test(test_secrets_are_not_shown),
		cmocka_unit_test(test_password),
		cmocka_unit_test(test_closed_while_kept),
		cmocka_unit_test(test_tries_once),
		cmocka_unit_test(test_leases),
		cmocka_unit_test(test_lease_taken_twice),
	};

	fake_reset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
