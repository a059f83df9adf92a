/* SPDX-License-Identifier: MIT */
#include "layer/driver/driver_traits.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cache/error.h"
#include "cache/traits.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/driver/driver_probe.h"
#include "layer/driver/late_libraries.h"

/* Failures of an examination, after which the driver is given up. */
#define TRIALS_MAX	 3

/* So many observations are enough for one process. */
#define OBSERVATIONS_MAX 16
#define DOUBTS_MAX	 2

struct occ_driver_traits {
	struct occ_digest digest;
	struct occ_driver driver;
	struct occ_driver_traits *next;
	/* Constant once `knows_libraries` is set. */
	struct occ_buffer libraries;
	_Atomic(bool) knows_libraries;
	/* The rest is guarded by the lock. */
	struct occ_traits habits; /* as the store should have them */
	enum occ_reason refusal;  /* none: unknown or known */
	bool busy;		  /* a thread examines the driver */
	bool met;		  /* constant: by an earlier process */
	bool is_first; /* no process before this one was to examine it */
	unsigned failures;
	unsigned observations;
	unsigned doubts;
};

static struct occ_driver_traits *list;

static const enum occ_reason refusals[] = {
	[OCC_PROOF_TRYING] = OCC_REASON_TRIAL_UNFINISHED,
	[OCC_PROOF_BAD] = OCC_REASON_DRIVER_LOADS_NOTHING,
	[OCC_PROOF_VAIN] = OCC_REASON_HABITS_UNTELLABLE,
	[OCC_PROOF_ELSEWHERE] = OCC_REASON_NONE,
};

/* Takes over what is known; the lock is held, or nobody else knows `habit`. */
static void adopt(struct occ_driver_traits *traits,
		  const struct occ_traits *habits)
{
	struct occ_driver *driver = &traits->driver;

	traits->habits = *habits;
	driver->notify = habits->notify;
	if (refusals[habits->proof])
		traits->refusal = refusals[habits->proof];
	if (!occ_proof_is_good(habits->proof))
		return;
	driver->expensive = habits->expensive;
	driver->fetch = habits->expensive || habits->late
				? OCC_FETCH_AT_RELEASE
				: OCC_FETCH_AFTER_BUILD;
	driver->counts_kernels = habits->counts_kernels;
	driver->counts_programs = habits->counts_programs;
}

static struct occ_driver_traits *find(const struct occ_digest *digest)
{
	struct occ_driver_traits *traits = list;

	while (traits && memcmp(&traits->digest, digest, sizeof(*digest)) != 0)
		traits = traits->next;
	return traits;
}

/*
 * What a store has. A driver whose libraries it has forgotten is learnt anew.
 * Nobody else looks at the libraries before they are known.
 */
static int load_from(struct occ_store *store, struct occ_driver_traits *traits,
		     struct occ_traits *ret_habits)
{
	int error = occ_traits_load(store, &traits->digest, ret_habits);

	if (!error && occ_proof_is_good(ret_habits->proof))
		traits->driver.search =
			occ_traits_load_search(store, &traits->digest);
	if (error || !occ_proof_is_good(ret_habits->proof) ||
	    traits->knows_libraries)
		return error;
	error = occ_traits_load_libraries(store, &traits->digest,
					  &traits->libraries);
	traits->knows_libraries = !error;
	if (error)
		occ_buffer_release(&traits->libraries);
	return error;
}

/* Of stores that are only read what is good: others' trouble is none here. */
static int load(struct occ_driver_traits *traits, struct occ_traits *ret_habits)
{
	int error = OCC_E_NOT_FOUND;
	struct occ_store *store;

	*ret_habits = (struct occ_traits){OCC_PROOF_NONE};
	if (occ_stores())
		error = load_from(occ_stores(), traits, ret_habits);
	for (size_t i = 0; error && (store = occ_stores_read_only(i)); i++) {
		error = load_from(store, traits, ret_habits);
		if (!error && !occ_proof_is_good(ret_habits->proof))
			error = OCC_E_NOT_FOUND;
	}
	return error;
}

static struct occ_driver_traits *make(const struct occ_digest *digest,
				      const struct occ_driver *record, bool met)
{
	struct occ_driver_traits *traits = calloc(1, sizeof(*traits));
	struct occ_traits habits;

	if (!traits)
		return NULL;
	traits->digest = *digest;
	traits->met = met;
	traits->driver.learnt = true;
	traits->driver.include_dirs = occ_driver_others.include_dirs;
	traits->driver.headers = occ_driver_others.headers;
	traits->driver.released_program_valid = true;
	traits->driver.tells_no_options = true;
	if (record)
		traits->driver.refused_options = record->refused_options;
	if (!load(traits, &habits))
		adopt(traits, &habits);
	return traits;
}

struct occ_driver_traits *occ_driver_traits_of(const struct occ_digest *digest,
					       const struct occ_driver *record,
					       bool met)
{
	struct occ_driver_traits *traits, *made;

	occ_lock();
	traits = find(digest);
	occ_unlock();
	if (traits)
		return traits;
	made = make(digest, record, met);
	occ_lock();
	traits = find(digest);
	if (!traits && made) {
		made->next = list;
		traits = list = made;
		made = NULL;
	}
	occ_unlock();
	if (made)
		occ_buffer_release(&made->libraries);
	free(made);
	return traits;
}

bool occ_driver_traits_libraries(const struct occ_driver_traits *traits,
				 struct occ_buffer *paths)
{
	if (!traits->knows_libraries)
		return false;
	occ_buffer_append(paths, traits->libraries.data,
			  traits->libraries.size);
	return true;
}

bool occ_driver_traits_knows_libraries(const struct occ_driver_traits *traits)
{
	return traits->knows_libraries;
}

const struct occ_driver *occ_driver_traits_driver(
	const struct occ_driver_traits *traits)
{
	return &traits->driver;
}

enum occ_reason occ_driver_traits_refusal(
	const struct occ_driver_traits *traits)
{
	enum occ_reason refusal;

	occ_lock();
	refusal = traits->refusal;
	occ_unlock();
	return refusal;
}

enum occ_reason occ_driver_traits_not_ready(
	const struct occ_driver_traits *traits, bool whole, bool notify)
{
	enum occ_reason reason = OCC_REASON_NONE;

	occ_lock();
	if (traits->refusal)
		reason = traits->refusal;
	else if (!occ_proof_is_good(traits->habits.proof))
		reason = OCC_REASON_HABITS_UNKNOWN;
	else if (!whole)
		reason = OCC_REASON_LIBRARIES_UNKNOWN;
	else if (notify && traits->habits.notify == OCC_NOTIFY_UNKNOWN)
		reason = OCC_REASON_NOTIFY_UNKNOWN;
	occ_unlock();
	return reason;
}

static bool save(struct occ_driver_traits *traits)
{
	struct occ_traits habits;

	occ_lock();
	habits = traits->habits;
	occ_unlock();
	return occ_stores() &&
	       !occ_traits_save(occ_stores(), &traits->digest, &habits);
}

/* The first process with a driver only writes down that it was there. */
static bool is_first(struct occ_driver_traits *traits, int loaded)
{
	if (loaded == OCC_E_NOT_FOUND && traits->met)
		return false;
	if (loaded == OCC_E_NOT_FOUND && save(traits))
		traits->is_first = true;
	return loaded || traits->is_first;
}

/* May this thread examine the driver? Other processes may have done it. */
static bool begin(struct occ_driver_traits *traits)
{
	struct occ_traits habits;
	bool mine;
	int loaded;

	occ_lock();
	mine = !traits->busy && !traits->refusal &&
	       traits->habits.proof == OCC_PROOF_NONE;
	traits->busy |= mine;
	occ_unlock();
	if (!mine)
		return false;
	loaded = load(traits, &habits);
	mine = habits.proof == OCC_PROOF_NONE && !is_first(traits, loaded);
	if (mine)
		return true;
	occ_lock();
	if (habits.proof != OCC_PROOF_NONE)
		adopt(traits, &habits);
	traits->busy = false;
	occ_unlock();
	return false;
}

static void end(struct occ_driver_traits *traits, struct occ_traits *habits)
{
	occ_lock();
	traits->busy = false;
	/* A callback may have been called meanwhile. */
	habits->notify = traits->habits.notify;
	if (!traits->refusal)
		adopt(traits, habits);
	occ_unlock();
	save(traits);
	occ_log_debug(
		"unknown driver, behaviour learnt: it %s its binaries%s%s",
		habits->proof == OCC_PROOF_GOOD ? "loads" : "doesn't load",
		habits->expensive ? ", which are expensive" : "",
		habits->late ? ", which are complete only later" : "");
}

/* `vain`: the driver didn't answer clearly. Else the store is to blame. */
static void fail(struct occ_driver_traits *traits, bool vain)
{
	bool last;

	occ_lock();
	traits->busy = false;
	traits->failures += vain;
	last = traits->failures == TRIALS_MAX;
	traits->habits.proof = last ? OCC_PROOF_VAIN : OCC_PROOF_NONE;
	adopt(traits, &(struct occ_traits){.proof = traits->habits.proof,
					   .notify = traits->habits.notify});
	occ_unlock();
	if (last)
		save(traits);
	occ_log_debug("unknown driver, and its behaviour can't be learnt now");
}

/* This thread alone examines the driver, so nobody else sets them. */
static bool keep_libraries(struct occ_driver_traits *traits)
{
	if (traits->knows_libraries)
		return true;
	if (!occ_late_libraries_list(&traits->libraries) || !occ_stores() ||
	    occ_traits_save_libraries(occ_stores(), &traits->digest,
				      &traits->libraries)) {
		occ_buffer_release(&traits->libraries);
		return false;
	}
	traits->knows_libraries = true;
	return true;
}

/*
 * Only once it is written down that the trial begins may it: the driver may end
 * the process. What it loaded must be written down, too.
 */
static void examine(struct occ_driver_traits *traits, cl_device_id device)
{
	struct occ_driver_probe probe = {.device = device};
	bool clear = occ_driver_probe_examine(&probe), announced = false;

	if (clear) {
		occ_lock();
		traits->habits.proof = OCC_PROOF_TRYING;
		occ_unlock();
		announced = save(traits);
	}
	if (announced)
		probe.habits.proof = occ_driver_probe_load(&probe)
					     ? OCC_PROOF_GOOD
					     : OCC_PROOF_BAD;
	if (announced && keep_libraries(traits)) {
		end(traits, &probe.habits);
	} else {
		fail(traits, !clear);
		/* It didn't end its process: TRYING must not stay there. */
		if (announced)
			save(traits);
	}
	occ_driver_probe_release(&probe);
}

bool occ_driver_traits_learn(struct occ_driver_traits *traits,
			     cl_device_id device)
{
	/* Where nothing can be written down, every process would do it anew. */
	if (!occ_stores_is_written() ||
	    occ_settings.store_policy == OCC_STORE_NEVER)
		return false;
	if (begin(traits))
		examine(traits, device);
	return traits->knows_libraries;
}

bool occ_driver_traits_begin_trial(struct occ_driver_traits *traits)
{
	struct occ_traits habits;
	bool mine;

	occ_lock();
	mine = traits->habits.proof == OCC_PROOF_ELSEWHERE && !traits->busy;
	traits->busy |= mine;
	habits = traits->habits;
	occ_unlock();
	habits.proof = OCC_PROOF_TRYING;
	if (mine && occ_stores_is_written())
		occ_traits_save(occ_stores(), &traits->digest, &habits);
	return mine;
}

void occ_driver_traits_end_trial(struct occ_driver_traits *traits, bool loaded)
{
	occ_lock();
	traits->busy = false;
	if (loaded)
		traits->habits.proof = OCC_PROOF_GOOD;
	occ_unlock();
	save(traits);
}

/* Known wrongly: this process passes it through. */
static void contradict(struct occ_driver_traits *traits, const char *what)
{
	occ_lock();
	traits->refusal = OCC_REASON_HABITS_CONTRADICTED;
	occ_unlock();
	occ_log_debug("%s: %s", occ_reason_text(OCC_REASON_HABITS_CONTRADICTED),
		      what);
}

/* And the next one learns it anew. */
static void forget(struct occ_driver_traits *traits, const char *what)
{
	contradict(traits, what);
	occ_lock();
	traits->habits = (struct occ_traits){OCC_PROOF_NONE};
	occ_unlock();
	save(traits);
}

bool occ_driver_traits_look_at_libraries(struct occ_driver_traits *traits)
{
	struct occ_buffer all = OCC_BUFFER_INIT;
	bool told, more;

	occ_buffer_append(&all, traits->libraries.data, traits->libraries.size);
	told = occ_late_libraries_list(&all);
	more = told && all.size > traits->libraries.size;
	if (more)
		contradict(traits, "what it loads to compile");
	if (more && occ_stores())
		occ_traits_save_libraries(occ_stores(), &traits->digest, &all);
	occ_buffer_release(&all);
	return told && !more;
}

static struct occ_driver_traits *habit_of(const struct occ_driver *driver)
{
	struct occ_driver_traits *traits = list;

	while (traits && &traits->driver != driver)
		traits = traits->next;
	return traits;
}

bool occ_driver_traits_wants_counts_locked(const struct occ_driver *driver)
{
	const struct occ_driver_traits *traits = habit_of(driver);

	occ_assert_locked();
	return traits && occ_proof_is_good(traits->habits.proof) &&
	       traits->observations < OBSERVATIONS_MAX;
}

/*
 * An observation disagrees. The count may have been caught between two steps
 * of another thread: a program of our own tells.
 */
static void doubt(struct occ_driver_traits *traits, cl_device_id device)
{
	bool counts, wanted;

	occ_lock();
	wanted = traits->doubts < DOUBTS_MAX;
	traits->doubts += wanted;
	occ_unlock();
	if (wanted && occ_driver_probe_count_kernels(device, &counts) &&
	    counts != traits->driver.counts_kernels)
		forget(traits, "a program's reference count");
}

void occ_driver_traits_note_count(const struct occ_driver *driver,
				  cl_device_id contradicted_by)
{
	struct occ_driver_traits *traits;

	occ_lock();
	traits = habit_of(driver);
	if (traits)
		traits->observations++;
	occ_unlock();
	if (traits && contradicted_by)
		doubt(traits, contradicted_by);
}

void occ_driver_traits_learn_notify(struct occ_driver_traits *traits,
				    enum occ_notify_thread thread)
{
	bool news = false, contradiction = false;

	if (thread == OCC_NOTIFY_UNKNOWN)
		return;
	occ_lock();
	if (!traits->refusal) {
		news = traits->habits.notify == OCC_NOTIFY_UNKNOWN;
		contradiction = !news && traits->habits.notify != thread;
	}
	if (news)
		traits->driver.notify = traits->habits.notify = thread;
	occ_unlock();
	if (contradiction)
		forget(traits, "the thread of a callback");
	else if (news)
		save(traits);
}

void occ_driver_traits_release_all(void)
{
	occ_late_libraries_release();
	while (list) {
		struct occ_driver_traits *next = list->next;

		occ_buffer_release(&list->libraries);
		free(list);
		list = next;
	}
}
