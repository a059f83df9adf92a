/* SPDX-License-Identifier: MIT */
#include "layer/serve/record.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/section.h"
#include "layer/base/writer.h"
#include "layer/object/device_answers.h"
#include "layer/serve/record_batch.h"
#include "layer/serve/recorded.h"

/*
 * Notes keep their programs' texts in memory: for each so many bytes of them
 * there is a task that says so to the writer, which has its callers wait when
 * that is too much.
 */
#define BYTES_A_TASK ((size_t)16 << 20)

/* What comes within this time is written at once, and without a thread more. */
#define LINGER_MS    20
#define NS_PER_MS    1000000

/* The lock guards all of it. */
static struct {
	struct occ_record_batch next;
	bool queued;	 /* a task will take that */
	size_t unqueued; /* bytes that no task has said */
	pid_t noting;	 /* the thread that did so last */
	bool refused[OCC_REASON_COUNT];
} process;

/* Not while anybody waits for the writer, nor where there is no such thread. */
static void linger(void)
{
	bool is_own;

	occ_lock();
	is_own = process.noting != gettid();
	occ_unlock();
	for (int i = 0; i < LINGER_MS && is_own && !occ_writer_is_awaited();
	     i++)
		occ_file_pause(NS_PER_MS);
}

static void run(struct occ_task *task)
{
	struct occ_record_batch batch;
	struct occ_section section;

	occ_section_enter(&section);
	free(task);
	linger();
	occ_lock();
	batch = process.next;
	process.next = (struct occ_record_batch){.first = NULL};
	process.queued = false;
	process.unqueued = 0;
	occ_unlock();
	occ_record_batch_write(&batch);
	occ_record_batch_release(&batch);
	occ_section_leave(&section);
}

/* `shared`: no thread closes others' descriptors by now. */
static void queue(size_t bytes, bool shared)
{
	const struct occ_task task = {.run = run, .shared = shared};
	struct occ_task *queued = malloc(sizeof(*queued));

	if (!queued) {
		occ_lock();
		process.queued = false;
		occ_unlock();
		return;
	}
	*queued = task;
	queued->bytes = bytes;
	occ_writer_add(queued);
}

/* How much of the task's bytes is to be queued; lock held. */
static bool is_due_locked(size_t size, size_t *ret_bytes)
{
	process.unqueued += size;
	*ret_bytes = process.unqueued;
	if (process.queued && process.unqueued < BYTES_A_TASK)
		return false;
	process.queued = true;
	process.unqueued = 0;
	return true;
}

/* NULL: out of memory. */
static struct occ_record_note *make_note(struct occ_build_key *build_key,
					 uint64_t compile_time)
{
	struct occ_record_note *note =
		calloc(1, sizeof(*note) + build_key->device_count *
						  sizeof(*note->answers));

	if (!note)
		return NULL;
	note->build_key = occ_build_key_retain(build_key);
	note->compile_time = compile_time;
	note->directory = getcwd(NULL, 0);
	return note;
}

static size_t size_of(const struct occ_build_key *build_key)
{
	size_t size = build_key->input ? build_key->input->size : 0;

	for (cl_uint i = 0; i < build_key->header_count; i++)
		size += build_key->headers[i].input->size;
	return size;
}

/* Lock held. */
static void add_note_locked(struct occ_record_note *note)
{
	const struct occ_build_key *build_key = note->build_key;

	for (cl_uint i = 0; i < build_key->device_count; i++)
		note->answers[i] =
			occ_device_answers_size_locked(build_key->devices[i]);
	occ_record_batch_add(&process.next, note);
}

static void add_note(struct occ_record_note *note)
{
	bool added, due = false;
	size_t bytes;

	occ_lock();
	added = occ_recorded_enter_locked(&note->id);
	if (added) {
		add_note_locked(note);
		process.noting = gettid();
		due = is_due_locked(size_of(note->build_key), &bytes);
	}
	occ_unlock();
	if (!added)
		occ_record_note_release(note);
	if (due)
		queue(bytes, false);
}

void occ_record_build(struct occ_build_key *build_key, uint64_t compile_time)
{
	struct occ_record_note *note;
	struct occ_digest id;

	if (!occ_record_is_on() || occ_record_batch_is_refused())
		return;
	occ_recorded_id(build_key, &id);
	if (occ_recorded_has(&id))
		return;
	note = make_note(build_key, compile_time);
	if (!note)
		return;
	note->id = id;
	occ_exit_watch_early();
	add_note(note);
}

void occ_record_refusal(enum occ_reason reason)
{
	bool due = false;
	size_t bytes;

	if (!reason || !occ_record_is_on() || occ_record_batch_is_refused())
		return;
	occ_lock();
	if (!process.refused[reason]) {
		process.refused[reason] = true;
		process.next.refused[reason] = true;
		process.next.any_refused = true;
		due = is_due_locked(0, &bytes);
	}
	occ_unlock();
	if (!due)
		return;
	occ_exit_watch_early();
	queue(bytes, false);
}

void occ_record_kernel(const struct occ_build_key *build_key, const char *name)
{
	struct occ_digest id;

	if (!occ_record_is_on() || occ_record_batch_is_refused())
		return;
	occ_recorded_id(build_key, &id);
	occ_recorded_kernel(&id, name);
}

static void queue_kernels(bool shared)
{
	bool due;
	size_t bytes;

	occ_lock();
	due = is_due_locked(0, &bytes);
	occ_unlock();
	if (due)
		queue(bytes, shared);
}

void occ_record_release(const struct occ_build_key *build_key)
{
	struct occ_digest id;

	if (!occ_record_is_on() || occ_record_batch_is_refused())
		return;
	occ_recorded_id(build_key, &id);
	if (occ_recorded_release(&id))
		queue_kernels(false);
}

void occ_record_end(void)
{
	if (occ_record_is_on() && !occ_record_batch_is_refused() &&
	    occ_recorded_release_all())
		queue_kernels(true);
}

void occ_record_forked(void)
{
	/* The notes' memory is small, and other threads' to give back. */
	process.next = (struct occ_record_batch){.first = NULL};
	process.queued = false;
	process.unqueued = 0;
	occ_recorded_forked();
}

void occ_record_forget(void)
{
	occ_record_batch_release(&process.next);
	memset(&process, 0, sizeof(process));
	occ_record_batch_forget();
	occ_recorded_forget_all();
	occ_device_answers_forget_all();
}
