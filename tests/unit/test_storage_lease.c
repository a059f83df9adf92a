/* SPDX-License-Identifier: MIT */
/*
 * storage/lease.h, with a server that is a table here, and processes that
 * compute, sleep, stop and end.
 */
#include "tests/unit/fixture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>

#include "storage/clock.h"
#include "storage/lease.h"
#include "storage/options.h"

/* As long as a test may take, in ms: for what must not be waited for. */
#define LONG	 60000

/* Of leases, in s: those that mustn't end, that are renewed, and that end. */
#define FOR_LONG "600"
#define RENEWED	 "3"
#define SHORT	 "1"

static const struct occ_span key = {(const unsigned char *)"key", 3};

/* The server: one lease, whoever's, and what it was asked. */
static struct {
	pthread_mutex_t lock;
	bool is_down;
	bool is_taken;
	unsigned char token[16];
	unsigned leases, renewals, releases, gave_nothing, open;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct occ_backend_connection *server_open(
	const struct occ_storage_options *options)
{
	(void)options;
	pthread_mutex_lock(&server.lock);
	server.open++;
	pthread_mutex_unlock(&server.lock);
	return (struct occ_backend_connection *)&server;
}

static void server_close(struct occ_backend_connection *connection)
{
	(void)connection;
	pthread_mutex_lock(&server.lock);
	server.open--;
	pthread_mutex_unlock(&server.lock);
}

static enum occ_remote_result server_lease(
	struct occ_backend_connection *connection, struct occ_span of,
	const unsigned char token[16], unsigned milliseconds,
	struct occ_backend_error *ret_error)
{
	enum occ_remote_result result = OCC_REMOTE_NOOP;

	(void)connection;
	(void)milliseconds;
	assert_true(occ_span_equal(of, key));
	pthread_mutex_lock(&server.lock);
	server.leases++;
	if (server.is_down) {
		strcpy(ret_error->message, "down");
		result = OCC_REMOTE_ERROR;
	} else if (!server.is_taken) {
		server.is_taken = true;
		memcpy(server.token, token, sizeof(server.token));
		result = OCC_REMOTE_OK;
	}
	pthread_mutex_unlock(&server.lock);
	return result;
}

static enum occ_remote_result server_answer(const unsigned char token[16],
					    unsigned *asked, bool still_taken)
{
	enum occ_remote_result result = OCC_REMOTE_NOOP;

	pthread_mutex_lock(&server.lock);
	++*asked;
	if (server.is_down) {
		result = OCC_REMOTE_ERROR;
	} else if (server.is_taken && !memcmp(server.token, token, 16)) {
		server.is_taken = still_taken;
		result = OCC_REMOTE_OK;
	}
	pthread_mutex_unlock(&server.lock);
	return result;
}

static enum occ_remote_result server_renew(
	struct occ_backend_connection *connection, struct occ_span of,
	const unsigned char token[16], unsigned milliseconds,
	struct occ_backend_error *ret_error)
{
	(void)connection;
	(void)milliseconds;
	(void)ret_error;
	assert_true(occ_span_equal(of, key));
	return server_answer(token, &server.renewals, true);
}

static enum occ_remote_result server_release(
	struct occ_backend_connection *connection, struct occ_span of,
	const unsigned char token[16], bool gave_nothing,
	struct occ_backend_error *ret_error)
{
	(void)connection;
	(void)ret_error;
	assert_true(occ_span_equal(of, key));
	if (gave_nothing)
		server.gave_nothing++;
	return server_answer(token, &server.releases, false);
}

static const struct occ_backend backend = {
	.open = server_open,
	.close = server_close,
	.lease = server_lease,
	.renew = server_renew,
	.release = server_release,
};

static void set_down(bool is_down)
{
	pthread_mutex_lock(&server.lock);
	server.is_down = is_down;
	pthread_mutex_unlock(&server.lock);
}

static unsigned count_of(const unsigned *counter)
{
	unsigned count;

	pthread_mutex_lock(&server.lock);
	count = *counter;
	pthread_mutex_unlock(&server.lock);
	return count;
}

static bool is_taken(void)
{
	bool taken;

	pthread_mutex_lock(&server.lock);
	taken = server.is_taken;
	pthread_mutex_unlock(&server.lock);
	return taken;
}

static void pause_a_little(void)
{
	struct timespec time = {0, 5000000};

	nanosleep(&time, NULL);
}

/* Until it is free on the server. */
static void await_free(void)
{
	uint64_t end = occ_storage_now() + LONG;

	while (is_taken() && occ_storage_now() < end)
		pause_a_little();
	assert_false(is_taken());
}

static void await_count(const unsigned *counter, unsigned count)
{
	uint64_t end = occ_storage_now() + LONG;

	while (count_of(counter) < count && occ_storage_now() < end)
		pause_a_little();
	assert_true(count_of(counter) >= count);
}

/* Options with a lease-time, that live on. */
static struct occ_storage_options options_of(const char *seconds)
{
	static struct occ_storage_attribute attribute = {(char *)"lease-time",
							 NULL};

	attribute.value = (char *)seconds;
	return (struct occ_storage_options){
		.attributes = &attribute,
		.attribute_count = 1,
		.request_ms = 1000,
	};
}

static struct occ_leases *leases_of(const char *seconds)
{
	struct occ_storage_options options = options_of(seconds);
	struct occ_leases *leases = occ_leases_new(&backend, &options);

	assert_non_null(leases);
	server.is_down = server.is_taken = false;
	server.leases = server.renewals = server.releases = server.open = 0;
	return leases;
}

static void end(struct occ_leases *leases)
{
	occ_leases_free(leases);
	assert_int_equal(server.open, 0);
}

static void compute(clock_t milliseconds)
{
	clock_t until = clock() + milliseconds * (CLOCKS_PER_SEC / 1000);

	while (clock() < until)
		;
}

static pid_t start(bool computes)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!computes)
		pause();
	/* More than a process has to, and little for others' tests. */
	for (;;) {
		compute(20);
		pause_a_little();
		pause_a_little();
	}
}

static void kill_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static enum occ_remote_result take(struct occ_leases *leases, pid_t pid)
{
	struct occ_backend_error error;

	return occ_leases_take(leases, NULL, key, pid, &error);
}

static void test_one_holder(void **state)
{
	struct occ_leases *leases = leases_of(FOR_LONG);
	pid_t one = start(true), other = start(true);

	(void)state;
	assert_int_equal(take(leases, one), OCC_REMOTE_OK);
	assert_int_equal(take(leases, other), OCC_REMOTE_NOOP);
	/* It has it already. Neither asks the server. */
	assert_int_equal(take(leases, one), OCC_REMOTE_OK);
	assert_int_equal(server.leases, 1);
	assert_int_equal(occ_leases_count(leases), 1);
	assert_int_equal(occ_leases_release(leases, key, other),
			 OCC_REMOTE_NOOP);
	assert_int_equal(occ_leases_release(leases, key, one), OCC_REMOTE_OK);
	await_free();
	assert_int_equal(take(leases, other), OCC_REMOTE_OK);
	end(leases);
	/* What ends orderly holds nothing. */
	assert_false(server.is_taken);
	kill_process(one);
	kill_process(other);
}

static void test_holder_ends(void **state)
{
	int file = pidfd_open(getpid(), 0);
	struct occ_leases *leases;
	pid_t pid;

	(void)state;
	if (file < 0 && errno == ENOSYS)
		skip(); /* valgrind 3.19 doesn't know the call */
	close(file);
	leases = leases_of(FOR_LONG);
	pid = start(true);
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	kill_process(pid);
	await_free();
	assert_int_equal(occ_leases_count(leases), 0);
	/* The number of one that is gone. */
	assert_int_equal(take(leases, pid), OCC_REMOTE_NOOP);
	end(leases);
}

static void test_holder_is_stopped(void **state)
{
	struct occ_leases *leases = leases_of(FOR_LONG);
	pid_t pid = start(true);

	(void)state;
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	kill(pid, SIGSTOP);
	await_free();
	end(leases);
	kill_process(pid);
}

static void test_holder_does_nothing(void **state)
{
	struct occ_leases *leases = leases_of(FOR_LONG);
	pid_t pid = start(false);

	(void)state;
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	await_free();
	end(leases);
	kill_process(pid);
}

static void test_is_renewed(void **state)
{
	struct occ_leases *leases = leases_of(RENEWED);
	pid_t pid = start(true);

	(void)state;
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	await_count(&server.renewals, 2);
	assert_true(is_taken());
	assert_int_equal(count_of(&server.releases), 0);
	kill_process(pid);
	await_free();
	end(leases);
}

/* The value is sent first, whatever becomes of the process. */
static void test_put(void **state)
{
	struct occ_leases *leases = leases_of(RENEWED);
	pid_t pid = start(true);
	unsigned renewals;

	(void)state;
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	occ_leases_put_accepted(leases, key);
	assert_int_equal(occ_leases_release(leases, key, pid), OCC_REMOTE_OK);
	kill_process(pid);
	renewals = count_of(&server.renewals);
	await_count(&server.renewals, renewals + 2);
	assert_true(is_taken());
	occ_leases_put_done(leases, key);
	await_free();
	end(leases);
}

/* Also one that was accepted before, or is another's. */
static void test_put_of_another(void **state)
{
	struct occ_leases *leases = leases_of(FOR_LONG);
	pid_t pid = start(true);

	(void)state;
	occ_leases_put_accepted(leases, key);
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	occ_leases_put_done(leases, key);
	await_free();
	occ_leases_put_done(leases, key);
	end(leases);
	kill_process(pid);
}

static void test_server_fails(void **state)
{
	struct occ_leases *leases = leases_of(SHORT);
	pid_t pid = start(true);
	uint64_t until = occ_storage_now() + LONG;
	struct occ_backend_error error = {{0}, false};

	(void)state;
	set_down(true);
	assert_int_equal(occ_leases_take(leases, NULL, key, pid, &error),
			 OCC_REMOTE_ERROR);
	assert_string_equal(error.message, "down");
	set_down(false);
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	set_down(true);
	/* (H5) */
	while (occ_leases_count(leases) && occ_storage_now() < until)
		pause_a_little();
	assert_int_equal(occ_leases_count(leases), 0);
	end(leases);
	kill_process(pid);
}

/* The server gave it to another one: it isn't given back. */
static void test_is_lost(void **state)
{
	struct occ_leases *leases = leases_of(SHORT);
	pid_t pid = start(true);
	uint64_t until = occ_storage_now() + LONG;

	(void)state;
	assert_int_equal(take(leases, pid), OCC_REMOTE_OK);
	pthread_mutex_lock(&server.lock);
	server.token[0] ^= 1;
	pthread_mutex_unlock(&server.lock);
	while (occ_leases_count(leases) && occ_storage_now() < until)
		pause_a_little();
	assert_int_equal(occ_leases_count(leases), 0);
	assert_true(is_taken());
	assert_int_equal(count_of(&server.releases), 0);
	end(leases);
	kill_process(pid);
}

/* One in another container: its end can't be seen. */
static void test_unseen(void **state)
{
	struct occ_leases *leases = leases_of(FOR_LONG);

	(void)state;
	assert_int_equal(take(leases, 0), OCC_REMOTE_OK);
	assert_int_equal(occ_leases_release(leases, key, 0), OCC_REMOTE_OK);
	await_free();
	end(leases);
}

static void test_no_leases(void **state)
{
	static const struct occ_backend without;
	struct occ_storage_options options = options_of("15");
	struct occ_backend_error error;

	(void)state;
	assert_null(occ_leases_new(&without, &options));
	occ_leases_put_accepted(NULL, key);
	occ_leases_put_done(NULL, key);
	assert_int_equal(occ_leases_count(NULL), 0);
	occ_leases_free(NULL);
	assert_true(occ_leases_check(&options, &error));
	options = options_of("0");
	assert_false(occ_leases_check(&options, &error));
	options = options_of("15s");
	assert_false(occ_leases_check(&options, &error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_holder),
		cmocka_unit_test(test_holder_ends),
		cmocka_unit_test(test_holder_is_stopped),
		cmocka_unit_test(test_holder_does_nothing),
		cmocka_unit_test(test_is_renewed),
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_put_of_another),
		cmocka_unit_test(test_server_fails),
		cmocka_unit_test(test_is_lost),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_no_leases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
