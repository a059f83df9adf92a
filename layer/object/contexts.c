/* SPDX-License-Identifier: MIT */
#include "layer/object/contexts.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"

/*
 * For a driver that makes a program: most take less than 1 ms, but rusticl half
 * a second for one of hashcat's, and counts it from the beginning.
 */
#define WAIT_NS UINT64_C(5000000000)
#define TURN_MS 100

/* One of which something is counted. */
struct counted {
	UT_hash_handle hh;
	cl_context context;
	unsigned references; /* the application's; 0: it isn't known */
	cl_uint hidden;	     /* programs */
	cl_uint changing;    /* programs that the driver is making, hidden */
	uint32_t number;
	uint64_t made;
};

static struct counted *contexts;
static uint32_t made_count;
static uint64_t changes; /* of any context's hidden programs */

static struct counted *find_context_locked(cl_context context)
{
	struct counted *counted;

	HASH_FIND_PTR(contexts, &context, counted);
	return counted;
}

/* Adds it if need be; NULL when out of memory. */
static struct counted *enter_context_locked(cl_context context)
{
	struct counted *counted = find_context_locked(context);

	if (counted)
		return counted;
	counted = calloc(1, sizeof(*counted));
	if (!counted)
		return NULL;
	counted->context = context;
	HASH_ADD_PTR(contexts, context, counted);
	if (find_context_locked(context) == counted)
		return counted;
	free(counted);
	return NULL;
}

static void remove_unused_locked(struct counted *counted)
{
	if (counted->references || counted->hidden || counted->changing)
		return;
	HASH_DEL(contexts, counted);
	free(counted);
}

bool occ_context_is_known_locked(cl_context context)
{
	const struct counted *counted;

	occ_assert_locked();
	counted = find_context_locked(context);
	return counted && counted->references;
}

bool occ_context_add(cl_context context)
{
	struct counted *counted;
	bool was_known;

	occ_lock();
	counted = enter_context_locked(context);
	was_known = counted && counted->references;
	if (counted) {
		counted->references = 1;
		counted->number = made_count++;
		counted->made = occ_log_now();
	}
	occ_unlock();
	return was_known;
}

bool occ_context_place(cl_context context, struct occ_context_place *ret_place)
{
	const struct counted *counted;
	bool known;

	occ_lock();
	counted = find_context_locked(context);
	known = counted && counted->references;
	if (known)
		*ret_place = (struct occ_context_place){counted->number,
							counted->made};
	occ_unlock();
	return known;
}

void occ_context_retain(cl_context context)
{
	struct counted *counted;

	occ_lock();
	counted = find_context_locked(context);
	if (counted && counted->references)
		counted->references++;
	occ_unlock();
}

bool occ_context_release(cl_context context)
{
	struct counted *counted;
	bool last;

	occ_lock();
	counted = find_context_locked(context);
	last = counted && counted->references && !--counted->references;
	if (last)
		remove_unused_locked(counted);
	occ_unlock();
	return last;
}

void occ_context_change_hidden(cl_context context, int change)
{
	struct counted *counted;

	occ_lock();
	/* Out of memory: a count that is one too high, no more. */
	counted = change > 0 ? enter_context_locked(context)
			     : find_context_locked(context);
	if (counted && (change > 0 || counted->hidden)) {
		counted->hidden += (cl_uint)change;
		remove_unused_locked(counted);
	}
	changes++;
	occ_unlock();
}

void occ_context_begin_hidden(cl_context context)
{
	struct counted *counted;

	occ_lock();
	counted = enter_context_locked(context);
	if (counted)
		counted->changing++;
	changes++;
	occ_unlock();
}

void occ_context_end_hidden(cl_context context, int change)
{
	struct counted *counted;

	occ_lock();
	counted = find_context_locked(context);
	if (counted) {
		if (counted->changing)
			counted->changing--;
		if (change > 0 || counted->hidden)
			counted->hidden += (cl_uint)change;
		remove_unused_locked(counted);
	}
	changes++;
	occ_lock_wake();
	occ_unlock();
}

cl_uint occ_context_hidden(cl_context context, uint64_t *ret_changes)
{
	uint64_t end = occ_log_now() + WAIT_NS;
	const struct counted *counted;
	cl_uint hidden;

	occ_lock();
	counted = find_context_locked(context);
	while (counted && counted->changing && occ_log_now() < end) {
		occ_lock_wait(TURN_MS);
		counted = find_context_locked(context);
	}
	hidden = counted ? counted->hidden : 0;
	*ret_changes = changes;
	occ_unlock();
	return hidden;
}

void occ_context_release_hidden(cl_context context, cl_program program)
{
	if (!program)
		return;
	occ_context_begin_hidden(context);
	occ_target.clReleaseProgram(program);
	occ_context_end_hidden(context, -1);
}

void occ_context_forget_all(void)
{
	struct counted *counted = contexts;

	made_count = 0;
	HASH_CLEAR(hh, contexts);
	while (counted) {
		struct counted *next = counted->hh.next;

		free(counted);
		counted = next;
	}
}
