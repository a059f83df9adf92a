/* SPDX-License-Identifier: MIT */
#include "layer/serve/remote_client.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "cache/error.h"
#include "cache/file.h"
#include "cache/remote_breaker.h"
#include "cache/signed_entry.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/thread.h"
#include "layer/base/writer.h"
#include "layer/serve/stats.h"

#define SOCKET_SIZE sizeof(((struct sockaddr_un *)0)->sun_path)

struct client {
	struct occ_remote_setting setting;
	char socket[SOCKET_SIZE]; /* "": it has no place */
	struct occ_remote *remote;
	bool looked;		/* atomic; at the breaker */
	int64_t breaker_until;	/* atomic; these two since then */
	uint64_t breaker_pause; /* atomic */
	bool can_lease;		/* atomic; as it last greeted */
	bool counted_down;	/* atomic */
};

/* Atomic; made at the first question, and there until the layer's next life. */
static struct client *client;

static void free_client(struct client *old)
{
	if (!old)
		return;
	occ_remote_free(old->remote);
	occ_remote_setting_release(&old->setting);
	free(old);
}

static struct client *make_client(void)
{
	const struct occ_remote_budget budget = {
		.connect_ms = (unsigned)occ_settings.remote_connect,
		.wait_ms = (unsigned)occ_settings.remote_wait,
		.put_ms = (unsigned)occ_settings.remote_wait,
	};
	struct client *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	if (!occ_remote_setting_parse(occ_settings.remote, &made->setting)) {
		if (!occ_remote_setting_socket(&made->setting, made->socket,
					       sizeof(made->socket)))
			*made->socket = '\0';
		made->remote = occ_remote_new(made->socket, &budget);
	}
	if (made->remote)
		return made;
	free_client(made);
	return NULL;
}

/* NULL: there is none. */
static struct client *find_client(void)
{
	struct client *there = __atomic_load_n(&client, __ATOMIC_ACQUIRE);
	struct client *made;

	if (there || !occ_settings.remote || !occ_settings.persistent)
		return there;
	made = make_client();
	if (made &&
	    __atomic_compare_exchange_n(&client, &there, made, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	free_client(made);
	return there;
}

void occ_remote_client_forked(void)
{
	/* Not freed: the thread that forks may be asking. */
	client = NULL;
}

void occ_remote_client_forget(void)
{
	free_client(client);
	client = NULL;
}

const struct occ_remote_setting *occ_remote_client_setting(void)
{
	const struct client *here = find_client();

	return here ? &here->setting : NULL;
}

static bool has_signing_key(void)
{
	char path[PATH_MAX];

	return occ_signing_key_path(&occ_settings, path, sizeof(path)) &&
	       !access(path, F_OK);
}

bool occ_remote_client_gives(void)
{
	const struct client *here = find_client();

	return here && !here->setting.read_only &&
	       occ_settings.mode != OCC_MODE_READONLY &&
	       occ_settings.store_policy != OCC_STORE_NEVER &&
	       (here->setting.accepts_unsigned || has_signing_key());
}

/* What others of the user have seen: once, when it is asked for first. */
static void look_at_breaker(struct client *here)
{
	struct occ_remote_breaker breaker;

	if (__atomic_load_n(&here->looked, __ATOMIC_ACQUIRE))
		return;
	if (occ_stores()) {
		breaker = occ_remote_breaker_read(occ_stores(), here->socket);
		__atomic_store_n(&here->breaker_until, breaker.until,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&here->breaker_pause, breaker.pause,
				 __ATOMIC_RELAXED);
	}
	__atomic_store_n(&here->looked, true, __ATOMIC_RELEASE);
}

static bool is_held_by_breaker(struct client *here)
{
	struct occ_remote_breaker breaker;

	look_at_breaker(here);
	breaker.until = __atomic_load_n(&here->breaker_until, __ATOMIC_RELAXED);
	breaker.pause = __atomic_load_n(&here->breaker_pause, __ATOMIC_RELAXED);
	return breaker.pause &&
	       occ_remote_breaker_is_open(&breaker, occ_file_now());
}

/* Nobody was asked, and why. */
static void note_unasked(enum occ_reason reason)
{
	occ_stats_remote_failed(OCC_COUNT_REMOTE_ERRORS, reason);
	occ_log_trace(&(struct occ_trace){
		.event = "remote",
		.op = "get",
		.result = "not asked",
		.reason = occ_reason_text(reason),
		.since = occ_log_now(),
	});
}

/* The socket first: it is one look, and nobody's state is read for nothing. */
bool occ_remote_client_is_there(void)
{
	struct client *here = find_client();
	enum occ_remote_fault fault;

	if (!here)
		return false;
	fault = occ_remote_look(here->remote);
	if (fault == OCC_REMOTE_FAULT_ABSENT)
		note_unasked(occ_remote_fault_reason(fault));
	if (fault || !is_held_by_breaker(here))
		return !fault;
	if (!__atomic_exchange_n(&here->counted_down, true, __ATOMIC_RELAXED))
		note_unasked(OCC_REASON_REMOTE_DOWN);
	return false;
}

/* What others of the user are to know. */
enum breaker_news {
	ANSWERS,
	IS_SLOW, /* or is dead */
	IS_WRONG,
};

struct breaker_task {
	struct occ_task task; /* first: tasks are these */
	enum breaker_news news;
	char socket[SOCKET_SIZE];
};

static void run_breaker_task(struct occ_task *task)
{
	struct breaker_task *breaker = (struct breaker_task *)task;
	int error = OCC_OK;

	switch (breaker->news) {
	case ANSWERS:
		error = occ_remote_breaker_close(occ_stores(), breaker->socket);
		break;
	case IS_SLOW:
		error = occ_remote_breaker_suspect(occ_stores(),
						   breaker->socket,
						   occ_file_now());
		break;
	case IS_WRONG:
		error = occ_remote_breaker_open(occ_stores(), breaker->socket,
						occ_file_now());
		break;
	}
	if (error)
		occ_log_debug("can't store the state of the remote storage: %s",
			      occ_error_string(error));
	free(breaker);
}

static void tell_others(const struct client *here, enum breaker_news news)
{
	struct breaker_task task = {.task.run = run_breaker_task, .news = news};

	if (!occ_stores_is_written())
		return;
	memcpy(task.socket, here->socket, sizeof(task.socket));
	occ_writer_add_copy(&task.task, sizeof(task));
}

/*
 * Who doesn't listen, or says that the server failed, costs the others next to
 * nothing; nor do puts, which nobody waits for. Of an answer that has begun it
 * may be the size that takes so long.
 */
static bool is_for_others(const struct occ_remote_question *question)
{
	switch (question->answer.fault) {
	case OCC_REMOTE_FAULT_CONNECT:
	case OCC_REMOTE_FAULT_PROTOCOL:
		return true;
	case OCC_REMOTE_FAULT_STALL:
	case OCC_REMOTE_FAULT_CLOSED:
		if (question->answer.has_begun)
			return false;
		return question->kind == OCC_REMOTE_QUESTION_GET ||
		       question->kind == OCC_REMOTE_QUESTION_LEASE;
	default:
		return false;
	}
}

static void learn(struct client *here,
		  const struct occ_remote_question *question, int error)
{
	__atomic_store_n(&here->can_lease, question->answer.can_lease,
			 __ATOMIC_RELAXED);
	if (error == OCC_E_REMOTE && is_for_others(question)) {
		/* To be taken back when it answers again. */
		__atomic_store_n(&here->breaker_pause, OCC_REMOTE_PAUSE_FIRST_S,
				 __ATOMIC_RELAXED);
		tell_others(here,
			    question->answer.fault == OCC_REMOTE_FAULT_STALL
				    ? IS_SLOW
				    : IS_WRONG);
	} else if (!question->answer.fault && error != OCC_E_MEMORY &&
		   __atomic_exchange_n(&here->breaker_pause, 0,
				       __ATOMIC_RELAXED))
		tell_others(here, ANSWERS);
}

bool occ_remote_client_can_lease(void)
{
	const struct client *here = find_client();

	return here && __atomic_load_n(&here->can_lease, __ATOMIC_RELAXED);
}

static void count_get(const struct occ_remote_question *question, int error)
{
	occ_stats_remote(OCC_COUNT_REMOTE_LOOKUPS, 1);
	if (!error)
		occ_stats_remote(OCC_COUNT_REMOTE_BYTES,
				 question->answer.value.size);
}

static void count_put(const struct occ_remote_question *question, int error)
{
	if (!error)
		occ_stats_remote_put(question->value.size);
	else if (error == OCC_E_REMOTE || error == OCC_E_REMOTE_DOWN)
		occ_stats_remote_failed(OCC_COUNT_REMOTE_PUT_ERRORS,
					occ_remote_fault_reason(
						question->answer.fault));
}

static void count(const struct occ_remote_question *question, int error)
{
	if (question->kind == OCC_REMOTE_QUESTION_PUT) {
		count_put(question, error);
		return;
	}
	if (error == OCC_E_REMOTE_DOWN)
		return;
	if (question->kind == OCC_REMOTE_QUESTION_GET)
		count_get(question, error);
	if (question->kind != OCC_REMOTE_QUESTION_RELEASE)
		occ_stats_remote(OCC_COUNT_REMOTE_NS,
				 occ_log_now() - question->start);
	if (error == OCC_E_REMOTE)
		occ_stats_remote_failed(OCC_COUNT_REMOTE_ERRORS,
					occ_remote_fault_reason(
						question->answer.fault));
}

/* What an answer is called, by what was asked. */
static const char *result_text(const struct occ_remote_question *question,
			       int error)
{
	static const char *const good[] = {
		[OCC_REMOTE_QUESTION_GET] = "found",
		[OCC_REMOTE_QUESTION_PUT] = "taken",
		[OCC_REMOTE_QUESTION_LEASE] = "given",
		[OCC_REMOTE_QUESTION_RELEASE] = "given back",
	};

	switch (error) {
	case OCC_OK:
		return good[question->kind];
	case OCC_E_NOT_FOUND:
		return question->kind == OCC_REMOTE_QUESTION_GET ? "not found"
								 : "no leases";
	case OCC_E_EXISTS:
		return "already there";
	case OCC_E_BUSY:
		return "another's";
	default:
		return "failed";
	}
}

static void trace(const struct occ_remote_question *question, int error)
{
	static const char *const ops[] = {
		[OCC_REMOTE_QUESTION_GET] = "get",
		[OCC_REMOTE_QUESTION_PUT] = "put",
		[OCC_REMOTE_QUESTION_LEASE] = "lease",
		[OCC_REMOTE_QUESTION_RELEASE] = "release",
	};
	const struct occ_build_key *build_key = question->build_key;
	const struct occ_remote_answer *answer = &question->answer;
	bool puts = question->kind == OCC_REMOTE_QUESTION_PUT;

	if (error == OCC_E_REMOTE_DOWN)
		return;
	if (*answer->message)
		occ_log_debug("remote storage: %s", answer->message);
	occ_log_trace(&(struct occ_trace){
		.event = "remote",
		.op = ops[question->kind],
		.hash = &build_key->keys[question->device].hash,
		.device = build_key->identities[question->device]->name,
		.result = result_text(question, error),
		.reason = error == OCC_E_REMOTE
				  ? occ_remote_fault_text(answer->fault)
				  : "",
		.bytes = puts ? question->value.size : answer->value.size,
		.since = question->start,
	});
}

/* A question, wherever it is asked. */
struct asking {
	struct occ_remote_question *question;
	struct occ_remote *remote;
	int error;
	bool done;
};

static void *perform(void *data)
{
	struct asking *asking = data;
	struct occ_remote_question *question = asking->question;
	const struct occ_key *key =
		&question->build_key->keys[question->device];
	unsigned char name[OCC_REMOTE_KEY_SIZE];
	const struct occ_span span = {name, sizeof(name)};

	occ_signed_entry_remote_key(&key->hash, occ_buffer_span(&key->stored),
				    name);
	switch (question->kind) {
	case OCC_REMOTE_QUESTION_GET:
		asking->error =
			occ_remote_get(asking->remote, span, &question->answer);
		if (!asking->error && question->examine)
			question->examine(question);
		break;
	case OCC_REMOTE_QUESTION_PUT:
		asking->error =
			occ_remote_put(asking->remote, span,
				       question->overwrite, question->value,
				       &question->answer);
		break;
	case OCC_REMOTE_QUESTION_LEASE:
		asking->error = occ_remote_lease(asking->remote, span,
						 &question->answer);
		break;
	case OCC_REMOTE_QUESTION_RELEASE:
		asking->error = occ_remote_release(asking->remote, span,
						   &question->answer);
		break;
	}
	asking->done = true;
	return NULL;
}

int occ_remote_client_ask(struct occ_remote_question *question)
{
	struct client *here = find_client();
	struct asking asking = {.question = question};

	question->start = occ_log_now();
	question->answer =
		(struct occ_remote_answer){.fault = OCC_REMOTE_FAULT_DOWN};
	if (!here || is_held_by_breaker(here)) {
		count(question, OCC_E_REMOTE_DOWN);
		return OCC_E_REMOTE_DOWN;
	}
	question->answer.fault = OCC_REMOTE_FAULT_NONE;
	asking.remote = here->remote;
	if (question->apart)
		occ_thread_run_apart(perform, &asking, OCC_THREAD_SMALL_STACK);
	else
		perform(&asking);
	/* A handler of a signal has forked: the parent has the answer. */
	if (!asking.done) {
		question->answer = (struct occ_remote_answer){
			.fault = OCC_REMOTE_FAULT_DOWN};
		return OCC_E_REMOTE_DOWN;
	}
	count(question, asking.error);
	trace(question, asking.error);
	learn(here, question, asking.error);
	return asking.error;
}
