/* SPDX-License-Identifier: MIT */
/*
 * The remote storage: is there a helper, does the server answer with the
 * credentials that programs would use, how fast, and what would happen on a
 * miss?
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/remote_breaker.h"
#include "cache/settings.h"
#include "cli/checkup.h"
#include "cli/checkup_keys.h"
#include "cli/child.h"
#include "cli/message.h"
#include "cli/remote_helper.h"
#include "cli/remote_probe.h"
#include "cli/store_path.h"
#include "cli/text.h"
#include "cli/units.h"

#define NS_PER_S   UINT64_C(1000000000)
#define NS_PER_MS  UINT64_C(1000000)

/* Bytes: of what hardly takes any time to send, and of what does. */
#define SMALL_SIZE 128
#define LARGE_SIZE 1000000

#define WRITING_ADVICE                                                         \
	"check the credentials and permissions; if this machine isn't "        \
	"supposed to write, "                                                  \
	"add read-only to OCLCACHE_REMOTE"

/* What is known of it when it is said what would happen. */
struct trial {
	struct occ_checkup *checkup;
	const struct occ_settings *settings;
	struct occ_remote_helper helper;
	struct occ_remote *remote;
	bool can_lease, can_flush;
	bool reads, writes; /* it works, and is wanted */
	struct occ_checkup_keys keys;
};

/* Why it failed, in the server's words where there are any; to be freed. */
static char *reason_of(const struct occ_remote_answer *answer, int error)
{
	const char *text = occ_error_string(error);

	if (answer->fault)
		text = occ_remote_fault_text(answer->fault);
	else if (error == OCC_E_EXISTS)
		text = "the helper didn't store it";
	return *answer->message ? occ_text("%s: %s", text, answer->message)
				: occ_text("%s", text);
}

/* One that has failed is no longer asked: begins anew. */
static void begin_anew(struct trial *trial)
{
	static const struct occ_remote_budget patient = {
		OCC_REMOTE_PROBE_PATIENCE, OCC_REMOTE_PROBE_PATIENCE,
		OCC_REMOTE_PROBE_PATIENCE};

	occ_remote_free(trial->remote);
	trial->remote = occ_message_must(
		occ_remote_new(trial->helper.socket, &patient));
}

/* What the helper says has gone wrong so far; to be freed. */
static char *errors_of(const struct trial *trial)
{
	struct occ_remote_answer answer;
	char *errors = occ_text("%s", ""), *longer;
	const char *line;

	occ_remote_helper_ask(&trial->helper, &answer);
	occ_buffer_append(&answer.value, "", 1);
	line = answer.value.failed ? "" : (const char *)answer.value.data;
	while (*line) {
		int length = (int)strcspn(line, "\n");
		const char *word = line + strspn(line, "0123456789");

		if (word > line && !strncmp(word, " error", 6)) {
			longer = occ_text("%s; %.*s", errors, length, line);
			free(errors);
			errors = longer;
		}
		line += length + (line[length] == '\n');
	}
	occ_buffer_release(&answer.value);
	return errors;
}

static void fail(struct trial *trial, const struct occ_remote_answer *answer,
		 int error, const char *what, const char *advice)
{
	char *reason = reason_of(answer, error);

	occ_checkup_warn(trial->checkup, advice, "%s: %s", what, reason);
	free(reason);
	begin_anew(trial);
}

/* False after a finding: it can't be written. */
static bool write_probe(struct trial *trial, struct occ_remote_probe *probe)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	int error = occ_remote_probe_write(probe, trial->remote,
					   trial->can_flush, &answer);

	if (error)
		fail(trial, &answer, error, "it can't be written to",
		     WRITING_ADVICE);
	return !error;
}

static void say_missing(struct trial *trial)
{
	char *errors = errors_of(trial);

	occ_checkup_warn(trial->checkup, WRITING_ADVICE,
			 "a value that was written to it isn't there%s",
			 errors);
	free(errors);
}

/*
 * False after a finding: nothing can be read. `is_there`: else the right answer
 * is that it isn't.
 */
static bool read_probe(struct trial *trial, struct occ_remote_probe *probe,
		       bool is_there)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	int error = occ_remote_probe_read(probe, trial->remote, &answer);

	if (error == (is_there ? OCC_OK : OCC_E_NOT_FOUND))
		return true;
	if (!error || error == OCC_E_CORRUPT)
		occ_checkup_problem(
			trial->checkup, "use another server or helper",
			"it returns a different value from the one written");
	else if (error == OCC_E_NOT_FOUND)
		say_missing(trial);
	else
		fail(trial, &answer, error, "it can't be read",
		     "check the URL, the server and the credentials; "
		     "'oclcache-storage info' shows the last errors");
	return false;
}

static void remove_probe(struct trial *trial, struct occ_remote_probe *probe)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	int error = occ_remote_probe_remove(probe, trial->remote, &answer);

	if (error && error != OCC_E_NOT_FOUND)
		fail(trial, &answer, error, "values can't be removed from it",
		     "nothing to do if that is intended; a test entry stays "
		     "there");
}

static void say_slow(struct trial *trial, const struct occ_remote_probe *probe)
{
	char took[OCC_UNITS_SIZE];

	if (probe->read_ns > trial->settings->remote_wait * NS_PER_MS)
		occ_checkup_warn(
			trial->checkup,
			"use a nearer server, or raise OCLCACHE_REMOTE_WAIT",
			"an answer takes %s, but programs give up after "
			"%" PRIu64 " ms",
			occ_units_time(probe->read_ns, took),
			trial->settings->remote_wait);
}

static void try_speed(struct trial *trial)
{
	char read[OCC_UNITS_SIZE], written[OCC_UNITS_SIZE];
	struct occ_remote_probe probe;

	if (occ_remote_probe_make(&probe, LARGE_SIZE) &&
	    write_probe(trial, &probe)) {
		if (read_probe(trial, &probe, true))
			occ_checkup_ok(trial->checkup,
				       "1 MB takes %s to write and %s to read",
				       occ_units_time(probe.write_ns, written),
				       occ_units_time(probe.read_ns, read));
		remove_probe(trial, &probe);
	}
	occ_remote_probe_release(&probe);
}

static bool is_to_write(const struct trial *trial)
{
	return !trial->helper.setting.read_only &&
	       trial->settings->mode != OCC_MODE_READONLY;
}

/* True: what was written is there. */
static bool try_writing(struct trial *trial, struct occ_remote_probe *probe)
{
	char read[OCC_UNITS_SIZE], written[OCC_UNITS_SIZE];
	char removed[OCC_UNITS_SIZE];
	bool good = write_probe(trial, probe);

	if (!good)
		return false;
	good = read_probe(trial, probe, true);
	if (good)
		remove_probe(trial, probe);
	if (good)
		occ_checkup_ok(trial->checkup,
			       "a test value was written in %s, read in %s and "
			       "removed in %s",
			       occ_units_time(probe->write_ns, written),
			       occ_units_time(probe->read_ns, read),
			       occ_units_time(probe->remove_ns, removed));
	return good;
}

/* First it is asked for what nobody has, as programs do. */
static void try_server(struct trial *trial)
{
	char took[OCC_UNITS_SIZE];
	struct occ_remote_probe probe;

	begin_anew(trial);
	trial->reads = occ_remote_probe_make(&probe, SMALL_SIZE) &&
		       read_probe(trial, &probe, false);
	if (trial->reads) {
		occ_checkup_ok(trial->checkup, "the server answers in %s",
			       occ_units_time(probe.read_ns, took));
		say_slow(trial, &probe);
	}
	trial->writes = trial->reads && is_to_write(trial) &&
			try_writing(trial, &probe);
	occ_remote_probe_release(&probe);
	if (trial->writes && !occ_child_interrupted())
		try_speed(trial);
}

/* The breaker that processes leave in the store. */
static void look_at_breaker(struct trial *trial)
{
	char *why, *directory, age[OCC_UNITS_SIZE];
	struct occ_remote_breaker breaker;
	struct occ_store *store;
	bool by_default;

	directory = occ_store_path_find(trial->checkup->arguments, &by_default,
					&why);
	free(why);
	if (!directory)
		return;
	store = occ_message_must(occ_store_open_read_only(directory));
	breaker = occ_remote_breaker_read(store, trial->helper.socket);
	if (occ_remote_breaker_is_open(&breaker, time(NULL)))
		occ_checkup_warn(
			trial->checkup,
			"nothing to do: it is tried again after that time",
			"a program got no answer in time, so no program asks "
			"for another %s",
			occ_units_time((uint64_t)(breaker.until - time(NULL)) *
					       NS_PER_S,
				       age));
	occ_store_close(store);
	free(directory);
}

static void look_at_leases(struct trial *trial)
{
	if (trial->can_lease)
		occ_checkup_ok(trial->checkup,
			       "it supports leases: one machine compiles, and "
			       "the others wait for it");
	else
		occ_checkup_ok(
			trial->checkup,
			"it doesn't support leases: machines that miss the "
			"same program at the same time all compile it");
}

/* In words. */
static void say_what_happens(struct trial *trial)
{
	const struct occ_settings *settings = trial->settings;
	bool takes = trial->reads && (trial->keys.trusted ||
				      trial->helper.setting.accepts_unsigned);
	const char *taken = "no entry is accepted from it", *sent;

	if (takes)
		taken = trial->helper.setting.accepts_unsigned
				? "its entries are accepted unless an "
				  "untrusted key has signed them"
				: "its entries are accepted if a trusted key "
				  "has signed them";
	if (!trial->writes)
		sent = "no entry is sent to it";
	else if (trial->keys.has_signing_key)
		sent = "new entries are signed and sent to it";
	else
		sent = "new entries are sent to it unsigned";
	occ_checkup_ok(trial->checkup,
		       "a miss asks it for at most %" PRIu64 " + %" PRIu64
		       " ms; %s; %s",
		       settings->remote_connect, settings->remote_wait, taken,
		       sent);
}

static void look_at_helper(struct trial *trial, bool started)
{
	struct occ_remote_answer answer;
	int error = occ_remote_helper_ask(&trial->helper, &answer);
	const char *lines = "";
	int length;

	trial->can_lease = answer.can_lease;
	trial->can_flush = answer.can_flush;
	occ_buffer_append(&answer.value, "", 1);
	if (!error && !answer.value.failed)
		lines = (const char *)answer.value.data;
	length = (int)strcspn(lines, "\n");
	occ_checkup_ok(trial->checkup, "%s%.*s%s %s", length ? "" : "a helper",
		       length, lines,
		       started ? " was started and listens on" : " listens on",
		       trial->helper.socket);
	occ_buffer_release(&answer.value);
}

static void try_helper(struct trial *trial)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	bool started;
	char *problem = occ_remote_helper_ensure(&trial->helper, &started);

	if (problem) {
		occ_checkup_warn(trial->checkup,
				 "see oclcache-storage(1); until it runs, "
				 "programs do without the remote storage",
				 "no helper: %s", problem);
		free(problem);
		return;
	}
	look_at_helper(trial, started);
	look_at_breaker(trial);
	try_server(trial);
	look_at_leases(trial);
	occ_checkup_keys(trial->checkup, trial->settings,
			 &trial->helper.setting, &trial->keys);
	say_what_happens(trial);
	/* As it was before. */
	if (started)
		occ_remote_stop(trial->remote, &answer);
	else
		occ_checkup_ok(trial->checkup,
			       "the helper was already running");
	if (started)
		occ_checkup_ok(trial->checkup,
			       "'oclcache run' starts the helper; for other "
			       "programs use 'oclcache enable --remote'");
	occ_buffer_release(&answer.value);
}

void occ_checkup_remote(struct occ_checkup *checkup)
{
	struct trial trial = {.checkup = checkup};
	struct occ_settings settings;
	char *why;
	bool is_set = occ_remote_helper_begin(&trial.helper, &why);

	if (!is_set && !why)
		return;
	occ_checkup_group(checkup, "Remote storage");
	if (!is_set) {
		occ_checkup_warn(checkup, "see oclcache-layer(7)", "%s", why);
		free(why);
		return;
	}
	occ_settings_read(&settings);
	trial.settings = &settings;
	try_helper(&trial);
	occ_settings_release(&settings);
	occ_remote_free(trial.remote);
	occ_remote_helper_end(&trial.helper);
}
