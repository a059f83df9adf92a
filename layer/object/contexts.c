/* SPDX-License-Identifier: MIT */
#include "layer/object/contexts.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "layer/base/lock.h"

struct known {
	UT_hash_handle hh;
	cl_context context;
	unsigned references;
};

static struct known *contexts;

static struct known *find_context_locked(cl_context context)
{
	struct known *known;

	HASH_FIND_PTR(contexts, &context, known);
	return known;
}

bool occ_context_is_known_locked(cl_context context)
{
	occ_assert_locked();
	return find_context_locked(context);
}

void occ_context_forget_all(void)
{
	struct known *known = contexts;

	HASH_CLEAR(hh, contexts);
	while (known) {
		struct known *next = known->hh.next;

		free(known);
		known = next;
	}
}

bool occ_context_add(cl_context context)
{
	struct known *known = calloc(1, sizeof(*known)), *stale;
	bool was_known;

	occ_lock();
	stale = find_context_locked(context);
	was_known = stale;
	if (was_known)
		HASH_DEL(contexts, stale);
	if (known) {
		known->context = context;
		known->references = 1;
		HASH_ADD_PTR(contexts, context, known);
	}
	if (known && find_context_locked(context) != known) {
		free(known);
		known = NULL;
	}
	occ_unlock();
	free(stale);
	return was_known;
}

void occ_context_retain(cl_context context)
{
	struct known *known;

	occ_lock();
	known = find_context_locked(context);
	if (known)
		known->references++;
	occ_unlock();
}

bool occ_context_release(cl_context context)
{
	struct known *known;
	bool last;

	occ_lock();
	known = find_context_locked(context);
	last = known && !--known->references;
	if (last)
		HASH_DEL(contexts, known);
	occ_unlock();
	if (last)
		free(known);
	return last;
}
