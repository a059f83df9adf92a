/* SPDX-License-Identifier: MIT */
#include "layer/habit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "layer/config.h"
#include "layer/cost.h"
#include "layer/disk.h"
#include "layer/dispatch.h"
#include "layer/library.h"
#include "layer/lock.h"
#include "layer/log.h"
#include "layer/trial.h"

/* Failures of an examination, after which the driver is given up. */
#define TRIALS_MAX	 3

/* So many observations are enough for one process. */
#define OBSERVATIONS_MAX 16
#define DOUBTS_MAX	 2

struct occ_habit {
	struct occ_digest digest;
	struct occ_driver driver;
	struct occ_habit *next;
	/* Constant once `knows_libraries` is set. */
	struct occ_buffer libraries;
	_Atomic(bool) knows_libraries;
	/* The rest is guarded by the lock. */
	struct occ_habits habits; /* as the store should have them */
	const char *refusal;	  /* NULL: unknown or known */
	bool busy;		  /* a thread examines the driver */
	unsigned failures;
	unsigned observations;
	unsigned doubts;
};

static struct occ_habit *list;

/* The objects that were loaded before anything was built. */
static _Atomic(struct occ_buffer *) first_libraries;

static const char contradicts[] = "the driver contradicts what was learnt";

/* Takes over what is known; the lock is held, or nobody else knows `habit`. */
static void adopt(struct occ_habit *habit, const struct occ_habits *habits)
{
	struct occ_driver *driver = &habit->driver;

	habit->habits = *habits;
	driver->notify = habits->notify;
	if (habits->proof == OCC_PROOF_BAD)
		habit->refusal = "the driver doesn't load its own binaries";
	else if (habits->proof == OCC_PROOF_TRYING)
		habit->refusal = "a trial of the driver's binaries "
				 "is under way, or ended its process";
	else if (habits->proof == OCC_PROOF_VAIN)
		habit->refusal = "the driver's habits can't be told";
	if (habits->proof != OCC_PROOF_GOOD)
		return;
	driver->dear = habits->dear;
	driver->fetch = habits->dear || habits->late ? OCC_FETCH_AT_RELEASE
						     : OCC_FETCH_AFTER_BUILD;
	driver->counts_kernels = habits->counts_kernels;
	driver->counts_programs = habits->counts_programs;
}

static struct occ_habit *find(const struct occ_digest *digest)
{
	struct occ_habit *habit = list;

	while (habit && memcmp(&habit->digest, digest, sizeof(*digest)) != 0)
		habit = habit->next;
	return habit;
}

/*
 * What a store has. A driver whose libraries it has forgotten is learnt anew.
 * Nobody else looks at the libraries before they are known.
 */
static int load_from(struct occ_store *store, struct occ_habit *habit,
		     struct occ_habits *ret_habits)
{
	int error = occ_habits_load(store, &habit->digest, ret_habits);

	if (error || ret_habits->proof != OCC_PROOF_GOOD ||
	    habit->knows_libraries)
		return error;
	error = occ_habits_load_libraries(store, &habit->digest,
					  &habit->libraries);
	habit->knows_libraries = !error;
	if (error)
		occ_buffer_release(&habit->libraries);
	return error;
}

/*
 * Of stores that are only read what is good: trouble of another process, or
 * with another machine, is none here.
 */
static int load(struct occ_habit *habit, struct occ_habits *ret_habits)
{
	int error = OCC_E_NOT_FOUND;
	struct occ_store *store;

	if (occ_disk())
		error = load_from(occ_disk(), habit, ret_habits);
	for (size_t i = 0; error && (store = occ_disk_read_only(i)); i++) {
		error = load_from(store, habit, ret_habits);
		if (!error && ret_habits->proof != OCC_PROOF_GOOD)
			error = OCC_E_NOT_FOUND;
	}
	return error;
}

static struct occ_habit *make(const struct occ_digest *digest)
{
	struct occ_habit *habit = calloc(1, sizeof(*habit));
	struct occ_habits habits;

	if (!habit)
		return NULL;
	habit->digest = *digest;
	habit->driver.learnt = true;
	habit->driver.released_program_valid = true;
	if (!load(habit, &habits))
		adopt(habit, &habits);
	return habit;
}

struct occ_habit *occ_habit_of(const struct occ_digest *digest)
{
	struct occ_habit *habit, *made;

	occ_lock();
	habit = find(digest);
	occ_unlock();
	if (habit)
		return habit;
	made = make(digest);
	occ_lock();
	habit = find(digest);
	if (!habit && made) {
		made->next = list;
		habit = list = made;
		made = NULL;
	}
	occ_unlock();
	if (made)
		occ_buffer_release(&made->libraries);
	free(made);
	return habit;
}

bool occ_habit_libraries(const struct occ_habit *habit,
			 struct occ_buffer *paths)
{
	bool known = habit->knows_libraries;

	if (known)
		occ_buffer_append(paths, habit->libraries.data,
				  habit->libraries.size);
	return known;
}

bool occ_habit_knows_libraries(const struct occ_habit *habit)
{
	return habit->knows_libraries;
}

const struct occ_driver *occ_habit_driver(const struct occ_habit *habit)
{
	return &habit->driver;
}

const char *occ_habit_refusal(const struct occ_identity *identity,
			      const struct occ_request *request)
{
	const char *refusal = occ_cost_refusal(identity);

	if (refusal || !identity->habit)
		return refusal;
	if (request->operation != OCC_BUILD)
		return "not a build, on a driver that isn't listed";
	if (request->device_count != 1)
		return "several devices of a driver that isn't listed";
	if (request->constants && request->constants->count)
		return "specialization constants on a driver that isn't listed";
	occ_lock();
	refusal = identity->habit->refusal;
	occ_unlock();
	return refusal;
}

const char *occ_habit_ignorance(const struct occ_identity *identity,
				bool notify)
{
	const struct occ_habit *habit = identity->habit;
	const char *reason = NULL;

	if (!habit)
		return NULL;
	occ_lock();
	if (habit->refusal)
		reason = habit->refusal;
	else if (habit->habits.proof != OCC_PROOF_GOOD)
		reason = "the driver's habits aren't known yet";
	else if (!identity->whole)
		reason = "what the driver compiles with wasn't known yet";
	else if (notify && habit->habits.notify == OCC_NOTIFY_UNKNOWN)
		reason = "where the driver calls back isn't known yet";
	occ_unlock();
	return reason;
}

static bool save(struct occ_habit *habit)
{
	struct occ_habits habits;

	occ_lock();
	habits = habit->habits;
	occ_unlock();
	return occ_disk() &&
	       !occ_habits_save(occ_disk(), &habit->digest, &habits);
}

/* May this thread examine the driver? Other processes may have done it. */
static bool begin(struct occ_habit *habit)
{
	struct occ_habits habits;
	bool mine;

	occ_lock();
	mine = !habit->busy && !habit->refusal &&
	       habit->habits.proof == OCC_PROOF_NONE;
	habit->busy |= mine;
	occ_unlock();
	if (!mine || load(habit, &habits) || habits.proof == OCC_PROOF_NONE)
		return mine;
	occ_lock();
	adopt(habit, &habits);
	habit->busy = false;
	occ_unlock();
	return false;
}

static void end(struct occ_habit *habit, struct occ_habits *habits)
{
	occ_lock();
	habit->busy = false;
	/* A callback may have been called meanwhile. */
	habits->notify = habit->habits.notify;
	if (!habit->refusal)
		adopt(habit, habits);
	occ_unlock();
	save(habit);
	occ_log_debug("driver not listed, but learnt: %s%s%s%s%s",
		      habits->proof == OCC_PROOF_GOOD
			      ? "it loads its binaries"
			      : "it doesn't load its own binaries",
		      habits->dear ? ", which are dear" : "",
		      habits->late ? ", which come late" : "",
		      habits->counts_kernels ? ", programs count kernels" : "",
		      habits->counts_programs ? ", contexts count programs"
					      : "");
}

/* `vain`: the driver didn't answer clearly. Else the store is to blame. */
static void fail(struct occ_habit *habit, bool vain)
{
	bool last;

	occ_lock();
	habit->busy = false;
	habit->failures += vain;
	last = habit->failures == TRIALS_MAX;
	habit->habits.proof = last ? OCC_PROOF_VAIN : OCC_PROOF_NONE;
	adopt(habit, &(struct occ_habits){.proof = habit->habits.proof,
					  .notify = habit->habits.notify});
	occ_unlock();
	if (last)
		save(habit);
	occ_log_debug("driver not listed, and it can't be learnt now");
}

/* Is it written down that the trial begins? Only then may it. */
static bool announce(struct occ_habit *habit)
{
	occ_lock();
	habit->habits.proof = OCC_PROOF_TRYING;
	occ_unlock();
	return save(habit);
}

static void release_paths(struct occ_buffer *paths)
{
	if (paths)
		occ_buffer_release(paths);
	free(paths);
}

void occ_habit_watch(void)
{
	struct occ_buffer *paths, *none = NULL;

	if (first_libraries)
		return;
	paths = calloc(1, sizeof(*paths));
	if (paths)
		occ_libraries_list(paths);
	if (!atomic_compare_exchange_strong(&first_libraries, &none, paths))
		release_paths(paths);
}

/*
 * The objects that are loaded now and weren't at first. Not those that were
 * made meanwhile: what the driver itself compiled is no part of it.
 */
static bool find_libraries(struct occ_buffer *ret_paths)
{
	const struct occ_buffer *before = first_libraries;
	struct occ_buffer now = OCC_BUFFER_INIT;
	bool failed;

	if (!before || before->failed)
		return false;
	occ_libraries_list(&now);
	for (size_t at = 0; at < now.size;) {
		const char *path = (const char *)now.data + at;

		if (*path == '/' && !occ_buffer_has_string(before, path) &&
		    !occ_fingerprint_is_new(path))
			occ_buffer_append(ret_paths, path, strlen(path) + 1);
		at += strlen(path) + 1;
	}
	failed = now.failed;
	occ_buffer_release(&now);
	return !failed && !ret_paths->failed;
}

/* This thread alone examines the driver, so nobody else sets them. */
static bool keep_libraries(struct occ_habit *habit)
{
	if (habit->knows_libraries)
		return true;
	if (!find_libraries(&habit->libraries) || !occ_disk() ||
	    occ_habits_save_libraries(occ_disk(), &habit->digest,
				      &habit->libraries)) {
		occ_buffer_release(&habit->libraries);
		return false;
	}
	habit->knows_libraries = true;
	return true;
}

/* True when the driver stood it and what it loaded is written down. */
static bool try_load(struct occ_habit *habit, struct occ_trial *trial)
{
	if (!announce(habit)) {
		fail(habit, false);
		return false;
	}
	trial->habits.proof =
		occ_trial_load(trial) ? OCC_PROOF_GOOD : OCC_PROOF_BAD;
	if (keep_libraries(habit))
		return true;
	/* It didn't end its process: that must not stay written down. */
	fail(habit, false);
	save(habit);
	return false;
}

static void examine(struct occ_habit *habit, cl_device_id device)
{
	struct occ_trial trial = {.device = device};

	if (!occ_trial_examine(&trial))
		fail(habit, true);
	else if (try_load(habit, &trial))
		end(habit, &trial.habits);
	occ_trial_release(&trial);
}

bool occ_habit_learn(const struct occ_identity *identity)
{
	struct occ_habit *habit = identity->habit;

	/* Where nothing can be written down, every process would do it anew. */
	if (!habit || !occ_disk_is_written() ||
	    occ_config.store_policy == OCC_STORE_NEVER)
		return false;
	if (begin(habit))
		examine(habit, identity->device);
	return !identity->whole && habit->knows_libraries;
}

/* Known wrongly: this process passes it through, the next one learns anew. */
static void forget(struct occ_habit *habit, const char *what)
{
	occ_lock();
	habit->refusal = contradicts;
	habit->habits = (struct occ_habits){OCC_PROOF_NONE};
	occ_unlock();
	save(habit);
	occ_log_debug("%s: %s", contradicts, what);
}

/* References that the layer knows of; false when it can't know them all. */
static bool known_references(const struct occ_program *program,
			     const struct occ_habit *habit, cl_uint *ret_count)
{
	*ret_count = program->references + program->holds;
	if (habit->driver.counts_kernels)
		*ret_count += program->kernels;
	return !program->kernel_holds && !program->building;
}

static struct occ_habit *habit_of(const struct occ_driver *driver)
{
	struct occ_habit *habit = list;

	while (habit && &habit->driver != driver)
		habit = habit->next;
	return habit;
}

/* The habit to compare the program's count with, or NULL. */
static struct occ_habit *watched(const struct occ_program *program,
				 cl_uint *ret_count)
{
	struct occ_habit *habit = NULL;

	occ_lock();
	if (program->driver && program->driver->learnt &&
	    program->driver_built && !program->state.binary)
		habit = habit_of(program->driver);
	if (habit && (habit->habits.proof != OCC_PROOF_GOOD ||
		      habit->observations == OBSERVATIONS_MAX ||
		      !known_references(program, habit, ret_count)))
		habit = NULL;
	occ_unlock();
	return habit;
}

/*
 * An observation disagrees. The count may have been caught between two steps
 * of another thread: a program of our own tells.
 */
static void doubt(struct occ_habit *habit, const struct occ_recipe *recipe)
{
	bool counts, wanted;

	occ_lock();
	wanted = habit->doubts < DOUBTS_MAX;
	habit->doubts += wanted;
	occ_unlock();
	if (wanted &&
	    occ_trial_count_kernels(recipe->identities[0]->device, &counts) &&
	    counts != habit->driver.counts_kernels)
		forget(habit, "a program's reference count");
}

void occ_habit_observe_kernel(struct occ_program *program)
{
	cl_uint before, after, count = 0;
	struct occ_habit *habit = watched(program, &before);
	struct occ_recipe *recipe = NULL;

	if (!habit ||
	    occ_target.clGetProgramInfo(program->handle,
					CL_PROGRAM_REFERENCE_COUNT,
					sizeof(count), &count, NULL) ||
	    watched(program, &after) != habit || before != after)
		return;
	occ_lock();
	habit->observations++;
	if (count != before && program->state.made)
		recipe = occ_recipe_retain(program->state.made);
	occ_unlock();
	if (recipe)
		doubt(habit, recipe);
	occ_recipe_release(recipe);
}

void occ_habit_learn_notify(const struct occ_identity *identity,
			    enum occ_notify_thread thread)
{
	struct occ_habit *habit = identity->habit;
	bool news = false, contradiction = false;

	if (!habit || thread == OCC_NOTIFY_UNKNOWN)
		return;
	occ_lock();
	if (!habit->refusal) {
		news = habit->habits.notify == OCC_NOTIFY_UNKNOWN;
		contradiction = !news && habit->habits.notify != thread;
	}
	if (news)
		habit->driver.notify = habit->habits.notify = thread;
	occ_unlock();
	if (contradiction)
		forget(habit, "the thread of a callback");
	else if (news)
		save(habit);
}

void occ_habit_release_all(void)
{
	release_paths(first_libraries);
	first_libraries = NULL;
	while (list) {
		struct occ_habit *next = list->next;

		occ_buffer_release(&list->libraries);
		free(list);
		list = next;
	}
}
