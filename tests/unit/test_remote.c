/* SPDX-License-Identifier: MIT */
/*
 * The client of a remote storage helper: what it asks and understands; a helper
 * that goes silent or away at every byte, that lies, trickles, is another
 * user's, or isn't there; and what is given up then. No test depends on how
 * fast it is: what is to be in time has LONG, what is to be too late comes
 * never.
 */
#include "tests/unit/remote_helper.h"

#include <pthread.h>
#include <sys/time.h>

static void test_get(void **state)
{
	static const unsigned char expected[] = "\x00\x0a"
						"0123456789";
	unsigned char bytes[64];
	size_t size = print_value(bytes, 5, "value", 5);
	struct helper_script script = SCRIPT(greeting, bytes);
	struct place place;
	unsigned before = count_descriptors(), after;

	script.answer_size = size;
	begin_with(&place, *state, &script, &generous);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(get(&place), OCC_OK);
		assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_NONE);
		assert_int_equal(place.answer.value.size, 5);
		assert_memory_equal(place.answer.value.data, "value", 5);
		assert_true(place.answer.can_lease && place.answer.can_flush &&
			    place.answer.can_info);
	}
	assert_int_equal(place.helper.view->size, 12);
	assert_memory_equal(place.helper.view->request, expected, 12);
	end(&place);
	after = count_descriptors();
	assert_int_equal(after, before);
}

static void test_empty_value(void **state)
{
	unsigned char bytes[9];
	struct helper_script script = SCRIPT(old_greeting, bytes);
	struct place place;

	print_value(bytes, 0, NULL, 0);
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(get(&place), OCC_OK);
	assert_int_equal(place.answer.value.size, 0);
	assert_false(place.answer.can_lease || place.answer.can_flush);
	end(&place);
}

static void test_large_value(void **state)
{
	unsigned char *bytes = malloc(LARGE + 9), *value = bytes + 9;
	struct helper_script script = SCRIPT(greeting, greeting);
	struct place place;

	for (size_t i = 0; i < LARGE; i++)
		value[i] = (unsigned char)(i * 7 + i / 251);
	script.answer = bytes;
	script.answer_size = print_value(bytes, LARGE, NULL, 0) + LARGE;
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(get(&place), OCC_OK);
	assert_int_equal(place.answer.value.size, LARGE);
	assert_memory_equal(place.answer.value.data, value, LARGE);
	end(&place);
	free(bytes);
}

static void test_not_found(void **state)
{
	static const unsigned char noop[] = {OCC_REMOTE_NOOP};
	struct helper_script script = SCRIPT(greeting, noop);
	struct place place;

	begin_with(&place, *state, &script, &generous);
	/* Again and again: that is no failure. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(get(&place), OCC_E_NOT_FOUND);
	end(&place);
}

static void test_error(void **state)
{
	static const unsigned char error[] = "\x02\x0bserver down";
	struct helper_script script = SCRIPT(greeting, error);
	struct place place;

	script.answer_size = sizeof(error) - 1;
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(get(&place), OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_SERVER);
	assert_string_equal(place.answer.message, "server down");
	/* (R4), for puts as well. */
	assert_int_equal(get(&place), OCC_E_REMOTE_DOWN);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_DOWN);
	assert_int_equal(occ_remote_put(place.remote, key, false, key,
					&place.answer),
			 OCC_E_REMOTE_DOWN);
	assert_int_equal(helper_connections(&place.helper), 1);
	end(&place);
}

static void test_put(void **state)
{
	static const unsigned char ok[] = {OCC_REMOTE_OK};
	unsigned char expected[64] = "\x01\x0a"
				     "0123456789\x01";
	const uint64_t length = 5;
	const struct occ_span value = {(const unsigned char *)"value", 5};
	struct helper_script script = SCRIPT(greeting, ok);
	struct place place;

	memcpy(expected + 13, &length, 8);
	memcpy(expected + 21, "value", 5);
	script.request_size = 26;
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_put(place.remote, key, true, value,
					&place.answer),
			 OCC_OK);
	assert_int_equal(place.helper.view->size, 26);
	assert_memory_equal(place.helper.view->request, expected, 26);
	assert_int_equal(occ_remote_put(place.remote, key, false, value,
					&place.answer),
			 OCC_OK);
	assert_int_equal(place.helper.view->request[12], 0);
	end(&place);
}

static void test_put_exists(void **state)
{
	static const unsigned char noop[] = {OCC_REMOTE_NOOP};
	struct helper_script script = SCRIPT(greeting, noop);
	unsigned char *value = calloc(1, LARGE);
	struct place place;

	script.request_size = 21 + LARGE;
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_put(place.remote, key, false,
					(struct occ_span){value, LARGE},
					&place.answer),
			 OCC_E_EXISTS);
	assert_int_equal(place.helper.view->size, 21 + LARGE);
	end(&place);
	free(value);
}

/* Who may not write may read. */
static void test_put_refused(void **state)
{
	static const unsigned char error[] = {OCC_REMOTE_ERROR, 0};
	struct helper_script script = SCRIPT(greeting, error);
	struct place place;

	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_put(place.remote, key, false, key,
					&place.answer),
			 OCC_E_REMOTE);
	assert_string_equal(place.answer.message, "");
	assert_int_equal(occ_remote_put(place.remote, key, false, key,
					&place.answer),
			 OCC_E_REMOTE_DOWN);
	assert_int_equal(get(&place), OCC_E_REMOTE);
	assert_int_equal(helper_connections(&place.helper), 2);
	end(&place);
}

/* It goes after its greeting: no SIGPIPE. */
static void test_put_into_nothing(void **state)
{
	struct helper_script script = SCRIPT(greeting, greeting);
	unsigned char *value = calloc(1, LARGE);
	struct place place;

	script.is_deaf = true;
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_put(place.remote, key, false,
					(struct occ_span){value, LARGE},
					&place.answer),
			 OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_CLOSED);
	end(&place);
	free(value);
}

static int lease(struct place *place)
{
	return occ_remote_lease(place->remote, key, &place->answer);
}

static int release(struct place *place)
{
	return occ_remote_release(place->remote, key, &place->answer);
}

static int flush(struct place *place)
{
	return occ_remote_flush(place->remote, 7, &place->answer);
}

static void test_ours(void **state)
{
	static const unsigned char ok[] = {OCC_REMOTE_OK};
	struct helper_script script = SCRIPT(greeting, ok);
	uint64_t number;
	struct place place;

	begin_with(&place, *state, &script, &generous);
	assert_int_equal(lease(&place), OCC_OK);
	assert_int_equal(place.helper.view->request[0], 0x80);
	assert_int_equal(release(&place), OCC_OK);
	assert_int_equal(place.helper.view->request[0], 0x81);
	assert_int_equal(flush(&place), OCC_OK);
	assert_int_equal(place.helper.view->request[0], 0x82);
	memcpy(&number, place.helper.view->request + 1, sizeof(number));
	assert_int_equal(number, 7);
	end(&place);
}

static void test_ours_noop(void **state)
{
	static const unsigned char noop[] = {OCC_REMOTE_NOOP};
	struct helper_script script = SCRIPT(greeting, noop);
	struct place place;

	begin_with(&place, *state, &script, &generous);
	assert_int_equal(lease(&place), OCC_E_BUSY);
	assert_int_equal(release(&place), OCC_OK);
	assert_int_equal(flush(&place), OCC_E_BUSY);
	end(&place);
}

/* Another's helper isn't asked what it can't. */
static void test_ours_unknown(void **state)
{
	static const unsigned char noop[] = {OCC_REMOTE_NOOP};
	struct helper_script script = SCRIPT(old_greeting, noop);
	struct place place;

	begin_with(&place, *state, &script, &generous);
	assert_int_equal(lease(&place), OCC_E_NOT_FOUND);
	assert_int_equal(release(&place), OCC_E_NOT_FOUND);
	assert_int_equal(flush(&place), OCC_E_NOT_FOUND);
	assert_int_equal(place.helper.view->size, 0);
	assert_int_equal(get(&place), OCC_E_NOT_FOUND);
	end(&place);
}

static void test_info(void **state)
{
	static const unsigned char info[] = "\x06helper\x02\x03one\x03two";
	struct helper_script script = SCRIPT(greeting, info);
	struct place place;

	script.answer_size = sizeof(info) - 1;
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_info(place.remote, &place.answer), OCC_OK);
	assert_int_equal(place.answer.value.size, 14);
	assert_memory_equal(place.answer.value.data, "helper\none\ntwo", 14);
	end(&place);
}

static void test_stop(void **state)
{
	static const unsigned char ok[] = {OCC_REMOTE_OK};
	struct helper_script script = SCRIPT(greeting, ok);
	struct place place;

	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_stop(place.remote, &place.answer), OCC_OK);
	assert_int_equal(place.helper.view->request[0], 0x03);
	end(&place);
	script.cut = sizeof(greeting) + 1;
	script.answer_size = 0;
	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_stop(place.remote, &place.answer), OCC_OK);
	end(&place);
	/* Nothing to stop. */
	place.remote = occ_remote_new(place.helper.path, &generous);
	assert_int_equal(occ_remote_stop(place.remote, &place.answer),
			 OCC_E_REMOTE);
	occ_remote_free(place.remote);
}

/* The helper closes, or goes silent, behind each byte. */
static void cut_everywhere(void **state, enum helper_end how,
			   const struct occ_remote_budget *budget, size_t from,
			   size_t to, enum occ_remote_fault expected)
{
	unsigned char bytes[64];
	struct helper_script script = SCRIPT(greeting, bytes);
	struct place place;

	script.answer_size = print_value(bytes, 12, "value, value", 12);
	script.end = how;
	for (script.cut = from; script.cut < to; script.cut++) {
		begin_with(&place, *state, &script, budget);
		assert_int_equal(get(&place), OCC_E_REMOTE);
		if (place.answer.fault != expected)
			fail_msg("after %zu bytes: %s", script.cut,
				 occ_remote_fault_text(place.answer.fault));
		assert_null(place.answer.value.data);
		assert_int_equal(get(&place), OCC_E_REMOTE_DOWN);
		end(&place);
	}
}

#define ALL (sizeof(greeting) + 9 + 12)

static void test_closes(void **state)
{
	cut_everywhere(state, HELPER_CLOSES, &generous, 0, ALL,
		       OCC_REMOTE_FAULT_CLOSED);
}

static void test_stalls(void **state)
{
	static const struct occ_remote_budget connect = {SHORT, LONG, LONG};
	static const struct occ_remote_budget wait = {LONG, SHORT, LONG};

	cut_everywhere(state, HELPER_STALLS, &connect, 0, sizeof(greeting),
		       OCC_REMOTE_FAULT_CONNECT);
	cut_everywhere(state, HELPER_STALLS, &wait, sizeof(greeting), ALL,
		       OCC_REMOTE_FAULT_STALL);
}

/* A byte now and then doesn't keep a client: all would take minutes. */
static void test_trickles(void **state)
{
	static const struct occ_remote_budget wait = {LONG, SHORT, LONG};
	static const struct occ_remote_budget connect = {SHORT, LONG, LONG};
	unsigned char bytes[9 + 40000] = {0}, long_greeting[257] = {1, 255};
	struct helper_script script = SCRIPT(greeting, bytes);
	struct place place;

	script.answer_size = print_value(bytes, 40000, NULL, 0) + 40000;
	script.end = HELPER_TRICKLES;
	script.cut = sizeof(greeting);
	begin_with(&place, *state, &script, &wait);
	assert_int_equal(get(&place), OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_STALL);
	end(&place);
	script.greeting = long_greeting;
	script.greeting_size = sizeof(long_greeting);
	script.cut = 0;
	begin_with(&place, *state, &script, &connect);
	assert_int_equal(get(&place), OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_CONNECT);
	end(&place);
}

/* Fast enough doesn't mean for as long as it likes. */
static void test_goes_on(void **state)
{
	static const struct occ_remote_budget wait = {LONG, SHORT, LONG};
	enum { SIZE = 64 << 20 };
	unsigned char *bytes = calloc(1, SIZE + 9);
	struct helper_script script = SCRIPT(greeting, greeting);
	struct place place;

	script.answer = bytes;
	script.answer_size = print_value(bytes, SIZE, NULL, 0) + SIZE;
	script.end = HELPER_PACES;
	script.cut = sizeof(greeting);
	begin_with(&place, *state, &script, &wait);
	assert_int_equal(get(&place), OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_STALL);
	end(&place);
	free(bytes);
}

/* It takes nothing of a value that doesn't fit into the sockets' buffers. */
static void test_put_stalls(void **state)
{
	static const struct occ_remote_budget budget = {LONG, LONG, SHORT};
	struct helper_script script = SCRIPT(greeting, greeting);
	unsigned char *value = calloc(1, LARGE);
	struct place place;

	script.request_size = 1;
	script.cut = sizeof(greeting);
	script.end = HELPER_STALLS;
	begin_with(&place, *state, &script, &budget);
	assert_int_equal(occ_remote_put(place.remote, key, false, key,
					&place.answer),
			 OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_STALL);
	/* Only puts are given up. */
	assert_int_equal(occ_remote_put(place.remote, key, false, key,
					&place.answer),
			 OCC_E_REMOTE_DOWN);
	end(&place);
	script.is_deaf = true;
	begin_with(&place, *state, &script, &budget);
	assert_int_equal(occ_remote_put(place.remote, key, false,
					(struct occ_span){value, LARGE},
					&place.answer),
			 OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_STALL);
	end(&place);
	free(value);
}

static void expect_fault(void **state, const struct helper_script *script,
			 enum occ_remote_fault expected)
{
	struct place place;

	begin_with(&place, *state, script, &generous);
	assert_int_equal(get(&place), OCC_E_REMOTE);
	if (place.answer.fault != expected)
		fail_msg("not \"%s\" but \"%s\"",
			 occ_remote_fault_text(expected),
			 occ_remote_fault_text(place.answer.fault));
	assert_null(place.answer.value.data);
	end(&place);
}

static void test_lies(void **state)
{
	static const unsigned char noop[] = {OCC_REMOTE_NOOP};
	static const unsigned char more[] = {OCC_REMOTE_NOOP, 0};
	static const unsigned char other[] = {3, 0, 0};
	static const unsigned char version[] = {2, 1, 0};
	static const unsigned char poor[] = {1, 2, 1, 2}, none[] = {1, 0};
	unsigned char bytes[64];
	struct helper_script script = SCRIPT(version, noop);

	expect_fault(state, &script, OCC_REMOTE_FAULT_VERSION);
	script = (struct helper_script)SCRIPT(poor, noop);
	expect_fault(state, &script, OCC_REMOTE_FAULT_VERSION);
	script = (struct helper_script)SCRIPT(none, noop);
	expect_fault(state, &script, OCC_REMOTE_FAULT_VERSION);
	script = (struct helper_script)SCRIPT(greeting, other);
	expect_fault(state, &script, OCC_REMOTE_FAULT_PROTOCOL);
	script = (struct helper_script)SCRIPT(greeting, more);
	expect_fault(state, &script, OCC_REMOTE_FAULT_PROTOCOL);
	script = (struct helper_script)SCRIPT(greeting, bytes);
	script.answer_size = print_value(bytes, 5, "value, value", 12);
	expect_fault(state, &script, OCC_REMOTE_FAULT_PROTOCOL);
	script.answer_size = print_value(bytes, UINT64_C(1) << 63, "v", 1);
	expect_fault(state, &script, OCC_REMOTE_FAULT_PROTOCOL);
	script.answer_size = print_value(bytes, UINT64_MAX, "v", 1);
	expect_fault(state, &script, OCC_REMOTE_FAULT_PROTOCOL);
	script.answer_size = print_value(bytes, OCC_ENTRY_SIZE_MAX + 1, "v", 1);
	expect_fault(state, &script, OCC_REMOTE_FAULT_PROTOCOL);
}

/* Whatever comes: an answer, or a failure, and nothing else. */
static void test_garbage(void **state)
{
	unsigned char bytes[600];
	struct helper_script script = SCRIPT(greeting, bytes);
	uint64_t random = 1;
	struct place place;

	for (int round = 0; round < 100; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			random = random * UINT64_C(6364136223846793005) + 1;
			bytes[i] = (unsigned char)(random >> 56);
		}
		bytes[0] %= 4;
		begin_with(&place, *state, &script, &generous);
		get(&place);
		assert_true(place.answer.fault);
		end(&place);
	}
}

static void expect_absent(const char *path)
{
	struct occ_remote *remote = occ_remote_new(path, &generous);
	struct occ_remote_answer answer = {0};

	assert_int_equal(occ_remote_get(remote, key, &answer), OCC_E_REMOTE);
	assert_int_equal(answer.fault, OCC_REMOTE_FAULT_ABSENT);
	assert_int_equal(occ_remote_get(remote, key, &answer),
			 OCC_E_REMOTE_DOWN);
	occ_remote_free(remote);
}

static void test_absent(void **state)
{
	const struct fixture *fixture = *state;
	char path[300];
	struct helper helper = {0};
	FILE *file;

	snprintf(path, sizeof(path), "%s/none", fixture->path);
	expect_absent(path);
	snprintf(path, sizeof(path), "%s/none/none", fixture->path);
	expect_absent(path);
	expect_absent(fixture->path);
	snprintf(path, sizeof(path), "%s/file", fixture->path);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	expect_absent(path);
	snprintf(path, sizeof(path), "%s/file/x", fixture->path);
	expect_absent(path);
	/* A socket at which nobody listens any more. */
	snprintf(helper.path, sizeof(helper.path), "%s/left", fixture->path);
	helper_listen(&helper, 1);
	close(helper.listener);
	expect_absent(helper.path);
	memset(path, 'p', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	expect_absent(path);
	path[108] = '\0';
	expect_absent(path);
}

/* Nobody accepts, and no more fit into the queue. */
static void test_full_queue(void **state)
{
	static const struct occ_remote_budget budget = {SHORT, LONG, LONG};
	const struct fixture *fixture = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct occ_remote_answer answer = {0};
	struct helper helper = {0};
	struct occ_remote *remote;
	int waiting[8];

	snprintf(helper.path, sizeof(helper.path), "%s/full", fixture->path);
	strcpy(address.sun_path, helper.path);
	helper_listen(&helper, 0);
	for (int i = 0; i < 8; i++) {
		waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(waiting[i], (struct sockaddr *)&address,
			sizeof(address));
	}
	remote = occ_remote_new(helper.path, &budget);
	assert_int_equal(occ_remote_get(remote, key, &answer), OCC_E_REMOTE);
	assert_int_equal(answer.fault, OCC_REMOTE_FAULT_CONNECT);
	occ_remote_free(remote);
	for (int i = 0; i < 8; i++)
		close(waiting[i]);
	close(helper.listener);
}

/* Of root, who may be another user as well. */
static void test_anothers(void **state)
{
	const struct fixture *fixture = *state;
	struct occ_remote_answer answer = {0};
	struct helper helper = {0};
	struct occ_remote *remote;
	int status;
	pid_t child;

	if (geteuid()) {
		print_message("skip: only root can be another user\n");
		skip();
	}
	snprintf(helper.path, sizeof(helper.path), "%s/theirs", fixture->path);
	assert_int_equal(chmod(fixture->path, 0777), 0);
	assert_int_equal(seteuid(65534), 0);
	helper_listen(&helper, 4);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(helper.path, 0777), 0);
	remote = occ_remote_new(helper.path, &generous);
	assert_int_equal(occ_remote_get(remote, key, &answer), OCC_E_REMOTE);
	assert_int_equal(answer.fault, OCC_REMOTE_FAULT_PEER);
	occ_remote_free(remote);
	close(helper.listener);
	unlink(helper.path);
	/* But root's is anybody's. */
	helper_listen(&helper, 4);
	assert_int_equal(chmod(helper.path, 0777), 0);
	child = fork();
	if (!child) {
		static const struct occ_remote_budget budget = {SHORT, 1, 1};

		if (setuid(65534))
			_exit(2);
		remote = occ_remote_new(helper.path, &budget);
		occ_remote_get(remote, key, &answer);
		_exit(answer.fault == OCC_REMOTE_FAULT_CONNECT ? 0 : 1);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	close(helper.listener);
}

static void no_action(int signal)
{
	(void)signal;
}

/* Signals neither end a call nor make it last. */
static void test_signals(void **state)
{
	static const struct occ_remote_budget wait = {LONG, 200, LONG};
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	const struct sigaction handler = {.sa_handler = no_action};
	unsigned char bytes[64];
	struct helper_script script = SCRIPT(greeting, bytes);
	struct place place;

	script.answer_size = print_value(bytes, 20, "value, value, value.", 20);
	script.end = HELPER_TRICKLES;
	script.cut = 0;
	sigaction(SIGALRM, &handler, NULL);
	begin_with(&place, *state, &script, &generous);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(get(&place), OCC_OK);
	setitimer(ITIMER_REAL, &never, NULL);
	end(&place);
	script.end = HELPER_STALLS;
	script.cut = sizeof(greeting);
	begin_with(&place, *state, &script, &wait);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(get(&place), OCC_E_REMOTE);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_STALL);
	end(&place);
}

#define THREADS 4
#define TIMES	25

static void *ask_often(void *data)
{
	struct occ_remote *remote = data;
	struct occ_remote_answer answer = {0};
	uintptr_t good = 0;

	for (int i = 0; i < TIMES; i++)
		if (!occ_remote_get(remote, key, &answer) &&
		    answer.value.size == 5)
			good++;
	occ_buffer_release(&answer.value);
	return (void *)good;
}

static void test_threads(void **state)
{
	unsigned char bytes[64];
	struct helper_script script = SCRIPT(greeting, bytes);
	pthread_t threads[THREADS];
	struct place place;
	void *good;

	script.answer_size = print_value(bytes, 5, "value", 5);
	begin_with(&place, *state, &script, &generous);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often,
						place.remote),
				 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &good);
		assert_int_equal((uintptr_t)good, TIMES);
	}
	assert_int_equal(helper_connections(&place.helper), THREADS * TIMES);
	end(&place);
}

/* The look before a question. */
static void test_look(void **state)
{
	static const unsigned char noop[] = {OCC_REMOTE_NOOP};
	struct helper_script script = SCRIPT(greeting, noop);
	struct place place;
	char path[300];

	begin_with(&place, *state, &script, &generous);
	assert_int_equal(occ_remote_look(place.remote), OCC_REMOTE_FAULT_NONE);
	assert_int_equal(get(&place), OCC_E_NOT_FOUND);
	assert_int_equal(occ_remote_look(place.remote), OCC_REMOTE_FAULT_NONE);
	unlink(place.helper.path);
	assert_int_equal(occ_remote_look(place.remote),
			 OCC_REMOTE_FAULT_ABSENT);
	assert_int_equal(occ_remote_look(place.remote), OCC_REMOTE_FAULT_DOWN);
	assert_int_equal(get(&place), OCC_E_REMOTE_DOWN);
	end(&place);
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	place.remote = occ_remote_new(path, &generous);
	assert_int_equal(occ_remote_look(place.remote),
			 OCC_REMOTE_FAULT_ABSENT);
	occ_remote_free(place.remote);
}

static void test_texts(void **state)
{
	(void)state;
	for (int i = 0; i < OCC_REMOTE_FAULTS; i++)
		assert_non_null(
			occ_remote_fault_text((enum occ_remote_fault)i));
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_get),
		TEST(test_empty_value),
		TEST(test_large_value),
		TEST(test_not_found),
		TEST(test_error),
		TEST(test_put),
		TEST(test_put_exists),
		TEST(test_put_refused),
		TEST(test_put_into_nothing),
		TEST(test_ours),
		TEST(test_ours_noop),
		TEST(test_ours_unknown),
		TEST(test_info),
		TEST(test_stop),
		TEST(test_closes),
		TEST(test_stalls),
		TEST(test_trickles),
		TEST(test_goes_on),
		TEST(test_put_stalls),
		TEST(test_lies),
		TEST(test_garbage),
		TEST(test_absent),
		TEST(test_full_queue),
		TEST(test_anothers),
		TEST(test_signals),
		TEST(test_threads),
		TEST(test_look),
		TEST(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
