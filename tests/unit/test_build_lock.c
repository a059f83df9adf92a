/* SPDX-License-Identifier: MIT */
/*
 * Processes that wait for each other. A peer is a child process that does as it
 * is told; the test's own process is the other one.
 */
#include "tests/unit/fixture.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "cache/build_lock.h"

/* As long as a test may take, in s: for what must not be waited for. */
#define LONG 60

enum order {
	ENTER = 'e', /* answers with the result */
	LEAVE = 'l',
	AGAIN = 'a',  /* leaves and enters, over and over, until killed */
	BURN = 'b',   /* computes until killed */
	CLOSE = 'c',  /* closes all descriptors but its pipes */
	FORK = 'f',   /* forks a child that lives on; answers with its pid */
	CLONE = 'r',  /* the same without telling the gate */
	WANTED = 'w', /* answers whether anybody waits */
};

struct peer {
	pid_t pid;
	int to, from;
	struct occ_build_lock *gate;
	struct occ_digest key;
};

static struct occ_digest key_of(unsigned char number)
{
	struct occ_digest key = {{number, 1, 2, 3, 4, 5, 6, 7}};

	return key;
}

static uint64_t in_seconds(uint64_t seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec + seconds) * 1000000000u +
	       (uint64_t)now.tv_nsec;
}

static int enter(struct occ_build_lock *gate, const struct occ_digest *key)
{
	return (int)occ_build_lock_enter(gate, key, in_seconds(LONG));
}

static int live_on(struct peer *peer, bool tell)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, 0);
	if (tell)
		occ_build_lock_forked(peer->gate);
	for (;;)
		pause();
}

static void close_all(const struct peer *peer)
{
	for (int i = 3; i < 256; i++)
		if (i != peer->to && i != peer->from)
			close(i);
}

static int obey(struct peer *peer, char order)
{
	switch ((enum order)order) {
	case ENTER:
		return enter(peer->gate, &peer->key);
	case LEAVE:
		occ_build_lock_leave(peer->gate, &peer->key);
		return 0;
	case AGAIN:
		for (;;) {
			occ_build_lock_leave(peer->gate, &peer->key);
			if (enter(peer->gate, &peer->key) !=
			    OCC_BUILD_LOCK_MINE)
				_exit(1);
		}
	case BURN:
		for (;;)
			;
	case CLOSE:
		close_all(peer);
		return 0;
	case FORK:
		return live_on(peer, true);
	case CLONE:
		return live_on(peer, false);
	case WANTED:
		return occ_build_lock_wanted(peer->gate, &peer->key);
	}
	return -1;
}

static void run_peer(struct peer *peer)
{
	char order;
	int answer;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(peer->to, &order, 1) == 1) {
		answer = obey(peer, order);
		if (write(peer->from, &answer, sizeof(answer)) !=
		    sizeof(answer))
			break;
	}
	_exit(0);
}

static void start(struct fixture *fixture, struct peer *peer,
		  unsigned char number)
{
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	peer->gate = occ_build_lock_new(fixture->path, false);
	assert_non_null(peer->gate);
	peer->key = key_of(number);
	peer->pid = fork();
	assert_true(peer->pid >= 0);
	peer->to = peer->pid ? to[1] : to[0];
	peer->from = peer->pid ? from[0] : from[1];
	close(peer->pid ? to[0] : to[1]);
	close(peer->pid ? from[1] : from[0]);
	if (!peer->pid)
		run_peer(peer);
}

static void tell(struct peer *peer, enum order order)
{
	char byte = (char)order;

	assert_int_equal(write(peer->to, &byte, 1), 1);
}

static int answer(struct peer *peer)
{
	int result = -1;

	assert_int_equal(read(peer->from, &result, sizeof(result)),
			 sizeof(result));
	return result;
}

static int ask(struct peer *peer, enum order order)
{
	tell(peer, order);
	return answer(peer);
}

static void stop(struct peer *peer)
{
	kill(peer->pid, SIGKILL);
	kill(peer->pid, SIGCONT);
	waitpid(peer->pid, NULL, 0);
	close(peer->to);
	close(peer->from);
	occ_build_lock_free(peer->gate);
}

/* Kills it as soon as somebody waits for it. */
static void *kill_when_wanted(void *data)
{
	struct peer *peer = data;

	while (!ask(peer, WANTED))
		usleep(1000);
	kill(peer->pid, SIGKILL);
	waitpid(peer->pid, NULL, 0);
	return NULL;
}

static void *leave_when_wanted(void *data)
{
	struct peer *peer = data;

	while (!ask(peer, WANTED))
		usleep(1000);
	ask(peer, LEAVE);
	return NULL;
}

static void *stop_when_wanted(void *data)
{
	struct peer *peer = data;

	while (!ask(peer, WANTED))
		usleep(1000);
	kill(peer->pid, SIGSTOP);
	return NULL;
}

/* The result of entering while `meanwhile` does something to the peer. */
static int enter_while(struct peer *peer, void *(*meanwhile)(void *))
{
	struct occ_build_lock *gate = peer->gate;
	pthread_t thread;
	int result;

	assert_int_equal(pthread_create(&thread, NULL, meanwhile, peer), 0);
	result = enter(gate, &peer->key);
	pthread_join(thread, NULL);
	return result;
}

static void test_gate__nobody_there(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate = occ_build_lock_new(fixture->path, false);
	struct occ_digest key = key_of(1);

	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_MINE);
	assert_false(occ_build_lock_wanted(gate, &key));
	occ_build_lock_leave(gate, &key);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(gate, &key);
	assert_int_equal(fixture_status(fixture, "oclcache.lock").st_size, 0);
	assert_int_equal(fixture_status(fixture, "oclcache.lock").st_mode &
				 0777,
			 0600);
	occ_build_lock_free(gate);
}

static void test_gate__no_descriptor_is_kept(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate = occ_build_lock_new(fixture->path, false);
	struct occ_digest key = key_of(1);
	int before = dup(0), after;

	close(before);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(gate, &key);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
	occ_build_lock_free(gate);
}

static void test_gate__waits_until_done(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter_while(&peer, leave_when_wanted),
			 OCC_BUILD_LOCK_DONE);
	/* Nothing is ours then. */
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(ask(&peer, WANTED), false);
	stop(&peer);
}

static void test_gate__other_keys_are_free(void **state)
{
	struct occ_digest other = key_of(2);
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter(peer.gate, &other), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(peer.gate, &other);
	stop(&peer);
}

/* A descriptor for all keys: leaving one must not let go of another. */
static void test_gate__two_at_once(void **state)
{
	struct occ_digest other = key_of(2);
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(enter(peer.gate, &peer.key), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter(peer.gate, &other), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(peer.gate, &other);
	tell(&peer, ENTER);
	while (!occ_build_lock_wanted(peer.gate, &peer.key))
		usleep(1000);
	occ_build_lock_leave(peer.gate, &peer.key);
	assert_int_equal(answer(&peer), OCC_BUILD_LOCK_DONE);
	stop(&peer);
}

static void test_gate__killed(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter_while(&peer, kill_when_wanted),
			 OCC_BUILD_LOCK_DIED);
	assert_int_equal(enter(peer.gate, &peer.key), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(peer.gate, &peer.key);
	stop(&peer);
}

static void test_gate__stopped(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter_while(&peer, stop_when_wanted),
			 OCC_BUILD_LOCK_IDLE);
	stop(&peer);
}

static void test_gate__asleep(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter(peer.gate, &peer.key), OCC_BUILD_LOCK_IDLE);
	stop(&peer);
}

/* Longer than who does nothing is waited for. */
static void test_gate__slow_but_computing(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	tell(&peer, BURN);
	assert_int_equal(occ_build_lock_enter(peer.gate, &peer.key,
					      in_seconds(1)),
			 OCC_BUILD_LOCK_IDLE);
	if (!fork()) {
		sleep(4);
		kill(peer.pid, SIGKILL);
		_exit(0);
	}
	assert_int_equal(enter(peer.gate, &peer.key), OCC_BUILD_LOCK_DIED);
	wait(NULL);
	stop(&peer);
}

static void test_gate__deadline_in_the_past(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(occ_build_lock_enter(peer.gate, &peer.key, 0),
			 OCC_BUILD_LOCK_IDLE);
	stop(&peer);
}

/* One who makes it anew is another one, even when there was no gap to see. */
static void test_gate__made_over_and_over(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	tell(&peer, AGAIN);
	for (int i = 0; i < 20; i++) {
		int result = enter(peer.gate, &peer.key);

		assert_true(result == OCC_BUILD_LOCK_DONE ||
			    result == OCC_BUILD_LOCK_MINE);
		if (result == OCC_BUILD_LOCK_MINE) {
			/* The peer has seen it and ended. */
			occ_build_lock_leave(peer.gate, &peer.key);
			break;
		}
	}
	stop(&peer);
}

static void outlive(struct fixture *fixture, enum order order)
{
	struct peer peer;
	pid_t child;

	start(fixture, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	child = ask(&peer, order);
	assert_int_equal(enter_while(&peer, kill_when_wanted),
			 OCC_BUILD_LOCK_DIED);
	assert_int_equal(kill(child, 0), 0);
	assert_int_equal(enter(peer.gate, &peer.key), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(peer.gate, &peer.key);
	kill(child, SIGKILL);
	stop(&peer);
}

static void test_gate__a_forked_child_has_nothing(void **state)
{
	outlive(*state, FORK);
}

static void test_gate__nor_one_that_isnt_told(void **state)
{
	outlive(*state, CLONE);
}

/* The child has none of it, but may begin anew. */
static void test_gate__a_forked_child_begins_anew(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate = occ_build_lock_new(fixture->path, false);
	struct occ_digest key = key_of(1), other = key_of(2);
	int status = -1;
	pid_t child;

	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_MINE);
	child = fork();
	if (!child) {
		occ_build_lock_forked(gate);
		if (enter(gate, &other) != OCC_BUILD_LOCK_MINE)
			_exit(1);
		occ_build_lock_leave(gate, &other);
		_exit(occ_build_lock_enter(gate, &key, 0) !=
		      OCC_BUILD_LOCK_IDLE);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	occ_build_lock_leave(gate, &key);
	occ_build_lock_free(gate);
}

static int descriptor_of_gate(void)
{
	static const char name[] = "/oclcache.lock";
	char link[64], path[PATH_MAX];

	for (int file = 3; file < 256; file++) {
		ssize_t size;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
		size = readlink(link, path, sizeof(path) - 1);
		path[size > 0 ? size : 0] = '\0';
		if (strstr(path, name))
			return file;
	}
	fail_msg("it has none");
	return -1;
}

static void test_gate__descriptors_closed_by_the_application(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate = occ_build_lock_new(fixture->path, false);
	struct occ_digest key = key_of(1);
	struct stat status;
	int taken;

	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_MINE);
	/* What was the gate's is the application's now. */
	taken = descriptor_of_gate();
	assert_int_equal(dup2(0, taken), taken);
	occ_build_lock_leave(gate, &key);
	assert_int_equal(fstat(taken, &status), 0);
	close(taken);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(gate, &key);
	occ_build_lock_free(gate);
}

/* As another process sees it. */
static bool is_locked(int file)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(!(!fcntl(file, F_GETLK, &lock) && !lock.l_start &&
			!lock.l_len && lock.l_type == F_WRLCK));
	waitpid(child, &status, 0);
	return !status;
}

/* Its locks, wherever they are, stay as they are. */
static void test_gate__descriptor_taken_by_the_application(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate = occ_build_lock_new(fixture->path, false);
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct occ_digest key = key_of(1), other = key_of(2);
	int own = memfd_create("own", 0), taken;

	assert_true(own >= 0);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter(gate, &other), OCC_BUILD_LOCK_MINE);
	taken = descriptor_of_gate();
	assert_int_equal(dup2(own, taken), taken);
	close(own);
	assert_int_equal(fcntl(taken, F_SETLK, &all), 0);
	assert_true(is_locked(taken));
	assert_false(occ_build_lock_wanted(gate, &key));
	occ_build_lock_leave(gate, &key);
	assert_true(is_locked(taken));
	occ_build_lock_leave(gate, &other);
	occ_build_lock_free(gate);
	assert_true(is_locked(taken));
	close(taken);
}

static void test_gate__file_of_another_user(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate = occ_build_lock_new(fixture->path, false);
	struct occ_digest key = key_of(1);

	if (geteuid())
		skip();
	fixture_write(fixture, "oclcache.lock", "", 0);
	assert_int_equal(fchownat(fixture->directory, "oclcache.lock", 12345,
				  (gid_t)-1, 0),
			 0);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_NO_LOCK);
	occ_build_lock_free(gate);
}

/* Whoever waited has lost no more than his wait. */
static void test_gate__maker_loses_his_descriptor(void **state)
{
	struct peer peer;

	start(*state, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	ask(&peer, CLOSE);
	assert_int_equal(enter(peer.gate, &peer.key), OCC_BUILD_LOCK_MINE);
	occ_build_lock_leave(peer.gate, &peer.key);
	assert_int_equal(ask(&peer, LEAVE), 0);
	stop(&peer);
}

static void *delete_when_wanted(void *data)
{
	struct peer *peer = data;

	while (!ask(peer, WANTED))
		usleep(1000);
	/* The name leads elsewhere; who waits still waits for the same. */
	unlink("oclcache.lock");
	close(open("oclcache.lock", O_WRONLY | O_CREAT, 0600));
	ask(peer, LEAVE);
	return NULL;
}

static void test_gate__file_replaced_meanwhile(void **state)
{
	struct fixture *fixture = *state;
	struct peer peer;

	assert_int_equal(chdir(fixture->path), 0);
	start(fixture, &peer, 1);
	assert_int_equal(ask(&peer, ENTER), OCC_BUILD_LOCK_MINE);
	assert_int_equal(enter_while(&peer, delete_when_wanted),
			 OCC_BUILD_LOCK_DONE);
	assert_int_equal(enter(peer.gate, &peer.key), OCC_BUILD_LOCK_MINE);
	assert_int_equal(chdir("/"), 0);
	stop(&peer);
}

static void test_gate__no_file_to_be_had(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate =
		occ_build_lock_new("/dev/null/nowhere", true);
	struct occ_digest key = key_of(1);

	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_NO_LOCK);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_NO_LOCK);
	occ_build_lock_free(gate);
	assert_int_equal(mkdirat(fixture->directory, "oclcache.lock", 0700), 0);
	gate = occ_build_lock_new(fixture->path, false);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_NO_LOCK);
	occ_build_lock_free(gate);
}

static void test_gate__a_link_isnt_followed(void **state)
{
	struct fixture *fixture = *state;
	struct occ_build_lock *gate = occ_build_lock_new(fixture->path, false);
	struct occ_digest key = key_of(1);

	fixture_write(fixture, "other", "", 0);
	assert_int_equal(symlinkat("other", fixture->directory,
				   "oclcache.lock"),
			 0);
	assert_int_equal(enter(gate, &key), OCC_BUILD_LOCK_NO_LOCK);
	occ_build_lock_free(gate);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_gate__nobody_there),
		TEST(test_gate__no_descriptor_is_kept),
		TEST(test_gate__waits_until_done),
		TEST(test_gate__other_keys_are_free),
		TEST(test_gate__two_at_once),
		TEST(test_gate__killed),
		TEST(test_gate__stopped),
		TEST(test_gate__asleep),
		TEST(test_gate__slow_but_computing),
		TEST(test_gate__deadline_in_the_past),
		TEST(test_gate__made_over_and_over),
		TEST(test_gate__a_forked_child_has_nothing),
		TEST(test_gate__nor_one_that_isnt_told),
		TEST(test_gate__a_forked_child_begins_anew),
		TEST(test_gate__descriptors_closed_by_the_application),
		TEST(test_gate__descriptor_taken_by_the_application),
		TEST(test_gate__file_of_another_user),
		TEST(test_gate__maker_loses_his_descriptor),
		TEST(test_gate__file_replaced_meanwhile),
		TEST(test_gate__no_file_to_be_had),
		TEST(test_gate__a_link_isnt_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
