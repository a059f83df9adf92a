/* SPDX-License-Identifier: MIT */
#include "layer/serve/record_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/database.h"
#include "layer/base/executable.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/serve/record_frames.h"
#include "layer/serve/recorded.h"

/* Others who add something have it for some ms, unless a disk is slow. */
#define WAIT_MS 2000
#define TRIES	3

/* Left for saying that the rest didn't fit. */
#define RESERVE 512

/* All atomic. */
static bool refused; /* the file is none to be added to */
static bool has_told;

/* Of this process; the lock guards it. NULL: not looked for yet. */
static char *application;

void occ_record_note_release(struct occ_record_note *note)
{
	occ_build_key_release(note->build_key);
	free(note->directory);
	free(note->devices);
	free(note);
}

void occ_record_batch_add(struct occ_record_batch *batch,
			  struct occ_record_note *note)
{
	if (batch->last)
		batch->last->next = note;
	else
		batch->first = note;
	batch->last = note;
}

void occ_record_batch_release(struct occ_record_batch *batch)
{
	struct occ_record_note *note = batch->first;

	while (note) {
		struct occ_record_note *next = note->next;

		occ_record_note_release(note);
		note = next;
	}
	batch->first = batch->last = NULL;
}

bool occ_record_batch_is_refused(void)
{
	return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}

void occ_record_batch_forget(void)
{
	free(application);
	application = NULL;
	refused = has_told = false;
}

/* Once. With OCC_E_IO, errno says why. */
static void tell(int error)
{
	const char *why = occ_error_string(error);

	if (error == OCC_E_IO)
		why = strerror(errno);
	else if (error == OCC_E_CORRUPT)
		why = "it isn't a database of builds";
	else if (error == OCC_E_VERSION)
		why = "it was made by another version of oclcache";
	else if (error == OCC_E_TOO_LARGE)
		why = "it has reached OCLCACHE_RECORD_MAX_SIZE";
	if (!__atomic_exchange_n(&has_told, true, __ATOMIC_ACQ_REL))
		occ_log_debug("not recorded in %s: %s",
			      occ_settings_record_file, why);
}

/* Never freed before occ_record_batch_forget(). "": it isn't known. */
static const char *find_application(void)
{
	struct occ_executable *executable;
	char *name, *unused;

	occ_lock();
	name = application;
	occ_unlock();
	if (name)
		return name;
	executable = calloc(1, sizeof(*executable));
	if (executable && occ_executable_look(executable))
		unused = strdup(executable->name);
	else
		unused = strdup("");
	free(executable);
	occ_lock();
	if (!application) {
		application = unused;
		unused = NULL;
	}
	name = application;
	occ_unlock();
	free(unused);
	return name ? name : "";
}

/* ---- one build ---- */

/*
 * The name of the frame of a build, which is made unless this process has made
 * it.
 */
/* NOLINTNEXTLINE(misc-no-recursion): OCC_BUILD_KEY_DEPTH_MAX */
static int add_build(struct occ_database *database,
		     const struct occ_build_key *build_key,
		     const char *directory, struct occ_digest *ret_name)
{
	size_t count = build_key->link_input_count;
	struct occ_digest *inputs, id;
	int error = OCC_OK;

	occ_recorded_id(build_key, &id);
	if (occ_recorded_find(&id, ret_name) &&
	    occ_database_has(database, OCC_FRAME_BUILD, ret_name))
		return OCC_OK;
	inputs = calloc(count + 1, sizeof(*inputs));
	if (!inputs)
		return OCC_E_MEMORY;
	for (size_t i = 0; i < count && !error; i++)
		if (build_key->link_inputs[i].build_key)
			error = add_build(database,
					  build_key->link_inputs[i].build_key,
					  directory, &inputs[i]);
	if (!error)
		error = occ_record_frames_build(database, build_key, directory,
						inputs, ret_name);
	free(inputs);
	return error;
}

static int add_note(struct occ_database *database, struct occ_record_note *note)
{
	const struct occ_build_key *build_key = note->build_key;
	int error =
		add_build(database, build_key, note->directory, &note->name);

	note->devices = calloc(build_key->device_count, sizeof(*note->devices));
	if (!note->devices)
		return OCC_E_MEMORY;
	for (cl_uint i = 0; i < build_key->device_count && !error; i++)
		error = occ_record_frames_device(database, build_key, i,
						 note->answers[i],
						 &note->devices[i]);
	if (error)
		return error;
	return occ_record_frames_use(database,
				     &(struct occ_record_use){
					     .build = note->name,
					     .devices = note->devices,
					     .device_count =
						     build_key->device_count,
					     .application = find_application(),
					     .compile_time = note->compile_time,
				     });
}

/* ---- the file ---- */

static uint64_t max_size(uint64_t reserve)
{
	uint64_t size = occ_settings.record_max_size;

	if (size)
		size = size > reserve ? size - reserve : 1;
	return size;
}

/* Opened, and locked. NULL after a message: it can't be had. */
static struct occ_database *begin(uint64_t reserve)
{
	struct occ_database *database = NULL;
	int error = OCC_E_BUSY;

	for (int i = 0; i < TRIES && error == OCC_E_BUSY; i++) {
		if (!database)
			error = occ_database_open(occ_settings_record_file,
						  max_size(reserve), &database);
		if (database)
			error = occ_database_begin(database, WAIT_MS);
	}
	if (!error)
		return database;
	tell(error);
	if (error != OCC_E_BUSY && error != OCC_E_MEMORY)
		__atomic_store_n(&refused, true, __ATOMIC_RELAXED);
	occ_database_close(database);
	return NULL;
}

/* What doesn't fit isn't tried again. */
static void end_notes(const struct occ_record_batch *batch, bool written)
{
	static const struct occ_digest none;

	for (const struct occ_record_note *note = batch->first; note;
	     note = note->next)
		if (written && note->made)
			occ_recorded_done(&note->id, &note->name, note->devices,
					  note->build_key->device_count);
		else if (written)
			occ_recorded_done(&note->id, &none, NULL, 0);
	if (written)
		return;
	occ_lock();
	for (const struct occ_record_note *note = batch->first; note;
	     note = note->next)
		occ_recorded_leave_locked(&note->id);
	occ_unlock();
}

static bool commit(struct occ_database *database, int error)
{
	if (error)
		tell(error);
	error = occ_database_commit(database);
	if (error)
		tell(error);
	return !error;
}

/* OCC_OK, or what was wrong with the last one that couldn't be added. */
static int add_notes(struct occ_database *database,
		     const struct occ_record_batch *batch)
{
	int fault = OCC_OK;

	/* Parts of more builds would only take what room there is. */
	for (struct occ_record_note *note = batch->first;
	     note && fault != OCC_E_TOO_LARGE; note = note->next) {
		int error = add_note(database, note);

		note->made = !error;
		if (error)
			fault = error;
	}
	return fault;
}

static int add_refusals(struct occ_database *database,
			const struct occ_record_batch *batch)
{
	int fault = OCC_OK;

	for (int i = 0; batch->any_refused && i < OCC_REASON_COUNT; i++) {
		int error = OCC_OK;

		if (batch->refused[i])
			error = occ_record_frames_refusal(database,
							  find_application(),
							  (enum occ_reason)i);
		if (error)
			fault = error;
	}
	return fault;
}

static void say_full(void)
{
	struct occ_database *database = begin(0);
	int error;

	__atomic_store_n(&refused, true, __ATOMIC_RELAXED);
	if (!database)
		return;
	error = occ_record_frames_refusal(database, find_application(),
					  OCC_REASON_TOO_LARGE);
	commit(database, error);
	occ_database_close(database);
}

static void write_kernels(struct occ_database *database,
			  const struct occ_recorded_kernels *due)
{
	int error, fault = OCC_OK;

	for (; due; due = due->next) {
		error = occ_record_frames_use(
			database,
			&(struct occ_record_use){
				.build = due->name,
				.devices = due->devices,
				.device_count = due->device_count,
				.application = find_application(),
				.kernels = occ_buffer_span(&due->names),
			});
		if (error)
			fault = error;
	}
	commit(database, fault);
}

void occ_record_batch_write(struct occ_record_batch *batch)
{
	bool any = batch->first || batch->any_refused, written = false;
	struct occ_database *database = any ? begin(RESERVE) : NULL;
	struct occ_recorded_kernels *due;
	int fault = OCC_OK, error;

	if (database) {
		fault = add_notes(database, batch);
		error = add_refusals(database, batch);
		written = commit(database, fault ? fault : error);
	}
	end_notes(batch, written);
	/* Also of the builds that have just been written. */
	due = occ_recorded_take_due();
	if (due && !database)
		database = begin(RESERVE);
	else if (due && occ_database_begin(database, WAIT_MS)) {
		occ_database_close(database);
		database = NULL;
	}
	if (due && database)
		write_kernels(database, due);
	occ_recorded_release_due(due);
	occ_database_close(database);
	if (fault == OCC_E_TOO_LARGE)
		say_full();
}
